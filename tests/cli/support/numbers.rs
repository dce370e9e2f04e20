//! Numbers that tests draw.

use std::time::Duration;

/// Numbers that look random, the same for one seed.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("small") % limit
    }

    /// A moment within some time, not before 1 ms.
    pub(crate) fn moment(&mut self, within: Duration) -> Duration {
        within.mul_f64(self.below(1000) as f64 / 1000.0).max(Duration::from_millis(1))
    }

    /// One of some things.
    pub(crate) fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// How often something is tried, by a variable such as `LABDOC_KILLS`, and the seed of what is drawn,
/// by `LABDOC_SEED`: else as often as usual, and with this process's own seed.
pub(crate) fn extent(variable: &str, usual: usize) -> (usize, u64) {
    let given = |name: &str| std::env::var(name).ok();
    let times = given(variable).and_then(|text| text.parse().ok());
    let seed = given("LABDOC_SEED").and_then(|text| text.parse().ok());
    (times.unwrap_or(usual), seed.unwrap_or_else(|| u64::from(std::process::id())))
}
