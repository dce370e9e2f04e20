//! The kinds of runnable blocks, by name and by what they need.

use super::page::BlockKind;

impl BlockKind {
    /// What the language is called in a bundle and in a digest.
    pub(crate) fn word(self) -> &'static str {
        match self {
            BlockKind::Shell => "shell",
            BlockKind::Console => "console",
            BlockKind::Apply => "apply",
            BlockKind::Assert => "assert",
        }
    }

    /// Whether it is for a cluster and nothing else.
    pub(crate) fn needs_cluster(self) -> bool {
        matches!(self, BlockKind::Apply | BlockKind::Assert)
    }
}
