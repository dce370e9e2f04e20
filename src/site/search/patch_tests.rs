//! A patched index beside one that is made as a whole.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::site::search::files_of;

/// The files of an index in Korean, by path.
fn whole(documents: &[Document]) -> Changed {
    let mut out = Changed::new();
    let mut put = |path: &str, text: &str| {
        out.insert(path.to_owned(), text.to_owned());
        Ok(())
    };
    let documents = documents.iter().cloned().map(Arc::new).collect();
    files_of("ko", documents, &json!({"search": "x"}), &mut put).expect("in memory");
    out
}

/// What stands after a patch, and how many files it made anew; `None` where there was none.
fn patched(documents: &[Document], changes: &[Change]) -> Option<(Changed, usize)> {
    let mut standing = whole(documents);
    let changed = {
        let read = |path: &str| standing.get(path).cloned();
        let digest = |path: &str| Some(sha256_hex(standing.get(path)?.as_bytes()));
        patch("ko", changes, &Standing { read: &read, digest: &digest })?
    };
    let count = changed.len();
    standing.extend(changed);
    Some((standing, count))
}

/// A page of words that are rare, frequent, or in a script without spaces.
fn page(number: usize, words: &[u16]) -> Document {
    let word = |n: &u16| match n % 5 {
        0 => "the".to_owned(),
        1 => format!("정책{}", char::from_u32(0xac00 + u32::from(n % 600)).unwrap_or('가')),
        _ => format!("w{}", n % 900),
    };
    let text: Vec<String> = words.iter().map(word).collect();
    let html = format!(
        "<h2 id=\"a\">{} &lt;</h2>\n<p>{}</p>",
        text.first().cloned().unwrap_or_default(),
        text.join(" ")
    );
    Document::page(&format!("p{number:04}.html"), ("ko", &format!("Page {number}")), &html)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_patched_index_is_the_index_of_the_new_texts(
        texts in prop::collection::vec(prop::collection::vec(any::<u16>(), 0..200), 3..120),
        edits in prop::collection::vec((any::<prop::sample::Index>(), prop::collection::vec(any::<u16>(), 0..200)), 1..4),
        is_appended in any::<bool>(),
    ) {
        let mut texts = texts;
        let before: Vec<Document> = texts.iter().enumerate().map(|(n, text)| page(n, text)).collect();
        let mut changes = Vec::new();
        let mut taken = Vec::new();
        for (index, words) in edits {
            let at = index.index(texts.len());
            if taken.contains(&at) {
                continue;
            }
            taken.push(at);
            if is_appended { texts[at].extend(words) } else { texts[at] = words }
            let new = page(at, &texts[at]);
            changes.push(Change { number: u32::try_from(at).expect("small"), old: before[at].clone(), new });
        }
        let after: Vec<Document> = texts.iter().enumerate().map(|(n, text)| page(n, text)).collect();
        if let Some((got, _)) = patched(&before, &changes) {
            prop_assert_eq!(got, whole(&after));
        }
    }
}

/// A site of pages that share most of their words.
fn site() -> Vec<Vec<u16>> {
    (0..400_u16).map(|n| (0..300).map(|w| (n * 7 + w * 13) % 4000).collect()).collect()
}

#[test]
fn a_sentence_more_makes_a_few_files_anew() {
    let mut texts = site();
    let documents = |texts: &[Vec<u16>]| -> Vec<Document> {
        texts.iter().enumerate().map(|(n, text)| page(n, text)).collect()
    };
    let before = documents(&texts);
    let all = whole(&before).len();
    assert!(all > 20, "{all}");
    let mut made = 0;
    for at in [0, 7, 200, 399] {
        let old = documents(&texts);
        texts[at].extend([2, 3, 4000]);
        let new = documents(&texts);
        let change = Change {
            number: u32::try_from(at).expect("small"),
            old: old[at].clone(),
            new: new[at].clone(),
        };
        if let Some((got, count)) = patched(&old, &[change]) {
            assert!(got == whole(&new), "page {at}");
            assert!(count < all / 2, "{count} of {all}");
            made += 1;
        }
    }
    assert!(made >= 3, "{made} of 4 could be patched");
}

#[test]
fn an_index_that_does_not_hold_the_old_text_is_not_patched() {
    let documents: Vec<Document> = (0..5).map(|n| page(n, &[2, 3, 4])).collect();
    let new = || page(1, &[2, 3, 4, 7]);
    let change = |old| Change { number: 1, old, new: new() };
    assert!(patched(&documents, &[change(page(1, &[2, 3, 4]))]).is_some());
    assert!(patched(&documents, &[change(page(1, &[2, 3, 8]))]).is_none());
    assert!(
        patched(&documents, &[Change { number: 9, old: page(1, &[2, 3, 4]), new: new() }])
            .is_none()
    );
    let damaged = whole(&documents);
    for (path, text) in &damaged {
        let cut = |wanted: &str| {
            let text = damaged.get(wanted)?;
            Some(if wanted == path { text[..text.len() / 2].to_owned() } else { text.clone() })
        };
        let digest = |path: &str| Some(sha256_hex(damaged.get(path)?.as_bytes()));
        let changes = [change(page(1, &[2, 3, 4]))];
        let got = patch("ko", &changes, &Standing { read: &cut, digest: &digest });
        assert!(got.is_none(), "{path} was cut to {:?}", &text[..text.len() / 2]);
    }
}
