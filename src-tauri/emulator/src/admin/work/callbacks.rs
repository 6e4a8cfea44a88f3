//! Lists callbacks, acts on them, sets how they are sent, and waits until jobs and callbacks are settled.

use roost_journal::mask::masked_prefix;
use roost_model::{
    job::Job,
    page::Page,
    time::{DueTime, Timestamp},
};
use roost_ops::{Actor, Core, Error, callback as act};
use roost_wire::{
    QueryString,
    paging::{Paged, Paging, to_bytes},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, timeout_at};

use super::{
    super::{
        error::AdminError,
        route::{AdminRequest, HostRequest, read_flag},
    },
    wait::{WAIT_MAX, WorldWaiter, parse_wait},
};
use crate::{
    door::WorldVisit,
    http::response::{HttpResponse, json_response},
    settings::HumanDuration,
    work::{WorkStatus, read_work_status},
    world::{
        AttemptDetails, CallbackContent, CallbackPolicy, CallbackSignature, GiveUpReason, UnfinishedWork, WorkKind,
        World,
    },
};

/// A callback with all its attempts.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Callback {
    id: i64,
    job_id: i64,
    url: Option<String>,
    correlation_id: Option<String>,
    #[schemars(extend("enum" = ["waiting", "held", "delivered", "given_up"]))]
    state: &'static str,
    /// Why it was given up, if that was done on purpose.
    #[schemars(extend("enum" = ["cancelled", "dropped", null]))]
    reason: Option<&'static str>,
    /// When the next attempt is due, on the world's clock. Null: there is none, or the callback is held.
    #[schemars(extend("format" = "date-time"))]
    next_at: Option<String>,
    /// Whether an attempt is in progress.
    under_way: bool,
    /// What the next attempt sends: the documented body, or the result of the policy's template. What was sent is part
    /// of each attempt.
    body: String,
    attempts: Vec<Attempt>,
}

#[derive(Serialize, JsonSchema)]
struct Attempt {
    number: u32,
    #[schemars(extend("format" = "date-time"))]
    started_at: String,
    /// Null while in progress, or if the process ended during the attempt.
    #[schemars(extend("format" = "date-time"))]
    finished_at: Option<String>,
    status: Option<u16>,
    error: Option<String>,
    /// For an attempt without a response: the reason in one word.
    #[schemars(extend("enum" = ["no_address", "refused", "unresolved", "timed_out", "no_connection", "broken", "no_certificates", "dropped", null]))]
    error_class: Option<&'static str>,
    /// Details of the attempt. In lists only with went=true. Null for attempts that are no longer stored: a world
    /// stores its last 1,000, up to 8 MiB, and none across a restart.
    went: Option<AttemptDetail>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AttemptDetail")]
struct AttemptDetail {
    /// The address that answered. Without an answer, the first address that the name resolved to.
    address: Option<String>,
    /// What was sent, byte for byte.
    body: String,
    content_type: String,
    /// Headers added by the policy, including signatures.
    headers: Vec<(String, String)>,
    /// Time to connect, including the TLS handshake. In real time, like all times below. Every attempt opens its own
    /// connection. Null: no connection was made.
    connect: Option<HumanDuration>,
    /// Time from the start of the attempt to the head of the response. Null: there was none.
    first_byte: Option<HumanDuration>,
    /// Time from the start of the attempt to its end.
    took: HumanDuration,
    /// The beginning of the response.
    answer: String,
}

impl AttemptDetail {
    fn from_attempt(details: AttemptDetails, job: &Job) -> Self {
        let content = details.content.unwrap_or_else(|| CallbackContent::from_job(job));
        Self {
            address: details.address,
            body: content.body,
            content_type: content.media.into_owned(),
            headers: details.headers,
            connect: details.connect.map(HumanDuration),
            first_byte: details.first_byte.map(HumanDuration),
            took: HumanDuration(details.took),
            answer: String::from_utf8_lossy(&details.answer).into_owned(),
        }
    }
}

fn to_callback(world: &World, (callback, attempts): (act::Callback, Vec<act::CallbackAttempt>)) -> Callback {
    let tracker = world.work.callback_tracker();
    let attempt = |attempt: act::CallbackAttempt| Attempt {
        number: attempt.number,
        started_at: attempt.started_at.to_iso(),
        finished_at: attempt.finished_at.map(Timestamp::to_iso),
        status: attempt.status,
        error_class: attempt.error.as_deref().and_then(error_class),
        error: attempt.error,
        went: None,
    };
    Callback {
        id: callback.id,
        job_id: callback.job.id,
        state: if callback.is_held() { HELD_STATE } else { callback.state.as_str() },
        reason: tracker.reason(callback.id).map(GiveUpReason::as_str),
        next_at: callback.next_at.map(DueTime::to_iso),
        under_way: tracker.is_under_way(callback.id),
        body: tracker.policy().template.render(&callback, callback.attempts + 1).body,
        attempts: attempts.into_iter().map(attempt).collect(),
        url: callback.job.callback_url.map(|url| world.callback_address(callback.job.id, &url).into_owned()),
        correlation_id: callback.job.correlation_id,
    }
}

/// Converts a callback with the details of each attempt, if they are still stored.
fn to_detailed_callback(world: &World, found: (act::Callback, Vec<act::CallbackAttempt>)) -> Callback {
    let job = found.0.job.clone();
    let mut callback = to_callback(world, found);
    for attempt in &mut callback.attempts {
        attempt.went = world
            .work
            .callback_tracker()
            .attempt_details(callback.id, attempt.number)
            .map(|details| AttemptDetail::from_attempt(details, &job));
    }
    callback
}

/// Classifies the text of a failure, which is all that the account stores of it.
fn error_class(error: &str) -> Option<&'static str> {
    const PREFIXES: [(&str, &str); 8] = [
        ("refused to call", "refused"),
        ("the name could not be resolved", "unresolved"),
        ("no answer within", "timed_out"),
        ("no connection", "no_connection"),
        ("the connection ended early", "broken"),
        // An earlier version wrote this.
        ("the connection broke off", "broken"),
        ("this machine's certificates", "no_certificates"),
        ("dropped on purpose", "dropped"),
    ];
    let found = PREFIXES.iter().find(|(prefix, _)| error.starts_with(prefix)).map(|(_, class)| *class);
    found.or_else(|| error.ends_with("is not an http or https address").then_some("no_address"))
}

const HELD_STATE: &str = "held";

fn parse_filter(query: &QueryString<'_>) -> Result<act::CallbackFilter, AdminError> {
    use act::CallbackState::{Delivered, GivenUp, Waiting};
    let (state, is_held) = match query.filled_value("state") {
        None => (None, None),
        Some("waiting") => (Some(Waiting), Some(false)),
        Some(HELD_STATE) => (Some(Waiting), Some(true)),
        Some("delivered") => (Some(Delivered), None),
        Some("given_up") => (Some(GivenUp), None),
        Some(other) => {
            let message = format!("state must be waiting, held, delivered or given_up, got '{other}'.");
            return Err(AdminError::bad_query(message));
        }
    };
    Ok(act::CallbackFilter { state, is_held, correlation_id: query.filled_value("correlation_id").map(str::to_owned) })
}

/// Lists callbacks. With `wait`, waits until there is one.
pub(crate) async fn list_callbacks(host_request: HostRequest) -> Result<Paged<Callback>, AdminError> {
    let HostRequest { world, request, .. } = host_request;
    let (page, query) = (request.page_request()?, QueryString::parse(&request.query));
    let filter = parse_filter(&query)?;
    let convert = if read_flag(&query, "went")? { to_detailed_callback } else { to_callback };
    let mut waiter = WorldWaiter::new(&world, world.work.callback_tracker().subscribe(), parse_wait(&query)?).await;
    loop {
        let filter = filter.clone();
        let found: Page<_> = waiter.read_account(move |core| act::find_callbacks(core, &filter, page)).await?;
        if found.total_items == 0 && waiter.wait_for_news().await? {
            continue;
        }
        let items = found.items.into_iter().map(|found| convert(&world, found)).collect();
        return Ok(Paged { paging: Paging::for_page(page, found.total_items), items });
    }
}

fn parse_callback_id(request: &AdminRequest) -> Result<i64, AdminError> {
    request.first_parameter().parse().map_err(|_| AdminError::invalid("A callback is identified by its number."))
}

pub(crate) fn get_callback(visit: &WorldVisit, request: &AdminRequest) -> Result<Callback, AdminError> {
    Ok(to_detailed_callback(visit.world(), act::get(&visit.core(), parse_callback_id(request)?)?))
}

/// A function of the core that changes one callback.
type CallbackChange = fn(&Core, &Actor, i64) -> Result<(act::Callback, Vec<act::CallbackAttempt>), Error>;

fn change_callback(
    visit: &WorldVisit,
    request: &AdminRequest,
    change: CallbackChange,
    reason: Option<GiveUpReason>,
) -> Result<Callback, AdminError> {
    let (tracker, id) = (visit.world().work.callback_tracker(), parse_callback_id(request)?);
    // This is read first, because the attempt that the change causes may begin before or after the response.
    let under_way = tracker.is_under_way(id);
    let changed = change(&visit.core(), &Actor::operator(), id)?;
    tracker.set_reason(id, reason);
    Ok(Callback { under_way, ..to_detailed_callback(visit.world(), changed) })
}

pub(crate) fn redeliver_callback(visit: &WorldVisit, request: &AdminRequest) -> Result<Callback, AdminError> {
    if visit.world().work.callback_tracker().is_under_way(parse_callback_id(request)?) {
        let hint = "Wait until it ends: POST /__admin/settle.";
        return Err(AdminError::conflict("conflict", "An attempt is in progress.", hint));
    }
    change_callback(visit, request, act::redeliver, None)
}

pub(crate) fn hold_callback(visit: &WorldVisit, request: &AdminRequest) -> Result<Callback, AdminError> {
    change_callback(visit, request, act::hold, None)
}

pub(crate) fn release_callback(visit: &WorldVisit, request: &AdminRequest) -> Result<Callback, AdminError> {
    change_callback(visit, request, act::release, None)
}

pub(crate) fn cancel_callback(visit: &WorldVisit, request: &AdminRequest) -> Result<Callback, AdminError> {
    change_callback(visit, request, act::cancel, Some(GiveUpReason::Cancelled))
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CallbacksReleased", deny_unknown_fields)]
pub(crate) struct ReleasedCallbacks {
    /// Numbers of the callbacks that were held.
    items: Vec<i64>,
}

pub(crate) fn release_all(visit: &WorldVisit, _: &AdminRequest) -> Result<ReleasedCallbacks, AdminError> {
    Ok(ReleasedCallbacks { items: act::release_all(&visit.core(), &Actor::operator())? })
}

/// What to wait for.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "SettleRequest")]
pub(crate) struct SettleRequest {
    /// That nothing is left to do: no job is waiting, and no callback is in progress or due later. Held callbacks do
    /// not count. The response comes at once when something waits for an action or for a frozen clock. Default true.
    #[serde(default = "default_settled")]
    settled: bool,
    /// In real time. Default 5s, at most 300s.
    #[serde(default = "default_timeout")]
    timeout: HumanDuration,
    /// Only jobs and callbacks with this correlation_id. 404 if no job has it when the time is over.
    correlation_id: Option<String>,
}

fn default_settled() -> bool {
    true
}

fn default_timeout() -> HumanDuration {
    HumanDuration::from_secs(5)
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SettleResult", deny_unknown_fields)]
pub(crate) struct SettleResult {
    settled: bool,
    /// Jobs that will run by themselves.
    jobs_waiting: u64,
    /// Jobs that wait for an action.
    jobs_held: u64,
    waiting: u64,
    held: u64,
    delivered: u64,
    given_up: u64,
    /// True when waiting cannot help: everything that is not done waits for an action or for a frozen clock. The
    /// response then comes before the timeout ends.
    stuck: bool,
    /// Jobs and callbacks that are not done, at most 100 of each.
    undone: Vec<UnfinishedEntry>,
    /// Callbacks that are not settled, newest first, at most 100.
    open: Vec<Callback>,
}

/// A job or a callback that is not done.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct UnfinishedEntry {
    #[schemars(extend("enum" = ["job", "callback"]))]
    what: &'static str,
    id: i64,
    /// Why it is not done yet.
    reason: String,
    /// What to do about it. Null: it continues by itself.
    hint: Option<String>,
}

impl From<&UnfinishedWork> for UnfinishedEntry {
    fn from(work: &UnfinishedWork) -> Self {
        let (what, placeholder) = match work.what {
            WorkKind::Job => ("job", "{job_id}"),
            WorkKind::Callback => ("callback", "{callback_id}"),
        };
        let hint = work.hint.map(|hint| hint.replace(placeholder, &work.id.to_string()));
        Self { what, id: work.id, reason: work.why.clone(), hint }
    }
}

/// Waits until jobs and callbacks are settled: 200 if they are, 406 if not.
pub(crate) async fn settle_world(host_request: HostRequest) -> Result<HttpResponse, AdminError> {
    let HostRequest { world, request, .. } = host_request;
    let wait: SettleRequest = request.parse_body()?;
    if !wait.settled {
        return Err(AdminError::invalid("settled: must be true; nothing else can be waited for."));
    }
    if wait.timeout > WAIT_MAX {
        return Err(AdminError::invalid(format!("timeout: expected at most {WAIT_MAX}, got {}.", wait.timeout)));
    }
    let until = Instant::now() + wait.timeout.0;
    let mut waiter = WorldWaiter::new(&world, world.work.callback_tracker().subscribe(), Some(until)).await;
    loop {
        let (correlation_id, work_world) = (wait.correlation_id.clone(), world.clone());
        let now: WorkStatus =
            waiter.read_account(move |core| read_work_status(&work_world, core, correlation_id.as_deref())).await?;
        if !now.is_settled() && !now.is_stuck() && waiter.wait_for_news().await? {
            continue;
        }
        if let Some(id) = wait.correlation_id.as_deref().filter(|_| !now.is_known) {
            return Err(AdminError::unknown_correlation_id(id));
        }
        // Waits until the journal has every attempt, so that a caller who reads it next finds them all.
        let _ = timeout_at(until, world.journal.wait_for_order()).await;
        let filter = act::CallbackFilter {
            state: Some(act::CallbackState::Waiting),
            is_held: Some(false),
            correlation_id: wait.correlation_id.clone(),
        };
        let first = roost_model::page::PageRequest { number: 1, size: 100 };
        let open = match now.is_settled() {
            true => Vec::new(),
            false => waiter.read_account(move |core| act::find_callbacks(core, &filter, first)).await?.items,
        };
        let waited = SettleResult {
            settled: now.is_settled(),
            jobs_waiting: now.jobs,
            jobs_held: now.jobs_held,
            waiting: now.callbacks.waiting,
            held: now.callbacks.held,
            delivered: now.callbacks.delivered,
            given_up: now.callbacks.given_up,
            stuck: now.is_stuck(),
            undone: now.unfinished.iter().map(UnfinishedEntry::from).collect(),
            open: open.into_iter().map(|found| to_callback(&world, found)).collect(),
        };
        return Ok(json_response(if waited.settled { 200 } else { 406 }, to_bytes(&waited)));
    }
}

/// Masks the secret of the policy.
pub(in crate::admin) fn mask_policy(policy: &CallbackPolicy) -> CallbackPolicy {
    let mut masked = policy.clone();
    if let CallbackSignature::HmacSha256 { secret, .. } = &mut masked.sign {
        *secret = masked_prefix(secret);
    }
    masked
}

pub(crate) fn get_policy(visit: &WorldVisit, _: &AdminRequest) -> Result<CallbackPolicy, AdminError> {
    Ok(mask_policy(&visit.world().work.callback_tracker().policy()))
}

pub(crate) fn put_policy(
    visit: &WorldVisit,
    request: &AdminRequest,
    mut policy: CallbackPolicy,
) -> Result<CallbackPolicy, AdminError> {
    policy.check().map_err(AdminError::invalid)?;
    if policy.retries == Some(0) {
        for (name, is_set) in [("backoff", policy.backoff.is_some()), ("jitter", policy.jitter > 0.0)] {
            if is_set {
                request.warn_of_idle(name, "while retries is 0");
            }
        }
    }
    let tracker = visit.world().work.callback_tracker();
    let before = tracker.policy();
    // A caller may write back what it read, so a masked secret keeps the stored one.
    if let (CallbackSignature::HmacSha256 { secret, .. }, CallbackSignature::HmacSha256 { secret: stored, .. }) =
        (&mut policy.sign, &before.sign)
        && *secret == masked_prefix(stored)
    {
        secret.clone_from(stored);
    }
    if policy.has_chance() && policy.seed.is_none() {
        policy.seed = Some(super::super::faults::random_seed(visit));
    }
    tracker.set_policy(policy);
    self::get_policy(visit, request)
}
