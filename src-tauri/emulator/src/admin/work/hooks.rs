//! Shows what the built-in receivers received, and sets how they respond.

use roost_wire::{QueryString, paging::Paged, query::parse_integer};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{
    super::{
        error::AdminError,
        route::{AdminRequest, HostRequest, NoContent},
    },
    wait::{WorldWaiter, parse_wait},
};
use crate::{
    access::is_world_name,
    door::{CalledAt, WorldVisit},
    hooks::{HOOK_SEGMENT, HookCall, HookScript, HookScriptInput},
    world::World,
};

/// A receiver with some of its calls.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Hook", deny_unknown_fields)]
pub(crate) struct ReceiverStatus {
    name: String,
    /// The address to use as `callback_url`.
    url: String,
    /// How many calls arrived.
    came: u64,
    /// Calls replaced by newer ones.
    dropped: u64,
    script: HookScript,
    /// Whether more calls are available now. Ask again with `next`.
    has_more: bool,
    /// Pass this as `since` to continue.
    next: u64,
    /// Calls after `since`, oldest first.
    items: Vec<ReceiverCall>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "HookCall")]
struct ReceiverCall {
    /// Number of the call to this receiver, from 1.
    seq: u64,
    /// On the world's clock.
    #[schemars(extend("format" = "date-time"))]
    at: String,
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: String,
    /// The body, if it is JSON.
    json: Option<Value>,
    /// The full length of the body. At most 256 KiB of it are stored.
    bytes: u64,
    /// The status of the answer. Null: the connection ended without one.
    answered: Option<u16>,
    /// The callback of this world that sent the call.
    callback_id: Option<i64>,
    attempt: Option<u32>,
}

/// A receiver and its number of calls.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "HookSummary")]
pub(crate) struct ReceiverSummary {
    name: String,
    url: String,
    came: u64,
    dropped: u64,
    kept: usize,
    answers_left: usize,
}

impl From<&HookCall> for ReceiverCall {
    fn from(call: &HookCall) -> Self {
        Self {
            seq: call.seq,
            at: call.at.to_iso(),
            method: call.method.clone(),
            target: call.target.clone(),
            headers: call.headers.clone(),
            body: String::from_utf8_lossy(&call.body).into_owned(),
            json: serde_json::from_slice(&call.body).ok(),
            bytes: call.length,
            answered: call.answered,
            callback_id: call.callback.map(|(id, _)| id),
            attempt: call.callback.map(|(_, attempt)| attempt),
        }
    }
}

const MAX_CALLS: i32 = 1_000;

/// Returns the address of a receiver. It contains the world, so that it works with every address of the server.
fn receiver_url(world: &World, called_at: &CalledAt, name: &str) -> String {
    format!("{}/{HOOK_SEGMENT}/{}/{name}", called_at.server(&world.resources), world.id)
}

fn parse_receiver_name(request: &AdminRequest) -> Result<String, AdminError> {
    let name = request.first_parameter();
    match is_world_name(name) {
        true => Ok(name.to_owned()),
        false => Err(AdminError::invalid(format!(
            "'{name}' is not a valid name. Use a-z, 0-9 and -, at most 64 \
         characters."
        ))),
    }
}

fn all_receivers(world: &World, called_at: &CalledAt) -> impl Iterator<Item = ReceiverSummary> {
    let named = move |(name, hook, kept): (String, crate::hooks::Hook, usize)| ReceiverSummary {
        url: receiver_url(world, called_at, &name),
        name,
        came: hook.last,
        dropped: hook.dropped,
        kept,
        answers_left: hook.script.replies_left(),
    };
    world.hooks.list_hooks().into_iter().map(named)
}

pub(crate) fn list_receivers(visit: &WorldVisit, request: &AdminRequest) -> Result<Paged<ReceiverSummary>, AdminError> {
    request.paginate(all_receivers(visit.world(), &request.called_at))
}

fn parse_number(query: &QueryString<'_>, name: &str, default: i32, least: i32, most: i32) -> Result<usize, AdminError> {
    let given = query.filled_value(name).map_or(Some(default), parse_integer);
    given
        .filter(|n| (least..=most).contains(n))
        .and_then(|n| usize::try_from(n).ok())
        .ok_or_else(|| AdminError::bad_query(format!("{name} must be an integer from {least} to {most}.")))
}

/// Returns the calls after `since`. With `wait`, waits until there are `count`.
pub(crate) async fn get_receiver(host_request: HostRequest) -> Result<ReceiverStatus, AdminError> {
    let HostRequest { world, request, .. } = host_request;
    let (name, query) = (parse_receiver_name(&request)?, QueryString::parse(&request.query));
    let since = parse_number(&query, "since", 0, 0, i32::MAX)? as u64;
    let (count, limit) =
        (parse_number(&query, "count", 1, 1, MAX_CALLS)?, parse_number(&query, "limit", MAX_CALLS, 1, MAX_CALLS)?);
    let mut waiter = WorldWaiter::new(&world, world.hooks.subscribe(), parse_wait(&query)?).await;
    loop {
        waiter.mark_seen();
        let (hook, calls) = world.hooks.read_calls(&name, since);
        // A `since` beyond the last call means that the receiver was forgotten and counts from 1 again; waiting for
        // that number would be useless.
        let is_there = since <= hook.last;
        if is_there && calls.len() < count && waiter.wait_for_news().await? {
            continue;
        }
        let items: Vec<ReceiverCall> = calls.iter().take(limit).map(|call| ReceiverCall::from(&**call)).collect();
        return Ok(ReceiverStatus {
            url: receiver_url(&world, &request.called_at, &name),
            name,
            came: hook.last,
            dropped: hook.dropped,
            script: hook.script,
            has_more: calls.len() > limit,
            next: items.last().map_or(since.min(hook.last), |call| call.seq),
            items,
        });
    }
}

pub(crate) fn put_receiver(
    visit: &WorldVisit,
    request: &AdminRequest,
    input: HookScriptInput,
) -> Result<ReceiverSummary, AdminError> {
    let name = parse_receiver_name(request)?;
    let script = HookScript::from_input(input).map_err(AdminError::invalid)?;
    let hooks = &visit.world().hooks;
    hooks.set_script(&name, script).map_err(|_| AdminError::too_many_receivers(crate::hooks::HOOKS_MAX))?;
    let named = all_receivers(visit.world(), &request.called_at).find(|hook| hook.name == name);
    named.ok_or_else(AdminError::internal)
}

pub(crate) fn remove_receiver(visit: &WorldVisit, request: &AdminRequest) -> Result<NoContent, AdminError> {
    let name = parse_receiver_name(request)?;
    match visit.world().hooks.forget_hook(&name) {
        true => Ok(NoContent),
        false => Err(AdminError::not_found(format!("Unknown receiver '{name}': it has no calls and no answers."))),
    }
}
