//! Formats and parses times, numbers and UIDs, and decodes paths.

/// Writes `YYYY-MM-DDTHH:MM:SS` with the given separator between date and time.
fn format_seconds(ms: i64, separator: char) -> String {
    let seconds = ms.div_euclid(1000);
    let days = seconds.div_euclid(86_400);
    let of_day = seconds.rem_euclid(86_400);
    let (year, month, day) = civil_date(days);
    format!("{year:04}-{month:02}-{day:02}{separator}{:02}:{:02}:{:02}", of_day / 3600, of_day / 60 % 60, of_day % 60)
}

/// Formats a time for the header `Date`, such as `Mon, 05 Jan 2026 09:00:00 GMT`.
pub(crate) fn format_http_date(ms: i64) -> String {
    const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let name = |names: &[&'static str], at: i64| {
        usize::try_from(at).ok().and_then(|at| names.get(at).copied()).unwrap_or_default()
    };
    let seconds = ms.div_euclid(1000);
    let days = seconds.div_euclid(86_400);
    let of_day = seconds.rem_euclid(86_400);
    let (year, month, day) = civil_date(days);
    format!(
        "{}, {day:02} {} {year:04} {:02}:{:02}:{:02} GMT",
        name(&WEEKDAYS, days.rem_euclid(7)),
        name(&MONTHS, month - 1),
        of_day / 3600,
        of_day / 60 % 60,
        of_day % 60
    )
}

/// Returns the proleptic Gregorian date of a day counted from 1970-01-01.
fn civil_date(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

fn days_from_date(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let march_month = (month + 9) % 12;
    let of_year = (153 * march_month + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Formats a time of lists, opt-outs and short links: `YYYY-MM-DDTHH:MM:SSZ`.
pub(crate) fn format_time(ms: i64) -> String {
    let mut text = format_seconds(ms, 'T');
    text.push('Z');
    text
}

/// Formats a time of contacts: `YYYY-MM-DD HH:MM:SS`.
pub(crate) fn format_contact_time(ms: i64) -> String {
    format_seconds(ms, ' ')
}

/// Formats a time of errors, with nanoseconds.
pub(crate) fn format_error_time(ms: i64) -> String {
    format!("{}.{:03}000000Z", format_seconds(ms, 'T'), ms.rem_euclid(1000))
}

/// Parses a filter time (D22) to milliseconds.
pub(crate) fn parse_time(text: &str) -> Option<i64> {
    let body = text.strip_suffix('Z')?;
    let (seconds, fraction) = match body.split_once('.') {
        Some((seconds, fraction)) => (seconds, Some(fraction)),
        None => (body, None),
    };
    let bytes = seconds.as_bytes();
    let shape = bytes.len() == 19
        && bytes.iter().enumerate().all(|(index, byte)| match index {
            4 | 7 => *byte == b'-',
            10 => *byte == b'T',
            13 | 16 => *byte == b':',
            _ => byte.is_ascii_digit(),
        });
    if !shape {
        return None;
    }
    let part = |from: usize, to: usize| seconds.get(from..to)?.parse::<i64>().ok();
    let (year, month, day) = (part(0, 4)?, part(5, 7)?, part(8, 10)?);
    let (hour, minute, second) = (part(11, 13)?, part(14, 16)?, part(17, 19)?);
    let days = days_from_date(year, month, day);
    if civil_date(days) != (year, month, day) || !(1..=12).contains(&month) {
        return None;
    }
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let mut ms = 0;
    if let Some(fraction) = fraction {
        let digits = !fraction.is_empty() && fraction.len() <= 9 && fraction.bytes().all(|byte| byte.is_ascii_digit());
        if !digits {
            return None;
        }
        let padded = format!("{fraction:0<3}");
        ms = padded.get(0..3)?.parse::<i64>().ok()?;
    }
    Some((days * 86_400 + hour * 3600 + minute * 60 + second) * 1000 + ms)
}

/// Creates a UID that sorts by creation second and then by sequence (D34).
pub(crate) fn make_uid(prefix: &str, ms: i64, sequence: u64) -> String {
    let seconds = (ms.div_euclid(1000) - 1_400_000_000).max(0);
    format!("{prefix}{seconds:010}{sequence:017}")
}

/// Returns whether a UID has the prefix and 27 letters or digits (D33).
pub(crate) fn is_uid(text: &str, prefix: &str) -> bool {
    text.strip_prefix(prefix)
        .is_some_and(|rest| rest.len() == 27 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Implements D37: removes separators. Returns `None` if a character is not allowed.
fn remove_separators(raw: &str) -> Option<String> {
    let mut digits = String::with_capacity(raw.len());
    for character in raw.trim().chars() {
        match character {
            '+' if digits.is_empty() => digits.push('+'),
            '0'..='9' => digits.push(character),
            ' ' | '\u{a0}' | '\t' | '(' | ')' | '-' | '.' | '/' | '\u{2010}'..='\u{2015}' => {}
            _ => return None,
        }
    }
    Some(digits)
}

/// Implements a rough form of D40, because libphonenumber's metadata is not available here.
fn is_valid_number(e164: &str) -> bool {
    let Some(digits) = e164.strip_prefix('+') else {
        return false;
    };
    if let Some(national) = digits.strip_prefix("44") {
        return national.len() == 10 && !national.starts_with(['0', '4', '5', '6']);
    }
    (8..=15).contains(&digits.len()) && !digits.starts_with('0')
}

/// Implements D39: the number of an opt-out.
pub(crate) fn parse_opt_out_number(raw: &str) -> Option<String> {
    let digits = remove_separators(raw)?;
    let e164 = if digits.starts_with('+') { digits } else { format!("+{digits}") };
    is_valid_number(&e164).then_some(e164)
}

/// Implements D38: the number of a contact, with national forms read as GB.
pub(crate) fn parse_contact_number(raw: &str) -> Option<String> {
    let digits = remove_separators(raw)?;
    let e164 = if digits.starts_with('+') {
        digits
    } else if let Some(rest) = digits.strip_prefix("00") {
        format!("+{rest}")
    } else if let Some(rest) = digits.strip_prefix('0') {
        format!("+44{rest}")
    } else if digits.starts_with("44") && digits.len() == 12 {
        format!("+{digits}")
    } else {
        format!("+44{digits}")
    };
    is_valid_number(&e164).then_some(e164)
}

/// Implements D38: the value of a contact search, compared as text.
pub(crate) fn parse_search_number(raw: &str) -> Option<String> {
    let digits = remove_separators(raw)?;
    Some(if digits.starts_with('+') { digits } else { format!("+{digits}") })
}

/// Implements D41 as far as the numbers of this world need it.
pub(crate) fn number_region(e164: &str) -> &'static str {
    if e164.starts_with("+44") { "GB" } else { "001" }
}

/// Decodes `%XX`, and also `+` as a space if `form` is set (D8, D9).
pub(crate) fn decode_percent(text: &str, form: bool) -> String {
    if !text.contains(['%', '+']) {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while let Some(byte) = bytes.get(index) {
        let hex = text.get(index + 1..index + 3).and_then(|pair| u8::from_str_radix(pair, 16).ok());
        match (byte, hex) {
            (b'%', Some(value)) => {
                out.push(value);
                index += 3;
                continue;
            }
            (b'+', _) if form => out.push(b' '),
            _ => out.push(*byte),
        }
        index += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Returns the decoded parameters of a query, in order.
pub(crate) fn parse_query(query: &str) -> Vec<(String, String)> {
    query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode_percent(name, true), decode_percent(value, true))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_and_read_back() {
        let ms = 1_767_603_600_000;
        assert_eq!(format_time(ms), "2026-01-05T09:00:00Z");
        assert_eq!(format_contact_time(ms), "2026-01-05 09:00:00");
        assert_eq!(parse_time("2026-01-05T09:00:00Z"), Some(ms));
        assert_eq!(parse_time("2026-01-05T09:00:00.5Z"), Some(ms + 500));
        for bad in ["2026-02-30T00:00:00Z", "2026-01-05T09:00:00", "2026-01-05", "2026-01-05T09:00:60Z"] {
            assert_eq!(parse_time(bad), None, "{bad}");
        }
    }

    #[test]
    fn numbers_are_normalised() {
        for raw in ["07700900001", "447700900001", "7700900001", "00447700900001", "+44 7700-900001"] {
            assert_eq!(parse_contact_number(raw).as_deref(), Some("+447700900001"), "{raw}");
        }
        assert_eq!(parse_opt_out_number("447700900001").as_deref(), Some("+447700900001"));
        assert_eq!(parse_opt_out_number("07700900001"), None);
        assert_eq!(parse_opt_out_number("12"), None);
    }
}
