//! Captured values: a regular expression on the output of one block.

use std::collections::BTreeMap;

use regex::Regex;

use super::compile;

/// One capture of a page, `flip.destroy_local`.
#[derive(Clone, Debug)]
pub(crate) struct Capture {
    /// Its whole name.
    pub(crate) name: String,
    /// The block whose output it reads: the part before the first dot.
    pub(crate) block: String,
    /// The expression as written.
    pub(crate) pattern: String,
    regex: Regex,
}

/// What is wrong with a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CaptureFault {
    /// The capture's name.
    pub(crate) name: String,
    /// One sentence.
    pub(crate) message: String,
}

impl Capture {
    /// Compiles a capture: its name is `BLOCK.NAME`, its expression has a group.
    fn new(name: &str, pattern: &str) -> Result<Capture, CaptureFault> {
        let fault = |message: String| CaptureFault { name: name.to_owned(), message };
        let Some((block, _)) = name.split_once('.') else {
            return Err(fault(format!("capture `{name}` is not named BLOCK.NAME")));
        };
        let regex = compile(pattern)
            .map_err(|why| fault(format!("capture `{name}` is no regular expression: {why}")))?;
        if regex.captures_len() < 2 {
            return Err(fault(format!("capture `{name}` has no group, so it captures nothing")));
        }
        let (name, block) = (name.to_owned(), block.to_owned());
        Ok(Capture { name, block, pattern: pattern.to_owned(), regex })
    }

    /// The value in an output, and the index of its line from 0.
    pub(crate) fn find(&self, output: &str) -> Option<(String, usize)> {
        let group = self.regex.captures(output)?.get(1)?;
        let line = output[..group.start()].bytes().filter(|b| *b == b'\n').count();
        Some((group.as_str().to_owned(), line))
    }
}

/// The captures of a page header, in the order of their names.
pub(crate) fn captures(table: &BTreeMap<String, String>) -> (Vec<Capture>, Vec<CaptureFault>) {
    let mut good = Vec::new();
    let mut bad = Vec::new();
    for (name, pattern) in table {
        match Capture::new(name, pattern) {
            Ok(capture) => good.push(capture),
            Err(fault) => bad.push(fault),
        }
    }
    (good, bad)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_group_of_the_first_match_is_the_value() {
        let table = BTreeMap::from([
            ("flip.lost".to_owned(), r"^lost (\d+)$".to_owned()),
            ("flip.bad".to_owned(), "lost".to_owned()),
            ("nodot".to_owned(), "(x)".to_owned()),
            ("flip.open".to_owned(), "(".to_owned()),
        ]);
        let (good, bad) = captures(&table);
        assert_eq!(good[0].find("a\nlost 2\nlost 3\n"), Some(("2".to_owned(), 1)));
        assert_eq!(good[0].find("none"), None);
        let names: Vec<&str> = bad.iter().map(|fault| fault.name.as_str()).collect();
        assert_eq!(names, ["flip.bad", "flip.open", "nodot"]);
    }
}
