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

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads numbers back, as the script does.
    fn read(text: &str) -> Vec<u32> {
        let digit = |byte: u8| {
            let at = DIGITS.iter().position(|known| *known == byte).expect("in the alphabet");
            u32::try_from(at).expect("small")
        };
        let mut bytes = text.bytes().map(digit);
        let mut out = Vec::new();
        while let Some(lead) = bytes.next() {
            let mut take =
                |count: u32| (0..count).fold(0, |sum, _| sum * BASE + bytes.next().expect("digit"));
            let two = (TWO - ONE) * BASE;
            out.push(match lead {
                0..ONE => lead,
                ONE..TWO => ONE + (lead - ONE) * BASE + take(1),
                TWO => ONE + two + take(2),
                _ => ONE + two + BASE * BASE + take(4),
            });
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
        assert_eq!(read(&text), numbers);
        assert_eq!(text.len(), 3 + 2 * 2 + 2 * 3 + 3 * 5);
    }
}
