//! Formats numbers by patterns of digits: `#,##0.00`, `000-00-0000`, `0.00E+00`.

use super::parse::{FormatToken, as_text};

/// Most decimals that are shown, which is more than a number can hold.
const DECIMALS_MAX: usize = 30;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct DigitPattern {
    /// Items before the point, from left to right.
    whole: Vec<PatternItem>,
    /// Items after the point.
    decimals: Vec<PatternItem>,
    exponent: Option<ExponentPattern>,
    has_point: bool,
    /// Whether commas separate thousands.
    is_grouped: bool,
    /// The power of ten by which the number is scaled, for percent and for thousands.
    scale: i32,
    /// A fraction such as `3/4`, which is shown here with a decimal point.
    is_fraction: bool,
}

#[derive(Debug, Clone, PartialEq)]
enum PatternItem {
    Digit(char),
    Text(String),
}

#[derive(Debug, Clone, PartialEq)]
struct ExponentPattern {
    shows_plus: bool,
    digits: usize,
    after: String,
}

impl DigitPattern {
    pub(super) fn from_tokens(tokens: &[FormatToken]) -> Self {
        let mut pattern = Self {
            whole: Vec::new(),
            decimals: Vec::new(),
            exponent: None,
            has_point: false,
            is_grouped: false,
            scale: 0,
            is_fraction: tokens.contains(&FormatToken::Slash) && tokens.contains(&FormatToken::Digit('?')),
        };
        let last_digit = tokens.iter().rposition(|token| matches!(token, FormatToken::Digit(_))).unwrap_or(0);
        for (at, token) in tokens.iter().enumerate() {
            if let Some(exponent) = &mut pattern.exponent {
                match token {
                    FormatToken::Digit(_) => exponent.digits += 1,
                    other => exponent.after.push_str(as_text(other)),
                }
                continue;
            }
            match token {
                FormatToken::Exponent(shows_plus) => {
                    let exponent = ExponentPattern { shows_plus: *shows_plus, digits: 0, after: String::new() };
                    pattern.exponent = Some(exponent);
                }
                FormatToken::Digit(c) => pattern.push_item(PatternItem::Digit(*c)),
                FormatToken::Point if !pattern.has_point => pattern.has_point = true,
                // After the digits, a comma divides the number by a thousand. Among them, it groups.
                FormatToken::Comma
                    if pattern.has_digits() && (at > last_digit || pattern.ends_whole(&tokens[at..])) =>
                {
                    pattern.scale -= 3;
                }
                FormatToken::Comma if pattern.has_digits() && !pattern.has_point => pattern.is_grouped = true,
                other => {
                    if *other == FormatToken::Percent {
                        pattern.scale += 2;
                    }
                    pattern.push_item(PatternItem::Text(as_text(other).to_owned()));
                }
            }
        }
        pattern
    }

    pub(super) fn is_scientific(&self) -> bool {
        self.exponent.is_some()
    }

    fn ends_whole(&self, rest: &[FormatToken]) -> bool {
        !self.has_point && rest.iter().find(|token| **token != FormatToken::Comma) == Some(&FormatToken::Point)
    }

    fn has_digits(&self) -> bool {
        self.whole.iter().chain(&self.decimals).any(|place| matches!(place, PatternItem::Digit(_)))
    }

    fn push_item(&mut self, place: PatternItem) {
        if self.has_point { self.decimals.push(place) } else { self.whole.push(place) }
    }

    /// Formats a number. Returns `None` if it cannot be shown in this way.
    pub(super) fn format_number(&self, number: f64) -> Option<String> {
        if self.is_fraction {
            return None;
        }
        let scaled = number * 10_f64.powi(self.scale);
        if !scaled.is_finite() {
            return None;
        }
        match &self.exponent {
            Some(exponent) => Some(self.format_scientific(scaled, exponent)),
            None if scaled.abs() < 1e18 => Some(self.format_plain(scaled)),
            None => None,
        }
    }

    fn count_digits(places: &[PatternItem]) -> usize {
        places.iter().filter(|place| matches!(place, PatternItem::Digit(_))).count()
    }

    fn format_plain(&self, number: f64) -> String {
        let decimals = Self::count_digits(&self.decimals).min(DECIMALS_MAX);
        let text = round_half_up(number.abs(), decimals);
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let is_zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
        let mut out = String::new();
        if number < 0.0 && !is_zero {
            out.push('-');
        }
        out.push_str(&self.format_whole(whole));
        self.push_decimals(&mut out, fraction);
        out
    }

    /// Fills the digits from the right. Digits that are left over come before the first.
    fn format_whole(&self, digits: &str) -> String {
        let digits = if digits == "0" { "" } else { digits };
        let mut left: Vec<char> = digits.chars().collect();
        let mut back: Vec<char> = Vec::new();
        let mut shown = 0;
        let mut places_left = Self::count_digits(&self.whole);
        let mut push = |back: &mut Vec<char>, digit: char| {
            if self.is_grouped && shown > 0 && shown % 3 == 0 && digit != ' ' {
                back.push(',');
            }
            shown += 1;
            back.push(digit);
        };
        for place in self.whole.iter().rev() {
            match place {
                PatternItem::Text(text) => back.extend(text.chars().rev()),
                PatternItem::Digit(kind) => {
                    places_left -= 1;
                    match (left.pop(), kind) {
                        (Some(digit), _) => push(&mut back, digit),
                        (None, '0') => push(&mut back, '0'),
                        (None, '?') => push(&mut back, ' '),
                        (None, _) => {}
                    }
                    if places_left == 0 {
                        left.drain(..).rev().for_each(|digit| push(&mut back, digit));
                    }
                }
            }
        }
        back.iter().rev().collect()
    }

    fn push_decimals(&self, out: &mut String, fraction: &str) {
        if !self.has_point {
            return;
        }
        let mut shown: Vec<(char, char)> = Vec::new();
        let mut digits = fraction.chars();
        let mut texts: Vec<(usize, &str)> = Vec::new();
        for place in &self.decimals {
            match place {
                PatternItem::Digit(kind) => shown.push((*kind, digits.next().unwrap_or('0'))),
                PatternItem::Text(text) => texts.push((shown.len(), text)),
            }
        }
        while shown.last().is_some_and(|(kind, digit)| *kind == '#' && *digit == '0') {
            shown.pop();
        }
        out.push('.');
        for (at, (_, digit)) in shown.iter().enumerate() {
            texts.iter().filter(|(place, _)| *place == at).for_each(|(_, text)| out.push_str(text));
            out.push(*digit);
        }
        texts.iter().filter(|(place, _)| *place >= shown.len()).for_each(|(_, text)| out.push_str(text));
    }

    fn format_scientific(&self, number: f64, exponent: &ExponentPattern) -> String {
        let decimals = Self::count_digits(&self.decimals).min(DECIMALS_MAX);
        let step = Self::count_digits(&self.whole).max(1) as i32;
        let mut power = if number == 0.0 { 0 } else { number.abs().log10().floor() as i32 };
        // Below this, the power itself is not a normal number.
        power = (power.div_euclid(step) * step).max(-307);
        let mut mantissa = round_half_up(number.abs() / 10_f64.powi(power), decimals);
        // Rounding may have made it longer: 9.99 becomes 10.0.
        if mantissa.split('.').next().map_or(0, str::len) > step as usize {
            power += step;
            mantissa = round_half_up(number.abs() / 10_f64.powi(power), decimals);
        }
        let sign = if number < 0.0 { "-" } else { "" };
        let of_power = match (power < 0, exponent.shows_plus) {
            (true, _) => "-",
            (false, true) => "+",
            (false, false) => "",
        };
        format!(
            "{sign}{mantissa}E{of_power}{:0>width$}{}",
            power.abs(),
            exponent.after,
            width = exponent.digits.min(20)
        )
    }
}

/// Rounds halves away from zero, as people do, judged by the fifteen digits that a spreadsheet shows.
fn round_half_up(number: f64, decimals: usize) -> String {
    let nudged = number * (1.0 + f64::EPSILON * 4.0);
    format!("{nudged:.decimals$}")
}
