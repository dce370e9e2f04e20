//! Aligning printed lines with measured ones.

use super::line::Shape;
use crate::vary::Renaming;

/// One step of an alignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    /// The two lines are equal.
    Same {
        /// Index of the printed line.
        printed: usize,
        /// Index of the measured line.
        measured: usize,
    },
    /// An elision and how many measured lines it stands for.
    Gap {
        /// Index of the printed line.
        printed: usize,
        /// Number of measured lines.
        lines: usize,
    },
    /// A printed line that was not measured.
    Removed {
        /// Index of the printed line.
        printed: usize,
    },
    /// A measured line that is not printed.
    Added {
        /// Index of the measured line.
        measured: usize,
    },
}

/// How many steps the search for an exact match may take before it gives up; only pages with
/// many elisions and many names that could go either way come near.
const MAX_STEPS: usize = 200_000;

/// Largest table of the nearest alignment, in cells of four bytes.
const MAX_CELLS: usize = 4_000_000;

/// The alignment that makes the two texts equal, if there is one. `names` grows only then.
pub(super) fn exact(
    printed: &[Option<Shape>],
    measured: &[Shape],
    names: &mut Renaming,
) -> Option<Vec<Op>> {
    let start = names.mark();
    let mut search = Search { printed, measured, names, steps: 0 };
    let found = search.from(0, 0);
    if found.is_none() {
        names.undo_to(start);
    }
    found.map(|mut ops| {
        ops.reverse();
        ops
    })
}

/// A search with backtracking at elisions: names may force a later match than the first.
struct Search<'a> {
    printed: &'a [Option<Shape>],
    measured: &'a [Shape],
    names: &'a mut Renaming,
    steps: usize,
}

impl Search<'_> {
    /// Matches from a printed and a measured line on; the steps come back in reverse.
    fn from(&mut self, mut p: usize, mut m: usize) -> Option<Vec<Op>> {
        let start = self.names.mark();
        let mut taken = Vec::new();
        while let Some(Some(shape)) = self.printed.get(p) {
            self.steps += 1;
            let fits = self.measured.get(m).is_some_and(|line| shape.matches(line, self.names));
            if !fits || self.steps > MAX_STEPS {
                self.names.undo_to(start);
                return None;
            }
            taken.push(Op::Same { printed: p, measured: m });
            p += 1;
            m += 1;
        }
        let mut rest = if p == self.printed.len() {
            (m == self.measured.len()).then(Vec::new)
        } else {
            self.behind_gap(p, m)
        };
        match &mut rest {
            Some(ops) => ops.extend(taken.into_iter().rev()),
            None => self.names.undo_to(start),
        }
        rest
    }

    /// Matches an elision: the shortest run of lines behind which the rest fits.
    fn behind_gap(&mut self, gap: usize, m: usize) -> Option<Vec<Op>> {
        let last = gap + 1 == self.printed.len();
        let first = if last { self.measured.len().max(m) } else { m };
        for next in first..=self.measured.len() {
            if let Some(mut ops) = self.from(gap + 1, next) {
                ops.push(Op::Gap { printed: gap, lines: next - m });
                return Some(ops);
            }
        }
        None
    }
}

/// The alignment with the fewest differences, where there is no exact one.
pub(super) fn nearest(
    printed: &[Option<Shape>],
    measured: &[Shape],
    names: &mut Renaming,
) -> Vec<Op> {
    let head = common(printed.iter(), measured.iter());
    let tail = common(printed[head..].iter().rev(), measured[head..].iter().rev());
    let (p_end, m_end) = (printed.len() - tail, measured.len() - tail);
    let mut raw: Vec<Op> = (0..head).map(|i| Op::Same { printed: i, measured: i }).collect();
    let middle = middle(&printed[head..p_end], &measured[head..m_end]);
    raw.extend(middle.into_iter().map(|op| op.moved((head, head))));
    raw.extend((0..tail).map(|i| Op::Same { printed: p_end + i, measured: m_end + i }));
    bind(raw, printed, measured, names)
}

/// How many lines at the front of both are of one shape.
fn common<'a>(
    printed: impl Iterator<Item = &'a Option<Shape>>,
    measured: impl Iterator<Item = &'a Shape>,
) -> usize {
    let same = |(p, m): &(&Option<Shape>, &Shape)| p.as_ref().is_some_and(|p| p.key == m.key);
    printed.zip(measured).take_while(same).count()
}

impl Op {
    /// The same step with its indices moved.
    pub(super) fn moved(self, (p, m): (usize, usize)) -> Op {
        match self {
            Op::Same { printed, measured } => {
                Op::Same { printed: printed + p, measured: measured + m }
            }
            Op::Gap { printed, lines } => Op::Gap { printed: printed + p, lines },
            Op::Removed { printed } => Op::Removed { printed: printed + p },
            Op::Added { measured } => Op::Added { measured: measured + m },
        }
    }

    /// Two equal lines as two that differ; other steps as they are.
    pub(super) fn into_drifted(self) -> Vec<Op> {
        match self {
            Op::Same { printed, measured } => {
                vec![Op::Removed { printed }, Op::Added { measured }]
            }
            other => vec![other],
        }
    }
}

/// The middle part, where the texts begin to differ.
fn middle(printed: &[Option<Shape>], measured: &[Shape]) -> Vec<Op> {
    if (printed.len() + 1).saturating_mul(measured.len() + 1) > MAX_CELLS {
        return coarse(printed, measured);
    }
    walk(&costs(printed, measured), printed, measured)
}

/// The alignment of long texts, by a diff that needs no table. Elisions stay where they stand and
/// absorb nothing, so a refresh keeps them.
fn coarse(printed: &[Option<Shape>], measured: &[Shape]) -> Vec<Op> {
    let wanted: Vec<Option<&str>> =
        printed.iter().map(|shape| shape.as_ref().map(|shape| shape.key.as_str())).collect();
    let got: Vec<Option<&str>> = measured.iter().map(|shape| Some(shape.key.as_str())).collect();
    let mut ops = Vec::with_capacity(printed.len().max(measured.len()));
    for op in similar::capture_diff_slices(similar::Algorithm::Myers, &wanted, &got) {
        let (tag, old, new) = op.as_tag_tuple();
        if tag == similar::DiffTag::Equal {
            ops.extend(old.zip(new).map(|(printed, measured)| Op::Same { printed, measured }));
            continue;
        }
        ops.extend(old.map(|at| match printed[at] {
            Some(_) => Op::Removed { printed: at },
            None => Op::Gap { printed: at, lines: 0 },
        }));
        ops.extend(new.map(|measured| Op::Added { measured }));
    }
    ops
}

/// `costs[p][m]`: the fewest differences between the lines from `p` and from `m` on.
fn costs(printed: &[Option<Shape>], measured: &[Shape]) -> Vec<Vec<u32>> {
    let (rows, columns) = (printed.len(), measured.len());
    let mut table = vec![vec![0u32; columns + 1]; rows + 1];
    for p in (0..=rows).rev() {
        for m in (0..=columns).rev() {
            table[p][m] = cost(&table, printed, measured, (p, m));
        }
    }
    table
}

/// One cell: an elision absorbs for nothing, another line for one, a drifted pair counts once.
fn cost(
    table: &[Vec<u32>],
    printed: &[Option<Shape>],
    measured: &[Shape],
    (p, m): (usize, usize),
) -> u32 {
    let more = m < measured.len();
    match printed.get(p) {
        None => u32::try_from(measured.len() - m).unwrap_or(u32::MAX),
        Some(None) if more => table[p + 1][m].min(table[p][m + 1]),
        Some(None) => table[p + 1][m],
        Some(Some(shape)) if more && shape.key == measured[m].key => table[p + 1][m + 1],
        Some(Some(_)) if more => 1 + table[p + 1][m + 1].min(table[p + 1][m]).min(table[p][m + 1]),
        Some(Some(_)) => 1 + table[p + 1][m],
    }
}

/// Follows the cheapest way; a drifted pair is preferred to a line lost in an elision.
fn walk(table: &[Vec<u32>], printed: &[Option<Shape>], measured: &[Shape]) -> Vec<Op> {
    let mut ops = Vec::new();
    let (mut p, mut m, mut absorbed) = (0, 0, 0);
    while p < printed.len() || m < measured.len() {
        let here = table[p][m];
        match printed.get(p) {
            None => {
                ops.push(Op::Added { measured: m });
                m += 1;
            }
            Some(None) => {
                if m < measured.len() && table[p + 1][m] > table[p][m + 1] {
                    (m, absorbed) = (m + 1, absorbed + 1);
                } else {
                    ops.push(Op::Gap { printed: p, lines: absorbed });
                    (p, absorbed) = (p + 1, 0);
                }
            }
            Some(Some(shape)) if m < measured.len() && shape.key == measured[m].key => {
                ops.push(Op::Same { printed: p, measured: m });
                (p, m) = (p + 1, m + 1);
            }
            Some(Some(_)) => {
                let more = m < measured.len();
                let pair = more && here == 1 + table[p + 1][m + 1];
                let remove = pair || !more || here == 1 + table[p + 1][m];
                if remove {
                    ops.push(Op::Removed { printed: p });
                    p += 1;
                }
                if pair || !remove {
                    ops.push(Op::Added { measured: m });
                    m += 1;
                }
            }
        }
    }
    ops
}

/// Binds the names of equal lines in order; where they contradict an earlier line, the line has
/// drifted after all.
fn bind(
    raw: Vec<Op>,
    printed: &[Option<Shape>],
    measured: &[Shape],
    names: &mut Renaming,
) -> Vec<Op> {
    let mut ops = Vec::with_capacity(raw.len());
    for op in raw {
        let Op::Same { printed: p, measured: m } = op else {
            ops.push(op);
            continue;
        };
        let mark = names.mark();
        if printed[p].as_ref().is_some_and(|shape| shape.matches(&measured[m], names)) {
            ops.push(op);
        } else {
            names.undo_to(mark);
            ops.extend(op.into_drifted());
        }
    }
    ops
}
