// Made from the OpenAPI documents by src-tauri/emulator/clients/generate.py; not written by hand.

/** What was imported, and what it replaced. */
export interface AccountImportResult {
  /** Where the previous contents were saved, if the request asked for it. */
  copy: BackupCopy | null;
  /** Contents of the file. */
  imported: RecordCounts | null;
  /** Opt-outs that were present before and are not in the file. Only for a replacement. */
  opt_outs_removed: number | null;
  /** The previous contents. Only for a replacement. */
  replaced: RecordCounts | null;
  /** Only for a replacement that was carried out. */
  reset: ResetReport | null;
}

export interface AdminCalls {
  enabled: boolean;
}

/** The body of an error. */
export interface AdminError {
  error: AdminErrorDetail;
}

export interface AdminErrorDetail {
  code: string;
  /** What to do about it. */
  hint: string;
  message: string;
  /** JSON pointer into the request body. "" is the whole body. Null: the error is not in the body. */
  pointer: string | null;
}

/** An opt-out with its asset, even where the interface does not show it. */
export interface AdminOptOut {
  account_level_opt_out: boolean;
  asset_id: string | null;
  channel: string;
  number: string;
  opt_out_time: string;
  opt_out_type: string;
}

export interface AdminSender {
  id: string;
  name: string;
  status: "Pending" | "Verified";
}

export interface AdminSenderPage {
  items: AdminSender[];
  paging: Paging;
}

/** How far to move a clock. Give one of by, to and until. */
export interface AdvanceRequest {
  /** By this much. `0s` does what is due now and does not move the clock. */
  by?: Duration | null;
  /** Time limit in real time. Default 30s, at most 10m. */
  timeout?: Duration | null;
  /** To this time, never backwards. */
  to?: string | null;
  /** Until nothing is waiting. */
  until?: AdvanceUntil | null;
}

export type AdvanceUntil = "idle";

/**
 * `clock`: Its mode and rate. The time itself is not compared. `ids`: Their seed and form. `jobs`: Jobs that are paused
 * or otherwise held.
 */
export type ArrangedPart = "settings" | "job_policy" | "callback_policy" | "faults" | "receivers" | "other" | "clock" | "ids" | "jobs";

/** A part of the arrangement that differs. */
export interface ArrangementChange {
  /** As it is on the first side. Null: not there. */
  from: unknown;
  /**
   * The setting, the field of the policy or of the clock, the receiver, the rule, or the job. For faults also
   * `profile`, `plan`, `magic` and `prefer`; for settings also `limits.burst` and so on, and `assumed_header`.
   */
  name: string;
  part: ArrangedPart;
  /** As it is on the second side. Null: not there. */
  to: unknown;
}

export interface Asset {
  channel: "SMS" | "WHATSAPP";
  enforce_account_level_opt_outs: boolean;
  id: string;
  keywords: string[];
  /** E.164, or the digits of a short code. */
  number: string;
}

/** Fields to change. Those left out stay the same. */
export interface AssetChange {
  enforce_account_level_opt_outs?: boolean | null;
  /** Replaces all keywords. */
  keywords?: string[] | null;
}

export interface AssetPage {
  items: Asset[];
  paging: Paging;
}

export interface AssetRequest {
  /** SMS or WHATSAPP, in upper or lower case. */
  channel: string;
  /** E.164, or for SMS a short code of five digits. */
  number: string;
}

export interface Attempt {
  error: string | null;
  /** For an attempt without a response: the reason in one word. */
  error_class: "no_address" | "refused" | "unresolved" | "timed_out" | "no_connection" | "broken" | "no_certificates" | "dropped" | null;
  /** Null while in progress, or if the process ended during the attempt. */
  finished_at: string | null;
  number: number;
  started_at: string;
  status: number | null;
  /**
   * Details of the attempt. In lists only with went=true. Null for attempts that are no longer stored: a world stores
   * its last 1,000, up to 8 MiB, and none across a restart.
   */
  went: AttemptDetail | null;
}

export interface AttemptDetail {
  /** The address that answered. Without an answer, the first address that the name resolved to. */
  address: string | null;
  /** The beginning of the response. */
  answer: string;
  /** What was sent, byte for byte. */
  body: string;
  /**
   * Time to connect, including the TLS handshake. In real time, like all times below. Every attempt opens its own
   * connection. Null: no connection was made.
   */
  connect: Duration | null;
  content_type: string;
  /** Time from the start of the attempt to the head of the response. Null: there was none. */
  first_byte: Duration | null;
  /** Headers added by the policy, including signatures. */
  headers: [string, string][];
  /** Time from the start of the attempt to its end. */
  took: Duration;
}

/** A copy of the account that was replaced: a file beside the account file, or a snapshot of a world in memory. */
export interface BackupCopy {
  file: string | null;
  snapshot: string | null;
}

export type BodyFault = "malformed_json" | "wrong_content_type" | "duplicate_header" | {
  truncate: BodyFaultTruncate;
} | {
  trickle: BodyFaultTrickle;
};

export interface BodyFaultTrickle {
  bytes_per_second: number;
}

export interface BodyFaultTruncate {
  bytes?: number | null;
}

/** A callback with all its attempts. */
export interface Callback {
  attempts: Attempt[];
  /**
   * What the next attempt sends: the documented body, or the result of the policy's template. What was sent is part of
   * each attempt.
   */
  body: string;
  correlation_id: string | null;
  id: number;
  job_id: number;
  /** When the next attempt is due, on the world's clock. Null: there is none, or the callback is held. */
  next_at: string | null;
  /** Why it was given up, if that was done on purpose. */
  reason: "cancelled" | "dropped" | null;
  state: "waiting" | "held" | "delivered" | "given_up";
  /** Whether an attempt is in progress. */
  under_way: boolean;
  url: string | null;
}

export type CallbackDelay = "none" | {
  fixed: Duration;
} | {
  uniform: CallbackDelayUniform;
};

export interface CallbackDelayUniform {
  max: Duration;
  min: Duration;
}

/** Probabilities for callbacks, as in the callback policy. */
export interface CallbackLosses {
  /** That a callback is never sent. */
  drop: number;
  /** That a delivered callback is sent again. */
  duplicate: number;
}

export type CallbackOrder = "fifo" | "lifo" | "random";

/** A status, a class such as 5xx, or error for an attempt without a response. */
export type CallbackOutcome = number | string;

export interface CallbackPage {
  items: Callback[];
  paging: Paging;
}

/** Durations are on the world's clock, except the timeout, which is real time. */
export interface CallbackPolicy {
  /** The wait before each retry. The last one repeats. Null: the setting `callback.retries`. */
  backoff?: Duration[] | null;
  /** The wait before the first attempt. */
  delay?: CallbackDelay;
  /** The probability that a callback is never sent. */
  drop?: number;
  /** The probability that a delivered callback is sent again. */
  duplicate?: number;
  /** Additional headers. */
  headers?: { [name: string]: string };
  /** Holds every callback until it is released. */
  hold?: boolean;
  /** The largest random addition to a wait: with 0.5, 60s becomes 60s to 90s. */
  jitter?: number;
  /** Which of the due callbacks is sent first. */
  order?: CallbackOrder;
  /** Calls in progress at the same time. Null: 16, or 1 when the order is not fifo. */
  parallel?: number | null;
  /** The most retries. Null: as many as there are waits in `backoff`. */
  retries?: number | null;
  /** Which outcomes are retried. */
  retry_on?: CallbackOutcome[];
  /** Determines all random choices. Null: chosen once. */
  seed?: number | null;
  sign?: CallbackSignature;
  /** Replaces the documented body, from the next attempt on. Signatures cover what is sent. */
  template?: CallbackTemplate;
  timeout?: Duration;
}

export type CallbackSignature = "none" | {
  hmac_sha256: CallbackSignatureHmacSha256;
};

export interface CallbackSignatureHmacSha256 {
  header: string;
  secret: string;
}

/**
 * Replaces the documented body. `{{name}}` inserts a value. `body`, `timestamp`, `results`,
 * `results.total_contacts_imported` (and `_merged`, `_failed`), `list_id`, `list_name` and `correlation_id` are those
 * of the documented body. `job.id`, `job.contacts`, `job.imported`, `job.merged`, `job.skipped`, `job.failed`,
 * `job.queued_at` and `job.finished_at` describe the job, with counts as numbers. `callback.id` and `callback.try`
 * identify the attempt. `{{name:text}}` inserts the value as a text. At most 64 KiB and 100 values.
 */
export type CallbackTemplate = "none" | {
  json: unknown;
} | {
  text: CallbackTemplateText;
};

export interface CallbackTemplateText {
  body: string;
  content_type: string;
}

export interface CallbacksReleased {
  /** Numbers of the callbacks that were held. */
  items: number[];
}

/** What was ended before it finished. */
export interface CancelledWork {
  /** Callbacks that were not sent yet. */
  callbacks: number;
  /** Contact jobs that were waiting. */
  jobs: number;
  /** Requests in progress. */
  requests: number;
}

export interface ChangedRecord {
  /** The fields that differ, by name, each with `before` and `after`. */
  fields: { [name: string]: unknown };
  /** The uid, or another key of a record without one. */
  key: string;
}

/** Records that exist on both sides and differ. */
export interface ChangedRecords {
  /** The full count, including records beyond the limit. */
  count: number;
  items: ChangedRecord[];
}

export interface Click {
  browser: string | null;
  campaign_uid: string | null;
  device: string | null;
  link_id: string;
  operating_system: string | null;
  recipient: string | null;
  short_link_url: string;
  target_url: string;
  time: string;
  title: string;
}

export interface ClickPage {
  items: Click[];
  paging: Paging;
}

/** The visitor, as far as known. */
export interface ClickRequest {
  browser?: string | null;
  campaign_uid?: string | null;
  device?: string | null;
  operating_system?: string | null;
  recipient?: string | null;
}

/** How a clock runs. */
export interface Clock {
  mode: ClockMode;
  /** A warning: on a frozen clock, rate limits do not recover by themselves. Null otherwise. */
  note: string | null;
  now: string;
  rate: number | null;
  /** The system clock. */
  real_time: string;
}

/** The result of moving a clock. Nothing that was due is still in progress. */
export interface ClockAdvanced {
  /** The time before. */
  from: string;
  /** How the clock runs now. A real clock that was moved has an offset. */
  mode: ClockMode;
  now: string;
  /** Jobs and callback attempts, in the order in which they ran. */
  ran: CompletedWork[];
}

/**
 * `real`: Same as the system clock. `offset`: The system clock, shifted by a fixed time. `frozen`: Stands still until
 * it is moved. `scaled`: Faster or slower than the system clock.
 */
export type ClockMode = "real" | "offset" | "frozen" | "scaled";

/** How to run a clock. */
export interface ClockRequest {
  mode: ClockMode;
  /**
   * The time to show, for example `2026-01-05T09:00:00Z`, with up to nine decimals. When left out, the clock continues
   * from its current time.
   */
  now?: string | null;
  /** For a scaled clock: its seconds per real second, from 0.0001 to 100000. */
  rate?: number | null;
}

/** What ran by itself, and when on the world's clock. */
export interface CompletedWork {
  at: string;
  /** For a callback: the number of the attempt. */
  attempt: number | null;
  /** For a callback: its number. */
  callback: number | null;
  /** For a job: its number. For a callback: the number of its job. */
  job: number;
  /** For a callback: the receiver's status. Null: no response came. */
  status: number | null;
  what: "job" | "callback";
}

/**
 * How the connection ends. `reset`: Reset (RST). `empty`: Closed normally, without a single byte of a response. `hang`:
 * Silent until the caller disconnects or the server stops.
 */
export type ConnectionEnd = "reset" | "empty" | "hang";

/** A created world. The key and the token are shown only here. */
export interface CreatedWorld {
  /** Gives access to this world's admin routes only. */
  admin_token: string;
  admin_url: string;
  /** Selects the world at every address of the server. */
  api_key: string;
  /** Base address of the world. Any key works there. */
  base_url: string;
  epoch: number;
  id: WorldId;
  /** A warning: on a frozen clock, rate limits do not recover by themselves. Null otherwise. */
  note: string | null;
  /** The world is removed when it has not been used for this long. Null: it ends with the server at the latest. */
  ttl: Duration | null;
}

export interface CustomField {
  label: string;
  number: number;
}

export interface CustomFieldLabel {
  label: string;
}

export interface CustomFieldPage {
  items: CustomField[];
  paging: Paging;
}

export interface DiffRecord {
  fields: { [name: string]: unknown };
  /** The uid, or another key of a record without one. */
  key: string;
}

/** Records that exist on one side only. */
export interface DiffRecords {
  /** The full count, including records beyond the limit. */
  count: number;
  items: DiffRecord[];
}

/** A duration: 500ms, 10s, 5m, 2h, 1d. Measured values can be in microseconds: 412us */
export type Duration = string;

/** A fault rule in force. */
export interface Fault {
  /** Time until the rule ends. Null: it does not end by itself. */
  expires_in: Duration | null;
  /** Requests on which the rule fired. */
  hits: number;
  /** The name shown in the journal. */
  name: string;
  /**
   * Position in the order in which rules are tried, from 1. Only the first rule that matches fires; a rule that only
   * delays applies in addition. `POST /__admin/faults/explain` says which rule would fire.
   */
  position: number;
  /** The rule as it was given. Keys are shortened to their beginning. */
  rule: FaultRule;
  /** Requests that matched so far. */
  seen: number;
  source: FaultSource;
  /** Why the rule cannot fire at present, if that is certain. */
  warning: string | null;
}

/** Which of the matching requests the rule fires on. All conditions that are given must hold. */
export interface FaultApply {
  /** Fires on every nth match, counted after `skip`. */
  every?: number | null;
  /** Fires on this many matches only, counted after `skip`. */
  first?: number | null;
  /**
   * Counts separately for each value of `key`, `operation`, `path`, `header:NAME`, `query:NAME`, a JSON pointer into
   * the body, or the name of a body field.
   */
  per_key_of?: string | null;
  /** Probability of firing on each of these matches. Default 1. */
  probability?: number | null;
  /** Stops firing after firing this many times. */
  recover_after?: number | null;
  /** Determines random choices and latencies. Default: a random seed, which is shown. */
  seed?: number | null;
  /** Skips this many matches first. */
  skip?: number;
  /** Fires only in this window, on the world's clock, counted from the creation of the rule. */
  window?: FaultWindow | null;
}

/**
 * When the effect happens. `before`: Before the operation. With an error status or an ended connection, the operation
 * is not carried out. `after`: After the operation has been carried out and stored.
 */
export type FaultCommit = "before" | "after";

/**
 * Everything given here happens together. With an empty effect, the journal names the rule and nothing else happens.
 */
export interface FaultEffect {
  /** Damages the response body. A response without a body stays the same. */
  body?: BodyFault | null;
  /** The name of the error. Default: the name that belongs to the status. */
  error?: string | null;
  /** More response headers. They replace existing ones. */
  headers?: { [name: string]: string };
  latency?: Latency | null;
  /** Ends the connection without a response. */
  line?: ConnectionEnd | null;
  /** Value of the Retry-After header, in whole seconds. Default: `1s` with status 429, otherwise no header. */
  retry_after?: Duration | null;
  /** An error status. The body has the shape that the operation uses. */
  status?: number | null;
}

/** A request that might be sent. */
export interface FaultExplainRequest {
  /** JSON, or a text that is sent unchanged. */
  body?: unknown;
  headers?: { [name: string]: string };
  /** The caller's key. Default: that of the X-AUTH-KEY header. */
  key?: string | null;
  /** Default GET. */
  method?: string | null;
  /** Path and query, without the part that selects a world. */
  url: string;
}

export interface FaultExplained {
  /** Whether the rule would fire. */
  fires: boolean;
  /** The parts of the request that do not match. */
  misses: FieldMismatch[];
  name: string;
  source: FaultSource;
  /** Why it would not fire. */
  why: string | null;
}

/** Which fault rule a request would trigger now. Rate limits are checked before rules. */
export interface FaultExplanation {
  /** The rule that would only delay the response. It applies in addition to the one that fires. */
  delays: string | null;
  /** The rule that would fire. Null: none. */
  fires: string | null;
  /** All rules, in the order in which they are tried. */
  items: FaultExplained[];
  operation: string;
}

export interface FaultPage {
  items: Fault[];
  paging: Paging;
}

export interface FaultPlan {
  /** Identifies the plan, so that it can be generated again. */
  id: string;
  intensity: number;
  length: Duration;
  rules: FaultRule[];
  seed: number;
}

/** The fault plan in force. */
export interface FaultPlanInForce {
  /** Null when none is set. */
  plan: FaultPlan | null;
}

export interface FaultPlanWish {
  /** The share of that time that has a fault. Default 0.1. */
  intensity?: number | null;
  /** How much of the world's time the plan covers, starting now. Default 10m. */
  length?: Duration | null;
  /** Default 1. */
  seed?: number | null;
}

export interface FaultProfile {
  /** What happens to callbacks, unless their policy is worse. */
  callbacks?: CallbackLosses | null;
  /** A rate limit that replaces the one in force, even if limits are off. */
  limit?: TightLimit | null;
  name: string;
  rules: FaultRule[];
  what: string;
}

export interface FaultProfilePage {
  items: FaultProfile[];
  paging: Paging;
}

export interface FaultRule {
  apply?: FaultApply;
  commit?: FaultCommit;
  effect: FaultEffect;
  /** Which requests. Default: all. */
  match?: Matcher | null;
  /** The name shown in the journal. Default: `fault-1` and so on. */
  name?: string | null;
  /** The rule is removed after this time on the world's clock. */
  ttl?: Duration | null;
}

/**
 * Where a rule comes from, in the order in which rules are tried. `rule`: Created by name. `prefer`: The Prefer header
 * of the request. `magic`: A magic number in the request.
 */
export type FaultSource = "plan" | "profile" | "rule" | "prefer" | "magic";

export interface FaultWindow {
  after?: Duration;
  /** Default: no end. */
  for?: Duration | null;
}

export interface Fidelity {
  /** Counts of all matching rows by mark. */
  counts: FidelityCounts;
  items: FidelityRow[];
  /** Decisions that do not concern the emulator. */
  others: FidelityOther[];
  paging: Paging;
  /**
   * How much of the whole register was observed at the service, and where the rest comes from. Nothing counts as
   * observed without --fidelity.
   */
  score: FidelityScore;
}

export interface FidelityCounts {
  assumed: number;
  documented: number;
  inferred: number;
}

/** Whether responses name the assumptions that shaped them. */
export interface FidelityHeader {
  enabled: boolean;
}

/**
 * How certain it is that the service behaves the same. `documented`: The service's documentation says so. `inferred`:
 * It follows from samples, or from programs that use the service. `assumed`: Unknown; chosen for the emulator.
 */
export type FidelityMark = "documented" | "inferred" | "assumed";

export interface FidelityOther {
  decision: string;
  why: string;
}

export interface FidelityRow {
  decision: string;
  /** Mark of the exact form, if it is less certain than the behaviour. */
  detail: FidelityMark | null;
  does: string;
  /** Whether the header names it when it shaped a response. */
  in_header: boolean;
  mark: FidelityMark;
  /** The name in the X-Roost-Assumed header. */
  name: string;
  /** What the service does instead, or why it is undecided. */
  note: string | null;
  /** What roost fidelity check found at the service. Null: not checked. */
  observation: Observation | null;
  /** Operations and groups of them. `*` is all. */
  operations: string[];
  /** The setting that changes it. */
  setting: string | null;
  /** The current value of that setting. */
  value: unknown;
}

/** How much of the register is known, and how. */
export interface FidelityScore {
  assumed: number;
  contradicted: number;
  documented: number;
  inferred: number;
  observed: number;
}

/** One test that a request does not pass. */
export interface FieldMismatch {
  /** `status`, `headers.x-tag`, `body/contacts/0/title`. */
  field: string;
  found: string;
  wanted: string;
}

export interface FoundRequests {
  /** How many lines match. `items` are the newest of them. */
  count: number;
  /** Oldest first. */
  items: JournalLine[];
}

export interface HealthStatus {
  /** Identifies the server. */
  server: "roost";
  status: "ok";
}

/** A receiver with some of its calls. */
export interface Hook {
  /** How many calls arrived. */
  came: number;
  /** Calls replaced by newer ones. */
  dropped: number;
  /** Whether more calls are available now. Ask again with `next`. */
  has_more: boolean;
  /** Calls after `since`, oldest first. */
  items: HookCall[];
  name: string;
  /** Pass this as `since` to continue. */
  next: number;
  script: HookScriptLeft;
  /** The address to use as `callback_url`. */
  url: string;
}

/** A status, or a full answer. */
export type HookAnswer = number | HookReply;

export interface HookCall {
  /** The status of the answer. Null: the connection ended without one. */
  answered: number | null;
  /** On the world's clock. */
  at: string;
  attempt: number | null;
  body: string;
  /** The full length of the body. At most 256 KiB of it are stored. */
  bytes: number;
  /** The callback of this world that sent the call. */
  callback_id: number | null;
  headers: [string, string][];
  /** The body, if it is JSON. */
  json: unknown;
  method: string;
  /** Number of the call to this receiver, from 1. */
  seq: number;
  target: string;
}

/** `empty`: Closed normally, without a single byte. `reset`: Reset (RST). */
export type HookLineEnd = "empty" | "reset";

/** An answer. */
export interface HookReply {
  body?: string;
  /** How long the answer is delayed, in real time. */
  delay?: Duration;
  headers?: { [name: string]: string };
  /** Ends the connection instead of answering. */
  line?: HookLineEnd | null;
  status?: number;
}

/** How a receiver answers. */
export interface HookScript {
  /** Used one after the other. */
  answers?: HookAnswer[];
  /** Used for all later calls. Default 200. */
  then?: HookAnswer | null;
}

export interface HookScriptLeft {
  /** Answers that are not used yet. */
  answers: HookReply[];
  then: HookReply;
}

/** A receiver and its number of calls. */
export interface HookSummary {
  answers_left: number;
  came: number;
  dropped: number;
  kept: number;
  name: string;
  url: string;
}

export interface HookSummaryPage {
  items: HookSummary[];
  paging: Paging;
}

/**
 * `random`: Same form as the service's: the second of creation, then random digits. `sequence`: Counted up and easy to
 * read. They contain no time. `hash`: Derived from the seed and the request only, independent of the clock.
 */
export type IdStyle = "random" | "sequence" | "hash";

/** The opt-out that the message created. Null unless it was a keyword of the asset. */
export interface InboundEffect {
  opt_out: AdminOptOut | null;
}

/** A message from a recipient. */
export interface InboundMessage {
  asset_id: string;
  from: string;
  text: string;
}

export interface Index {
  /** Address of the OpenAPI document. */
  document: string;
  /** Links to the other resources, by name. */
  links: { [name: string]: IndexLink };
  /** Version of the program. */
  server_version: string;
  /** Version of the admin interface. */
  version: string;
}

export interface IndexLink {
  /** The methods that the path supports. */
  methods: string[];
  path: string;
}

export interface Job {
  /** Null when no callback was requested. */
  callback_id: number | null;
  callback_url: string | null;
  contacts: number;
  correlation_id: string | null;
  /** Contacts that are done. */
  done: number;
  /** The fault set for it. */
  fault: string | null;
  finished_at: string | null;
  /** Whether the job waits for an action, or for a query of its list. */
  held: boolean;
  id: number;
  list_id: string;
  list_name: string;
  merge_type: string;
  /** When it continues by itself, on the world's clock. Null: it does not. */
  next_at: string | null;
  paused: boolean;
  queued_at: string;
  /** The request that created it. Null when that was not recorded or is no longer stored. */
  request: RequestLink | null;
  state: "queued" | "done";
  totals: OutcomeTotals;
}

export interface JobEvent {
  /** On the world's clock. */
  at: string;
  contacts: number;
  failed: number;
  /** Index of its first contact in the request, from 0. */
  first: number;
  imported: number;
  merged: number;
  /** How many parts are grouped. Consecutive parts are grouped when there are very many. */
  parts: number;
  skipped: number;
  /** When several parts are grouped: the time of the last one. Otherwise the same as `at`. */
  until: string;
  what: "part" | "announced" | "paused" | "resumed" | "failed" | "dropped" | "given_up";
}

/** A fault, and the jobs it applies to. */
export interface JobFault {
  correlation_id?: string | null;
  fault: JobFaultKind;
  /** At most this many jobs. */
  first?: number | null;
  list_id?: string | null;
}

export type JobFaultKind = "fail" | "never_finish" | "finish_twice" | "callback_first" | "lose_callback" | "drop" | {
  fail_after: number;
} | {
  fail_numbers: string[];
};

/** What was done to a job, oldest first. */
export interface JobMoments {
  /**
   * Contacts done at times that are no longer stored: the job is older than this server run, was restored with a
   * snapshot, or is very old.
   */
  forgotten: number;
  items: JobEvent[];
  paging: Paging;
}

export interface JobPage {
  items: Job[];
  paging: Paging;
}

/** Durations are on the world's clock. */
export interface JobPolicy {
  /** With `after`: how long a job waits. */
  after?: Duration;
  /** Faults for new jobs. The first one that matches applies to a job, and no other. */
  faults?: JobFault[];
  /** With `rate`: contacts processed per second. */
  per_second?: number;
  /** With `polls`: the job runs at this query of its list's contacts, before the query is answered. */
  polls?: number;
  progress?: JobProgress;
}

/** `manual`: Only when it is run or stepped. */
export type JobProgress = "immediate" | "after" | "polls" | "rate" | "manual";

export interface JobStep {
  /** How many contacts to process. Default 1. */
  contacts?: number;
}

export interface JournalBody {
  /** The full length. */
  bytes: number;
  /**
   * `cut`: only the beginning is stored. `withheld`: it may contain a secret. `unread`: the request was refused before
   * the body was read.
   */
  state: "none" | "whole" | "cut" | "withheld" | "unread";
  text: string;
}

export interface JournalChange {
  /** Whether to record calls of the admin interface as well, in the journal of the default world. */
  admin_calls?: AdminCalls | null;
  /** The most memory that the lines use. The newest line is always stored. */
  bytes?: number | null;
  /** Whether to record requests. */
  enabled?: boolean | null;
  /** The most lines to store. */
  lines?: number | null;
}

export interface JournalFault {
  message: string;
  path: string;
}

export interface JournalGap {
  first: number;
  last: number;
}

export interface JournalIntendedResponse {
  body: JournalBody;
  status: number;
}

export interface JournalLimits {
  bytes: number;
  lines: number;
}

export interface JournalLine {
  /** Start, on the world's clock. */
  at: string;
  /** For a callback: the number of the attempt. */
  attempt: number | null;
  /** `in`, or `out` for a callback. */
  direction: "in" | "out";
  /** For a callback: its job. */
  job: number | null;
  /** The beginning of the key. */
  key: string | null;
  /** Effects and causes. Only when a single line is requested. */
  links?: JournalLinks | null;
  /** The response that would have been sent without the rule. */
  meant: JournalIntendedResponse | null;
  method: string;
  /** Assigned when the request arrived or the callback was sent. */
  number: number;
  operation: string | null;
  /** Start, in real time. Not in the stable form. */
  real_at?: string | null;
  request: JournalMessage;
  response: JournalMessage;
  /** The fault rule that fired. */
  rule: string | null;
  /** Position in the journal. It increases by one per line, in the order in which the requests ended. */
  seq: number;
  /** Null when no response was sent. */
  status: number | null;
  /** Not in the stable form. */
  took?: Duration | null;
  /** Path and query. For a callback, the whole address. */
  url: string;
  why: JournalRefusal | null;
}

/** What is related to a journal line. */
export interface JournalLinks {
  /** The callbacks of these jobs. */
  callbacks: number[];
  /** For a request: the job it created. For a callback: its job. */
  jobs: number[];
  /** For a callback: the request that created its job, if it is still stored. */
  request: RequestLink | null;
  /** What these jobs have written so far. Null: there are none. */
  rows: JournalRows | null;
}

export interface JournalMessage {
  body: JournalBody;
  /** Names and values. Secrets are masked. */
  headers: [string, string][];
}

/** After this line: SEQ or EPOCH.SEQ. */
export type JournalPosition = number | string;

/** Why the request was refused. */
export interface JournalRefusal {
  check: string;
  /** The first rules that the request broke. */
  faults: JournalFault[];
  faults_total: number;
  words: string;
}

export interface JournalRow {
  /** Null when it was deleted since. */
  contact_id: string | null;
  /** Index of the contact in the request, from 0. */
  index: number;
  outcome: "imported" | "merged";
}

/** Contacts of a request that were written. */
export interface JournalRows {
  /** Whether there are more. GET /__admin/jobs/{job_id}/outcomes lists all. */
  has_more: boolean;
  imported: number;
  /** The first hundred, in the order of the request. */
  items: JournalRow[];
  merged: number;
}

/** WireMock sends the matcher itself as the body. */
export type JournalSearch = JournalSearchQuery | Matcher;

/** A matcher, optionally with a position to start at. */
export interface JournalSearchQuery {
  /** For `find`: return at most this many lines, newest first. */
  limit?: number | null;
  match: Matcher;
  since?: JournalPosition | null;
}

/** The state of the journal. */
export interface JournalState {
  /** Whether calls of the admin interface are recorded as well; those that match no route always are. */
  admin_calls: AdminCalls;
  /** Memory used by the lines, approximately. */
  bytes: number;
  dropped: number;
  /** Whether requests are recorded. */
  enabled: boolean;
  epoch: number;
  last: number;
  limits: JournalLimits;
  lines: number;
}

/** A route. */
export interface KnownRoute {
  method: string;
  name: string;
  path: string;
}

/** How long the response is delayed, in real time. At most ten minutes. */
export type Latency = {
  fixed: Duration;
} | {
  uniform: LatencyUniform;
} | {
  log_normal: LatencyLogNormal;
} | {
  quantiles: LatencyQuantiles;
};

export interface LatencyLogNormal {
  median: Duration;
  sigma: number;
}

export interface LatencyQuantiles {
  p50: Duration;
  p99: Duration;
}

export interface LatencyUniform {
  max: Duration;
  min: Duration;
}

/** How requests are counted. */
export type LimitAlgorithm = "token_bucket" | "fixed_window";

export interface LimitBucket {
  /** Requests that a full bucket accepts. */
  capacity: number;
  /** Time until the bucket is full, on the world's clock. */
  full_in: Duration;
  /** The beginning of the key. Null when keys share buckets. */
  key: string | null;
  /** Requests that would be accepted now. */
  level: number;
  /** Null when operations share buckets. */
  operation: string | null;
  /** Requests refused since the bucket was last full. */
  refused: number;
}

export interface LimitBucketPage {
  items: LimitBucket[];
  paging: Paging;
}

/** What gets a bucket of its own. */
export type LimitScope = "key+operation" | "key" | "operation" | "world";

/** The rate limit in force. */
export interface Limits {
  algorithm: LimitAlgorithm;
  burst: number;
  /** Whether requests are limited. */
  enabled: boolean;
  per_second: number;
  /** The fault profile that this limit comes from. The world's own limit applies again without the profile. */
  profile: string | null;
  retry_after: RetryAfter;
  scope: LimitScope;
  status: number;
}

/** A rate limit to set. */
export interface LimitsRequest {
  algorithm?: LimitAlgorithm | null;
  /** How many requests at once. With a fixed window, always `per_second`. */
  burst?: number | null;
  /** Whether requests are limited. */
  enabled?: boolean | null;
  /** The setting `limits.per_second`. `burst` becomes the same number unless it is given too. */
  per_second?: number | null;
  retry_after?: RetryAfter | null;
  /** What gets a bucket of its own. */
  scope?: LimitScope | null;
  /** Status of the refusal. */
  status?: number | null;
}

export interface ListRename {
  name: string;
}

/** A magic number and its effect. */
export interface MagicNumber {
  /** The fault of the job that the request creates. */
  job?: JobFaultKind | null;
  number: string;
  /** The fault rule that it triggers. Null if it affects a job. */
  rule?: FaultRule | null;
  what: string;
}

export interface MagicNumbers {
  /** When false, magic numbers are ordinary numbers. */
  enabled: boolean;
  items: MagicNumber[];
  paging: Paging;
}

export interface MagicSwitch {
  enabled: boolean;
}

/** Describes requests. All parts must match. A text means equality, with * for any characters. */
export interface Matcher {
  /** A text, or {equal_to_json, ignore_extra, pointer, contains, matches}, or a list of these */
  body?: unknown;
  /** in, or out for a callback */
  direction?: string | number | boolean | {
    absent?: boolean;
    case_insensitive?: boolean;
    contains?: string;
    does_not_contain?: string;
    does_not_match?: string;
    equal_to?: string | number | boolean;
    in?: (string | number | boolean)[];
    matches?: string;
  };
  headers?: { [name: string]: string | number | boolean | {
    absent?: boolean;
    case_insensitive?: boolean;
    contains?: string;
    does_not_contain?: string;
    does_not_match?: string;
    equal_to?: string | number | boolean;
    in?: (string | number | boolean)[];
    matches?: string;
  } };
  /** The caller's key */
  key?: string | number | boolean | {
    absent?: boolean;
    case_insensitive?: boolean;
    contains?: string;
    does_not_contain?: string;
    does_not_match?: string;
    equal_to?: string | number | boolean;
    in?: (string | number | boolean)[];
    matches?: string;
  };
  /** ANY matches every method */
  method?: string | number | boolean | {
    absent?: boolean;
    case_insensitive?: boolean;
    contains?: string;
    does_not_contain?: string;
    does_not_match?: string;
    equal_to?: string | number | boolean;
    in?: (string | number | boolean)[];
    matches?: string;
  };
  /** An operation such as contacts.create, or a group such as contacts */
  operation?: string | number | boolean | {
    absent?: boolean;
    case_insensitive?: boolean;
    contains?: string;
    does_not_contain?: string;
    does_not_match?: string;
    equal_to?: string | number | boolean;
    in?: (string | number | boolean)[];
    matches?: string;
  };
  /** Without the query */
  path?: string | number | boolean | {
    absent?: boolean;
    case_insensitive?: boolean;
    contains?: string;
    does_not_contain?: string;
    does_not_match?: string;
    equal_to?: string | number | boolean;
    in?: (string | number | boolean)[];
    matches?: string;
  };
  query?: { [name: string]: string | number | boolean | {
    absent?: boolean;
    case_insensitive?: boolean;
    contains?: string;
    does_not_contain?: string;
    does_not_match?: string;
    equal_to?: string | number | boolean;
    in?: (string | number | boolean)[];
    matches?: string;
  } };
  /** The name of the rule that fired */
  rule?: string | number | boolean | {
    absent?: boolean;
    case_insensitive?: boolean;
    contains?: string;
    does_not_contain?: string;
    does_not_match?: string;
    equal_to?: string | number | boolean;
    in?: (string | number | boolean)[];
    matches?: string;
  };
  /** 200, "4xx", null for no response, a list of these, or {at_least, at_most} */
  status?: unknown;
  /** Path and query */
  url?: string | number | boolean | {
    absent?: boolean;
    case_insensitive?: boolean;
    contains?: string;
    does_not_contain?: string;
    does_not_match?: string;
    equal_to?: string | number | boolean;
    in?: (string | number | boolean)[];
    matches?: string;
  };
}

export type Matchers = Matcher | Matcher[];

/** A line that nearly matches. */
export interface NearLine {
  method: string;
  misses: FieldMismatch[];
  number: number;
  operation: string | null;
  seq: number;
  status: number | null;
  url: string;
}

/**
 * `observed`: The service does the same. `contradicted`: The service does something else. `undecided`: No response
 * could decide it.
 */
export type Observation = "observed" | "contradicted" | "undecided";

export interface OptOutImport {
  rows: OptOutImportRow[];
}

export interface OptOutImportOutcome {
  channel: string;
  /** Why the row was skipped. */
  message: string | null;
  number: string;
  status: "success" | "failure";
}

export interface OptOutImportReport {
  /** One result per row, in the same order. */
  items: OptOutImportOutcome[];
  total_failed: number;
  total_submitted: number;
  total_succeeded: number;
}

export interface OptOutImportRow {
  asset_id?: string | null;
  channel?: string | null;
  number: string;
}

export interface OutcomeEntry {
  contact_id: string | null;
  /** Index of the contact in the request, from 0. */
  index: number;
  /** Its current phone number, or else its WhatsApp number. Null: it was not stored, or was deleted since. */
  number: string | null;
  outcome: "imported" | "merged" | "skipped" | "failed";
  /** Why it was skipped or failed. Null for all others, and when the reason is no longer stored. */
  reason: "duplicate" | "fault" | "operator" | "dropped" | "given_up" | "list_gone" | null;
}

export interface OutcomeEntryPage {
  items: OutcomeEntry[];
  paging: Paging;
}

export interface OutcomeTotals {
  failed: number;
  imported: number;
  merged: number;
  skipped: number;
}

export interface Paging {
  /** The requested page, even if it is after the last one. */
  current_page: number;
  total_items: number;
  total_pages: number;
}

/** Whether callers can request faults with the Prefer header. */
export interface PreferSwitch {
  enabled: boolean;
}

/** The profile in force. */
export interface ProfileInForce {
  /** Null when none is set. */
  name?: string | null;
}

export interface Random {
  /** Requests so far that may have changed something. Ids follow from the seed and this count. */
  acts: number;
  ids: IdStyle;
  /** The same seed and the same requests from the same start give the same ids. Null: ids are random. */
  seed: number | null;
}

/** How ids are made. */
export interface RandomChange {
  ids?: IdStyle | null;
  seed?: number | null;
}

export interface RecordCounts {
  assets: number;
  contacts: number;
  custom_fields: number;
  lists: number;
  opt_outs: number;
  senders: number;
  short_links: number;
}

/** An edit made through the admin interface, which can be undone and redone. */
export interface RecordStep {
  at: string;
  /** Whether it was undone and can be redone. */
  is_undone: boolean;
  step: number;
}

export interface RecordStepPage {
  items: RecordStep[];
  paging: Paging;
}

/** A list as it is stored. */
export interface RenamedList {
  contact_count: number;
  created_at: string;
  name: string;
  uid: string;
  updated_at: string;
}

export interface RequestCount {
  count: number;
}

/** A request, as its effects refer to it. */
export interface RequestLink {
  /** Assigned when the request arrived. */
  number: number;
  /** Its line in the journal. Null: not written yet, or no longer stored. */
  seq: number | null;
}

export interface RequestPage {
  /** Lines replaced by newer ones since the journal was last cleared. */
  dropped: number;
  /** Whether requests are recorded. */
  enabled: boolean;
  /** How often the world was reset or restored. Sequence numbers start again in each epoch. */
  epoch: number;
  /** Requested lines that are no longer stored. */
  gap: JournalGap | null;
  /** Whether more lines are available now. Ask again with `next`. */
  has_more: boolean;
  /** Oldest first. */
  items: JournalLine[];
  /** The newest line. */
  last: number;
  /** Pass this as `since` to continue. */
  next: string;
}

/** The result of a reset. */
export interface ResetReport {
  cancelled: CancelledWork;
  /** Where the replaced account was saved. Only for a protected account file. */
  copy: BackupCopy | null;
  /** The new epoch of the world. */
  epoch: number;
  took: Duration;
}

export interface ResourceDiff {
  added: DiffRecords;
  changed: ChangedRecords;
  removed: DiffRecords;
}

export interface ResourceDiffs {
  assets: ResourceDiff;
  contacts: ResourceDiff;
  custom_fields: ResourceDiff;
  jobs: ResourceDiff;
  lists: ResourceDiff;
  opt_outs: ResourceDiff;
  senders: ResourceDiff;
  short_links: ResourceDiff;
}

/** The Retry-After header: computed from the bucket, none, or always this duration. */
export type RetryAfter = "computed" | "none" | Duration;

/** The contents of a seed, and what was ended when it was applied. */
export interface SeedResult {
  reset: ResetReport;
  seeded: RecordCounts;
}

export interface SenderRequest {
  /** 3 to 11 letters, digits, spaces or `. - _ &`, or a number. */
  name: string;
}

export interface ServerCounts {
  assets: number;
  contacts: number;
  custom_fields: number;
  jobs_waiting: number;
  lists: number;
  opt_outs: number;
  senders: number;
  short_links: number;
}

export interface ServerInfo {
  counts: ServerCounts;
  pid: number;
  schema_version: number;
  short_link_base: string;
  uptime: Duration;
  url: string;
  version: string;
}

export interface Settings {
  /** Takes any, off, keys. */
  auth?: "any" | "off" | "keys";
  /** Takes keys separated by commas, or a JSON array of keys or of {value, enabled, permissions, addresses}. */
  "auth.keys"?: unknown;
  /** Takes seconds separated by commas, or nothing for a single attempt. */
  "callback.retries"?: unknown;
  /** Takes on, off. */
  limits?: "on" | "off";
  /** Takes a whole number from 1 to 1000000. */
  "limits.per_second"?: unknown;
  /** Takes off, on. */
  "lists.unique_names"?: "off" | "on";
  /** Takes keyword, asset. */
  "opt_outs.asset_fields"?: "keyword" | "asset";
  /** Takes first, all. */
  "opt_outs.entries"?: "first" | "all";
  /** Takes an absolute http or https address without a final slash, or nothing. */
  short_link_base?: unknown;
  /** Takes 200, 201, 202. */
  "status.contact_create"?: "200" | "201" | "202" | 200 | 201 | 202;
  /** Takes 200, 201. */
  "status.list_create"?: "200" | "201" | 200 | 201;
  /** Takes 200, 201, 202. */
  "status.opt_out_delete"?: "200" | "201" | "202" | 200 | 201 | 202;
  /** Takes ignore, warn, refuse. */
  "strict.body_fields"?: "ignore" | "warn" | "refuse";
  /** Takes ignore, warn, refuse. */
  "strict.content_type"?: "ignore" | "warn" | "refuse";
  /** Takes ignore, warn, refuse. */
  "strict.deprecated_forms"?: "ignore" | "warn" | "refuse";
  /** Takes ignore, warn, refuse. */
  "strict.parameters"?: "ignore" | "warn" | "refuse";
  /** Takes 400, 404. */
  unknown_on_delete?: "400" | "404" | 400 | 404;
}

/** What to wait for. */
export interface SettleRequest {
  /** Only jobs and callbacks with this correlation_id. 404 if no job has it when the time is over. */
  correlation_id?: string | null;
  /**
   * That nothing is left to do: no job is waiting, and no callback is in progress or due later. Held callbacks do not
   * count. The response comes at once when something waits for an action or for a frozen clock. Default true.
   */
  settled?: boolean;
  /** In real time. Default 5s, at most 300s. */
  timeout?: Duration;
}

export interface SettleResult {
  delivered: number;
  given_up: number;
  held: number;
  /** Jobs that wait for an action. */
  jobs_held: number;
  /** Jobs that will run by themselves. */
  jobs_waiting: number;
  /** Callbacks that are not settled, newest first, at most 100. */
  open: Callback[];
  settled: boolean;
  /**
   * True when waiting cannot help: everything that is not done waits for an action or for a frozen clock. The response
   * then comes before the timeout ends.
   */
  stuck: boolean;
  /** Jobs and callbacks that are not done, at most 100 of each. */
  undone: UnfinishedEntry[];
  waiting: number;
}

export interface Snapshot {
  /** On the world's clock. */
  at: string;
  bytes: number;
  name: string;
}

export interface SnapshotPage {
  items: Snapshot[];
  paging: Paging;
}

export interface SnapshotRequest {
  name: string;
}

export interface StateDiff {
  /** Added records of all resources, including those beyond the limit. */
  added: number;
  /**
   * What differs besides the records: settings, policies, fault rules, receivers, how the clock runs, and everything
   * else that is stored, except the time, the next ids, and counts and records of what happened.
   */
  arrangement: ArrangementChange[];
  changed: number;
  from: string;
  /** Whether nothing that was compared differs. */
  is_empty: boolean;
  /** Resources and parts of the arrangement that were not compared, because their past states are not stored. */
  not_compared: string[];
  removed: number;
  resources: ResourceDiffs;
  to: string;
}

/** A record in the form that seeds use. A contact names its list in list_uid. */
export type StateRecord = { [name: string]: unknown };

export interface StateRecordPage {
  items: StateRecord[];
  paging: Paging;
}

export interface StepTurnRequest {
  /**
   * The record as you last saw it; null if it did not exist. Nothing is done if it is different now. When left out,
   * only a change made since the edit prevents this.
   */
  record?: StateRecord | null;
  step: number;
}

export interface StepTurnResult {
  /** The current record. Null: it does not exist. */
  record: StateRecord | null;
}

/** For each key and operation. */
export interface TightLimit {
  burst: number;
  per_second: number;
}

/** A job or a callback that is not done. */
export interface UnfinishedEntry {
  /** What to do about it. Null: it continues by itself. */
  hint: string | null;
  id: number;
  /** Why it is not done yet. */
  reason: string;
  what: "job" | "callback";
}

export interface UnmatchedPage {
  /** Lines replaced by newer ones. Some of them may have been unmatched too. */
  dropped: number;
  /** Whether requests are recorded. If not, unmatched requests are missing here. */
  enabled: boolean;
  /** Oldest first, at most the newest thousand. */
  items: UnmatchedRequest[];
  paging: Paging;
}

export interface UnmatchedRequest {
  at: string;
  /** Routes that were probably meant, best match first: none, one, or one by path and one by method. */
  closest: KnownRoute[];
  method: string;
  number: number;
  seq: number;
  status: number | null;
  url: string;
  /** Why nothing matched. */
  why: string;
}

export interface Verified {
  /** Numbers of the matching lines. */
  lines: number[];
  matched: number;
  /** The check as it was given. */
  message?: string | null;
  /** If too few requests matched: lines that nearly match, with their differences. */
  nearest: NearLine[];
  /** Why earlier requests were not counted, if the journal was cleared since. */
  note: string | null;
  verified: boolean;
  /** The expectation in words. */
  wanted: string;
}

/** Which requests are expected. */
export interface VerifyRequest {
  /** A matcher. With `order`, a list of matchers. */
  match: Matchers;
  /** Shown when the check fails. */
  message?: string | null;
  /** Whether the requests must come in this order. Others may come between them. */
  order?: boolean;
  /** Only lines after this one. Default: since the journal was last cleared. */
  since?: JournalPosition | null;
  /**
   * How long to wait, at most 300s. With `exactly` 0 or `at_most`, a check that holds waits this long, because a later
   * request can still break it.
   */
  timeout?: Duration | null;
  /** How many requests. Default: at least one. */
  times?: VerifyTimes | null;
}

/** How many matching requests are expected. All bounds that are given must hold. Default: at least one. */
export interface VerifyTimes {
  at_least?: number | null;
  at_most?: number | null;
  exactly?: number | null;
}

export interface WebForm {
  /** SMS or WHATSAPP, in upper or lower case. Default SMS. */
  channel?: string | null;
  number: string;
}

export interface World {
  age: Duration;
  base_url: string;
  epoch: number;
  /** Time until the world is removed if it is not used. Null: never. */
  expires_in: Duration | null;
  id: WorldId;
  /** The beginnings of the keys that select it. */
  keys: string[];
  /** Whether the account is the world's own, a file, or shared with others. */
  kind: "own" | "file" | "lent";
  requests: number;
  snapshots: number;
  /** Requests in progress. */
  under_way: number;
}

export type WorldId = string;

export interface WorldPage {
  items: World[];
  paging: Paging;
}

/** A world to create. All fields are optional. */
export interface WorldRequest {
  /** How the world's clock runs. When left out, as the default world's clock did at the start. */
  clock?: ClockRequest | null;
  /**
   * `seed` (the default: the seed of the default world), `empty`, `snapshot:NAME` of the default world, or `world:NAME`
   * in its current state.
   */
  from?: string | null;
  ids?: IdStyle | null;
  /** Additional keys that select the world. At least 8 characters each. */
  keys?: string[];
  /** 1 to 64 of `a-z`, `0-9` and `-`. Chosen by the server when left out. */
  name?: string | null;
  /** Seed of the ids. When left out, it is derived from the default world's seed and the name. */
  seed?: number | null;
  /** Settings by name. They override those that the server was started with. */
  settings?: { [name: string]: unknown };
  /**
   * The world is removed when it has not been used for this long, at least 1s. When left out, it stays until it is
   * removed or the server stops; it is never stored, not even with --db.
   */
  ttl?: Duration | null;
}

/** The operations of the interface. */
export type Operation =
  | "contacts.create"
  | "contacts.delete"
  | "contacts.query"
  | "lists.create"
  | "lists.delete"
  | "lists.query"
  | "optouts.create"
  | "optouts.delete"
  | "optouts.query"
  | "senders.delete"
  | "senders.get"
  | "senders.query"
  | "shortlinks.create"
  | "shortlinks.delete"
  | "shortlinks.get"
  | "shortlinks.search";

/** The groups of operations. */
export type OperationGroup =
  | "contacts"
  | "lists"
  | "optouts"
  | "senders"
  | "shortlinks";

/** What the routes of the operator's side take and answer, by method and path. */
export interface AdminRoutes {
  get: {
    /** Get the version, the document and links to everything */
    "/": {
      query: { };
      body: undefined;
      answer: Index;
    };
    /** List inbound assets */
    "/assets": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: AssetPage;
    };
    /** Get the callback policy */
    "/callback_policy": {
      query: { };
      body: undefined;
      answer: CallbackPolicy;
    };
    /** List callbacks with all attempts, newest first, or wait for one */
    "/callbacks": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; state?: string | number | boolean | undefined; correlation_id?: string | number | boolean | undefined; went?: string | number | boolean | undefined; wait?: string | number | boolean | undefined; };
      body: undefined;
      answer: CallbackPage;
    };
    /** Get a callback with all attempts */
    "/callbacks/{callback_id}": {
      query: { };
      body: undefined;
      answer: Callback;
    };
    /** Get the world's clock */
    "/clock": {
      query: { };
      body: undefined;
      answer: Clock;
    };
    /** List custom fields */
    "/custom_fields": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: CustomFieldPage;
    };
    /** Stream journal lines as events. Resumes after Last-Event-ID */
    "/events": {
      query: { since?: string | number | boolean | undefined; filter?: string | number | boolean | undefined; stable?: string | number | boolean | undefined; };
      body: undefined;
      answer: string;
    };
    /** Export the account or one record: json, yaml, ndjson, sqlite or world */
    "/export": {
      query: { format?: string | number | boolean | undefined; record?: string | number | boolean | undefined; contacts?: string | number | boolean | undefined; };
      body: undefined;
      answer: {
        assets?: { [name: string]: unknown }[];
        custom_fields?: { [name: string]: unknown }[];
        lists?: { [name: string]: unknown }[];
        opt_outs?: { [name: string]: unknown }[];
        senders?: { [name: string]: unknown }[];
        short_link_base?: string;
        short_links?: { [name: string]: unknown }[];
        used_up?: { [name: string]: unknown };
      };
    };
    /** List magic numbers and their effects */
    "/faults/magic": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: MagicNumbers;
    };
    /** Get the fault plan */
    "/faults/plan": {
      query: { };
      body: undefined;
      answer: FaultPlanInForce;
    };
    /** Get whether callers can request faults with the Prefer header */
    "/faults/prefer": {
      query: { };
      body: undefined;
      answer: PreferSwitch;
    };
    /** Get the profile in force */
    "/faults/profile": {
      query: { };
      body: undefined;
      answer: ProfileInForce;
    };
    /** List profiles */
    "/faults/profiles": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: FaultProfilePage;
    };
    /** List fault rules in the order in which they are tried */
    "/faults/rules": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: FaultPage;
    };
    /** Get a fault rule and its counts */
    "/faults/rules/{fault}": {
      query: { };
      body: undefined;
      answer: Fault;
    };
    /** List behaviours with how certain each is: documented, inferred or assumed */
    "/fidelity": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; operation?: string | number | boolean | undefined; mark?: string | number | boolean | undefined; };
      body: undefined;
      answer: Fidelity;
    };
    /** Get whether responses name assumptions (X-Roost-Assumed) */
    "/fidelity/header": {
      query: { };
      body: undefined;
      answer: FidelityHeader;
    };
    /** List the receivers of this world */
    "/hooks": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: HookSummaryPage;
    };
    /** List the calls to /__hook/{world}/{hook}, or wait for new ones */
    "/hooks/{hook}": {
      query: { since?: string | number | boolean | undefined; count?: string | number | boolean | undefined; wait?: string | number | boolean | undefined; limit?: string | number | boolean | undefined; };
      body: undefined;
      answer: Hook;
    };
    /** Get information about the server */
    "/info": {
      query: { };
      body: undefined;
      answer: ServerInfo;
    };
    /** Get the job policy */
    "/job_policy": {
      query: { };
      body: undefined;
      answer: JobPolicy;
    };
    /** List contact jobs, newest first */
    "/jobs": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: JobPage;
    };
    /** Get a contact job */
    "/jobs/{job_id}": {
      query: { };
      body: undefined;
      answer: Job;
    };
    /** List what was done to a job, and when */
    "/jobs/{job_id}/moments": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: JobMoments;
    };
    /** List the outcome of each contact in a job */
    "/jobs/{job_id}/outcomes": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; outcome?: string | number | boolean | undefined; };
      body: undefined;
      answer: OutcomeEntryPage;
    };
    /** Get the state of the journal */
    "/journal": {
      query: { };
      body: undefined;
      answer: JournalState;
    };
    /** Get the matching lines as one HTTP archive */
    "/journal/har": {
      query: { since?: string | number | boolean | undefined; filter?: string | number | boolean | undefined; };
      body: undefined;
      answer: { [name: string]: unknown };
    };
    /** Get the rate limit */
    "/limits": {
      query: { };
      body: undefined;
      answer: Limits;
    };
    /** List the buckets that are not full */
    "/limits/buckets": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: LimitBucketPage;
    };
    /** Check that the process is alive */
    "/livez": {
      query: { };
      body: undefined;
      answer: HealthStatus;
    };
    /** Get metrics of all worlds in the Prometheus text format */
    "/metrics": {
      query: { };
      body: undefined;
      answer: string;
    };
    /** Get this document */
    "/openapi.json": {
      query: { };
      body: undefined;
      answer: unknown;
    };
    /** Get how ids are made */
    "/random": {
      query: { };
      body: undefined;
      answer: Random;
    };
    /** Check that the server is ready */
    "/readyz": {
      query: { };
      body: undefined;
      answer: HealthStatus;
    };
    /** List journal lines, or wait for new ones */
    "/requests": {
      query: { since?: string | number | boolean | undefined; filter?: string | number | boolean | undefined; wait?: string | number | boolean | undefined; limit?: string | number | boolean | undefined; stable?: string | number | boolean | undefined; };
      body: undefined;
      answer: RequestPage;
    };
    /** Get a journal line */
    "/requests/{seq}": {
      query: { };
      body: undefined;
      answer: JournalLine;
    };
    /** Get the request as a curl command, with secrets as variables */
    "/requests/{seq}/curl": {
      query: { };
      body: undefined;
      answer: string;
    };
    /** Get the exchange as an HTTP archive */
    "/requests/{seq}/har": {
      query: { };
      body: undefined;
      answer: { [name: string]: unknown };
    };
    /** Get the request as a .http file */
    "/requests/{seq}/http": {
      query: { };
      body: undefined;
      answer: string;
    };
    /** List senders, newest first */
    "/senders": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: AdminSenderPage;
    };
    /** Get the settings in force */
    "/settings": {
      query: { };
      body: undefined;
      answer: Settings;
    };
    /** List clicks on a short link, newest first */
    "/short_links/{link_id}/clicks": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: ClickPage;
    };
    /** List snapshots */
    "/snapshots": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: SnapshotPage;
    };
    /** Compare two states: snapshots, now, seed or @SEQ */
    "/snapshots/{snapshot}/diff/{other}": {
      query: { limit?: string | number | boolean | undefined; ignore?: string | number | boolean | undefined; };
      body: undefined;
      answer: StateDiff;
    };
    /** Get the state at the time when a request was answered, as a seed */
    "/state": {
      query: { at?: string | number | boolean | undefined; };
      body: undefined;
      answer: {
        assets?: { [name: string]: unknown }[];
        custom_fields?: { [name: string]: unknown }[];
        lists?: { [name: string]: unknown }[];
        opt_outs?: { [name: string]: unknown }[];
        senders?: { [name: string]: unknown }[];
        short_link_base?: string;
        short_links?: { [name: string]: unknown }[];
        used_up?: { [name: string]: unknown };
      };
    };
    /** List records as they are stored */
    "/state/{resource}": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; list_uid?: string | number | boolean | undefined; q?: string | number | boolean | undefined; };
      body: undefined;
      answer: StateRecordPage;
    };
    /** Get a record as it is stored */
    "/state/{resource}/{key}": {
      query: { };
      body: undefined;
      answer: StateRecord;
    };
    /** List edits that can be undone or redone */
    "/state/{resource}/{key}/steps": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: RecordStepPage;
    };
    /** List unmatched requests with the closest routes */
    "/unmatched": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: UnmatchedPage;
    };
    /** List worlds, the default one first */
    "/worlds": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: WorldPage;
    };
    /** Get a world */
    "/worlds/{world}": {
      query: { };
      body: undefined;
      answer: World;
    };
  };
  post: {
    /** Add an inbound asset */
    "/assets": {
      query: { };
      body: AssetRequest;
      answer: Asset;
    };
    /** Cancel a waiting callback */
    "/callbacks/{callback_id}/cancel": {
      query: { };
      body: undefined;
      answer: Callback;
    };
    /** Hold a callback until it is released */
    "/callbacks/{callback_id}/hold": {
      query: { };
      body: undefined;
      answer: Callback;
    };
    /** Send a callback now, or send it again */
    "/callbacks/{callback_id}/redeliver": {
      query: { };
      body: undefined;
      answer: Callback;
    };
    /** Release a held callback */
    "/callbacks/{callback_id}/release": {
      query: { };
      body: undefined;
      answer: Callback;
    };
    /** Move the clock forward and do everything that becomes due, in order */
    "/clock/advance": {
      query: { };
      body: AdvanceRequest;
      answer: ClockAdvanced;
    };
    /** Add a custom field */
    "/custom_fields": {
      query: { };
      body: CustomFieldLabel;
      answer: CustomField;
    };
    /** Explain which rule a request would trigger, and why the others would not fire */
    "/faults/explain": {
      query: { };
      body: FaultExplainRequest;
      answer: FaultExplanation;
    };
    /** Add a fault rule after the others. Only the first that matches fires */
    "/faults/rules": {
      query: { };
      body: FaultRule;
      answer: Fault;
    };
    /** Import a seed, an account file or a world, replacing or merging */
    "/import": {
      query: { format?: string | number | boolean | undefined; mode?: string | number | boolean | undefined; dry_run?: string | number | boolean | undefined; opt_outs?: string | number | boolean | undefined; keep_copy?: string | number | boolean | undefined; };
      body: {
        assets?: { [name: string]: unknown }[];
        custom_fields?: { [name: string]: unknown }[];
        lists?: { [name: string]: unknown }[];
        opt_outs?: { [name: string]: unknown }[];
        senders?: { [name: string]: unknown }[];
        short_link_base?: string;
        short_links?: { [name: string]: unknown }[];
        used_up?: { [name: string]: unknown };
      };
      answer: AccountImportResult;
    };
    /** Send a recipient's reply to an asset */
    "/inbound_messages": {
      query: { };
      body: InboundMessage;
      answer: InboundEffect;
    };
    /** Drop the rest of a job. No callback is sent */
    "/jobs/{job_id}/drop": {
      query: { };
      body: undefined;
      answer: Job;
    };
    /** Fail the rest of a job. Its callback is sent */
    "/jobs/{job_id}/fail": {
      query: { };
      body: undefined;
      answer: Job;
    };
    /** Pause a job. Others run before it */
    "/jobs/{job_id}/pause": {
      query: { };
      body: undefined;
      answer: Job;
    };
    /** Resume a paused job */
    "/jobs/{job_id}/resume": {
      query: { };
      body: undefined;
      answer: Job;
    };
    /** Run a job to its end now */
    "/jobs/{job_id}/run": {
      query: { };
      body: undefined;
      answer: Job;
    };
    /** Process some of a job's contacts now */
    "/jobs/{job_id}/step": {
      query: { };
      body: JobStep;
      answer: Job;
    };
    /** Count matching requests */
    "/journal/count": {
      query: { };
      body: JournalSearch;
      answer: RequestCount;
    };
    /** Find matching requests */
    "/journal/find": {
      query: { };
      body: JournalSearch;
      answer: FoundRequests;
    };
    /** Verify that the expected requests arrived. 406 with near misses if not */
    "/journal/verify": {
      query: { };
      body: VerifyRequest;
      answer: Verified;
    };
    /** Import opt-outs row by row */
    "/opt_out_imports": {
      query: { };
      body: OptOutImport;
      answer: OptOutImportReport;
    };
    /** Release all held callbacks */
    "/release_callbacks": {
      query: { };
      body: undefined;
      answer: CallbacksReleased;
    };
    /** Reset to the seed. Also removes fault rules, policies and receivers, clears the journal, and ends what is in progress */
    "/reset": {
      query: { keep?: string | number | boolean | undefined; mode?: string | number | boolean | undefined; opt_outs?: string | number | boolean | undefined; };
      body: undefined;
      answer: ResetReport;
    };
    /** Request a sender */
    "/senders": {
      query: { };
      body: SenderRequest;
      answer: AdminSender;
    };
    /** Approve a sender */
    "/senders/{sender_id}/approve": {
      query: { };
      body: undefined;
      answer: AdminSender;
    };
    /** Reject a pending sender */
    "/senders/{sender_id}/refuse": {
      query: { };
      body: undefined;
      answer: undefined;
    };
    /** Wait until jobs and callbacks are settled. 406 if they are not */
    "/settle": {
      query: { };
      body: SettleRequest;
      answer: SettleResult;
    };
    /** Record a click */
    "/short_links/{link_id}/clicks": {
      query: { };
      body: ClickRequest;
      answer: Click;
    };
    /** Take a snapshot of the world */
    "/snapshots": {
      query: { };
      body: SnapshotRequest;
      answer: Snapshot;
    };
    /** Restore a snapshot with its fault rules, policies and receivers. The journal is cleared */
    "/snapshots/{snapshot}/restore": {
      query: { opt_outs?: string | number | boolean | undefined; };
      body: undefined;
      answer: ResetReport;
    };
    /** Create a record, bypassing the interface's rules */
    "/state/{resource}": {
      query: { };
      body: StateRecord;
      answer: StateRecord;
    };
    /** Redo an edit, unless the record has changed since */
    "/state/{resource}/{key}/redo": {
      query: { };
      body: StepTurnRequest;
      answer: StepTurnResult;
    };
    /** Undo an edit, unless the record has changed since */
    "/state/{resource}/{key}/undo": {
      query: { };
      body: StepTurnRequest;
      answer: StepTurnResult;
    };
    /** Opt a recipient out on a web form */
    "/web_opt_outs": {
      query: { };
      body: WebForm;
      answer: AdminOptOut;
    };
    /** Create a world */
    "/worlds": {
      query: { };
      body: WorldRequest;
      answer: CreatedWorld;
    };
  };
  put: {
    /** Set the callback policy */
    "/callback_policy": {
      query: { };
      body: CallbackPolicy;
      answer: CallbackPolicy;
    };
    /** Set, freeze or scale the clock */
    "/clock": {
      query: { };
      body: ClockRequest;
      answer: Clock;
    };
    /** Switch magic numbers on or off */
    "/faults/magic": {
      query: { };
      body: MagicSwitch;
      answer: MagicNumbers;
    };
    /** Generate rules from a seed, replacing the plan in force */
    "/faults/plan": {
      query: { };
      body: FaultPlanWish;
      answer: FaultPlan;
    };
    /** Set whether callers can request faults with the Prefer header */
    "/faults/prefer": {
      query: { };
      body: PreferSwitch;
      answer: PreferSwitch;
    };
    /** Set the profile */
    "/faults/profile": {
      query: { };
      body: ProfileInForce;
      answer: ProfileInForce;
    };
    /** Create or replace a fault rule */
    "/faults/rules/{fault}": {
      query: { };
      body: FaultRule;
      answer: Fault;
    };
    /** Set whether responses name assumptions (X-Roost-Assumed) */
    "/fidelity/header": {
      query: { };
      body: FidelityHeader;
      answer: FidelityHeader;
    };
    /** Set how a receiver answers: a list of answers, then one for all later calls */
    "/hooks/{hook}": {
      query: { };
      body: HookScript;
      answer: HookSummary;
    };
    /** Set the job policy: when jobs run, and how they fail */
    "/job_policy": {
      query: { };
      body: JobPolicy;
      answer: JobPolicy;
    };
    /** Replace the rate limit and refill every bucket. Fields left out get their defaults */
    "/limits": {
      query: { };
      body: LimitsRequest;
      answer: Limits;
    };
    /** Replace the seed and reset to it, all or nothing. Settings, clock and ids stay */
    "/seed": {
      query: { once?: string | number | boolean | undefined; opt_outs?: string | number | boolean | undefined; };
      body: {
        assets?: { [name: string]: unknown }[];
        custom_fields?: { [name: string]: unknown }[];
        lists?: { [name: string]: unknown }[];
        opt_outs?: { [name: string]: unknown }[];
        senders?: { [name: string]: unknown }[];
        short_link_base?: string;
        short_links?: { [name: string]: unknown }[];
        used_up?: { [name: string]: unknown };
      };
      answer: SeedResult;
    };
    /** Replace all settings. Those left out get their defaults */
    "/settings": {
      query: { };
      body: Settings;
      answer: Settings;
    };
  };
  patch: {
    /** Change an asset's options */
    "/assets/{asset_id}": {
      query: { };
      body: AssetChange;
      answer: Asset;
    };
    /** Rename a custom field */
    "/custom_fields/{number}": {
      query: { };
      body: CustomFieldLabel;
      answer: CustomField;
    };
    /** Start or stop recording, and set how much is stored */
    "/journal": {
      query: { };
      body: JournalChange;
      answer: JournalState;
    };
    /** Change the rate limit and refill every bucket */
    "/limits": {
      query: { };
      body: LimitsRequest;
      answer: Limits;
    };
    /** Rename a list */
    "/lists/{list_uid}": {
      query: { };
      body: ListRename;
      answer: RenamedList;
    };
    /** Change the seed or the style of ids */
    "/random": {
      query: { };
      body: RandomChange;
      answer: Random;
    };
    /** Change settings by name, all or none */
    "/settings": {
      query: { };
      body: Settings;
      answer: Settings;
    };
    /** Change fields of a record, or create it */
    "/state/{resource}/{key}": {
      query: { };
      body: StateRecord;
      answer: StateRecord;
    };
  };
  delete: {
    /** Remove an asset. Its opt-outs stay */
    "/assets/{asset_id}": {
      query: { };
      body: undefined;
      answer: undefined;
    };
    /** Remove a custom field and its values */
    "/custom_fields/{number}": {
      query: { };
      body: undefined;
      answer: undefined;
    };
    /** Remove all rules, the plan and the profile */
    "/faults": {
      query: { };
      body: undefined;
      answer: undefined;
    };
    /** Remove the fault plan */
    "/faults/plan": {
      query: { };
      body: undefined;
      answer: undefined;
    };
    /** Remove a fault rule */
    "/faults/rules/{fault}": {
      query: { };
      body: undefined;
      answer: undefined;
    };
    /** Remove a receiver's calls and answers */
    "/hooks/{hook}": {
      query: { };
      body: undefined;
      answer: undefined;
    };
    /** Clear the journal, or the lines before one */
    "/requests": {
      query: { before?: string | number | boolean | undefined; };
      body: undefined;
      answer: undefined;
    };
    /** Remove a sender */
    "/senders/{sender_id}": {
      query: { };
      body: undefined;
      answer: undefined;
    };
    /** Remove a snapshot */
    "/snapshots/{snapshot}": {
      query: { };
      body: undefined;
      answer: undefined;
    };
    /** Remove a record */
    "/state/{resource}/{key}": {
      query: { };
      body: undefined;
      answer: undefined;
    };
    /** Remove a world and end everything in it */
    "/worlds/{world}": {
      query: { };
      body: undefined;
      answer: undefined;
    };
  };
}
