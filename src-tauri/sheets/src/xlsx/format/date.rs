//! Formats days and times: numbers of days since 1900 or 1904, and the patterns that show them.

use std::fmt::Write;

use super::parse::{FormatToken, count_second_decimals, to_text_part};

#[derive(Debug, Clone, PartialEq)]
pub(super) enum DatePart {
    Text(String),
    Year,
    Month(usize),
    Day(usize),
    Hour(usize),
    Minute(usize),
    /// Number of digits, and of digits after the point.
    Second(usize, usize),
    Elapsed(char, usize),
    Half(&'static str, &'static str),
}

/// Turns tokens into date parts. `m` is the month, or the minute beside hours or seconds.
pub(super) fn to_date_parts(tokens: &[FormatToken]) -> Vec<DatePart> {
    let is_time =
        |token: Option<&FormatToken>| matches!(token, Some(FormatToken::Date('h' | 's', _) | FormatToken::Elapsed(..)));
    let is_named = |token: &&FormatToken| matches!(token, FormatToken::Date(..) | FormatToken::Elapsed(..));
    let mut parts = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            FormatToken::Date('y', _) => parts.push(DatePart::Year),
            FormatToken::Date('d', count) => parts.push(DatePart::Day(*count)),
            FormatToken::Date('h', count) => parts.push(DatePart::Hour(*count)),
            FormatToken::Date('s', count) => {
                let fraction = count_second_decimals(tokens, at + 1);
                parts.push(DatePart::Second(*count, fraction.min(3)));
                at += if fraction > 0 { fraction + 1 } else { 0 };
            }
            FormatToken::Date(_, count) => {
                let before = tokens[..at].iter().rev().find(is_named);
                let after = tokens[at + 1..].iter().find(is_named);
                let is_before_seconds = matches!(after, Some(FormatToken::Date('s', _)));
                let is_behind_hours = is_time(before) && !matches!(before, Some(FormatToken::Date('s', _)));
                let is_minute = *count <= 2 && (is_behind_hours || is_before_seconds);
                parts.push(if is_minute { DatePart::Minute(*count) } else { DatePart::Month(*count) });
            }
            FormatToken::Elapsed(c, count) => parts.push(DatePart::Elapsed(*c, *count)),
            FormatToken::Half(am, pm) => parts.push(DatePart::Half(am, pm)),
            other => parts.extend(to_text_part(other)),
        }
        at += 1;
    }
    parts
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// The day after the last day of the year 9999.
const LAST_DAY: f64 = 2_958_466.0;
const FROM_1900_TO_1904: f64 = 1_462.0;

struct SheetDateTime {
    year: i64,
    month: usize,
    day: u32,
    weekday: usize,
    /// Milliseconds of the day.
    millis: u64,
    /// Milliseconds since day 0.
    all_millis: u64,
}

impl SheetDateTime {
    /// Converts a number of days. They are counted from the last day of 1899 as if 1900 had been a leap year.
    fn from_days(days: f64, precision: u64) -> Option<Self> {
        if !(0.0..LAST_DAY).contains(&days) {
            return None;
        }
        let unit = 1_000 / precision;
        let all_millis = (days * 86_400.0 * precision as f64).round() as u64 * unit;
        let whole = all_millis / 86_400_000;
        let millis = all_millis % 86_400_000;
        // Spreadsheets also count the weekday of 29 February 1900, which did not exist.
        let weekday = ((whole + 6) % 7) as usize;
        if whole == 60 {
            return Some(Self { year: 1900, month: 2, day: 29, weekday, millis, all_millis });
        }
        let since = whole as i64 - if whole > 60 { 25_569 } else { 25_568 };
        let (year, month, day) = civil_date(since);
        Some(Self { year, month, day, weekday, millis, all_millis })
    }
}

/// Returns year, month and day of a number of days since 1970.
fn civil_date(days: i64) -> (i64, usize, u32) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month as usize, day as u32)
}

/// Returns whether year, month and day are shown.
pub(super) fn has_full_date(parts: &[DatePart]) -> bool {
    let has = |is_part: fn(&DatePart) -> bool| parts.iter().any(is_part);
    // The name of a weekday is not a day of the month.
    has(|part| matches!(part, DatePart::Year))
        && has(|part| matches!(part, DatePart::Month(_)))
        && has(|part| matches!(part, DatePart::Day(..=2)))
}

/// Formats a number as an ISO date, with the time unless it is midnight. Returns `None` if the number is not a day.
pub(super) fn to_iso(number: f64, is_1904: bool) -> Option<String> {
    let days = if is_1904 { number + FROM_1900_TO_1904 } else { number };
    let SheetDateTime { year, month, day, millis, .. } = SheetDateTime::from_days(days, 1)?;
    let (hour, minute, second) = (millis / 3_600_000, millis / 60_000 % 60, millis / 1_000 % 60);
    let date = format!("{year:04}-{month:02}-{day:02}");
    Some(match (millis, second) {
        (0, _) => date,
        (_, 0) => format!("{date} {hour:02}:{minute:02}"),
        _ => format!("{date} {hour:02}:{minute:02}:{second:02}"),
    })
}

/// Formats a number by a pattern. Returns `None` if the number is not a day.
pub(super) fn format_date(parts: &[DatePart], number: f64, is_1904: bool) -> Option<String> {
    let days = if is_1904 { number + FROM_1900_TO_1904 } else { number };
    let fraction = parts.iter().map(|part| if let DatePart::Second(_, digits) = part { *digits } else { 0 }).max();
    let moment = SheetDateTime::from_days(days, 10_u64.pow(fraction.unwrap_or(0) as u32))?;
    let has_half = parts.iter().any(|part| matches!(part, DatePart::Half(..)));
    let hour = moment.millis / 3_600_000;
    let mut out = String::new();
    for part in parts {
        match part {
            DatePart::Text(text) => out.push_str(text),
            // Years are written with four digits, because the cell contains the whole date.
            DatePart::Year => push_padded(&mut out, moment.year.unsigned_abs(), 4),
            DatePart::Month(count @ ..=2) => push_padded(&mut out, moment.month as u64, *count),
            DatePart::Month(count) => out.push_str(abbreviate(MONTHS[(moment.month - 1) % 12], *count)),
            DatePart::Day(count @ ..=2) => push_padded(&mut out, u64::from(moment.day), *count),
            DatePart::Day(count) => out.push_str(abbreviate(DAYS[moment.weekday], *count)),
            DatePart::Hour(count) if has_half => {
                push_padded(&mut out, if hour % 12 == 0 { 12 } else { hour % 12 }, *count)
            }
            DatePart::Hour(count) => push_padded(&mut out, hour, *count),
            DatePart::Minute(count) => push_padded(&mut out, moment.millis / 60_000 % 60, *count),
            DatePart::Second(count, digits) => {
                push_padded(&mut out, moment.millis / 1_000 % 60, *count);
                if *digits > 0 {
                    let _ = write!(out, ".{:0>digits$}", moment.millis % 1_000 / 10_u64.pow(3 - *digits as u32));
                }
            }
            DatePart::Elapsed('h', count) => push_padded(&mut out, moment.all_millis / 3_600_000, *count),
            DatePart::Elapsed('m', count) => push_padded(&mut out, moment.all_millis / 60_000, *count),
            DatePart::Elapsed(_, count) => push_padded(&mut out, moment.all_millis / 1_000, *count),
            DatePart::Half(am, pm) => out.push_str(if hour < 12 { am } else { pm }),
        }
    }
    Some(out)
}

fn abbreviate(name: &str, count: usize) -> &str {
    match count {
        3 => &name[..3],
        5 => &name[..1],
        _ => name,
    }
}

fn push_padded(out: &mut String, number: u64, width: usize) {
    let width = width.min(20);
    let _ = write!(out, "{number:0>width$}");
}
