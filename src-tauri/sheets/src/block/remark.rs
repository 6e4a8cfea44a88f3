//! The remarks of a reader about a file: what it left out, and what it passed on in another form.

use serde::{Deserialize, Serialize};

/// Most names that are counted separately. Further names are counted together.
const NAMES_MAX: usize = 500;
/// Most characters of a name and of an example.
const SHOWN_MAX: usize = 80;
/// The name under which further names are counted.
const OTHERS: &str = "…";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RemarkKind {
    /// A property of a card, or a value beside a list of records, that has no column.
    Property,
    /// Describes the file rather than a person, such as the version of a card or `sep=;`.
    Form,
    /// A name that only repeats the other names of its card.
    Repeated,
    /// A name that occurs twice in a JSON record. Both values were taken.
    Doubled,
    /// A comment on a cell.
    Comment,
    /// The cell shows fewer digits than the file holds. The shown digits were taken.
    Rounded,
    /// The cell shows a power of ten. The digits in the file were taken.
    Exact,
    /// The cell shows a date in another form. Year, month and day were taken.
    Date,
    /// The format of the cell hides its value.
    Hidden,
    /// A row that the sheet hides, for example by a filter. It was taken.
    HiddenRow,
    /// A formula whose result is not in the file.
    NoResult,
}

impl RemarkKind {
    /// Returns whether the rows lack something that the file holds.
    pub fn is_left_out(self) -> bool {
        !matches!(self, Self::Rounded | Self::Exact | Self::Date | Self::Doubled | Self::HiddenRow)
    }
}

/// The number of cases of one kind, with the first case as an example.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    pub kind: RemarkKind,
    /// The name in the file. Empty if it has none.
    pub name: String,
    pub count: u64,
    pub example: String,
}

/// The remarks of one reading.
#[derive(Debug, Clone, Default)]
pub(crate) struct RemarkList(Vec<Remark>);

impl RemarkList {
    pub(crate) fn as_slice(&self) -> &[Remark] {
        &self.0
    }

    pub(crate) fn add(&mut self, kind: RemarkKind, name: &str, example: &str) {
        self.add_many(kind, name, 1, || example.to_owned());
    }

    pub(crate) fn add_many(&mut self, kind: RemarkKind, name: &str, count: u64, example: impl FnOnce() -> String) {
        let is_full = self.0.len() >= NAMES_MAX;
        let is_it = |remark: &&mut Remark| remark.kind == kind && remark.name == name;
        if let Some(remark) = self.0.iter_mut().find(is_it) {
            remark.count += count;
            return;
        }
        if is_full && name != OTHERS {
            return self.add_many(kind, OTHERS, count, example);
        }
        let example = shorten(&example());
        self.0.push(Remark { kind, name: shorten(name), count, example });
    }
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns whether `shown` is the number `stored` with fewer digits.
pub(crate) fn is_rounded(stored: &str, shown: &str) -> bool {
    if stored == shown {
        return false;
    }
    let Ok(value) = stored.trim().parse::<f64>() else { return false };
    let digits = |text: &str| -> String {
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        digits.trim_start_matches('0').trim_end_matches('0').to_owned()
    };
    let is_power = |text: &str| text.starts_with(['+', '-']) && text[1..].bytes().all(|byte| byte.is_ascii_digit());
    let shown = digits(shown.rsplit_once('E').filter(|(_, power)| is_power(power)).map_or(shown, |(digits, _)| digits));
    // Digits after the fifteenth are rounding noise.
    let mantissa = |count: usize| {
        let text = format!("{:.*e}", count.saturating_sub(1), value.abs());
        digits(text.split('e').next().unwrap_or_default())
    };
    !shown.is_empty() && mantissa(15).len() > shown.len() && mantissa(shown.len()) == shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_of_one_kind_and_name_are_counted_and_the_first_is_shown() {
        let mut remarks = RemarkList::default();
        remarks.add(RemarkKind::Property, "UID", "1");
        remarks.add(RemarkKind::Property, "UID", "2");
        remarks.add(RemarkKind::Form, "UID", &"x".repeat(200));
        let counts: Vec<_> = remarks.as_slice().iter().map(|remark| (remark.kind, remark.count)).collect();
        assert_eq!(counts, [(RemarkKind::Property, 2), (RemarkKind::Form, 1)]);
        assert_eq!(remarks.as_slice()[0].example, "1");
        assert_eq!(remarks.as_slice()[1].example.chars().count(), SHOWN_MAX + 1);
    }

    #[test]
    fn names_without_end_are_counted_together() {
        let mut remarks = RemarkList::default();
        (0..2_000).for_each(|n| remarks.add(RemarkKind::Property, &format!("n{n}"), "x"));
        assert_eq!(remarks.as_slice().len(), NAMES_MAX + 1);
        assert_eq!(remarks.as_slice().iter().map(|remark| remark.count).sum::<u64>(), 2_000);
    }

    #[test]
    fn a_number_that_shows_fewer_digits_is_rounded() {
        for (stored, shown) in [
            ("0.123456", "0.12"),
            ("12345.678", "12,346"),
            ("0.07523", "7.5%"),
            ("1.5", "2"),
            ("1.2345678901234567e19", "1.23457E+19"),
        ] {
            assert!(is_rounded(stored, shown), "{stored} {shown}");
        }
        for (stored, shown) in [
            ("0.12", "0.12"),
            ("0.075", "7.5%"),
            ("1200", "1,200.00"),
            ("45000", "2023-03-15"),
            ("0.30000000000000004", "0.3"),
            ("5", "yes"),
            ("-3", "(3)"),
            ("1e21", "1E+21"),
            ("1.25e-10", "1.25E-10"),
        ] {
            assert!(!is_rounded(stored, shown), "{stored} {shown}");
        }
    }
}
