//! Which relative paths are safe and portable: the one judge of every path that came from a
//! document, a manifest or a kit.

/// Longest path that is published, in characters (Windows leaves about that much room).
const MAX_CHARS: usize = 120;

/// Why a relative path is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathFault {
    /// Nothing in it, or between two slashes.
    Empty,
    /// `.` or `..`, or it begins with `/` or a drive letter.
    Escapes,
    /// A character that some system forbids.
    Character(char),
    /// A Windows device name such as `CON`.
    Device,
    /// A part that ends in a dot or a space.
    TrailingDotOrSpace,
    /// More than 120 characters.
    TooLong,
}

impl PathFault {
    /// The reason in words, to follow the path in a sentence.
    pub(crate) fn reason(self) -> String {
        match self {
            PathFault::Empty => "has an empty part".into(),
            PathFault::Escapes => "leaves its folder".into(),
            PathFault::Character(c) => format!("holds {c:?}, which cannot exist on Windows"),
            PathFault::Device => "is a device name on Windows".into(),
            PathFault::TrailingDotOrSpace => "has a part that ends in a dot or a space".into(),
            PathFault::TooLong => format!("is longer than {MAX_CHARS} characters"),
        }
    }
}

/// Checks a relative path with `/` between its parts.
pub(crate) fn check_relative(path: &str) -> Result<(), PathFault> {
    if path.chars().count() > MAX_CHARS {
        return Err(PathFault::TooLong);
    }
    path.split('/').try_for_each(check_part)
}

/// Checks one part of a path.
fn check_part(part: &str) -> Result<(), PathFault> {
    if part.is_empty() {
        return Err(PathFault::Empty);
    }
    if part == "." || part == ".." {
        return Err(PathFault::Escapes);
    }
    let forbidden =
        |c: char| c.is_control() || matches!(c, '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
    if let Some(c) = part.chars().find(|c| forbidden(*c)) {
        return Err(PathFault::Character(c));
    }
    if part.ends_with(['.', ' ']) {
        return Err(PathFault::TrailingDotOrSpace);
    }
    if is_device(part) { Err(PathFault::Device) } else { Ok(()) }
}

/// Whether Windows reserves this name, whatever its extension.
fn is_device(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part).to_ascii_uppercase();
    if matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$") {
        return true;
    }
    let numbered = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
    numbered.is_some_and(|rest| {
        rest.chars().count() == 1 && rest.chars().all(|c| matches!(c, '0'..='9' | '¹' | '²' | '³'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, expect: Result<(), PathFault>) {
        assert_eq!(check_relative(path), expect, "{path:?}");
    }

    #[test]
    fn judges_paths() {
        check("manifests/10-pvc.yaml", Ok(()));
        check("한글/가이드.md", Ok(()));
        check("../x", Err(PathFault::Escapes));
        check("/etc/passwd", Err(PathFault::Empty));
        check("a//b", Err(PathFault::Empty));
        check("a/./b", Err(PathFault::Escapes));
        check("a:b.yaml", Err(PathFault::Character(':')));
        check("a\\b", Err(PathFault::Character('\\')));
        check("a/nul.txt", Err(PathFault::Device));
        check("com1", Err(PathFault::Device));
        check("comb", Ok(()));
        check("a./b", Err(PathFault::TrailingDotOrSpace));
        check(&"x".repeat(121), Err(PathFault::TooLong));
    }
}
