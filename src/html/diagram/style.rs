//! The style sheet inside a drawing, read so far as merman writes it: selectors of classes,
//! elements, ids and attributes with descendants and children. What it says about an element is
//! worked out at build time, as the page may hold no style sheet of its own.

use std::collections::BTreeMap;

use roxmltree::Node;

/// The declarations of an element by property.
pub(super) type Declarations = BTreeMap<String, String>;

/// A style sheet.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    rules: Vec<Rule>,
}

/// One selector with its declarations.
#[derive(Debug)]
struct Rule {
    /// Compounds from left to right, each with what joins it to the one before.
    steps: Vec<(Joint, Vec<Simple>)>,
    /// Ids, then classes and attributes, then elements.
    weight: (usize, usize, usize),
    declarations: Vec<Declaration>,
}

/// One declaration.
#[derive(Clone, Debug)]
struct Declaration {
    property: String,
    value: String,
    important: bool,
}

/// How two compounds are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Joint {
    Descendant,
    Child,
}

/// One simple selector.
#[derive(Debug)]
enum Simple {
    Any,
    Element(String),
    Class(String),
    Id(String),
    /// Name, operator, value.
    Attribute(String, String, String),
    Not(Vec<Simple>),
    Root,
    /// A pseudo-class that is not known matches nothing.
    Never,
}

impl Sheet {
    /// Reads a style sheet; rules in at-rules are left out.
    pub(super) fn parse(css: &str) -> Sheet {
        let css = without_comments(css);
        let mut sheet = Sheet::default();
        let mut rest = css.as_str();
        while let Some(open) = rest.find('{') {
            let head = rest[..open].trim();
            let end = block_end(rest, open);
            let body = rest.get(open + 1..end.saturating_sub(1)).unwrap_or("");
            if !head.starts_with('@') {
                let declarations = declarations(body);
                for selector in split_top(head, ',') {
                    sheet.rules.extend(rule(selector.trim(), &declarations));
                }
            }
            rest = &rest[end..];
        }
        sheet
    }

    /// What holds for an element: the rules by weight and order, then its own `style`.
    pub(super) fn of(&self, node: Node<'_, '_>) -> Declarations {
        let mut found: Vec<&Rule> = self.rules.iter().filter(|rule| rule.matches(node)).collect();
        found.sort_by_key(|rule| rule.weight);
        let own = declarations(node.attribute("style").unwrap_or(""));
        let all = found.iter().flat_map(|rule| &rule.declarations).chain(&own);
        let mut out = Declarations::new();
        for important in [false, true] {
            for one in all.clone().filter(|one| one.important == important) {
                out.insert(one.property.clone(), one.value.clone());
            }
        }
        out
    }
}

/// The text without comments.
fn without_comments(css: &str) -> String {
    let mut out = String::with_capacity(css.len());
    let mut rest = css;
    while let Some(at) = rest.find("/*") {
        out.push_str(&rest[..at]);
        rest = rest[at..].find("*/").map_or("", |end| &rest[at + end + 2..]);
    }
    out.push_str(rest);
    out
}

/// Where the block that opens at `open` ends.
fn block_end(css: &str, open: usize) -> usize {
    let mut depth = 0;
    for (at, c) in css[open..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return open + at + 1;
        }
    }
    css.len()
}

/// The declarations of a block or an attribute.
fn declarations(body: &str) -> Vec<Declaration> {
    split_top(body, ';')
        .into_iter()
        .filter_map(|one| {
            let (property, value) = one.split_once(':')?;
            let value = value.trim();
            let plain = value.strip_suffix("!important").map(str::trim_end);
            Some(Declaration {
                property: property.trim().to_ascii_lowercase(),
                value: plain.unwrap_or(value).to_owned(),
                important: plain.is_some(),
            })
        })
        .collect()
}

/// The parts of a text between separators that stand outside brackets and quotes.
fn split_top(text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut from, mut quote) = (0_i32, 0, None);
    for (at, c) in text.char_indices() {
        match c {
            c if quote == Some(c) => quote = None,
            _ if quote.is_some() => {}
            '"' | '\'' => quote = Some(c),
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            c if c == separator && depth == 0 => {
                parts.push(&text[from..at]);
                from = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

/// One selector as a rule.
fn rule(selector: &str, declarations: &[Declaration]) -> Option<Rule> {
    let mut steps = Vec::new();
    let mut joint = Joint::Descendant;
    let spaced = selector.replace('>', " > ");
    for word in split_top(&spaced, ' ').into_iter().filter(|word| !word.is_empty()) {
        if word == ">" {
            joint = Joint::Child;
            continue;
        }
        steps.push((joint, compound(word)));
        joint = Joint::Descendant;
    }
    if steps.is_empty() {
        return None;
    }
    let mut weight = (0, 0, 0);
    for simple in steps.iter().flat_map(|(_, compound)| compound) {
        add_weight(simple, &mut weight);
    }
    Some(Rule { steps, weight, declarations: declarations.to_vec() })
}

/// Adds what a simple selector weighs.
fn add_weight(simple: &Simple, weight: &mut (usize, usize, usize)) {
    match simple {
        Simple::Any | Simple::Never => {}
        Simple::Id(_) => weight.0 += 1,
        Simple::Class(_) | Simple::Attribute(..) | Simple::Root => weight.1 += 1,
        Simple::Element(_) => weight.2 += 1,
        Simple::Not(inner) => inner.iter().for_each(|simple| add_weight(simple, weight)),
    }
}

/// The simple selectors of a compound.
fn compound(word: &str) -> Vec<Simple> {
    let mut out = Vec::new();
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let body = &rest[first.len_utf8()..];
        let stops = |c: char| matches!(c, '.' | '#' | '[' | ':' | '*');
        let (simple, length) = match first {
            '*' => (Simple::Any, 1),
            '.' | '#' => {
                let end = body.find(stops).unwrap_or(body.len());
                let name = body[..end].replace('\\', "");
                (if first == '.' { Simple::Class(name) } else { Simple::Id(name) }, 1 + end)
            }
            '[' => {
                let end = body.find(']').unwrap_or(body.len());
                (attribute(&body[..end]), (end + 2).min(rest.len()))
            }
            ':' => pseudo(rest),
            _ => {
                let end = rest.find(stops).unwrap_or(rest.len());
                (Simple::Element(rest[..end].to_owned()), end)
            }
        };
        out.push(simple);
        rest = &rest[length..];
    }
    out
}

/// `name`, `name="x"`, `name*="x"` and the like.
fn attribute(inner: &str) -> Simple {
    let at = inner.find(['=', '*', '^', '$', '~', '|']).unwrap_or(inner.len());
    let (name, rest) = inner.split_at(at);
    let (operator, value) = rest.split_once('=').unwrap_or((rest, ""));
    let operator = if rest.is_empty() { "" } else { &format!("{operator}=") };
    let value = value.trim_matches(['"', '\'', ' ']);
    Simple::Attribute(name.trim().to_owned(), operator.to_owned(), value.to_owned())
}

/// A pseudo-class at the start of `rest`, and its length.
fn pseudo(rest: &str) -> (Simple, usize) {
    if let Some(body) = rest.strip_prefix(":not(") {
        let end = body.find(')').unwrap_or(body.len());
        return (Simple::Not(compound(body[..end].trim())), (5 + end + 1).min(rest.len()));
    }
    if let Some(after) = rest.strip_prefix(":root") {
        return (Simple::Root, rest.len() - after.len());
    }
    (Simple::Never, rest.len())
}

impl Rule {
    /// Whether it holds for an element.
    fn matches(&self, node: Node<'_, '_>) -> bool {
        let Some(((joint, last), before)) = self.steps.split_last() else { return false };
        last.iter().all(|simple| simple.matches(node)) && ancestors(before, *joint, node)
    }
}

/// Whether the compounds to the left of a matched one match too.
fn ancestors(steps: &[(Joint, Vec<Simple>)], joint: Joint, node: Node<'_, '_>) -> bool {
    let Some(((next, last), before)) = steps.split_last() else { return true };
    let mut above = node.parent_element();
    while let Some(parent) = above {
        let here = last.iter().all(|simple| simple.matches(parent));
        if here && ancestors(before, *next, parent) {
            return true;
        }
        if joint == Joint::Child {
            return false;
        }
        above = parent.parent_element();
    }
    false
}

impl Simple {
    /// Whether it holds for an element.
    fn matches(&self, node: Node<'_, '_>) -> bool {
        match self {
            Simple::Any => true,
            Simple::Never => false,
            Simple::Root => node.parent_element().is_none(),
            Simple::Element(name) => node.tag_name().name() == name,
            Simple::Id(id) => node.attribute("id") == Some(id),
            Simple::Class(class) => node
                .attribute("class")
                .is_some_and(|classes| classes.split_whitespace().any(|one| one == class)),
            Simple::Not(inner) => !inner.iter().all(|simple| simple.matches(node)),
            Simple::Attribute(name, operator, value) => {
                let Some(found) = node.attribute(name.as_str()) else { return false };
                match operator.as_str() {
                    "" => true,
                    "=" => found == value,
                    "^=" => found.starts_with(value.as_str()),
                    "$=" => found.ends_with(value.as_str()),
                    "*=" => found.contains(value.as_str()),
                    "~=" => found.split_whitespace().any(|one| one == value),
                    _ => false,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The declarations of the element with id `x`.
    fn check(css: &str, expect: &str) {
        let svg = "<svg id='m' class='flow'><g class='node hot'><rect id='x' class='a-b' \
                   style='stroke:red;fill:blue !important'/></g></svg>";
        let document = roxmltree::Document::parse(svg).expect("xml");
        let node = document.descendants().find(|n| n.attribute("id") == Some("x")).expect("x");
        let got: Vec<String> =
            Sheet::parse(css).of(node).iter().map(|(p, v)| format!("{p}:{v}")).collect();
        assert_eq!(got.join(";"), expect, "{css}");
    }

    #[test]
    fn weight_order_and_importance_decide() {
        check("#m .node rect{opacity:1} rect{opacity:.5}", "fill:blue;opacity:1;stroke:red");
        check("rect{stroke:green!important;fill:green!important}", "fill:blue;stroke:green");
        check("#m>.node>rect{rx:1} #m>rect{rx:2}", "fill:blue;rx:1;stroke:red");
        check(".hot .a-b:not(.c){rx:3} .a-b:not(.a-b){rx:4}", "fill:blue;rx:3;stroke:red");
        check("[class*=\"a-\"]{rx:5} rect:hover{rx:6}", "fill:blue;rx:5;stroke:red");
        check("@keyframes d{from{rx:7}} /* rect{rx:8} */", "fill:blue;stroke:red");
    }
}
