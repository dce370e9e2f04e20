//! Reading a condition: `NAME OP VALUE` or `ok(BLOCK)`.

use std::str::FromStr;

use super::expect::{Expect, Name, OPERATORS, Operator, Value};
use super::number::Decimal;
use crate::vary;

/// What is wrong with a condition, and the next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExpectFault {
    /// One sentence that quotes the wrong part.
    pub(crate) message: String,
    /// The next step.
    pub(crate) hint: String,
}

/// A fault with its next step.
fn fault(message: impl Into<String>, hint: impl Into<String>) -> ExpectFault {
    ExpectFault { message: message.into(), hint: hint.into() }
}

impl FromStr for Expect {
    type Err = ExpectFault;

    fn from_str(text: &str) -> Result<Expect, ExpectFault> {
        let text = text.trim();
        if let Some(inner) = text.strip_prefix("ok(") {
            return parse_ok(inner);
        }
        let (at, sign, operator) = find_operator(text)?;
        let left = text[..at].trim();
        let right = text[at + sign.len()..].trim();
        let name = Name::parse(left).filter(|name| name.path.contains('.')).ok_or_else(|| {
            fault(
                format!("`{left}` is no name of a captured value"),
                "write BLOCK.NAME, such as `flip.lost`, or T1#BLOCK.NAME",
            )
        })?;
        Ok(Expect::Compare(name, operator, parse_value(right, operator)?))
    }
}

/// Reads what follows `ok(`.
fn parse_ok(inner: &str) -> Result<Expect, ExpectFault> {
    let hint = "write ok(BLOCK), such as `ok(flip)`";
    let Some(block) = inner.strip_suffix(')') else {
        return Err(fault("`ok(` is not closed with `)`", hint));
    };
    let block = block.trim();
    match Name::parse(block).filter(|name| !name.path.contains('.')) {
        Some(name) => Ok(Expect::Ok(name)),
        None => Err(fault(format!("`{block}` is no block id"), hint)),
    }
}

/// Place, text and meaning of the first operator, outside of quotes.
fn find_operator(text: &str) -> Result<(usize, &'static str, Operator), ExpectFault> {
    let hint = "write NAME OP VALUE with ==, !=, <, <=, >, >= or ~, or ok(BLOCK)";
    let end = text.find('"').unwrap_or(text.len());
    let Some(at) = text[..end].find(['=', '!', '<', '>', '~']) else {
        return Err(fault(format!("`{text}` has no operator"), hint));
    };
    match OPERATORS.iter().find(|(sign, _)| text[at..].starts_with(sign)) {
        Some((sign, operator)) => Ok((at, sign, *operator)),
        None if text[at..].starts_with('=') => {
            Err(fault("`=` is no comparison", "write `==` for equal"))
        }
        None => Err(fault(format!("`{text}` has no operator that is known"), hint)),
    }
}

/// Reads the right side.
fn parse_value(text: &str, operator: Operator) -> Result<Value, ExpectFault> {
    if let Some(rest) = text.strip_prefix('"') {
        let inner = unquote(rest)?;
        return match operator {
            Operator::Matches => parse_pattern(&inner),
            Operator::Equal | Operator::Differs => Ok(Value::Text(inner)),
            _ => Err(fault(
                format!("a string such as {text} has no order"),
                "compare it with ==, != or ~, or write a number without quotes",
            )),
        };
    }
    if operator == Operator::Matches {
        let message = format!("`~` needs a regular expression in quotes, not `{text}`");
        return Err(fault(message, "write NAME ~ \"expression\""));
    }
    if Decimal::parse(text).is_some() {
        return Ok(Value::Number(text.to_owned()));
    }
    match Name::parse(text).filter(|name| name.path.contains('.')) {
        Some(name) => Ok(Value::Name(name)),
        None => Err(fault(
            format!("`{text}` is no number, no name and no quoted string"),
            "put a string in double quotes",
        )),
    }
}

/// The text of a quoted string behind its opening quote; the only escape is `\"`.
fn unquote(rest: &str) -> Result<String, ExpectFault> {
    let mut out = String::new();
    let mut chars = rest.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&'"') => out.extend(chars.next()),
            '"' if chars.peek().is_none() => return Ok(out),
            '"' => break,
            _ => out.push(c),
        }
    }
    let hint = "a quote inside is written \\\"";
    Err(fault(format!("the string \"{rest} does not end with its quote"), hint))
}

/// Compiles the expression behind `~`.
fn parse_pattern(pattern: &str) -> Result<Value, ExpectFault> {
    match vary::compile(pattern) {
        Ok(regex) => Ok(Value::Pattern(pattern.to_owned(), regex)),
        Err(reason) => Err(fault(
            format!("\"{pattern}\" is no regular expression: {reason}"),
            "see the syntax of Rust's crate regex",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let fault = text.parse::<Expect>().expect_err(text);
        assert!(fault.message.contains(expect), "{text}: {}", fault.message);
        assert!(!fault.hint.is_empty());
    }

    #[test]
    fn faults_quote_what_is_wrong() {
        check("", "no operator");
        check("flip.lost", "no operator");
        check("flip.lost = 0", "`=` is no comparison");
        check("flip.lost ! 0", "no operator");
        check("lost == 0", "`lost` is no name");
        check("C1#flip.lost == 0", "`C1#flip.lost` is no name");
        check("flip.lost == ", "`` is no number");
        check("flip.lost == zero", "`zero` is no number");
        check("flip.lost == \"a", "does not end with its quote");
        check("flip.lost == \"a\" b", "does not end with its quote");
        check("flip.lost < \"a\"", "has no order");
        check("flip.lost ~ 3", "needs a regular expression");
        check("flip.lost ~ \"a(\"", "is no regular expression");
        check("ok(flip", "not closed");
        check("ok(flip.lost)", "is no block id");
    }

    #[test]
    fn operators_inside_quotes_are_text() {
        let parsed: Expect = "flip.text == \"a == \\\"b\\\"\"".parse().expect("valid");
        assert_eq!(parsed.to_string(), "flip.text == \"a == \\\"b\\\"\"");
    }
}
