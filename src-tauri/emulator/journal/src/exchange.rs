//! A line of the journal: a request, its response, and the reason if it was refused.

use std::borrow::Cow;
use std::time::Instant;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::reason::RefusalCause;

/// The most bytes of a body that are recorded.
const BODY_MAX: usize = 64 * 1024;
/// The most characters of a header's value that are recorded.
pub(super) const HEADER_MAX: usize = 4 * 1024;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Direction {
    /// A request to this server.
    #[default]
    In,
    /// A callback that this server sent.
    Out,
}

roost_model::variant_names! { pub Direction { In = "in", Out = "out" } }

/// A time with nanoseconds, by the account's clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalTime {
    pub unix: i64,
    pub nanos: u32,
}

impl JournalTime {
    pub fn now(core: &roost_ops::Core) -> Self {
        let (at, nanos) = core.ctx().now_nanos();
        Self { unix: at.unix(), nanos }
    }

    /// Reads the system's clock.
    pub fn real_now(core: &roost_ops::Core) -> Self {
        let (at, nanos) = core.ctx().real_nanos();
        Self { unix: at.unix(), nanos }
    }

    /// Formats the time like `2026-01-05T09:00:00.123456789Z`.
    pub fn to_iso(self) -> String {
        roost_wire::envelope::error_time(self.unix, self.nanos)
    }
}

/// The recorded part of a body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum RecordedBody {
    /// The message had no body, or nothing read it.
    #[default]
    None,
    Recorded {
        /// The beginning of the body, up to the limit.
        bytes: Bytes,
        /// The full length of the body.
        length: u64,
    },
    /// The body may hold a secret, so only its length is recorded.
    Withheld { length: u64 },
    /// The request was refused before its body was read; its head announced this length.
    Unread { length: u64 },
}

impl RecordedBody {
    /// Copies the beginning, so that the record does not keep the whole body in memory.
    pub fn from_body(body: &Bytes) -> Self {
        Self::from_beginning(body, body.len() as u64)
    }

    /// Shares the body if all of it is recorded, so that a response sent to many callers is in memory once.
    pub fn share_body(body: &Bytes) -> Self {
        match body.len() {
            0 => Self::None,
            length if length <= BODY_MAX => Self::Recorded { bytes: body.clone(), length: length as u64 },
            _ => Self::from_body(body),
        }
    }

    pub fn from_beginning(beginning: &[u8], length: u64) -> Self {
        if length == 0 {
            return Self::None;
        }
        let recorded = &beginning[..beginning.len().min(BODY_MAX)];
        Self::Recorded { bytes: Bytes::copy_from_slice(recorded), length }
    }

    pub fn length(&self) -> u64 {
        match self {
            Self::None => 0,
            Self::Recorded { length, .. } | Self::Withheld { length } | Self::Unread { length } => *length,
        }
    }

    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Recorded { bytes, .. } => bytes,
            Self::None | Self::Withheld { .. } | Self::Unread { .. } => &[],
        }
    }

    /// Whether the whole body is recorded.
    pub fn is_whole(&self) -> bool {
        self.bytes().len() as u64 == self.length()
    }

    /// Returns how many more bytes of a streamed body can be recorded.
    pub fn room_left(recorded: usize) -> usize {
        BODY_MAX.saturating_sub(recorded)
    }
}

/// Names and values in one text, because every request has a dozen headers and a text each would take more memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordedHeaders(String);

impl RecordedHeaders {
    /// Appends a header. Name and value must not contain a line end, which headers of HTTP never do.
    pub fn push(&mut self, name: &str, value: impl FnOnce(&mut String)) {
        self.0.push_str(name);
        self.0.push('\n');
        value(&mut self.0);
        self.0.push('\n');
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut lines = self.0.split_terminator('\n');
        std::iter::from_fn(move || Some((lines.next()?, lines.next()?)))
    }

    /// Returns all values of a header; `name` is in lower case.
    pub fn values_of<'h>(&'h self, name: &str) -> impl Iterator<Item = &'h str> {
        self.iter().filter(move |(given, _)| *given == name).map(|(_, value)| value)
    }

    fn weight(&self) -> usize {
        self.0.capacity()
    }
}

impl<N: AsRef<str>, V: AsRef<str>> FromIterator<(N, V)> for RecordedHeaders {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Self {
        let mut headers = Self::default();
        for (name, value) in pairs {
            headers.push(name.as_ref(), |all| all.push_str(value.as_ref()));
        }
        headers
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordedMessage {
    /// The headers, with secrets masked.
    pub headers: RecordedHeaders,
    pub body: RecordedBody,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exchange {
    /// The position in the journal, assigned when the line is complete; rises by one with each line.
    pub id: u64,
    /// Assigned when the request arrived or the callback was sent. Whatever the request caused refers to this number.
    pub number: u64,
    /// How often the world had been reset.
    pub epoch: u64,
    /// The newest undo step of the account when the request ended.
    pub step: i64,
    pub at: JournalTime,
    /// The same time by the system's clock.
    pub real_at: JournalTime,
    pub direction: Direction,
    pub method: Cow<'static, str>,
    /// Path and query; of a callback the whole address.
    pub target: String,
    /// An operation of the interface, `admin.…`, `short_link` or `callback`; none if the request was unmatched.
    pub operation: Option<Cow<'static, str>>,
    /// None if there was no response, or the caller left before it.
    pub status: Option<u16>,
    pub micros: u64,
    /// The masked key: its first characters.
    pub key: Option<String>,
    /// A fingerprint to compare keys, different in each process.
    pub key_print: Option<u64>,
    /// The fault rule that fired.
    pub rule: Option<Box<str>>,
    /// The response of the operation, if a rule replaced it afterwards.
    pub meant: Option<(u16, RecordedBody)>,
    pub why: Option<RefusalCause>,
    pub request: RecordedMessage,
    pub response: RecordedMessage,
    /// The number of a callback's attempt, from 1.
    pub attempt: Option<u32>,
    /// The job that a callback reports.
    pub job: Option<i64>,
}

impl Exchange {
    /// Returns the path without the query, and of a callback without the host.
    pub fn path(&self) -> &str {
        let place = self.target.split_once('?').map_or(self.target.as_str(), |(place, _)| place);
        match place.split_once("://") {
            Some((_, rest)) => rest.find('/').map_or("/", |at| &rest[at..]),
            None => place,
        }
    }

    /// Estimates the memory that the line takes.
    pub(super) fn weight(&self) -> usize {
        const EMPTY: usize = 512;
        let message = |message: &RecordedMessage| message.headers.weight() + message.body.bytes().len();
        EMPTY
            + self.target.len()
            + self.rule.as_ref().map_or(0, |rule| rule.len())
            + self.meant.as_ref().map_or(0, |(_, body)| body.bytes().len())
            + message(&self.request)
            + message(&self.response)
            + self.why.as_ref().map_or(0, RefusalCause::weight)
    }
}

/// Returns the microseconds since an instant.
pub fn elapsed_micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_body_is_cut_and_its_length_is_recorded() {
        let body = RecordedBody::from_body(&Bytes::from(vec![7; BODY_MAX + 1]));
        assert_eq!((body.bytes().len(), body.length(), body.is_whole()), (BODY_MAX, BODY_MAX as u64 + 1, false));
        let body = RecordedBody::from_body(&Bytes::from_static(b"{}"));
        assert_eq!((body.bytes(), body.length(), body.is_whole()), (b"{}".as_slice(), 2, true));
        assert_eq!(RecordedBody::from_body(&Bytes::new()), RecordedBody::None);
        let long = Bytes::from(vec![7; BODY_MAX + 1]);
        for body in [&Bytes::new(), &Bytes::from_static(b"{}"), &long] {
            assert_eq!(
                RecordedBody::share_body(body),
                RecordedBody::from_body(body),
                "shared or copied, it reads the same"
            );
        }
    }

    #[test]
    fn headers_come_back_in_order_and_by_name() {
        let headers: RecordedHeaders = [("a", "1"), ("b", ""), ("a", "x y")].into_iter().collect();
        assert_eq!(headers.iter().collect::<Vec<_>>(), [("a", "1"), ("b", ""), ("a", "x y")]);
        assert_eq!(headers.values_of("a").collect::<Vec<_>>(), ["1", "x y"]);
        assert_eq!(headers.values_of("c").count(), 0);
    }
}
