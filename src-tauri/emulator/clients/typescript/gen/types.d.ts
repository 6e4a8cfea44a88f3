// Made from the OpenAPI documents by src-tauri/emulator/clients/generate.py; not written by hand.

export interface AdminCalls {
  enabled: boolean;
}

/** The body of an error. */
export interface AdminError {
  error: AdminErrorTold;
}

export interface AdminErrorTold {
  code: string;
  /** What to do about it. */
  hint: string;
  message: string;
  /** Where in the body that was sent, as a JSON pointer: "" for the body as a whole, null for an error elsewhere. */
  pointer: string | null;
}

/** A record with the asset behind it, whatever the interface shows of that. */
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

export type AdvanceUntil = "idle";

/** How far a clock is to be moved: by, to or until, one of them. */
export interface AdvanceWish {
  /** So long; `0s` does what is due and leaves the clock where it is. */
  by?: Duration | null;
  /** How long that may take in real time, 30s when left out, at most 10m. */
  timeout?: Duration | null;
  /** To this time, and never back. */
  to?: string | null;
  /** Until nothing waits. */
  until?: AdvanceUntil | null;
}

export interface Asset {
  channel: "SMS" | "WHATSAPP";
  enforce_account_level_opt_outs: boolean;
  id: string;
  keywords: string[];
  /** E.164, or the digits of a short code. */
  number: string;
}

export interface AssetAdd {
  /** SMS or WHATSAPP in any case. */
  channel: string;
  /** E.164, or on SMS a short code of five digits. */
  number: string;
}

/** What is left out stays as it is. */
export interface AssetChange {
  enforce_account_level_opt_outs?: boolean | null;
  /** Replaces all of them. */
  keywords?: string[] | null;
}

export interface AssetPage {
  items: Asset[];
  paging: Paging;
}

export interface Attempt {
  error: string | null;
  /** Of a try without an answer, in one word. */
  error_class: "no_address" | "refused" | "unresolved" | "timed_out" | "no_connection" | "broken" | "no_certificates" | "dropped" | null;
  /** Null while under way, or when the process ended during it. */
  finished_at: string | null;
  number: number;
  started_at: string;
  status: number | null;
  /**
   * How it went; in a list only with went=true. Null for tries that are no longer remembered: the last 1,000 of a world
   * are, while they take no more than 8 MiB, and none after a restart.
   */
  went: AttemptWent | null;
}

export interface AttemptWent {
  /** Where the answer came from; without one, the first of the addresses that the name leads to. */
  address: string | null;
  /** The beginning of the answer. */
  answer: string;
  /** What was sent, byte for byte. */
  body: string;
  /**
   * How long the connection took, with its certificates, in real time as all that follow. Every try makes a connection
   * of its own; null where none stood.
   */
  connect: Duration | null;
  content_type: string;
  /** From the beginning of the try to the head of the answer; null where none came. */
  first_byte: Duration | null;
  /** Headers that the policy added; signatures included. */
  headers: [string, string][];
  /** From the beginning of the try to its end. */
  took: Duration;
}

/** A callback with every try. */
export interface Callback {
  attempts: Attempt[];
  /**
   * What the next try sends: the documented body, or what the template of the policy in force makes of it. What was
   * sent stands with each try.
   */
  body: string;
  correlation_id: string | null;
  id: number;
  job_id: number;
  /** When the next try is due by the world's clock; null when there is none, and while it is held. */
  next_at: string | null;
  /** Why it was given up, where that was done on purpose. */
  reason: "cancelled" | "dropped" | null;
  state: "waiting" | "held" | "delivered" | "given_up";
  /** Whether a try is under way now. */
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

/** The chances of a callback, as in the policy of callbacks. */
export interface CallbackLosses {
  /** That it is never sent. */
  drop: number;
  /** That one that was delivered is sent a second time. */
  duplicate: number;
}

export type CallbackOrder = "fifo" | "lifo" | "random";

/** A status, all of a hundred as 5xx, or error for a try without an answer. */
export type CallbackOutcome = number | string;

export interface CallbackPage {
  items: Callback[];
  paging: Paging;
}

/** Times are whole seconds of the world's clock, but for the time-out, which is real. */
export interface CallbackPolicy {
  /** The wait before each further try, the last one again and again; null for the setting `callback.retries`. */
  backoff?: Duration[] | null;
  /** The wait before the first try. */
  delay?: CallbackDelay;
  /** The chance that one is never sent. */
  drop?: number;
  /** The chance that one that was delivered is sent a second time. */
  duplicate?: number;
  /** Further headers. */
  headers?: { [name: string]: string };
  /** Keeps every callback back until it is released. */
  hold?: boolean;
  /** How much of a wait is added at most, by chance: 0.5 makes 60 s to 60 to 90 s. */
  jitter?: number;
  /** Which of those that are due leaves first. */
  order?: CallbackOrder;
  /** Calls under way at once; null for 16, and for 1 where the order is not fifo. */
  parallel?: number | null;
  /** Further tries at most; null for as many as there are waits. */
  retries?: number | null;
  /** What is tried again. */
  retry_on?: CallbackOutcome[];
  /** Settles everything that is left to chance; drawn once where it is null. */
  seed?: number | null;
  sign?: CallbackSignature;
  /** Another body than the documented one, from the next try on; signatures are those of what is sent. */
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
 * What is sent in place of the documented body. `{{name}}` stands for a value: `body`, `timestamp`, `results`,
 * `results.total_contacts_imported` (and `_merged`, `_failed`), `list_id`, `list_name` and `correlation_id` are those
 * of the documented body; `job.id`, `job.contacts`, `job.imported`, `job.merged`, `job.skipped`, `job.failed`,
 * `job.queued_at` and `job.finished_at` are the job's, its counts as numbers; `callback.id` and `callback.try` say
 * which try it is. `{{name:text}}` is the value as a text. At most 64 KiB and 100 values.
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

/** What is waited for. */
export interface CallbackWait {
  /** Only the jobs and callbacks with this one, of which there must be a job. */
  correlation_id?: string | null;
  /**
   * That nothing is left to do: no job waits, no callback is under way or waits for its time. Callbacks that are held
   * do not count. What waits for somebody, or for a clock that stands, is told at once. True when left out.
   */
  settled?: boolean;
  /** In real time; 5s when left out, at most 300s. */
  timeout?: Duration;
}

export interface CallbackWaited {
  delivered: number;
  given_up: number;
  held: number;
  /** Jobs that wait for the operator. */
  jobs_held: number;
  /** Jobs that will run by themselves. */
  jobs_waiting: number;
  /** Callbacks that are not settled, the newest first, at most 100. */
  open: Callback[];
  settled: boolean;
  /**
   * Time alone will never settle it: what is not done waits for somebody, or for a clock that stands. Then the answer
   * does not wait for the end of the time.
   */
  stuck: boolean;
  /** Jobs and callbacks that are not done, at most 100 of each. */
  undone: Undone[];
  waiting: number;
}

export interface CallbacksReleased {
  /** Numbers of those that were held. */
  items: number[];
}

/** What ended without its end. */
export interface Cancelled {
  /** Callbacks that were still owed. */
  callbacks: number;
  /** Contact jobs that waited. */
  jobs: number;
  /** Requests and answers under way. */
  requests: number;
}

export interface ChangedRecord {
  /** The fields that differ, by name, each with `before` and `after`. */
  fields: { [name: string]: unknown };
  /** Its uid, or what names it where it has none. */
  key: string;
}

/** Records that are on both sides. */
export interface ChangedRecords {
  /** Of all, also those beyond the limit. */
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

/** What is known of the visitor. */
export interface ClickAdd {
  browser?: string | null;
  campaign_uid?: string | null;
  device?: string | null;
  operating_system?: string | null;
  recipient?: string | null;
}

export interface ClickPage {
  items: Click[];
  paging: Paging;
}

/** How a clock goes. */
export interface Clock {
  mode: ClockMode;
  /** What to bear in mind: on a clock that stands, limits do not recover by themselves. Null otherwise. */
  note: string | null;
  now: string;
  rate: number | null;
  /** What the system's clock shows. */
  real_time: string;
}

/** What moving a clock did. Nothing that was due is under way any more. */
export interface ClockAdvanced {
  /** What it showed before. */
  from: string;
  /** How it goes from now on: a real clock that was moved has an offset. */
  mode: ClockMode;
  now: string;
  /** Jobs and tries of callbacks in the order they were done. */
  ran: Ran[];
}

/**
 * `real`: As the system's. `offset`: As the system's, so much earlier or later. `frozen`: Stands still until it is
 * moved. `scaled`: Faster or slower than the system's.
 */
export type ClockMode = "real" | "offset" | "frozen" | "scaled";

/** How a clock is to go. */
export interface ClockWish {
  mode: ClockMode;
  /**
   * What it is to show, as `2026-01-05T09:00:00Z`, to the nanosecond if you like; left out, it goes on from what it
   * shows.
   */
  now?: string | null;
  /** Of a scaled clock: its seconds in a second of the system's, from 0.0001 to 100000. */
  rate?: number | null;
}

export interface Counted {
  count: number;
}

export interface Counts {
  assets: number;
  contacts: number;
  custom_fields: number;
  jobs_waiting: number;
  lists: number;
  opt_outs: number;
  senders: number;
  short_links: number;
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
  /** Its uid, or what names it where it has none. */
  key: string;
}

/** Records that are on one side alone. */
export interface DiffRecords {
  /** Of all, also those beyond the limit. */
  count: number;
  items: DiffRecord[];
}

/** A duration: 500ms, 10s, 5m, 2h, 1d. Measured ones may be in microseconds: 412us */
export type Duration = string;

/** All that is given happens together; nothing of it: the request is merely named in the journal. */
export interface Effect {
  /** The answer's body is spoilt; one without a body stays as it is. */
  body?: Spoil | null;
  /** Its name; left out, the one that goes with the status. */
  error?: string | null;
  /** Further headers of the answer, in the place of those it has. */
  headers?: { [name: string]: string };
  latency?: Latency | null;
  /** No answer at all. */
  line?: Line | null;
  /** What the header Retry-After says, in whole seconds. */
  retry_after?: Duration | null;
  /** An error in the shape of the operation's family. */
  status?: number | null;
}

/** A rule in force. */
export interface Fault {
  /** Null where it does not end by itself. */
  expires_in: Duration | null;
  /** Those that were met. */
  hits: number;
  /** What the journal calls it. */
  name: string;
  /**
   * Its place in the order in which rules are tried, from 1. The first that meets a request fires, and no other; a rule
   * that only delays goes together with it. `POST /__admin/faults/explain` says which it would be.
   */
  position: number;
  /** As it was given; of keys only the beginning. */
  rule: FaultRule;
  /** Requests that fitted so far. */
  seen: number;
  source: FaultSource;
}

/** Which of the requests that fit are met. Every condition given has to hold. */
export interface FaultApply {
  /** Of these every nth. */
  every?: number | null;
  /** Then only the first so many. */
  first?: number | null;
  /**
   * Counts apart for each value of: `key`, `operation`, `path`, `header:NAME`, `query:NAME`, a JSON pointer into the
   * body, or the name of a key of the body.
   */
  per_key_of?: string | null;
  /** Each of these with this chance; 1 when left out. */
  probability?: number | null;
  /** No more once so many were met. */
  recover_after?: number | null;
  /** Settles chance and latency; left out, one is drawn and shown. */
  seed?: number | null;
  /** So many pass at first. */
  skip?: number;
  /** Only then, by the world's clock from when the rule was made. */
  window?: FaultWindow | null;
}

/**
 * When the effect comes. `before`: Before anything is done; an error or the line's end means that nothing will be.
 * `after`: Once all is done and stored.
 */
export type FaultCommit = "before" | "after";

/** A request as it might be sent. */
export interface FaultExplainWish {
  /** JSON, or a text that is sent as it is. */
  body?: unknown;
  headers?: { [name: string]: string };
  /** The caller's key. */
  key?: string | null;
  /** GET when left out. */
  method?: string | null;
  /** Path and query, without the part that names a world. */
  url: string;
}

export interface FaultExplained {
  /** Whether it would meet the request. */
  fires: boolean;
  /** What does not match. */
  misses: Miss[];
  name: string;
  source: FaultSource;
  /** Why it would not. */
  why: string | null;
}

/** Which rule would meet a request now. Limits come before rules. */
export interface FaultExplanation {
  /** The rule that would delay the answer and do nothing else, which goes together with the one that fires. */
  delays: string | null;
  /** The one rule that would fire; null for none. */
  fires: string | null;
  /** In the order they are tried. */
  items: FaultExplained[];
  operation: string;
}

export interface FaultPage {
  items: Fault[];
  paging: Paging;
}

export interface FaultPlan {
  /** Says all that is needed to make it again. */
  id: string;
  intensity: number;
  length: Duration;
  rules: FaultRule[];
  seed: number;
}

/** The plan in force. */
export interface FaultPlanInForce {
  /** Null for none. */
  plan: FaultPlan | null;
}

export interface FaultPlanWish {
  /** Which part of that time has a fault; 0.1 when left out. */
  intensity?: number | null;
  /** How much of the world's time it covers, from now; 10m when left out. */
  length?: Duration | null;
  /** 1 when left out. */
  seed?: number | null;
}

export interface FaultRule {
  apply?: FaultApply;
  commit?: FaultCommit;
  effect: Effect;
  /** Which requests; all when left out. */
  match?: Matcher | null;
  /** What the journal calls it; left out: `fault-1` and so on. */
  name?: string | null;
  /** The rule ends by itself after so long, in real time. */
  ttl?: Duration | null;
}

/**
 * Where a rule comes from; also the order in which rules are tried. `rule`: Given by name. `prefer`: The header Prefer
 * of the request itself. `magic`: A magic number in the request.
 */
export type FaultSource = "plan" | "profile" | "rule" | "prefer" | "magic";

export interface FaultWindow {
  after?: Duration;
  /** Left out: without end. */
  for?: Duration | null;
}

export interface Fidelity {
  /** Of all that fit, by the mark of the thing itself. */
  counts: FidelityCounts;
  items: FidelityRow[];
  /** Decisions that say nothing of the emulator. */
  others: FidelityOther[];
  paging: Paging;
  /**
   * How much of the whole register was observed at the service, and where the rest comes from. Only with --fidelity is
   * anything observed.
   */
  score: FidelityScore;
}

export interface FidelityCounts {
  assumed: number;
  documented: number;
  inferred: number;
}

/** Whether answers name the assumptions that shaped them. */
export interface FidelityHeader {
  enabled: boolean;
}

export interface FidelityOther {
  decision: string;
  why: string;
}

export interface FidelityRow {
  decision: string;
  /** Of the exact form, where that is less sure than the thing itself. */
  detail: Mark | null;
  does: string;
  /** Whether the header tells when it shaped an answer. */
  in_header: boolean;
  mark: Mark;
  /** What the header calls it. */
  name: string;
  /** What the service does instead, or why it could not be decided. */
  note: string | null;
  /** What roost fidelity check found at the service; none where it was not asked. */
  observation: Observation | null;
  /** Operations and groups of them; `*` is all of them. */
  operations: string[];
  /** The setting that changes it. */
  setting: string | null;
  /** What that setting is now. */
  value: unknown;
}

/** How much of the register is known, and from where. */
export interface FidelityScore {
  assumed: number;
  contradicted: number;
  documented: number;
  inferred: number;
  observed: number;
}

export interface FoundRequests {
  /** How many fit; `items` are the newest of them. */
  count: number;
  /** Oldest first. */
  items: JournalLine[];
}

export interface Health {
  /** By which a caller knows whom it reached. */
  server: "roost";
  status: "ok";
}

export interface Held {
  assets: number;
  contacts: number;
  custom_fields: number;
  lists: number;
  opt_outs: number;
  senders: number;
  short_links: number;
}

/** A receiver, and some of what came to it. */
export interface Hook {
  /** How many calls came. */
  came: number;
  /** Those of them that gave way to newer ones. */
  dropped: number;
  /** Whether more has come already; ask again with `next`. */
  has_more: boolean;
  /** The calls after `since`, the oldest first. */
  items: HookCall[];
  name: string;
  /** The place to go on from, for `since`. */
  next: number;
  script: HookScriptLeft;
  /** For `callback_url`. */
  url: string;
}

/** A status alone, or an answer in full. */
export type HookAnswer = number | HookReply;

export interface HookCall {
  /** The status it was answered with; null when the line just ended. */
  answered: number | null;
  /** By the world's clock. */
  at: string;
  attempt: number | null;
  body: string;
  /** The true length of the body, of which 256 KiB are kept. */
  bytes: number;
  /** The callback of this world it is a try of. */
  callback_id: number | null;
  headers: [string, string][];
  /** The body, where it is JSON. */
  json: unknown;
  method: string;
  /** Among the calls of this name, from 1. */
  seq: number;
  target: string;
}

/** `empty`: In good order, without a byte. `reset`: Torn down. */
export type HookLineEnd = "empty" | "reset";

/** A receiver, and how much came to it. */
export interface HookNamed {
  answers_left: number;
  came: number;
  dropped: number;
  kept: number;
  name: string;
  url: string;
}

export interface HookNamedPage {
  items: HookNamed[];
  paging: Paging;
}

/** An answer. */
export interface HookReply {
  body?: string;
  /** How long it is waited for, in real time. */
  delay?: Duration;
  headers?: { [name: string]: string };
  /** Ends the line instead of an answer. */
  line?: HookLineEnd | null;
  status?: number;
}

/** As it is asked for. */
export interface HookScript {
  /** Given one after the other. */
  answers?: HookAnswer[];
  /** Given when they are used up; 200 when left out. */
  then?: HookAnswer | null;
}

export interface HookScriptLeft {
  /** Those that were not given yet. */
  answers: HookReply[];
  then: HookReply;
}

/**
 * `random`: As the service's: their second first, then what looks like chance. `sequence`: Counted up and easy to read;
 * no time in them. `hash`: From the seed and the request alone, whatever the clock says.
 */
export type IdStyle = "random" | "sequence" | "hash";

export interface ImportOutcome {
  channel: string;
  /** Why the row was left out. */
  message: string | null;
  number: string;
  status: "success" | "failure";
}

export interface ImportReport {
  /** One for each row, in their order. */
  items: ImportOutcome[];
  total_failed: number;
  total_submitted: number;
  total_succeeded: number;
}

export interface ImportRow {
  asset_id?: string | null;
  channel?: string | null;
  number: string;
}

/** How much was imported, and what was removed to make room for it. */
export interface Imported {
  /** Where what was there before is kept, if the request asked for it. */
  copy: KeptCopy | null;
  /** What the file held. */
  imported: Held | null;
  /** Opt-outs that were there before and are not in the file. Of a replacement. */
  opt_outs_removed: number | null;
  /** What was there before. Of a replacement. */
  replaced: Held | null;
  /** Of a replacement that was not only tried. */
  reset: Reset | null;
}

/** What the message made; nothing unless it was a keyword of the asset. */
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
  /** Where the OpenAPI document is. */
  document: string;
  /** Where to go on from here, by name. */
  links: { [name: string]: string };
  /** Of the program. */
  server_version: string;
  /** Of this interface. */
  version: string;
}

export interface Info {
  counts: Counts;
  pid: number;
  schema_version: number;
  short_link_base: string;
  uptime: Duration;
  url: string;
  version: string;
}

export interface Job {
  /** Null while none is owed. */
  callback_id: number | null;
  callback_url: string | null;
  contacts: number;
  correlation_id: string | null;
  /** Contacts that are done. */
  done: number;
  /** What goes wrong with it on purpose. */
  fault: string | null;
  finished_at: string | null;
  /** It waits for the operator, or for somebody who looks at its list. */
  held: boolean;
  id: number;
  list_id: string;
  list_name: string;
  merge_type: string;
  /** When it goes on by itself by the world's clock, and not before; null when it does not. */
  next_at: string | null;
  paused: boolean;
  queued_at: string;
  /** What it came with; null for one that was not recorded, or is forgotten. */
  request: RequestLink | null;
  state: "queued" | "done";
  totals: Totals;
}

/** What goes wrong, and with which jobs. */
export interface JobFault {
  correlation_id?: string | null;
  fault: JobFaultKind;
  /** So many jobs at most. */
  first?: number | null;
  list_id?: string | null;
}

export type JobFaultKind = "fail" | "never_finish" | "finish_twice" | "callback_first" | "lose_callback" | "drop" | {
  fail_after: number;
} | {
  fail_numbers: string[];
};

export interface JobMoment {
  /** By the world's clock. */
  at: string;
  contacts: number;
  failed: number;
  /** Place of its first contact in the request, from 0. */
  first: number;
  imported: number;
  merged: number;
  /** How many parts are told as one: parts that follow each other, where there are very many. */
  parts: number;
  skipped: number;
  /** Of several parts that are told as one, the last; else as `at`. */
  until: string;
  what: "part" | "announced" | "paused" | "resumed" | "failed" | "dropped" | "given_up";
}

/** What was done about a job, the oldest first. */
export interface JobMoments {
  /**
   * Contacts that were done at moments that are no longer remembered: of a job that was there before the server began,
   * was brought back with a snapshot, or is very old.
   */
  forgotten: number;
  items: JobMoment[];
  paging: Paging;
}

export interface JobPage {
  items: Job[];
  paging: Paging;
}

/** Times are whole seconds of the world's clock. */
export interface JobPolicy {
  /** With `after`: how long a job waits. */
  after?: Duration;
  /** What goes wrong, for jobs that come from now on; the first that fits meets a job, and no other. */
  faults?: JobFault[];
  /** With `rate`: contacts of a job that are done in each second. */
  per_second?: number;
  /** With `polls`: the how-manieth look at the contacts of its list runs a job, before it is answered. */
  polls?: number;
  progress?: JobProgress;
}

/** `manual`: Only when it is run or stepped. */
export type JobProgress = "immediate" | "after" | "polls" | "rate" | "manual";

export interface JobStep {
  /** How many contacts are done, 1 when left out. */
  contacts?: number;
}

export interface JournalBody {
  /** Its true length. */
  bytes: number;
  /** `cut`: only its beginning is here; `withheld`: it may hold a secret; `unread`: refused before it was read. */
  state: "none" | "whole" | "cut" | "withheld" | "unread";
  text: string;
}

export interface JournalFault {
  message: string;
  path: string;
}

export interface JournalGap {
  first: number;
  last: number;
}

export interface JournalLimits {
  bytes: number;
  lines: number;
}

export interface JournalLine {
  /** When it began, by the world's clock. */
  at: string;
  /** Of a callback: which try it was. */
  attempt: number | null;
  /** `in`, or `out` for a callback. */
  direction: "in" | "out";
  /** Of a callback: the job it tells of. */
  job: number | null;
  /** The beginning of the key. */
  key: string | null;
  /** What came of it, or what it came from; where one line is asked for. */
  links?: JournalLinks | null;
  /** What would have been answered, had no rule fired. */
  meant: JournalMeant | null;
  method: string;
  /** Given when the request came, or the callback left. */
  number: number;
  operation: string | null;
  /** The same by the system's clock. Left out of the stable form. */
  real_at?: string | null;
  request: JournalMessage;
  response: JournalMessage;
  /** The fault rule that fired. */
  rule: string | null;
  /** Its place in the journal: rises by one a line, in the order of their ends. */
  seq: number;
  /** Null when no answer came. */
  status: number | null;
  /** Left out of the stable form. */
  took?: Duration | null;
  /** Path and query; of a callback the whole address. */
  url: string;
  why: JournalWhy | null;
}

/** What belongs to a line of the journal. */
export interface JournalLinks {
  /** What these jobs owe, or owed. */
  callbacks: number[];
  /** Of a request: the job it queued. Of a callback: the job it tells of. */
  jobs: number[];
  /** Of a callback: the request its job came with, while that is remembered. */
  request: RequestLink | null;
  /** What these jobs have written so far; null without one. */
  rows: JournalRows | null;
}

export interface JournalMeant {
  body: JournalBody;
  status: number;
}

export interface JournalMessage {
  body: JournalBody;
  /** Names and values; secrets are masked. */
  headers: [string, string][];
}

/** After this line: SEQ, or EPOCH.SEQ. */
export type JournalPlace = number | string;

export interface JournalRow {
  /** Null when it is gone since. */
  contact_id: string | null;
  /** Place of the contact in the request, from 0. */
  index: number;
  outcome: "imported" | "merged";
}

/** Contacts of a request that were written. */
export interface JournalRows {
  /** Whether there are more; GET /__admin/jobs/{job_id}/outcomes has them all. */
  has_more: boolean;
  imported: number;
  /** The first hundred, in the order of the request. */
  items: JournalRow[];
  merged: number;
}

/** WireMock asks with the matcher itself. */
export type JournalSearch = Sought | Matcher;

/** What the journal does and holds. */
export interface JournalState {
  /** Whether calls of the admin interface are recorded as well; those that match no route always are. */
  admin_calls: AdminCalls;
  /** About what the lines take in memory. */
  bytes: number;
  dropped: number;
  /** Whether requests are recorded. */
  enabled: boolean;
  epoch: number;
  last: number;
  limits: JournalLimits;
  lines: number;
}

/** Why it was refused. */
export interface JournalWhy {
  check: string;
  /** The first broken rules. */
  faults: JournalFault[];
  faults_total: number;
  words: string;
}

export interface JournalWish {
  /** Whether calls of the admin interface are recorded as well, in the journal of the default world. */
  admin_calls?: AdminCalls | null;
  /** The most memory they may take; the newest line is always kept. */
  bytes?: number | null;
  /** Whether requests are recorded. */
  enabled?: boolean | null;
  /** The most lines it keeps. */
  lines?: number | null;
}

/** A copy of the account that was replaced: a file beside the account file, or a snapshot of a world in memory. */
export interface KeptCopy {
  file: string | null;
  snapshot: string | null;
}

/** A route there is. */
export interface KnownRoute {
  method: string;
  name: string;
  path: string;
}

/** How long an answer waits, in real time, at most ten minutes. */
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
  /** Of a full one. */
  capacity: number;
  /** Until it is full, by the world's clock. */
  full_in: Duration;
  /** The beginning of the key; null where keys have no bucket of their own. */
  key: string | null;
  /** Requests that would be let through now. */
  level: number;
  /** Null where operations have no bucket of their own. */
  operation: string | null;
  /** Requests it refused since it was last forgotten. */
  refused: number;
}

export interface LimitBucketPage {
  items: LimitBucket[];
  paging: Paging;
}

/** What has a bucket of its own. */
export type LimitScope = "key+operation" | "key" | "operation" | "world";

/** The limit in force. */
export interface Limits {
  algorithm: LimitAlgorithm;
  burst: number;
  /** Whether requests are limited at all. */
  enabled: boolean;
  per_second: number;
  /** The profile that put a limit of its own in this one's place; it is what the buckets are about. */
  profile: string | null;
  retry_after: RetryAfter;
  scope: LimitScope;
  status: number;
}

/** How requests are to be limited. */
export interface LimitsWish {
  algorithm?: LimitAlgorithm | null;
  /** How many at once; of a fixed window it is `per_second`. */
  burst?: number | null;
  /** Whether requests are limited at all. */
  enabled?: boolean | null;
  /** The setting `limits.per_second`. `burst` becomes the same number unless it is given, too. */
  per_second?: number | null;
  retry_after?: RetryAfter | null;
  /** What has a bucket of its own. */
  scope?: LimitScope | null;
  /** Of the refusal. */
  status?: number | null;
}

/**
 * How the line ends. `reset`: Torn down (RST). `empty`: Closed in good order without a byte of an answer. `hang`:
 * Silence until the caller leaves or the server stops.
 */
export type Line = "reset" | "empty" | "hang";

export interface ListRename {
  name: string;
}

/** A world that was made. Key and token are shown here and never again. */
export interface MadeWorld {
  /** Good for this world's admin routes and for nothing else. */
  admin_token: string;
  admin_url: string;
  /** Names it wherever it is called. */
  api_key: string;
  /** Where it is called, with any key. */
  base_url: string;
  epoch: number;
  id: WorldId;
  /** What to bear in mind: on a clock that stands, limits do not recover by themselves. Null otherwise. */
  note: string | null;
  /** It is removed when nobody used it for so long; null for one that stays. */
  ttl: Duration | null;
}

/** A number and what it does. */
export interface MagicNumber {
  /** What goes wrong with the job that brings it. */
  job?: JobFaultKind | null;
  number: string;
  /** The rule it stands for; none where it is about a job. */
  rule?: FaultRule | null;
  what: string;
}

export interface MagicNumbers {
  /** Switched off, they are numbers like all others. */
  enabled: boolean;
  items: MagicNumber[];
  paging: Paging;
}

export interface MagicSwitch {
  enabled: boolean;
}

/**
 * How sure it is that the service does the same. `documented`: The service says so. `inferred`: It follows from
 * samples, or from programs that use the service. `assumed`: Nobody outside knows; chosen here.
 */
export type Mark = "documented" | "inferred" | "assumed";

/** What a request is to be like; all parts are to hold. A text is equality, with * for anything. */
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
  /** The key of the caller */
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
  /** ANY is any */
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
  /** contacts.create, or a group of them: contacts */
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
  /** 200, "4xx", null for no answer, a list of these, or {at_least, at_most} */
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

/** One test that a request does not pass. */
export interface Miss {
  /** `status`, `headers.x-tag`, `body/contacts/0/title`. */
  field: string;
  found: string;
  wanted: string;
}

/** A line that nearly fits. */
export interface NearLine {
  method: string;
  misses: Miss[];
  number: number;
  operation: string | null;
  seq: number;
  status: number | null;
  url: string;
}

/**
 * `observed`: The service does the same. `contradicted`: The service does something else. `undecided`: Nothing that was
 * asked could tell.
 */
export type Observation = "observed" | "contradicted" | "undecided";

export interface OptOutImport {
  rows: ImportRow[];
}

export interface Outcome {
  contact_id: string | null;
  /** Place of the contact in the request, from 0. */
  index: number;
  /** Its phone number now, or its WhatsApp number; null when it was not stored, or is gone since. */
  number: string | null;
  outcome: "imported" | "merged" | "skipped" | "failed";
  /** Why it was skipped or failed; null for the others, and when it is no longer remembered. */
  reason: "duplicate" | "fault" | "operator" | "dropped" | "given_up" | "list_gone" | null;
}

export interface OutcomePage {
  items: Outcome[];
  paging: Paging;
}

export interface Paging {
  /** The page asked for, also when it lies behind the end. */
  current_page: number;
  total_items: number;
  total_pages: number;
}

/** Whether callers may ask for their own faults by the header Prefer. */
export interface PreferSwitch {
  enabled: boolean;
}

export interface Profile {
  /** What becomes of callbacks, where their policy leaves them better off. */
  callbacks?: CallbackLosses | null;
  /** A limit in the place of the one in force, also where there is none. */
  limit?: TightLimit | null;
  name: string;
  rules: FaultRule[];
  what: string;
}

/** The profile in force. */
export interface ProfileInForce {
  /** Null for none. */
  name?: string | null;
}

export interface ProfilePage {
  items: Profile[];
  paging: Paging;
}

/** What was done by itself, and when by the world's clock. */
export interface Ran {
  at: string;
  /** Of a callback: which try it was. */
  attempt: number | null;
  /** Of a callback. */
  callback: number | null;
  /** Of the job, or of the job a callback tells of. */
  job: number;
  /** Of a callback: what the receiver answered; null when no answer came. */
  status: number | null;
  what: "job" | "callback";
}

export interface Random {
  /** Requests so far that may have changed something: ids follow from the seed and from the place among them. */
  acts: number;
  ids: IdStyle;
  /** The same seed and the same requests from the same beginning give the same ids. Null where chance settles them. */
  seed: number | null;
}

/** Where ids come from. */
export interface RandomWish {
  ids?: IdStyle | null;
  seed?: number | null;
}

/** What the operator did to a record and can be taken back or done again. */
export interface RecordStep {
  at: string;
  /** It was taken back, and can be done again. */
  is_undone: boolean;
  step: number;
}

export interface RecordStepPage {
  items: RecordStep[];
  paging: Paging;
}

/** A list as the operator sees it. */
export interface RenamedList {
  contact_count: number;
  created_at: string;
  name: string;
  uid: string;
  updated_at: string;
}

/** A request as its effects name it. */
export interface RequestLink {
  /** Given when it came. */
  number: number;
  /** Its line in the journal; null when that is not there yet, or no more. */
  seq: number | null;
}

export interface Requests {
  /** Lines that gave way to newer ones since the journal was last emptied. */
  dropped: number;
  /** Whether requests are recorded. */
  enabled: boolean;
  /** How often the world was put back; numbers begin anew with it. */
  epoch: number;
  /** Lines asked for that are no longer kept. */
  gap: JournalGap | null;
  /** Whether there are more; ask again with `next`. */
  has_more: boolean;
  /** Oldest first. */
  items: JournalLine[];
  /** The newest line. */
  last: number;
  /** The place to go on from, for `since`. */
  next: string;
}

/** What a reset did. */
export interface Reset {
  cancelled: Cancelled;
  /** Where the account is kept that was replaced. Of an account file that no seed made. */
  copy: KeptCopy | null;
  /** Of the world, from now on. */
  epoch: number;
  took: Duration;
}

export interface ResourceDiff {
  added: DiffRecords;
  changed: ChangedRecords;
  removed: DiffRecords;
}

export interface Resources {
  assets: ResourceDiff;
  contacts: ResourceDiff;
  custom_fields: ResourceDiff;
  jobs: ResourceDiff;
  lists: ResourceDiff;
  opt_outs: ResourceDiff;
  senders: ResourceDiff;
  short_links: ResourceDiff;
}

/** The header Retry-After: computed from the bucket, none, or always this duration. */
export type RetryAfter = "computed" | "none" | Duration;

/** How much a seed held, and what ended to make room for it. */
export interface Seeded {
  reset: Reset;
  seeded: Held;
}

export interface SenderRequest {
  /** 3 to 11 letters, digits, spaces or `. - _ &`; or a number. */
  name: string;
}

export interface Settings {
  /** Takes any, off, keys. */
  auth?: "any" | "off" | "keys";
  /** Takes keys between commas, or a JSON array of keys or of {value, enabled, permissions, addresses}. */
  "auth.keys"?: unknown;
  /** Takes waits in seconds between commas, or nothing for one try only. */
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

export interface Snapshot {
  /** By the world's clock. */
  at: string;
  bytes: number;
  name: string;
}

export interface SnapshotPage {
  items: Snapshot[];
  paging: Paging;
}

export interface SnapshotWish {
  name: string;
}

/** What is looked for: a matcher, alone or with a place to begin at. */
export interface Sought {
  /** Of `find`: the newest so many. */
  limit?: number | null;
  match: Matcher;
  since?: JournalPlace | null;
}

export type Spoil = "malformed_json" | "wrong_content_type" | "duplicate_header" | {
  truncate: SpoilTruncate;
} | {
  trickle: SpoilTrickle;
};

export interface SpoilTrickle {
  bytes_per_second: number;
}

export interface SpoilTruncate {
  bytes?: number | null;
}

export interface StateDiff {
  /** True counts over all resources. */
  added: number;
  changed: number;
  from: string;
  /** Nothing differs. */
  is_empty: boolean;
  removed: number;
  resources: Resources;
  to: string;
}

/** A record in the form of a seed; a contact says by list_uid in which list it is. */
export type StateRecord = { [name: string]: unknown };

export interface StateRecordPage {
  items: StateRecord[];
  paging: Paging;
}

export interface Stray {
  at: string;
  /** The routes that were probably meant, the likeliest first: none, one, or one by its path and one by its method. */
  closest: KnownRoute[];
  method: string;
  number: number;
  seq: number;
  status: number | null;
  url: string;
}

/** For each key and operation. */
export interface TightLimit {
  burst: number;
  per_second: number;
}

export interface Totals {
  failed: number;
  imported: number;
  merged: number;
  skipped: number;
}

export interface TurnWish {
  /**
   * The record as it was left; null for one that is not there. Nothing is done where it is otherwise. Left out, only
   * what was changed since the step stops it.
   */
  record?: StateRecord | null;
  step: number;
}

export interface Turned {
  /** The record as it is by now; null for one that is not there. */
  record: StateRecord | null;
}

/** A job or a callback that is not done. */
export interface Undone {
  /** What brings it on; null where it goes on by itself. */
  hint: string | null;
  id: number;
  /** Why it is not done yet. */
  reason: string;
  what: "job" | "callback";
}

export interface Unmatched {
  /** Lines that gave way to newer ones; some of them may have led nowhere, too. */
  dropped: number;
  /** Oldest first, the newest thousand. */
  items: Stray[];
  paging: Paging;
}

export interface Verified {
  /** The numbers of the lines that fit. */
  lines: number[];
  matched: number;
  /** As it was given. */
  message?: string | null;
  /** When too few came: the lines that nearly fit, with what does not. */
  nearest: NearLine[];
  verified: boolean;
  /** In words. */
  wanted: string;
}

/** What is to have come. */
export interface Verify {
  /** A matcher; with `order`, a list of them. */
  match: Matchers;
  /** What it is to say when it fails. */
  message?: string | null;
  /** Whether they came one after another; others may come between. */
  order?: boolean;
  /** Only lines after this one; since the journal was last emptied when left out. */
  since?: JournalPlace | null;
  /**
   * How long to wait for it, at most 300s. With `exactly` 0 or `at_most` the whole time passes, because a later line
   * may still break it.
   */
  timeout?: Duration | null;
  /** How often; at least once when left out. */
  times?: VerifyTimes | null;
}

/** How often; all bounds that are given must hold. Without any: at least once. */
export interface VerifyTimes {
  at_least?: number | null;
  at_most?: number | null;
  exactly?: number | null;
}

export interface WebForm {
  /** SMS or WHATSAPP in any case; SMS when left out. */
  channel?: string | null;
  number: string;
}

export interface World {
  age: Duration;
  base_url: string;
  epoch: number;
  /** Until it goes, if nobody uses it; null for one that stays. */
  expires_in: Duration | null;
  id: WorldId;
  /** The keys that name it, by their beginning. */
  keys: string[];
  /** Whether it has an account of its own, a file, or one that others use. */
  kind: "own" | "file" | "lent";
  requests: number;
  snapshots: number;
  /** Requests under way. */
  under_way: number;
}

export type WorldId = string;

export interface WorldPage {
  items: World[];
  paging: Paging;
}

/** How a world is wanted; everything may be left out. */
export interface WorldWish {
  /** How its clock goes; left out, as the default world's did at the start. */
  clock?: ClockWish | null;
  /**
   * `seed` (the default: what the default world goes back to), `empty`, `snapshot:NAME` of the default world, or
   * `world:NAME` as it is now.
   */
  from?: string | null;
  ids?: IdStyle | null;
  /** Keys of your own that name it, besides the one it gets; at least 8 characters each. */
  keys?: string[];
  /** `[a-z0-9-]{1,64}`; left out, it gets one. */
  name?: string | null;
  /** Of its ids; left out, one that follows from the default world's and the name. */
  seed?: number | null;
  /** Settings by name, on top of those the server was started with. */
  settings?: { [name: string]: unknown };
  /** It goes when nobody used it for so long. Left out, it stays. */
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

/** What the routes of the operator's side take and answer, by method and path. */
export interface AdminRoutes {
  get: {
    /** The version of this interface, its document, and where everything is */
    "/": {
      query: { };
      body: undefined;
      answer: Index;
    };
    /** Inbound assets */
    "/assets": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: AssetPage;
    };
    /** How callbacks are sent */
    "/callback_policy": {
      query: { };
      body: undefined;
      answer: CallbackPolicy;
    };
    /** Callbacks with every try, newest first; waits for one */
    "/callbacks": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; state?: string | number | boolean | undefined; correlation_id?: string | number | boolean | undefined; went?: string | number | boolean | undefined; wait?: string | number | boolean | undefined; };
      body: undefined;
      answer: CallbackPage;
    };
    /** A callback with every try */
    "/callbacks/{callback_id}": {
      query: { };
      body: undefined;
      answer: Callback;
    };
    /** What the world's clock shows and how it goes */
    "/clock": {
      query: { };
      body: undefined;
      answer: Clock;
    };
    /** Custom fields */
    "/custom_fields": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: CustomFieldPage;
    };
    /** Lines of the journal as they come; resumes after Last-Event-ID */
    "/events": {
      query: { since?: string | number | boolean | undefined; filter?: string | number | boolean | undefined; stable?: string | number | boolean | undefined; };
      body: undefined;
      answer: string;
    };
    /** The whole account, or one record: json, yaml, ndjson, sqlite or world */
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
    /** Magic numbers and what they do */
    "/faults/magic": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: MagicNumbers;
    };
    /** The plan in force */
    "/faults/plan": {
      query: { };
      body: undefined;
      answer: FaultPlanInForce;
    };
    /** Whether callers may ask for faults by the header Prefer */
    "/faults/prefer": {
      query: { };
      body: undefined;
      answer: PreferSwitch;
    };
    /** The profile in force */
    "/faults/profile": {
      query: { };
      body: undefined;
      answer: ProfileInForce;
    };
    /** Named sets of rules */
    "/faults/profiles": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: ProfilePage;
    };
    /** Fault rules in force, in the order they are tried */
    "/faults/rules": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: FaultPage;
    };
    /** A fault rule, and what it has met */
    "/faults/rules/{fault}": {
      query: { };
      body: undefined;
      answer: Fault;
    };
    /** Which behaviours are documented, inferred or assumed */
    "/fidelity": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; operation?: string | number | boolean | undefined; mark?: string | number | boolean | undefined; };
      body: undefined;
      answer: Fidelity;
    };
    /** Whether answers name assumptions (X-Roost-Assumed) */
    "/fidelity/header": {
      query: { };
      body: undefined;
      answer: FidelityHeader;
    };
    /** Receivers of this world by name */
    "/hooks": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: HookNamedPage;
    };
    /** What came to /__hook/{world}/{hook}; waits for more when asked to */
    "/hooks/{hook}": {
      query: { since?: string | number | boolean | undefined; count?: string | number | boolean | undefined; wait?: string | number | boolean | undefined; limit?: string | number | boolean | undefined; };
      body: undefined;
      answer: Hook;
    };
    /** What runs here and what it holds */
    "/info": {
      query: { };
      body: undefined;
      answer: Info;
    };
    /** How jobs go on */
    "/job_policy": {
      query: { };
      body: undefined;
      answer: JobPolicy;
    };
    /** Contact jobs, newest first */
    "/jobs": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: JobPage;
    };
    /** A contact job */
    "/jobs/{job_id}": {
      query: { };
      body: undefined;
      answer: Job;
    };
    /** What was done about a job, and when */
    "/jobs/{job_id}/moments": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: JobMoments;
    };
    /** What became of each contact of a job */
    "/jobs/{job_id}/outcomes": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; outcome?: string | number | boolean | undefined; };
      body: undefined;
      answer: OutcomePage;
    };
    /** What the journal does and holds */
    "/journal": {
      query: { };
      body: undefined;
      answer: JournalState;
    };
    /** The lines that fit as one HTTP archive */
    "/journal/har": {
      query: { since?: string | number | boolean | undefined; filter?: string | number | boolean | undefined; };
      body: undefined;
      answer: { [name: string]: unknown };
    };
    /** The limit on requests a second */
    "/limits": {
      query: { };
      body: undefined;
      answer: Limits;
    };
    /** How full each bucket is that is not full */
    "/limits/buckets": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: LimitBucketPage;
    };
    /** Whether the process lives */
    "/livez": {
      query: { };
      body: undefined;
      answer: Health;
    };
    /** What was counted, and what there is, in all worlds; for Prometheus */
    "/metrics": {
      query: { };
      body: undefined;
      answer: string;
    };
    /** This document */
    "/openapi.json": {
      query: { };
      body: undefined;
      answer: unknown;
    };
    /** Where ids come from */
    "/random": {
      query: { };
      body: undefined;
      answer: Random;
    };
    /** Whether requests are answered */
    "/readyz": {
      query: { };
      body: undefined;
      answer: Health;
    };
    /** Lines of the journal; waits for the next when asked to */
    "/requests": {
      query: { since?: string | number | boolean | undefined; filter?: string | number | boolean | undefined; wait?: string | number | boolean | undefined; limit?: string | number | boolean | undefined; stable?: string | number | boolean | undefined; };
      body: undefined;
      answer: Requests;
    };
    /** A line of the journal */
    "/requests/{seq}": {
      query: { };
      body: undefined;
      answer: JournalLine;
    };
    /** The request for a shell, secrets as variables */
    "/requests/{seq}/curl": {
      query: { };
      body: undefined;
      answer: string;
    };
    /** Request and answer as an HTTP archive */
    "/requests/{seq}/har": {
      query: { };
      body: undefined;
      answer: { [name: string]: unknown };
    };
    /** The request as a .http file */
    "/requests/{seq}/http": {
      query: { };
      body: undefined;
      answer: string;
    };
    /** Senders, newest first */
    "/senders": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: AdminSenderPage;
    };
    /** The settings in force */
    "/settings": {
      query: { };
      body: undefined;
      answer: Settings;
    };
    /** Clicks on a short link, newest first */
    "/short_links/{link_id}/clicks": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: ClickPage;
    };
    /** Snapshots by name */
    "/snapshots": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: SnapshotPage;
    };
    /** What differs; also now, seed and @SEQ */
    "/snapshots/{snapshot}/diff/{other}": {
      query: { limit?: string | number | boolean | undefined; ignore?: string | number | boolean | undefined; };
      body: undefined;
      answer: StateDiff;
    };
    /** The state as it was when a request was answered, as a seed */
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
    /** Records as they are stored */
    "/state/{resource}": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; list_uid?: string | number | boolean | undefined; q?: string | number | boolean | undefined; };
      body: undefined;
      answer: StateRecordPage;
    };
    /** A record as it is stored */
    "/state/{resource}/{key}": {
      query: { };
      body: undefined;
      answer: StateRecord;
    };
    /** What the operator did to a record and can be taken back */
    "/state/{resource}/{key}/steps": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: RecordStepPage;
    };
    /** Requests that led nowhere, with the closest route */
    "/unmatched": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: Unmatched;
    };
    /** Worlds, the default one first */
    "/worlds": {
      query: { page_number?: string | number | boolean | undefined; page_size?: string | number | boolean | undefined; };
      body: undefined;
      answer: WorldPage;
    };
    /** A world */
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
      body: AssetAdd;
      answer: Asset;
    };
    /** Give up what waits */
    "/callbacks/{callback_id}/cancel": {
      query: { };
      body: undefined;
      answer: Callback;
    };
    /** Keep it back until it is released */
    "/callbacks/{callback_id}/hold": {
      query: { };
      body: undefined;
      answer: Callback;
    };
    /** Send it now, once more or sooner */
    "/callbacks/{callback_id}/redeliver": {
      query: { };
      body: undefined;
      answer: Callback;
    };
    /** Let a held one go */
    "/callbacks/{callback_id}/release": {
      query: { };
      body: undefined;
      answer: Callback;
    };
    /** Move the clock on and do what becomes due, in its order */
    "/clock/advance": {
      query: { };
      body: AdvanceWish;
      answer: ClockAdvanced;
    };
    /** Add a custom field */
    "/custom_fields": {
      query: { };
      body: CustomFieldLabel;
      answer: CustomField;
    };
    /** Which rule would meet a request, and why the others would not */
    "/faults/explain": {
      query: { };
      body: FaultExplainWish;
      answer: FaultExplanation;
    };
    /** Arm a fault rule behind the others; the first that fires is the only one */
    "/faults/rules": {
      query: { };
      body: FaultRule;
      answer: Fault;
    };
    /** A seed, an account file or a world, in the place of what is there or merged into it */
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
      answer: Imported;
    };
    /** A recipient replies to an asset */
    "/inbound_messages": {
      query: { };
      body: InboundMessage;
      answer: InboundEffect;
    };
    /** What is left of a job is lost; nobody is told */
    "/jobs/{job_id}/drop": {
      query: { };
      body: undefined;
      answer: Job;
    };
    /** What is left of a job fails; it calls back */
    "/jobs/{job_id}/fail": {
      query: { };
      body: undefined;
      answer: Job;
    };
    /** Keep a job waiting; others go before it */
    "/jobs/{job_id}/pause": {
      query: { };
      body: undefined;
      answer: Job;
    };
    /** Let a paused job go on */
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
    /** Do some of a job's contacts now */
    "/jobs/{job_id}/step": {
      query: { };
      body: JobStep;
      answer: Job;
    };
    /** How many requests fit */
    "/journal/count": {
      query: { };
      body: JournalSearch;
      answer: Counted;
    };
    /** The requests that fit */
    "/journal/find": {
      query: { };
      body: JournalSearch;
      answer: FoundRequests;
    };
    /** Whether requests came; 406 with what nearly fits */
    "/journal/verify": {
      query: { };
      body: Verify;
      answer: Verified;
    };
    /** Import opt-outs into the account, row by row */
    "/opt_out_imports": {
      query: { };
      body: OptOutImport;
      answer: ImportReport;
    };
    /** Let all that are held go */
    "/release_callbacks": {
      query: { };
      body: undefined;
      answer: CallbacksReleased;
    };
    /** Back to the seed; what is under way ends without an answer */
    "/reset": {
      query: { keep?: string | number | boolean | undefined; mode?: string | number | boolean | undefined; opt_outs?: string | number | boolean | undefined; };
      body: undefined;
      answer: Reset;
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
    /** Refuse a pending sender */
    "/senders/{sender_id}/refuse": {
      query: { };
      body: undefined;
      answer: undefined;
    };
    /** Wait until jobs and callbacks are settled; 406 if not */
    "/settle": {
      query: { };
      body: CallbackWait;
      answer: CallbackWaited;
    };
    /** Record a click */
    "/short_links/{link_id}/clicks": {
      query: { };
      body: ClickAdd;
      answer: Click;
    };
    /** Keep what the world is like under a name */
    "/snapshots": {
      query: { };
      body: SnapshotWish;
      answer: Snapshot;
    };
    /** Back to a snapshot, jobs and all */
    "/snapshots/{snapshot}/restore": {
      query: { opt_outs?: string | number | boolean | undefined; };
      body: undefined;
      answer: Reset;
    };
    /** Make a record past the rules of the interface */
    "/state/{resource}": {
      query: { };
      body: StateRecord;
      answer: StateRecord;
    };
    /** Do again what was taken back, likewise */
    "/state/{resource}/{key}/redo": {
      query: { };
      body: TurnWish;
      answer: Turned;
    };
    /** Take a step of the operator back, if the record is as it was left */
    "/state/{resource}/{key}/undo": {
      query: { };
      body: TurnWish;
      answer: Turned;
    };
    /** A recipient opts out on a web form */
    "/web_opt_outs": {
      query: { };
      body: WebForm;
      answer: AdminOptOut;
    };
    /** Make a world */
    "/worlds": {
      query: { };
      body: WorldWish;
      answer: MadeWorld;
    };
  };
  put: {
    /** Callbacks are sent otherwise */
    "/callback_policy": {
      query: { };
      body: CallbackPolicy;
      answer: CallbackPolicy;
    };
    /** Set the clock, stop it, or change its pace */
    "/clock": {
      query: { };
      body: ClockWish;
      answer: Clock;
    };
    /** Switch magic numbers on or off */
    "/faults/magic": {
      query: { };
      body: MagicSwitch;
      answer: MagicNumbers;
    };
    /** Arm rules made from a seed, with their times, in place of the plan in force */
    "/faults/plan": {
      query: { };
      body: FaultPlanWish;
      answer: FaultPlan;
    };
    /** Allow callers to ask for faults by the header Prefer, or not */
    "/faults/prefer": {
      query: { };
      body: PreferSwitch;
      answer: PreferSwitch;
    };
    /** Arm a profile in place of the one in force */
    "/faults/profile": {
      query: { };
      body: ProfileInForce;
      answer: ProfileInForce;
    };
    /** Arm a rule by this name, or another in its place */
    "/faults/rules/{fault}": {
      query: { };
      body: FaultRule;
      answer: Fault;
    };
    /** Name assumptions in answers (X-Roost-Assumed), or not */
    "/fidelity/header": {
      query: { };
      body: FidelityHeader;
      answer: FidelityHeader;
    };
    /** How a receiver answers: some answers, then one for ever */
    "/hooks/{hook}": {
      query: { };
      body: HookScript;
      answer: HookNamed;
    };
    /** Jobs go on otherwise: later, in parts, by hand, or badly */
    "/job_policy": {
      query: { };
      body: JobPolicy;
      answer: JobPolicy;
    };
    /** Set the limit; fields that are left out take their defaults, and every bucket begins full */
    "/limits": {
      query: { };
      body: LimitsWish;
      answer: Limits;
    };
    /** Another seed: all of it or nothing, and what reset goes back to */
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
      answer: Seeded;
    };
    /** Set all settings; those that are left out take their defaults */
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
    /** Record or not, and how much is kept */
    "/journal": {
      query: { };
      body: JournalWish;
      answer: JournalState;
    };
    /** Change the limit; every bucket begins full */
    "/limits": {
      query: { };
      body: LimitsWish;
      answer: Limits;
    };
    /** Rename a list */
    "/lists/{list_uid}": {
      query: { };
      body: ListRename;
      answer: RenamedList;
    };
    /** Change the seed of ids, or what they look like */
    "/random": {
      query: { };
      body: RandomWish;
      answer: Random;
    };
    /** Change settings by name, all or none */
    "/settings": {
      query: { };
      body: Settings;
      answer: Settings;
    };
    /** Change fields of a record, or make the record */
    "/state/{resource}/{key}": {
      query: { };
      body: StateRecord;
      answer: StateRecord;
    };
  };
  delete: {
    /** Remove an asset; its opt-outs stay */
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
    /** Disarm all rules, the plan and the profile */
    "/faults": {
      query: { };
      body: undefined;
      answer: undefined;
    };
    /** Disarm the plan */
    "/faults/plan": {
      query: { };
      body: undefined;
      answer: undefined;
    };
    /** Disarm a rule */
    "/faults/rules/{fault}": {
      query: { };
      body: undefined;
      answer: undefined;
    };
    /** Forget what came to a receiver, and its answers */
    "/hooks/{hook}": {
      query: { };
      body: undefined;
      answer: undefined;
    };
    /** Empty the journal, or the lines before one */
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
    /** Forget a snapshot */
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
    /** Take a world away, and all that goes on in it */
    "/worlds/{world}": {
      query: { };
      body: undefined;
      answer: undefined;
    };
  };
}
