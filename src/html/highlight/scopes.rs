//! From the scopes of a grammar to short classes.
//!
//! | class | meaning | class | meaning |
//! |---|---|---|---|
//! | `k` | keyword | `p` | punctuation that carries meaning |
//! | `s` | string | `e` | invalid |
//! | `c` | comment | `i` | inserted |
//! | `n` | function, command | `x` | deleted |
//! | `d` | number, constant | `h` | heading, section |
//! | `v` | variable | `q` | escape in a string |
//! | `o` | operator, option | `b` | strong |
//! | `t` | type, tag | `m` | annotation, macro |
//! | `a` | attribute, key | `r` | link, address |
//!
//! Beside them `g` (prompt), `u` (output), `l` (line), `mark`, `numbered` come from other files.

use std::sync::LazyLock;

use syntect::parsing::Scope;

/// A class; empty for text that has none although what is around it has.
pub(super) type Class = &'static str;

/// The first row whose scope is a prefix decides; a scope without row leaves the class to what
/// is around it. Ordinary punctuation has no row: it would double the size of a page.
const TABLE: &[(&str, Class)] = &[
    ("comment", "c"),
    ("string.unquoted", ""),
    ("string.ipaddress.nginx", "d"),
    ("string", "s"),
    ("constant.character.escape", "q"),
    ("constant.other.placeholder", "q"),
    ("constant", "d"),
    ("keyword.directive", "n"),
    ("keyword.operator", "o"),
    ("keyword", "k"),
    ("storage.type.context", "k"),
    ("storage.type.numeric", "d"),
    ("storage.type.string", "s"),
    ("storage", "k"),
    ("entity.name.function", "n"),
    ("entity.name.tag.yaml", "a"),
    ("entity.name.tag.toml", "a"),
    ("entity.name.section", "h"),
    ("entity.name.table", "h"),
    ("entity.name.context", ""),
    ("entity.name.enum.tag-digest", "d"),
    ("entity.name", "t"),
    ("entity.other.attribute-name", "a"),
    ("entity.other.inherited-class", "t"),
    ("entity.other.document", "p"),
    ("meta.mapping.key", "a"),
    ("meta.interpolation", ""),
    ("punctuation.section.interpolation", "p"),
    ("punctuation.definition.block.sequence", "p"),
    ("support.function", "n"),
    ("support.macro", "m"),
    ("support.type.property-name", "a"),
    ("support.constant", "d"),
    ("support", "t"),
    ("variable.function", "n"),
    ("variable.annotation", "m"),
    ("variable.parameter.option", "o"),
    ("variable.language", "k"),
    ("variable.parameter", ""),
    ("variable.other.go", ""),
    ("variable", "v"),
    ("punctuation.definition.variable.shell", "v"),
    ("punctuation.section.expansion.parameter", "v"),
    ("invalid", "e"),
    ("markup.inserted", "i"),
    ("markup.deleted", "x"),
    ("markup.heading", "h"),
    ("markup.bold", "b"),
    ("markup.raw", "s"),
    ("markup.underline.link", "r"),
    ("meta.diff.header", "h"),
    ("meta.diff.range", "d"),
];

/// The table, built once.
static ROWS: LazyLock<Vec<(Scope, Class)>> = LazyLock::new(|| {
    TABLE.iter().filter_map(|(name, class)| Some((Scope::new(name).ok()?, *class))).collect()
});

/// The class of a scope.
pub(super) fn class_of(scope: Scope) -> Option<Class> {
    ROWS.iter().find(|(prefix, _)| prefix.is_prefix_of(scope)).map(|(_, class)| *class)
}
