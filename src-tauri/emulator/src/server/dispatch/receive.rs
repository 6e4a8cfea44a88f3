//! Handles a call of a receiver: records it, then answers by the script.

use axum::{
    body::Body,
    http::{HeaderName, HeaderValue, Response, StatusCode, header, request},
};
use roost_journal::JournalTime;
use roost_wire::RequestPath;

use crate::{
    access::is_world_name,
    admin::AdminError,
    door::{RequestTrace, WorldVisit},
    hooks::{ATTEMPT_HEADER, BODY_MAX, HOOK_SEGMENT, HOOKS_MAX, HookCall, HookLineEnd, HookReply, parse_attempt},
    http::{ConnectionFault, RequestKind, request_body::RequestBody, response::HttpResponse},
};

/// Receives a call. A receiver knows nothing of its senders, so anything is accepted except the form of a web page.
pub(crate) async fn receive_call(
    visit: &WorldVisit,
    parts: &request::Parts,
    path: &RequestPath<'_>,
    body: &mut RequestBody,
    trace: &mut RequestTrace<'_>,
) -> HttpResponse {
    trace.set_operation(RequestKind::Hook);
    let name = match path.segments_below(&[HOOK_SEGMENT]) {
        Some([name]) => Some(name),
        Some([world, name]) if *world == visit.world().id.as_str() => Some(name),
        _ => None,
    };
    let Some(name) = name.filter(|name| is_world_name(name)) else {
        return refusal_response(trace, AdminError::unknown_receiver());
    };
    if is_form_type(parts.headers.get(header::CONTENT_TYPE)) {
        return refusal_response(trace, AdminError::form_content());
    }
    let world = visit.world();
    let mut call = HookCall {
        at: JournalTime::now(&world.core),
        method: parts.method.to_string(),
        target: parts.uri.path_and_query().map_or_else(String::new, ToString::to_string),
        ..HookCall::default()
    };
    for (name, value) in &parts.headers {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        if name.as_str() != ATTEMPT_HEADER {
            call.headers.push((name.to_string(), value));
            continue;
        }
        if let Some((epoch, callback, attempt)) = parse_attempt(&value, world.id.as_str()) {
            if epoch != visit.pass().epoch() {
                return ConnectionFault::Close.into_response();
            }
            call.callback = Some((callback, attempt));
            trace.follow_cause();
        }
    }
    let body = match body.read().await {
        Ok(body) => body,
        Err(fault) => return refusal_response(trace, fault.into()),
    };
    trace.set_body(&body);
    call.length = body.len() as u64;
    call.body = match body.len() {
        ..=BODY_MAX => bytes::Bytes::clone(&body),
        _ => bytes::Bytes::copy_from_slice(&body[..BODY_MAX]),
    };
    // The fence of the account does not cover receivers, so the epoch is checked here; a late call gets no response.
    match visit.pass().run_in_epoch(|| world.hooks.record_call(name, call)) {
        None => ConnectionFault::Close.into_response(),
        Some(Err(_)) => refusal_response(trace, AdminError::too_many_receivers(HOOKS_MAX)),
        Some(Ok(reply)) => {
            if !reply.delay.0.is_zero() {
                let _wait = match world.begin_wait() {
                    Ok(wait) => wait,
                    Err(why) => return refusal_response(trace, why.into()),
                };
                tokio::time::sleep(reply.delay.0).await;
            }
            to_response(reply)
        }
    }
}

/// Returns whether a web page could send the body as a form. Old browsers send a form without an origin.
fn is_form_type(content_type: Option<&HeaderValue>) -> bool {
    let Some(Ok(given)) = content_type.map(HeaderValue::to_str) else { return false };
    let media = given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"].contains(&media.as_str())
}

fn refusal_response(trace: &mut RequestTrace<'_>, why: AdminError) -> HttpResponse {
    trace.set_refusal(|| &why);
    why.into_response()
}

fn to_response(reply: HookReply) -> HttpResponse {
    match reply.line {
        Some(HookLineEnd::Empty) => return ConnectionFault::Close.into_response(),
        Some(HookLineEnd::Reset) => return ConnectionFault::Reset.into_response(),
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
