//! Formulas: LaTeX to MathML, which browsers draw without script or font of ours.

use std::ops::Range;

use pulldown_latex::config::{DisplayMode, RenderConfig};
use pulldown_latex::{Parser, Storage, push_mathml};

use super::escape::escape;
use super::walk::Walk;
use crate::diag::Diagnostic;

/// A formula above this many bytes is refused, so that the time is bounded.
const LONGEST: usize = 16 * 1024;

impl Walk<'_> {
    /// A formula in running text, or on a line of its own.
    pub(super) fn formula(&mut self, tex: &str, block: bool, range: &Range<usize>) {
        match mathml(tex, block) {
            Ok(math) if block => {
                self.push(&format!("<span class=\"formula\" tabindex=\"0\">{math}</span>"));
            }
            Ok(math) => self.push(&math),
            Err(message) => {
                let finding = Diagnostic::error("MA001", format!("formula: {message}"));
                let hint = "write `\\$` for a dollar sign that is none";
                self.report(finding.hint(hint), range.clone());
                self.push(&format!("<code>{}</code>", escape(tex)));
            }
        }
    }
}

/// The MathML of a formula.
///
/// # Errors
/// What is wrong with it.
fn mathml(tex: &str, block: bool) -> Result<String, String> {
    if tex.len() > LONGEST {
        return Err(format!("longer than {} KB", LONGEST / 1024));
    }
    let storage = Storage::new();
    let events: Vec<_> = Parser::new(tex, &storage).collect();
    if let Some(Err(error)) = events.iter().find(|event| event.is_err()) {
        let text = error.to_string();
        return Err(text.lines().next().unwrap_or("cannot be read").to_owned());
    }
    let display_mode = if block { DisplayMode::Block } else { DisplayMode::Inline };
    let mut out = String::new();
    let config = RenderConfig { display_mode, ..RenderConfig::default() };
    push_mathml(&mut out, events.into_iter(), config).map_err(|error| error.to_string())?;
    Ok(without_styles(&out))
}

/// The markup with `style=` taken out of every tag: colours become attributes of MathML, a border
/// a class; the rest is spacing that browsers do without.
fn without_styles(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(open) = rest.find('<') {
        let end = rest[open..].find('>').map_or(rest.len(), |end| open + end + 1);
        out.push_str(&rest[..open]);
        out.push_str(&tag_without_style(&rest[open..end]));
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// One tag.
fn tag_without_style(tag: &str) -> String {
    let key = " style=\"";
    let Some(at) = tag.find(key) else { return tag.to_owned() };
    let value = &tag[at + key.len()..];
    let end = value.find('"').unwrap_or(value.len());
    let after = value.get(end + 1..).unwrap_or("");
    let attributes: String = value[..end].split(';').filter_map(attribute).collect();
    format!("{}{attributes}{after}", &tag[..at])
}

/// A declaration as an attribute of MathML.
fn attribute(declaration: &str) -> Option<String> {
    let (name, value) = declaration.split_once(':')?;
    let colour = || {
        let inner = value.trim().strip_prefix("rgb(")?.strip_suffix(')')?;
        let parts: Vec<u8> = inner.split(' ').filter_map(|part| part.parse().ok()).collect();
        let [r, g, b] = parts[..] else { return None };
        Some(format!("#{r:02x}{g:02x}{b:02x}"))
    };
    match name.trim() {
        "color" => Some(format!(" mathcolor=\"{}\"", colour()?)),
        "background-color" => Some(format!(" mathbackground=\"{}\"", colour()?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_hold_no_inline_style() {
        let math = mathml(r"\color{red} x^2 + \frac{1}{n}\! y < z", false).expect("formula");
        assert!(math.starts_with("<math"), "{math}");
        assert!(math.contains("mathcolor=\"#ff0000\"") && math.contains("<mfrac"), "{math}");
        assert!(!math.contains("style=\""), "{math}");
        let block = mathml(r"\sum_{i=1}^n i", true).expect("formula");
        assert!(block.contains("display=\"block\""), "{block}");
    }

    #[test]
    fn a_formula_that_cannot_be_read_is_an_error() {
        assert!(mathml(r"\frac{1}{", false).is_err());
        assert!(mathml(r"\notacommand", false).is_err());
    }
}
