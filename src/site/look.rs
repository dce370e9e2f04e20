//! `[theme]` of `book.toml`: fonts and custom properties that a site sets without a style sheet of
//! its own. They become one more sheet behind the theme's.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::{contrast, font};
use crate::address::encode;
use crate::config::{BOOK_TOML, Config, ThemeTable};
use crate::diag::{Checked, Diagnostic, nearest};
use crate::source::Sources;

/// Where the sheet is published.
pub(super) const SHEET: &str = "labdoc-theme.css";

/// The theme's own sheet, which says which properties there are.
const BASE: &str = "labdoc.css";

/// The version of what templates see and sheets may set.
const API: u32 = 1;

/// The family under which the site's own font is known.
const FAMILY: &str = "labdoc site";

/// Endings of font files with their names in a sheet.
const FORMATS: &[(&str, &str)] =
    &[("woff2", "woff2"), ("woff", "woff"), ("ttf", "truetype"), ("otf", "opentype")];

/// Custom properties by name, without the two dashes.
pub(super) type Properties = BTreeMap<String, String>;

/// The sheet that `[theme]` asks for, if it asks for anything.
pub(super) fn sheet(
    files: &BTreeMap<String, Vec<u8>>,
    config: &Config,
    sources: &Sources,
) -> Checked<Option<String>> {
    let theme = &config.file.theme;
    let base = files.get(BASE).map(|bytes| String::from_utf8_lossy(bytes)).unwrap_or_default();
    let light = properties(&base, ":root {");
    let dark = properties(&base, ":root[data-theme=\"dark\"] {");
    let mut faults = Vec::new();
    if let Some(api) = theme.api.filter(|api| *api != API) {
        let message = format!("theme interface {api} is not known; this labdoc has {API}");
        faults.push((Diagnostic::error("CF005", message), "api"));
    }
    let known: BTreeSet<&str> = light.keys().chain(dark.keys()).map(String::as_str).collect();
    let own = theme.light.iter().chain(&theme.dark);
    faults.extend(own.filter_map(|pair| property_fault(pair, &known)));
    let fonts = [&theme.font, &theme.font_bold].into_iter().flatten();
    faults.extend(fonts.filter_map(|path| Some((font_fault(files, path)?, path.as_str()))));
    if theme.font.is_none() && theme.font_bold.is_some() {
        faults.push((Diagnostic::error("CF007", "`font_bold` without `font`"), "font_bold"));
    }
    for (defaults, own) in [(&light, &theme.light), (&dark, &theme.dark)] {
        let all: Properties = light.iter().chain(defaults).chain(own).map(pair).collect();
        faults.extend(contrast::faults(&all, own).into_iter().filter_map(|fault| {
            let finding = Diagnostic::warning("CF008", fault.message);
            let (name, _) = own.get_key_value(&fault.name)?;
            Some((finding.hint("4.5 is the least for text (WCAG 2.2 AA)"), name.as_str()))
        }));
    }
    let place = |(finding, text): (Diagnostic, &str)| match config.place(sources, "[theme", text) {
        Some(place) => finding.at(place),
        None => finding.in_file(BOOK_TOML, None),
    };
    let variable = theme.font.as_ref().and_then(|path| files.get(path));
    let variable = variable.is_some_and(|bytes| font::is_variable(bytes));
    let sans = light.get("sans").map(String::as_str);
    let asked = theme.font.is_some() || !theme.light.is_empty() || !theme.dark.is_empty();
    Checked {
        value: asked.then(|| written(theme, sans, variable)),
        diagnostics: faults.into_iter().map(place).collect(),
    }
}

/// What is wrong with a property that the site sets, and the text of `book.toml` to point at.
fn property_fault<'t>(
    (name, value): (&'t String, &'t String),
    known: &BTreeSet<&str>,
) -> Option<(Diagnostic, &'t str)> {
    if !known.contains(name.as_str()) {
        let message = format!("`{name}` is no custom property of the theme");
        let near = nearest(name, known.iter().copied());
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("they stand at the top of {BASE}, there with `--`"),
        };
        return Some((Diagnostic::error("CF006", message).hint(hint), name));
    }
    let message = format!("`{value}` cannot be the value of a custom property");
    let hint = "a colour such as #0b5fa5, a length, or names of fonts";
    let finding = || Diagnostic::error("CF006", message).hint(hint);
    (!is_value(value)).then(|| (finding(), value.as_str()))
}

/// A pair of its own.
fn pair((name, value): (&String, &String)) -> (String, String) {
    (name.clone(), value.clone())
}

/// The custom properties of the first rule that begins so.
fn properties(css: &str, rule: &str) -> Properties {
    let Some(body) = css.split(rule).nth(1).and_then(|rest| rest.split('}').next()) else {
        return Properties::new();
    };
    let declaration = |part: &str| {
        let (name, value) = part.trim().strip_prefix("--")?.split_once(':')?;
        Some((name.trim().to_owned(), value.trim().to_owned()))
    };
    body.split(';').filter_map(declaration).collect()
}

/// Whether a text can be a value, and only a value: it ends no rule and loads nothing.
fn is_value(value: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || " #%(),./+-_'\"".contains(c);
    let even = |quote: char| value.matches(quote).count().is_multiple_of(2);
    let depth = value.chars().try_fold(0_u32, |depth, c| match c {
        '(' => Some(depth + 1),
        ')' => depth.checked_sub(1),
        _ => Some(depth),
    });
    let loads = value.to_ascii_lowercase().contains("url(");
    !value.trim().is_empty()
        && value.chars().all(fits)
        && even('"')
        && even('\'')
        && depth == Some(0)
        && !loads
        && !value.contains("/*")
}

/// The format of a font file by its ending.
fn format_of(path: &str) -> Option<&'static str> {
    let ending = path.rsplit('.').next()?.to_ascii_lowercase();
    FORMATS.iter().find(|(known, _)| *known == ending).map(|(_, format)| *format)
}

/// What is wrong with the path of a font.
fn font_fault(files: &BTreeMap<String, Vec<u8>>, path: &str) -> Option<Diagnostic> {
    if format_of(path).is_none() {
        let finding = Diagnostic::error("CF007", format!("{path} is no font file"));
        return Some(finding.hint("its name ends in .woff2, .woff, .ttf or .otf"));
    }
    if files.contains_key(path) {
        return None;
    }
    let finding = Diagnostic::error("CF007", format!("static/{path} does not exist"));
    let fonts = files.keys().map(String::as_str).filter(|name| format_of(name).is_some());
    Some(match nearest(path, fonts) {
        Some(near) => finding.hint(format!("did you mean {near}?")),
        None => finding.hint("put the font file below static/; the path is meant from there"),
    })
}

/// The text of the sheet. `variable` says that the one font file holds all weights; of a file that
/// holds one, the browser makes bold letters itself.
fn written(theme: &ThemeTable, sans: Option<&str>, variable: bool) -> String {
    let mut out = "/* [theme] of book.toml */\n".to_owned();
    let mut face = |path: &str, weight: &str| {
        let format = format_of(path).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "@font-face {{ font-family: \"{FAMILY}\"; src: url(\"{}\") format(\"{format}\"); \
             font-weight: {weight}; font-display: swap }}",
            encode(path)
        );
    };
    match (&theme.font, &theme.font_bold) {
        (Some(font), Some(bold)) => {
            face(font, "400");
            face(bold, "700");
        }
        (Some(font), None) => face(font, if variable { "100 900" } else { "400" }),
        _ => {}
    }
    let mut light = theme.light.clone();
    if theme.font.is_some() {
        let rest = light.get("sans").map_or(sans.unwrap_or("sans-serif"), String::as_str);
        light.insert("sans".to_owned(), format!("\"{FAMILY}\", {rest}"));
    }
    rule(&mut out, ":root", &light);
    if !theme.dark.is_empty() {
        rule(&mut out, ":root[data-theme=\"dark\"]", &theme.dark);
        out.push_str("@media screen and (prefers-color-scheme: dark) {\n");
        rule(&mut out, ":root:not([data-theme=\"light\"])", &theme.dark);
        out.push_str("}\n");
    }
    out
}

/// One rule that sets properties; none for none.
fn rule(out: &mut String, selector: &str, properties: &Properties) {
    if properties.is_empty() {
        return;
    }
    let all: Vec<String> =
        properties.iter().map(|(name, value)| format!("--{name}: {value}")).collect();
    let _ = writeln!(out, "{selector} {{ {} }}", all.join("; "));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_ends_no_rule_and_loads_nothing() {
        for good in ["#0b5fa5", "rgb(1 2 3 / .5)", "\"Corp Sans\", sans-serif", "46rem"] {
            assert!(is_value(good), "{good}");
        }
        for bad in ["", "red; }", "url(x.png)", "URL( x )", "a/*b", "\"x", "a)b(", "x\n", "<b>"] {
            assert!(!is_value(bad), "{bad}");
        }
    }

    #[test]
    fn properties_are_read_from_the_sheet() {
        let css = "/* x */\n:root {\n  color-scheme: light;\n  --paper: #fff; --ink: #000;\n}\n:root[data-theme=\"dark\"] { --paper: #111 }\n";
        let light = properties(css, ":root {");
        assert_eq!(light.get("paper").map(String::as_str), Some("#fff"));
        assert_eq!(light.len(), 2);
        assert_eq!(properties(css, ":root[data-theme=\"dark\"] {").len(), 1);
    }
}
