//! Numbers as printable characters that need no escape in a script: small ones take one.

/// The digits: printable ASCII without what ends a string, escapes in one, or means something in
/// HTML.
const DIGITS: &[u8; BASE as usize] =
    b"!#$%()*+,-.0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}~";

/// How many characters there are.
const BASE: u32 = 86;

/// Digits below it are the whole number; those up to [`TWO`] begin one of two characters.
const ONE: u32 = 32;

/// The digit that begins a number of three characters; the one behind it, of five.
const TWO: u32 = 84;

/// Appends a number.
pub(super) fn push(out: &mut String, number: u32) {
    let two = number.wrapping_sub(ONE);
    let three = two.wrapping_sub((TWO - ONE) * BASE);
    if number < ONE {
        digits(out, number, 0, 0);
    } else if two < (TWO - ONE) * BASE {
        digits(out, ONE + two / BASE, two % BASE, 1);
    } else if three < BASE * BASE {
        digits(out, TWO, three, 2);
    } else {
        digits(out, TWO + 1, three - BASE * BASE, 4);
    }
}

/// A leading digit and `count` more, the greatest first.
fn digits(out: &mut String, lead: u32, rest: u32, count: u32) {
    out.push(character(lead));
    for power in (0..count).rev() {
        out.push(character(rest / BASE.pow(power) % BASE));
    }
}

/// The character of a digit.
fn character(digit: u32) -> char {
    char::from(DIGITS[digit as usize % DIGITS.len()])
}

/// Takes a number off the beginning of a text.
pub(super) fn read(text: &str) -> Option<(u32, &str)> {
    let digit = |at: usize| {
        let byte = *text.as_bytes().get(at)?;
        Some(u32::from(*VALUES.get(usize::from(byte)).filter(|value| u32::from(**value) < BASE)?))
    };
    let lead = digit(0)?;
    let (first, more) = match lead {
        0..ONE => (lead, 0),
        ONE..TWO => (lead - ONE, 1),
        TWO => (0, 2),
        _ => (0, 4),
    };
    let mut rest = first;
    for at in 1..=more {
        rest = rest.checked_mul(BASE)?.checked_add(digit(at)?)?;
    }
    let base = match more {
        0 => 0,
        1 => ONE,
        2 => ONE + (TWO - ONE) * BASE,
        _ => ONE + (TWO - ONE) * BASE + BASE * BASE,
    };
    Some((rest.checked_add(base)?, text.get(1 + more..)?))
}

/// The digit of each byte; 255 for a byte that is none.
const VALUES: [u8; 256] = values();

/// The digits the other way round.
const fn values() -> [u8; 256] {
    let mut values = [u8::MAX; 256];
    let mut at = 0;
    while at < DIGITS.len() {
        #[expect(clippy::cast_possible_truncation, reason = "there are 86 digits")]
        {
            values[DIGITS[at] as usize] = at as u8;
        }
        at += 1;
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads numbers back, as the script does.
    fn all(mut text: &str) -> Vec<u32> {
        let mut out = Vec::new();
        while !text.is_empty() {
            let (number, rest) = read(text).expect("a number");
            out.push(number);
            text = rest;
        }
        out
    }

    #[test]
    fn numbers_are_read_back() {
        let numbers = [0, 1, 31, 32, 4503, 4504, 11_899, 11_900, 1_000_000, 50_000_000];
        let mut text = String::new();
        for number in numbers {
            push(&mut text, number);
        }
        assert_eq!(all(&text), numbers);
        assert_eq!([read("~~"), read("<"), read("")], [None; 3]);
        assert_eq!(text.len(), 3 + 2 * 2 + 2 * 3 + 3 * 5);
    }
}
