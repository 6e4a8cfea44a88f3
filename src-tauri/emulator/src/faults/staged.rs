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

use super::{
    Commit, Fired, Source,
    effect::{Line, Spoil},
};
use crate::{
    door::{LineFault, Visit, answer::HttpResponse, bounds::Wait, error},
    world::Pass,
};

/// How many pieces a slow body sends per second.
const PIECES_A_SECOND: u32 = 10;
const LONG: Duration = Duration::from_secs(1);
const PAGE: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
const OTHER: HeaderValue = HeaderValue::from_static("text/plain");

impl Fired {
    /// Whether the operation runs before the effect occurs.
    pub fn comes_after(&self) -> bool {
        self.commit == Commit::After
    }

    /// Whether the effect replaces the operation, so that one that has not run yet never runs.
    pub fn replaces(&self) -> bool {
        self.effect.replaces()
    }

    /// Describes for the caller why it did not get the operation's own response.
    pub fn words(&self) -> String {
        let what = match (self.effect.line, self.effect.status) {
            (Some(Line::Reset), _) => "reset the connection".to_owned(),
            (Some(Line::Empty), _) => "closed the connection without a response".to_owned(),
            (Some(Line::Hang), _) => "left the request without a response".to_owned(),
            (None, Some(status)) => format!("answered {status}"),
            (None, None) => "changed the response".to_owned(),
        };
        let done = match (self.commit, self.effect.replaces()) {
            (Commit::Before, true) => "the operation was not carried out",
            _ => "the operation was carried out",
        };
        let of = match self.source {
            Source::Rule => "",
            Source::Prefer => " from the Prefer header",
            Source::Magic => " from a magic number",
            Source::Plan => " from the plan",
            Source::Profile => " from the profile",
        };
        format!("The fault rule {}{of} {what}; {done}.", self.name)
    }

    /// Whether the response comes so long after the operation that others can see the operation's result before it.
    pub fn comes_late(&self) -> bool {
        self.comes_after() && self.wait >= LONG
            || self.effect.line == Some(Line::Hang)
            || matches!(self.effect.body, Some(Spoil::Trickle { .. }))
    }

    /// Whether the response takes longer than the server needs for it.
    pub fn holds_back(&self) -> bool {
        !self.wait.is_zero()
            || self.effect.line == Some(Line::Hang)
            || matches!(self.effect.body, Some(Spoil::Trickle { .. }))
    }

    /// Waits for the duration of the rule, or until the server stops. A reset of the world ends the whole request.
    pub async fn pause(&self, visit: &Visit) {
        if !self.wait.is_zero() {
            // Both outcomes continue, so it does not matter which came first.
            let _ = timeout(self.wait, visit.world().ground.told_to_stop()).await;
        }
    }

    /// Builds the response that is sent. `meant` is the operation's own response, if the operation ran. A slow body
    /// holds `wait` until it ends.
    pub async fn stage(
        &self,
        visit: &Visit,
        family: Family,
        meant: Option<HttpResponse>,
        wait: Option<Wait>,
    ) -> HttpResponse {
        match self.effect.line {
            Some(Line::Reset) => return LineFault::Reset.into_response(),
            Some(Line::Empty) => return LineFault::Close.into_response(),
            Some(Line::Hang) => {
                visit.world().ground.told_to_stop().await;
                return LineFault::Reset.into_response();
            }
            None => {}
        }
        let staged = || RestError::Injected {
            status: self.effect.status.unwrap_or(500),
            error: self.effect.error.as_deref().map(Into::into),
        };
        let mut response = match (self.effect.status, meant) {
            (None, Some(meant)) => meant,
            _ => error::response(&visit.core(), family, &self.refusal.clone().unwrap_or_else(staged)),
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
        }
        match self.effect.body {
            Some(spoil) => spoilt(response, spoil, visit.pass(), wait).await,
            None => response,
        }
    }
}

async fn spoilt(response: HttpResponse, spoil: Spoil, pass: &Pass, wait: Option<Wait>) -> HttpResponse {
    let (mut parts, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
    if body.is_empty() {
        return HttpResponse::from_parts(parts, Body::empty());
    }
    let length = body.len();
    let body = match spoil {
        Spoil::MalformedJson => {
            let end = body.iter().rposition(|b| matches!(b, b'}' | b']')).unwrap_or(length - 1);
            Body::from([&body[..end], &body[end + 1..]].concat())
        }
        Spoil::WrongContentType => {
            parts.headers.insert(header::CONTENT_TYPE, PAGE);
            Body::from(body)
        }
        Spoil::DuplicateHeader => {
            parts.headers.append(header::CONTENT_TYPE, OTHER);
            Body::from(body)
        }
        Spoil::Truncate { bytes: at } => {
            parts.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
            let at = at.map_or(length / 2, |at| usize::try_from(at).unwrap_or(length)).min(length - 1);
            truncated(body.slice(..at))
        }
        Spoil::Trickle { bytes_per_second } => {
            parts.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
            trickling(body, bytes_per_second, (pass.another(), wait))
        }
    };
    HttpResponse::from_parts(parts, body)
}

fn truncated(beginning: Bytes) -> Body {
    let sent = stream::iter((!beginning.is_empty()).then_some(Ok(beginning)));
    let broken = stream::once(async {
        // Gives the connection time to send the beginning before the error ends it.
        tokio::time::sleep(Duration::from_millis(5)).await;
        Err(io::Error::other("a fault rule ends the body here"))
    });
    Body::from_stream(sent.chain(broken))
}

/// Ends when the epoch in which it began ends.
fn trickling(body: Bytes, bytes_per_second: u32, held: (Pass, Option<Wait>)) -> Body {
    let size = bytes_per_second.div_ceil(PIECES_A_SECOND);
    let pause = Duration::from_secs_f64(f64::from(size) / f64::from(bytes_per_second));
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    Body::from_stream(stream::unfold((body, held), move |(mut rest, held)| async move {
        let pass = &held.0;
        if rest.is_empty() {
            return None;
        }
        // The check below finds out whether the epoch ended.
        let _ = timeout(pause, pass.ended()).await;
        if pass.is_old() {
            return Some((Err(io::Error::other("the world was reset")), (Bytes::new(), held)));
        }
        let piece = rest.split_to(size.min(rest.len()));
        Some((Ok(piece), (rest, held)))
    }))
}
