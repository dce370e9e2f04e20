//! What must hold for any path and any link.

use std::collections::BTreeSet;
use std::path::{Component, Path};

use super::names::{folded, nfc};
use crate::address::{Written, decode, encode, join, parse, relative};
use crate::disk::check_relative;

/// Reads bytes as two paths, parted by a line end. No path that is taken, and no link that is
/// followed, leaves the root.
pub(crate) fn paths(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (one, other) = text.split_once('\n').unwrap_or((&text, "a/b.md"));
    assert_eq!(decode(&encode(one)).as_deref(), Some(one), "an address reads back");
    assert!(encode(one).bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"'), "{one:?}");
    assert_eq!(folded(&folded(one)), folded(one), "folding twice is folding once");
    assert_eq!(folded(one), folded(&nfc(one)), "twins in NFC are twins");
    if check_relative(one).is_ok()
        && let Some(path) = join(one, other)
    {
        let up = path.split('/').any(|part| matches!(part, "." | ".."));
        assert!(!up && !path.starts_with('/'), "{one:?} and {other:?} lead to {path:?}");
    }
    if let Written::Inside { path, .. } = parse(one) {
        let joined = join("a/b.md", &path);
        assert!(joined.is_none_or(|path| !path.split('/').any(|part| part == "..")), "{one:?}");
    }
    if check_relative(one).is_err() {
        return;
    }
    let inside = Path::new(one).components().all(|part| matches!(part, Component::Normal(_)));
    assert!(inside && !one.contains(['\0', '\\', ':']), "{one:?}");
    let parts: Vec<&str> = one.split('/').collect();
    assert_eq!(Path::new(one).components().count(), parts.len(), "{one:?}");
    if check_relative(other).is_ok() {
        let link = decode(&relative(one, other));
        let back = link.and_then(|link| join(one, &link));
        assert_eq!(back.as_deref(), Some(other), "from {one:?}");
        let twins = BTreeSet::from([folded(one), folded(other)]).len() == 1;
        assert!(twins || one != other, "a path is its own twin");
    }
}
