//! `after:`: which pages run before which.

use super::page::Page;
use super::tree::Book;
use crate::address;

impl Book {
    /// What a page names under `after:`, with the page that it means where there is one.
    pub(crate) fn after<'a>(
        &'a self,
        page: &'a Page,
    ) -> impl Iterator<Item = (&'a str, Option<usize>)> {
        let named = page.front.verify.iter().flat_map(|verify| &verify.after);
        named.map(|name| {
            let path = address::join(&page.path, name);
            (name.as_str(), path.and_then(|path| self.page_at(&path)))
        })
    }

    /// The shortest way from a page over `after:` back to itself, the page first.
    pub(crate) fn cycle_of(&self, start: usize) -> Option<Vec<usize>> {
        let mut ways: Vec<Vec<usize>> = vec![vec![start]];
        let mut seen = std::collections::BTreeSet::new();
        while !ways.is_empty() {
            let mut longer = Vec::new();
            for way in ways {
                let last = *way.last()?;
                for next in self.after(&self.pages[last]).filter_map(|(_, at)| at) {
                    if next == start {
                        return Some(way);
                    }
                    if seen.insert(next) {
                        longer.push([way.as_slice(), &[next]].concat());
                    }
                }
            }
            ways = longer;
        }
        None
    }
}
