//! Reads the dates of files and converts them to the one form that cannot be misread.

use std::borrow::Cow;

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveTime};
pub use roost_model::time::date::WrittenDate;
use roost_model::time::{
    Timestamp,
    date::{parse_date, without_time},
};
use serde::{Deserialize, Serialize};

/// The order of day and month in dates such as `01/02/1950`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportDateOrder"))]
pub enum DateOrder {
    DayFirst,
    MonthFirst,
    /// Dates are stored as they are in the file.
    AsWritten,
}

/// Parses a date of a file: one with a year of four digits, with the name of its month (`5 May 1988`), or with a year of
/// two digits (`07/08/90`). A year of two digits is in the 2000s, unless the date would be later than `latest`: then it
/// is in the 1900s.
pub fn parse_file_date(text: &str, latest: Option<NaiveDate>) -> Option<WrittenDate> {
    parse_date(text).or_else(|| parse_named_month(text, latest)).or_else(|| parse_short_year(text, latest))
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Parses a date with an English month: `5 May 1988`, `5th of May, 1988`, `May 5, 1988`, `5-May-88`.
fn parse_named_month(text: &str, latest: Option<NaiveDate>) -> Option<WrittenDate> {
    // Most texts are not dates, and the number of their digits shows it.
    if !matches!(text.bytes().filter(u8::is_ascii_digit).count(), 3..=6) {
        return None;
    }
    let mut words =
        text.split([' ', ',', '.', '-', '/']).filter(|word| !word.is_empty() && !word.eq_ignore_ascii_case("of"));
    let (Some(a), Some(b), Some(year), None) = (words.next(), words.next(), words.next(), words.next()) else {
        return None;
    };
    let month_of = |word: &str| {
        let is_month = |month: &str| match word.len() {
            3 | 4 => month.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)),
            _ => month.eq_ignore_ascii_case(word),
        };
        (1..).zip(MONTHS).find(|(_, month)| is_month(month)).map(|(number, _)| number)
    };
    let (day, month) = match (month_of(a), month_of(b)) {
        (None, Some(month)) => (a, month),
        (Some(month), None) => (b, month),
        _ => return None,
    };
    let (digits, ending) = day.split_at(day.find(|c: char| !c.is_ascii_digit()).unwrap_or(day.len()));
    let is_ordinal = ["st", "nd", "rd", "th"].iter().any(|known| ending.eq_ignore_ascii_case(known));
    let day = if is_ordinal { digits } else { day };
    let number = |text: &str, digits: std::ops::RangeInclusive<usize>| -> Option<u32> {
        let is_number = digits.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| is_number)
    };
    let in_year = |year: u32| NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, number(day, 1..=2)?);
    let found = match year.len() {
        2 => {
            let year = number(year, 2..=2)?;
            let is_past = |day: &NaiveDate| latest.is_none_or(|latest| *day <= latest);
            in_year(2000 + year).filter(is_past).or_else(|| in_year(1900 + year))
        }
        _ => in_year(number(year, 4..=4)?),
    };
    found.map(WrittenDate::Certain)
}

/// Parses a date whose year has two digits. `10-08-07` may begin with its year, so a date with dashes stays a text.
fn parse_short_year(text: &str, latest: Option<NaiveDate>) -> Option<WrittenDate> {
    if !text.bytes().any(|byte| matches!(byte, b'/' | b'.')) {
        return None;
    }
    let date = without_time(text.trim());
    let (start, year) = date.split_at(date.rfind(['/', '.'])? + 1);
    if year.len() != 2 || !year.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let in_century = |century: &str| parse_date(&format!("{start}{century}{year}"));
    let recent = in_century("20");
    let day = match recent {
        Some(WrittenDate::Ambiguous { day_first, month_first }) => Some(day_first.max(month_first)),
        Some(WrittenDate::Certain(day) | WrittenDate::DayFirst(day) | WrittenDate::MonthFirst(day)) => Some(day),
        None => None,
    };
    let is_past = day.is_some_and(|day| latest.is_none_or(|latest| day <= latest));
    if is_past { recent } else { in_century("19") }
}

/// The rule by which dates are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DateRule {
    pub order: Option<DateOrder>,
    /// The last day that is accepted, because nobody is born in the future; `None` accepts every day.
    pub latest: Option<NaiveDate>,
}

/// The result of reading a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadDate {
    Day(NaiveDate),
    /// A day only if day and month change places: `12/31/1950` among dates with the day first.
    WrongOrder,
    Future,
    /// Not a date, an incomplete one, or one that could mean two days.
    NotADate,
}

impl DateRule {
    /// Reads a date. Returns `None` for a date that is stored as it is in the file.
    pub fn read(self, text: &str) -> Option<ReadDate> {
        let Some(written) = parse_file_date(text, self.latest) else { return Some(ReadDate::NotADate) };
        let day = match (written, self.order) {
            (_, Some(DateOrder::AsWritten)) => return None,
            (WrittenDate::DayFirst(_), Some(DateOrder::MonthFirst))
            | (WrittenDate::MonthFirst(_), Some(DateOrder::DayFirst)) => return Some(ReadDate::WrongOrder),
            (WrittenDate::Certain(day) | WrittenDate::DayFirst(day) | WrittenDate::MonthFirst(day), _) => day,
            (WrittenDate::Ambiguous { day_first, .. }, Some(DateOrder::DayFirst)) => day_first,
            (WrittenDate::Ambiguous { month_first, .. }, Some(DateOrder::MonthFirst)) => month_first,
            (WrittenDate::Ambiguous { .. }, None) => return Some(ReadDate::NotADate),
        };
        Some(if self.latest.is_some_and(|latest| day > latest) { ReadDate::Future } else { ReadDate::Day(day) })
    }
}

/// Returns the latest date that it is anywhere on earth.
pub fn latest_day(now: Timestamp) -> Option<NaiveDate> {
    const FIRST_ZONE: i64 = 14 * 60 * 60;
    DateTime::from_timestamp(now.unix() + FIRST_ZONE, 0).map(|time| time.date_naive())
}

/// Returns a date as year, month and day. A text stays as it is if it is not exactly one day, contradicts the order or
/// is in the future.
pub fn read_date(text: &str, rule: DateRule) -> Cow<'_, str> {
    match rule.read(text) {
        Some(ReadDate::Day(day)) => Cow::Owned(day.to_string()),
        _ => Cow::Borrowed(text),
    }
}

fn parse_day(text: &str, order: Option<DateOrder>) -> Option<NaiveDate> {
    match (DateRule { order, latest: None }).read(text)? {
        ReadDate::Day(day) => Some(day),
        _ => None,
    }
}

/// Reads a date with its time. The time is in UTC, unless it names another offset. A date without a time, or with one
/// of an unknown form, means midnight.
pub fn read_time(text: &str, order: Option<DateOrder>) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(Timestamp::from_unix(time.timestamp()));
    }
    let of_day = text.split_once([' ', 'T']).map_or("", |(_, time)| time.trim().trim_end_matches(['Z', 'z']));
    let sign = of_day.rfind(['+', '-']).unwrap_or(of_day.len());
    // PostgreSQL writes whole hours alone, such as +01.
    let minutes = if of_day.len() - sign == 3 { "00" } else { "" };
    let (of_day, offset) = match format!("{}{minutes}", &of_day[sign..]).parse::<FixedOffset>() {
        Ok(offset) => (&of_day[..sign], offset.local_minus_utc()),
        Err(_) => (of_day, 0),
    };
    let forms = ["%H:%M:%S%.f", "%H:%M", "%I:%M:%S %p", "%I:%M %p"];
    let time = forms.into_iter().find_map(|form| NaiveTime::parse_from_str(of_day, form).ok()).unwrap_or_default();
    let local = parse_day(text, order)?.and_time(time).and_utc().timestamp();
    Some(Timestamp::from_unix(local - i64::from(offset)))
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
            ("12/31/1950", Some(DayFirst), "12/31/1950"),
            ("31/12/1950", Some(MonthFirst), "31/12/1950"),
            ("31/12/2026", Some(DayFirst), "2026-12-31"),
            ("01/01/2027", Some(DayFirst), "01/01/2027"),
            ("2093-01-02T00:00:00", None, "2093-01-02T00:00:00"),
            ("05/05/1950", None, "1950-05-05"),
            ("01/02/1950", None, "01/02/1950"),
            ("01/02/1950", Some(DayFirst), "1950-02-01"),
            ("01/02/1950", Some(MonthFirst), "1950-01-02"),
            ("01/02/1950", Some(AsWritten), "01/02/1950"),
            ("1950-02-01 00:00:00", Some(AsWritten), "1950-02-01 00:00:00"),
            ("31/02/1950", None, "31/02/1950"),
            ("29/02/1900", None, "29/02/1900"),
            ("29/02/2000", None, "2000-02-29"),
            ("01/02/50", Some(DayFirst), "1950-02-01"),
            ("07/08/90", Some(MonthFirst), "1990-07-08"),
            ("07/08/90", None, "07/08/90"),
            ("31/12/26", None, "2026-12-31"),
            ("31/12/27", None, "1927-12-31"),
            ("29/02/00", None, "2000-02-29"),
            ("1.2.09", None, "2009-02-01"),
            ("10-08-07", Some(DayFirst), "10-08-07"),
            ("07/08/90", Some(AsWritten), "07/08/90"),
            ("1950-02", None, "1950-02"),
            ("--02-01", None, "--02-01"),
            ("1 May 1950", None, "1950-05-01"),
            ("5 May 1988", Some(MonthFirst), "1988-05-05"),
            ("5th of May, 1988", None, "1988-05-05"),
            ("May 5, 1988", None, "1988-05-05"),
            ("05-SEPT-1988", None, "1988-09-05"),
            ("5 Sep. 1988", None, "1988-09-05"),
            ("5 May 2093", None, "5 May 2093"),
            ("31 June 1988", None, "31 June 1988"),
            ("5 Ma 1988", None, "5 Ma 1988"),
            ("5 Mayor 1988", None, "5 Mayor 1988"),
            ("May 1988", None, "May 1988"),
            ("5-May-88", None, "1988-05-05"),
            ("12 Apr 05", None, "2005-04-12"),
            ("5 May 888", None, "5 May 888"),
            ("Tuesday", None, "Tuesday"),
            ("", None, ""),
        ] {
            let latest = NaiveDate::from_ymd_opt(2026, 12, 31);
            assert_eq!(read_date(text, DateRule { order, latest }), want, "{text} {order:?}");
        }
    }

    #[test]
    fn the_time_of_a_date_is_read() {
        for (text, want) in [
            ("2024-03-02 10:20:30", Some("2024-03-02T10:20:30Z")),
            ("2024-03-02T10:20:30+01:00", Some("2024-03-02T09:20:30Z")),
            ("2024/03/02 10:20:30+01:00", Some("2024-03-02T09:20:30Z")),
            ("2024-03-02 10:20:30+01", Some("2024-03-02T09:20:30Z")),
            ("2024-03-02 23:20:30.5-0330", Some("2024-03-03T02:50:30Z")),
            ("02/03/2024 1:05 PM", Some("2024-03-02T13:05:00Z")),
            ("2024-03-02", Some("2024-03-02T00:00:00Z")),
            ("yes", None),
            ("2024-02-30", None),
        ] {
            let found = read_time(text, Some(DateOrder::DayFirst)).map(Timestamp::to_iso);
            assert_eq!(found.as_deref(), want, "{text}");
        }
        assert_eq!(read_time("02/03/2024", None), None, "it can be two dates");
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,30}|[0-9/.:T APMay+-]{0,25}") {
            roost_model::time::date::is_impossible_date(&text);
            read_time(&text, None);
            read_date(&text, DateRule { order: Some(DateOrder::DayFirst), latest: None });
        }
    }
}
