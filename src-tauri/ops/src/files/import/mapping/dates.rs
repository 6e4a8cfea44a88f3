//! Dates as files write them, and the one form that nobody misreads.

use std::borrow::Cow;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

/// Which comes first in dates such as `01/02/1950`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportDateOrder"))]
pub enum DateOrder {
    DayFirst,
    MonthFirst,
    /// Dates are stored as they are in the file.
    AsWritten,
}

/// A date of the calendar, as far as its text says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrittenDate {
    /// Only one reading is possible.
    Certain(NaiveDate),
    DayFirst(NaiveDate),
    MonthFirst(NaiveDate),
    /// The first of both would be the day.
    Ambiguous {
        day_first: NaiveDate,
        month_first: NaiveDate,
    },
}

/// The date without the time behind it.
fn without_time(text: &str) -> &str {
    text.split_once([' ', 'T']).filter(|(_, time)| is_time(time.trim())).map_or(text, |(date, _)| date)
}

/// `0:00`, `12:00:00 AM`, `00:00:00.000Z`, `00:00:00+01:00`
fn is_time(text: &str) -> bool {
    let text = text.trim_end_matches(['Z', 'z']);
    let text = text.strip_suffix(|c: char| c.is_ascii_alphabetic()).map_or(text, |rest| {
        // The M of AM and PM.
        rest.strip_suffix(['A', 'P', 'a', 'p']).unwrap_or(text).trim_end()
    });
    let clock = text.split(['+', '-']).next().unwrap_or_default();
    let parts: Vec<&str> = clock.split([':', '.']).collect();
    let are_digits = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    (2..=4).contains(&parts.len()) && clock.contains(':') && parts.iter().all(are_digits) && parts[0].len() <= 2
}

/// Reads a date with a year of four digits. Anything else is not read: nothing is guessed.
pub fn parse_date(text: &str) -> Option<WrittenDate> {
    let text = text.trim();
    // Most texts are no dates, which their beginning tells.
    let between = text.chars().find(|c| !c.is_ascii_digit()).filter(|c| matches!(c, '-' | '.' | '/'))?;
    let mut parts = without_time(text).split(between);
    let (Some(a), Some(b), Some(c), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return None;
    };
    let number = |text: &str, digits: usize| -> Option<u32> {
        let is_number = (1..=digits).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| is_number)
    };
    let date = |year: &str, month: &str, day: &str| {
        NaiveDate::from_ymd_opt(i32::try_from(number(year, 4)?).ok()?, number(month, 2)?, number(day, 2)?)
    };
    if a.len() == 4 {
        return date(a, b, c).map(WrittenDate::Certain);
    }
    if c.len() != 4 {
        return None;
    }
    match (date(c, b, a), date(c, a, b)) {
        (Some(day), Some(other)) if day == other => Some(WrittenDate::Certain(day)),
        // Only languages that put the day first write dates with points.
        (Some(day), Some(_)) if between == '.' => Some(WrittenDate::Certain(day)),
        (Some(day_first), Some(month_first)) => Some(WrittenDate::Ambiguous { day_first, month_first }),
        (Some(day), None) => Some(WrittenDate::DayFirst(day)),
        (None, Some(day)) => Some(WrittenDate::MonthFirst(day)),
        (None, None) => None,
    }
}

/// Year, month and day of a date; a text that is no date, or could be two, as it is.
pub fn read_date(text: &str, order: Option<DateOrder>) -> Cow<'_, str> {
    if order == Some(DateOrder::AsWritten) {
        return Cow::Borrowed(text);
    }
    let day = match (parse_date(text), order) {
        (Some(WrittenDate::Certain(day) | WrittenDate::DayFirst(day) | WrittenDate::MonthFirst(day)), _) => day,
        (Some(WrittenDate::Ambiguous { day_first, .. }), Some(DateOrder::DayFirst)) => day_first,
        (Some(WrittenDate::Ambiguous { month_first, .. }), Some(DateOrder::MonthFirst)) => month_first,
        _ => return Cow::Borrowed(text),
    };
    Cow::Owned(day.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_any_form_are_read_and_nothing_is_guessed() {
        use DateOrder::{AsWritten, DayFirst, MonthFirst};
        for (text, order, want) in [
            ("1950-02-01", None, "1950-02-01"),
            ("1950-02-01 00:00:00", None, "1950-02-01"),
            ("1950-02-01T00:00:00.000Z", None, "1950-02-01"),
            ("1950-02-01T00:00:00+01:00", None, "1950-02-01"),
            ("2/1/1950 12:00:00 AM", Some(MonthFirst), "1950-02-01"),
            ("1950/2/1", None, "1950-02-01"),
            ("01.02.1950", None, "1950-02-01"),
            ("31/12/1950", None, "1950-12-31"),
            ("12/31/1950", None, "1950-12-31"),
            ("12/31/1950", Some(DayFirst), "1950-12-31"),
            ("05/05/1950", None, "1950-05-05"),
            ("01/02/1950", None, "01/02/1950"),
            ("01/02/1950", Some(DayFirst), "1950-02-01"),
            ("01/02/1950", Some(MonthFirst), "1950-01-02"),
            ("01/02/1950", Some(AsWritten), "01/02/1950"),
            ("1950-02-01 00:00:00", Some(AsWritten), "1950-02-01 00:00:00"),
            ("31/02/1950", None, "31/02/1950"),
            ("29/02/1900", None, "29/02/1900"),
            ("29/02/2000", None, "2000-02-29"),
            ("01/02/50", Some(DayFirst), "01/02/50"),
            ("1950-02", None, "1950-02"),
            ("--02-01", None, "--02-01"),
            ("1 May 1950", None, "1 May 1950"),
            ("Tuesday", None, "Tuesday"),
            ("", None, ""),
        ] {
            assert_eq!(read_date(text, order), want, "{text} {order:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,30}|[0-9/.:T APM+-]{0,25}") {
            read_date(&text, Some(DateOrder::DayFirst));
        }
    }
}
