//! The one-to-one renaming between the names printed on a page and those of a run.

use std::collections::BTreeMap;

/// A class and a value of it.
type Key = (String, String);

/// Which printed name stands for which measured name, per class. A name may be renamed, but the
/// same name always to the same one, and two names never to one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Renaming {
    forward: BTreeMap<Key, Stands>,
    backward: BTreeMap<Key, String>,
    /// Keys of both maps in the order in which they were bound.
    log: Vec<(Key, Key)>,
    /// Whether a name that is new can only stand for itself.
    only_same: bool,
}

/// What a printed name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stands {
    measured: String,
    /// The line of the page where that was found, 0 where none is known.
    line: usize,
}

/// How far a [`Renaming`] had grown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark(usize);

impl Renaming {
    /// Binds `printed` to `measured`, as line `line` of the page shows; `false` when one of the
    /// two is bound otherwise.
    pub(crate) fn bind(
        &mut self,
        class: &str,
        (printed, line): (&str, usize),
        measured: &str,
    ) -> bool {
        let forward = (class.to_owned(), printed.to_owned());
        let backward = (class.to_owned(), measured.to_owned());
        match (self.forward.get(&forward), self.backward.get(&backward)) {
            (None, None) if self.only_same && printed != measured => false,
            (None, None) => {
                self.log.push((forward.clone(), backward.clone()));
                self.forward.insert(forward, Stands { measured: measured.to_owned(), line });
                self.backward.insert(backward, printed.to_owned());
                true
            }
            (Some(bound), Some(_)) => bound.measured == measured,
            _ => false,
        }
    }

    /// From now on a new name can only stand for itself, or for another one again.
    pub(crate) fn set_only_same(&mut self, only_same: bool) {
        self.only_same = only_same;
    }

    /// Where the renaming stands now.
    pub(crate) fn mark(&self) -> Mark {
        Mark(self.log.len())
    }

    /// Forgets all that was bound after `mark`.
    pub(crate) fn undo_to(&mut self, mark: Mark) {
        for (forward, backward) in self.log.drain(mark.0..) {
            self.forward.remove(&forward);
            self.backward.remove(&backward);
        }
    }

    /// The printed name that a measured one stands for.
    pub(crate) fn printed(&self, class: &str, measured: &str) -> Option<&str> {
        self.backward.get(&(class.to_owned(), measured.to_owned())).map(String::as_str)
    }

    /// The measured name that a printed one stands for.
    pub(crate) fn measured(&self, class: &str, printed: &str) -> Option<&str> {
        let stands = self.forward.get(&(class.to_owned(), printed.to_owned()));
        stands.map(|stands| stands.measured.as_str())
    }

    /// Why `printed` cannot stand for `measured`, where a name is bound otherwise.
    pub(crate) fn conflict(&self, class: &str, printed: &str, measured: &str) -> Option<String> {
        let place = |line: usize| if line == 0 { String::new() } else { format!(" (line {line})") };
        let key = (class.to_owned(), printed.to_owned());
        if let Some(stands) = self.forward.get(&key) {
            let other = &stands.measured;
            let at = place(stands.line);
            return (other != measured)
                .then(|| format!("{printed} already stands for {other}{at}"));
        }
        let other = self.printed(class, measured)?;
        let at = self.forward.get(&(class.to_owned(), other.to_owned()));
        let at = at.map_or(String::new(), |stands| place(stands.line));
        Some(format!("{measured} is called {other} on this page already{at}, not {printed}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_renaming_is_one_to_one() {
        let mut names = Renaming::default();
        assert!(names.bind("ip", ("10.0.0.1", 12), "10.9.0.1"));
        assert!(names.bind("ip", ("10.0.0.1", 13), "10.9.0.1"));
        assert!(!names.bind("ip", ("10.0.0.1", 14), "10.9.0.2"), "one name, two values");
        assert!(!names.bind("ip", ("10.0.0.2", 15), "10.9.0.1"), "two names, one value");
        assert!(names.bind("pod", ("10.0.0.1", 16), "x"), "classes do not mix");
        assert_eq!(names.printed("ip", "10.9.0.1"), Some("10.0.0.1"));
        assert_eq!(names.measured("ip", "10.0.0.1"), Some("10.9.0.1"));
    }

    #[test]
    fn a_conflict_is_explained() {
        let mut names = Renaming::default();
        names.bind("ip", ("10.0.0.1", 12), "10.9.0.1");
        let check = |printed: &str, measured: &str, expect: Option<&str>| {
            assert_eq!(names.conflict("ip", printed, measured).as_deref(), expect);
        };
        check("10.0.0.1", "10.9.0.2", Some("10.0.0.1 already stands for 10.9.0.1 (line 12)"));
        check(
            "10.0.0.2",
            "10.9.0.1",
            Some("10.9.0.1 is called 10.0.0.1 on this page already (line 12), not 10.0.0.2"),
        );
        check("10.0.0.1", "10.9.0.1", None);
        check("10.0.0.3", "10.9.0.3", None);
    }
}
