//! Interprets the service's response to a step: by its status, then by its code, never by the text of a message.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::plan::Lane;

/// The result of one call, as far as it reached the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallReply<'a> {
    Response(ResponseFacts<'a>),
    /// The request never left: there was no connection, the host name did not resolve, or our own rules refused it.
    NotSent,
    /// The request left and no response came back: a time-out, a broken connection, or a restart.
    NoResponse,
}

/// The facts about a response of the service that decide its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ResponseFacts<'a> {
    pub status: u16,
    /// The code from the body, if the body has one of the two known shapes.
    pub code: Option<&'a str>,
    pub error: Option<&'a str>,
    /// Whether the body has one of the known shapes.
    pub known_shape: bool,
    pub retry_after: Option<u32>,
    /// Whether many calls of this lane went out just before.
    pub after_burst: bool,
}

/// The reason for which the service refused a request. Nothing happened. The interface has a sentence for each that
/// says what to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalReason {
    /// A value breaks a rule of the service. The user fixes it and sends it again.
    Rule,
    /// The list no longer exists at the service. The user pulls and then decides about it.
    ListNotFound,
    /// An identifier is malformed. The user pulls again; if the refusal persists, the address or the account has
    /// changed.
    MalformedId,
    /// The service did not understand the request. The interface may have changed.
    Body,
    /// The service refused in words that Roost does not know. They are shown unchanged.
    Unknown,
}

/// The reason for which the whole run stops, because every other call would fail as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The key is missing, wrong or disabled. The user enters it again.
    KeyRefused,
    /// The key lacks a permission. The user asks for it or leaves these steps out.
    NotPermitted,
    /// The interface is not at this address. The user checks the base address and the paths.
    WrongAddress,
    /// The address redirects elsewhere, and a key is never sent to a redirect. The user enters the new address if it is
    /// right.
    Redirected,
}

/// The meaning of the result of a call for its step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResponseMeaning {
    Done,
    /// The record that the call named does not exist. After a deletion, a read confirms this.
    Gone,
    Refused(RefusalReason),
    /// Nothing happened. The lane has to slow down.
    Throttled {
        retry_after: Option<u32>,
    },
    /// Nothing happened. The request has to be split in two.
    TooLarge,
    /// Nothing that matters happened. The call can be repeated.
    Again,
    /// The request may or may not have taken effect.
    Uncertain,
    Stop(StopReason),
}

impl ResponseMeaning {
    /// Returns whether the same request would always end the same way.
    pub fn is_permanent(self) -> bool {
        match self {
            Self::Refused(_) | Self::Stop(_) | Self::TooLarge => true,
            Self::Done | Self::Gone | Self::Throttled { .. } | Self::Again | Self::Uncertain => false,
        }
    }
}

/// Returns whether the operation only reads, so that it can be repeated at any time.
pub fn is_read(lane: Lane) -> bool {
    use Lane::*;
    matches!(
        lane,
        SendersQuery | SendersGet | ListsQuery | ContactsQuery | OptOutsQuery | ShortLinksSearch | ShortLinksGet
    )
}

/// Returns whether the operation reads or deletes exactly the record that its path names. The deletion of opt-outs does
/// not: it is answered entry by entry.
fn addresses_one_record(lane: Lane) -> bool {
    use Lane::*;
    matches!(lane, ContactsDelete | ListsDelete | ShortLinksDelete | SendersDelete | SendersGet | ShortLinksGet)
}

/// The code with which the service says that a sender does not exist.
const SENDER_NOT_FOUND_CODE: &str = "3006";

/// Returns whether the status proves that the request was carried out. The deletion of a single record answers 204 and
/// nothing else.
pub fn is_success(lane: Lane, status: u16) -> bool {
    if addresses_one_record(lane) && !is_read(lane) { status == 204 } else { (200..300).contains(&status) }
}

/// Decides what the result of a call means. Whatever may have changed something without proof is uncertain.
pub fn interpret_reply(lane: Lane, word: CallReply<'_>) -> ResponseMeaning {
    let unknown_fate = if is_read(lane) { ResponseMeaning::Again } else { ResponseMeaning::Uncertain };
    let answer = match word {
        CallReply::NotSent => return ResponseMeaning::Again,
        CallReply::NoResponse => return unknown_fate,
        CallReply::Response(answer) => answer,
    };
    match answer.status {
        // The interface does not document which status accompanies this code.
        400..=499 if answer.code == Some(SENDER_NOT_FOUND_CODE) && addresses_one_record(lane) => ResponseMeaning::Gone,
        status if is_success(lane, status) => ResponseMeaning::Done,
        // This may be a login page, which deleted nothing.
        200..=299 => ResponseMeaning::Gone,
        300..=399 => ResponseMeaning::Stop(StopReason::Redirected),
        429 => ResponseMeaning::Throttled { retry_after: answer.retry_after },
        // A gateway also answers 503 when the service behind it took the request.
        503 if !is_read(lane) => ResponseMeaning::Uncertain,
        503 => ResponseMeaning::Throttled { retry_after: answer.retry_after },
        // A proxy between us and the service may throttle without saying so.
        400 | 402..=499
            if answer.after_burst && !answer.known_shape && !matches!(answer.status, 404 | 405 | 408 | 413) =>
        {
            ResponseMeaning::Throttled { retry_after: answer.retry_after }
        }
        400 => interpret_bad_request(lane, answer),
        401 => ResponseMeaning::Stop(StopReason::KeyRefused),
        403 => ResponseMeaning::Stop(StopReason::NotPermitted),
        404 | 410 if addresses_one_record(lane) => ResponseMeaning::Gone,
        404 | 405 => ResponseMeaning::Stop(StopReason::WrongAddress),
        408 => unknown_fate,
        413 => ResponseMeaning::TooLarge,
        402..=499 => ResponseMeaning::Refused(RefusalReason::Unknown),
        _ => unknown_fate,
    }
}

/// Interprets a response with the status 400, whose reason is in its error or code.
fn interpret_bad_request(lane: Lane, answer: ResponseFacts<'_>) -> ResponseMeaning {
    match answer.error {
        Some("BAD_REQUEST") if addresses_one_record(lane) => ResponseMeaning::Gone,
        Some("BAD_REQUEST") if matches!(lane, Lane::ContactsCreate | Lane::ContactsQuery) => {
            ResponseMeaning::Refused(RefusalReason::ListNotFound)
        }
        Some("INVALID_UID_FORMAT") => ResponseMeaning::Refused(RefusalReason::MalformedId),
        Some("INVALID_REQUEST_BODY") => ResponseMeaning::Refused(RefusalReason::Body),
        Some("VALIDATION_ERROR" | "VALIDATION_FAILED" | "MISSING_REQUIRED_FIELD" | "INVALID_FORMAT") => {
            ResponseMeaning::Refused(RefusalReason::Rule)
        }
        _ => match answer.code {
            Some(code) if code.contains("_REQ_") => ResponseMeaning::Refused(RefusalReason::Body),
            Some(code) if code.contains("_VAL_") => ResponseMeaning::Refused(RefusalReason::Rule),
            _ => ResponseMeaning::Refused(RefusalReason::Unknown),
        },
    }
}

/// Returns whether one entry of an opt-out response succeeded. The status of the request does not say so.
pub fn entry_succeeded(status: &str) -> bool {
    status.trim().eq_ignore_ascii_case("success")
}

/// Returns the contacts that a refused request names, by their position in it, with the attribute and message of each.
/// The caller sets these contacts aside and sends the rest again.
pub fn parse_refused_rows<'a>(entries: &[(&'a str, &'a str)]) -> BTreeMap<usize, Vec<(Option<&'a str>, &'a str)>> {
    let mut rows: BTreeMap<usize, Vec<(Option<&str>, &str)>> = BTreeMap::new();
    for (place, message) in entries {
        let Some((_, rest)) = place.split_once("conCreateRequests[") else { continue };
        let Some((index, attribute)) = rest.split_once(']') else { continue };
        if let Ok(index) = index.parse() {
            rows.entry(index).or_default().push((attribute.strip_prefix('.'), *message));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interpret_status(lane: Lane, status: u16, error: Option<&str>) -> ResponseMeaning {
        interpret_reply(
            lane,
            CallReply::Response(ResponseFacts { status, error, known_shape: true, ..ResponseFacts::default() }),
        )
    }

    #[test]
    fn every_documented_answer_has_its_meaning() {
        use Lane::*;
        let refused = |refusal| ResponseMeaning::Refused(refusal);
        let stop = ResponseMeaning::Stop;
        let cases = [
            (ContactsCreate, 202, None, ResponseMeaning::Done),
            (ListsDelete, 204, None, ResponseMeaning::Done),
            (ContactsCreate, 400, Some("VALIDATION_ERROR"), refused(RefusalReason::Rule)),
            (ContactsCreate, 400, Some("BAD_REQUEST"), refused(RefusalReason::ListNotFound)),
            (ContactsCreate, 400, Some("INVALID_REQUEST_BODY"), refused(RefusalReason::Body)),
            (ContactsCreate, 400, None, refused(RefusalReason::Unknown)),
            (OptOutsDelete, 400, Some("MISSING_REQUIRED_FIELD"), refused(RefusalReason::Rule)),
            (ContactsDelete, 400, Some("BAD_REQUEST"), ResponseMeaning::Gone),
            (ContactsDelete, 400, Some("INVALID_UID_FORMAT"), refused(RefusalReason::MalformedId)),
            (ListsDelete, 404, Some("RESOURCE_NOT_FOUND"), ResponseMeaning::Gone),
            (SendersDelete, 404, None, ResponseMeaning::Gone),
            (ShortLinksGet, 404, Some("RESOURCE_NOT_FOUND"), ResponseMeaning::Gone),
            (SendersGet, 502, None, ResponseMeaning::Again),
            (ContactsQuery, 400, Some("BAD_REQUEST"), refused(RefusalReason::ListNotFound)),
            (ContactsCreate, 404, None, stop(StopReason::WrongAddress)),
            (ListsCreate, 405, None, stop(StopReason::WrongAddress)),
            (ListsQuery, 401, None, stop(StopReason::KeyRefused)),
            (ListsQuery, 403, None, stop(StopReason::NotPermitted)),
            (ListsQuery, 302, None, stop(StopReason::Redirected)),
            (ContactsCreate, 413, None, ResponseMeaning::TooLarge),
            (ContactsCreate, 500, None, ResponseMeaning::Uncertain),
            (ContactsDelete, 502, None, ResponseMeaning::Uncertain),
            (ContactsQuery, 500, None, ResponseMeaning::Again),
            (ContactsQuery, 408, None, ResponseMeaning::Again),
            (OptOutsQuery, 503, None, ResponseMeaning::Throttled { retry_after: None }),
            (OptOutsCreate, 503, None, ResponseMeaning::Uncertain),
            (ListsCreate, 503, None, ResponseMeaning::Uncertain),
            (ContactsDelete, 200, None, ResponseMeaning::Gone),
            (SendersDelete, 202, None, ResponseMeaning::Gone),
            (OptOutsDelete, 200, None, ResponseMeaning::Done),
            (ShortLinksGet, 200, None, ResponseMeaning::Done),
        ];
        for (lane, status, error, want) in cases {
            assert_eq!(interpret_status(lane, status, error), want, "{lane:?} {status} {error:?}");
        }
    }

    #[test]
    fn a_missing_sender_is_recognized_by_its_code_whatever_the_status() {
        for status in [400, 404, 409, 422] {
            let answer = ResponseFacts { status, code: Some("3006"), known_shape: true, ..ResponseFacts::default() };
            assert_eq!(
                interpret_reply(Lane::SendersDelete, CallReply::Response(answer)),
                ResponseMeaning::Gone,
                "{status}"
            );
        }
    }

    #[test]
    fn no_answer_is_uncertain_only_when_something_may_have_happened() {
        assert_eq!(interpret_reply(Lane::ContactsCreate, CallReply::NotSent), ResponseMeaning::Again);
        assert_eq!(interpret_reply(Lane::ContactsCreate, CallReply::NoResponse), ResponseMeaning::Uncertain);
        assert_eq!(interpret_reply(Lane::ContactsQuery, CallReply::NoResponse), ResponseMeaning::Again);
        let throttled = ResponseFacts { status: 429, retry_after: Some(2), ..ResponseFacts::default() };
        assert_eq!(
            interpret_reply(Lane::ListsQuery, CallReply::Response(throttled)),
            ResponseMeaning::Throttled { retry_after: Some(2) }
        );
        let strange = |after_burst| ResponseFacts { status: 403, after_burst, ..ResponseFacts::default() };
        assert_eq!(
            interpret_reply(Lane::ListsQuery, CallReply::Response(strange(true))),
            ResponseMeaning::Throttled { retry_after: None }
        );
        assert_eq!(
            interpret_reply(Lane::ListsQuery, CallReply::Response(strange(false))),
            ResponseMeaning::Stop(StopReason::NotPermitted)
        );
    }

    #[test]
    fn only_what_cannot_pass_is_permanent() {
        for (verdict, permanent) in [
            (ResponseMeaning::Refused(RefusalReason::Rule), true),
            (ResponseMeaning::Stop(StopReason::KeyRefused), true),
            (ResponseMeaning::TooLarge, true),
            (ResponseMeaning::Throttled { retry_after: None }, false),
            (ResponseMeaning::Again, false),
            (ResponseMeaning::Uncertain, false),
            (ResponseMeaning::Gone, false),
        ] {
            assert_eq!(verdict.is_permanent(), permanent, "{verdict:?}");
        }
    }

    #[test]
    fn refused_rows_are_read_from_their_places() {
        let rows = parse_refused_rows(&[
            ("createContacts.request.conCreateRequests[3]", "Invalid phone number."),
            ("createContacts.request.conCreateRequests[3].title", "size must be between 1 and 30"),
            ("createContacts.request.conCreateRequests[12].field_2", "size"),
            ("createContacts.request.conCreateRequests", "must not be empty"),
            ("createContacts.request.conCreateRequests[x]", "?"),
            ("createContacts.request.listUid", "?"),
        ]);
        assert_eq!(rows.keys().copied().collect::<Vec<_>>(), [3, 12]);
        assert_eq!(rows[&3], [(None, "Invalid phone number."), (Some("title"), "size must be between 1 and 30")]);
        assert!(entry_succeeded("success") && !entry_succeeded("failure") && !entry_succeeded(""));
    }
}
