"""Made from the OpenAPI documents by src-tauri/emulator/clients/generate.py; not written by hand."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict

# The operations of the interface.
Operation: TypeAlias = Literal[
    "contacts.create",
    "contacts.delete",
    "contacts.query",
    "lists.create",
    "lists.delete",
    "lists.query",
    "optouts.create",
    "optouts.delete",
    "optouts.query",
    "senders.delete",
    "senders.get",
    "senders.query",
    "shortlinks.create",
    "shortlinks.delete",
    "shortlinks.get",
    "shortlinks.search",
]

# The groups of operations.
OperationGroup: TypeAlias = Literal[
    "contacts",
    "lists",
    "optouts",
    "senders",
    "shortlinks",
]

class AccountImportResult(TypedDict):
    """What was imported, and what it replaced."""
    # Where the previous contents were saved, if the request asked for it.
    copy: BackupCopy | None
    # Contents of the file.
    imported: RecordCounts | None
    # Opt-outs that were present before and are not in the file. Only for a replacement.
    opt_outs_removed: int | None
    # The previous contents. Only for a replacement.
    replaced: RecordCounts | None
    # Only for a replacement that was carried out.
    reset: ResetReport | None

class AdminCalls(TypedDict):
    enabled: bool

class AdminError(TypedDict):
    """The body of an error."""
    error: AdminErrorDetail

class AdminErrorDetail(TypedDict):
    code: str
    # What to do about it.
    hint: str
    message: str
    # JSON pointer into the request body. "" is the whole body. Null: the error is not in the body.
    pointer: str | None

class AdminOptOut(TypedDict):
    """An opt-out with its asset, even where the interface does not show it."""
    account_level_opt_out: bool
    asset_id: str | None
    channel: str
    number: str
    opt_out_time: str
    opt_out_type: str

class AdminSender(TypedDict):
    id: str
    name: str
    status: Literal["Pending", "Verified"]

class AdminSenderPage(TypedDict):
    items: list[AdminSender]
    paging: Paging

class AdvanceRequest(TypedDict, total=False):
    """How far to move a clock. Give one of by, to and until."""
    # By this much. `0s` does what is due now and does not move the clock.
    by: Duration | None
    # Time limit in real time. Default 30s, at most 10m.
    timeout: Duration | None
    # To this time, never backwards.
    to: str | None
    # Until nothing is waiting.
    until: AdvanceUntil | None

AdvanceUntil: TypeAlias = 'Literal["idle"]'

# `clock`: Its mode and rate. The time itself is not compared. `ids`: Their seed and form. `jobs`: Jobs that are paused
# or otherwise held.
ArrangedPart: TypeAlias = 'Literal["settings", "job_policy", "callback_policy", "faults", "receivers", "other", "clock", "ids", "jobs"]'

ArrangementChange = TypedDict(
    "ArrangementChange",
    {
        "from": "Any",
        "name": "str",
        "part": "ArrangedPart",
        "to": "Any",
    },
    total=True,
)

class Asset(TypedDict):
    channel: Literal["SMS", "WHATSAPP"]
    enforce_account_level_opt_outs: bool
    id: str
    keywords: list[str]
    # E.164, or the digits of a short code.
    number: str

class AssetChange(TypedDict, total=False):
    """Fields to change. Those left out stay the same."""
    enforce_account_level_opt_outs: bool | None
    # Replaces all keywords.
    keywords: list[str] | None

class AssetPage(TypedDict):
    items: list[Asset]
    paging: Paging

class AssetRequest(TypedDict):
    # SMS or WHATSAPP, in upper or lower case.
    channel: str
    # E.164, or for SMS a short code of five digits.
    number: str

class Attempt(TypedDict):
    error: str | None
    # For an attempt without a response: the reason in one word.
    error_class: Literal["no_address", "refused", "unresolved", "timed_out", "no_connection", "broken", "no_certificates", "dropped", None]
    # Null while in progress, or if the process ended during the attempt.
    finished_at: str | None
    number: int
    started_at: str
    status: int | None
    # Details of the attempt. In lists only with went=true. Null for attempts that are no longer stored: a world stores
    # its last 1,000, up to 8 MiB, and none across a restart.
    went: AttemptDetail | None

class AttemptDetail(TypedDict):
    # The address that answered. Without an answer, the first address that the name resolved to.
    address: str | None
    # The beginning of the response.
    answer: str
    # What was sent, byte for byte.
    body: str
    # Time to connect, including the TLS handshake. In real time, like all times below. Every attempt opens its own
    # connection. Null: no connection was made.
    connect: Duration | None
    content_type: str
    # Time from the start of the attempt to the head of the response. Null: there was none.
    first_byte: Duration | None
    # Headers added by the policy, including signatures.
    headers: list[list[str]]
    # Time from the start of the attempt to its end.
    took: Duration

class BackupCopy(TypedDict):
    """A copy of the account that was replaced: a file beside the account file, or a snapshot of a world in memory."""
    file: str | None
    snapshot: str | None

class BodyFaultTruncateVariant(TypedDict):
    """Sends this many bytes of the announced length, then closes the connection. Default: half."""
    truncate: BodyFaultTruncate

class BodyFaultTrickleVariant(TypedDict):
    """Sends the body this slowly."""
    trickle: BodyFaultTrickle

BodyFault: TypeAlias = 'Literal["malformed_json", "wrong_content_type", "duplicate_header"] | BodyFaultTruncateVariant | BodyFaultTrickleVariant'

class BodyFaultTrickle(TypedDict):
    bytes_per_second: int

class BodyFaultTruncate(TypedDict, total=False):
    bytes: int | None

class Callback(TypedDict):
    """A callback with all its attempts."""
    attempts: list[Attempt]
    # What the next attempt sends: the documented body, or the result of the policy's template. What was sent is part of
    # each attempt.
    body: str
    correlation_id: str | None
    id: int
    job_id: int
    # When the next attempt is due, on the world's clock. Null: there is none, or the callback is held.
    next_at: str | None
    # Why it was given up, if that was done on purpose.
    reason: Literal["cancelled", "dropped", None]
    state: Literal["waiting", "held", "delivered", "given_up"]
    # Whether an attempt is in progress.
    under_way: bool
    url: str | None

class CallbackDelayFixedVariant(TypedDict):
    fixed: Duration

class CallbackDelayUniformVariant(TypedDict):
    uniform: CallbackDelayUniform

CallbackDelay: TypeAlias = 'Literal["none"] | CallbackDelayFixedVariant | CallbackDelayUniformVariant'

class CallbackDelayUniform(TypedDict):
    max: Duration
    min: Duration

class CallbackLosses(TypedDict):
    """Probabilities for callbacks, as in the callback policy."""
    # That a callback is never sent.
    drop: float
    # That a delivered callback is sent again.
    duplicate: float

CallbackOrder: TypeAlias = 'Literal["fifo", "lifo", "random"]'

# A status, a class such as 5xx, or error for an attempt without a response.
CallbackOutcome: TypeAlias = "int | str"

class CallbackPage(TypedDict):
    items: list[Callback]
    paging: Paging

class CallbackPolicy(TypedDict, total=False):
    """Durations are on the world's clock, except the timeout, which is real time."""
    # The wait before each retry. The last one repeats. Null: the setting `callback.retries`.
    backoff: list[Duration] | None
    # The wait before the first attempt.
    delay: CallbackDelay
    # The probability that a callback is never sent.
    drop: float
    # The probability that a delivered callback is sent again.
    duplicate: float
    # Additional headers.
    headers: dict[str, str]
    # Holds every callback until it is released.
    hold: bool
    # The largest random addition to a wait: with 0.5, 60s becomes 60s to 90s.
    jitter: float
    # Which of the due callbacks is sent first.
    order: CallbackOrder
    # Calls in progress at the same time. Null: 16, or 1 when the order is not fifo.
    parallel: int | None
    # The most retries. Null: as many as there are waits in `backoff`.
    retries: int | None
    # Which outcomes are retried.
    retry_on: list[CallbackOutcome]
    # Determines all random choices. Null: chosen once.
    seed: int | None
    sign: CallbackSignature
    # Replaces the documented body, from the next attempt on. Signatures cover what is sent.
    template: CallbackTemplate
    timeout: Duration

class CallbackSignatureHmacSha256Variant(TypedDict):
    """`sha256=` and the HMAC of the body in hexadecimal."""
    hmac_sha256: CallbackSignatureHmacSha256

CallbackSignature: TypeAlias = 'Literal["none"] | CallbackSignatureHmacSha256Variant'

class CallbackSignatureHmacSha256(TypedDict):
    header: str
    secret: str

class CallbackTemplateJsonVariant(TypedDict):
    """Any JSON, sent byte for byte. A text that is only `{{name}}` becomes the value with its type."""
    json: Any

class CallbackTemplateTextVariant(TypedDict):
    """Any text, JSON or not. Values are inserted unchanged."""
    text: CallbackTemplateText

# Replaces the documented body. `{{name}}` inserts a value. `body`, `timestamp`, `results`,
# `results.total_contacts_imported` (and `_merged`, `_failed`), `list_id`, `list_name` and `correlation_id` are those of
# the documented body. `job.id`, `job.contacts`, `job.imported`, `job.merged`, `job.skipped`, `job.failed`,
# `job.queued_at` and `job.finished_at` describe the job, with counts as numbers. `callback.id` and `callback.try`
# identify the attempt. `{{name:text}}` inserts the value as a text. At most 64 KiB and 100 values.
CallbackTemplate: TypeAlias = 'Literal["none"] | CallbackTemplateJsonVariant | CallbackTemplateTextVariant'

class CallbackTemplateText(TypedDict):
    body: str
    content_type: str

class CallbacksReleased(TypedDict):
    # Numbers of the callbacks that were held.
    items: list[int]

class CancelledWork(TypedDict):
    """What was ended before it finished."""
    # Callbacks that were not sent yet.
    callbacks: int
    # Contact jobs that were waiting.
    jobs: int
    # Requests in progress.
    requests: int

class ChangedRecord(TypedDict):
    # The fields that differ, by name, each with `before` and `after`.
    fields: dict[str, Any]
    # The uid, or another key of a record without one.
    key: str

class ChangedRecords(TypedDict):
    """Records that exist on both sides and differ."""
    # The full count, including records beyond the limit.
    count: int
    items: list[ChangedRecord]

class Click(TypedDict):
    browser: str | None
    campaign_uid: str | None
    device: str | None
    link_id: str
    operating_system: str | None
    recipient: str | None
    short_link_url: str
    target_url: str
    time: str
    title: str

class ClickPage(TypedDict):
    items: list[Click]
    paging: Paging

class ClickRequest(TypedDict, total=False):
    """The visitor, as far as known."""
    browser: str | None
    campaign_uid: str | None
    device: str | None
    operating_system: str | None
    recipient: str | None

class Clock(TypedDict):
    """How a clock runs."""
    mode: ClockMode
    # A warning: on a frozen clock, rate limits do not recover by themselves. Null otherwise.
    note: str | None
    now: str
    rate: float | None
    # The system clock.
    real_time: str

ClockAdvanced = TypedDict(
    "ClockAdvanced",
    {
        "from": "str",
        "mode": "ClockMode",
        "now": "str",
        "ran": "list[CompletedWork]",
    },
    total=True,
)

# `real`: Same as the system clock. `offset`: The system clock, shifted by a fixed time. `frozen`: Stands still until it
# is moved. `scaled`: Faster or slower than the system clock.
ClockMode: TypeAlias = 'Literal["real", "offset", "frozen", "scaled"]'

class _ClockRequest(TypedDict):
    mode: ClockMode

class ClockRequest(_ClockRequest, total=False):
    """How to run a clock."""
    # The time to show, for example `2026-01-05T09:00:00Z`, with up to nine decimals. When left out, the clock continues
    # from its current time.
    now: str | None
    # For a scaled clock: its seconds per real second, from 0.0001 to 100000.
    rate: float | None

class CompletedWork(TypedDict):
    """What ran by itself, and when on the world's clock."""
    at: str
    # For a callback: the number of the attempt.
    attempt: int | None
    # For a callback: its number.
    callback: int | None
    # For a job: its number. For a callback: the number of its job.
    job: int
    # For a callback: the receiver's status. Null: no response came.
    status: int | None
    what: Literal["job", "callback"]

# How the connection ends. `reset`: Reset (RST). `empty`: Closed normally, without a single byte of a response. `hang`:
# Silent until the caller disconnects or the server stops.
ConnectionEnd: TypeAlias = 'Literal["reset", "empty", "hang"]'

class CreatedWorld(TypedDict):
    """A created world. The key and the token are shown only here."""
    # Gives access to this world's admin routes only.
    admin_token: str
    admin_url: str
    # Selects the world at every address of the server.
    api_key: str
    # Base address of the world. Any key works there.
    base_url: str
    epoch: int
    id: WorldId
    # A warning: on a frozen clock, rate limits do not recover by themselves. Null otherwise.
    note: str | None
    # The world is removed when it has not been used for this long. Null: it ends with the server at the latest.
    ttl: Duration | None

class CustomField(TypedDict):
    label: str
    number: int

class CustomFieldLabel(TypedDict):
    label: str

class CustomFieldPage(TypedDict):
    items: list[CustomField]
    paging: Paging

class DiffRecord(TypedDict):
    fields: dict[str, Any]
    # The uid, or another key of a record without one.
    key: str

class DiffRecords(TypedDict):
    """Records that exist on one side only."""
    # The full count, including records beyond the limit.
    count: int
    items: list[DiffRecord]

# A duration: 500ms, 10s, 5m, 2h, 1d. Measured values can be in microseconds: 412us
Duration: TypeAlias = "str"

class Fault(TypedDict):
    """A fault rule in force."""
    # Time until the rule ends. Null: it does not end by itself.
    expires_in: Duration | None
    # Requests on which the rule fired.
    hits: int
    # The name shown in the journal.
    name: str
    # Position in the order in which rules are tried, from 1. Only the first rule that matches fires; a rule that only
    # delays applies in addition. `POST /__admin/faults/explain` says which rule would fire.
    position: int
    # The rule as it was given. Keys are shortened to their beginning.
    rule: FaultRule
    # Requests that matched so far.
    seen: int
    source: FaultSource
    # Why the rule cannot fire at present, if that is certain.
    warning: str | None

class FaultApply(TypedDict, total=False):
    """Which of the matching requests the rule fires on. All conditions that are given must hold."""
    # Fires on every nth match, counted after `skip`.
    every: int | None
    # Fires on this many matches only, counted after `skip`.
    first: int | None
    # Counts separately for each value of `key`, `operation`, `path`, `header:NAME`, `query:NAME`, a JSON pointer into
    # the body, or the name of a body field.
    per_key_of: str | None
    # Probability of firing on each of these matches. Default 1.
    probability: float | None
    # Stops firing after firing this many times.
    recover_after: int | None
    # Determines random choices and latencies. Default: a random seed, which is shown.
    seed: int | None
    # Skips this many matches first.
    skip: int
    # Fires only in this window, on the world's clock, counted from the creation of the rule.
    window: FaultWindow | None

# When the effect happens. `before`: Before the operation. With an error status or an ended connection, the operation is
# not carried out. `after`: After the operation has been carried out and stored.
FaultCommit: TypeAlias = 'Literal["before", "after"]'

class FaultEffect(TypedDict, total=False):
    """Everything given here happens together. With an empty effect, the journal names the rule and nothing else
    happens.
    """
    # Damages the response body. A response without a body stays the same.
    body: BodyFault | None
    # The name of the error. Default: the name that belongs to the status.
    error: str | None
    # More response headers. They replace existing ones.
    headers: dict[str, str]
    latency: Latency | None
    # Ends the connection without a response.
    line: ConnectionEnd | None
    # Value of the Retry-After header, in whole seconds. Default: `1s` with status 429, otherwise no header.
    retry_after: Duration | None
    # An error status. The body has the shape that the operation uses.
    status: int | None

class _FaultExplainRequest(TypedDict):
    # Path and query, without the part that selects a world.
    url: str

class FaultExplainRequest(_FaultExplainRequest, total=False):
    """A request that might be sent."""
    # JSON, or a text that is sent unchanged.
    body: Any
    headers: dict[str, str]
    # The caller's key. Default: that of the X-AUTH-KEY header.
    key: str | None
    # Default GET.
    method: str | None

class FaultExplained(TypedDict):
    # Whether the rule would fire.
    fires: bool
    # The parts of the request that do not match.
    misses: list[FieldMismatch]
    name: str
    source: FaultSource
    # Why it would not fire.
    why: str | None

class FaultExplanation(TypedDict):
    """Which fault rule a request would trigger now. Rate limits are checked before rules."""
    # The rule that would only delay the response. It applies in addition to the one that fires.
    delays: str | None
    # The rule that would fire. Null: none.
    fires: str | None
    # All rules, in the order in which they are tried.
    items: list[FaultExplained]
    operation: str

class FaultPage(TypedDict):
    items: list[Fault]
    paging: Paging

class FaultPlan(TypedDict):
    # Identifies the plan, so that it can be generated again.
    id: str
    intensity: float
    length: Duration
    rules: list[FaultRule]
    seed: int

class FaultPlanInForce(TypedDict):
    """The fault plan in force."""
    # Null when none is set.
    plan: FaultPlan | None

class FaultPlanWish(TypedDict, total=False):
    # The share of that time that has a fault. Default 0.1.
    intensity: float | None
    # How much of the world's time the plan covers, starting now. Default 10m.
    length: Duration | None
    # Default 1.
    seed: int | None

class _FaultProfile(TypedDict):
    name: str
    rules: list[FaultRule]
    what: str

class FaultProfile(_FaultProfile, total=False):
    # What happens to callbacks, unless their policy is worse.
    callbacks: CallbackLosses | None
    # A rate limit that replaces the one in force, even if limits are off.
    limit: TightLimit | None

class FaultProfilePage(TypedDict):
    items: list[FaultProfile]
    paging: Paging

class _FaultRule(TypedDict):
    effect: FaultEffect

class FaultRule(_FaultRule, total=False):
    apply: FaultApply
    commit: FaultCommit
    # Which requests. Default: all.
    match: Matcher | None
    # The name shown in the journal. Default: `fault-1` and so on.
    name: str | None
    # The rule is removed after this time on the world's clock.
    ttl: Duration | None

# Where a rule comes from, in the order in which rules are tried. `rule`: Created by name. `prefer`: The Prefer header
# of the request. `magic`: A magic number in the request.
FaultSource: TypeAlias = 'Literal["plan", "profile", "rule", "prefer", "magic"]'

FaultWindow = TypedDict(
    "FaultWindow",
    {
        "after": "Duration",
        "for": "Duration | None",
    },
    total=False,
)

class Fidelity(TypedDict):
    # Counts of all matching rows by mark.
    counts: FidelityCounts
    items: list[FidelityRow]
    # Decisions that do not concern the emulator.
    others: list[FidelityOther]
    paging: Paging
    # How much of the whole register was observed at the service, and where the rest comes from. Nothing counts as
    # observed without --fidelity.
    score: FidelityScore

class FidelityCounts(TypedDict):
    assumed: int
    documented: int
    inferred: int

class FidelityHeader(TypedDict):
    """Whether responses name the assumptions that shaped them."""
    enabled: bool

# How certain it is that the service behaves the same. `documented`: The service's documentation says so. `inferred`: It
# follows from samples, or from programs that use the service. `assumed`: Unknown; chosen for the emulator.
FidelityMark: TypeAlias = 'Literal["documented", "inferred", "assumed"]'

class FidelityOther(TypedDict):
    decision: str
    why: str

class FidelityRow(TypedDict):
    decision: str
    # Mark of the exact form, if it is less certain than the behaviour.
    detail: FidelityMark | None
    does: str
    # Whether the header names it when it shaped a response.
    in_header: bool
    mark: FidelityMark
    # The name in the X-Roost-Assumed header.
    name: str
    # What the service does instead, or why it is undecided.
    note: str | None
    # What roost fidelity check found at the service. Null: not checked.
    observation: Observation | None
    # Operations and groups of them. `*` is all.
    operations: list[str]
    # The setting that changes it.
    setting: str | None
    # The current value of that setting.
    value: Any

class FidelityScore(TypedDict):
    """How much of the register is known, and how."""
    assumed: int
    contradicted: int
    documented: int
    inferred: int
    observed: int

class FieldMismatch(TypedDict):
    """One test that a request does not pass."""
    # `status`, `headers.x-tag`, `body/contacts/0/title`.
    field: str
    found: str
    wanted: str

class FoundRequests(TypedDict):
    # How many lines match. `items` are the newest of them.
    count: int
    # Oldest first.
    items: list[JournalLine]

class HealthStatus(TypedDict):
    # Identifies the server.
    server: Literal["roost"]
    status: Literal["ok"]

class Hook(TypedDict):
    """A receiver with some of its calls."""
    # How many calls arrived.
    came: int
    # Calls replaced by newer ones.
    dropped: int
    # Whether more calls are available now. Ask again with `next`.
    has_more: bool
    # Calls after `since`, oldest first.
    items: list[HookCall]
    name: str
    # Pass this as `since` to continue.
    next: int
    script: HookScriptLeft
    # The address to use as `callback_url`.
    url: str

# A status, or a full answer.
HookAnswer: TypeAlias = "int | HookReply"

class HookCall(TypedDict):
    # The status of the answer. Null: the connection ended without one.
    answered: int | None
    # On the world's clock.
    at: str
    attempt: int | None
    body: str
    # The full length of the body. At most 256 KiB of it are stored.
    bytes: int
    # The callback of this world that sent the call.
    callback_id: int | None
    headers: list[list[str]]
    # The body, if it is JSON.
    json: Any
    method: str
    # Number of the call to this receiver, from 1.
    seq: int
    target: str

# `empty`: Closed normally, without a single byte. `reset`: Reset (RST).
HookLineEnd: TypeAlias = 'Literal["empty", "reset"]'

class HookReply(TypedDict, total=False):
    """An answer."""
    body: str
    # How long the answer is delayed, in real time.
    delay: Duration
    headers: dict[str, str]
    # Ends the connection instead of answering.
    line: HookLineEnd | None
    status: int

class HookScript(TypedDict, total=False):
    """How a receiver answers."""
    # Used one after the other.
    answers: list[HookAnswer]
    # Used for all later calls. Default 200.
    then: HookAnswer | None

class HookScriptLeft(TypedDict):
    # Answers that are not used yet.
    answers: list[HookReply]
    then: HookReply

class HookSummary(TypedDict):
    """A receiver and its number of calls."""
    answers_left: int
    came: int
    dropped: int
    kept: int
    name: str
    url: str

class HookSummaryPage(TypedDict):
    items: list[HookSummary]
    paging: Paging

# `random`: Same form as the service's: the second of creation, then random digits. `sequence`: Counted up and easy to
# read. They contain no time. `hash`: Derived from the seed and the request only, independent of the clock.
IdStyle: TypeAlias = 'Literal["random", "sequence", "hash"]'

class InboundEffect(TypedDict):
    """The opt-out that the message created. Null unless it was a keyword of the asset."""
    opt_out: AdminOptOut | None

InboundMessage = TypedDict(
    "InboundMessage",
    {
        "asset_id": "str",
        "from": "str",
        "text": "str",
    },
    total=True,
)

class Index(TypedDict):
    # Address of the OpenAPI document.
    document: str
    # Links to the other resources, by name.
    links: dict[str, IndexLink]
    # Version of the program.
    server_version: str
    # Version of the admin interface.
    version: str

class IndexLink(TypedDict):
    # The methods that the path supports.
    methods: list[str]
    path: str

class Job(TypedDict):
    # Null when no callback was requested.
    callback_id: int | None
    callback_url: str | None
    contacts: int
    correlation_id: str | None
    # Contacts that are done.
    done: int
    # The fault set for it.
    fault: str | None
    finished_at: str | None
    # Whether the job waits for an action, or for a query of its list.
    held: bool
    id: int
    list_id: str
    list_name: str
    merge_type: str
    # When it continues by itself, on the world's clock. Null: it does not.
    next_at: str | None
    paused: bool
    queued_at: str
    # The request that created it. Null when that was not recorded or is no longer stored.
    request: RequestLink | None
    state: Literal["queued", "done"]
    totals: OutcomeTotals

class JobEvent(TypedDict):
    # On the world's clock.
    at: str
    contacts: int
    failed: int
    # Index of its first contact in the request, from 0.
    first: int
    imported: int
    merged: int
    # How many parts are grouped. Consecutive parts are grouped when there are very many.
    parts: int
    skipped: int
    # When several parts are grouped: the time of the last one. Otherwise the same as `at`.
    until: str
    what: Literal["part", "announced", "paused", "resumed", "failed", "dropped", "given_up"]

class _JobFault(TypedDict):
    fault: JobFaultKind

class JobFault(_JobFault, total=False):
    """A fault, and the jobs it applies to."""
    correlation_id: str | None
    # At most this many jobs.
    first: int | None
    list_id: str | None

class JobFaultKindFailAfterVariant(TypedDict):
    """All contacts after this many fail."""
    fail_after: int

class JobFaultKindFailNumbersVariant(TypedDict):
    """The contacts with these numbers fail."""
    fail_numbers: list[str]

JobFaultKind: TypeAlias = 'Literal["fail", "never_finish", "finish_twice", "callback_first", "lose_callback", "drop"] | JobFaultKindFailAfterVariant | JobFaultKindFailNumbersVariant'

class JobMoments(TypedDict):
    """What was done to a job, oldest first."""
    # Contacts done at times that are no longer stored: the job is older than this server run, was restored with a
    # snapshot, or is very old.
    forgotten: int
    items: list[JobEvent]
    paging: Paging

class JobPage(TypedDict):
    items: list[Job]
    paging: Paging

class JobPolicy(TypedDict, total=False):
    """Durations are on the world's clock."""
    # With `after`: how long a job waits.
    after: Duration
    # Faults for new jobs. The first one that matches applies to a job, and no other.
    faults: list[JobFault]
    # With `rate`: contacts processed per second.
    per_second: int
    # With `polls`: the job runs at this query of its list's contacts, before the query is answered.
    polls: int
    progress: JobProgress

# `manual`: Only when it is run or stepped.
JobProgress: TypeAlias = 'Literal["immediate", "after", "polls", "rate", "manual"]'

class JobStep(TypedDict, total=False):
    # How many contacts to process. Default 1.
    contacts: int

class JournalBody(TypedDict):
    # The full length.
    bytes: int
    # `cut`: only the beginning is stored. `withheld`: it may contain a secret. `unread`: the request was refused before
    # the body was read.
    state: Literal["none", "whole", "cut", "withheld", "unread"]
    text: str

class JournalChange(TypedDict, total=False):
    # Whether to record calls of the admin interface as well, in the journal of the default world.
    admin_calls: AdminCalls | None
    # The most memory that the lines use. The newest line is always stored.
    bytes: int | None
    # Whether to record requests.
    enabled: bool | None
    # The most lines to store.
    lines: int | None

class JournalFault(TypedDict):
    message: str
    path: str

class JournalGap(TypedDict):
    first: int
    last: int

class JournalIntendedResponse(TypedDict):
    body: JournalBody
    status: int

class JournalLimits(TypedDict):
    bytes: int
    lines: int

class _JournalLine(TypedDict):
    # Start, on the world's clock.
    at: str
    # For a callback: the number of the attempt.
    attempt: int | None
    # `in`, or `out` for a callback.
    direction: Literal["in", "out"]
    # For a callback: its job.
    job: int | None
    # The beginning of the key.
    key: str | None
    # The response that would have been sent without the rule.
    meant: JournalIntendedResponse | None
    method: str
    # Assigned when the request arrived or the callback was sent.
    number: int
    operation: str | None
    request: JournalMessage
    response: JournalMessage
    # The fault rule that fired.
    rule: str | None
    # Position in the journal. It increases by one per line, in the order in which the requests ended.
    seq: int
    # Null when no response was sent.
    status: int | None
    # Path and query. For a callback, the whole address.
    url: str
    why: JournalRefusal | None

class JournalLine(_JournalLine, total=False):
    # Effects and causes. Only when a single line is requested.
    links: JournalLinks | None
    # Start, in real time. Not in the stable form.
    real_at: str | None
    # Not in the stable form.
    took: Duration | None

class JournalLinks(TypedDict):
    """What is related to a journal line."""
    # The callbacks of these jobs.
    callbacks: list[int]
    # For a request: the job it created. For a callback: its job.
    jobs: list[int]
    # For a callback: the request that created its job, if it is still stored.
    request: RequestLink | None
    # What these jobs have written so far. Null: there are none.
    rows: JournalRows | None

class JournalMessage(TypedDict):
    body: JournalBody
    # Names and values. Secrets are masked.
    headers: list[list[str]]

# After this line: SEQ or EPOCH.SEQ.
JournalPosition: TypeAlias = "int | str"

class JournalRefusal(TypedDict):
    """Why the request was refused."""
    check: str
    # The first rules that the request broke.
    faults: list[JournalFault]
    faults_total: int
    words: str

class JournalRow(TypedDict):
    # Null when it was deleted since.
    contact_id: str | None
    # Index of the contact in the request, from 0.
    index: int
    outcome: Literal["imported", "merged"]

class JournalRows(TypedDict):
    """Contacts of a request that were written."""
    # Whether there are more. GET /__admin/jobs/{job_id}/outcomes lists all.
    has_more: bool
    imported: int
    # The first hundred, in the order of the request.
    items: list[JournalRow]
    merged: int

# WireMock sends the matcher itself as the body.
JournalSearch: TypeAlias = "JournalSearchQuery | Matcher"

class _JournalSearchQuery(TypedDict):
    match: Matcher

class JournalSearchQuery(_JournalSearchQuery, total=False):
    """A matcher, optionally with a position to start at."""
    # For `find`: return at most this many lines, newest first.
    limit: int | None
    since: JournalPosition | None

class JournalState(TypedDict):
    """The state of the journal."""
    # Whether calls of the admin interface are recorded as well; those that match no route always are.
    admin_calls: AdminCalls
    # Memory used by the lines, approximately.
    bytes: int
    dropped: int
    # Whether requests are recorded.
    enabled: bool
    epoch: int
    last: int
    limits: JournalLimits
    lines: int

class KnownRoute(TypedDict):
    """A route."""
    method: str
    name: str
    path: str

class LatencyUniformVariant(TypedDict):
    uniform: LatencyUniform

class LatencyLogNormalVariant(TypedDict):
    """Most delays are near the median, a few are much longer."""
    log_normal: LatencyLogNormal

class LatencyQuantilesVariant(TypedDict):
    """The same distribution, given by its median and its 99th percentile."""
    quantiles: LatencyQuantiles

# How long the response is delayed, in real time. At most ten minutes.
Latency: TypeAlias = "CallbackDelayFixedVariant | LatencyUniformVariant | LatencyLogNormalVariant | LatencyQuantilesVariant"

class LatencyLogNormal(TypedDict):
    median: Duration
    sigma: float

class LatencyQuantiles(TypedDict):
    p50: Duration
    p99: Duration

class LatencyUniform(TypedDict):
    max: Duration
    min: Duration

# How requests are counted.
LimitAlgorithm: TypeAlias = 'Literal["token_bucket", "fixed_window"]'

class LimitBucket(TypedDict):
    # Requests that a full bucket accepts.
    capacity: int
    # Time until the bucket is full, on the world's clock.
    full_in: Duration
    # The beginning of the key. Null when keys share buckets.
    key: str | None
    # Requests that would be accepted now.
    level: int
    # Null when operations share buckets.
    operation: str | None
    # Requests refused since the bucket was last full.
    refused: int

class LimitBucketPage(TypedDict):
    items: list[LimitBucket]
    paging: Paging

# What gets a bucket of its own.
LimitScope: TypeAlias = 'Literal["key+operation", "key", "operation", "world"]'

class Limits(TypedDict):
    """The rate limit in force."""
    algorithm: LimitAlgorithm
    burst: int
    # Whether requests are limited.
    enabled: bool
    per_second: int
    # The fault profile that this limit comes from. The world's own limit applies again without the profile.
    profile: str | None
    retry_after: RetryAfter
    scope: LimitScope
    status: int

class LimitsRequest(TypedDict, total=False):
    """A rate limit to set."""
    algorithm: LimitAlgorithm | None
    # How many requests at once. With a fixed window, always `per_second`.
    burst: int | None
    # Whether requests are limited.
    enabled: bool | None
    # The setting `limits.per_second`. `burst` becomes the same number unless it is given too.
    per_second: int | None
    retry_after: RetryAfter | None
    # What gets a bucket of its own.
    scope: LimitScope | None
    # Status of the refusal.
    status: int | None

class ListRename(TypedDict):
    name: str

class _MagicNumber(TypedDict):
    number: str
    what: str

class MagicNumber(_MagicNumber, total=False):
    """A magic number and its effect."""
    # The fault of the job that the request creates.
    job: JobFaultKind | None
    # The fault rule that it triggers. Null if it affects a job.
    rule: FaultRule | None

class MagicNumbers(TypedDict):
    # When false, magic numbers are ordinary numbers.
    enabled: bool
    items: list[MagicNumber]
    paging: Paging

class MagicSwitch(TypedDict):
    enabled: bool

TextTest = TypedDict(
    "TextTest",
    {
        "absent": "bool",
        "case_insensitive": "bool",
        "contains": "str",
        "does_not_contain": "str",
        "does_not_match": "str",
        "equal_to": "str | float | bool",
        "in": "list[str | float | bool]",
        "matches": "str",
    },
    total=False,
)

class Matcher(TypedDict, total=False):
    """Describes requests. All parts must match. A text means equality, with * for any characters."""
    # A text, or {equal_to_json, ignore_extra, pointer, contains, matches}, or a list of these
    body: Any
    # in, or out for a callback
    direction: str | float | bool | TextTest
    headers: dict[str, str | float | bool | TextTest]
    # The caller's key
    key: str | float | bool | TextTest
    # ANY matches every method
    method: str | float | bool | TextTest
    # An operation such as contacts.create, or a group such as contacts
    operation: str | float | bool | TextTest
    # Without the query
    path: str | float | bool | TextTest
    query: dict[str, str | float | bool | TextTest]
    # The name of the rule that fired
    rule: str | float | bool | TextTest
    # 200, "4xx", null for no response, a list of these, or {at_least, at_most}
    status: Any
    # Path and query
    url: str | float | bool | TextTest

Matchers: TypeAlias = "Matcher | list[Matcher]"

class NearLine(TypedDict):
    """A line that nearly matches."""
    method: str
    misses: list[FieldMismatch]
    number: int
    operation: str | None
    seq: int
    status: int | None
    url: str

# `observed`: The service does the same. `contradicted`: The service does something else. `undecided`: No response could
# decide it.
Observation: TypeAlias = 'Literal["observed", "contradicted", "undecided"]'

class OptOutImport(TypedDict):
    rows: list[OptOutImportRow]

class OptOutImportOutcome(TypedDict):
    channel: str
    # Why the row was skipped.
    message: str | None
    number: str
    status: Literal["success", "failure"]

class OptOutImportReport(TypedDict):
    # One result per row, in the same order.
    items: list[OptOutImportOutcome]
    total_failed: int
    total_submitted: int
    total_succeeded: int

class _OptOutImportRow(TypedDict):
    number: str

class OptOutImportRow(_OptOutImportRow, total=False):
    asset_id: str | None
    channel: str | None

class OutcomeEntry(TypedDict):
    contact_id: str | None
    # Index of the contact in the request, from 0.
    index: int
    # Its current phone number, or else its WhatsApp number. Null: it was not stored, or was deleted since.
    number: str | None
    outcome: Literal["imported", "merged", "skipped", "failed"]
    # Why it was skipped or failed. Null for all others, and when the reason is no longer stored.
    reason: Literal["duplicate", "fault", "operator", "dropped", "given_up", "list_gone", None]

class OutcomeEntryPage(TypedDict):
    items: list[OutcomeEntry]
    paging: Paging

class OutcomeTotals(TypedDict):
    failed: int
    imported: int
    merged: int
    skipped: int

class Paging(TypedDict):
    # The requested page, even if it is after the last one.
    current_page: int
    total_items: int
    total_pages: int

class PreferSwitch(TypedDict):
    """Whether callers can request faults with the Prefer header."""
    enabled: bool

class ProfileInForce(TypedDict, total=False):
    """The profile in force."""
    # Null when none is set.
    name: str | None

class Random(TypedDict):
    # Requests so far that may have changed something. Ids follow from the seed and this count.
    acts: int
    ids: IdStyle
    # The same seed and the same requests from the same start give the same ids. Null: ids are random.
    seed: int | None

class RandomChange(TypedDict, total=False):
    """How ids are made."""
    ids: IdStyle | None
    seed: int | None

class RecordCounts(TypedDict):
    assets: int
    contacts: int
    custom_fields: int
    lists: int
    opt_outs: int
    senders: int
    short_links: int

class RecordStep(TypedDict):
    """An edit made through the admin interface, which can be undone and redone."""
    at: str
    # Whether it was undone and can be redone.
    is_undone: bool
    step: int

class RecordStepPage(TypedDict):
    items: list[RecordStep]
    paging: Paging

class RenamedList(TypedDict):
    """A list as it is stored."""
    contact_count: int
    created_at: str
    name: str
    uid: str
    updated_at: str

class RequestCount(TypedDict):
    count: int

class RequestLink(TypedDict):
    """A request, as its effects refer to it."""
    # Assigned when the request arrived.
    number: int
    # Its line in the journal. Null: not written yet, or no longer stored.
    seq: int | None

class RequestPage(TypedDict):
    # Lines replaced by newer ones since the journal was last cleared.
    dropped: int
    # Whether requests are recorded.
    enabled: bool
    # How often the world was reset or restored. Sequence numbers start again in each epoch.
    epoch: int
    # Requested lines that are no longer stored.
    gap: JournalGap | None
    # Whether more lines are available now. Ask again with `next`.
    has_more: bool
    # Oldest first.
    items: list[JournalLine]
    # The newest line.
    last: int
    # Pass this as `since` to continue.
    next: str

class ResetReport(TypedDict):
    """The result of a reset."""
    cancelled: CancelledWork
    # Where the replaced account was saved. Only for a protected account file.
    copy: BackupCopy | None
    # The new epoch of the world.
    epoch: int
    took: Duration

class ResourceDiff(TypedDict):
    added: DiffRecords
    changed: ChangedRecords
    removed: DiffRecords

class ResourceDiffs(TypedDict):
    assets: ResourceDiff
    contacts: ResourceDiff
    custom_fields: ResourceDiff
    jobs: ResourceDiff
    lists: ResourceDiff
    opt_outs: ResourceDiff
    senders: ResourceDiff
    short_links: ResourceDiff

# The Retry-After header: computed from the bucket, none, or always this duration.
RetryAfter: TypeAlias = 'Literal["computed", "none"] | Duration'

class SeedResult(TypedDict):
    """The contents of a seed, and what was ended when it was applied."""
    reset: ResetReport
    seeded: RecordCounts

class SenderRequest(TypedDict):
    # 3 to 11 letters, digits, spaces or `. - _ &`, or a number.
    name: str

class ServerCounts(TypedDict):
    assets: int
    contacts: int
    custom_fields: int
    jobs_waiting: int
    lists: int
    opt_outs: int
    senders: int
    short_links: int

class ServerInfo(TypedDict):
    counts: ServerCounts
    pid: int
    schema_version: int
    short_link_base: str
    uptime: Duration
    url: str
    version: str

Settings = TypedDict(
    "Settings",
    {
        "auth": 'Literal["any", "off", "keys"]',
        "auth.keys": "Any",
        "callback.retries": "Any",
        "limits": 'Literal["on", "off"]',
        "limits.per_second": "Any",
        "lists.unique_names": 'Literal["off", "on"]',
        "opt_outs.asset_fields": 'Literal["keyword", "asset"]',
        "opt_outs.entries": 'Literal["first", "all"]',
        "short_link_base": "Any",
        "status.contact_create": 'Literal["200", "201", "202", 200, 201, 202]',
        "status.list_create": 'Literal["200", "201", 200, 201]',
        "status.opt_out_delete": 'Literal["200", "201", "202", 200, 201, 202]',
        "strict.body_fields": 'Literal["ignore", "warn", "refuse"]',
        "strict.content_type": 'Literal["ignore", "warn", "refuse"]',
        "strict.deprecated_forms": 'Literal["ignore", "warn", "refuse"]',
        "strict.parameters": 'Literal["ignore", "warn", "refuse"]',
        "unknown_on_delete": 'Literal["400", "404", 400, 404]',
    },
    total=False,
)

class SettleRequest(TypedDict, total=False):
    """What to wait for."""
    # Only jobs and callbacks with this correlation_id. 404 if no job has it when the time is over.
    correlation_id: str | None
    # That nothing is left to do: no job is waiting, and no callback is in progress or due later. Held callbacks do not
    # count. The response comes at once when something waits for an action or for a frozen clock. Default true.
    settled: bool
    # In real time. Default 5s, at most 300s.
    timeout: Duration

class SettleResult(TypedDict):
    delivered: int
    given_up: int
    held: int
    # Jobs that wait for an action.
    jobs_held: int
    # Jobs that will run by themselves.
    jobs_waiting: int
    # Callbacks that are not settled, newest first, at most 100.
    open: list[Callback]
    settled: bool
    # True when waiting cannot help: everything that is not done waits for an action or for a frozen clock. The response
    # then comes before the timeout ends.
    stuck: bool
    # Jobs and callbacks that are not done, at most 100 of each.
    undone: list[UnfinishedEntry]
    waiting: int

class Snapshot(TypedDict):
    # On the world's clock.
    at: str
    bytes: int
    name: str

class SnapshotPage(TypedDict):
    items: list[Snapshot]
    paging: Paging

class SnapshotRequest(TypedDict):
    name: str

StateDiff = TypedDict(
    "StateDiff",
    {
        "added": "int",
        "arrangement": "list[ArrangementChange]",
        "changed": "int",
        "from": "str",
        "is_empty": "bool",
        "not_compared": "list[str]",
        "removed": "int",
        "resources": "ResourceDiffs",
        "to": "str",
    },
    total=True,
)

# A record in the form that seeds use. A contact names its list in list_uid.
StateRecord: TypeAlias = "dict[str, Any]"

class StateRecordPage(TypedDict):
    items: list[StateRecord]
    paging: Paging

class _StepTurnRequest(TypedDict):
    step: int

class StepTurnRequest(_StepTurnRequest, total=False):
    # The record as you last saw it; null if it did not exist. Nothing is done if it is different now. When left out,
    # only a change made since the edit prevents this.
    record: StateRecord | None

class StepTurnResult(TypedDict):
    # The current record. Null: it does not exist.
    record: StateRecord | None

class TightLimit(TypedDict):
    """For each key and operation."""
    burst: int
    per_second: int

class UnfinishedEntry(TypedDict):
    """A job or a callback that is not done."""
    # What to do about it. Null: it continues by itself.
    hint: str | None
    id: int
    # Why it is not done yet.
    reason: str
    what: Literal["job", "callback"]

class UnmatchedPage(TypedDict):
    # Lines replaced by newer ones. Some of them may have been unmatched too.
    dropped: int
    # Whether requests are recorded. If not, unmatched requests are missing here.
    enabled: bool
    # Oldest first, at most the newest thousand.
    items: list[UnmatchedRequest]
    paging: Paging

class UnmatchedRequest(TypedDict):
    at: str
    # Routes that were probably meant, best match first: none, one, or one by path and one by method.
    closest: list[KnownRoute]
    method: str
    number: int
    seq: int
    status: int | None
    url: str
    # Why nothing matched.
    why: str

class _Verified(TypedDict):
    # Numbers of the matching lines.
    lines: list[int]
    matched: int
    # If too few requests matched: lines that nearly match, with their differences.
    nearest: list[NearLine]
    # Why earlier requests were not counted, if the journal was cleared since.
    note: str | None
    verified: bool
    # The expectation in words.
    wanted: str

class Verified(_Verified, total=False):
    # The check as it was given.
    message: str | None

class _VerifyRequest(TypedDict):
    # A matcher. With `order`, a list of matchers.
    match: Matchers

class VerifyRequest(_VerifyRequest, total=False):
    """Which requests are expected."""
    # Shown when the check fails.
    message: str | None
    # Whether the requests must come in this order. Others may come between them.
    order: bool
    # Only lines after this one. Default: since the journal was last cleared.
    since: JournalPosition | None
    # How long to wait, at most 300s. With `exactly` 0 or `at_most`, a check that holds waits this long, because a later
    # request can still break it.
    timeout: Duration | None
    # How many requests. Default: at least one.
    times: VerifyTimes | None

class VerifyTimes(TypedDict, total=False):
    """How many matching requests are expected. All bounds that are given must hold. Default: at least one."""
    at_least: int | None
    at_most: int | None
    exactly: int | None

class _WebForm(TypedDict):
    number: str

class WebForm(_WebForm, total=False):
    # SMS or WHATSAPP, in upper or lower case. Default SMS.
    channel: str | None

class World(TypedDict):
    age: Duration
    base_url: str
    epoch: int
    # Time until the world is removed if it is not used. Null: never.
    expires_in: Duration | None
    id: WorldId
    # The beginnings of the keys that select it.
    keys: list[str]
    # Whether the account is the world's own, a file, or shared with others.
    kind: Literal["own", "file", "lent"]
    requests: int
    snapshots: int
    # Requests in progress.
    under_way: int

WorldId: TypeAlias = "str"

class WorldPage(TypedDict):
    items: list[World]
    paging: Paging

WorldRequest = TypedDict(
    "WorldRequest",
    {
        "clock": "ClockRequest | None",
        "from": "str | None",
        "ids": "IdStyle | None",
        "keys": "list[str]",
        "name": "str | None",
        "seed": "int | None",
        "settings": "dict[str, Any]",
        "ttl": "Duration | None",
    },
    total=False,
)
