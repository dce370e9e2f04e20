//! Many pages: which may run at the same time, in which order, and which belong together.

use std::collections::{BTreeMap, BTreeSet};

use crate::book::{Book, Page, Workdir, folder_of};

/// Something that only one running page may use.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Resource {
    /// A namespace of the cluster.
    Namespace(String),
    /// A kit: its scripts use the same ports and names whichever copy they run from.
    Kit(String),
    /// A folder of pages that run in it.
    Folder(String),
}

/// The chosen pages with what ties them together. Pages are counted by their place among the
/// chosen ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    /// For each page, those that run before it.
    after: Vec<BTreeSet<usize>>,
    /// For each page, what it alone may use while it runs.
    uses: Vec<BTreeSet<Resource>>,
    /// For each page, how much work it is.
    weight: Vec<usize>,
}

impl Graph {
    /// The ties between the chosen pages of a book.
    pub(crate) fn of(book: &Book, chosen: &[usize]) -> Graph {
        let mut graph = Graph::default();
        for at in chosen {
            let page = &book.pages[*at];
            let before = book.after(page).filter_map(|(_, at)| at);
            let before = before.filter_map(|at| chosen.iter().position(|other| *other == at));
            graph.after.push(before.collect());
            graph.uses.push(resources(page));
            graph.weight.push(page.blocks.len().max(1));
        }
        graph
    }

    /// The pages in an order in which each comes behind those it runs after, else as they are.
    /// Pages of a cycle, which is an error of its own, come last.
    pub(crate) fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = Vec::new();
        let mut left: BTreeSet<usize> = (0..self.after.len()).collect();
        while let Some(first) = left.first().copied() {
            let free = |at: &&usize| self.after[**at].iter().all(|before| !left.contains(before));
            let next = left.iter().find(free).copied().unwrap_or(first);
            left.remove(&next);
            order.push(next);
        }
        order
    }

    /// Whether a page has to wait while another one, which comes before it, is not done.
    fn waits_for(&self, page: usize, other: usize) -> bool {
        self.after[page].contains(&other) || !self.uses[page].is_disjoint(&self.uses[other])
    }

    /// The next page that may start: the first in order for which no page before it that is not
    /// done stands in the way.
    pub(crate) fn next(
        &self,
        order: &[usize],
        started: &BTreeSet<usize>,
        done: &BTreeSet<usize>,
    ) -> Option<usize> {
        let free = |(at, page): &(usize, &usize)| {
            let open = order[..*at].iter().filter(|other| !done.contains(other));
            !started.contains(page) && open.into_iter().all(|other| !self.waits_for(**page, *other))
        };
        order.iter().enumerate().find(free).map(|(_, page)| *page)
    }

    /// The groups of pages that must stay together, each in its order.
    pub(crate) fn components(&self) -> Vec<Vec<usize>> {
        let mut root: Vec<usize> = (0..self.after.len()).collect();
        let mut join = |a: usize, b: usize| {
            let (from, to) = (root[a].max(root[b]), root[a].min(root[b]));
            root.iter_mut().filter(|other| **other == from).for_each(|other| *other = to);
        };
        let mut users: BTreeMap<&Resource, usize> = BTreeMap::new();
        for page in 0..self.after.len() {
            self.after[page].iter().for_each(|before| join(page, *before));
            for resource in &self.uses[page] {
                // Another machine has the page's folder to itself.
                if !matches!(resource, Resource::Folder(_)) {
                    let first = *users.entry(resource).or_insert(page);
                    join(page, first);
                }
            }
        }
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (page, group) in root.into_iter().enumerate() {
            groups.entry(group).or_default().push(page);
        }
        groups.into_values().collect()
    }

    /// The pages of one shard: whole groups, the heaviest handed out first, each to the shard that
    /// has the least. The same pages give the same shards everywhere.
    pub(crate) fn shard(&self, shard: Shard) -> Vec<usize> {
        let mut groups = self.components();
        let weight = |group: &[usize]| group.iter().map(|page| self.weight[*page]).sum::<usize>();
        groups.sort_by_key(|group| (std::cmp::Reverse(weight(group)), group[0]));
        let mut shards: Vec<(usize, Vec<usize>)> = vec![(0, Vec::new()); shard.of];
        for group in groups {
            let least = (0..shard.of).min_by_key(|at| (shards[*at].0, *at)).unwrap_or(0);
            shards[least].0 += weight(&group);
            shards[least].1.extend(group);
        }
        let mut own = std::mem::take(&mut shards[shard.index - 1].1);
        own.sort_unstable();
        own
    }
}

/// What a page needs for itself.
fn resources(page: &Page) -> BTreeSet<Resource> {
    let verify = page.front.verify.as_ref();
    let namespaces = verify.into_iter().flat_map(|verify| &verify.namespaces);
    let mut all: BTreeSet<Resource> =
        namespaces.map(|name| Resource::Namespace(name.clone())).collect();
    all.extend(page.front.kit.iter().map(|kit| Resource::Kit(kit.clone())));
    let default = if page.front.kit.is_some() { Workdir::Kit } else { Workdir::Page };
    if verify.and_then(|verify| verify.workdir).unwrap_or(default) == Workdir::Page {
        all.insert(Resource::Folder(folder_of(&page.path).to_owned()));
    }
    all
}

/// `--shard I/N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    /// Which one, from 1.
    pub(crate) index: usize,
    /// Of how many.
    pub(crate) of: usize,
}

impl Shard {
    /// `I/N` as a Job counts its pods: from 0/N.
    ///
    /// # Errors
    /// It is not written so; the words say how.
    pub(crate) fn from_zero(text: &str) -> Result<Shard, String> {
        let wrong = || "the shard of a pod is written I/N, from 0/N to N-1/N".to_owned();
        let (index, of) = text.split_once('/').ok_or_else(wrong)?;
        let index: usize = index.parse().map_err(|_| wrong())?;
        format!("{}/{of}", index.saturating_add(1)).parse().map_err(|_: String| wrong())
    }
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts =
            text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((index, of)) if (1..=of).contains(&index) && of <= 1000 => Ok(Shard { index, of }),
            _ => Err("a shard is written I/N, from 1/N to N/N".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn graph(after: &[&[usize]], uses: &[&[&str]]) -> Graph {
        let set = |names: &&[&str]| {
            names.iter().map(|name| Resource::Namespace((*name).to_owned())).collect()
        };
        Graph {
            after: after.iter().map(|before| before.iter().copied().collect()).collect(),
            uses: uses.iter().map(set).collect(),
            weight: vec![1; after.len()],
        }
    }

    #[test]
    fn a_job_counts_from_zero() {
        assert_eq!(Shard::from_zero("0/4"), Ok(Shard { index: 1, of: 4 }));
        assert_eq!(Shard::from_zero("3/4"), Ok(Shard { index: 4, of: 4 }));
        for bad in ["4/4", "-1/4", "1", "/4", "a/4"] {
            assert!(Shard::from_zero(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn pages_come_behind_those_they_run_after() {
        assert_eq!(graph(&[&[2], &[], &[1]], &[&[], &[], &[]]).order(), [1, 2, 0]);
        assert_eq!(graph(&[&[1], &[0], &[]], &[&[], &[], &[]]).order(), [2, 0, 1]);
    }

    #[test]
    fn a_page_waits_for_what_it_shares() {
        let graph = graph(&[&[], &[], &[0], &[]], &[&["a"], &["a"], &[], &[]]);
        let order = graph.order();
        let set = |pages: &[usize]| pages.iter().copied().collect::<BTreeSet<usize>>();
        let next =
            |started: &[usize], done: &[usize]| graph.next(&order, &set(started), &set(done));
        assert_eq!(next(&[], &[]), Some(0));
        assert_eq!(next(&[0], &[]), Some(3));
        assert_eq!(next(&[0, 3], &[3]), None);
        assert_eq!(next(&[0, 3], &[0, 3]), Some(1));
        assert_eq!(next(&[0, 1, 3], &[0, 3]), Some(2));
    }

    #[test]
    fn shards_are_written_from_one() {
        assert_eq!("2/3".parse(), Ok(Shard { index: 2, of: 3 }));
        for bad in ["0/3", "4/3", "1/0", "1", "x/2", "-1/2"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn shards_are_whole_disjoint_and_apart(
            pages in prop::collection::vec(
                (prop::collection::btree_set(0_usize..12, 0..3), prop::collection::btree_set("[a-e]", 0..2)),
                1..12,
            ),
            of in 1_usize..6,
        ) {
            let count = pages.len();
            let graph = Graph {
                after: pages.iter().map(|(after, _)| after.iter().copied().filter(|at| *at < count).collect()).collect(),
                uses: pages.iter().map(|(_, uses)| uses.iter().cloned().map(Resource::Namespace).collect()).collect(),
                weight: vec![1; count],
            };
            let shards: Vec<Vec<usize>> =
                (1..=of).map(|index| graph.shard(Shard { index, of })).collect();
            let mut all: Vec<usize> = shards.iter().flatten().copied().collect();
            all.sort_unstable();
            prop_assert_eq!(all, (0..count).collect::<Vec<_>>());
            let shard_of = |page: usize| shards.iter().position(|shard| shard.contains(&page));
            for page in 0..count {
                for other in 0..count {
                    if graph.waits_for(page, other) {
                        prop_assert_eq!(shard_of(page), shard_of(other));
                    }
                }
            }
        }

        #[test]
        fn every_page_runs_once_and_nobody_disturbs_another(
            uses in prop::collection::vec(prop::collection::btree_set("[a-d]", 0..3), 1..10),
            ends in prop::collection::vec(0_usize..8, 40),
        ) {
            let count = uses.len();
            let uses = uses.into_iter().map(|set| set.into_iter().map(Resource::Namespace).collect()).collect();
            let graph = Graph { after: vec![BTreeSet::new(); count], uses, weight: vec![1; count] };
            let order = graph.order();
            let (mut started, mut done) = (BTreeSet::new(), BTreeSet::new());
            let mut ends = ends.into_iter().cycle();
            while done.len() < count {
                while let Some(next) = graph.next(&order, &started, &done) {
                    started.insert(next);
                }
                let running: Vec<usize> = started.difference(&done).copied().collect();
                prop_assert!(!running.is_empty());
                for page in &running {
                    for other in running.iter().filter(|other| *other != page) {
                        prop_assert!(graph.uses[*page].is_disjoint(&graph.uses[*other]));
                    }
                }
                done.insert(running[ends.next().unwrap_or(0) % running.len()]);
            }
        }
    }
}
