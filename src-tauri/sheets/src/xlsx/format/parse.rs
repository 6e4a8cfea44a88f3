//! Parses format codes: `#,##0.00;[Red]-0`, `[$-407]dd.mm.yyyy`.

use super::{
    FormatSection, SectionCondition, SectionContent,
    date::{self, DatePart},
    number::DigitPattern,
};

/// A token of a format code.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum FormatToken {
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

/// A format code has a section each for positive numbers, negative numbers, zero and texts.
const SECTIONS_MAX: usize = 4;

/// Parses the sections for numbers, which semicolons separate: `positive;negative;zero`.
pub(super) fn parse_sections(code: &str) -> Vec<FormatSection> {
    let mut found = Vec::new();
    let mut rest = code;
    while found.len() < SECTIONS_MAX {
        let (tokens, condition, next) = parse_tokens(rest);
        found.push(FormatSection { condition, content: to_content(tokens) });
        match next {
            Some(next) => rest = next,
            None => break,
        }
    }
    // The fourth section is for texts.
    found.truncate(3);
    found
}

/// Returns the tokens of one section, its condition, and the rest of the code.
fn parse_tokens(code: &str) -> (Vec<FormatToken>, Option<SectionCondition>, Option<&str>) {
    let (mut tokens, mut condition) = (Vec::new(), None);
    let mut letters = code.chars();
    while let Some(c) = letters.next() {
        let rest = letters.as_str();
        match c {
            ';' => return (tokens, condition, Some(rest)),
            '"' => {
                let end = rest.find('"').unwrap_or(rest.len());
                push_text(&mut tokens, &rest[..end]);
                letters = rest[end..].strip_prefix('"').unwrap_or("").chars();
            }
            '\\' => {
                if let Some(c) = letters.next() {
                    push_text(&mut tokens, c.encode_utf8(&mut [0; 4]));
                }
            }
            // A space as wide as the next character.
            '_' => {
                letters.next();
                push_text(&mut tokens, " ");
            }
            // Fills the cell with the next character.
            '*' => {
                letters.next();
            }
            '[' => {
                let end = rest.find(']').unwrap_or(rest.len());
                parse_bracket(&rest[..end], &mut tokens, &mut condition);
                letters = rest[end..].strip_prefix(']').unwrap_or("").chars();
            }
            '0' | '#' | '?' => tokens.push(FormatToken::Digit(c)),
            '.' => tokens.push(FormatToken::Point),
            ',' => tokens.push(FormatToken::Comma),
            '%' => tokens.push(FormatToken::Percent),
            '/' => tokens.push(FormatToken::Slash),
            '@' => tokens.push(FormatToken::At),
            'E' | 'e' if rest.starts_with(['+', '-']) => {
                tokens.push(FormatToken::Exponent(rest.starts_with('+')));
                letters.next();
            }
            'G' | 'g' if starts_with_word(rest, "eneral") => {
                tokens.push(FormatToken::General);
                letters = rest[6..].chars();
            }
            'A' | 'a' if starts_with_word(rest, "M/PM") => {
                tokens.push(FormatToken::Half("AM", "PM"));
                letters = rest[4..].chars();
            }
            'A' | 'a' if starts_with_word(rest, "/P") => {
                tokens.push(FormatToken::Half("A", "P"));
                letters = rest[2..].chars();
            }
            'y' | 'Y' | 'm' | 'M' | 'd' | 'D' | 'h' | 'H' | 's' | 'S' => {
                let same = rest.chars().take_while(|other| other.eq_ignore_ascii_case(&c)).count();
                tokens.push(FormatToken::Date(c.to_ascii_lowercase(), same + 1));
                letters = rest[same..].chars();
            }
            other => push_text(&mut tokens, other.encode_utf8(&mut [0; 4])),
        }
    }
    (tokens, condition, None)
}

fn starts_with_word(rest: &str, word: &str) -> bool {
    rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

fn push_text(tokens: &mut Vec<FormatToken>, more: &str) {
    match tokens.last_mut() {
        Some(FormatToken::Text(text)) => text.push_str(more),
        _ => tokens.push(FormatToken::Text(more.to_owned())),
    }
}

/// Parses the text in brackets: a condition, a currency with its language, or a total time. Colours show nothing.
fn parse_bracket(inner: &str, tokens: &mut Vec<FormatToken>, condition: &mut Option<SectionCondition>) {
    if let Some(currency) = inner.strip_prefix('$') {
        let sign = currency.split('-').next().unwrap_or_default();
        if !sign.is_empty() {
            push_text(tokens, sign);
        }
        return;
    }
    let first = inner.chars().next().map(|c| c.to_ascii_lowercase());
    if let Some(c @ ('h' | 'm' | 's')) = first
        && inner.chars().all(|other| other.eq_ignore_ascii_case(&c))
    {
        tokens.push(FormatToken::Elapsed(c, inner.len()));
        return;
    }
    type Make = fn(f64) -> SectionCondition;
    let conditions: [(&str, Make); 6] = [
        ("<=", SectionCondition::AtMost),
        (">=", SectionCondition::AtLeast),
        ("<>", SectionCondition::Other),
        ("<", SectionCondition::Below),
        (">", SectionCondition::Above),
        ("=", SectionCondition::Equal),
    ];
    for (sign, make) in conditions {
        if let Some(limit) = inner.strip_prefix(sign) {
            *condition = limit.trim().parse().ok().map(make);
            return;
        }
    }
}

fn to_content(tokens: Vec<FormatToken>) -> SectionContent {
    let is_date =
        |token: &FormatToken| matches!(token, FormatToken::Date(..) | FormatToken::Elapsed(..) | FormatToken::Half(..));
    if tokens.iter().any(is_date) {
        return SectionContent::Date(date::to_date_parts(&tokens));
    }
    if let Some(at) = tokens.iter().position(|token| matches!(token, FormatToken::General | FormatToken::At)) {
        return SectionContent::General { before: literal_text(&tokens[..at]), after: literal_text(&tokens[at + 1..]) };
    }
    if tokens.iter().any(|token| matches!(token, FormatToken::Digit(_))) {
        return SectionContent::Number(DigitPattern::from_tokens(&tokens));
    }
    SectionContent::Text(literal_text(&tokens))
}

fn literal_text(tokens: &[FormatToken]) -> String {
    tokens.iter().map(as_text).collect()
}

/// Returns the text of a token that stands for itself.
pub(super) fn as_text(token: &FormatToken) -> &str {
    match token {
        FormatToken::Text(text) => text,
        FormatToken::Point => ".",
        FormatToken::Comma => ",",
        FormatToken::Percent => "%",
        FormatToken::Slash => "/",
        _ => "",
    }
}

/// Counts the digits after the seconds: two in `ss.00`. In numbers, points and digits have another meaning.
pub(super) fn count_second_decimals(tokens: &[FormatToken], at: usize) -> usize {
    if tokens.get(at) != Some(&FormatToken::Point) {
        return 0;
    }
    tokens[at + 1..].iter().take_while(|token| matches!(token, FormatToken::Digit('0'))).count()
}

/// Returns a text between the parts of a date.
pub(super) fn to_text_part(token: &FormatToken) -> Option<DatePart> {
    let text = as_text(token);
    (!text.is_empty()).then(|| DatePart::Text(text.to_owned()))
}
