//! Blocks that earlier builds coloured. The grammars of one page cost more than all else of it, so a
//! build that renders few pages keeps what it coloured for the next one.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::digest::sha256;
use crate::disk;

/// Most blocks that are kept beside those of the last build.
const MOST: usize = 400;

/// What is kept, by the digest of language and text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Kept {
    /// The program that coloured it.
    program: String,
    /// The lines of blocks.
    blocks: BTreeMap<[u8; 32], Vec<String>>,
    /// Whether a language is known.
    languages: BTreeMap<String, bool>,
}

/// Blocks that earlier builds coloured, and those of this one.
pub(super) struct Memory {
    before: Kept,
    now: Mutex<Kept>,
}

impl Memory {
    /// From what an earlier build kept; anything else is as good as nothing.
    pub(super) fn of(content: &[u8]) -> Memory {
        let program = disk::program_stamp();
        let before: Kept = postcard::from_bytes(content).unwrap_or_default();
        let before = if before.program == program { before } else { Kept::default() };
        Memory { before, now: Mutex::new(Kept { program, ..Kept::default() }) }
    }

    /// What to keep, where it is more than there was.
    pub(super) fn content(&self) -> Option<Vec<u8>> {
        let Memory { before, .. } = self;
        let mut now = self.now().clone();
        let is_known = now.blocks.keys().all(|key| before.blocks.contains_key(key))
            && now.languages.keys().all(|name| before.languages.contains_key(name));
        if is_known {
            return None;
        }
        if now.blocks.len() + before.blocks.len() <= MOST {
            now.blocks.extend(before.blocks.clone());
        }
        now.languages.extend(before.languages.clone());
        postcard::to_allocvec(&now).ok()
    }

    /// The lines of a block, coloured where they are not known.
    pub(super) fn lines(
        &self,
        (language, text): (&str, &str),
        colour: impl FnOnce() -> Vec<String>,
    ) -> Vec<String> {
        let key = sha256(format!("{language}\n{text}").as_bytes());
        let known = self.before.blocks.get(&key).cloned();
        let lines = known.or_else(|| self.now().blocks.get(&key).cloned()).unwrap_or_else(colour);
        self.now().blocks.insert(key, lines.clone());
        lines
    }

    /// Whether a language is known.
    pub(super) fn knows(&self, language: &str, ask: impl FnOnce() -> bool) -> bool {
        let knows = self.before.languages.get(language).copied().unwrap_or_else(ask);
        self.now().languages.insert(language.to_owned(), knows);
        knows
    }

    /// What this build has coloured; a thread that died while it held the lock changed nothing by
    /// halves.
    fn now(&self) -> MutexGuard<'_, Kept> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_coloured_is_not_coloured_again_and_damage_is_nothing() {
        let first = Memory::of(b"");
        let red = || vec!["red".to_owned()];
        assert_eq!(first.lines(("sh", "a"), red), red());
        assert!(first.knows("sh", || true));
        let content = first.content().expect("something new");
        let second = Memory::of(&content);
        assert_eq!(second.lines(("sh", "a"), || panic!("known")), red());
        assert!(second.knows("sh", || panic!("known")));
        assert_eq!(second.content(), None);
        assert_eq!(second.lines(("sh", "b"), Vec::new), [] as [&str; 0]);
        assert_eq!(second.lines(("yaml", "a"), Vec::new), [] as [&str; 0]);
        let third = Memory::of(&second.content().expect("something new"));
        assert_eq!(third.lines(("sh", "a"), || panic!("known")), red());
        for damaged in [&content[..content.len() - 2], &content[1..], b"x"] {
            let nothing = Memory::of(damaged);
            assert_eq!(nothing.lines(("sh", "a"), Vec::new), [] as [&str; 0]);
        }
    }
}
