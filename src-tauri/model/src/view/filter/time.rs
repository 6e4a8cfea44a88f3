//! The time conditions of a filter: days, points in time, and numbers of days back.

use crate::time::TimeBound;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TimeOp {
    Before,
    After,
    On,
    WithinDays,
}

crate::variant_names! { pub TimeOp { Before = "before", After = "after", On = "on", WithinDays = "within_days" } }

/// A range of time that includes both ends, or a number of days back from the time of evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TimeSpan {
    Fixed { first: i64, last: i64 },
    Days(u32),
}

const SECONDS_PER_DAY: i64 = 86_400;
pub(super) const DAYS_MAX: u32 = 36_500;

impl TimeSpan {
    /// Parses a day (`2026-01-05`, in UTC) or a point in time (`2026-01-05T09:00:00Z`). For days back, parses a number.
    pub fn parse(op: TimeOp, text: &str) -> Option<Self> {
        if op == TimeOp::WithinDays {
            let is_plain = !text.is_empty() && text.len() <= 5 && text.bytes().all(|byte| byte.is_ascii_digit());
            return text.parse().ok().filter(|days| is_plain && *days <= DAYS_MAX).map(Self::Days);
        }
        if let Some(day) = TimeBound::parse(&format!("{text}T00:00:00Z")) {
            let first = day.at_or_before();
            return Some(Self::Fixed { first, last: first + SECONDS_PER_DAY - 1 });
        }
        TimeBound::parse(text).map(|moment| Self::Fixed { first: moment.at_or_after(), last: moment.at_or_before() })
    }

    /// Returns the range of matching seconds, both ends included, as evaluated at `now`.
    pub fn bounds(self, op: TimeOp, now: i64) -> (i64, i64) {
        match (self, op) {
            (Self::Days(days), _) => (now - i64::from(days) * SECONDS_PER_DAY, i64::MAX),
            (Self::Fixed { first, .. }, TimeOp::Before) => (i64::MIN, first - 1),
            (Self::Fixed { last, .. }, TimeOp::After) => (last + 1, i64::MAX),
            (Self::Fixed { first, last }, TimeOp::On | TimeOp::WithinDays) => (first, last),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_all_of_its_seconds() {
        let day = TimeSpan::parse(TimeOp::On, "1970-01-02").unwrap();
        assert_eq!(day.bounds(TimeOp::On, 0), (86_400, 172_799));
        assert_eq!(day.bounds(TimeOp::Before, 0), (i64::MIN, 86_399));
        assert_eq!(day.bounds(TimeOp::After, 0), (172_800, i64::MAX));
        let moment = TimeSpan::parse(TimeOp::After, "1970-01-02T00:00:05Z").unwrap();
        assert_eq!(moment.bounds(TimeOp::After, 0), (86_406, i64::MAX));
        assert_eq!(moment.bounds(TimeOp::Before, 0), (i64::MIN, 86_404));
    }

    #[test]
    fn days_back_are_counted_from_the_time_of_looking() {
        let week = TimeSpan::parse(TimeOp::WithinDays, "7").unwrap();
        assert_eq!(week.bounds(TimeOp::WithinDays, 1_000_000), (1_000_000 - 7 * 86_400, i64::MAX));
        for bad in ["", "-1", "+1", "1.5", "40000", "seven"] {
            assert_eq!(TimeSpan::parse(TimeOp::WithinDays, bad), None, "{bad}");
        }
        assert_eq!(TimeSpan::parse(TimeOp::On, "2026-02-30"), None);
    }
}
