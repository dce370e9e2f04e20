//! The one-to-one renaming between the names printed on a page and those of a run.

use std::collections::BTreeMap;

/// Which printed name stands for which measured name, per class. A name may be renamed, but the
/// same name always to the same one, and two names never to one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Renaming {
    forward: BTreeMap<(String, String), String>,
    backward: BTreeMap<(String, String), String>,
    /// Keys of both maps in the order in which they were bound.
    log: Vec<((String, String), (String, String))>,
}

/// How far a [`Renaming`] had grown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark(usize);

impl Renaming {
    /// Binds `printed` to `measured`; `false` when one of the two is bound otherwise.
    pub(crate) fn bind(&mut self, class: &str, printed: &str, measured: &str) -> bool {
        let forward = (class.to_owned(), printed.to_owned());
        let backward = (class.to_owned(), measured.to_owned());
        match (self.forward.get(&forward), self.backward.get(&backward)) {
            (None, None) => {
                self.log.push((forward.clone(), backward.clone()));
                self.forward.insert(forward, measured.to_owned());
                self.backward.insert(backward, printed.to_owned());
                true
            }
            (Some(bound), Some(_)) => bound == measured,
            _ => false,
        }
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_renaming_is_one_to_one() {
        let mut names = Renaming::default();
        assert!(names.bind("ip", "10.0.0.1", "10.9.0.1"));
        assert!(names.bind("ip", "10.0.0.1", "10.9.0.1"));
        assert!(!names.bind("ip", "10.0.0.1", "10.9.0.2"), "one name, two values");
        assert!(!names.bind("ip", "10.0.0.2", "10.9.0.1"), "two names, one value");
        assert!(names.bind("pod", "10.0.0.1", "x"), "classes do not mix");
        assert_eq!(names.printed("ip", "10.9.0.1"), Some("10.0.0.1"));
    }
}
