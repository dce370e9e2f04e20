//! Lines, or rows of a table, in any order.

use std::collections::BTreeMap;

use super::align::Op;
use super::line::Shape;
use crate::vary::Renaming;

/// How many steps the search may take before it gives up, and with how many lines whose names
/// could go either way it begins at all.
const MAX_STEPS: usize = 100_000;
const MAX_OPEN: usize = 500;

/// The measured lines by their fixed text, those that are still free.
struct Free<'a> {
    by_key: BTreeMap<&'a str, Vec<usize>>,
    taken: Vec<bool>,
}

impl<'a> Free<'a> {
    /// All of them.
    fn of(measured: &'a [Shape]) -> Free<'a> {
        let mut by_key: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, shape) in measured.iter().enumerate() {
            by_key.entry(&shape.key).or_default().push(at);
        }
        for lines in by_key.values_mut() {
            lines.reverse();
        }
        Free { by_key, taken: vec![false; measured.len()] }
    }

    /// Takes the first free line of a text.
    fn first(&mut self, key: &str) -> Option<usize> {
        let lines = self.by_key.get_mut(key)?;
        while let Some(at) = lines.pop() {
            if !std::mem::replace(&mut self.taken[at], true) {
                return Some(at);
            }
        }
        None
    }

    /// The free lines of a text, in order.
    fn all(&self, key: &str) -> Vec<usize> {
        let lines = self.by_key.get(key).into_iter().flatten().rev();
        lines.copied().filter(|at| !self.taken[*at]).collect()
    }
}

/// The alignment that makes both equal: every printed line is measured once, and every measured
/// line is printed unless an elision stands for the rest.
pub(super) fn exact(
    printed: &[Option<Shape>],
    measured: &[Shape],
    names: &mut Renaming,
) -> Option<Vec<Op>> {
    let lines = printed.iter().flatten().count();
    let has_gap = lines < printed.len();
    if lines > measured.len() || (!has_gap && lines < measured.len()) {
        return None;
    }
    let start = names.mark();
    let mut search = Search { printed, measured, names, free: Free::of(measured), steps: 0 };
    // Lines that hold names come first: they take what they need, the others what is left. Both
    // sorts never share a text.
    let open: Vec<usize> = search.lines(|shape| !shape.is_free());
    let mut chosen = vec![None; printed.len()];
    let mut found = if open.len() > MAX_OPEN {
        search.greedy(&open, &mut chosen)
    } else {
        search.assign(&open, &mut chosen)
    };
    for at in search.lines(Shape::is_free) {
        let Some(shape) = &printed[at] else { continue };
        chosen[at] = search.free.first(&shape.key);
        found &= chosen[at].is_some();
    }
    if !found {
        names.undo_to(start);
        return None;
    }
    Some(ops(printed, measured, &chosen))
}

/// The search for exact partners.
struct Search<'a> {
    printed: &'a [Option<Shape>],
    measured: &'a [Shape],
    names: &'a mut Renaming,
    free: Free<'a>,
    steps: usize,
}

impl Search<'_> {
    /// The indices of the printed lines of one sort.
    fn lines(&self, wanted: impl Fn(&Shape) -> bool) -> Vec<usize> {
        let fits = |at: &usize| self.printed[*at].as_ref().is_some_and(&wanted);
        (0..self.printed.len()).filter(fits).collect()
    }

    /// Finds a partner for each open line, with backtracking.
    fn assign(&mut self, open: &[usize], chosen: &mut [Option<usize>]) -> bool {
        let Some((first, rest)) = open.split_first() else { return true };
        let Some(shape) = &self.printed[*first] else { return false };
        for candidate in self.free.all(&shape.key) {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return false;
            }
            let mark = self.names.mark();
            if shape.matches(&self.measured[candidate], self.names) {
                self.free.taken[candidate] = true;
                chosen[*first] = Some(candidate);
                if self.assign(rest, chosen) {
                    return true;
                }
                self.free.taken[candidate] = false;
            }
            self.names.undo_to(mark);
        }
        false
    }

    /// Takes for each open line the first partner that fits.
    fn greedy(&mut self, open: &[usize], chosen: &mut [Option<usize>]) -> bool {
        open.iter().all(|at| {
            chosen[*at] = self.one(*at);
            chosen[*at].is_some()
        })
    }

    /// The first partner that fits a line.
    fn one(&mut self, at: usize) -> Option<usize> {
        let shape = self.printed[at].as_ref()?;
        let found = self.free.all(&shape.key).into_iter().find(|candidate| {
            let mark = self.names.mark();
            let fits = shape.matches(&self.measured[*candidate], self.names);
            if !fits {
                self.names.undo_to(mark);
            }
            fits
        })?;
        self.free.taken[found] = true;
        Some(found)
    }
}

/// The alignment with as many equal lines as are found; what is left over is paired by `pair`,
/// then in order.
pub(super) fn nearest(
    printed: &[Option<Shape>],
    measured: &[Shape],
    names: &mut Renaming,
    pair: &mut dyn FnMut(usize, usize, &mut Renaming) -> bool,
) -> Vec<Op> {
    let free = Free::of(measured);
    let mut search = Search { printed, measured, names, free, steps: 0 };
    let chosen: Vec<Option<usize>> = (0..printed.len()).map(|at| search.one(at)).collect();
    let taken = search.free.taken;
    let mut left: Vec<usize> = (0..measured.len()).filter(|at| !taken[*at]).collect();
    let mut partners: BTreeMap<usize, usize> = BTreeMap::new();
    for at in (0..printed.len()).filter(|at| printed[*at].is_some() && chosen[*at].is_none()) {
        if let Some(found) = left.iter().position(|m| pair(at, *m, names)) {
            partners.insert(at, left.remove(found));
        }
    }
    let has_gap = printed.iter().any(Option::is_none);
    let mut ops = Vec::new();
    let mut rest = left.into_iter();
    for (at, shape) in printed.iter().enumerate() {
        match (shape, chosen[at]) {
            (None, _) => ops.push(Op::Gap { printed: at, lines: 0 }),
            (_, Some(measured)) => ops.push(Op::Same { printed: at, measured }),
            (_, None) => {
                ops.push(Op::Removed { printed: at });
                // An elision stands for whatever has no line of its own.
                let other = partners.get(&at).copied();
                let other = if has_gap { other } else { other.or_else(|| rest.next()) };
                ops.extend(other.map(|measured| Op::Added { measured }));
            }
        }
    }
    if !has_gap {
        ops.extend(rest.map(|measured| Op::Added { measured }));
    }
    ops
}

/// An exact assignment as steps; the last elision stands for all the rest.
fn ops(printed: &[Option<Shape>], measured: &[Shape], chosen: &[Option<usize>]) -> Vec<Op> {
    let mut rest = measured.len() - chosen.iter().flatten().count();
    let step = |(at, chosen): (usize, &Option<usize>)| match chosen {
        Some(measured) => Op::Same { printed: at, measured: *measured },
        None => Op::Gap { printed: at, lines: std::mem::take(&mut rest) },
    };
    debug_assert_eq!(printed.len(), chosen.len());
    chosen.iter().enumerate().map(step).collect()
}
