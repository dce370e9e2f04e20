//! One printed line against one measured line.

use crate::vary::{Classes, Kind, Renaming};

/// A value of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    /// Name of its class.
    class: String,
    /// Whether it is a name or a quantity.
    kind: Kind,
    /// Its text.
    text: String,
}

/// A line as it is compared: what is fixed, and the values between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// The fixed text, each value replaced by its class; the key of the alignment.
    pub(super) key: String,
    /// The values in order.
    pub(super) values: Vec<Value>,
}

impl Shape {
    /// Takes a line apart.
    pub(super) fn of(text: &str, classes: &Classes) -> Shape {
        let found = if classes.is_empty() { Vec::new() } else { classes.find(text) };
        if found.is_empty() {
            return Shape { key: text.to_owned(), values: Vec::new() };
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
            values.push(Value { class: class.name.clone(), kind: class.kind, text });
        }
        key.push_str(&text[from..]);
        Shape { key: collapse_blanks(&key), values }
    }

    /// Whether the two lines are equal, binding names as they correspond. Bindings made before a
    /// mismatch stay; the caller undoes them.
    pub(super) fn matches(&self, measured: &Shape, names: &mut Renaming) -> bool {
        self.key == measured.key
            && self.values.iter().zip(&measured.values).all(|(printed, measured)| {
                printed.kind == Kind::Quantity
                    || names.bind(&printed.class, &printed.text, &measured.text)
            })
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

/// A measured line with the page's own names where the renaming knows them.
pub(super) fn rename_back(text: &str, classes: &Classes, names: &Renaming) -> String {
    let mut out = String::new();
    let mut from = 0;
    for found in classes.find(text) {
        let class = classes.class(found.class);
        let value = &text[found.range.clone()];
        out.push_str(&text[from..found.range.start]);
        let known = if class.kind == Kind::Name { names.printed(&class.name, value) } else { None };
        out.push_str(known.unwrap_or(value));
        from = found.range.end;
    }
    out.push_str(&text[from..]);
    out
}
