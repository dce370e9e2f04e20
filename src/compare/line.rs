//! One printed line, or row of a table, against one measured one.

use crate::vary::{Bound, Classes, Kind, Renaming};

/// A value of a line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Value {
    /// Name of its class.
    class: String,
    /// Whether it is a name or a quantity.
    kind: Kind,
    /// How far a quantity may be off.
    bound: Option<Bound>,
    /// Its text.
    text: String,
}

/// A line as it is compared: what is fixed, and the values between.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Shape {
    /// The fixed text, each value replaced by its class; the key of the alignment.
    pub(super) key: String,
    /// The values in order.
    values: Vec<Value>,
    /// Its line in the page; 0 where it has none.
    line: usize,
}

impl Shape {
    /// Takes a line apart; `line` is its number in the page, 0 where it has none.
    pub(super) fn of(text: &str, classes: &Classes, line: usize) -> Shape {
        let found = if classes.is_empty() { Vec::new() } else { classes.find(text) };
        if found.is_empty() {
            return Shape { key: text.to_owned(), values: Vec::new(), line };
        }
        let mut key = String::with_capacity(text.len());
        let mut values = Vec::with_capacity(found.len());
        let mut from = 0;
        for value in found {
            let class = classes.class(value.class);
            key.push_str(&text[from..value.range.start]);
            // A value of another width moves the columns behind it, so runs of blanks count as
            // one in a line that holds values. U+0000 cannot stand in a normalised line.
            key.push('\0');
            key.push_str(&class.name);
            key.push('\0');
            from = value.range.end;
            let text = text[value.range].to_owned();
            let bound = classes.within().bound(&class.name);
            values.push(Value { class: class.name.clone(), kind: class.kind, bound, text });
        }
        key.push_str(&text[from..]);
        Shape { key: collapse_blanks(&key), values, line }
    }

    /// A row of a table by its cells; U+0001 cannot stand in a normalised line.
    pub(super) fn of_cells(cells: &[&str], classes: &Classes, line: usize) -> Shape {
        let mut row = Shape { line, ..Shape::default() };
        for cell in cells {
            let shape = Shape::of(cell, classes, line);
            row.key.push_str(&shape.key);
            row.key.push('\u{1}');
            row.values.extend(shape.values);
        }
        row
    }

    /// Whether only its text can decide: it holds no name and no bounded quantity.
    pub(super) fn is_free(&self) -> bool {
        self.values.iter().all(|value| value.kind == Kind::Quantity && value.bound.is_none())
    }

    /// Whether it holds a name.
    pub(super) fn has_names(&self) -> bool {
        self.values.iter().any(|value| value.kind == Kind::Name)
    }

    /// Whether the two lines are equal, binding names as they correspond. Bindings made before a
    /// mismatch stay; the caller undoes them.
    pub(super) fn matches(&self, measured: &Shape, names: &mut Renaming) -> bool {
        self.key == measured.key
            && self
                .values
                .iter()
                .zip(&measured.values)
                .all(|(printed, measured)| printed.matches(measured, (names, self.line)))
    }

    /// Why two lines of one shape are not equal all the same.
    pub(super) fn conflicts(&self, measured: &Shape, names: &Renaming) -> Vec<String> {
        if self.key != measured.key {
            return Vec::new();
        }
        let pairs = self.values.iter().zip(&measured.values);
        pairs.filter_map(|(printed, measured)| printed.conflict(measured, names)).collect()
    }
}

impl Value {
    /// Whether a measured value can stand for this one.
    fn matches(&self, measured: &Value, (names, line): (&mut Renaming, usize)) -> bool {
        match self.kind {
            Kind::Quantity => {
                self.bound.is_none_or(|bound| bound.admits(&self.text, &measured.text))
            }
            Kind::Name => names.bind(&self.class, (&self.text, line), &measured.text),
        }
    }

    /// Why it cannot.
    fn conflict(&self, measured: &Value, names: &Renaming) -> Option<String> {
        match (self.kind, self.bound) {
            (Kind::Name, _) => names.conflict(&self.class, &self.text, &measured.text),
            (Kind::Quantity, Some(bound)) if !bound.admits(&self.text, &measured.text) => {
                let (class, old, new) = (&self.class, &self.text, &measured.text);
                Some(format!("{new} is not within {class}:{bound} of {old}"))
            }
            (Kind::Quantity, _) => None,
        }
    }
}

/// Runs of blanks as one blank.
fn collapse_blanks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if !(c == ' ' && out.ends_with(' ')) {
            out.push(c);
        }
    }
    out
}

/// A line with each name replaced by what `other` says for its class and text.
pub(super) fn renamed(
    text: &str,
    classes: &Classes,
    mut other: impl FnMut(&str, &str) -> Option<String>,
) -> String {
    let mut out = String::new();
    let mut from = 0;
    for found in classes.find(text) {
        let class = classes.class(found.class);
        let value = &text[found.range.clone()];
        out.push_str(&text[from..found.range.start]);
        let known = if class.kind == Kind::Name { other(&class.name, value) } else { None };
        out.push_str(known.as_deref().unwrap_or(value));
        from = found.range.end;
    }
    out.push_str(&text[from..]);
    out
}
