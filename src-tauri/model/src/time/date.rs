//! Reads calendar dates from texts. Nothing is guessed: a text that could mean two days is not a day.

use chrono::{Datelike, NaiveDate};

/// A calendar date, as far as its text determines it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrittenDate {
    /// Only one interpretation is possible.
    Certain(NaiveDate),
    /// A day only if the day comes first: `31/12/1950`.
    DayFirst(NaiveDate),
    /// A day only if the month comes first: `12/31/1950`.
    MonthFirst(NaiveDate),
    /// Both interpretations are possible.
    Ambiguous { day_first: NaiveDate, month_first: NaiveDate },
}

/// Returns the date without the time after it.
pub fn without_time(text: &str) -> &str {
    text.split_once([' ', 'T']).filter(|(_, time)| is_time(time.trim())).map_or(text, |(date, _)| date)
}

/// Accepts `0:00`, `12:00:00 AM`, `00:00:00.000Z` and `00:00:00+01:00`.
fn is_time(text: &str) -> bool {
    let text = text.trim_end_matches(['Z', 'z']);
    let text = text.strip_suffix(|c: char| c.is_ascii_alphabetic()).map_or(text, |rest| {
        // The last letter is the M of AM or PM.
        rest.strip_suffix(['A', 'P', 'a', 'p']).unwrap_or(text).trim_end()
    });
    let clock = text.split(['+', '-']).next().unwrap_or_default();
    let parts: Vec<&str> = clock.split([':', '.']).collect();
    let are_digits = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    (2..=4).contains(&parts.len()) && clock.contains(':') && parts.iter().all(are_digits) && parts[0].len() <= 2
}

/// Parses a date with a year of four digits. Any other text returns `None`.
pub fn parse_date(text: &str) -> Option<WrittenDate> {
    let text = text.trim();
    // Most texts are not dates, and their beginning shows it.
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

/// Returns whether a text has the form of a date or is a bare number, but is not a day of the calendar: `1950-02-30`,
/// `0/0/00`, `18295`. A year alone, and year, month and day without separators, are accepted.
pub fn is_impossible_date(text: &str) -> bool {
    let date = without_time(text.trim());
    let parts: Vec<&str> = date.split(['-', '.', '/']).collect();
    if date.is_empty() || parts.iter().any(|part| part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit())) {
        return false;
    }
    let day = |year: &str, month: &str, day: &str| {
        let numbers = (year.parse::<i32>().ok()?, month.parse().ok()?, day.parse().ok()?);
        NaiveDate::from_ymd_opt(numbers.0, numbers.1, numbers.2).filter(|_| year.len() < 4 || numbers.0 > 0)
    };
    match parts[..] {
        [bare] => bare.len() != 4 && (bare.len() != 8 || day(&bare[..4], &bare[4..6], &bare[6..]).is_none()),
        [a, b, c] => [day(a, b, c), day(c, b, a), day(c, a, b)].iter().all(Option::is_none),
        _ => false,
    }
}

/// Returns the day that a text names, or `None` if it names no day or could mean two.
pub fn read_day(text: &str) -> Option<NaiveDate> {
    match parse_date(text)? {
        WrittenDate::Certain(day) | WrittenDate::DayFirst(day) | WrittenDate::MonthFirst(day) => Some(day),
        WrittenDate::Ambiguous { .. } => None,
    }
}

/// Returns the month and the day of a text as `month * 100 + day`. The year may be missing, as address books write it:
/// `--02-01`.
pub fn read_birthday(text: &str) -> Option<u32> {
    let (month, day) = match text.trim().strip_prefix("--") {
        Some(rest) => {
            let (month, day) = rest.split_once('-').or_else(|| rest.split_at_checked(2))?;
            let number = |text: &str| text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
            // A leap year has every possible day.
            let found = NaiveDate::from_ymd_opt(2000, number(month)?, number(day)?)?;
            (found.month(), found.day())
        }
        None => {
            let found = read_day(text)?;
            (found.month(), found.day())
        }
    };
    Some(month * 100 + day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_that_no_calendar_has_is_impossible() {
        for text in ["0/0/00", "00/00/0000", "0000-00-00", "1950-02-30", "31/02/1950 00:00", "29.02.1900", "18295", "0"]
        {
            assert!(is_impossible_date(text), "{text}");
        }
        for text in
            ["01/02/50", "31/12/99", "29/02/2000", "1950-02-01", "1950", "19500201", "1950-02", "--02-01", "May", ""]
        {
            assert!(!is_impossible_date(text), "{text}");
        }
    }

    #[test]
    fn a_day_is_read_where_a_text_says_one_day_alone() {
        for (text, day) in [
            ("1950-02-01", Some("1950-02-01")),
            (" 1950-02-01 00:00:00 ", Some("1950-02-01")),
            ("1.2.1950", Some("1950-02-01")),
            ("31/12/1950", Some("1950-12-31")),
            ("12/31/1950", Some("1950-12-31")),
            ("05/05/1950", Some("1950-05-05")),
            ("2000-02-29", Some("2000-02-29")),
            ("1900-02-29", None),
            ("01/02/1950", None),
            ("01/02/50", None),
            ("--02-01", None),
            ("1950", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(read_day(text).map(|day| day.to_string()).as_deref(), day, "{text}");
        }
    }

    #[test]
    fn a_birthday_needs_no_year() {
        for (text, birthday) in [
            ("1950-02-01", Some(201)),
            ("--02-01", Some(201)),
            ("--0201", Some(201)),
            ("--02-29", Some(229)),
            ("--02-30", None),
            ("--+2-01", None),
            ("--13-01", None),
            ("--", None),
            ("--é1-01", None),
            ("01/02/1950", None),
        ] {
            assert_eq!(read_birthday(text), birthday, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,30}|[0-9/.:T APM+-]{0,25}") {
            let (day, birthday) = (read_day(&text), read_birthday(&text));
            proptest::prop_assert!(day.is_none() || birthday.is_some(), "{}", text);
        }
    }
}
