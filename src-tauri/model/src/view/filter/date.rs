//! The date conditions of a filter: calendar days in text fields, and birthdays, which return every year.

use chrono::{Datelike, Days, NaiveDate};
use serde_json::Value;

use crate::{error::FieldError, time::date::read_day};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DateOp {
    Before,
    After,
    Between,
    On,
    ThisMonth,
    BirthdayInMonth,
    BirthdayWithinDays,
    NotADate,
}

crate::variant_names! {
    pub DateOp {
        Before = "before", After = "after", Between = "between", On = "on", ThisMonth = "this_month",
        BirthdayInMonth = "birthday_in_month", BirthdayWithinDays = "birthday_within_days", NotADate = "not_a_date",
    }
}

/// The condition that a date must meet. A text that names no day or could mean two meets only [`DateTest::NotADate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DateTest {
    Before(NaiveDate),
    After(NaiveDate),
    /// Both days are included.
    Between(NaiveDate, NaiveDate),
    ThisMonth,
    /// `None` means the month in which the filter is evaluated.
    BirthdayInMonth(Option<u32>),
    /// Today is the first day, and this many days follow.
    BirthdayWithinDays(u32),
    /// The text is neither empty nor a date.
    NotADate,
}

/// Most days ahead that a birthday condition may cover.
pub const BIRTHDAY_DAYS_MAX: u32 = 366;
/// Stands for the month in which the filter is evaluated.
const THIS_MONTH: &str = "this";

/// The values that meet a [`DateTest`] on one day. Both ends of a range are included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DateRange {
    /// Days, counted by [`day_number`].
    Days(i64, i64),
    /// Birthdays in the form of [`crate::time::date::read_birthday`]. A match lies in one of the ranges.
    Birthdays(Vec<(u32, u32)>),
    NotADate,
}

/// Returns the days since the beginning of the calendar, so that days can be compared as numbers.
pub fn day_number(day: NaiveDate) -> i64 {
    day.num_days_from_ce().into()
}

fn parse_day(value: &Value) -> Option<NaiveDate> {
    let text = value.as_str()?;
    let has_year_first = text.len() == 10 && text.as_bytes().get(4) == Some(&b'-');
    read_day(text).filter(|_| has_year_first)
}

fn parse_number(value: &Value, most: u32) -> Option<u32> {
    let text = value.as_str()?;
    let is_plain = (1..=3).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|number| is_plain && *number <= most)
}

impl DateTest {
    /// Parses `value` and, for a range, `to`. The path of an error is relative to the condition.
    pub fn parse(op: DateOp, value: &Value, to: &Value) -> Result<Self, FieldError> {
        let day = |name: &str, value: &Value| {
            parse_day(value).ok_or_else(|| FieldError::new(name, "must be a day, such as 2026-01-05", value.clone()))
        };
        Ok(match op {
            DateOp::Before => Self::Before(day("value", value)?),
            DateOp::After => Self::After(day("value", value)?),
            DateOp::On => {
                let day = day("value", value)?;
                Self::Between(day, day)
            }
            DateOp::Between => {
                let (first, last) = (day("value", value)?, day("to", to)?);
                if first > last {
                    return Err(FieldError::new("to", "must not be before the first day", to.clone()));
                }
                Self::Between(first, last)
            }
            DateOp::ThisMonth => Self::ThisMonth,
            DateOp::BirthdayInMonth if value.as_str() == Some(THIS_MONTH) => Self::BirthdayInMonth(None),
            DateOp::BirthdayInMonth => {
                let month = parse_number(value, 12).filter(|month| *month > 0);
                let expected = "must be a month from \"1\" to \"12\", or \"this\"";
                Self::BirthdayInMonth(Some(month.ok_or_else(|| FieldError::new("value", expected, value.clone()))?))
            }
            DateOp::BirthdayWithinDays => {
                let expected = format!("must be a number of days from \"0\" to \"{BIRTHDAY_DAYS_MAX}\"");
                let days = parse_number(value, BIRTHDAY_DAYS_MAX);
                Self::BirthdayWithinDays(days.ok_or_else(|| FieldError::new("value", expected, value.clone()))?)
            }
            DateOp::NotADate => Self::NotADate,
        })
    }

    /// Returns whether the result depends on the day on which the filter is evaluated.
    pub fn follows_clock(self) -> bool {
        matches!(self, Self::ThisMonth | Self::BirthdayInMonth(None) | Self::BirthdayWithinDays(_))
    }

    /// Returns the values that match when the filter is evaluated on `today`.
    pub fn range_on(self, today: NaiveDate) -> DateRange {
        match self {
            Self::Before(day) => DateRange::Days(i64::MIN, day_number(day) - 1),
            Self::After(day) => DateRange::Days(day_number(day) + 1, i64::MAX),
            Self::Between(first, last) => DateRange::Days(day_number(first), day_number(last)),
            Self::ThisMonth => {
                let first = day_number(today) - i64::from(today.day0());
                DateRange::Days(first, first + i64::from(today.num_days_in_month()) - 1)
            }
            Self::BirthdayInMonth(month) => {
                let month = month.unwrap_or(today.month());
                DateRange::Birthdays(vec![(month * 100 + 1, month * 100 + 31)])
            }
            Self::BirthdayWithinDays(days) => DateRange::Birthdays(birthdays_within(today, days)),
            Self::NotADate => DateRange::NotADate,
        }
    }
}

const FIRST_BIRTHDAY: u32 = 101;
const LAST_BIRTHDAY: u32 = 1231;
const LEAP_DAY: u32 = 229;

/// Returns the ranges of the birthdays. In a year without 29 February, people born on that day have their birthday on
/// the 28th, in the month of their birth.
fn birthdays_within(today: NaiveDate, days: u32) -> Vec<(u32, u32)> {
    let end = today.checked_add_days(Days::new(days.into())).unwrap_or(NaiveDate::MAX);
    let from = today.month() * 100 + today.day();
    let to = match end.month() * 100 + end.day() {
        to if to == LEAP_DAY - 1 && !end.leap_year() => LEAP_DAY,
        to => to,
    };
    match end.year() - today.year() {
        0 => vec![(from, to)],
        1 if to < from => vec![(from, LAST_BIRTHDAY), (FIRST_BIRTHDAY, to)],
        _ => vec![(FIRST_BIRTHDAY, LAST_BIRTHDAY)],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::time::date::read_birthday;

    fn day(text: &str) -> NaiveDate {
        read_day(text).unwrap()
    }

    fn matches(test: DateTest, today: &str, text: &str) -> bool {
        match test.range_on(day(today)) {
            DateRange::Days(first, last) => {
                read_day(text).map(day_number).is_some_and(|day| (first..=last).contains(&day))
            }
            DateRange::Birthdays(ranges) => read_birthday(text)
                .is_some_and(|birthday| ranges.iter().any(|(first, last)| (*first..=*last).contains(&birthday))),
            DateRange::NotADate => read_day(text).is_none(),
        }
    }

    #[test]
    fn days_are_compared_with_days() {
        let parse = |op, value: &str, to: &str| DateTest::parse(op, &json!(value), &json!(to)).unwrap();
        for (test, yes, no) in [
            (
                parse(DateOp::Before, "2000-01-01", ""),
                &["1999-12-31", "31.12.1999"][..],
                &["2000-01-01", "1/2/1999"][..],
            ),
            (parse(DateOp::After, "2000-01-01", ""), &["2000-01-02"], &["2000-01-01", "soon", ""]),
            (parse(DateOp::On, "2000-02-29", ""), &["2000-02-29", "29/02/2000"], &["2000-02-28", "2000-03-01"]),
            (
                parse(DateOp::Between, "2000-01-01", "2000-01-31"),
                &["2000-01-01", "2000-01-31"],
                &["1999-12-31", "2000-02-01", "01/02/2000"],
            ),
        ] {
            yes.iter().for_each(|text| assert!(matches(test, "2026-01-05", text), "{test:?} {text}"));
            no.iter().for_each(|text| assert!(!matches(test, "2026-01-05", text), "{test:?} {text}"));
        }
    }

    #[test]
    fn this_month_has_all_of_its_days_and_no_others() {
        for (today, yes, no) in [
            ("2027-12-31", ["2027-12-01", "2027-12-31"], ["2027-11-30", "2028-01-01"]),
            ("2028-01-01", ["2028-01-01", "2028-01-31"], ["2027-12-31", "2028-02-01"]),
            ("2028-02-10", ["2028-02-01", "2028-02-29"], ["2028-01-31", "2028-03-01"]),
            ("2027-02-28", ["2027-02-01", "2027-02-28"], ["2026-02-28", "2027-03-01"]),
        ] {
            yes.iter().for_each(|text| assert!(matches(DateTest::ThisMonth, today, text), "{today} {text}"));
            no.iter().for_each(|text| assert!(!matches(DateTest::ThisMonth, today, text), "{today} {text}"));
        }
        assert!(matches(DateTest::BirthdayInMonth(None), "2028-02-10", "1960-02-29"));
        assert!(matches(DateTest::BirthdayInMonth(Some(12)), "2028-02-10", "--12-31"));
        assert!(!matches(DateTest::BirthdayInMonth(Some(12)), "2028-02-10", "1960-01-12"));
    }

    #[test]
    fn birthdays_come_back_every_year_also_over_its_end() {
        let within = |today: &str, days, born: &str| matches(DateTest::BirthdayWithinDays(days), today, born);
        for (today, days, born, is) in [
            ("2026-12-28", 7, "1980-12-28", true),
            ("2026-12-28", 7, "1980-12-31", true),
            ("2026-12-28", 7, "1980-01-04", true),
            ("2026-12-28", 7, "1980-01-05", false),
            ("2026-12-28", 7, "1980-12-27", false),
            ("2026-12-31", 0, "1980-12-31", true),
            ("2026-12-31", 0, "1980-01-01", false),
            ("2026-06-01", 7, "--06-08", true),
            ("2026-06-01", 7, "06/08/1980", false),
            ("2026-06-01", 365, "1980-05-31", true),
            ("2026-06-01", 364, "1980-05-31", true),
            ("2026-06-01", 363, "1980-05-31", false),
        ] {
            assert_eq!(within(today, days, born), is, "{today} {days} {born}");
        }
    }

    #[test]
    fn who_was_born_on_a_leap_day_has_a_birthday_each_year() {
        let within = |today: &str, days| matches(DateTest::BirthdayWithinDays(days), today, "1960-02-29");
        for (today, days, is) in [
            // In a year without 29 February, the birthday is on the 28th.
            ("2027-02-27", 0, false),
            ("2027-02-28", 0, true),
            ("2027-03-01", 0, false),
            ("2027-02-20", 7, false),
            ("2027-02-20", 8, true),
            // In a leap year, the birthday is on the 29th.
            ("2028-02-28", 0, false),
            ("2028-02-29", 0, true),
            ("2028-02-28", 1, true),
            ("2028-03-01", 0, false),
            ("2027-03-01", 364, false),
            ("2027-03-01", 365, true),
        ] {
            assert_eq!(within(today, days), is, "{today} {days}");
        }
    }

    #[test]
    fn a_value_that_no_date_can_be_compared_with_is_refused_at_its_place() {
        for (op, value, to, path) in [
            (DateOp::Before, json!("2026-02-30"), Value::Null, "value"),
            (DateOp::After, json!("01.02.2026"), Value::Null, "value"),
            (DateOp::On, Value::Null, Value::Null, "value"),
            (DateOp::Between, json!("2026-01-01"), Value::Null, "to"),
            (DateOp::Between, json!("2026-01-02"), json!("2026-01-01"), "to"),
            (DateOp::BirthdayInMonth, json!("0"), Value::Null, "value"),
            (DateOp::BirthdayInMonth, json!("13"), Value::Null, "value"),
            (DateOp::BirthdayInMonth, json!(1), Value::Null, "value"),
            (DateOp::BirthdayWithinDays, json!("367"), Value::Null, "value"),
            (DateOp::BirthdayWithinDays, json!("-1"), Value::Null, "value"),
        ] {
            assert_eq!(DateTest::parse(op, &value, &to).unwrap_err().path, path, "{op:?} {value}");
        }
    }
}
