//! Where along a list of versions a claim stops or starts to hold: which version to run next.

/// What is known of versions, oldest first: whether the claim holds there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Search(pub(crate) Vec<Option<bool>>);

impl Search {
    /// The version that tells most, as an index; `None` when the boundary is found, or when both
    /// ends agree, so that there is none to halve towards.
    pub(crate) fn next(&self) -> Option<usize> {
        let known: Vec<(usize, bool)> = self.known().collect();
        let Some((_, value)) = known.first().copied() else {
            return (!self.0.is_empty()).then(|| (self.0.len() - 1) / 2);
        };
        if let Some(pair) = known.windows(2).find(|pair| pair[0].1 != pair[1].1) {
            let (from, to) = (pair[0].0, pair[1].0);
            return (to - from > 1).then(|| from + (to - from) / 2);
        }
        let (first, last) = (0, self.0.len() - 1);
        // What holds in the middle is more often lost later than gained later.
        let ends = if value { [last, first] } else { [first, last] };
        ends.into_iter().find(|end| self.0[*end].is_none())
    }

    /// The first version that nothing is known of.
    pub(crate) fn next_unknown(&self) -> Option<usize> {
        self.0.iter().position(Option::is_none)
    }

    /// The neighbours, in what is known, of which one holds and the other does not.
    pub(crate) fn changes(&self) -> Vec<(usize, usize)> {
        let known: Vec<(usize, bool)> = self.known().collect();
        let pairs = known.windows(2).filter(|pair| pair[0].1 != pair[1].1);
        pairs.map(|pair| (pair[0].0, pair[1].0)).collect()
    }

    /// The versions of which something is known.
    fn known(&self) -> impl Iterator<Item = (usize, bool)> {
        self.0.iter().enumerate().filter_map(|(at, holds)| Some((at, (*holds)?)))
    }
}

/// As many parts of `other` as it takes to tell it from `version`: `1.39` of `1.39.0` beside
/// `1.38.3`.
pub(crate) fn telling_part(other: &str, version: &str) -> String {
    let (mut parts, have): (Vec<&str>, Vec<&str>) = (Vec::new(), version.split('.').collect());
    for (at, part) in other.split('.').enumerate() {
        parts.push(part);
        // One number alone reads as a whole line of releases, which was not measured.
        if have.get(at) != Some(&part) && at > 0 {
            break;
        }
    }
    parts.join(".")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Searches with the truth at hand; the versions that were run, in order.
    fn ran(truth: &[bool], known: &[usize]) -> (Vec<usize>, Search) {
        let mut search = Search(vec![None; truth.len()]);
        for at in known {
            search.0[*at] = Some(truth[*at]);
        }
        let mut ran = Vec::new();
        while let Some(at) = search.next() {
            assert!(search.0[at].is_none(), "{at} is run twice");
            search.0[at] = Some(truth[at]);
            ran.push(at);
        }
        (ran, search)
    }

    #[test]
    fn three_runs_for_five_versions_and_two_when_the_middle_is_known() {
        let truth = [true, true, true, false, false];
        let (runs, search) = ran(&truth, &[]);
        assert_eq!((runs, search.changes()), (vec![2, 4, 3], vec![(2, 3)]));
        assert_eq!(ran(&truth, &[2]).0, [4, 3]);
        assert_eq!(ran(&[false, true, true], &[]).1.changes(), [(0, 1)]);
        assert!(ran(&[true; 4], &[]).1.changes().is_empty());
        assert_eq!(ran(&[], &[]).0, [] as [usize; 0]);
    }

    #[test]
    fn versions_are_told_apart_by_as_few_parts_as_that_takes() {
        assert_eq!(telling_part("1.39.0", "1.38.3"), "1.39");
        assert_eq!(telling_part("1.38.3", "1.38.1"), "1.38.3");
        assert_eq!(telling_part("2.0.0", "1.38.3"), "2.0");
    }

    proptest! {
        #[test]
        fn a_monotone_claim_is_found_in_few_runs(
            before in 0usize..40, after in 0usize..40, first in any::<bool>(),
        ) {
            let mut truth = vec![first; before];
            truth.extend(vec![!first; after]);
            let (runs, search) = ran(&truth, &[]);
            let expected: Vec<(usize, usize)> =
                if before > 0 && after > 0 { vec![(before - 1, before)] } else { Vec::new() };
            prop_assert_eq!(search.changes(), expected);
            prop_assert!(runs.len() <= 3 + truth.len().max(1).ilog2() as usize);
        }
    }
}
