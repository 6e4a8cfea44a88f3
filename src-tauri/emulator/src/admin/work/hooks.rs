//! Shows what the built-in receivers received, and sets how they respond.

use roost_wire::{QueryString, paging::Paged, query::parse_integer};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{
    super::{
        refused::Refused,
        route::{Asked, Nothing, Whole},
    },
    wait::{Waiter, until},
};
use crate::{
    door::{CalledAt, Visit},
    hooks::{Call, HOOK, Script, Wish},
    world::{World, is_name},
};

/// A receiver with some of its calls.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Hook", deny_unknown_fields)]
pub struct Shown {
    name: String,
    /// The address to use as `callback_url`.
    url: String,
    /// How many calls arrived.
    came: u64,
    /// Calls replaced by newer ones.
    dropped: u64,
    script: Script,
    /// Whether more calls are available now. Ask again with `next`.
    has_more: bool,
    /// Pass this as `since` to continue.
    next: u64,
    /// Calls after `since`, oldest first.
    items: Vec<Received>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "HookCall")]
struct Received {
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
#[schemars(rename = "HookNamed")]
pub struct Named {
    name: String,
    url: String,
    came: u64,
    dropped: u64,
    kept: usize,
    answers_left: usize,
}

impl From<&Call> for Received {
    fn from(call: &Call) -> Self {
        Self {
            seq: call.seq,
            at: call.at.iso(),
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

const MOST: i32 = 1_000;

/// Returns the address of a receiver. It contains the world, so that it works with every address of the server.
fn url(world: &World, called_at: &CalledAt, name: &str) -> String {
    format!("{}/{HOOK}/{}/{name}", called_at.server(&world.ground), world.id)
}

fn name(asked: &Asked) -> Result<String, Refused> {
    let name = asked.parameter();
    match is_name(name) {
        true => Ok(name.to_owned()),
        false => Err(Refused::invalid(format!(
            "'{name}' is not a valid name. Use a-z, 0-9 and -, at most 64 \
         characters."
        ))),
    }
}

fn all(world: &World, called_at: &CalledAt) -> impl Iterator<Item = Named> {
    let named = move |(name, hook, kept): (String, crate::hooks::Hook, usize)| Named {
        url: url(world, called_at, &name),
        name,
        came: hook.last,
        dropped: hook.dropped,
        kept,
        answers_left: hook.script.left(),
    };
    world.hooks.all().into_iter().map(named)
}

pub fn list(visit: &Visit, asked: &Asked) -> Result<Paged<Named>, Refused> {
    asked.page_of(all(visit.world(), &asked.called_at))
}

fn number(query: &QueryString<'_>, of: &str, default: i32, least: i32, most: i32) -> Result<usize, Refused> {
    let given = query.filled_value(of).map_or(Some(default), parse_integer);
    given
        .filter(|n| (least..=most).contains(n))
        .and_then(|n| usize::try_from(n).ok())
        .ok_or_else(|| Refused::bad_query(format!("{of} must be an integer from {least} to {most}.")))
}

/// Returns the calls after `since`. With `wait`, waits until there are `count`.
pub async fn get(whole: Whole) -> Result<Shown, Refused> {
    let Whole { world, asked, .. } = whole;
    let (name, query) = (name(&asked)?, QueryString::parse(&asked.query));
    let since = number(&query, "since", 0, 0, i32::MAX)? as u64;
    let (count, limit) = (number(&query, "count", 1, 1, MOST)?, number(&query, "limit", MOST, 1, MOST)?);
    let mut waiter = Waiter::new(&world, world.hooks.watch(), until(&query)?).await;
    loop {
        waiter.seen();
        let (hook, calls) = world.hooks.look(&name, since);
        // A `since` beyond the last call means that the receiver was forgotten and counts from 1 again; waiting for
        // that number would be useless.
        let is_there = since <= hook.last;
        if is_there && calls.len() < count && waiter.news().await? {
            continue;
        }
        let items: Vec<Received> = calls.iter().take(limit).map(|call| Received::from(&**call)).collect();
        return Ok(Shown {
            url: url(&world, &asked.called_at, &name),
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

pub fn put(visit: &Visit, asked: &Asked, wish: Wish) -> Result<Named, Refused> {
    let name = name(asked)?;
    let script = Script::of(wish).map_err(Refused::invalid)?;
    let hooks = &visit.world().hooks;
    hooks.script(&name, script).map_err(|_| Refused::too_many_hooks(crate::hooks::HOOKS_MAX))?;
    let named = all(visit.world(), &asked.called_at).find(|hook| hook.name == name);
    named.ok_or_else(Refused::internal)
}

pub fn remove(visit: &Visit, asked: &Asked) -> Result<Nothing, Refused> {
    let name = name(asked)?;
    match visit.world().hooks.forget(&name) {
        true => Ok(Nothing),
        false => Err(Refused::not_found(format!("Unknown receiver '{name}': it has no calls and no answers."))),
    }
}
