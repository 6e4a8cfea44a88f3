//! Parses format codes: `#,##0.00;[Red]-0`, `[$-407]dd.mm.yyyy`.

use super::{
    Condition, Section, Shows,
    date::{self, DatePart},
    number::Pattern,
};

/// A token of a format code.
#[derive(Debug, Clone, PartialEq)]
pub enum Sign {
    /// Shown literally.
    Text(String),
    /// `0`, `#` or `?`.
    Digit(char),
    Point,
    Comma,
    Percent,
    /// The exponent, and whether a plus is shown.
    Exponent(bool),
    Slash,
    General,
    /// A run of one letter that stands for a part of a date.
    Date(char, usize),
    /// The total of hours, minutes or seconds: `[h]`.
    Elapsed(char, usize),
    /// Morning or afternoon, with one or two letters.
    Half(&'static str, &'static str),
    At,
}

/// Most sections of a code.
const SECTIONS: usize = 4;

pub fn sections(code: &str) -> Vec<Section> {
    let mut found = Vec::new();
    let mut rest = code;
    while found.len() < SECTIONS {
        let (signs, condition, behind) = signs(rest);
        found.push(Section { condition, shows: shows(signs) });
        match behind {
            Some(behind) => rest = behind,
            None => break,
        }
    }
    // The fourth section is for texts.
    found.truncate(3);
    found
}

/// Returns the tokens of one section, its condition, and the rest of the code.
fn signs(code: &str) -> (Vec<Sign>, Option<Condition>, Option<&str>) {
    let (mut signs, mut condition) = (Vec::new(), None);
    let mut letters = code.chars();
    while let Some(c) = letters.next() {
        let rest = letters.as_str();
        match c {
            ';' => return (signs, condition, Some(rest)),
            '"' => {
                let end = rest.find('"').unwrap_or(rest.len());
                text(&mut signs, &rest[..end]);
                letters = rest[end..].strip_prefix('"').unwrap_or("").chars();
            }
            '\\' => {
                if let Some(c) = letters.next() {
                    text(&mut signs, c.encode_utf8(&mut [0; 4]));
                }
            }
            // A space as wide as the next character.
            '_' => {
                letters.next();
                text(&mut signs, " ");
            }
            // Fills the cell with the next character.
            '*' => {
                letters.next();
            }
            '[' => {
                let end = rest.find(']').unwrap_or(rest.len());
                bracket(&rest[..end], &mut signs, &mut condition);
                letters = rest[end..].strip_prefix(']').unwrap_or("").chars();
            }
            '0' | '#' | '?' => signs.push(Sign::Digit(c)),
            '.' => signs.push(Sign::Point),
            ',' => signs.push(Sign::Comma),
            '%' => signs.push(Sign::Percent),
            '/' => signs.push(Sign::Slash),
            '@' => signs.push(Sign::At),
            'E' | 'e' if rest.starts_with(['+', '-']) => {
                signs.push(Sign::Exponent(rest.starts_with('+')));
                letters.next();
            }
            'G' | 'g' if starts(rest, "eneral") => {
                signs.push(Sign::General);
                letters = rest[6..].chars();
            }
            'A' | 'a' if starts(rest, "M/PM") => {
                signs.push(Sign::Half("AM", "PM"));
                letters = rest[4..].chars();
            }
            'A' | 'a' if starts(rest, "/P") => {
                signs.push(Sign::Half("A", "P"));
                letters = rest[2..].chars();
            }
            'y' | 'Y' | 'm' | 'M' | 'd' | 'D' | 'h' | 'H' | 's' | 'S' => {
                let same = rest.chars().take_while(|other| other.eq_ignore_ascii_case(&c)).count();
                signs.push(Sign::Date(c.to_ascii_lowercase(), same + 1));
                letters = rest[same..].chars();
            }
            other => text(&mut signs, other.encode_utf8(&mut [0; 4])),
        }
    }
    (signs, condition, None)
}

fn starts(rest: &str, word: &str) -> bool {
    rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

fn text(signs: &mut Vec<Sign>, more: &str) {
    match signs.last_mut() {
        Some(Sign::Text(text)) => text.push_str(more),
        _ => signs.push(Sign::Text(more.to_owned())),
    }
}

/// Parses the text in brackets: a condition, a currency with its language, or a total time. Colours show nothing.
fn bracket(inner: &str, signs: &mut Vec<Sign>, condition: &mut Option<Condition>) {
    if let Some(currency) = inner.strip_prefix('$') {
        let sign = currency.split('-').next().unwrap_or_default();
        if !sign.is_empty() {
            text(signs, sign);
        }
        return;
    }
    let first = inner.chars().next().map(|c| c.to_ascii_lowercase());
    if let Some(c @ ('h' | 'm' | 's')) = first
        && inner.chars().all(|other| other.eq_ignore_ascii_case(&c))
    {
        signs.push(Sign::Elapsed(c, inner.len()));
        return;
    }
    type Make = fn(f64) -> Condition;
    let conditions: [(&str, Make); 6] = [
        ("<=", Condition::AtMost),
        (">=", Condition::AtLeast),
        ("<>", Condition::Other),
        ("<", Condition::Below),
        (">", Condition::Above),
        ("=", Condition::Equal),
    ];
    for (sign, make) in conditions {
        if let Some(limit) = inner.strip_prefix(sign) {
            *condition = limit.trim().parse().ok().map(make);
            return;
        }
    }
}

fn shows(signs: Vec<Sign>) -> Shows {
    let is_date = |sign: &Sign| matches!(sign, Sign::Date(..) | Sign::Elapsed(..) | Sign::Half(..));
    if signs.iter().any(is_date) {
        return Shows::Date(date::parts(&signs));
    }
    if let Some(at) = signs.iter().position(|sign| matches!(sign, Sign::General | Sign::At)) {
        return Shows::General { before: literal(&signs[..at]), after: literal(&signs[at + 1..]) };
    }
    if signs.iter().any(|sign| matches!(sign, Sign::Digit(_))) {
        return Shows::Number(Pattern::of(&signs));
    }
    Shows::Text(literal(&signs))
}

fn literal(signs: &[Sign]) -> String {
    signs.iter().map(as_text).collect()
}

/// Returns the text of a token that stands for itself.
pub fn as_text(sign: &Sign) -> &str {
    match sign {
        Sign::Text(text) => text,
        Sign::Point => ".",
        Sign::Comma => ",",
        Sign::Percent => "%",
        Sign::Slash => "/",
        _ => "",
    }
}

/// Counts the digits of a fraction of a second. In numbers, points and digits have another meaning.
pub fn fraction_of_second(signs: &[Sign], at: usize) -> usize {
    if signs.get(at) != Some(&Sign::Point) {
        return 0;
    }
    signs[at + 1..].iter().take_while(|sign| matches!(sign, Sign::Digit('0'))).count()
}

/// Returns a text between the parts of a date.
pub fn between(sign: &Sign) -> Option<DatePart> {
    let text = as_text(sign);
    (!text.is_empty()).then(|| DatePart::Text(text.to_owned()))
}
