//! Files and folders as they are on a disk.

use super::*;

#[test]
fn replace_keeps_the_mode_and_lists_are_sorted() {
    let dir = temporary_folder("labdoc-test-").expect("temp");
    let path = dir.path().join("b.sh");
    write(&path, b"old").expect("write");
    set_mode(&path, 0o755).expect("mode");
    replace(&path, b"new").expect("replace");
    write(&dir.path().join("a/x"), b"").expect("write");
    assert_eq!(read(&path).expect("read"), b"new");
    assert_eq!(files_below(dir.path()).expect("walk"), ["a/x", "b.sh"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(&path).expect("meta").permissions().mode();
        assert_eq!(mode & 0o777, 0o755);
    }
}
