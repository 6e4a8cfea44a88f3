//! Interprets the service's response to a step: by its status, then by its code, never by the text of a message.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::plan::Lane;

/// The result of one call, as far as it reached the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word<'a> {
    Answer(Answer<'a>),
    /// The request never left: there was no connection, the host name did not resolve, or our own rules refused it.
    NotSent,
    /// The request left and no response came back: a time-out, a broken connection, or a restart.
    None,
}

/// The facts about a response of the service that decide its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Answer<'a> {
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
pub enum Refusal {
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
pub enum Stop {
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
pub enum Verdict {
    Done,
    /// The record that the call named does not exist. After a deletion, a read confirms this.
    Gone,
    Refused(Refusal),
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
    Stop(Stop),
}

impl Verdict {
    /// Returns whether the same request would always end the same way.
    pub fn is_permanent(self) -> bool {
        match self {
            Self::Refused(_) | Self::Stop(_) | Self::TooLarge => true,
            Self::Done | Self::Gone | Self::Throttled { .. } | Self::Again | Self::Uncertain => false,
        }
    }
}

/// Returns whether the operation only reads, so that it can be repeated at any time.
pub fn reads(lane: Lane) -> bool {
    use Lane::*;
    matches!(
        lane,
        SendersQuery | SendersGet | ListsQuery | ContactsQuery | OptOutsQuery | ShortLinksSearch | ShortLinksGet
    )
}

/// Returns whether the operation reads or deletes exactly the record that its path names. The deletion of opt-outs does
/// not: it is answered entry by entry.
fn names_one(lane: Lane) -> bool {
    use Lane::*;
    matches!(lane, ContactsDelete | ListsDelete | ShortLinksDelete | SendersDelete | SendersGet | ShortLinksGet)
}

/// The code with which the service says that a sender does not exist.
const NO_SENDER: &str = "3006";

/// Returns whether the status proves that the request was carried out. The deletion of a single record answers 204 and
/// nothing else.
pub fn is_success(lane: Lane, status: u16) -> bool {
    if names_one(lane) && !reads(lane) { status == 204 } else { (200..300).contains(&status) }
}

/// Decides what the result of a call means. Whatever may have changed something without proof is uncertain.
pub fn judge(lane: Lane, word: Word<'_>) -> Verdict {
    let unknown_fate = if reads(lane) { Verdict::Again } else { Verdict::Uncertain };
    let answer = match word {
        Word::NotSent => return Verdict::Again,
        Word::None => return unknown_fate,
        Word::Answer(answer) => answer,
    };
    match answer.status {
        // The interface does not document which status accompanies this code.
        400..=499 if answer.code == Some(NO_SENDER) && names_one(lane) => Verdict::Gone,
        status if is_success(lane, status) => Verdict::Done,
        // This may be a login page, which deleted nothing.
        200..=299 => Verdict::Gone,
        300..=399 => Verdict::Stop(Stop::Redirected),
        429 => Verdict::Throttled { retry_after: answer.retry_after },
        // A gateway also answers 503 when the service behind it took the request.
        503 if !reads(lane) => Verdict::Uncertain,
        503 => Verdict::Throttled { retry_after: answer.retry_after },
        // A proxy between us and the service may throttle without saying so.
        400 | 402..=499
            if answer.after_burst && !answer.known_shape && !matches!(answer.status, 404 | 405 | 408 | 413) =>
        {
            Verdict::Throttled { retry_after: answer.retry_after }
        }
        400 => refused(lane, answer),
        401 => Verdict::Stop(Stop::KeyRefused),
        403 => Verdict::Stop(Stop::NotPermitted),
        404 | 410 if names_one(lane) => Verdict::Gone,
        404 | 405 => Verdict::Stop(Stop::WrongAddress),
        408 => unknown_fate,
        413 => Verdict::TooLarge,
        402..=499 => Verdict::Refused(Refusal::Unknown),
        _ => unknown_fate,
    }
}

/// Interprets a response with the status 400, whose reason is in its error or code.
fn refused(lane: Lane, answer: Answer<'_>) -> Verdict {
    match answer.error {
        Some("BAD_REQUEST") if names_one(lane) => Verdict::Gone,
        Some("BAD_REQUEST") if matches!(lane, Lane::ContactsCreate | Lane::ContactsQuery) => {
            Verdict::Refused(Refusal::ListNotFound)
        }
        Some("INVALID_UID_FORMAT") => Verdict::Refused(Refusal::MalformedId),
        Some("INVALID_REQUEST_BODY") => Verdict::Refused(Refusal::Body),
        Some("VALIDATION_ERROR" | "VALIDATION_FAILED" | "MISSING_REQUIRED_FIELD" | "INVALID_FORMAT") => {
            Verdict::Refused(Refusal::Rule)
        }
        _ => match answer.code {
            Some(code) if code.contains("_REQ_") => Verdict::Refused(Refusal::Body),
            Some(code) if code.contains("_VAL_") => Verdict::Refused(Refusal::Rule),
            _ => Verdict::Refused(Refusal::Unknown),
        },
    }
}

/// Returns whether one entry of an opt-out response succeeded. The status of the request does not say so.
pub fn entry_succeeded(status: &str) -> bool {
    status.trim().eq_ignore_ascii_case("success")
}

/// Returns the contacts that a refused request names, by their position in it, with the attribute and message of each.
/// The caller sets these contacts aside and sends the rest again.
pub fn refused_rows<'a>(entries: &[(&'a str, &'a str)]) -> BTreeMap<usize, Vec<(Option<&'a str>, &'a str)>> {
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

    fn told(lane: Lane, status: u16, error: Option<&str>) -> Verdict {
        judge(lane, Word::Answer(Answer { status, error, known_shape: true, ..Answer::default() }))
    }

    #[test]
    fn every_documented_answer_has_its_meaning() {
        use Lane::*;
        let refused = |refusal| Verdict::Refused(refusal);
        let stop = Verdict::Stop;
        let cases = [
            (ContactsCreate, 202, None, Verdict::Done),
            (ListsDelete, 204, None, Verdict::Done),
            (ContactsCreate, 400, Some("VALIDATION_ERROR"), refused(Refusal::Rule)),
            (ContactsCreate, 400, Some("BAD_REQUEST"), refused(Refusal::ListNotFound)),
            (ContactsCreate, 400, Some("INVALID_REQUEST_BODY"), refused(Refusal::Body)),
            (ContactsCreate, 400, None, refused(Refusal::Unknown)),
            (OptOutsDelete, 400, Some("MISSING_REQUIRED_FIELD"), refused(Refusal::Rule)),
            (ContactsDelete, 400, Some("BAD_REQUEST"), Verdict::Gone),
            (ContactsDelete, 400, Some("INVALID_UID_FORMAT"), refused(Refusal::MalformedId)),
            (ListsDelete, 404, Some("RESOURCE_NOT_FOUND"), Verdict::Gone),
            (SendersDelete, 404, None, Verdict::Gone),
            (ShortLinksGet, 404, Some("RESOURCE_NOT_FOUND"), Verdict::Gone),
            (SendersGet, 502, None, Verdict::Again),
            (ContactsQuery, 400, Some("BAD_REQUEST"), refused(Refusal::ListNotFound)),
            (ContactsCreate, 404, None, stop(Stop::WrongAddress)),
            (ListsCreate, 405, None, stop(Stop::WrongAddress)),
            (ListsQuery, 401, None, stop(Stop::KeyRefused)),
            (ListsQuery, 403, None, stop(Stop::NotPermitted)),
            (ListsQuery, 302, None, stop(Stop::Redirected)),
            (ContactsCreate, 413, None, Verdict::TooLarge),
            (ContactsCreate, 500, None, Verdict::Uncertain),
            (ContactsDelete, 502, None, Verdict::Uncertain),
            (ContactsQuery, 500, None, Verdict::Again),
            (ContactsQuery, 408, None, Verdict::Again),
            (OptOutsQuery, 503, None, Verdict::Throttled { retry_after: None }),
            (OptOutsCreate, 503, None, Verdict::Uncertain),
            (ListsCreate, 503, None, Verdict::Uncertain),
            (ContactsDelete, 200, None, Verdict::Gone),
            (SendersDelete, 202, None, Verdict::Gone),
            (OptOutsDelete, 200, None, Verdict::Done),
            (ShortLinksGet, 200, None, Verdict::Done),
        ];
        for (lane, status, error, want) in cases {
            assert_eq!(told(lane, status, error), want, "{lane:?} {status} {error:?}");
        }
    }

    #[test]
    fn a_sender_that_is_not_there_is_told_by_its_code_whatever_the_status() {
        for status in [400, 404, 409, 422] {
            let answer = Answer { status, code: Some("3006"), known_shape: true, ..Answer::default() };
            assert_eq!(judge(Lane::SendersDelete, Word::Answer(answer)), Verdict::Gone, "{status}");
        }
    }

    #[test]
    fn no_answer_is_uncertain_only_when_something_may_have_happened() {
        assert_eq!(judge(Lane::ContactsCreate, Word::NotSent), Verdict::Again);
        assert_eq!(judge(Lane::ContactsCreate, Word::None), Verdict::Uncertain);
        assert_eq!(judge(Lane::ContactsQuery, Word::None), Verdict::Again);
        let throttled = Answer { status: 429, retry_after: Some(2), ..Answer::default() };
        assert_eq!(judge(Lane::ListsQuery, Word::Answer(throttled)), Verdict::Throttled { retry_after: Some(2) });
        let strange = |after_burst| Answer { status: 403, after_burst, ..Answer::default() };
        assert_eq!(judge(Lane::ListsQuery, Word::Answer(strange(true))), Verdict::Throttled { retry_after: None });
        assert_eq!(judge(Lane::ListsQuery, Word::Answer(strange(false))), Verdict::Stop(Stop::NotPermitted));
    }

    #[test]
    fn only_what_cannot_pass_is_permanent() {
        for (verdict, permanent) in [
            (Verdict::Refused(Refusal::Rule), true),
            (Verdict::Stop(Stop::KeyRefused), true),
            (Verdict::TooLarge, true),
            (Verdict::Throttled { retry_after: None }, false),
            (Verdict::Again, false),
            (Verdict::Uncertain, false),
            (Verdict::Gone, false),
        ] {
            assert_eq!(verdict.is_permanent(), permanent, "{verdict:?}");
        }
    }

    #[test]
    fn refused_rows_are_read_from_their_places() {
        let rows = refused_rows(&[
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
