//! Handles a call of a receiver: records it, then answers by the script.

use axum::{
    body::Body,
    http::{HeaderName, HeaderValue, Response, StatusCode, header, request},
};
use roost_wire::RequestPath;

use super::{BODY_MAX, Call, HOOKS_MAX, Reply, script::End};
use crate::{
    admin::Refused,
    door::{Kind, LineFault, Visit, answer::HttpResponse, intake::RequestBody},
    journal::{Moment, Trace},
    world::is_name,
};

/// The first segment of a receiver's path.
pub const HOOK: &str = "__hook";
/// The header in which only Roost's own sender names world, epoch, callback and attempt. An attempt from an ended
/// epoch is refused.
pub const TRY: &str = "x-roost-try";

/// Whether a path, exactly as written, is the path of a receiver.
pub fn is_hook(path: &str) -> bool {
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    match segments[..] {
        [HOOK, name] => is_name(name),
        [HOOK, world, name] => is_name(world) && is_name(name),
        ["w", world, HOOK, name] => is_name(world) && is_name(name),
        _ => false,
    }
}

/// Returns the world that the attempt header names.
pub fn world_of_try(told: &str) -> Option<&str> {
    told.split_once('.').map(|(world, _)| world)
}

/// Writes the value of the attempt header.
pub fn tried(world: &str, epoch: u64, callback: i64, attempt: u32) -> String {
    format!("{world}.{epoch}.{callback}.{attempt}")
}

/// Receives a call. A receiver knows nothing of its senders, so anything is accepted except the form of a web page.
pub async fn answer(
    visit: &Visit,
    parts: &request::Parts,
    path: &RequestPath<'_>,
    body: &mut RequestBody,
    trace: &mut Trace<'_>,
) -> HttpResponse {
    trace.operation(Kind::Hook);
    let name = match path.segments_below(&[HOOK]) {
        Some([name]) => Some(name),
        Some([world, name]) if *world == visit.world().id.as_str() => Some(name),
        _ => None,
    };
    let Some(name) = name.filter(|name| is_name(name)) else {
        return refused(trace, Refused::unknown_hook());
    };
    if is_form(parts.headers.get(header::CONTENT_TYPE)) {
        return refused(trace, Refused::no_form());
    }
    let world = visit.world();
    let mut call = Call {
        at: Moment::now(&world.core),
        method: parts.method.to_string(),
        target: parts.uri.path_and_query().map_or_else(String::new, ToString::to_string),
        ..Call::default()
    };
    for (name, value) in &parts.headers {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        if name.as_str() != TRY {
            call.headers.push((name.to_string(), value));
            continue;
        }
        if let Some((epoch, callback, attempt)) = of_this_world(&value, world.id.as_str()) {
            if epoch != visit.pass().epoch() {
                return LineFault::Close.into_response();
            }
            call.callback = Some((callback, attempt));
            trace.follows();
        }
    }
    let body = match body.read().await {
        Ok(body) => body,
        Err(fault) => return refused(trace, fault.into()),
    };
    trace.body(&body);
    call.length = body.len() as u64;
    call.body = match body.len() {
        ..=BODY_MAX => bytes::Bytes::clone(&body),
        _ => bytes::Bytes::copy_from_slice(&body[..BODY_MAX]),
    };
    // The fence of the account does not cover receivers, so the epoch is checked here; a late call gets no response.
    match visit.pass().beside(|| world.hooks.take(name, call)) {
        None => LineFault::Close.into_response(),
        Some(Err(_)) => refused(trace, Refused::too_many_hooks(HOOKS_MAX)),
        Some(Ok(reply)) => {
            if !reply.delay.0.is_zero() {
                let _wait = match world.wait() {
                    Ok(wait) => wait,
                    Err(why) => return refused(trace, why.into()),
                };
                tokio::time::sleep(reply.delay.0).await;
            }
            said(reply)
        }
    }
}

/// Whether a web page could send the body as a form. This holds also for old browsers that send no origin.
fn is_form(content_type: Option<&HeaderValue>) -> bool {
    let Some(Ok(given)) = content_type.map(HeaderValue::to_str) else { return false };
    let media = given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"].contains(&media.as_str())
}

fn of_this_world(told: &str, world: &str) -> Option<(u64, i64, u32)> {
    let mut parts = told.split('.');
    let is_ours = parts.next()? == world;
    let found = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    is_ours.then_some(found)
}

fn refused(trace: &mut Trace<'_>, why: Refused) -> HttpResponse {
    trace.refuse(|| &why);
    why.into_response()
}

fn said(reply: Reply) -> HttpResponse {
    match reply.line {
        Some(End::Empty) => return LineFault::Close.into_response(),
        Some(End::Reset) => return LineFault::Reset.into_response(),
        None => {}
    }
    let mut response = Response::new(Body::from(reply.body));
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::OK);
    for (name, value) in reply.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_a_receiver_is_written_in_one_way() {
        for path in ["/__hook/inbox", "/__hook/team-a/inbox-2", "/w/team-a/__hook/inbox-2"] {
            assert!(is_hook(path), "{path}");
        }
        for path in [
            "",
            "/",
            "/__hook",
            "/__hook/",
            "/__hook/a/b/c",
            "/__hook/a/",
            "/__hook/../b",
            "/__hook/a%2fb/c",
            "/__hook/A",
            "/__hook/..",
            "/__hook/a%2f",
            "/%5f_hook/a",
            "//__hook/a",
            "/w/__hook/a",
            "/w//__hook/a",
            "/w/x/__hook/a/",
            "/__admin/hooks/a",
            "/w/x/__admin/__hook/a",
        ] {
            assert!(!is_hook(path), "{path}");
        }
    }

    #[test]
    fn a_try_is_known_by_its_world() {
        let told = tried("team-a", 3, 17, 2);
        assert_eq!(of_this_world(&told, "team-a"), Some((3, 17, 2)));
        assert_eq!(of_this_world(&told, "team-b"), None);
        for told in ["", "team-a", "team-a.x.1.1", "team-a.1.1"] {
            assert_eq!(of_this_world(told, "team-a"), None, "{told}");
        }
    }
}
