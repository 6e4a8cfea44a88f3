//! Reads the service's clock from the headers of its responses. It is never compared with the local one.

use chrono::DateTime;
use roost_model::time::Timestamp;

/// Parses a date such as `Sun, 06 Nov 1994 08:49:37 GMT`.
pub(super) fn parse_date(text: &str) -> Option<Timestamp> {
    DateTime::parse_from_rfc2822(text.trim()).ok().map(|at| Timestamp::from_unix(at.timestamp()))
}

/// Parses the seconds to wait, given as a number or as a date. A date means nothing without the service's `now`.
pub(super) fn parse_wait(text: &str, now: Option<Timestamp>) -> Option<u32> {
    text.trim().parse().ok().or_else(|| {
        let seconds = parse_date(text)?.unix() - now?.unix();
        Some(u32::try_from(seconds.max(0)).unwrap_or(u32::MAX))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_given_in_seconds_or_by_the_services_clock() {
        let now = parse_date("Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(now.map(Timestamp::to_iso).as_deref(), Some("1994-11-06T08:49:37Z"));
        for (text, seconds) in [
            ("7", Some(7)),
            (" 0 ", Some(0)),
            ("Sun, 06 Nov 1994 08:50:07 GMT", Some(30)),
            ("Sun, 06 Nov 1994 08:49:00 GMT", Some(0)),
            ("Fri, 31 Dec 9999 23:59:59 GMT", Some(u32::MAX)),
            ("soon", None),
            ("-1", None),
            ("", None),
        ] {
            assert_eq!(parse_wait(text, now), seconds, "{text}");
        }
        assert_eq!(parse_wait("Sun, 06 Nov 1994 08:50:07 GMT", None), None, "whose clock would it be?");
    }
}
