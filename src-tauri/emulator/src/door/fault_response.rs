//! Applies the effect of a fired rule to a response.

use std::{io, time::Duration};

use axum::{
    body::{Body, to_bytes},
    http::{HeaderName, HeaderValue, header},
};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use roost_wire::{Family, RestError};
use tokio::time::timeout;

use crate::{
    door::WorldVisit,
    faults::{
        FaultCommit, FaultSource, FiredFault,
        effect::{BodyFault, ConnectionEnd},
    },
    http::{ConnectionFault, bounds::WaitPermit, error, response::HttpResponse},
    world::WorldPass,
};

/// How many pieces a slow body sends per second.
const PIECES_PER_SECOND: u32 = 10;
/// The seconds of a Retry-After header that a rule does not set: the least that the service sends.
const DEFAULT_RETRY_AFTER: u64 = 1;
const LATE_AFTER: Duration = Duration::from_secs(1);
const HTML_TYPE: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
const TEXT_TYPE: HeaderValue = HeaderValue::from_static("text/plain");

impl FiredFault {
    /// Whether the operation runs before the effect occurs.
    pub(crate) fn is_after_commit(&self) -> bool {
        self.commit == FaultCommit::After
    }

    /// Whether the effect replaces the operation, so that one that has not run yet never runs.
    pub(crate) fn replaces_response(&self) -> bool {
        self.effect.replaces_response()
    }

    /// Describes for the caller why it did not get the operation's own response.
    pub(crate) fn describe_effect(&self) -> String {
        let what = match (self.effect.line, self.effect.status) {
            (Some(ConnectionEnd::Reset), _) => "reset the connection".to_owned(),
            (Some(ConnectionEnd::Empty), _) => "closed the connection without a response".to_owned(),
            (Some(ConnectionEnd::Hang), _) => "left the request without a response".to_owned(),
            (None, Some(status)) => format!("answered {status}"),
            (None, None) => "changed the response".to_owned(),
        };
        let done = match (self.commit, self.effect.replaces_response()) {
            (FaultCommit::Before, true) => "the operation was not carried out",
            _ => "the operation was carried out",
        };
        let source = match self.source {
            FaultSource::Rule => "",
            FaultSource::Prefer => " from the Prefer header",
            FaultSource::Magic => " from a magic number",
            FaultSource::Plan => " from the plan",
            FaultSource::Profile => " from the profile",
        };
        format!("The fault rule {}{source} {what}; {done}.", self.name)
    }

    /// Whether the response comes so long after the operation that others can see the operation's result before it.
    pub(crate) fn is_response_late(&self) -> bool {
        self.is_after_commit() && self.wait >= LATE_AFTER
            || self.effect.line == Some(ConnectionEnd::Hang)
            || matches!(self.effect.body, Some(BodyFault::Trickle { .. }))
    }

    /// Whether the response takes longer than the server needs for it.
    pub(crate) fn delays_response(&self) -> bool {
        !self.wait.is_zero()
            || self.effect.line == Some(ConnectionEnd::Hang)
            || matches!(self.effect.body, Some(BodyFault::Trickle { .. }))
    }

    /// Waits for the duration of the rule, or until the server stops. A reset of the world ends the whole request.
    pub(crate) async fn wait(&self, visit: &WorldVisit) {
        if !self.wait.is_zero() {
            // Both outcomes continue, so it does not matter which came first.
            let _ = timeout(self.wait, visit.world().resources.wait_for_stop()).await;
        }
    }

    /// Builds the response that is sent. `intended` is the operation's own response, if the operation ran. A slow
    /// body holds `wait` until it ends.
    pub(crate) async fn apply_to_response(
        &self,
        visit: &WorldVisit,
        family: Family,
        intended: Option<HttpResponse>,
        wait: Option<WaitPermit>,
    ) -> HttpResponse {
        match self.effect.line {
            Some(ConnectionEnd::Reset) => return ConnectionFault::Reset.into_response(),
            Some(ConnectionEnd::Empty) => return ConnectionFault::Close.into_response(),
            Some(ConnectionEnd::Hang) => {
                visit.world().resources.wait_for_stop().await;
                return ConnectionFault::Reset.into_response();
            }
            None => {}
        }
        let staged = || RestError::Injected {
            status: self.effect.status.unwrap_or(500),
            error: self.effect.error.as_deref().map(Into::into),
        };
        let mut response = match (self.effect.status, intended) {
            (None, Some(intended)) => intended,
            _ => error::error_response(&visit.core(), family, &self.refusal.clone().unwrap_or_else(staged)),
        };
        let headers = response.headers_mut();
        for (name, value) in &self.effect.headers {
            if let (Ok(name), Ok(value)) = (HeaderName::try_from(name.as_str()), HeaderValue::try_from(value.as_str()))
            {
                headers.insert(name, value);
            }
        }
        if let Some(span) = self.effect.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(span.0.as_secs()));
        } else if self.effect.status == Some(429) && !headers.contains_key(header::RETRY_AFTER) {
            // The service always sends the header with this status.
            headers.insert(header::RETRY_AFTER, HeaderValue::from(DEFAULT_RETRY_AFTER));
        }
        match self.effect.body {
            Some(spoil) => spoil_body(response, spoil, visit.pass(), wait).await,
            None => response,
        }
    }
}

async fn spoil_body(
    response: HttpResponse,
    spoil: BodyFault,
    pass: &WorldPass,
    wait: Option<WaitPermit>,
) -> HttpResponse {
    let (mut parts, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
    if body.is_empty() {
        return HttpResponse::from_parts(parts, Body::empty());
    }
    let length = body.len();
    let body = match spoil {
        BodyFault::MalformedJson => {
            let end = body.iter().rposition(|b| matches!(b, b'}' | b']')).unwrap_or(length - 1);
            Body::from([&body[..end], &body[end + 1..]].concat())
        }
        BodyFault::WrongContentType => {
            parts.headers.insert(header::CONTENT_TYPE, HTML_TYPE);
            Body::from(body)
        }
        BodyFault::DuplicateHeader => {
            parts.headers.append(header::CONTENT_TYPE, TEXT_TYPE);
            Body::from(body)
        }
        BodyFault::Truncate { bytes: at } => {
            parts.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
            let at = at.map_or(length / 2, |at| usize::try_from(at).unwrap_or(length)).min(length - 1);
            truncate_body(body.slice(..at))
        }
        BodyFault::Trickle { bytes_per_second } => {
            parts.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
            trickle_body(body, bytes_per_second, (pass.new_pass(), wait))
        }
    };
    HttpResponse::from_parts(parts, body)
}

fn truncate_body(beginning: Bytes) -> Body {
    let sent = stream::iter((!beginning.is_empty()).then_some(Ok(beginning)));
    let broken = stream::once(async {
        // Gives the connection time to send the beginning before the error ends it.
        tokio::time::sleep(Duration::from_millis(5)).await;
        Err(io::Error::other("a fault rule ends the body here"))
    });
    Body::from_stream(sent.chain(broken))
}

/// Ends when the epoch in which it began ends.
fn trickle_body(body: Bytes, bytes_per_second: u32, guards: (WorldPass, Option<WaitPermit>)) -> Body {
    let size = bytes_per_second.div_ceil(PIECES_PER_SECOND);
    let pause = Duration::from_secs_f64(f64::from(size) / f64::from(bytes_per_second));
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    Body::from_stream(stream::unfold((body, guards), move |(mut rest, guards)| async move {
        let pass = &guards.0;
        if rest.is_empty() {
            return None;
        }
        // The check below finds out whether the epoch ended.
        let _ = timeout(pause, pass.wait_until_ended()).await;
        if pass.has_ended() {
            return Some((Err(io::Error::other("the world was reset")), (Bytes::new(), guards)));
        }
        let piece = rest.split_to(size.min(rest.len()));
        Some((Ok(piece), (rest, guards)))
    }))
}
