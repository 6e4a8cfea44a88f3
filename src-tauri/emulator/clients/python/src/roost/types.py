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

class AdminCalls(TypedDict):
    enabled: bool

class AdminError(TypedDict):
    """The body of an error."""
    error: AdminErrorTold

class AdminErrorTold(TypedDict):
    code: str
    # What to do about it.
    hint: str
    message: str
    # Where in the body that was sent, as a JSON pointer: "" for the body as a whole, null for an error elsewhere.
    pointer: str | None

class AdminOptOut(TypedDict):
    """A record with the asset behind it, whatever the interface shows of that."""
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

AdvanceUntil: TypeAlias = 'Literal["idle"]'

class AdvanceWish(TypedDict, total=False):
    """How far a clock is to be moved: by, to or until, one of them."""
    # So long; `0s` does what is due and leaves the clock where it is.
    by: Duration | None
    # How long that may take in real time, 30s when left out, at most 10m.
    timeout: Duration | None
    # To this time, and never back.
    to: str | None
    # Until nothing waits.
    until: AdvanceUntil | None

class Asset(TypedDict):
    channel: Literal["SMS", "WHATSAPP"]
    enforce_account_level_opt_outs: bool
    id: str
    keywords: list[str]
    # E.164, or the digits of a short code.
    number: str

class AssetAdd(TypedDict):
    # SMS or WHATSAPP in any case.
    channel: str
    # E.164, or on SMS a short code of five digits.
    number: str

class AssetChange(TypedDict, total=False):
    """What is left out stays as it is."""
    enforce_account_level_opt_outs: bool | None
    # Replaces all of them.
    keywords: list[str] | None

class AssetPage(TypedDict):
    items: list[Asset]
    paging: Paging

class Attempt(TypedDict):
    error: str | None
    # Of a try without an answer, in one word.
    error_class: Literal["no_address", "refused", "unresolved", "timed_out", "no_connection", "broken", "no_certificates", "dropped", None]
    # Null while under way, or when the process ended during it.
    finished_at: str | None
    number: int
    started_at: str
    status: int | None
    # How it went; in a list only with went=true. Null for tries that are no longer remembered: the last 1,000 of a
    # world are, while they take no more than 8 MiB, and none after a restart.
    went: AttemptWent | None

class AttemptWent(TypedDict):
    # Where the answer came from; without one, the first of the addresses that the name leads to.
    address: str | None
    # The beginning of the answer.
    answer: str
    # What was sent, byte for byte.
    body: str
    # How long the connection took, with its certificates, in real time as all that follow. Every try makes a connection
    # of its own; null where none stood.
    connect: Duration | None
    content_type: str
    # From the beginning of the try to the head of the answer; null where none came.
    first_byte: Duration | None
    # Headers that the policy added; signatures included.
    headers: list[list[str]]
    # From the beginning of the try to its end.
    took: Duration

class Callback(TypedDict):
    """A callback with every try."""
    attempts: list[Attempt]
    # What the next try sends: the documented body, or what the template of the policy in force makes of it. What was
    # sent stands with each try.
    body: str
    correlation_id: str | None
    id: int
    job_id: int
    # When the next try is due by the world's clock; null when there is none, and while it is held.
    next_at: str | None
    # Why it was given up, where that was done on purpose.
    reason: Literal["cancelled", "dropped", None]
    state: Literal["waiting", "held", "delivered", "given_up"]
    # Whether a try is under way now.
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
    """The chances of a callback, as in the policy of callbacks."""
    # That it is never sent.
    drop: float
    # That one that was delivered is sent a second time.
    duplicate: float

CallbackOrder: TypeAlias = 'Literal["fifo", "lifo", "random"]'

# A status, all of a hundred as 5xx, or error for a try without an answer.
CallbackOutcome: TypeAlias = "int | str"

class CallbackPage(TypedDict):
    items: list[Callback]
    paging: Paging

class CallbackPolicy(TypedDict, total=False):
    """Times are whole seconds of the world's clock, but for the time-out, which is real."""
    # The wait before each further try, the last one again and again; null for the setting `callback.retries`.
    backoff: list[Duration] | None
    # The wait before the first try.
    delay: CallbackDelay
    # The chance that one is never sent.
    drop: float
    # The chance that one that was delivered is sent a second time.
    duplicate: float
    # Further headers.
    headers: dict[str, str]
    # Keeps every callback back until it is released.
    hold: bool
    # How much of a wait is added at most, by chance: 0.5 makes 60 s to 60 to 90 s.
    jitter: float
    # Which of those that are due leaves first.
    order: CallbackOrder
    # Calls under way at once; null for 16, and for 1 where the order is not fifo.
    parallel: int | None
    # Further tries at most; null for as many as there are waits.
    retries: int | None
    # What is tried again.
    retry_on: list[CallbackOutcome]
    # Settles everything that is left to chance; drawn once where it is null.
    seed: int | None
    sign: CallbackSignature
    # Another body than the documented one, from the next try on; signatures are those of what is sent.
    template: CallbackTemplate
    timeout: Duration

class CallbackSignatureHmacSha256Variant(TypedDict):
    """`sha256=` and the hexadecimal HMAC of the body."""
    hmac_sha256: CallbackSignatureHmacSha256

CallbackSignature: TypeAlias = 'Literal["none"] | CallbackSignatureHmacSha256Variant'

class CallbackSignatureHmacSha256(TypedDict):
    header: str
    secret: str

class CallbackTemplateJsonVariant(TypedDict):
    """Any JSON, sent byte for byte. A text that is nothing but `{{name}}` becomes the value with its type."""
    json: Any

class CallbackTemplateTextVariant(TypedDict):
    """Any text, JSON or not; values stand in it as they are."""
    text: CallbackTemplateText

# What is sent in place of the documented body. `{{name}}` stands for a value: `body`, `timestamp`, `results`,
# `results.total_contacts_imported` (and `_merged`, `_failed`), `list_id`, `list_name` and `correlation_id` are those of
# the documented body; `job.id`, `job.contacts`, `job.imported`, `job.merged`, `job.skipped`, `job.failed`,
# `job.queued_at` and `job.finished_at` are the job's, its counts as numbers; `callback.id` and `callback.try` say which
# try it is. `{{name:text}}` is the value as a text. At most 64 KiB and 100 values.
CallbackTemplate: TypeAlias = 'Literal["none"] | CallbackTemplateJsonVariant | CallbackTemplateTextVariant'

class CallbackTemplateText(TypedDict):
    body: str
    content_type: str

class CallbackWait(TypedDict, total=False):
    """What is waited for."""
    # Only the jobs and callbacks with this one, of which there must be a job.
    correlation_id: str | None
    # That nothing is left to do: no job waits, no callback is under way or waits for its time. Callbacks that are held
    # do not count. What waits for somebody, or for a clock that stands, is told at once. True when left out.
    settled: bool
    # In real time; 5s when left out, at most 300s.
    timeout: Duration

class CallbackWaited(TypedDict):
    delivered: int
    given_up: int
    held: int
    # Jobs that wait for the operator.
    jobs_held: int
    # Jobs that will run by themselves.
    jobs_waiting: int
    # Callbacks that are not settled, the newest first, at most 100.
    open: list[Callback]
    settled: bool
    # Time alone will never settle it: what is not done waits for somebody, or for a clock that stands. Then the answer
    # does not wait for the end of the time.
    stuck: bool
    # Jobs and callbacks that are not done, at most 100 of each.
    undone: list[Undone]
    waiting: int

class CallbacksReleased(TypedDict):
    # Numbers of those that were held.
    items: list[int]

class Cancelled(TypedDict):
    """What ended without its end."""
    # Callbacks that were still owed.
    callbacks: int
    # Contact jobs that waited.
    jobs: int
    # Requests and answers under way.
    requests: int

class ChangedRecord(TypedDict):
    # The fields that differ, by name, each with `before` and `after`.
    fields: dict[str, Any]
    # Its uid, or what names it where it has none.
    key: str

class ChangedRecords(TypedDict):
    """Records that are on both sides."""
    # Of all, also those beyond the limit.
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

class ClickAdd(TypedDict, total=False):
    """What is known of the visitor."""
    browser: str | None
    campaign_uid: str | None
    device: str | None
    operating_system: str | None
    recipient: str | None

class ClickPage(TypedDict):
    items: list[Click]
    paging: Paging

class Clock(TypedDict):
    """How a clock goes."""
    mode: ClockMode
    # What to bear in mind: on a clock that stands, limits do not recover by themselves. Null otherwise.
    note: str | None
    now: str
    rate: float | None
    # What the system's clock shows.
    real_time: str

ClockAdvanced = TypedDict(
    "ClockAdvanced",
    {
        "from": "str",
        "mode": "ClockMode",
        "now": "str",
        "ran": "list[Ran]",
    },
    total=True,
)

# `real`: As the system's. `offset`: As the system's, so much earlier or later. `frozen`: Stands still until it is
# moved. `scaled`: Faster or slower than the system's.
ClockMode: TypeAlias = 'Literal["real", "offset", "frozen", "scaled"]'

class _ClockWish(TypedDict):
    mode: ClockMode

class ClockWish(_ClockWish, total=False):
    """How a clock is to go."""
    # What it is to show, as `2026-01-05T09:00:00Z`, to the nanosecond if you like; left out, it goes on from what it
    # shows.
    now: str | None
    # Of a scaled clock: its seconds in a second of the system's, from 0.0001 to 100000.
    rate: float | None

class Counted(TypedDict):
    count: int

class Counts(TypedDict):
    assets: int
    contacts: int
    custom_fields: int
    jobs_waiting: int
    lists: int
    opt_outs: int
    senders: int
    short_links: int

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
    # Its uid, or what names it where it has none.
    key: str

class DiffRecords(TypedDict):
    """Records that are on one side alone."""
    # Of all, also those beyond the limit.
    count: int
    items: list[DiffRecord]

# A duration: 500ms, 10s, 5m, 2h, 1d. Measured ones may be in microseconds: 412us
Duration: TypeAlias = "str"

class Effect(TypedDict, total=False):
    """All that is given happens together; nothing of it: the request is merely named in the journal."""
    # The answer's body is spoilt; one without a body stays as it is.
    body: Spoil | None
    # Its name; left out, the one that goes with the status.
    error: str | None
    # Further headers of the answer, in the place of those it has.
    headers: dict[str, str]
    latency: Latency | None
    # No answer at all.
    line: Line | None
    # What the header Retry-After says, in whole seconds.
    retry_after: Duration | None
    # An error in the shape of the operation's family.
    status: int | None

class Fault(TypedDict):
    """A rule in force."""
    # Null where it does not end by itself.
    expires_in: Duration | None
    # Those that were met.
    hits: int
    # What the journal calls it.
    name: str
    # Its place in the order in which rules are tried, from 1. The first that meets a request fires, and no other; a
    # rule that only delays goes together with it. `POST /__admin/faults/explain` says which it would be.
    position: int
    # As it was given; of keys only the beginning.
    rule: FaultRule
    # Requests that fitted so far.
    seen: int
    source: FaultSource

class FaultApply(TypedDict, total=False):
    """Which of the requests that fit are met. Every condition given has to hold."""
    # Of these every nth.
    every: int | None
    # Then only the first so many.
    first: int | None
    # Counts apart for each value of: `key`, `operation`, `path`, `header:NAME`, `query:NAME`, a JSON pointer into the
    # body, or the name of a key of the body.
    per_key_of: str | None
    # Each of these with this chance; 1 when left out.
    probability: float | None
    # No more once so many were met.
    recover_after: int | None
    # Settles chance and latency; left out, one is drawn and shown.
    seed: int | None
    # So many pass at first.
    skip: int
    # Only then, by the world's clock from when the rule was made.
    window: FaultWindow | None

# When the effect comes. `before`: Before anything is done; an error or the line's end means that nothing will be.
# `after`: Once all is done and stored.
FaultCommit: TypeAlias = 'Literal["before", "after"]'

class _FaultExplainWish(TypedDict):
    # Path and query, without the part that names a world.
    url: str

class FaultExplainWish(_FaultExplainWish, total=False):
    """A request as it might be sent."""
    # JSON, or a text that is sent as it is.
    body: Any
    headers: dict[str, str]
    # The caller's key.
    key: str | None
    # GET when left out.
    method: str | None

class FaultExplained(TypedDict):
    # Whether it would meet the request.
    fires: bool
    # What does not match.
    misses: list[Miss]
    name: str
    source: FaultSource
    # Why it would not.
    why: str | None

class FaultExplanation(TypedDict):
    """Which rule would meet a request now. Limits come before rules."""
    # The rule that would delay the answer and do nothing else, which goes together with the one that fires.
    delays: str | None
    # The one rule that would fire; null for none.
    fires: str | None
    # In the order they are tried.
    items: list[FaultExplained]
    operation: str

class FaultPage(TypedDict):
    items: list[Fault]
    paging: Paging

class FaultPlan(TypedDict):
    # Says all that is needed to make it again.
    id: str
    intensity: float
    length: Duration
    rules: list[FaultRule]
    seed: int

class FaultPlanInForce(TypedDict):
    """The plan in force."""
    # Null for none.
    plan: FaultPlan | None

class FaultPlanWish(TypedDict, total=False):
    # Which part of that time has a fault; 0.1 when left out.
    intensity: float | None
    # How much of the world's time it covers, from now; 10m when left out.
    length: Duration | None
    # 1 when left out.
    seed: int | None

class _FaultRule(TypedDict):
    effect: Effect

class FaultRule(_FaultRule, total=False):
    apply: FaultApply
    commit: FaultCommit
    # Which requests; all when left out.
    match: Matcher | None
    # What the journal calls it; left out: `fault-1` and so on.
    name: str | None
    # The rule ends by itself after so long, in real time.
    ttl: Duration | None

# Where a rule comes from; also the order in which rules are tried. `rule`: Given by name. `prefer`: The header Prefer
# of the request itself. `magic`: A magic number in the request.
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
    # Of all that fit, by the mark of the thing itself.
    counts: FidelityCounts
    items: list[FidelityRow]
    # Decisions that say nothing of the emulator.
    others: list[FidelityOther]
    paging: Paging
    # How much of the whole register was observed at the service, and where the rest comes from. Only with --fidelity is
    # anything observed.
    score: FidelityScore

class FidelityCounts(TypedDict):
    assumed: int
    documented: int
    inferred: int

class FidelityHeader(TypedDict):
    """Whether answers name the assumptions that shaped them."""
    enabled: bool

class FidelityOther(TypedDict):
    decision: str
    why: str

class FidelityRow(TypedDict):
    decision: str
    # Of the exact form, where that is less sure than the thing itself.
    detail: Mark | None
    does: str
    # Whether the header tells when it shaped an answer.
    in_header: bool
    mark: Mark
    # What the header calls it.
    name: str
    # What the service does instead, or why it could not be decided.
    note: str | None
    # What roost fidelity check found at the service; none where it was not asked.
    observation: Observation | None
    # Operations and groups of them; `*` is all of them.
    operations: list[str]
    # The setting that changes it.
    setting: str | None
    # What that setting is now.
    value: Any

class FidelityScore(TypedDict):
    """How much of the register is known, and from where."""
    assumed: int
    contradicted: int
    documented: int
    inferred: int
    observed: int

class FoundRequests(TypedDict):
    # How many fit; `items` are the newest of them.
    count: int
    # Oldest first.
    items: list[JournalLine]

class Health(TypedDict):
    # By which a caller knows whom it reached.
    server: Literal["roost"]
    status: Literal["ok"]

class Held(TypedDict):
    assets: int
    contacts: int
    custom_fields: int
    lists: int
    opt_outs: int
    senders: int
    short_links: int

class Hook(TypedDict):
    """A receiver, and some of what came to it."""
    # How many calls came.
    came: int
    # Those of them that gave way to newer ones.
    dropped: int
    # Whether more has come already; ask again with `next`.
    has_more: bool
    # The calls after `since`, the oldest first.
    items: list[HookCall]
    name: str
    # The place to go on from, for `since`.
    next: int
    script: HookScriptLeft
    # For `callback_url`.
    url: str

# A status alone, or an answer in full.
HookAnswer: TypeAlias = "int | HookReply"

class HookCall(TypedDict):
    # The status it was answered with; null when the line just ended.
    answered: int | None
    # By the world's clock.
    at: str
    attempt: int | None
    body: str
    # The true length of the body, of which 256 KiB are kept.
    bytes: int
    # The callback of this world it is a try of.
    callback_id: int | None
    headers: list[list[str]]
    # The body, where it is JSON.
    json: Any
    method: str
    # Among the calls of this name, from 1.
    seq: int
    target: str

# `empty`: In good order, without a byte. `reset`: Torn down.
HookLineEnd: TypeAlias = 'Literal["empty", "reset"]'

class HookNamed(TypedDict):
    """A receiver, and how much came to it."""
    answers_left: int
    came: int
    dropped: int
    kept: int
    name: str
    url: str

class HookNamedPage(TypedDict):
    items: list[HookNamed]
    paging: Paging

class HookReply(TypedDict, total=False):
    """An answer."""
    body: str
    # How long it is waited for, in real time.
    delay: Duration
    headers: dict[str, str]
    # Ends the line instead of an answer.
    line: HookLineEnd | None
    status: int

class HookScript(TypedDict, total=False):
    """As it is asked for."""
    # Given one after the other.
    answers: list[HookAnswer]
    # Given when they are used up; 200 when left out.
    then: HookAnswer | None

class HookScriptLeft(TypedDict):
    # Those that were not given yet.
    answers: list[HookReply]
    then: HookReply

# `random`: As the service's: their second first, then what looks like chance. `sequence`: Counted up and easy to read;
# no time in them. `hash`: From the seed and the request alone, whatever the clock says.
IdStyle: TypeAlias = 'Literal["random", "sequence", "hash"]'

class ImportOutcome(TypedDict):
    channel: str
    # Why the row was left out.
    message: str | None
    number: str
    status: Literal["success", "failure"]

class ImportReport(TypedDict):
    # One for each row, in their order.
    items: list[ImportOutcome]
    total_failed: int
    total_submitted: int
    total_succeeded: int

class _ImportRow(TypedDict):
    number: str

class ImportRow(_ImportRow, total=False):
    asset_id: str | None
    channel: str | None

class Imported(TypedDict):
    """How much was imported, and what was removed to make room for it."""
    # Where what was there before is kept, if the request asked for it.
    copy: KeptCopy | None
    # What the file held.
    imported: Held | None
    # Opt-outs that were there before and are not in the file. Of a replacement.
    opt_outs_removed: int | None
    # What was there before. Of a replacement.
    replaced: Held | None
    # Of a replacement that was not only tried.
    reset: Reset | None

class InboundEffect(TypedDict):
    """What the message made; nothing unless it was a keyword of the asset."""
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
    # Where the OpenAPI document is.
    document: str
    # Where to go on from here, by name.
    links: dict[str, str]
    # Of the program.
    server_version: str
    # Of this interface.
    version: str

class Info(TypedDict):
    counts: Counts
    pid: int
    schema_version: int
    short_link_base: str
    uptime: Duration
    url: str
    version: str

class Job(TypedDict):
    # Null while none is owed.
    callback_id: int | None
    callback_url: str | None
    contacts: int
    correlation_id: str | None
    # Contacts that are done.
    done: int
    # What goes wrong with it on purpose.
    fault: str | None
    finished_at: str | None
    # It waits for the operator, or for somebody who looks at its list.
    held: bool
    id: int
    list_id: str
    list_name: str
    merge_type: str
    # When it goes on by itself by the world's clock, and not before; null when it does not.
    next_at: str | None
    paused: bool
    queued_at: str
    # What it came with; null for one that was not recorded, or is forgotten.
    request: RequestLink | None
    state: Literal["queued", "done"]
    totals: Totals

class _JobFault(TypedDict):
    fault: JobFaultKind

class JobFault(_JobFault, total=False):
    """What goes wrong, and with which jobs."""
    correlation_id: str | None
    # So many jobs at most.
    first: int | None
    list_id: str | None

class JobFaultKindFailAfterVariant(TypedDict):
    """The contacts behind so many fail."""
    fail_after: int

class JobFaultKindFailNumbersVariant(TypedDict):
    """The contacts with these numbers fail."""
    fail_numbers: list[str]

JobFaultKind: TypeAlias = 'Literal["fail", "never_finish", "finish_twice", "callback_first", "lose_callback", "drop"] | JobFaultKindFailAfterVariant | JobFaultKindFailNumbersVariant'

class JobMoment(TypedDict):
    # By the world's clock.
    at: str
    contacts: int
    failed: int
    # Place of its first contact in the request, from 0.
    first: int
    imported: int
    merged: int
    # How many parts are told as one: parts that follow each other, where there are very many.
    parts: int
    skipped: int
    # Of several parts that are told as one, the last; else as `at`.
    until: str
    what: Literal["part", "announced", "paused", "resumed", "failed", "dropped", "given_up"]

class JobMoments(TypedDict):
    """What was done about a job, the oldest first."""
    # Contacts that were done at moments that are no longer remembered: of a job that was there before the server began,
    # was brought back with a snapshot, or is very old.
    forgotten: int
    items: list[JobMoment]
    paging: Paging

class JobPage(TypedDict):
    items: list[Job]
    paging: Paging

class JobPolicy(TypedDict, total=False):
    """Times are whole seconds of the world's clock."""
    # With `after`: how long a job waits.
    after: Duration
    # What goes wrong, for jobs that come from now on; the first that fits meets a job, and no other.
    faults: list[JobFault]
    # With `rate`: contacts of a job that are done in each second.
    per_second: int
    # With `polls`: the how-manieth look at the contacts of its list runs a job, before it is answered.
    polls: int
    progress: JobProgress

# `manual`: Only when it is run or stepped.
JobProgress: TypeAlias = 'Literal["immediate", "after", "polls", "rate", "manual"]'

class JobStep(TypedDict, total=False):
    # How many contacts are done, 1 when left out.
    contacts: int

class JournalBody(TypedDict):
    # Its true length.
    bytes: int
    # `cut`: only its beginning is here; `withheld`: it may hold a secret; `unread`: refused before it was read.
    state: Literal["none", "whole", "cut", "withheld", "unread"]
    text: str

class JournalFault(TypedDict):
    message: str
    path: str

class JournalGap(TypedDict):
    first: int
    last: int

class JournalLimits(TypedDict):
    bytes: int
    lines: int

class _JournalLine(TypedDict):
    # When it began, by the world's clock.
    at: str
    # Of a callback: which try it was.
    attempt: int | None
    # `in`, or `out` for a callback.
    direction: Literal["in", "out"]
    # Of a callback: the job it tells of.
    job: int | None
    # The beginning of the key.
    key: str | None
    # What would have been answered, had no rule fired.
    meant: JournalMeant | None
    method: str
    # Given when the request came, or the callback left.
    number: int
    operation: str | None
    request: JournalMessage
    response: JournalMessage
    # The fault rule that fired.
    rule: str | None
    # Its place in the journal: rises by one a line, in the order of their ends.
    seq: int
    # Null when no answer came.
    status: int | None
    # Path and query; of a callback the whole address.
    url: str
    why: JournalWhy | None

class JournalLine(_JournalLine, total=False):
    # What came of it, or what it came from; where one line is asked for.
    links: JournalLinks | None
    # The same by the system's clock. Left out of the stable form.
    real_at: str | None
    # Left out of the stable form.
    took: Duration | None

class JournalLinks(TypedDict):
    """What belongs to a line of the journal."""
    # What these jobs owe, or owed.
    callbacks: list[int]
    # Of a request: the job it queued. Of a callback: the job it tells of.
    jobs: list[int]
    # Of a callback: the request its job came with, while that is remembered.
    request: RequestLink | None
    # What these jobs have written so far; null without one.
    rows: JournalRows | None

class JournalMeant(TypedDict):
    body: JournalBody
    status: int

class JournalMessage(TypedDict):
    body: JournalBody
    # Names and values; secrets are masked.
    headers: list[list[str]]

# After this line: SEQ, or EPOCH.SEQ.
JournalPlace: TypeAlias = "int | str"

class JournalRow(TypedDict):
    # Null when it is gone since.
    contact_id: str | None
    # Place of the contact in the request, from 0.
    index: int
    outcome: Literal["imported", "merged"]

class JournalRows(TypedDict):
    """Contacts of a request that were written."""
    # Whether there are more; GET /__admin/jobs/{job_id}/outcomes has them all.
    has_more: bool
    imported: int
    # The first hundred, in the order of the request.
    items: list[JournalRow]
    merged: int

# WireMock asks with the matcher itself.
JournalSearch: TypeAlias = "Sought | Matcher"

class JournalState(TypedDict):
    """What the journal does and holds."""
    # Whether calls of the admin interface are recorded as well; those that match no route always are.
    admin_calls: AdminCalls
    # About what the lines take in memory.
    bytes: int
    dropped: int
    # Whether requests are recorded.
    enabled: bool
    epoch: int
    last: int
    limits: JournalLimits
    lines: int

class JournalWhy(TypedDict):
    """Why it was refused."""
    check: str
    # The first broken rules.
    faults: list[JournalFault]
    faults_total: int
    words: str

class JournalWish(TypedDict, total=False):
    # Whether calls of the admin interface are recorded as well, in the journal of the default world.
    admin_calls: AdminCalls | None
    # The most memory they may take; the newest line is always kept.
    bytes: int | None
    # Whether requests are recorded.
    enabled: bool | None
    # The most lines it keeps.
    lines: int | None

class KeptCopy(TypedDict):
    """A copy of the account that was replaced: a file beside the account file, or a snapshot of a world in memory."""
    file: str | None
    snapshot: str | None

class KnownRoute(TypedDict):
    """A route there is."""
    method: str
    name: str
    path: str

class LatencyUniformVariant(TypedDict):
    uniform: LatencyUniform

class LatencyLogNormalVariant(TypedDict):
    """Most are near the median; few are much longer."""
    log_normal: LatencyLogNormal

class LatencyQuantilesVariant(TypedDict):
    """The same told by the half and by the slowest hundredth."""
    quantiles: LatencyQuantiles

# How long an answer waits, in real time, at most ten minutes.
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
    # Of a full one.
    capacity: int
    # Until it is full, by the world's clock.
    full_in: Duration
    # The beginning of the key; null where keys have no bucket of their own.
    key: str | None
    # Requests that would be let through now.
    level: int
    # Null where operations have no bucket of their own.
    operation: str | None
    # Requests it refused since it was last forgotten.
    refused: int

class LimitBucketPage(TypedDict):
    items: list[LimitBucket]
    paging: Paging

# What has a bucket of its own.
LimitScope: TypeAlias = 'Literal["key+operation", "key", "operation", "world"]'

class Limits(TypedDict):
    """The limit in force."""
    algorithm: LimitAlgorithm
    burst: int
    # Whether requests are limited at all.
    enabled: bool
    per_second: int
    # The profile that put a limit of its own in this one's place; it is what the buckets are about.
    profile: str | None
    retry_after: RetryAfter
    scope: LimitScope
    status: int

class LimitsWish(TypedDict, total=False):
    """How requests are to be limited."""
    algorithm: LimitAlgorithm | None
    # How many at once; of a fixed window it is `per_second`.
    burst: int | None
    # Whether requests are limited at all.
    enabled: bool | None
    # The setting `limits.per_second`. `burst` becomes the same number unless it is given, too.
    per_second: int | None
    retry_after: RetryAfter | None
    # What has a bucket of its own.
    scope: LimitScope | None
    # Of the refusal.
    status: int | None

# How the line ends. `reset`: Torn down (RST). `empty`: Closed in good order without a byte of an answer. `hang`:
# Silence until the caller leaves or the server stops.
Line: TypeAlias = 'Literal["reset", "empty", "hang"]'

class ListRename(TypedDict):
    name: str

class MadeWorld(TypedDict):
    """A world that was made. Key and token are shown here and never again."""
    # Good for this world's admin routes and for nothing else.
    admin_token: str
    admin_url: str
    # Names it wherever it is called.
    api_key: str
    # Where it is called, with any key.
    base_url: str
    epoch: int
    id: WorldId
    # What to bear in mind: on a clock that stands, limits do not recover by themselves. Null otherwise.
    note: str | None
    # It is removed when nobody used it for so long; null for one that stays.
    ttl: Duration | None

class _MagicNumber(TypedDict):
    number: str
    what: str

class MagicNumber(_MagicNumber, total=False):
    """A number and what it does."""
    # What goes wrong with the job that brings it.
    job: JobFaultKind | None
    # The rule it stands for; none where it is about a job.
    rule: FaultRule | None

class MagicNumbers(TypedDict):
    # Switched off, they are numbers like all others.
    enabled: bool
    items: list[MagicNumber]
    paging: Paging

class MagicSwitch(TypedDict):
    enabled: bool

# How sure it is that the service does the same. `documented`: The service says so. `inferred`: It follows from samples,
# or from programs that use the service. `assumed`: Nobody outside knows; chosen here.
Mark: TypeAlias = 'Literal["documented", "inferred", "assumed"]'

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
    """What a request is to be like; all parts are to hold. A text is equality, with * for anything."""
    # A text, or {equal_to_json, ignore_extra, pointer, contains, matches}, or a list of these
    body: Any
    # in, or out for a callback
    direction: str | float | bool | TextTest
    headers: dict[str, str | float | bool | TextTest]
    # The key of the caller
    key: str | float | bool | TextTest
    # ANY is any
    method: str | float | bool | TextTest
    # contacts.create, or a group of them: contacts
    operation: str | float | bool | TextTest
    # Without the query
    path: str | float | bool | TextTest
    query: dict[str, str | float | bool | TextTest]
    # The name of the rule that fired
    rule: str | float | bool | TextTest
    # 200, "4xx", null for no answer, a list of these, or {at_least, at_most}
    status: Any
    # Path and query
    url: str | float | bool | TextTest

Matchers: TypeAlias = "Matcher | list[Matcher]"

class Miss(TypedDict):
    """One test that a request does not pass."""
    # `status`, `headers.x-tag`, `body/contacts/0/title`.
    field: str
    found: str
    wanted: str

class NearLine(TypedDict):
    """A line that nearly fits."""
    method: str
    misses: list[Miss]
    number: int
    operation: str | None
    seq: int
    status: int | None
    url: str

# `observed`: The service does the same. `contradicted`: The service does something else. `undecided`: Nothing that was
# asked could tell.
Observation: TypeAlias = 'Literal["observed", "contradicted", "undecided"]'

class OptOutImport(TypedDict):
    rows: list[ImportRow]

class Outcome(TypedDict):
    contact_id: str | None
    # Place of the contact in the request, from 0.
    index: int
    # Its phone number now, or its WhatsApp number; null when it was not stored, or is gone since.
    number: str | None
    outcome: Literal["imported", "merged", "skipped", "failed"]
    # Why it was skipped or failed; null for the others, and when it is no longer remembered.
    reason: Literal["duplicate", "fault", "operator", "dropped", "given_up", "list_gone", None]

class OutcomePage(TypedDict):
    items: list[Outcome]
    paging: Paging

class Paging(TypedDict):
    # The page asked for, also when it lies behind the end.
    current_page: int
    total_items: int
    total_pages: int

class PreferSwitch(TypedDict):
    """Whether callers may ask for their own faults by the header Prefer."""
    enabled: bool

class _Profile(TypedDict):
    name: str
    rules: list[FaultRule]
    what: str

class Profile(_Profile, total=False):
    # What becomes of callbacks, where their policy leaves them better off.
    callbacks: CallbackLosses | None
    # A limit in the place of the one in force, also where there is none.
    limit: TightLimit | None

class ProfileInForce(TypedDict, total=False):
    """The profile in force."""
    # Null for none.
    name: str | None

class ProfilePage(TypedDict):
    items: list[Profile]
    paging: Paging

class Ran(TypedDict):
    """What was done by itself, and when by the world's clock."""
    at: str
    # Of a callback: which try it was.
    attempt: int | None
    # Of a callback.
    callback: int | None
    # Of the job, or of the job a callback tells of.
    job: int
    # Of a callback: what the receiver answered; null when no answer came.
    status: int | None
    what: Literal["job", "callback"]

class Random(TypedDict):
    # Requests so far that may have changed something: ids follow from the seed and from the place among them.
    acts: int
    ids: IdStyle
    # The same seed and the same requests from the same beginning give the same ids. Null where chance settles them.
    seed: int | None

class RandomWish(TypedDict, total=False):
    """Where ids come from."""
    ids: IdStyle | None
    seed: int | None

class RecordStep(TypedDict):
    """What the operator did to a record and can be taken back or done again."""
    at: str
    # It was taken back, and can be done again.
    is_undone: bool
    step: int

class RecordStepPage(TypedDict):
    items: list[RecordStep]
    paging: Paging

class RenamedList(TypedDict):
    """A list as the operator sees it."""
    contact_count: int
    created_at: str
    name: str
    uid: str
    updated_at: str

class RequestLink(TypedDict):
    """A request as its effects name it."""
    # Given when it came.
    number: int
    # Its line in the journal; null when that is not there yet, or no more.
    seq: int | None

class Requests(TypedDict):
    # Lines that gave way to newer ones since the journal was last emptied.
    dropped: int
    # Whether requests are recorded.
    enabled: bool
    # How often the world was put back; numbers begin anew with it.
    epoch: int
    # Lines asked for that are no longer kept.
    gap: JournalGap | None
    # Whether there are more; ask again with `next`.
    has_more: bool
    # Oldest first.
    items: list[JournalLine]
    # The newest line.
    last: int
    # The place to go on from, for `since`.
    next: str

class Reset(TypedDict):
    """What a reset did."""
    cancelled: Cancelled
    # Where the account is kept that was replaced. Of an account file that no seed made.
    copy: KeptCopy | None
    # Of the world, from now on.
    epoch: int
    took: Duration

class ResourceDiff(TypedDict):
    added: DiffRecords
    changed: ChangedRecords
    removed: DiffRecords

class Resources(TypedDict):
    assets: ResourceDiff
    contacts: ResourceDiff
    custom_fields: ResourceDiff
    jobs: ResourceDiff
    lists: ResourceDiff
    opt_outs: ResourceDiff
    senders: ResourceDiff
    short_links: ResourceDiff

# The header Retry-After: computed from the bucket, none, or always this duration.
RetryAfter: TypeAlias = 'Literal["computed", "none"] | Duration'

class Seeded(TypedDict):
    """How much a seed held, and what ended to make room for it."""
    reset: Reset
    seeded: Held

class SenderRequest(TypedDict):
    # 3 to 11 letters, digits, spaces or `. - _ &`; or a number.
    name: str

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

class Snapshot(TypedDict):
    # By the world's clock.
    at: str
    bytes: int
    name: str

class SnapshotPage(TypedDict):
    items: list[Snapshot]
    paging: Paging

class SnapshotWish(TypedDict):
    name: str

class _Sought(TypedDict):
    match: Matcher

class Sought(_Sought, total=False):
    """What is looked for: a matcher, alone or with a place to begin at."""
    # Of `find`: the newest so many.
    limit: int | None
    since: JournalPlace | None

class SpoilTruncateVariant(TypedDict):
    """So many bytes, then the end of the line, though the head announced all; half of them when left out."""
    truncate: SpoilTruncate

class SpoilTrickleVariant(TypedDict):
    """So slowly."""
    trickle: SpoilTrickle

Spoil: TypeAlias = 'Literal["malformed_json", "wrong_content_type", "duplicate_header"] | SpoilTruncateVariant | SpoilTrickleVariant'

class SpoilTrickle(TypedDict):
    bytes_per_second: int

class SpoilTruncate(TypedDict, total=False):
    bytes: int | None

StateDiff = TypedDict(
    "StateDiff",
    {
        "added": "int",
        "changed": "int",
        "from": "str",
        "is_empty": "bool",
        "removed": "int",
        "resources": "Resources",
        "to": "str",
    },
    total=True,
)

# A record in the form of a seed; a contact says by list_uid in which list it is.
StateRecord: TypeAlias = "dict[str, Any]"

class StateRecordPage(TypedDict):
    items: list[StateRecord]
    paging: Paging

class Stray(TypedDict):
    at: str
    # The routes that were probably meant, the likeliest first: none, one, or one by its path and one by its method.
    closest: list[KnownRoute]
    method: str
    number: int
    seq: int
    status: int | None
    url: str

class TightLimit(TypedDict):
    """For each key and operation."""
    burst: int
    per_second: int

class Totals(TypedDict):
    failed: int
    imported: int
    merged: int
    skipped: int

class _TurnWish(TypedDict):
    step: int

class TurnWish(_TurnWish, total=False):
    # The record as it was left; null for one that is not there. Nothing is done where it is otherwise. Left out, only
    # what was changed since the step stops it.
    record: StateRecord | None

class Turned(TypedDict):
    # The record as it is by now; null for one that is not there.
    record: StateRecord | None

class Undone(TypedDict):
    """A job or a callback that is not done."""
    # What brings it on; null where it goes on by itself.
    hint: str | None
    id: int
    # Why it is not done yet.
    reason: str
    what: Literal["job", "callback"]

class Unmatched(TypedDict):
    # Lines that gave way to newer ones; some of them may have led nowhere, too.
    dropped: int
    # Oldest first, the newest thousand.
    items: list[Stray]
    paging: Paging

class _Verified(TypedDict):
    # The numbers of the lines that fit.
    lines: list[int]
    matched: int
    # When too few came: the lines that nearly fit, with what does not.
    nearest: list[NearLine]
    verified: bool
    # In words.
    wanted: str

class Verified(_Verified, total=False):
    # As it was given.
    message: str | None

class _Verify(TypedDict):
    # A matcher; with `order`, a list of them.
    match: Matchers

class Verify(_Verify, total=False):
    """What is to have come."""
    # What it is to say when it fails.
    message: str | None
    # Whether they came one after another; others may come between.
    order: bool
    # Only lines after this one; since the journal was last emptied when left out.
    since: JournalPlace | None
    # How long to wait for it, at most 300s. With `exactly` 0 or `at_most` the whole time passes, because a later line
    # may still break it.
    timeout: Duration | None
    # How often; at least once when left out.
    times: VerifyTimes | None

class VerifyTimes(TypedDict, total=False):
    """How often; all bounds that are given must hold. Without any: at least once."""
    at_least: int | None
    at_most: int | None
    exactly: int | None

class _WebForm(TypedDict):
    number: str

class WebForm(_WebForm, total=False):
    # SMS or WHATSAPP in any case; SMS when left out.
    channel: str | None

class World(TypedDict):
    age: Duration
    base_url: str
    epoch: int
    # Until it goes, if nobody uses it; null for one that stays.
    expires_in: Duration | None
    id: WorldId
    # The keys that name it, by their beginning.
    keys: list[str]
    # Whether it has an account of its own, a file, or one that others use.
    kind: Literal["own", "file", "lent"]
    requests: int
    snapshots: int
    # Requests under way.
    under_way: int

WorldId: TypeAlias = "str"

class WorldPage(TypedDict):
    items: list[World]
    paging: Paging

WorldWish = TypedDict(
    "WorldWish",
    {
        "clock": "ClockWish | None",
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
