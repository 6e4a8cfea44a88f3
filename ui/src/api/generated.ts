// Written by `cargo xtask codegen` from src-tauri/app/src/commands/table; do not edit.

export type Account = { name: string, colour: AccountColour, path: string, 
/**
 * The file's name alone.
 */
file: string, country: AccountCountry, schema_version: number, };

export type AccountClose = Record<symbol, never>;

export type AccountColour = "teal" | "blue" | "violet" | "pink" | "red" | "orange" | "yellow" | "green";

export type AccountCountry = { 
/**
 * Two letters, such as GB.
 */
code: string, by: CountryBy, };

export type AccountCountryGet = { 
/**
 * Numbers that came together: those with a country code decide. At most 10,000; none: the country of the account.
 */
numbers: Array<string>, };

export type AccountCreate = { name: string, colour: AccountColour, 
/**
 * The country of its numbers without a country code: two letters, such as GB. Null: none is chosen yet.
 */
country: string | null, contents: Contents, };

export type AccountDone = Record<symbol, never>;

export type AccountDuplicate = { path: string, name: string, };

export type AccountList = Record<symbol, never>;

export type AccountListAnswer = { status: AccountStatus, current: Account | null, fault: CommandError | null, 
/**
 * The one opened last first.
 */
accounts: Array<KnownAccount>, 
/**
 * Where new accounts are made.
 */
folder: string | null, 
/**
 * Whether accounts can be made, opened and closed here.
 */
can_switch: boolean, 
/**
 * The country that the computer is set to, if it is known.
 */
computer_country: string | null, };

export type AccountPath = { path: string, };

export type AccountPick = Record<symbol, never>;

export type AccountPicked = { 
/**
 * None when the person thought better of it.
 */
path: string | null, };

export type AccountRecolour = { colour: AccountColour, };

export type AccountRename = { name: string, };

export type AccountRetry = Record<symbol, never>;

export type AccountSetCountry = { 
/**
 * Two letters, such as GB.
 */
country: string, };

export type AccountState = "open" | "closed" | "missing";

export type AccountStatus = "open" | "none" | "failed";

export type Action = "created" | "updated" | "deleted";

export type Activity = { step: Step, changes: Array<StepChange>, };

export type ActivityPage = { source: Source | null, noun: Noun | null, 
/**
 * Part of the act or its subject.
 */
text: string | null, uid: string | null, from: string | null, to: string | null, page_number: number, page_size: number, };

export type ActivityPageAnswer = { total_items: number, total_pages: number, 
/**
 * Newest first.
 */
items: Array<Activity>, };

export type AddressStatus = "final" | "unsent" | "this_computer";

export type Asset = { id: AssetId, channel: Channel, 
/**
 * E.164, or the digits of a short code.
 */
number: string, enforce_account_level_opt_outs: boolean, keywords: Array<string>, };

export type AssetAdd = { channel: Channel, number: string, };

export type AssetAdded = { asset: Asset, 
/**
 * Made along with a long SMS number, where its form allows one.
 */
sender: Sender | null, };

export type AssetAll = Record<symbol, never>;

export type AssetAllAnswer = { assets: Array<AssetItem>, };

export type AssetEnforce = { id: string, on: boolean, };

export type AssetId = string;

export type AssetInbound = { id: string, from: string, text: string, };

export type AssetInboundAnswer = { outcome: AssetInboundOutcome, keyword: string | null, 
/**
 * In the same scope; the record is renewed then.
 */
was_opted_out: boolean, record: OptOutRecord | null, };

export type AssetInboundOutcome = "opted_out" | "no_keyword" | "invalid_number";

export type AssetItem = { id: AssetId, channel: Channel, 
/**
 * E.164, or the digits of a short code.
 */
number: string, enforce_account_level_opt_outs: boolean, keywords: Array<string>, 
/**
 * Records that are for it alone. They stay when it goes.
 */
opt_outs: number, 
/**
 * Records that it is behind: those, and the account's that came in on it.
 */
received: number, };

export type AssetKeywords = { id: string, 
/**
 * All of them; equal ones count once.
 */
keywords: Array<string>, };

export type AssetReadiness = { asset: AssetId, 
/**
 * E.164, or the digits of a short code.
 */
number: string, counts: ReadinessCounts, };

export type AssetRemove = { id: string, typed_number: string, };

export type AssetRemoved = { opt_outs_kept: number, keywords_gone: number, };

export type Attempt = { number: number, started_at: Timestamp, 
/**
 * None while under way, or when the process ended during it.
 */
finished_at: Timestamp | null, status: number | null, error: string | null, };

export type AuditPage = { total: number, 
/**
 * Every entry seals the one before it.
 */
is_sound: boolean, broken_at: number | null, 
/**
 * Newest first.
 */
rows: Array<AuditRow>, };

export type AuditRow = { seq: number, 
/**
 * When its run began.
 */
at: Timestamp | null, run: number | null, operation: string, effect: string, seal: string, };

export type Beside = "server" | "request" | "offered" | "sync";

export type BodyState = "none" | "whole" | "cut" | "withheld" | "unread";

export type BulkAct = { "set": string } | { "clear": boolean } | { "replace": TextReplace } | { "case": LetterCase } | { "trim": boolean } | { "e164": NumbersRead } | { "split": TextSplit } | { "join": TextJoin } | { "extract": TextExtract } | { "copy": CopyColumn } | { "series": NumberSeries } | { "fill_blanks": FillWith } | { "fill": FillWay };

export type Bytes = ArrayBuffer;

export type CallbackState = "waiting" | "delivered" | "given_up";

export type CapabilityShown = { flag: string, value: unknown, 
/**
 * How it was found out.
 */
how: string, at: Timestamp, };

export type ChangeCell = { field: string, title: string, before: string | null, after: string | null, 
/**
 * Its column is held back.
 */
is_held: boolean, };

export type ChangeColumn = { field: string, title: string, count: number, rule: SendRule, };

export type ChangeEvent = { 
/**
 * Counts up by one in each feed, so that a page knows when it has missed something.
 */
seq: number, nouns: Array<Topic>, by: Source, 
/**
 * The client that asked for the change, which need not hear its own echo.
 */
origin: string | null, 
/**
 * The step it became, so that a page can take back exactly its own act; none for what goes on beside the account.
 */
step: number | null, };

export type ChangeFilter = { 
/**
 * Anywhere in the values before and after.
 */
text: string, source: Source | null, 
/**
 * Changes of this field.
 */
field: string | null, 
/**
 * Made at or behind this time.
 */
since: string | null, 
/**
 * Made by this step.
 */
step: number | null, };

export type ChangeGroup = { noun: SyncNoun, 
/**
 * Of contacts.
 */
list: SyncList | null, kinds: Array<ChangeKindCount>, };

export type ChangeGroupKey = { noun: SyncNoun, list: number | null, kind: ChangeKind | null, };

export type ChangeKind = "new" | "changed" | "moved" | "deleted";

export type ChangeKindCount = { kind: ChangeKind, count: number, held: number, };

export type ChangeRow = { key: RecordKey, 
/**
 * As the service calls it; none for what was made here.
 */
uid: string | null, title: string, kind: ChangeKind, is_held: boolean, is_conflict: boolean, 
/**
 * What the service said when it refused the record.
 */
faults: Array<string>, cells: Array<ChangeCell>, list: SyncList | null, 
/**
 * The list it is in at the service, when it was moved.
 */
was_in: SyncList | null, source: Source | null, at: Timestamp | null, 
/**
 * The step that changed it last.
 */
step: number | null, };

export type ChangeSource = { source: Source, count: number, };

export type ChangesCountGet = { list: string, };

export type ChangesDiscard = { keys: Array<RecordKey> | null, group: ChangeGroupKey | null, filter?: ChangeFilter | null, step: number | null, };

export type ChangesDiscarded = { count: number, 
/**
 * Opt-outs that were added here: they stay, and are sent.
 */
opt_outs_kept: number, };

export type ChangesHold = { keys: Array<RecordKey> | null, group: ChangeGroupKey | null, filter?: ChangeFilter | null, step: number | null, held: boolean, };

export type ChangesHoldColumn = { field: string, held: boolean, };

export type ChangesPage = { total: number, rows: Array<ChangeRow>, };

export type ChangesRowsGet = { noun: SyncNoun, list: number | null, kind: ChangeKind | null, filter: ChangeFilter, from: number, 
/**
 * At most 200.
 */
count: number, };

export type ChangesSummary = { groups: Array<ChangeGroup>, total: number, held: number, refused: number, conflicts: number, columns: Array<ChangeColumn>, sources: Array<ChangeSource>, };

export type ChangesSummaryGet = { filter: ChangeFilter, };

export type Channel = "SMS" | "WHATSAPP";

export type ChannelReadiness = { channel: Channel, 
/**
 * An opt-out of any asset counts.
 */
counts: ReadinessCounts, assets: Array<AssetReadiness>, };

export type ChannelState = { 
/**
 * Opted out of everything the account sends.
 */
is_account: boolean, 
/**
 * Opted out of these assets.
 */
assets: Array<Inbound>, 
/**
 * The account's record, else the newest.
 */
since: Timestamp | null, };

export type CheckLine = { 
/**
 * From 1.
 */
line: number, given: string, 
/**
 * E.164; none when it is no number.
 */
number: string | null, region: string | null, verdict: CheckVerdict, 
/**
 * The line that has the number first.
 */
duplicate_of: number | null, sms: ChannelState, whatsapp: ChannelState, };

export type CheckTotals = { lines: number, allowed: number, opted_out: number, duplicates: number, invalid: number, 
/**
 * Of those opted out: of the whole account, or of some assets only, on each channel.
 */
sms_account: number, sms_assets: number, whatsapp_account: number, whatsapp_assets: number, };

export type CheckVerdict = "allowed" | "opted_out" | "duplicate" | "invalid";

export type CleanApply = { id: number, suggestion: number, 
/**
 * Of the suggestion, in which the page saw the rows; when they have other places by now, nothing is done.
 */
generation: number | null, 
/**
 * Null: all of the suggestion.
 */
rows: GridRows | null, 
/**
 * True: only say what it would do.
 */
preview: boolean, };

export type CleanCell = { field: string, before: string | null, 
/**
 * Null where nobody knows it, and where the cell would be blank.
 */
after: string | null, };

export type CleanDone = Record<symbol, never>;

export type CleanEvidence = { "read_in": string } | { "names": NameCounts } | { "usual_region": string };

export type CleanKind = "lost_zero" | "scientific" | "digits_lost" | "not_e164" | "not_a_number" | "region_mismatch" | "email_slip" | "not_an_email" | "swapped_names" | "letter_case" | "white_space" | "look_alike";

export type CleanMended = { 
/**
 * Contacts it was to be done to.
 */
matched: number, 
/**
 * Contacts that changed.
 */
rows: number, cells: number, 
/**
 * In a preview, the first ten contacts that would change.
 */
sample: Array<CleanRow>, 
/**
 * Null: nothing changed, or it was a preview.
 */
step: number | null, };

export type CleanOpen = { 
/**
 * A list's uid.
 */
list: string, };

export type CleanPage = { id: number, page_number: number, page_size: number, 
/**
 * True: those that were put aside, instead of those nobody has decided on.
 */
skipped: boolean, };

export type CleanPageAnswer = { total_items: number, total_pages: number, 
/**
 * The biggest effect first.
 */
items: Array<CleanSuggestion>, };

export type CleanRow = { 
/**
 * Its place in the suggestion.
 */
row: number, uid: ContactId, title: string, 
/**
 * None: there is nothing wrong with it any more.
 */
cells: Array<CleanCell>, evidence: CleanEvidence | null, };

export type CleanRowsAnswer = { total_items: number, total_pages: number, 
/**
 * Rows have other places in each.
 */
generation: number, 
/**
 * As they stand now; those that are gone are passed over.
 */
items: Array<CleanRow>, };

export type CleanRowsGet = { id: number, suggestion: number, page_number: number, page_size: number, };

export type CleanSkip = { id: number, suggestion: number, 
/**
 * False: take it up again.
 */
skipped: boolean, };

export type CleanState = { id: number, list: string, 
/**
 * Grows with every look; suggestions have other numbers in each.
 */
generation: number, is_working: boolean, rows_read: number, 
/**
 * Every contact is read twice.
 */
rows_total: number, 
/**
 * Somebody else changed the list since: refresh. Mending is right all the same, as it judges anew.
 */
is_stale: boolean, 
/**
 * Why the last look came to nothing.
 */
fault: string | null, 
/**
 * Suggestions that nobody has decided on.
 */
suggestions: number, 
/**
 * Contacts of each summed up.
 */
effect: number, skipped: number, 
/**
 * Contacts mended so far, once for each suggestion.
 */
mended: number, };

export type CleanStateGet = { id: number, 
/**
 * How long to wait for it to be done, 1000 at most; null: not at all.
 */
wait_ms: number | null, };

export type CleanSuggestion = { suggestion: number, kind: CleanKind, 
/**
 * By name; of swapped names the first name.
 */
field: string, 
/**
 * Contacts it is about.
 */
rows: number, 
/**
 * Rows have other places in each.
 */
generation: number, can_mend: boolean, is_skipped: boolean, 
/**
 * Contacts mended so far.
 */
mended: number, 
/**
 * The first three.
 */
sample: Array<CleanRow>, };

export type CleanUp = { id: number, };

export type Click = { link_id: LinkId, 
/**
 * Title, short URL and target as they were at that time.
 */
title: string, short_link_url: string, target_url: string, recipient: string | null, device: string | null, browser: string | null, operating_system: string | null, campaign_uid: string | null, time: Timestamp, };

export type ClickDay = { 
/**
 * `2026-01-05`
 */
day: string, clicks: number, };

export type ClickSeries = { 
/**
 * Ever.
 */
total: number, in_days: number, 
/**
 * Every one, today last.
 */
days: Array<ClickDay>, devices: Array<ClickShare>, browsers: Array<ClickShare>, operating_systems: Array<ClickShare>, };

export type ClickShare = { name: string | null, clicks: number, };

export type ColumnRule = "ask" | "mine" | "theirs" | "non_empty" | "longer";

export type CommandError = { code: ErrorCode, message: string, details: Array<FieldFault>, };

export type ConflictAnswer = { "answer": "mine" } | { "answer": "theirs" } | { "answer": "base" } | { "answer": "value", value: string | null, };

export type ConflictField = { field: string, title: string, count: number, rule: ColumnRule, settles: RuleSettles, };

export type ConflictFork = { field: string, title: string, base: string | null, mine: string | null, theirs: string | null, answer: ConflictAnswer | null, };

export type ConflictRow = { key: RecordKey, uid: string | null, title: string, list: SyncList | null, dispute: DisputeKind, forks: Array<ConflictFork>, 
/**
 * The rest of the record.
 */
agreed: Array<SyncValue>, 
/**
 * Contacts of a list that are concerned.
 */
rows: number | null, 
/**
 * What was chosen for a list or an opt-out.
 */
choice: RecordChoice | null, };

export type ConflictsAnswer = { keys: Array<RecordKey>, 
/**
 * Null: the whole record.
 */
field: string | null, 
/**
 * Null takes an answer back.
 */
answer: ConflictAnswer | null, 
/**
 * All records with a dispute about the same.
 */
alike: boolean, };

export type ConflictsChoose = { key: RecordKey, choice: RecordChoice | null, 
/**
 * What removing an opt-out asks for.
 */
confirmed: RemovalConfirmed | null, };

export type ConflictsPage = { total: number, rows: Array<ConflictRow>, fields: Array<ConflictField>, 
/**
 * Deletions here stand although the record was edited there.
 */
delete_anyway: boolean, };

export type ConflictsPageGet = { noun: SyncNoun | null, 
/**
 * Those about this field.
 */
field: string | null, from: number, 
/**
 * At most 200.
 */
count: number, };

export type ConflictsReopen = { settlement: number, };

export type ConflictsReopened = { opened: number, 
/**
 * Changed, sent or read anew since; they stay as they are.
 */
kept: number, };

export type ConflictsRule = { 
/**
 * Empty: deletions here of records that were edited there; `mine` lets them stand, `ask` does not.
 */
field: string, rule: ColumnRule, };

export type ConflictsSettled = { settled: number, left: number, 
/**
 * By which it can be opened again until something else is settled; none: it cannot.
 */
undo: number | null, };

export type Connection = { name: string, base_url: string, header: string, 
/**
 * The file was copied from another account, and nobody has said yet that this one works with the service, too.
 */
is_copy: boolean, key: KeyShown, read_only: boolean, plain_http: boolean, calls_per_second: number, 
/**
 * Of all operations together; none: each for itself.
 */
together: number | null, paths: Array<PathShown>, capabilities: Array<CapabilityShown>, };

export type ConnectionAnswer = { connection: Connection | null, keyring: KeyringShown, 
/**
 * The address of the local server while it runs on a scratch world.
 */
local_server: string | null, };

export type ConnectionKeySet = { key: string, keep: KeyKept, 
/**
 * For a sealed file.
 */
passphrase: string | null, };

export type ConnectionKeyUnlock = { passphrase: string, };

export type ConnectionProbe = { 
/**
 * Also by writing, on a list of its own.
 */
scratch: boolean, };

export type ConnectionSave = { name: string, base_url: string, header: string, read_only: boolean, plain_http: boolean, calls_per_second: number, together: number | null, paths: Array<PathWanted>, };

export type ContactCard = { uid: ContactId, list_uid: ListId, 
/**
 * Fields that hold something, by name: `phone_number`, `phone_region`, `title`, `field_3`.
 */
values: { [key in string]: string }, created_at: Timestamp, 
/**
 * When it was last changed; none when it never was.
 */
updated_at: Timestamp | null, 
/**
 * How far its phone number is opted out of SMS.
 */
sms: OptOutReach, 
/**
 * How far its WhatsApp number is opted out of WhatsApp.
 */
whatsapp: OptOutReach, };

export type ContactChange = { at: Timestamp, source: Source, step: number, 
/**
 * The command that made it.
 */
act: string, kind: ContactChangeKind, fields: Array<ContactFieldChange>, };

export type ContactChangeKind = "created" | "updated" | "deleted";

export type ContactElsewhere = { items: Array<Elsewhere>, };

export type ContactFieldChange = { field: string, before: string | null, after: string | null, };

export type ContactFields = { 
/**
 * A list's uid: custom fields that hold dates in it are told as dates.
 */
list?: string | null, };

export type ContactFieldsAnswer = { 
/**
 * Every field that can be filled in, in the order of the screen.
 */
fields: Array<FieldInfo>, };

export type ContactHistory = { 
/**
 * Newest first. What was undone is not told.
 */
changes: Array<ContactChange>, };

export type ContactId = string;

export type ContactPage = { 
/**
 * A list's uid.
 */
list: string, page_number: number, page_size: number, 
/**
 * Null: newest first. Empty values stand last in either direction.
 */
sort: ContactSort | null, 
/**
 * Part of any text, or of a number in any spelling.
 */
filter: string | null, 
/**
 * Opted out of one channel at least, or of none; null: either.
 */
opted_out: boolean | null, };

export type ContactPageAnswer = { total_items: number, total_pages: number, items: Array<ContactCard>, 
/**
 * The custom fields in the order of the screen.
 */
fields: Array<CustomField>, };

export type ContactPaste = { 
/**
 * A list's uid.
 */
list: string, 
/**
 * Values by field name, a row each; at most 10,000.
 */
contacts: Array<{ [field: string]: string | null }>, 
/**
 * In which numbers without a country code are read; null: that of the account.
 */
region: string | null, };

export type ContactPasted = { added: number, 
/**
 * Rows that were left out.
 */
faults: Array<PasteFault>, 
/**
 * What is known of the others; of a preview only.
 */
rows: Array<PasteRow>, };

export type ContactSort = { 
/**
 * As contacts carry it: `phone_number`, `lastname`, `field_3`, `created_at`.
 */
field: string, order: SortOrder, };

export type ContactUid = { uid: string, };

export type ContactUpdate = { uid: string, 
/**
 * Only those named are set; null empties one.
 */
fields: { [field: string]: string | null }, 
/**
 * In which numbers without a country code are read; null: that of the account, or of the contact's own number.
 */
region: string | null, };

export type Contents = "empty" | "sample";

export type CopyColumn = { from: string, into: string, mode: CopyMode, };

export type CopyMode = "all" | "blanks";

export type CountryBy = "account" | "given" | "numbers" | "computer" | "default";

export type Counts = { senders: number, assets: number, custom_fields: number, lists: number, contacts: number, opt_outs: number, short_links: number, jobs_waiting: number, };

export type CustomField = { number: number, label: string, };

export type CustomFieldAdd = { label: string, };

export type CustomFieldAll = Record<symbol, never>;

export type CustomFieldOrder = { 
/**
 * Fields that are not named follow behind.
 */
numbers: Array<number>, };

export type CustomFieldRemove = { number: number, 
/**
 * The field's label, to be sure.
 */
typed_label: string, };

export type CustomFieldRemoved = Record<symbol, never>;

export type CustomFieldRename = { number: number, label: string, };

export type CustomFieldUses = { number: number, 
/**
 * `next` of the last answer; null: from the beginning.
 */
after: string | null, };

export type CustomFieldUsesAnswer = { 
/**
 * Contacts that hold a value.
 */
contacts: number, 
/**
 * Lists with such contacts.
 */
lists: number, next: string | null, };

export type CustomFieldsAnswer = { 
/**
 * In the order of the screen.
 */
fields: Array<CustomField>, };

export type Desktop = { 
/**
 * Whether dialogs, notifications and windows can be had here.
 */
is_window: boolean, };

export type DesktopBrowse = { url: string, };

export type DesktopDone = Record<symbol, never>;

export type DesktopGet = Record<symbol, never>;

export type DesktopNewWindow = Record<symbol, never>;

export type DesktopNotified = { 
/**
 * False while the person looks at a window of Roost anyway.
 */
shown: boolean, };

export type DesktopNotify = { title: string, body: string, };

export type DisputeKind = "fields" | "deleted_there" | "list_gone" | "list_changed" | "opt_out_gone";

export type DuplicateByKey = { key: DuplicateKey, groups: number, 
/**
 * Contacts that would go if all were merged.
 */
effect: number, 
/**
 * The list is too long to compare it so.
 */
is_left_out: boolean, };

export type DuplicateDone = Record<symbol, never>;

export type DuplicateEvidence = { key: DuplicateKey, 
/**
 * In the form in which it is compared; of near texts that of the first contact. None: that one is gone.
 */
text: string | null, };

export type DuplicateGroupGet = { id: number, group: number, 
/**
 * By which the survivor is suggested.
 */
rule: SurvivorRule, };

export type DuplicateGroupHead = { group: number, 
/**
 * Contacts in it.
 */
size: number, 
/**
 * Of a hundred.
 */
confidence: number, 
/**
 * The surest first.
 */
evidence: Array<DuplicateEvidence>, 
/**
 * The first three.
 */
contacts: Array<ContactCard>, };

export type DuplicateGroupWhole = { group: number, 
/**
 * Contacts in it; at most fifty are shown.
 */
size: number, confidence: number, evidence: Array<DuplicateEvidence>, contacts: Array<ContactCard>, 
/**
 * Fields in which those shown differ, a blank counted as a value.
 */
differing: Array<string>, 
/**
 * Null: fewer than two are left.
 */
suggested: SuggestedMerge | null, 
/**
 * The next group nobody has decided on.
 */
next: number | null, };

export type DuplicateKey = "phone" | "whatsapp" | "number" | "email" | "name_address" | "ngram" | "phonetic" | "near" | "name";

export type DuplicateMerge = { id: number, group: number, 
/**
 * The uid of the contact that stays.
 */
survivor: string, 
/**
 * The uid of the contact whose value a field gets, by the field's name; a blank may be chosen as well. A number
 * brings its region along. Fields not named keep the survivor's value, and get the first there is where it has none.
 */
fields: { [field: string]: string }, 
/**
 * Uids of those that become one; null: all of the group.
 */
contacts: Array<string> | null, };

export type DuplicateMergeAll = { id: number, 
/**
 * Of a hundred.
 */
least_confidence: number, 
/**
 * Null: by any.
 */
key: DuplicateKey | null, rule: SurvivorRule, 
/**
 * True: only say what it would do.
 */
preview: boolean, };

export type DuplicateMerged = { 
/**
 * Contacts that went.
 */
gone: number, step: number, };

export type DuplicateOpen = { 
/**
 * A list's uid; null: the whole account, which is searched for numbers and e-mail addresses alone and in which
 * nothing can be merged.
 */
list: string | null, by: Array<DuplicateKey>, };

export type DuplicatePage = { id: number, page_number: number, page_size: number, 
/**
 * Null: by any.
 */
key: DuplicateKey | null, 
/**
 * Of a hundred.
 */
least_confidence: number, 
/**
 * True: those that were put aside, instead of those nobody has decided on.
 */
skipped: boolean, };

export type DuplicatePageAnswer = { total_items: number, total_pages: number, 
/**
 * The surest first, then the smallest.
 */
items: Array<DuplicateGroupHead>, };

export type DuplicateSearch = { id: number, };

export type DuplicateSkip = { id: number, groups: number[], 
/**
 * False: take them up again.
 */
skipped: boolean, };

export type DuplicateState = { id: number, list: string | null, 
/**
 * Grows with every search; groups have other numbers in each.
 */
generation: number, is_working: boolean, rows_read: number, rows_total: number, 
/**
 * Somebody else changed the list since: refresh.
 */
is_stale: boolean, 
/**
 * Why the last search came to nothing.
 */
fault: string | null, 
/**
 * Groups that nobody has decided on.
 */
groups: number, 
/**
 * Contacts that would go if all were merged.
 */
effect: number, skipped: number, 
/**
 * Contacts that merging took away.
 */
merged: number, keys: Array<DuplicateByKey>, };

export type DuplicateStateGet = { id: number, 
/**
 * How long to wait for the search to end, 1000 at most; null: not at all.
 */
wait_ms: number | null, };

export type Elsewhere = { uid: ContactId, list_uid: ListId, list_name: string, name: string, phone_number: string | null, whatsapp_id: string | null, shared: SharedNumber, };

export type ErrorCode = "invalid" | "not_found" | "conflict" | "unknown_command" | "no_account" | "unsupported" | "cancelled" | "locked" | "too_new" | "altered" | "corrupt" | "displaced" | "read_only" | "disk_full" | "internal";

export type EvidenceFormat = "csv" | "json";

export type Export = { what: ExportWhat, format: ExportFormat, 
/**
 * Fields as contacts carry them, and `list`. A seed leaves nothing out, whatever is chosen.
 */
columns: Array<string>, 
/**
 * Above a table, one a column; empty: none.
 */
headings: Array<string>, 
/**
 * Leaves out contacts that have opted out of a channel.
 */
without_opted_out: boolean, };

export type ExportCsv = { delimiter: ExportDelimiter, 
/**
 * A text that begins like a formula gets an apostrophe in front. Without it: for programs that run nothing.
 */
is_guarded: boolean, 
/**
 * Marks the file as UTF-8 in its first bytes, for older spreadsheets.
 */
has_mark: boolean, };

export type ExportDelimiter = "comma" | "semicolon" | "tab";

export type ExportDone = Record<symbol, never>;

export type ExportFile = { file: number, };

export type ExportFormat = { "csv": ExportCsv } | "xlsx" | "vcard3" | "vcard4" | "jsonl" | "seed";

export type ExportPart = { file: number, from: number, 
/**
 * At most 4 MiB.
 */
count: number, };

export type ExportPreview = { rows: number, 
/**
 * Contacts that have opted out, whether they are in the rows or left out of them.
 */
opted_out: number, 
/**
 * Columns that the format has no place for.
 */
left_out: Array<string>, 
/**
 * Above a table, with those of the columns that say who opted out; empty: none.
 */
headings: Array<string>, 
/**
 * The first rows, as they are.
 */
cells: Array<Array<string>>, 
/**
 * The beginning of the file, where it is text.
 */
text: string | null, };

export type ExportRun = { export: Export, 
/**
 * What the dialog suggests.
 */
name: string, };

export type ExportView = { view: number, 
/**
 * In which the page saw the rows; null: whatever stands there now.
 */
generation: number | null, 
/**
 * Null: all.
 */
rows: GridRows | null, };

export type ExportWhat = { "view": ExportView } | { "lists": Array<string> } | "account";

export type Exported = { 
/**
 * `unsupported`: the page fetches `file`.
 */
outcome: FileOutcome, path: string | null, file: number | null, 
/**
 * The name of the file with its ending, where the page saves it.
 */
name: string, bytes: number, rows: number, };

export type FieldFault = { path: string, message: string, rejected: unknown, };

export type FieldInfo = { 
/**
 * As contacts carry it: `phone_number`, `title`, `field_3`.
 */
name: string, kind: FieldKind, 
/**
 * Most characters it may have.
 */
limit: number, 
/**
 * The label of a custom field.
 */
label: string | null, };

export type FieldKind = "number" | "text" | "date";

export type FileKind = "csv" | "tsv" | "json" | "jsonl" | "svg" | "png" | "text" | "pdf" | "xlsx" | "vcf" | "yaml";

export type FileOutcome = "saved" | "cancelled" | "unsupported";

export type FileSave = { 
/**
 * What the dialog suggests.
 */
name: string, kind: FileKind, content_base64: string, };

export type FileSaved = { outcome: FileOutcome, path: string | null, };

export type FillWay = "down" | "right";

export type FillWith = "above" | { "text": string };

export type GridAct = { view: number, generation: number | null, rows: GridRows, columns: Array<string>, 
/**
 * Further blocks, done after the first one and in the same step.
 */
more?: Array<GridBlock>, act: BulkAct, 
/**
 * True: only say what it would do.
 */
preview: boolean, };

export type GridAdd = { view: number, 
/**
 * Values by field name; a fault's path is the field's name.
 */
values: { [field: string]: string | null }, 
/**
 * In which numbers without a country code are read; null: that of the account.
 */
region: string | null, };

export type GridAdded = { 
/**
 * Behind the last, until the next refresh.
 */
row: number, contact: ContactCard, };

export type GridAgreed = { field: string, 
/**
 * Empty: the service has none.
 */
value: string, };

export type GridBlock = { rows: GridRows, columns: Array<string>, };

export type GridCell = { row: number, column: string, };

export type GridCellEdit = { row: number, field: string, text: string | null, };

export type GridCellFault = { row: number, field: string, 
/**
 * The rule in its own words.
 */
message: string, };

export type GridCopy = { view: number, rows: GridRows, columns: Array<string>, 
/**
 * Shown above the rows, one a column; empty: none.
 */
headings: Array<string>, };

export type GridCounted = { cells: number, rows: number, };

export type GridDelete = { view: number, generation: number | null, rows: GridRows, };

export type GridDeleted = { count: number, 
/**
 * Null: nothing changed.
 */
step: number | null, };

export type GridDone = Record<symbol, never>;

export type GridDraft = { field: string, text: string, value: string | null, message: string, };

export type GridDrafts = { drafts: Array<GridDraft>, 
/**
 * Null: the service has the row as it is here, or there is no service.
 */
unsent: GridUnsent | null, };

export type GridDraftsGet = { view: number, row: number, };

export type GridDuplicates = "keep" | "skip" | "merge";

export type GridEdge = { view: number, generation: number | null, row: number, column: string, direction: GridEdgeDirection, };

export type GridEdgeDirection = "up" | "down";

export type GridEdgeRow = { row: number, };

export type GridEdit = { view: number, 
/**
 * In which the page saw the rows; when they have other places by now, nothing is done. Null: not looked at.
 */
generation: number | null, 
/**
 * At most 10,000; of two for one cell the last counts.
 */
cells: Array<GridCellEdit>, 
/**
 * In which numbers without a country code are read; null: that of the account, or of the contact's own number.
 */
region: string | null, };

export type GridEdited = { 
/**
 * Cells that the act is for.
 */
matched: number, 
/**
 * Contacts with a changed cell.
 */
rows: number, 
/**
 * Cells that show another value.
 */
changed: number, 
/**
 * Cells whose rule refused it: the text is kept as a draft.
 */
drafts: number, 
/**
 * The first hundred.
 */
faults: Array<GridCellFault>, 
/**
 * In a preview, the first ten cells that would change.
 */
sample: Array<GridSample>, 
/**
 * Null: nothing changed, or it was a preview.
 */
step: number | null, };

export type GridFacet = { value: string | null, count: number, };

export type GridFacets = { 
/**
 * The most frequent first; null stands for blank.
 */
values: Array<GridFacet>, 
/**
 * Different values, blank not counted.
 */
distinct: number, blanks: number, };

export type GridFacetsGet = { view: number, field: string, 
/**
 * At most 200.
 */
most: number, };

export type GridFilter = { all: GridFilter[] } | { any: GridFilter[] } | { not: GridFilter }
  | { field: string; op: 'is' | 'is_not' | 'contains' | 'contains_not' | 'starts' | 'ends' | 'matches' | 'matches_not'; value: string; case?: boolean }
  | { field: string; one_of: (string | null)[] }
  | { field: string; blank: boolean }
  | { field: 'created_at' | 'updated_at'; time: 'before' | 'after' | 'on' | 'within_days'; value: string }
  | { field: string; date: 'before' | 'after' | 'on'; value: string }
  | { field: string; date: 'between'; value: string; to: string }
  | { field: string; date: 'birthday_in_month' | 'birthday_within_days'; value: string }
  | { field: string; date: 'this_month' | 'not_a_date' }
  | { opted_out: 'any' | 'sms' | 'whatsapp'; reach?: 'any' | 'account' | 'asset'; is?: boolean }
  | { in_list: string; is?: boolean }
  | { draft: boolean }
  | { duplicate: 'phone' | 'whatsapp' | 'email'; is?: boolean }
  | { readiness: 'opted_out' | 'no_number' | 'invalid' | 'landline' | 'duplicate' | 'ready'; channel: 'sms' | 'whatsapp'; asset?: string; is?: boolean };

export type GridFind = { view: number, text: string, regex: boolean, case: boolean, whole_cell: boolean, 
/**
 * In the order of the screen.
 */
columns: Array<string>, 
/**
 * Behind this cell, or before it; null: from the very first or last.
 */
from: GridCell | null, backwards: boolean, };

export type GridFindCount = { view: number, text: string, regex: boolean, case: boolean, whole_cell: boolean, columns: Array<string>, };

export type GridFound = { 
/**
 * Null: there is no more.
 */
cell: GridCell | null, };

export type GridLocate = { view: number, uid: string, };

export type GridNewList = { view: number, generation: number | null, 
/**
 * Null: the whole view.
 */
rows: GridRows | null, name: string, };

export type GridOpen = { 
/**
 * A list's uid.
 */
list: string, 
/**
 * Null: every contact.
 */
filter: GridFilter | null, 
/**
 * Part of any text, or of a number in any spelling.
 */
text: string | null, 
/**
 * Empty: newest first, those of one second as they were added. That also settles ties. Blanks stand last in either direction.
 */
sort: Array<ContactSort>, 
/**
 * Contacts that were deleted here stay in view until that is pushed.
 */
has_deleted: boolean, };

export type GridOpened = { view: number, generation: number, total: number, deleted: number, 
/**
 * Else `total` is an estimate.
 */
is_exact: boolean, is_building: boolean, };

export type GridOptOut = { view: number, generation: number | null, rows: GridRows, 
/**
 * Each number of the contacts is opted out on each of them.
 */
channels: Array<Channel>, 
/**
 * An asset's id; null: the whole account.
 */
asset: string | null, reason: string, };

export type GridOptOutNumbers = { 
/**
 * Different numbers of the contacts.
 */
numbers: number, };

export type GridOptOutPreview = { view: number, generation: number | null, rows: GridRows, };

export type GridOptedOut = { added: number, 
/**
 * Opted out in that scope already; they stay as they are.
 */
already: number, 
/**
 * Contacts without any number.
 */
without_number: number, 
/**
 * Null: nothing changed.
 */
step: number | null, };

export type GridPaste = { view: number, generation: number | null, 
/**
 * The row of the first line. Lines behind the last row of the view become new contacts.
 */
at: number, 
/**
 * From the focus on, in the order of the screen; with `into`, those that are selected.
 */
columns: Array<string>, 
/**
 * Lines of cells; a shorter line leaves the cells that it does not have as they are. At most 1,000,000 cells.
 */
rows: Array<Array<string>>, 
/**
 * Selected rows, at least as many as there are lines; one line or a whole number of blocks fills all of them. Null
 * when one row is selected, or when the block is larger than the selection.
 */
into: GridRows | null, mode: GridPasteMode, 
/**
 * In which numbers without a country code are read; null: that of the account, or of the contact's own number.
 */
region: string | null, };

export type GridPasteMode = "plain" | "blanks_only" | "e164" | "transposed";

export type GridPasted = { 
/**
 * Cells of rows that are there.
 */
cells: number, changed: number, drafts: number, 
/**
 * New contacts.
 */
added: number, 
/**
 * The row of the first new one.
 */
first_added: number | null, 
/**
 * Lines that made no contact.
 */
left_out: number, 
/**
 * Which these are, counted from 0.
 */
left_out_lines: Array<number>, 
/**
 * The first hundred each.
 */
faults: Array<GridCellFault>, refused: Array<GridRefused>, step: number | null, };

export type GridProblem = { view: number, 
/**
 * Behind this row, or before it; null: from the very first or last.
 */
from: number | null, backwards: boolean, };

export type GridRefused = { line: number, field: string, message: string, };

export type GridRow = { row: number | null, };

export type GridRows = [number, number][];

export type GridSample = { row: number, field: string, before: string | null, after: string | null, fault: string | null, };

export type GridSavedView = { uid: string, name: string, spec: unknown, };

export type GridSavedViews = { 
/**
 * In the order in which they were made.
 */
views: Array<GridSavedView>, };

export type GridSend = { view: number, generation: number | null, rows: GridRows, 
/**
 * A list's uid.
 */
list: string, duplicates: GridDuplicates, };

export type GridSendPreview = { view: number, generation: number | null, rows: GridRows, 
/**
 * A list's uid.
 */
list: string, };

export type GridSent = { 
/**
 * Contacts that came to the list.
 */
placed: number, 
/**
 * Contacts that went into others.
 */
merged: number, skipped: number, 
/**
 * Null: nothing changed.
 */
step: number | null, };

export type GridState = { 
/**
 * Grows whenever rows get other places.
 */
generation: number, is_building: boolean, 
/**
 * Rows looked at so far, while it is built.
 */
rows_read: number, total: number, 
/**
 * So many of them were deleted here and wait to be pushed.
 */
deleted: number, 
/**
 * Else `total` is an estimate.
 */
is_exact: boolean, 
/**
 * Somebody else changed the list since.
 */
is_stale: boolean, 
/**
 * Why the last building came to nothing.
 */
fault: string | null, };

export type GridStateGet = { view: number, 
/**
 * The one the page has seen; another one ends the waiting.
 */
generation: number | null, 
/**
 * How long to wait for the building to end, 1000 at most; null: not at all.
 */
wait_ms: number | null, };

export type GridSummary = { rows: number, cells: number, blanks: number, 
/**
 * Different values that are not blank; of one column only.
 */
distinct: number | null, };

export type GridSummaryGet = { view: number, rows: GridRows, columns: Array<string>, };

export type GridUid = { 
/**
 * Null: it is gone.
 */
uid: string | null, };

export type GridUidGet = { view: number, row: number, };

export type GridUnsent = "added" | "deleted" | { "edited": Array<GridAgreed> };

export type GridView = { view: number, };

export type GridViewDelete = { uid: string, };

export type GridViewList = { 
/**
 * A list's uid.
 */
list: string, };

export type GridViewRename = { uid: string, name: string, };

export type GridViewSave = { 
/**
 * A list's uid.
 */
list: string, 
/**
 * A view of the list that bears it already is replaced.
 */
name: string, 
/**
 * An object, at most 64 KiB as JSON.
 */
spec: unknown, };

export type GridWindow = { view: number, 
/**
 * The one the page has seen: the answer is of the one that stands, and has no rows when that is another.
 */
generation: number | null, from: number, 
/**
 * At most 1000.
 */
count: number, 
/**
 * At most 64, by name as contacts carry them.
 */
columns: Array<string>, };

export type HistoryNothing = Record<symbol, never>;

export type HistoryPassed = { step: Step, };

export type HistoryStanding = { undo: Step | null, redo: Step | null, };

export type HistoryTaken = { step: Step, rows: number, 
/**
 * Left as they are, because somebody changed them since.
 */
kept: number, 
/**
 * Opt-outs that came with the act and stay: only a removal with a reason ends one.
 */
opt_outs_kept: number, };

export type HistoryUndo = { 
/**
 * Only if this is the last act; without it, whatever was last.
 */
step?: number, };

export type Hit = { noun: Noun, 
/**
 * What it is opened by: a uid, the number of an opt-out or of a custom field.
 */
uid: string, 
/**
 * What it is called; a contact without a name by its number.
 */
title: string, 
/**
 * What tells it from others of its name.
 */
detail: string, 
/**
 * The list a contact is in.
 */
list_uid: string | null, };

export type ImportAccept = { import: number, 
/**
 * How many opt-outs columns of consent will add, typed by the person; null where there are none.
 */
typed_count: number | null, };

export type ImportAccepted = { 
/**
 * The import in the history.
 */
past: number, 
/**
 * The step that takes it back.
 */
step: number, 
/**
 * The list's uid.
 */
list: string, list_name: string, counts: ImportBuckets, 
/**
 * Rows that are kept to be mended.
 */
rejects: number, 
/**
 * Opt-outs that were added.
 */
opt_outs: number, 
/**
 * Everything the files hold, and what became of it.
 */
ledger: ImportLedger, elapsed_ms: number, rows_per_second: number, };

export type ImportAdd = { import: number, sources: Array<ImportSource>, };

export type ImportBreak = { 
/**
 * With the place, and what to do.
 */
message: string, place: ImportPlace, 
/**
 * Rows with values in front of it, which can be taken.
 */
rows_before: number, 
/**
 * Lines from there to the end of the file; null where they cannot be counted.
 */
lines_left: number | null, };

export type ImportBucket = "new" | "same" | "changed" | "duplicate_in_file" | "duplicate_in_list" | "opted_out" | "invalid" | "blank";

export type ImportBuckets = { rows: number, new: number, same: number, changed: number, duplicate_in_file: number, duplicate_in_list: number, opted_out: number, invalid: number, 
/**
 * Blank rows, those that name the columns, and those above.
 */
blank: number, };

export type ImportCellText = { 
/**
 * From 0.
 */
column: number, text: string, };

export type ImportColumn = { 
/**
 * From 0, as mappings name it.
 */
column: number, 
/**
 * Blank where it has none.
 */
name: string, facts: ImportColumnFacts, 
/**
 * It looks as if it said who opted out.
 */
is_consent: boolean, 
/**
 * Its values look so although they fill a field.
 */
has_opt_outs: boolean, suggestion: ImportSuggestion | null, 
/**
 * Files that have it.
 */
files: Array<number>, };

export type ImportColumnFacts = { 
/**
 * Rows that have something there.
 */
filled: number, 
/**
 * Rows that have something in another column, and nothing there.
 */
blank: number, 
/**
 * The first values that differ; none of them is blank.
 */
samples: Array<string>, 
/**
 * The most frequent values, when there are few; empty when nearly all differ.
 */
histogram: Array<ImportValueCount>, 
/**
 * All values, the most frequent first; empty when there are too many.
 */
values: Array<ImportValueCount>, looks: ImportLooks, 
/**
 * The regions of the numbers that are written with a country code, among the values looked at; the most frequent first.
 */
regions: Array<ImportValueCount>, 
/**
 * The first numbers that are written without a country code.
 */
nationals: Array<string>, 
/**
 * What its values, in whichever row, say of who opted out.
 */
opt_outs: ImportOptOutFacts, };

export type ImportColumns = { has_head: boolean, number: number, channel: number | null, 
/**
 * An asset's id or number; rows without one are for the account.
 */
asset: number | null, };

export type ImportConsent<C> = { pieces: Array<ImportPiece<C>>, between: string, 
/**
 * Values that mean it, whatever their letter case; `*` is any value. Nothing is guessed.
 */
words: Array<string>, 
/**
 * Values that do not mean it, although nothing else says so; `*` is any value of which it is unknown.
 */
keeps: Array<string>, 
/**
 * SMS by the phone number, WhatsApp by the WhatsApp number.
 */
channels: Array<Channel>, };

export type ImportCounts = { rows: number, new: number, already: number, duplicates: number, invalid: number, 
/**
 * Records, of which a row for both channels makes two.
 */
would_add: number, };

export type ImportDateOrder = "day_first" | "month_first" | "as_written";

export type ImportDialect = { 
/**
 * None: a line is one cell.
 */
separator: string | null, 
/**
 * None: a quote is a letter like others.
 */
quote: string | null, 
/**
 * Whether a backslash in quotes makes the next letter one like others.
 */
backslash: boolean, 
/**
 * Whether blanks in front of a quote mean nothing.
 */
blanks: boolean, };

export type ImportDialectEvidence = { separator: string | null, 
/**
 * Rows looked at, and how many of them have `columns` cells.
 */
rows: number, alike: number, columns: number, };

export type ImportDialectGuess = { dialect: ImportDialect, 
/**
 * The first line says it: `sep=;`.
 */
is_noted: boolean, 
/**
 * Every separator that was tried, the best first.
 */
evidence: Array<ImportDialectEvidence>, };

export type ImportDone = Record<symbol, never>;

export type ImportEncodingEvidence = "mark" | "well_formed" | "zeros" | "ascii" | "likely";

export type ImportEncodingGuess = { encoding: string, by: ImportEncodingEvidence, 
/**
 * Words with letters beyond ASCII, as they look in this encoding: a person sees at once whether it is right.
 */
words: Array<string>, };

export type ImportEncodings = { 
/**
 * Names, the likely ones first.
 */
encodings: Array<string>, };

export type ImportFault = "blank" | "not_a_number" | "spreadsheet" | "channel" | "asset" | "channel_mismatch";

export type ImportField<C> = { 
/**
 * As contacts carry it: `phone_number`, `field_3`.
 */
field: string, 
/**
 * The label of a custom field that is made on the way; `field` is empty then.
 */
new_field: string | null, pieces: Array<ImportPiece<C>>, pick: ImportPick, 
/**
 * Stands between pieces that are put together.
 */
between: string, 
/**
 * Region of numbers without a country; none: that of the file.
 */
region: string | null, 
/**
 * None: that of the file.
 */
rule: ImportRule | null, };

export type ImportFieldCount = { field: string, rows: number, };

export type ImportFile = { 
/**
 * Its number in the import.
 */
file: number, 
/**
 * The same for all sheets of one file that are taken.
 */
group: number, name: string, 
/**
 * The sheet, or the file of the archive, where there are several.
 */
part: string | null, state: ImportFileState, bytes: number, 
/**
 * Bytes that have arrived.
 */
received: number, 
/**
 * Rows that hold values.
 */
rows: number, 
/**
 * Null until it was read.
 */
found: ImportFound | null, broken: ImportBreak | null, 
/**
 * What the person chose.
 */
settings: ImportSettings, };

export type ImportFileKey = { import: number, file: number, };

export type ImportFileKind = "text" | "xlsx" | "ods" | "vcard" | "json";

export type ImportFileState = "uploading" | "waiting" | "reading" | "read" | "broken";

export type ImportFound = { kind: ImportFileKind, 
/**
 * What it was packed with: `gzip`.
 */
packing: string | null, encoding: ImportEncodingGuess | null, dialect: ImportDialectGuess | null, sheets: Array<ImportSheet>, 
/**
 * Which of them is read.
 */
sheet: number | null, head: ImportHeadGuess, 
/**
 * Names of its columns; blank where there is none.
 */
heads: Array<string>, 
/**
 * The first row that holds values, from 0.
 */
first: number, };

export type ImportHeadEvidence = { "known": number } | { "unlike": number } | "distinct" | "none";

export type ImportHeadGuess = { row: number | null, by: ImportHeadEvidence, };

export type ImportHeadRow = "find_out" | { "at": number } | "nowhere";

export type ImportHistory = { page_number: number, page_size: number, };

export type ImportHistoryAnswer = { total_items: number, total_pages: number, 
/**
 * The latest first.
 */
items: Array<ImportPast>, };

export type ImportId = { import: number, };

export type ImportKeptContact = { uid: string, number: string, 
/**
 * What was edited, and stays.
 */
fields: Array<string>, 
/**
 * It came with the import and stays as a whole.
 */
is_whole: boolean, };

export type ImportLedger = { columns: ImportLedgerSum, 
/**
 * Cells that are not blank.
 */
cells: ImportLedgerSum, rows: ImportLedgerSum, entries: Array<ImportLedgerEntry>, };

export type ImportLedgerEntry = { 
/**
 * The file, with the sheet where it has several; empty: all files.
 */
file: string, what: ImportLedgerItem, 
/**
 * What the file calls it; empty where it has no name.
 */
name: string, outcome: ImportLedgerOutcome, 
/**
 * Fields it was taken as: `phone_number`, or `opt_out`.
 */
fields: Array<string>, 
/**
 * Why it was not taken as it is; empty where it was.
 */
reason: string, 
/**
 * None: it cannot be counted.
 */
count: number | null, unit: ImportLedgerUnit, 
/**
 * One case of it.
 */
example: string, 
/**
 * Somebody chose this.
 */
is_chosen: boolean, };

export type ImportLedgerItem = "column" | "telephone" | "consent" | "surplus_cells" | "sheet" | "archive_member" | "property" | "repeated_name" | "comment" | "hidden_value" | "hidden_rows" | "spreadsheet_error" | "invalid_value" | "formula_without_result" | "list_value_stays" | "duplicate_rows" | "ambiguous_rows" | "opted_out_rows" | "rejected_rows" | "rows_after_break" | "heading_rows" | "blank_rows" | "file_form" | "trimmed_space" | "rounded_number" | "exact_number" | "number_spelling" | "date_form" | "national_number" | "consent_value" | "opted_out_list";

export type ImportLedgerOutcome = "taken" | "not_data" | "left_out" | "rejected";

export type ImportLedgerSum = { all: number, taken: number, left_out: number, rejected: number, not_data: number, };

export type ImportLedgerUnit = "values" | "rows" | "lines";

export type ImportLooks = { values: number, numbers: number, emails: number, dates: number, 
/**
 * Numbers that a spreadsheet shortened: `4.47E+11`.
 */
shortened: number, 
/**
 * Dates in which only the day, or only the month, can come first, and those that can be two dates.
 */
day_first: number, month_first: number, ambiguous_dates: number, };

export type ImportMap = { import: number, mapping: ImportMapping<number>, };

export type ImportMapped = { generation: number, 
/**
 * While there are any, it cannot be rehearsed.
 */
faults: Array<ImportMappingFault>, 
/**
 * The first rows that hold values; empty while there are faults.
 */
sample: Array<ImportMappedRow>, };

export type ImportMappedRow = { row: number, file: number, place: number, 
/**
 * One a target, as it would be stored; null: blank, or not to be stored.
 */
values: Array<string | null>, reason: ImportRowReason | null, };

export type ImportMapping<C> = { targets: Array<ImportField<C>>, 
/**
 * None: that of most numbers of the files with a country code, or of the account.
 */
region: string | null, rule: ImportRule, match_by: ImportMatchBy, twice: ImportTwice, opted_out: ImportOptedOut, consents: Array<ImportConsent<C>>, 
/**
 * None: found out from the dates that can be only one thing.
 */
date_order: ImportDateOrder | null, 
/**
 * Columns that somebody left out by name.
 */
left_out: Array<C>, 
/**
 * Columns of which somebody, and not a guess, said which field they fill.
 */
named: Array<C>, labels: Array<ImportNumberLabel<C>>, 
/**
 * Files, sheets and lists, by name, of which somebody said that everybody in them opted out.
 */
opted_out_lists: Array<string>, 
/**
 * Those of which somebody said that their names say nothing of the people in them.
 */
ordinary_lists: Array<string>, };

export type ImportMappingBy = "suggested" | "remembered" | "profile" | "person";

export type ImportMappingFault = { 
/**
 * As in the mapping: `targets[1].pieces[0]`, or `files`, `target`.
 */
path: string, message: string, 
/**
 * Columns, files, sheets and lists that it asks about, by name.
 */
about: Array<string>, };

export type ImportMatchBy = "phone" | "whatsapp";

export type ImportMend = { import: number, row: number, cells: Array<ImportCellText>, };

export type ImportNothing = Record<symbol, never>;

export type ImportNumberLabel<C> = { column: C, label: C, };

export type ImportOpen = { purpose: ImportPurpose, 
/**
 * Empty: files come later.
 */
sources: Array<ImportSource>, target: ImportTarget | null, };

export type ImportOptOutFacts = { 
/**
 * Cells that say so, and cells that may say so.
 */
sure: number, doubtful: number, 
/**
 * Cells that say so in a column of labels.
 */
labels: number, 
/**
 * The values, or the items of lists, with the cells that have them; the first ones of many.
 */
values: Array<ImportValueCount>, };

export type ImportOptedOut = "take" | "leave_out";

export type ImportPart = { 
/**
 * What the cell is cut at.
 */
separator: string, 
/**
 * From 1; below 0 it is counted from the end.
 */
number: number, 
/**
 * Whether what follows is taken along.
 */
and_rest: boolean, };

export type ImportPartsPut = { import: number, 
/**
 * Any entry of the file.
 */
file: number, 
/**
 * Names of sheets, or of files of the archive; at least one.
 */
parts: Array<string>, };

export type ImportPast = { past: number, step: number, at: Timestamp, 
/**
 * The list's uid, and its name at that time.
 */
list: string, list_name: string, list_exists: boolean, 
/**
 * Names of the files.
 */
name: string, kind: string, counts: ImportBuckets, 
/**
 * Contacts changed by field.
 */
fields: Array<ImportFieldCount>, 
/**
 * Opt-outs that it added.
 */
opt_outs: number, 
/**
 * Everything the files held, and what became of it.
 */
ledger: ImportLedger, 
/**
 * Rows that still wait to be mended.
 */
rejects: number, 
/**
 * The import whose left-out rows these were.
 */
of: number | null, reverted_at: Timestamp | null, can_revert: boolean, };

export type ImportPastId = { past: number, };

export type ImportPaths = { paths: Array<string>, };

export type ImportPick = "all" | "first" | "other";

export type ImportPiece<C> = { "column": { column: C, part: ImportPart | null, } } | { "constant": { text: string, } };

export type ImportPlace = { "in": "file" } | { "in": "line", line: number, column: number | null, } | { "in": "row", sheet: string, row: number, column: number | null, } | { "in": "part", name: string, };

export type ImportProblem = { 
/**
 * Null: there is none in that direction.
 */
row: number | null, bucket: ImportBucket | null, 
/**
 * Its place among the rows of that bucket, from 0.
 */
at: number, };

export type ImportProblemGet = { import: number, 
/**
 * Null: from the beginning, or from the end.
 */
after: number | null, backwards: boolean, };

export type ImportProfileItem = { name: string, 
/**
 * Names of the columns it was made for.
 */
columns: Array<string>, used_at: Timestamp, 
/**
 * Why it does not fit the import that was named; null: it fits, or none was named.
 */
misfit: string | null, };

export type ImportProfileKey = { import: number, name: string, };

export type ImportProfileList = { import: number | null, };

export type ImportProfileName = { name: string, };

export type ImportProfileNamed = { name: string, };

export type ImportProfileRead = { 
/**
 * Of a file that `import_profile_write` wrote.
 */
text: string, };

export type ImportProfileText = { 
/**
 * What the file should be called, without an ending.
 */
name: string, text: string, };

export type ImportProfiles = { 
/**
 * Those that fit first, then the latest used.
 */
items: Array<ImportProfileItem>, };

export type ImportProgress = { work: ImportWork, rows: number, 
/**
 * How many it will be, where that is known.
 */
rows_total: number | null, 
/**
 * Bytes read of all files, while they are read.
 */
bytes: number, bytes_total: number, rows_per_second: number, elapsed_ms: number, 
/**
 * It was told to end and has not ended yet.
 */
is_ending: boolean, };

export type ImportPurpose = "contacts" | "opt_outs";

export type ImportRawRow = { 
/**
 * From 0, in its file.
 */
row: number, 
/**
 * Its line in a text, its row in a sheet, from 1.
 */
place: number, 
/**
 * Long ones are cut.
 */
cells: Array<string>, is_head: boolean, 
/**
 * It stands above the names of the columns.
 */
is_above: boolean, };

export type ImportReason = "no_number" | "not_a_number" | "spreadsheet" | "lost_zero" | "too_long" | "damaged_text" | "nul" | "malformed";

export type ImportReasonCount = { reason: ImportReason, message: string, rows: number, };

export type ImportRehearsal = { generation: number, counts: ImportBuckets, 
/**
 * The most frequent first; they sum to `counts.invalid`.
 */
reasons: Array<ImportReasonCount>, 
/**
 * The most frequent first. A row may change several.
 */
fields: Array<ImportFieldCount>, 
/**
 * Rows among those taken whose number is opted out, and stays so.
 */
opted_out: number, 
/**
 * Opt-outs that columns of consent would add: the person types this number. None is ever taken away.
 */
opt_outs: number, 
/**
 * How many of these only invalid rows ask for. Their rows are left out, and their numbers are opted out.
 */
opt_outs_of_invalid_rows: number, 
/**
 * Custom fields that would be made.
 */
new_fields: Array<CustomField>, 
/**
 * Everything the files hold, and what would become of it.
 */
ledger: ImportLedger, is_stale: boolean, };

export type ImportReject = { reject: number, row: number, place: number, 
/**
 * One a column.
 */
cells: Array<string>, 
/**
 * Null: it was mended and can be taken.
 */
reason: ImportReason | null, message: string | null, field: string | null, };

export type ImportRejectEdit = { reject: number, column: number, text: string, };

export type ImportRejects = { total: number, columns: Array<string>, rows: Array<ImportReject>, };

export type ImportRejectsAccept = { past: number, 
/**
 * How many opt-outs columns of consent will add, typed by the person; null where there are none.
 */
typed_count: number | null, };

export type ImportRejectsAccepted = { 
/**
 * They are an import of their own in the history.
 */
past: number, step: number, counts: ImportBuckets, 
/**
 * Rows that still wait to be mended.
 */
left: number, };

export type ImportRejectsDiscard = { past: number, 
/**
 * Empty: all of the import.
 */
rejects: number[], };

export type ImportRejectsDiscarded = { discarded: number, };

export type ImportRejectsGet = { past: number, from: number, 
/**
 * At most 500.
 */
count: number, };

export type ImportRejectsMend = { past: number, 
/**
 * At most 10000.
 */
edits: Array<ImportRejectEdit>, };

export type ImportRejectsMended = { 
/**
 * Those that were edited, judged anew.
 */
rows: Array<ImportReject>, };

export type ImportRejectsSave = { past: number, 
/**
 * What the dialog suggests.
 */
name: string, };

export type ImportReverted = { 
/**
 * The step that did it, which can be undone; null in a preview.
 */
step: number | null, 
/**
 * Contacts that came with it and go.
 */
deleted: number, 
/**
 * Contacts that get their values back.
 */
restored: number, kept_total: number, 
/**
 * The first thousand.
 */
kept: Array<ImportKeptContact>, 
/**
 * Opt-outs that came with it, which stay.
 */
opt_outs_kept: number, 
/**
 * The list was made by the import and stays, as others filled it since.
 */
list_kept: boolean, };

export type ImportRow = { 
/**
 * The line of the text on which it begins, from 1.
 */
row: number, 
/**
 * E.164.
 */
number: string | null, given: string, channels: Array<Channel>, asset_number: string | null, status: ImportStatus, 
/**
 * The row that has the same first.
 */
duplicate_of: number | null, fault: ImportFault | null, message: string | null, };

export type ImportRowChange = { field: string, before: string | null, after: string | null, };

export type ImportRowReason = { reason: ImportReason, message: string, 
/**
 * The field it is about; null when it is about the row.
 */
field: string | null, };

export type ImportRowValue = { field: string, text: string, };

export type ImportRows = { 
/**
 * Rows have other buckets in each.
 */
generation: number, total: number, rows: Array<RehearsedRow>, };

export type ImportRowsGet = { import: number, 
/**
 * Null: all.
 */
bucket: ImportBucket | null, 
/**
 * Invalid rows with this reason.
 */
reason: ImportReason | null, 
/**
 * Changed rows that change this field.
 */
field: string | null, 
/**
 * Counted in the rows that fit.
 */
from: number, 
/**
 * At most 500.
 */
count: number, };

export type ImportRule = "never" | "if_blank" | "if_different" | "always";

export type ImportSample = { rows: Array<ImportRawRow>, };

export type ImportSampleGet = { import: number, file: number, from: number, 
/**
 * At most 200.
 */
count: number, };

export type ImportSettings = { kind: ImportFileKind | null, 
/**
 * Any name of an encoding that the web knows.
 */
encoding: string | null, dialect: ImportDialect | null, sheet: string | null, head: ImportHeadRow, 
/**
 * Takes the rows in front of the place where the file is broken.
 */
takes_part: boolean, };

export type ImportSheet = { name: string, is_hidden: boolean, };

export type ImportSource = { "path": string } | { "text": { name: string, text: string, 
/**
 * What the rows behind the first are numbered, where they come from another place.
 */
rows: number[] | null, } } | { "upload": { name: string, size: number, } };

export type ImportSourcePut = { import: number, file: number, settings: ImportSettings, };

export type ImportStage = "empty" | "uploading" | "reading" | "mapping" | "rehearsing" | "rehearsed" | "accepting" | "accepted";

export type ImportState = { import: number, 
/**
 * Grows with everything that changes what there is to see, but not with progress.
 */
generation: number, purpose: ImportPurpose, stage: ImportStage, target: ImportTarget | null, files: Array<ImportFile>, 
/**
 * Rows of all files that hold values. The buckets sum to them.
 */
rows: number, 
/**
 * Null: nothing is under way.
 */
progress: ImportProgress | null, 
/**
 * Why the last work came to nothing, and what to do.
 */
fault: string | null, 
/**
 * Why it cannot be rehearsed yet; empty: it can.
 */
obstacles: Array<ImportMappingFault>, 
/**
 * Of the last rehearsal; null when there is none, or something changed since.
 */
counts: ImportBuckets | null, 
/**
 * Somebody changed the list since: rehearse again.
 */
is_stale: boolean, accepted: ImportAccepted | null, };

export type ImportStateGet = { import: number, 
/**
 * The one the page has seen; another one ends the waiting.
 */
generation: number | null, 
/**
 * How long to wait for news, 1000 at most; null: not at all.
 */
wait_ms: number | null, };

export type ImportStatus = "new" | "already" | "duplicate" | "invalid";

export type ImportSuggestion = { 
/**
 * As contacts carry it: `phone_number`, `field_3`.
 */
field: string, by: ImportSuggestionBy, };

export type ImportSuggestionBy = "name" | "word" | "likeness" | "contents";

export type ImportTable = { generation: number, columns: Array<ImportColumn>, mapping: ImportMapping<number>, by: ImportMappingBy, 
/**
 * The profile it was taken from.
 */
profile: string | null, 
/**
 * Region of numbers without a country code where the mapping names none, and how it is known.
 */
usual_region: string, usual_region_by: CountryBy, faults: Array<ImportMappingFault>, };

export type ImportTarget = { "list": string } | { "new_list": string };

export type ImportTargetPut = { import: number, target: ImportTarget | null, };

export type ImportTwice = "first" | "last";

export type ImportUpload = { import: number, file: number, 
/**
 * Bytes that were sent before; they must be as many as have arrived.
 */
from: number, 
/**
 * At most 4 MiB.
 */
content_base64: string, 
/**
 * The file is whole with these; it is read then.
 */
is_last: boolean, };

export type ImportUploaded = { 
/**
 * Bytes that have arrived, from which the next ones go on.
 */
received: number, };

export type ImportValueCount = { text: string, count: number, };

export type ImportWaiting = { import: number, purpose: ImportPurpose, begun_at: Timestamp, names: Array<string>, target: ImportTarget | null, rows: number, stage: ImportStage, };

export type ImportWaitingAnswer = { 
/**
 * The latest first.
 */
imports: Array<ImportWaiting>, };

export type ImportWork = "read" | "rehearse" | "accept";

export type Inbound = { asset_id: AssetId, 
/**
 * Long number in E.164 or short code; none when the asset was gone before it was known.
 */
number: string | null, };

export type Job = { id: number, list_id: ListId, list_name: string, merge_type: MergeType, callback_url: string | null, correlation_id: string | null, contacts: number, state: JobState, totals: JobTotals, queued_at: Timestamp, finished_at: Timestamp | null, };

export type JobCallback = { state: CallbackState, attempts: number, next_at: Timestamp | null, tries: Array<Attempt>, };

export type JobGet = { id: number, };

export type JobItem = { job: Job, 
/**
 * None: no callback is owed, or not yet.
 */
callback: CallbackState | null, };

export type JobOutcome = { 
/**
 * From 0.
 */
position: number, outcome: Outcome, 
/**
 * None when it was not stored, or is gone since.
 */
contact_id: ContactId | null, phone: string | null, whatsapp: string | null, firstname: string | null, lastname: string | null, };

export type JobOutcomes = { id: number, outcome: Outcome | null, page_number: number, page_size: number, };

export type JobOutcomesAnswer = { total_items: number, total_pages: number, 
/**
 * In the order the contacts were submitted.
 */
items: Array<JobOutcome>, };

export type JobPage = { page_number: number, page_size: number, };

export type JobPageAnswer = { total_items: number, total_pages: number, 
/**
 * Newest first.
 */
items: Array<JobItem>, };

export type JobResults = { jobs: number, 
/**
 * Contacts that were imported or merged.
 */
written: number, failed: number, };

export type JobState = "queued" | "done";

export type JobTotals = { 
/**
 * Records created.
 */
imported: number, 
/**
 * Records updated, one each.
 */
merged: number, 
/**
 * Contacts left out as duplicates.
 */
skipped: number, 
/**
 * Contacts not stored because the list is gone.
 */
failed: number, };

export type JobWithCallback = { job: Job, callback: JobCallback | null, };

export type KeyKept = "keyring" | "sealed";

export type KeyShown = { at: KeyKept | null, 
/**
 * Dots, and the end of a long one; only while it is unlocked.
 */
masked: string | null, 
/**
 * It can be used without asking anybody.
 */
is_unlocked: boolean, };

export type KeyringShown = { works: boolean, why: string | null, };

export type KnownAccount = { path: string, 
/**
 * The file's name alone.
 */
file: string, name: string, colour: AccountColour, last_opened: Timestamp | null, state: AccountState, 
/**
 * Whether it stands in the data folder.
 */
in_folder: boolean, };

export type LetterCase = "upper" | "lower" | "title" | "sentence";

export type LinkId = string;

export type LinkItem = { link_id: LinkId, title: string, target_url: string, code: string, 
/**
 * On the local server, as it runs or would run, unless the link has a base of its own.
 */
short_url: string, 
/**
 * Whom this address leads to the target.
 */
address_status: AddressStatus, tags: Array<string>, created_at: Timestamp, track_clicks: boolean, clicks: number, };

export type List = { uid: ListId, name: string, contact_count: number, created_at: Timestamp, updated_at: Timestamp, };

export type ListCard = { 
/**
 * A name of the holder's own; local only.
 */
alias: string | null, note: string | null, pinned_at: Timestamp | null, uid: ListId, name: string, contact_count: number, created_at: Timestamp, updated_at: Timestamp, };

export type ListCombine = { op: ListSetOp, lists: Array<string>, key: ListKey, with_those_without: boolean, name: string, };

export type ListCombineCount = { count: number, per_list: Array<ListShare>, 
/**
 * Contacts of all lists that have no such number.
 */
without_key: number, };

export type ListCombinePreview = { op: ListSetOp, 
/**
 * In order; who is in several comes from the first of them.
 */
lists: Array<string>, key: ListKey, 
/**
 * Take contacts without such a number as well: all in a union, those of the first list in a subtraction.
 */
with_those_without: boolean, };

export type ListCreate = { name: string, };

export type ListDelete = { uid: string, 
/**
 * The list's name, to be sure.
 */
typed_name: string, };

export type ListDeleteMany = { uids: Array<string>, 
/**
 * How many lists these are, to be sure.
 */
typed_count: number, };

export type ListDeleted = { 
/**
 * Contacts that went into the trash along.
 */
contacts: number, };

export type ListDrafts = { list: ListId, name: string, contacts: number, };

export type ListFacts = { 
/**
 * Contacts whose phone number is opted out of SMS, for the account or for one asset at least.
 */
opted_out_sms: number, opted_out_whatsapp: number, 
/**
 * Contacts beyond the first with the same phone number.
 */
duplicates_phone: number, duplicates_whatsapp: number, without_phone: number, without_whatsapp: number, };

export type ListFilled = { list: List, 
/**
 * Contacts that came.
 */
added: number, 
/**
 * Contacts that went into others.
 */
merged: number, 
/**
 * Contacts that were left out.
 */
skipped: number, };

export type ListId = string;

export type ListKey = "phone" | "whatsapp";

export type ListMerge = { 
/**
 * In the order in which they take effect; the target among them is passed over.
 */
from: Array<string>, 
/**
 * Null: a new list called `name`.
 */
into: string | null, 
/**
 * Of the new list.
 */
name: string | null, duplicates: MergeDuplicates, 
/**
 * True: contacts move and the other lists go. False: contacts are copied and all lists stay.
 */
delete_sources: boolean, };

export type ListMergePreview = { 
/**
 * The target among them is passed over.
 */
from: Array<string>, 
/**
 * Null: a new list.
 */
into: string | null, };

export type ListName = { uid: string, name: string, };

export type ListNote = { uid: string, 
/**
 * At most 120 characters; null or blank: none.
 */
alias: string | null, 
/**
 * At most 2,000 characters; null or blank: none.
 */
note: string | null, };

export type ListPage = { page_number: number, page_size: number, sort_by: ListSort, sort_order: SortOrder, 
/**
 * Part of the name or the alias in any case, or the uid.
 */
name: string | null, };

export type ListPageAnswer = { total_items: number, total_pages: number, items: Array<ListCard>, };

export type ListPin = { uid: string, on: boolean, };

export type ListPins = Record<symbol, never>;

export type ListRead = "assumed_unchanged" | "in_use" | "whole" | "drifting" | "shrunk";

export type ListReadiness = { contacts: number, 
/**
 * When they were counted.
 */
at: Timestamp, 
/**
 * In the order of [`Channel::ALL`].
 */
channels: Array<ChannelReadiness>, };

export type ListSetOp = "union" | "intersect" | "subtract";

export type ListShare = { uid: string, name: string, contacts: number, taken: number, without_key: number, };

export type ListSort = "updated_at" | "created_at" | "name" | "contact_count";

export type ListSplit = { uid: string, by: ListSplitBy, 
/**
 * `{name}` is the list's own name, `{n}` the part's number, `{value}` the field's value.
 */
names: string, 
/**
 * What stands for an empty value in `{value}`.
 */
empty_value: string, 
/**
 * True: contacts move and the list goes. False: contacts are copied and it stays.
 */
delete_source: boolean, };

export type ListSplitAnswer = { lists: Array<List>, };

export type ListSplitBy = { "size": number } | { "parts": number } | { "field": string };

export type ListSplitPreview = { parts: Array<Part>, };

export type ListUid = { uid: string, };

export type MergeDuplicates = "keep" | "skip_phone" | "merge_phone";

export type MergeType = "skipDuplicates" | "allowDuplicates" | "mergeByPhoneNumberInList" | "mergeByWhatsappIdInList";

export type MergedAll = { 
/**
 * Groups that are sure enough.
 */
groups: number, 
/**
 * Contacts that stay: groups that share a contact become one.
 */
survivors: number, 
/**
 * Those among them that get a value.
 */
updated: number, 
/**
 * Contacts that go.
 */
gone: number, 
/**
 * Phone and WhatsApp numbers that are in no contact of their group afterwards.
 */
numbers_lost: number, 
/**
 * Groups left out because more than a thousand contacts would become one.
 */
too_large: number, 
/**
 * The first ten, in a preview.
 */
sample: Array<MergedSample>, 
/**
 * Null: nothing was written.
 */
step: number | null, };

export type MergedField = { field: string, before: string | null, after: string | null, };

export type MergedSample = { survivor: ContactId, title: string, 
/**
 * Contacts that become one, itself counted.
 */
contacts: number, changes: Array<MergedField>, };

export type NameCounts = { 
/**
 * The text that stands as first name: as first name of others, and as last name.
 */
first_as_first: number, first_as_last: number, 
/**
 * The text that stands as last name.
 */
last_as_first: number, last_as_last: number, };

export type Noun = "account" | "sender" | "asset" | "custom_field" | "list" | "contact" | "job" | "callback" | "opt_out" | "short_link" | "click";

export type NumberKind = "valid" | "invalid" | "empty";

export type NumberRead = { text: string, 
/**
 * In which a number without a country code is read; null: that of the account.
 */
region: string | null, 
/**
 * The uid of the contact that the number is of; null: it is of a new one.
 */
contact: string | null, };

export type NumberReadAnswer = { kind: NumberKind, e164: string | null, 
/**
 * The valid number's own; else the one it was read in.
 */
region: string, international: string | null, national: string | null, 
/**
 * Why it is no number.
 */
message: string | null, };

export type NumberSeries = { start: number, step: number, prefix: string, pad: number, };

export type NumbersRead = { 
/**
 * Null: that of the contact's own number.
 */
region: string | null, };

export type OperateMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export type Operated = unknown;

export type OptOutAdd = { entries: Array<OptOutEntry>, reason: string, region: string | null, };

export type OptOutAdded = { added: number, 
/**
 * They were opted out in this scope before; the record is the new one now.
 */
renewed: number, 
/**
 * The first of them.
 */
records: Array<OptOutRecord>, };

export type OptOutCheck = { 
/**
 * None begins a look-up; the number it is answered with goes on with it.
 */
lookup: number | null, 
/**
 * At most 2,000 at a time, 100,000 in all.
 */
numbers: Array<string>, region: string | null, };

export type OptOutCheckAnswer = { lookup: number, totals: CheckTotals, };

export type OptOutCheckPage = { lookup: number, only: CheckVerdict | null, page_number: number, page_size: number, };

export type OptOutCheckPageAnswer = { total_items: number, total_pages: number, items: Array<CheckLine>, totals: CheckTotals, 
/**
 * When it was looked up.
 */
at: Timestamp, 
/**
 * Something was changed in the account since.
 */
is_stale: boolean, };

export type OptOutEntry = { number: string, channels: Array<Channel>, 
/**
 * None: the whole account.
 */
asset: string | null, };

export type OptOutEventKind = "known" | "added" | "removed" | "renewed";

export type OptOutEvidence = { 
/**
 * What to call the file.
 */
name: string, kind: EvidenceFormat, text: string, lines: number, last_hash: string, };

export type OptOutEvidenceGet = { number: string | null, channel: Channel | null, from: string | null, to: string | null, format: EvidenceFormat, region: string | null, };

export type OptOutGoing = { record: OptOutRecord, 
/**
 * False: it goes because the interface cannot leave it.
 */
is_asked: boolean, };

export type OptOutImport = { import: number, 
/**
 * How many opt-outs will be added, typed by the person.
 */
typed_count: number, reason: string, };

export type OptOutImportFile = { 
/**
 * An import that was opened for opt-outs and is read.
 */
import: number, region: string | null, 
/**
 * For rows that name no channel; SMS when there is none.
 */
channels: Array<Channel>, 
/**
 * None: found out.
 */
columns: ImportColumns | null, };

export type OptOutImportPreview = { 
/**
 * Lines, or cells with tabs, commas, semicolons or bars between them.
 */
text: string, region: string | null, 
/**
 * For rows that name no channel; SMS when there is none.
 */
channels: Array<Channel>, 
/**
 * None: found out.
 */
columns: ImportColumns | null, };

export type OptOutImportPreviewAnswer = { import: number, separator: PastedSeparator, columns: ImportColumns, width: number, head: Array<string> | null, sample: Array<Array<string>>, counts: ImportCounts, };

export type OptOutImportRows = { import: number, status: ImportStatus | null, page_number: number, page_size: number, };

export type OptOutImportRowsAnswer = { total_items: number, total_pages: number, items: Array<ImportRow>, };

export type OptOutImported = { added: number, };

export type OptOutItem = { 
/**
 * Who brought it in last, and why.
 */
source: Source | null, reason: string | null, 
/**
 * In how many lists the number stands.
 */
lists: number, 
/**
 * E.164.
 */
number: string, region: string | null, channel: Channel, scope: Scope, 
/**
 * The number of the asset it is for.
 */
scope_number: string | null, kind: OptOutType, inbound: Inbound | null, time: Timestamp, };

export type OptOutKey = { 
/**
 * E.164.
 */
number: string, channel: Channel, 
/**
 * None: the account's record.
 */
asset: string | null, };

export type OptOutPage = { 
/**
 * Part of a number, in any spelling.
 */
number: string | null, kind: OptOutType | null, channel: Channel | null, scope: OptOutScope | null, 
/**
 * The asset that a record is for, or that received it.
 */
asset: string | null, 
/**
 * Part of that asset's number.
 */
inbound_number: string | null, from: string | null, to: string | null, order: SortOrder, page_number: number, page_size: number, };

export type OptOutPageAnswer = { total_items: number, total_pages: number, items: Array<OptOutItem>, };

export type OptOutReach = "none" | "asset" | "account";

export type OptOutRecord = { 
/**
 * E.164.
 */
number: string, region: string | null, channel: Channel, scope: Scope, 
/**
 * The number of the asset it is for.
 */
scope_number: string | null, kind: OptOutType, inbound: Inbound | null, time: Timestamp, };

export type OptOutRemovalPreview = { count: number, 
/**
 * How many of them were not asked for.
 */
taken_along: number, 
/**
 * By number; the first thousand.
 */
records: Array<OptOutGoing>, 
/**
 * Numbers without such a record.
 */
not_found: Array<string>, 
/**
 * What is no number.
 */
invalid: Array<string>, 
/**
 * Stands for exactly these records.
 */
stamp: string, };

export type OptOutRemovalPreviewGet = { what: OptOutUnwanted, };

export type OptOutRemove = { what: OptOutUnwanted, 
/**
 * Count and stamp of the preview.
 */
expected_count: number, stamp: string, reason: string, };

export type OptOutRemoved = { removed: number, };

export type OptOutScope = "account" | "asset";

export type OptOutStates = { 
/**
 * E.164.
 */
number: string, sms: ChannelState, whatsapp: ChannelState, };

export type OptOutStatesAnswer = { 
/**
 * Only of numbers that are opted out of something.
 */
states: Array<OptOutStates>, };

export type OptOutStatesGet = { 
/**
 * E.164.
 */
numbers: Array<string>, };

export type OptOutTimeline = { 
/**
 * E.164.
 */
number: string, region: string, states: OptOutStates, records: Array<OptOutRecord>, 
/**
 * In how many lists it stands.
 */
lists: number, 
/**
 * Newest first.
 */
events: Array<OptOutTold>, };

export type OptOutTimelineGet = { number: string, region: string | null, };

export type OptOutTold = { id: number, at: Timestamp, source: Source, 
/**
 * The act that did it, `undo` when it was taken back.
 */
act: string | null, action: OptOutEventKind, channel: Channel, scope: Scope, scope_number: string | null, kind: OptOutType, inbound: Inbound | null, opted_out_at: Timestamp, reason: string | null, };

export type OptOutType = "keyword" | "web_opt_out" | "account_import" | "api_import";

export type OptOutUnwanted = { "numbers": OptOutUnwantedNumbers } | { "records": Array<OptOutKey> };

export type OptOutUnwantedNumbers = { numbers: Array<string>, 
/**
 * None: both.
 */
channel: Channel | null, 
/**
 * None: every record on the channel.
 */
asset: string | null, region: string | null, };

export type Outcome = "imported" | "merged" | "skipped" | "failed";

export type Overview = { account: Account, counts: Counts, };

export type OverviewGet = Record<symbol, never>;

export type OverviewRecent = { 
/**
 * Records to be sent to the service; none where the account belongs to none.
 */
changes: number, 
/**
 * Questions that a pull left.
 */
questions: number, 
/**
 * Opt-outs that were recorded on each day and are in force.
 */
opt_outs: number[], clicks: number[], 
/**
 * Of jobs that ended yesterday or today.
 */
jobs: JobResults, 
/**
 * The lists with most drafts.
 */
drafts: Array<ListDrafts>, rejected_rows: number, };

export type OverviewRecentGet = { 
/**
 * When the last days began where the person is, today last: at most 366.
 */
days: Array<Timestamp>, };

export type Part = { name: string, count: number, };

export type PasteFault = { 
/**
 * Counted from zero.
 */
row: number, faults: Array<FieldFault>, };

export type PasteRow = { 
/**
 * Counted from zero.
 */
row: number, numbers: Array<string>, 
/**
 * A contact of the list has one of them.
 */
is_in_list: boolean, 
/**
 * One of them is opted out of its channel.
 */
is_opted_out: boolean, };

export type PastedSeparator = "tab" | "semicolon" | "comma" | "pipe" | "none";

export type PathShown = { operation: string, 
/**
 * As the interface has it.
 */
usual: string, 
/**
 * As this service has it.
 */
path: string, };

export type PathWanted = { operation: string, path: string, };

export type PlanAlternative = { list: SyncList, choice: PlanChoice, calls: number, instead_of: number, };

export type PlanBlocked = { key: RecordKey, title: string, obstacle: PlanObstacle, fields: Array<string>, 
/**
 * How many have the same obstacle with the same choices.
 */
count: number, choices: Array<PlanOption>, chosen: PlanChoice | null, };

export type PlanBody = { method: string, url: string, 
/**
 * Its first rows.
 */
body: string | null, rows: number, shown: number, 
/**
 * The same as a command line, with dots for the key.
 */
curl: string, };

export type PlanBodyGet = { plan: number, step: number, 
/**
 * Numbers with dots in their middle.
 */
masked: boolean, };

export type PlanChoice = "keep_local" | "replace" | "keep_both" | "alias" | "recreate" | "discard" | "delete_anyway";

export type PlanChoose = { key: RecordKey, 
/**
 * Null takes a choice back.
 */
choice: PlanChoice | null, 
/**
 * All with the same obstacle.
 */
alike: boolean, };

export type PlanExport = { plan: number, format: TextFormat, };

export type PlanGate = { gate: PlanGateKind, title: string, rows: number, 
/**
 * What must be typed.
 */
wanted: string, };

export type PlanGateKind = "many_deletions" | "list_deletion" | "sender_deletion" | "opt_out_removal";

export type PlanGet = { 
/**
 * Null: the newest.
 */
plan: number | null, };

export type PlanHold = { plan: number, step: number, held: boolean, };

export type PlanLane = { operation: string, calls: number, seconds: number, };

export type PlanNote = { 
/**
 * The first of them by name.
 */
title: string, text: PlanTold, count: number, };

export type PlanObstacle = "clearing" | "number" | "unknown_field" | "no_key" | "key_taken" | "rename" | "link_edit" | "only_account_level" | "unnamed_asset" | "conflicts_inside";

export type PlanOption = { choice: PlanChoice, calls: number, };

export type PlanRefused = { key: RecordKey, title: string, list: SyncList | null, faults: Array<string>, };

export type PlanShown = { id: number, at: Timestamp, is_stale: boolean, steps: Array<PlanStep>, writes: number, reads: number, seconds: number, lanes: Array<PlanLane>, conflicts: number, blocked: Array<PlanBlocked>, 
/**
 * The first of them; `refused_count` says how many there are.
 */
refused: Array<PlanRefused>, refused_count: number, notes: Array<PlanNote>, gates: Array<PlanGate>, alternatives: Array<PlanAlternative>, };

export type PlanStanding = { id: number, is_stale: boolean, };

export type PlanStep = { id: number, 
/**
 * Steps of one line: deletions of contacts of one list are shown as one.
 */
ids: Array<number>, operation: string, kind: PlanStepKind, 
/**
 * A list's name, a number, a title.
 */
title: string, 
/**
 * Contacts or numbers in it.
 */
rows: number, after: Array<number>, 
/**
 * A second time changes nothing more.
 */
is_repeatable: boolean, why: PlanWhy, 
/**
 * The fields that an update sends.
 */
fields: Array<string>, };

export type PlanStepKind = "opt_out_create" | "list_create" | "link_create" | "link_delete" | "sender_delete" | "contacts_create" | "contacts_update" | "contacts_upload" | "contact_delete" | "list_delete" | "opt_out_delete";

export type PlanTold = "deletion_dropped" | "form_taken" | "removal_cancelled" | "no_evidence" | "held" | "waiting";

export type PlanWhy = "made_here" | "changed_here" | "deleted_here" | "replaced" | "recreated";

export type PreferencesAnswer = { preferences: Record<string, unknown>, };

export type PreferencesGet = Record<symbol, never>;

export type PreferencesPut = { 
/**
 * Merged key by key; a null takes a key away.
 */
patch: Record<string, unknown>, };

export type PulledBeside = { noun: SyncNoun, count: number, };

export type PulledList = { uid: string, name: string, how: ListRead, };

export type ReadinessCounts = { opted_out: number, no_number: number, invalid: number, landline: number, duplicate: number, ready: number, };

export type RecordChoice = "recreate" | "discard" | "delete_anyway" | "create_again" | "let_go";

export type RecordEvent = { at: Timestamp, source: Source, step: number, act: string, kind: Action, fields: Array<RecordField>, };

export type RecordField = { field: string, before: string | null, after: string | null, };

export type RecordKey = { noun: SyncNoun, id: string, };

export type RefusedFault = { field: string | null, message: string, advice: string, };

export type RefusedMend = { key: RecordKey, field: string, 
/**
 * Null or empty: no value.
 */
value: string | null, };

export type RefusedPage = { total: number, rows: Array<RefusedRow>, };

export type RefusedResend = { keys: Array<RecordKey>, };

export type RefusedRow = { key: RecordKey, uid: string | null, title: string, list: SyncList | null, run: number, 
/**
 * As it is here now.
 */
values: Array<SyncValue>, faults: Array<RefusedFault>, 
/**
 * It was changed since, so the next plan sends it.
 */
is_mended: boolean, };

export type RehearsedRow = { 
/**
 * From 0, in all files one behind the other.
 */
row: number, file: number, 
/**
 * Its line in a text, its row in a sheet, from 1.
 */
place: number, 
/**
 * One a column.
 */
cells: Array<string>, 
/**
 * The person mended it here.
 */
is_mended: boolean, bucket: ImportBucket, reason: ImportRowReason | null, 
/**
 * E.164, by which it is compared.
 */
number: string | null, 
/**
 * The contact of the list that has its number; the first of several.
 */
contact: string | null, 
/**
 * How many contacts of the list have its number.
 */
contacts: number, 
/**
 * The row that is taken in its place.
 */
twin: number | null, is_opted_out: boolean, 
/**
 * Channels that it opts out of.
 */
consents: Array<Channel>, changes: Array<ImportRowChange>, 
/**
 * As they would be stored.
 */
values: Array<ImportRowValue>, };

export type RemovalConfirmed = { typed_count: number, reason: string, };

export type RequestBody = { state: BodyState, text: string, 
/**
 * Its true length.
 */
bytes: number, };

export type RequestChange = { change: StepChange, 
/**
 * What it was done to, by name.
 */
subject: string | null, 
/**
 * Field by field, where it was one record and is remembered.
 */
event: RecordEvent | null, };

export type RequestEffects = { 
/**
 * What was written, in its order.
 */
changes: Array<RequestChange>, 
/**
 * The job it queued, or, of a callback, the one that is told of.
 */
job: RequestJob | null, 
/**
 * Tries of callbacks of that job that are in the journal, the oldest first.
 */
callbacks: Array<RequestLine>, 
/**
 * Of a callback: the request that queued its job.
 */
cause: RequestLine | null, };

export type RequestFault = { path: string, message: string, };

export type RequestJob = { job: Job, 
/**
 * None: no callback is owed, or not yet.
 */
callback: CallbackState | null, next_at: Timestamp | null, tries: Array<Attempt>, };

export type RequestLine = { world: string, 
/**
 * Its place in the journal of its world.
 */
id: number, 
/**
 * When it began by its world's clock, with nanoseconds.
 */
at: string, 
/**
 * The same by the system's clock, in microseconds since 1970.
 */
real_at: number, 
/**
 * `in`, or `out` for a callback.
 */
direction: string, method: string, 
/**
 * Path and query; of a callback the whole address.
 */
target: string, operation: string | null, status: number | null, micros: number, bytes_in: number, bytes_out: number, 
/**
 * The beginning of the key.
 */
key: string | null, refused: RequestRefused | null, 
/**
 * The rule for faults that met it.
 */
rule: string | null, 
/**
 * Of a callback: which try it was.
 */
attempt: number | null, job: number | null, };

export type RequestMeant = { status: number, body: RequestBody, };

export type RequestMessage = { 
/**
 * Names and values; secrets are masked.
 */
headers: Array<[string, string]>, body: RequestBody, };

export type RequestRefused = { 
/**
 * gate, route, method, key, limits, fault, parsing, validation, not_found, conflict, server, receiver, caller
 */
check: string, words: string, };

export type RequestWhole = { line: RequestLine, request: RequestMessage, response: RequestMessage, 
/**
 * The first broken rules and their places.
 */
faults: Array<RequestFault>, faults_total: number, 
/**
 * What would have been answered, had no rule stood in the way.
 */
meant: RequestMeant | null, effects: RequestEffects, 
/**
 * The same request for a shell, secrets as variables.
 */
curl: string, };

export type RuleSettles = { mine: number, theirs: number, non_empty: number, longer: number, };

export type RunAttempt = { id: number, step: number, operation: string, began_at: Timestamp, ended_at: Timestamp | null, verdict: string | null, status: number | null, code: string | null, trace_id: string | null, body_hash: string, };

export type RunAttemptsGet = { run: number, 
/**
 * Null: of all.
 */
step: number | null, };

export type RunCounts = { waiting: number, sent: number, accepted: number, verified: number, rejected: number, uncertain: number, cancelled: number, };

export type RunId = { run: number, };

export type RunLane = { operation: string, calls_per_second: number, done: number, total: number, in_flight: number, 
/**
 * Throttled: it waits so long yet.
 */
waits_ms: number | null, };

export type RunReport = { run: number, format: TextFormat, };

export type RunShown = { 
/**
 * This program works on it right now.
 */
is_at_work: boolean, steps: Array<RunStep>, counts: RunCounts, lanes: Array<RunLane>, 
/**
 * What it is at: the title of a step.
 */
current: string | null, rows_per_second: number | null, seconds_left: number | null, id: number, plan: number, state: RunState, started_at: Timestamp, ended_at: Timestamp | null, 
/**
 * What it waits for, or why it ended early.
 */
why: string | null, step_count: number, rows: number, requests: number, refused: number, };

export type RunStanding = { id: number, state: RunState, };

export type RunStart = { plan: number, 
/**
 * What the gates ask for.
 */
typed: Array<string>, };

export type RunState = "running" | "paused" | "cancelled" | "done" | "in_doubt";

export type RunStep = { 
/**
 * Of several, the least settled.
 */
state: RunStepState, 
/**
 * Of several, how many are settled.
 */
settled: number, reason: string | null, requests: number, trace_id: string | null, id: number, 
/**
 * Steps of one line: deletions of contacts of one list are shown as one.
 */
ids: Array<number>, operation: string, kind: PlanStepKind, 
/**
 * A list's name, a number, a title.
 */
title: string, 
/**
 * Contacts or numbers in it.
 */
rows: number, after: Array<number>, 
/**
 * A second time changes nothing more.
 */
is_repeatable: boolean, why: PlanWhy, 
/**
 * The fields that an update sends.
 */
fields: Array<string>, };

export type RunStepState = "ready" | "intent" | "sent" | "accepted" | "verified" | "rejected" | "uncertain" | "cancelled";

export type RunSummary = { id: number, plan: number, state: RunState, started_at: Timestamp, ended_at: Timestamp | null, 
/**
 * What it waits for, or why it ended early.
 */
why: string | null, step_count: number, rows: number, requests: number, refused: number, };

export type RunUndone = { count: number, 
/**
 * What cannot be brought back, in words; the first hundred.
 */
lost: Array<string>, lost_count: number, };

export type Scope = "account" | { "asset": AssetId };

export type ScopeList = { uid: string, name: string, };

export type SearchAnswer = { hits: Array<Hit>, 
/**
 * Ask again with it for more, also when nothing was found yet: each call looks through a stretch. Null: the end.
 */
next: string | null, };

export type SearchEverything = { 
/**
 * A number in any spelling, part of a name, a title or any text, or a whole uid.
 */
text: string, 
/**
 * Null: everything.
 */
noun: SearchNoun | null, 
/**
 * `next` of the last answer; null: from the beginning.
 */
after: string | null, limit: number, };

export type SearchNoun = "list" | "contact" | "custom_field" | "opt_out" | "short_link" | "sender" | "asset";

export type SendPreview = { 
/**
 * Contacts that would go to the list.
 */
contacts: number, 
/**
 * Contacts that the list has.
 */
in_list: number, 
/**
 * Contacts with a number that is in the list already, on either channel.
 */
clashing: number, 
/**
 * Contacts whose phone number is there already, or comes twice: those that are skipped or merged, if that is wanted.
 */
repeated: number, 
/**
 * Contacts that are opted out of a channel.
 */
opted_out: number, };

export type SendRule = "send" | "hold";

export type Sender = { id: SenderId, name: string, status: SenderStatus, };

export type SenderDelete = { id: string, typed_name: string, };

export type SenderDone = Record<symbol, never>;

export type SenderHistory = { id: SenderId | null, name: string, 
/**
 * Newest first.
 */
events: Array<RecordEvent>, };

export type SenderHistoryGet = { id: string | null, 
/**
 * Finds one that is gone by the name it had.
 */
name: string | null, };

export type SenderId = string;

export type SenderKey = { id: string, };

export type SenderPage = { 
/**
 * Part of the name, in any case.
 */
name: string | null, status: SenderStatus | null, page_number: number, page_size: number, };

export type SenderPageAnswer = { total_items: number, total_pages: number, 
/**
 * Newest first.
 */
items: Array<Sender>, };

export type SenderRequest = { name: string, };

export type SenderStatus = "Pending" | "Verified";

export type ServerNothing = Record<symbol, never>;

export type ServerOperate = { method: OperateMethod, 
/**
 * Path and query, from `/__admin/` on.
 */
target: string, 
/**
 * JSON; null for none.
 */
body: unknown, };

export type ServerRecord = { on: boolean, };

export type ServerRequest = { world: string, id: number, };

export type ServerRequestPage = { is_recording: boolean, 
/**
 * Lines that fit, on every page.
 */
matching: number, 
/**
 * Lines that gave way to newer ones.
 */
dropped: number, 
/**
 * Newest first.
 */
items: Array<RequestLine>, };

export type ServerRequests = { 
/**
 * How many of the newest are passed over.
 */
skip: number, limit: number, 
/**
 * Only what began by then, in microseconds since 1970 by the system's clock: what is looked at stays in its place.
 */
until: number | null, 
/**
 * Of one world; none: of all.
 */
world: string | null, 
/**
 * Only those that a rule for faults met.
 */
is_ruled: boolean, 
/**
 * Part of address, method, operation, key or reason, in any case.
 */
text: string | null, 
/**
 * An operation, or a group of them: `lists`, `admin`.
 */
operation: string | null, status: StatusClass | null, };

export type ServerRunning = { url: string, world: ServerWorld, since: Timestamp, 
/**
 * Calls of the interface and of short URLs since then.
 */
requests: number, 
/**
 * False where the page itself comes from this server.
 */
can_stop: boolean, };

export type ServerSet = { name: string, 
/**
 * A text, a number, or a list.
 */
value: unknown, };

export type ServerSetting = { name: string, doc: string, 
/**
 * The values it takes, in words.
 */
values: string, 
/**
 * The values to choose from, where they can be counted.
 */
choices: Array<string>, 
/**
 * Keys are shown by their beginning.
 */
value: unknown, default: unknown, };

export type ServerStart = { 
/**
 * 0 picks a free one.
 */
port: number, world: ServerWorld, 
/**
 * Whether a scratch world begins as a copy of the account.
 */
is_copy: boolean, is_recording: boolean, };

export type ServerStatus = { running: ServerRunning | null, 
/**
 * Where it runs; otherwise the one to try next, which after a refused start is one that is free.
 */
port: number, is_recording: boolean, };

export type ServerWorld = "account" | "scratch";

export type SharedNumber = "phone" | "whatsapp" | "both";

export type ShortLinkClickSeries = { uid: string, 
/**
 * The last so many, today included; at most 366.
 */
days: number, };

export type ShortLinkClicks = { uid: string, page_number: number, page_size: number, };

export type ShortLinkClicksAnswer = { total_items: number, total_pages: number, 
/**
 * Newest first.
 */
items: Array<Click>, };

export type ShortLinkCreate = { links: Array<ShortLinkNew>, };

export type ShortLinkDelete = { uids: Array<string>, };

export type ShortLinkDeleted = { deleted: number, 
/**
 * Clicks that went with them.
 */
clicks: number, };

export type ShortLinkGet = { uid: string, };

export type ShortLinkNew = { title: string, target_url: string, tags: Array<string>, track_clicks: boolean, };

export type ShortLinkPage = { 
/**
 * Words, each found in the title or a tag, give or take one slip.
 */
query: string | null, 
/**
 * All of them must be there, exactly.
 */
tags: Array<string>, from: string | null, to: string | null, order: SortOrder, page_number: number, page_size: number, };

export type ShortLinkPageAnswer = { total_items: number, total_pages: number, items: Array<LinkItem>, };

export type ShortLinkSameTarget = { targets: Array<string>, };

export type ShortLinkTags = { 
/**
 * How a tag begins, in any case.
 */
prefix: string, };

export type ShortLinkTagsAnswer = { 
/**
 * The most used first, fifty at most.
 */
tags: Array<TagInUse>, };

export type ShortLinks = { links: Array<LinkItem>, };

export type SortOrder = "ASC" | "DESC";

export type Source = "user" | "import" | "sync" | "interface" | "operator" | "job";

export type StatusClass = "2xx" | "3xx" | "4xx" | "5xx" | "none";

export type Step = { id: number, at: Timestamp, source: Source, 
/**
 * A command's name, or `<noun>_<action>`.
 */
act: string, 
/**
 * What it was done to, by name.
 */
subject: string | null, uid: string | null, 
/**
 * How many things it was done to.
 */
count: number, reason: string | null, state: StepStanding, 
/**
 * The step that was undone, redone or restored by it.
 */
of: number | null, 
/**
 * The noun it put into the trash.
 */
trash: Noun | null, 
/**
 * Its rows are still remembered: it can be undone, or brought back.
 */
is_remembered: boolean, };

export type StepChange = { noun: Noun, action: Action, uid: string | null, count: number, };

export type StepStanding = "done" | "undone" | "dropped" | "note";

export type SuggestedMerge = { survivor: ContactId, 
/**
 * Whose value each field gets, by its name; fields that nobody has are left out.
 */
fields: { [field: string]: string }, };

export type SurvivorRule = "most_complete" | "newest" | "oldest" | "opted_out";

export type SyncCount = { count: number, };

export type SyncDone = Record<symbol, never>;

export type SyncEnded = { id: number, kind: SyncKind, 
/**
 * Which run it was.
 */
run: number | null, 
/**
 * It was stopped before it was done, or failed.
 */
is_cut_short: boolean, };

export type SyncFailed = { kind: SyncFailedKind, message: string, advice: string | null, at: Timestamp, 
/**
 * The same once more would end the same way.
 */
is_permanent: boolean, };

export type SyncFailedKind = "unreachable" | "throttled" | "key_refused" | "no_key" | "sealed" | "keyring" | "held" | "gate" | "not_permitted" | "wrong_address" | "redirected" | "read_only" | "stale" | "run_open" | "not_connected" | "account" | "other";

export type SyncKind = "pull" | "run" | "probe";

export type SyncLeft = { left: number, };

export type SyncList = { id: number, uid: string, name: string, };

export type SyncNothing = Record<symbol, never>;

export type SyncNoun = "opt_out" | "list" | "contact" | "short_link" | "sender";

export type SyncPull = { 
/**
 * One list of contacts by its uid here; null: everything.
 */
list: string | null, 
/**
 * Also what looks unchanged.
 */
full: boolean, 
/**
 * A person has seen that much is gone, and means it.
 */
believe: boolean, };

export type SyncPulled = { at: Timestamp, added: number, changed: number, removed: number, 
/**
 * Questions that stand after it, old and new.
 */
conflicts: number, 
/**
 * What is another here beside contacts; kinds of which nothing is are left out.
 */
beside: Array<PulledBeside>, 
/**
 * Records of kinds that this Roost does not know; they are left alone.
 */
aside: number, lists: Array<PulledList>, 
/**
 * So much of them is gone that a person is asked first.
 */
doubtful: Array<SyncNoun>, 
/**
 * How many records would be removed here if that were believed; of lists their contacts, too.
 */
gone: Array<PulledBeside>, 
/**
 * The service gave another number of them than it claims to have, so nothing of them was removed here.
 */
drifting: Array<SyncNoun>, 
/**
 * Opt-outs at the service that name no number, and so cannot block one.
 */
unnamed: number, 
/**
 * Contacts among the added ones that were deleted here and are back, because they were changed at the service.
 */
brought_back: number, 
/**
 * Names of the lists that were removed here.
 */
removed_lists: Array<string>, };

export type SyncRetry = { 
/**
 * The first retry is 1.
 */
number: number, 
/**
 * What the service answered, if anything.
 */
status: number | null, };

export type SyncScope = { place: SyncNoun, list: ScopeList | null, total: number | null, checked_at: Timestamp | null, full_at: Timestamp | null, 
/**
 * Pages that a reading under way has behind it.
 */
page: number, };

export type SyncStatus = { is_connected: boolean, read_only: boolean, 
/**
 * The key can be used without asking anybody.
 */
is_key_ready: boolean, pulled_at: Timestamp | null, 
/**
 * Records that differ from what both sides agreed on, but for those that a person chose to keep as they are here.
 */
changes: number, held: number, conflicts: number, 
/**
 * Questions that were answered and wait for the next push or pull.
 */
answered: number, 
/**
 * Records that the service refused, and those of the last run's failed steps that still differ.
 */
refused: number, 
/**
 * The last reading left something open: `SyncPulled` says what.
 */
is_doubtful: boolean, 
/**
 * The run that has not ended.
 */
run: RunStanding | null, 
/**
 * The newest plan, unless it was begun.
 */
plan: PlanStanding | null, work: SyncWork | null, ended: SyncEnded | null, 
/**
 * Of the last work, until the next begins.
 */
failed: SyncFailed | null, };

export type SyncValue = { field: string, 
/**
 * The label of a custom field; otherwise the field's name.
 */
title: string, value: string | null, };

export type SyncWindow = { from: number, 
/**
 * At most 200.
 */
count: number, };

export type SyncWork = { id: number, kind: SyncKind, 
/**
 * What kind of records it is at; none: all of them.
 */
place: SyncNoun | null, 
/**
 * The name of the list it is at, or nothing.
 */
what: string, page: number, pages: number | null, 
/**
 * Contacts read or sent so far.
 */
rows: number, rows_total: number | null, started_at: Timestamp, elapsed_ms: number, 
/**
 * It was told to end and has not ended yet.
 */
is_ending: boolean, 
/**
 * What is read did not come, and is tried again.
 */
retry: SyncRetry | null, };

export type TagInUse = { tag: string, count: number, };

export type Task = { id: number, 
/**
 * The command's name.
 */
name: string, started_at: Timestamp, elapsed_ms: number, 
/**
 * Rows changed so far.
 */
rows: number, 
/**
 * How many it will be, where that is known.
 */
total: number | null, 
/**
 * It was told to end and has not ended yet.
 */
is_ending: boolean, };

export type TaskCancel = { id: number, };

export type TaskCancelAnswer = { 
/**
 * False when it had ended already, or has not begun.
 */
cancelled: boolean, };

export type TaskCancelCall = { 
/**
 * What the page sent the call under.
 */
origin: string, };

export type TaskList = Record<symbol, never>;

export type TaskListAnswer = { 
/**
 * Those that run for long, the oldest first.
 */
tasks: Array<Task>, 
/**
 * Contact jobs that wait or run.
 */
jobs_waiting: number, };

export type Tested = { operation: string, 
/**
 * Lists the account there has, when it answered.
 */
lists: number | null, 
/**
 * Of the answer that said no.
 */
status: number | null, advice: string | null, ms: number, };

export type TextExtract = { regex: string, into: string, };

export type TextFormat = "markdown" | "json";

export type TextJoin = { from: Array<string>, by: string, into: string, };

export type TextReplace = { find: string, 
/**
 * With `regex` it may name groups: `$1`.
 */
with: string, regex: boolean, whole_cell: boolean, case: boolean, };

export type TextSaved = { 
/**
 * `unsupported`: the page saves `text` under `name`.
 */
outcome: FileOutcome, path: string | null, name: string, text: string | null, };

export type TextSplit = { 
/**
 * A blank stands for any number of them.
 */
by: string, into: Array<string>, };

export type Timestamp = string;

export type Topic = Noun | Beside;

export type TrashPage = { noun: Noun | null, page_number: number, page_size: number, };

export type TrashPageAnswer = { total_items: number, total_pages: number, 
/**
 * The acts that deleted, newest first.
 */
items: Array<Step>, };

export type TrashPurge = { steps: Array<number>, 
/**
 * How many things are deleted for good, typed by the person: the steps' counts together.
 */
typed_count: number, };

export type TrashPurged = { purged: number, };

export type TrashRestore = { step: number, };

export type UiStateAnswer = { 
/**
 * A key that holds nothing is left out.
 */
values: Record<string, unknown>, };

export type UiStateGet = { keys: Array<string>, };

export type UiStateKept = Record<symbol, never>;

export type UiStatePut = { key: string, 
/**
 * Null forgets the key.
 */
value: unknown, };

export interface Commands {
  /** The open account, and every other that is known. */
  account_list: { request: AccountList; response: AccountListAnswer }
  /** Makes an account, empty or with sample data, and opens it. */
  account_create: { request: AccountCreate; response: Account }
  /** Opens an account file in the place of what is open. */
  account_open: { request: AccountPath; response: Account }
  /** Opens the account once more after what kept it closed was cured. */
  account_retry: { request: AccountRetry; response: Account }
  /** Closes the account; nothing is open then. */
  account_close: { request: AccountClose; response: AccountDone }
  /** Gives the open account another name. Its file keeps its own. */
  account_rename: { request: AccountRename; response: Account }
  /** Gives the open account another colour. */
  account_recolour: { request: AccountRecolour; response: Account }
  /** Chooses the country of the open account: numbers without a country code are read as numbers of it. */
  account_set_country: { request: AccountSetCountry; response: Account }
  /** The country that numbers without a country code are read in. */
  account_country: { request: AccountCountryGet; response: AccountCountry }
  /** Copies an account with everything in it under a new name. The copy is not opened. */
  account_duplicate: { request: AccountDuplicate; response: KnownAccount }
  /** Takes an account off the list; its file stays. */
  account_forget: { request: AccountPath; response: AccountDone }
  /** Shows an account's file in the file manager. */
  account_reveal: { request: AccountPath; response: AccountDone }
  /** Lets the person choose an account file by a dialog. */
  account_pick: { request: AccountPick; response: AccountPicked }
  /** Whether there is a desktop behind the page. */
  desktop_get: { request: DesktopGet; response: Desktop }
  /** Tells the person something while they look elsewhere. */
  desktop_notify: { request: DesktopNotify; response: DesktopNotified }
  /** Opens one more window. */
  desktop_new_window: { request: DesktopNewWindow; response: DesktopDone }
  /** Opens a web address in the browser. */
  desktop_browse: { request: DesktopBrowse; response: DesktopDone }
  /** Saves a file where the person chooses. */
  file_save: { request: FileSave; response: FileSaved }
  /** What the person prefers in every account. */
  preferences_get: { request: PreferencesGet; response: PreferencesAnswer }
  /** Changes some preferences. */
  preferences_put: { request: PreferencesPut; response: PreferencesAnswer }
  /** What pages of this account kept under some keys. */
  ui_state_get: { request: UiStateGet; response: UiStateAnswer }
  /** Keeps something for a page of this account. */
  ui_state_put: { request: UiStatePut; response: UiStateKept }
  /** The commands that run for long, and the jobs that wait. */
  task_list: { request: TaskList; response: TaskListAnswer }
  /** Ends a command that runs. */
  task_cancel: { request: TaskCancel; response: TaskCancelAnswer }
  /** Ends a call of the page that nobody waits for any more. */
  task_cancel_call: { request: TaskCancelCall; response: TaskCancelAnswer }
  /** The account and how much of everything it holds. */
  overview_get: { request: OverviewGet; response: Overview }
  /** What came in lately, day by day, and what waits for a person. */
  overview_recent: { request: OverviewRecentGet; response: OverviewRecent }
  /** Finds lists, contacts, fields, opt-outs, links, senders and assets; what is indexed comes first. */
  search_everything: { request: SearchEverything; response: SearchAnswer }
  /** One page of the contact lists, each with its alias, note and pin. */
  list_page: { request: ListPage; response: ListPageAnswer }
  /** One list. */
  list_get: { request: ListUid; response: ListCard }
  /** What a list holds in numbers. */
  list_facts: { request: ListUid; response: ListFacts }
  /** How many contacts of a list can be messaged on each channel and from each number, and why the others cannot. */
  list_readiness: { request: ListUid; response: ListReadiness }
  /** The pinned lists, in the order they were pinned. */
  list_pins: { request: ListPins; response: Array<ListCard> }
  /** Makes an empty contact list. */
  list_create: { request: ListCreate; response: List }
  /** Pins a list to the side of the window, or unpins it. Local only. */
  list_pin: { request: ListPin; response: ListCard }
  /** Keeps an alias and a note beside a list. Local only. */
  list_note: { request: ListNote; response: ListCard }
  /** Gives a list another name, which the interface cannot. */
  list_rename: { request: ListName; response: List }
  /** Makes a copy of a list with all its contacts. */
  list_duplicate: { request: ListName; response: List }
  /** What the contacts of some lists would meet in the one they were put into. */
  list_merge_preview: { request: ListMergePreview; response: SendPreview }
  /** Puts the contacts of some lists into one. */
  list_merge: { request: ListMerge; response: ListFilled }
  /** The lists that splitting would make. */
  list_split_preview: { request: ListSplit; response: ListSplitPreview }
  /** Cuts a list in parts. */
  list_split: { request: ListSplit; response: ListSplitAnswer }
  /** How many contacts a set of lists would hold. */
  list_combine_preview: { request: ListCombinePreview; response: ListCombineCount }
  /** Makes a new list of a set of lists. */
  list_combine: { request: ListCombine; response: ListFilled }
  /** Deletes a list with its contacts into the trash. */
  list_delete: { request: ListDelete; response: ListDeleted }
  /** Deletes several lists with their contacts into the trash, in one act. */
  list_delete_many: { request: ListDeleteMany; response: ListDeleted }
  /** One page of a list's contacts. */
  contact_page: { request: ContactPage; response: ContactPageAnswer }
  /** One contact. */
  contact_get: { request: ContactUid; response: ContactCard }
  /** The fields of contacts. */
  contact_fields: { request: ContactFields; response: ContactFieldsAnswer }
  /** Contacts of any list with the same numbers. */
  contact_elsewhere: { request: ContactUid; response: ContactElsewhere }
  /** Every change of a contact. */
  contact_history: { request: ContactUid; response: ContactHistory }
  /** What pasting would do, without doing it. */
  contact_paste_preview: { request: ContactPaste; response: ContactPasted }
  /** Adds pasted contacts in one act; rows with a fault are left out and told. */
  contact_paste: { request: ContactPaste; response: ContactPasted }
  /** Sets some fields of a contact. */
  contact_update: { request: ContactUpdate; response: ContactCard }
  /** What can be said of a number while it is typed. */
  number_read: { request: NumberRead; response: NumberReadAnswer }
  /** The custom fields, in the order of the screen. */
  custom_field_all: { request: CustomFieldAll; response: CustomFieldsAnswer }
  /** How many contacts hold a value of a field, a stretch at a time. */
  custom_field_uses: { request: CustomFieldUses; response: CustomFieldUsesAnswer }
  /** Adds a field under the next number. */
  custom_field_add: { request: CustomFieldAdd; response: CustomField }
  /** Gives a field another label. */
  custom_field_rename: { request: CustomFieldRename; response: CustomField }
  /** Orders the fields on screen. */
  custom_field_order: { request: CustomFieldOrder; response: CustomFieldsAnswer }
  /** Removes a field and its values into the trash; its number is never used again. */
  custom_field_remove: { request: CustomFieldRemove; response: CustomFieldRemoved }
  /** Opens a view of a list: at once, while its rows are found. */
  grid_open: { request: GridOpen; response: GridOpened }
  /** How a view stands; waits a little for news when asked to. */
  grid_state: { request: GridStateGet; response: GridState }
  /** Builds a view anew; what was there keeps answering until then. */
  grid_refresh: { request: GridView; response: GridDone }
  /** Ends the building of a view. */
  grid_cancel: { request: GridView; response: GridDone }
  /** Lets go of a view. */
  grid_close: { request: GridView; response: GridDone }
  /** Some rows of a view with some columns, as bytes. */
  grid_window: { request: GridWindow; response: Bytes }
  /** The row of a contact in a view. */
  grid_locate: { request: GridLocate; response: GridRow }
  /** The contact of a row. */
  grid_uid: { request: GridUidGet; response: GridUid }
  /** A selection in numbers. */
  grid_summary: { request: GridSummaryGet; response: GridSummary }
  /** The next cell with a text. */
  grid_find: { request: GridFind; response: GridFound }
  /** Where a block of filled or of blank cells of a column ends, as Mod+Arrow jumps to it. */
  grid_edge: { request: GridEdge; response: GridEdgeRow }
  /** How many cells have a text. */
  grid_find_count: { request: GridFindCount; response: GridCounted }
  /** The next cell whose rule refused what was typed. */
  grid_problem: { request: GridProblem; response: GridFound }
  /** The values of a column with how often each stands there. */
  grid_facets: { request: GridFacetsGet; response: GridFacets }
  /** A selection as text for other programs: cells parted by tabs, as bytes. */
  grid_copy: { request: GridCopy; response: Bytes }
  /** Writes what was typed into cells; what a rule refuses is kept as a draft. */
  grid_edit: { request: GridEdit; response: GridEdited }
  /** Does an act to every selected cell, or says what it would do. */
  grid_act: { request: GridAct; response: GridEdited }
  /** Pastes a block of cells; lines behind the last row become new contacts. */
  grid_paste: { request: GridPaste; response: GridPasted }
  /** What a paste would do. */
  grid_paste_preview: { request: GridPaste; response: GridPasted }
  /** The drafts of a row, each with the rule's words. */
  grid_drafts: { request: GridDraftsGet; response: GridDrafts }
  /** Adds a contact behind the last row of a view. */
  grid_add: { request: GridAdd; response: GridAdded }
  /** Deletes rows of a view into the trash. */
  grid_delete: { request: GridDelete; response: GridDeleted }
  /** What rows of a view would meet in another list, if they were moved or copied there. */
  grid_send_preview: { request: GridSendPreview; response: SendPreview }
  /** Moves rows of a view to another list; they keep uid and times. */
  grid_move: { request: GridSend; response: GridSent }
  /** Copies rows of a view to a list, where they are new. */
  grid_copy_to: { request: GridSend; response: GridSent }
  /** How many numbers the contacts of rows have, each of which opting them out is about. */
  grid_opt_out_preview: { request: GridOptOutPreview; response: GridOptOutNumbers }
  /** Opts the contacts of rows out; additions only. */
  grid_opt_out: { request: GridOptOut; response: GridOptedOut }
  /** Freezes rows of a view, or all of it, into a new list of copies. */
  grid_new_list: { request: GridNewList; response: ListFilled }
  /** The saved views of a list. */
  grid_view_list: { request: GridViewList; response: GridSavedViews }
  /** Saves a view of a list under a name. */
  grid_view_save: { request: GridViewSave; response: GridSavedView }
  /** Gives a saved view another name. */
  grid_view_rename: { request: GridViewRename; response: GridSavedView }
  /** Deletes a saved view. */
  grid_view_delete: { request: GridViewDelete; response: GridDone }
  /** Looks for contacts that are the same, in a list or in the whole account, on a thread of its own. */
  duplicate_open: { request: DuplicateOpen; response: DuplicateState }
  /** How a search stands; waits a little for its end when asked to. */
  duplicate_state: { request: DuplicateStateGet; response: DuplicateState }
  /** Searches once more; what was skipped stays skipped. */
  duplicate_refresh: { request: DuplicateSearch; response: DuplicateDone }
  /** Ends a search; what was found before stays. */
  duplicate_cancel: { request: DuplicateSearch; response: DuplicateDone }
  /** Lets go of a search. */
  duplicate_close: { request: DuplicateSearch; response: DuplicateDone }
  /** One page of the groups, the surest first. */
  duplicate_page: { request: DuplicatePage; response: DuplicatePageAnswer }
  /** The contacts of a group side by side, and how they would be merged. */
  duplicate_group: { request: DuplicateGroupGet; response: DuplicateGroupWhole }
  /** Merges a group as it was chosen, in one step. */
  duplicate_merge: { request: DuplicateMerge; response: DuplicateMerged }
  /** Merges all groups that are sure enough by one rule, in one step; or only says what that would do. */
  duplicate_merge_all: { request: DuplicateMergeAll; response: MergedAll }
  /** Puts groups aside for as long as the search is open. */
  duplicate_skip: { request: DuplicateSkip; response: DuplicateDone }
  /** Looks through a list for texts that should be written otherwise, on a thread of its own. */
  clean_open: { request: CleanOpen; response: CleanState }
  /** How a clean-up stands; waits a little for its end when asked to. */
  clean_state: { request: CleanStateGet; response: CleanState }
  /** Looks once more; what was skipped stays skipped. */
  clean_refresh: { request: CleanUp; response: CleanDone }
  /** Ends a look; what was found before stays. */
  clean_cancel: { request: CleanUp; response: CleanDone }
  /** Lets go of a clean-up. */
  clean_close: { request: CleanUp; response: CleanDone }
  /** One page of the suggestions, the biggest effect first. */
  clean_page: { request: CleanPage; response: CleanPageAnswer }
  /** One page of the contacts of a suggestion, as they stand and as they would. */
  clean_rows: { request: CleanRowsGet; response: CleanRowsAnswer }
  /** Mends all or some contacts of a suggestion in one step; or only says what that would do. */
  clean_apply: { request: CleanApply; response: CleanMended }
  /** Puts a suggestion aside for as long as the clean-up is open. */
  clean_skip: { request: CleanSkip; response: CleanDone }
  /** The beginning of an export, and what its form has no place for. */
  export_preview: { request: Export; response: ExportPreview }
  /** Saves contacts as a file where the person chooses. */
  export_run: { request: ExportRun; response: Exported }
  /** Some bytes of such a file, where only the page can save it. */
  export_part: { request: ExportPart; response: Bytes }
  /** Lets go of a file that was fetched. */
  export_discard: { request: ExportFile; response: ExportDone }
  /** Lets the person choose files of contacts by a dialog. */
  import_pick: { request: ImportNothing; response: ImportPaths }
  /** Files of contacts that were given to the program from outside; each is told once. */
  import_offered: { request: ImportNothing; response: ImportPaths }
  /** Begins an import; its files are read at once. */
  import_open: { request: ImportOpen; response: ImportState }
  /** Adds files to an import. */
  import_add: { request: ImportAdd; response: ImportState }
  /** Hands over some bytes of a file. */
  import_upload: { request: ImportUpload; response: ImportUploaded }
  /** How an import stands; waits a little for news when asked to. */
  import_state: { request: ImportStateGet; response: ImportState }
  /** Imports that wait, also since the program ended. */
  import_waiting: { request: ImportNothing; response: ImportWaitingAnswer }
  /** Ends what is under way; what was read before stays. */
  import_cancel: { request: ImportId; response: ImportDone }
  /** Lets go of an import and of everything that was put aside for it. */
  import_discard: { request: ImportId; response: ImportDone }
  /** Reads the files that wait to be read. */
  import_read: { request: ImportId; response: ImportState }
  /** Reads a file in another way. */
  import_source: { request: ImportSourcePut; response: ImportState }
  /** Chooses the sheets of a workbook, or the files of an archive, that are imported. */
  import_parts: { request: ImportPartsPut; response: ImportState }
  /** Takes a file out of an import. */
  import_remove_file: { request: ImportFileKey; response: ImportState }
  /** Rows of a file as they were read, with those above the names of its columns. */
  import_sample: { request: ImportSampleGet; response: ImportSample }
  /** The encodings to choose from. */
  import_encodings: { request: ImportNothing; response: ImportEncodings }
  /** Chooses the list that the rows go into. */
  import_target: { request: ImportTargetPut; response: ImportState }
  /** The columns of an import, and what they mean at present. */
  import_columns: { request: ImportId; response: ImportTable }
  /** Gives the columns a meaning, and shows what the first rows become. */
  import_map: { request: ImportMap; response: ImportMapped }
  /** Mappings under a name. */
  import_profile_list: { request: ImportProfileList; response: ImportProfiles }
  /** Keeps the mapping of an import under a name. */
  import_profile_save: { request: ImportProfileKey; response: ImportDone }
  /** Gives the columns of an import the meaning that was kept under a name. */
  import_profile_use: { request: ImportProfileKey; response: ImportTable }
  /** Forgets a mapping. */
  import_profile_remove: { request: ImportProfileName; response: ImportDone }
  /** Takes in a mapping that somebody shared as a file. */
  import_profile_read: { request: ImportProfileRead; response: ImportProfileNamed }
  /** A mapping as a file to share. */
  import_profile_write: { request: ImportProfileName; response: ImportProfileText }
  /** Begins to find out what would come of every row. */
  import_rehearse: { request: ImportId; response: ImportState }
  /** What would come of the rows, in numbers. */
  import_rehearsal: { request: ImportId; response: ImportRehearsal }
  /** Some rows and what would come of them. */
  import_rows: { request: ImportRowsGet; response: ImportRows }
  /** The next row that needs a look. */
  import_problem: { request: ImportProblemGet; response: ImportProblem }
  /** Mends cells of a row before it is imported, and rehearses anew. */
  import_mend: { request: ImportMend; response: ImportState }
  /** Begins to write what the rehearsal said, in one step. */
  import_accept: { request: ImportAccept; response: ImportState }
  /** Imports that were accepted. */
  import_history: { request: ImportHistory; response: ImportHistoryAnswer }
  /** One of them. */
  import_past: { request: ImportPastId; response: ImportPast }
  /** What taking an import back would do. */
  import_revert_preview: { request: ImportPastId; response: ImportReverted }
  /** Takes an import back, also days later; what was edited since stays. */
  import_revert: { request: ImportPastId; response: ImportReverted }
  /** Rows of an import that were left out. */
  import_rejects: { request: ImportRejectsGet; response: ImportRejects }
  /** Mends cells of such rows. */
  import_rejects_mend: { request: ImportRejectsMend; response: ImportRejectsMended }
  /** Imports those that were mended. */
  import_rejects_accept: { request: ImportRejectsAccept; response: ImportRejectsAccepted }
  /** Lets go of rows that were left out. */
  import_rejects_discard: { request: ImportRejectsDiscard; response: ImportRejectsDiscarded }
  /** Saves the rows that were left out, each with its reason, where the person chooses. */
  import_rejects_save: { request: ImportRejectsSave; response: FileSaved }
  /** The same file, where only the page can save it. */
  import_rejects_file: { request: ImportPastId; response: Bytes }
  /** Whether the local server runs, and where. */
  server_status: { request: ServerNothing; response: ServerStatus }
  /** Starts the REST interface on the open account or on a scratch world. */
  server_start: { request: ServerStart; response: ServerStatus }
  /** Stops it once the requests under way have ended. */
  server_stop: { request: ServerNothing; response: ServerStatus }
  /** The settings of the local server: in force while it runs, else for the next start. */
  server_settings: { request: ServerNothing; response: Array<ServerSetting> }
  /** Changes one of them. */
  server_set: { request: ServerSet; response: Array<ServerSetting> }
  /** Begins or ends the recording of requests. */
  server_record: { request: ServerRecord; response: ServerStatus }
  /** Recorded requests and callbacks, newest first. */
  server_requests: { request: ServerRequests; response: ServerRequestPage }
  /** A recorded request with everything known of it. */
  server_request: { request: ServerRequest; response: RequestWhole }
  /** Does what the operator's side of the local server can, by its own names. */
  server_operate: { request: ServerOperate; response: Operated }
  /** Forgets the recorded requests. */
  server_clear: { request: ServerNothing; response: ServerStatus }
  /** The service that this account belongs to, where its key is kept, and what is known of it. */
  connection_get: { request: SyncNothing; response: ConnectionAnswer }
  /** Connects the account to a service, or says otherwise where and how it is called. */
  connection_save: { request: ConnectionSave; response: ConnectionAnswer }
  /** Lets the account belong to nobody; what both sides agreed on is forgotten, and nothing else. */
  connection_forget: { request: SyncNothing; response: SyncDone }
  /** Puts the key where it is kept. No answer ever carries it. */
  connection_key_set: { request: ConnectionKeySet; response: ConnectionAnswer }
  /** Opens the sealed key for as long as the account is open. */
  connection_key_unlock: { request: ConnectionKeyUnlock; response: ConnectionAnswer }
  /** Forgets the key, here and where it is kept. */
  connection_key_forget: { request: SyncNothing; response: ConnectionAnswer }
  /** One call that changes nothing: address, key and permission are right when it succeeds. */
  connection_test: { request: SyncNothing; response: Tested }
  /** Begins to find out what the service can do. */
  connection_probe: { request: ConnectionProbe; response: SyncDone }
  /** How here and the service stand to each other, and what goes on. */
  sync_status: { request: SyncNothing; response: SyncStatus }
  /** Begins to read the service. */
  sync_pull: { request: SyncPull; response: SyncDone }
  /** Ends what goes on: a reading behind its page; a run sends nothing more. */
  sync_stop: { request: SyncNothing; response: SyncDone }
  /** What the last reading brought. */
  sync_pulled: { request: SyncNothing; response: SyncPulled | null }
  /** When each part of the service was last read. */
  sync_scopes: { request: SyncNothing; response: Array<SyncScope> }
  /** The tree of what was changed here, in numbers. */
  changes_summary: { request: ChangesSummaryGet; response: ChangesSummary }
  /** How many contacts of a list are changed here. */
  changes_count: { request: ChangesCountGet; response: SyncCount }
  /** Some changed records with their values before and after. */
  changes_rows: { request: ChangesRowsGet; response: ChangesPage }
  /** Holds changes back from being sent, or lets them go. */
  changes_hold: { request: ChangesHold; response: SyncCount }
  /** Holds every change of a column back, or lets them go. */
  changes_hold_column: { request: ChangesHoldColumn; response: SyncCount }
  /** Gives up what was changed here, as one step that can be undone. */
  changes_discard: { request: ChangesDiscard; response: ChangesDiscarded }
  /** Some records that both sides changed, each in its way. */
  conflicts_page: { request: ConflictsPageGet; response: ConflictsPage }
  /** Decides about values or records; what is settled by it is merged at once. */
  conflicts_answer: { request: ConflictsAnswer; response: ConflictsSettled }
  /** Makes what was settled last a question again. */
  conflicts_reopen: { request: ConflictsReopen; response: ConflictsReopened }
  /** Decides about a list or an opt-out that one side lost. */
  conflicts_choose: { request: ConflictsChoose; response: SyncLeft }
  /** How disputes about a column are settled without asking from now on. */
  conflicts_rule: { request: ConflictsRule; response: ConflictsSettled }
  /** Makes a plan of everything as it stands now. */
  plan_make: { request: SyncNothing; response: PlanShown }
  /** A plan as it was made, and whether it is still true. */
  plan_get: { request: PlanGet; response: PlanShown | null }
  /** Decides how something is done that the interface cannot express, and makes the plan anew. */
  plan_choose: { request: PlanChoose; response: PlanShown }
  /** Leaves a step out, or takes it in again, and makes the plan anew. */
  plan_hold: { request: PlanHold; response: PlanShown }
  /** A request as it would be sent. */
  plan_body: { request: PlanBodyGet; response: PlanBody }
  /** A plan as a file to review. */
  plan_export: { request: PlanExport; response: TextSaved }
  /** Begins to send a plan. */
  run_start: { request: RunStart; response: RunId }
  /** Sets the run at work aside at the end of its request. */
  run_pause: { request: SyncNothing; response: SyncDone }
  /** Goes on with a run that was set aside. */
  run_resume: { request: RunId; response: SyncDone }
  /** Sends nothing more; what was sent is still verified. */
  run_cancel: { request: SyncNothing; response: SyncDone }
  /** All runs, newest first. */
  run_list: { request: SyncNothing; response: Array<RunSummary> }
  /** A run with its steps, and how fast it goes. */
  run_get: { request: RunId; response: RunShown | null }
  /** The requests of a run. */
  run_attempts: { request: RunAttemptsGet; response: Array<RunAttempt> }
  /** A run as a file for somebody who was not there. */
  run_report: { request: RunReport; response: TextSaved }
  /** What undoing a run would do, and what it could not bring back. */
  run_undo_preview: { request: RunId; response: RunUndone }
  /** Undoes here what a run pushed, as one step; to be planned and pushed like any edits. */
  run_undo: { request: RunId; response: RunUndone }
  /** Records that the service refused. */
  refused_page: { request: SyncWindow; response: RefusedPage }
  /** Mends a value of such a record, which is sent again then. */
  refused_mend: { request: RefusedMend; response: SyncDone }
  /** Lets such records be sent again as they are. */
  refused_resend: { request: RefusedResend; response: SyncCount }
  /** The record of every effect on the service, newest first, and whether it is whole. */
  audit_page: { request: SyncWindow; response: AuditPage }
  /** One page of the opt-outs, each with who brought it in, why, and in how many lists its number stands. */
  opt_out_page: { request: OptOutPage; response: OptOutPageAnswer }
  /** What some numbers are opted out of. */
  opt_out_states: { request: OptOutStatesGet; response: OptOutStatesAnswer }
  /** Looks up pasted numbers, a slice at a time. */
  opt_out_check: { request: OptOutCheck; response: OptOutCheckAnswer }
  /** One page of what a look-up found. */
  opt_out_check_page: { request: OptOutCheckPage; response: OptOutCheckPageAnswer }
  /** Opts numbers out, with a reason. */
  opt_out_add: { request: OptOutAdd; response: OptOutAdded }
  /** Exactly which records a removal would take. */
  opt_out_removal_preview: { request: OptOutRemovalPreviewGet; response: OptOutRemovalPreview }
  /** Removes the records that the preview showed, into the trash. */
  opt_out_remove: { request: OptOutRemove; response: OptOutRemoved }
  /** Reads pasted text as opt-outs, and what it would add. */
  opt_out_import_preview: { request: OptOutImportPreview; response: OptOutImportPreviewAnswer }
  /** Reads the rows of files as opt-outs, and what they would add. */
  opt_out_import_file: { request: OptOutImportFile; response: OptOutImportPreviewAnswer }
  /** One page of the rows of an import. */
  opt_out_import_rows: { request: OptOutImportRows; response: OptOutImportRowsAnswer }
  /** Adds what the preview said would be added, and nothing else. */
  opt_out_import: { request: OptOutImport; response: OptOutImported }
  /** Everything that is known of a number's opt-outs. */
  opt_out_timeline: { request: OptOutTimelineGet; response: OptOutTimeline }
  /** The ledger as a file, each line chained to the one before by its hash. */
  opt_out_evidence: { request: OptOutEvidenceGet; response: OptOutEvidence }
  /** One page of the short links, as the interface searches them. */
  short_link_page: { request: ShortLinkPage; response: ShortLinkPageAnswer }
  /** One short link. */
  short_link_get: { request: ShortLinkGet; response: LinkItem }
  /** Makes short links, all or none. */
  short_link_create: { request: ShortLinkCreate; response: ShortLinks }
  /** Tags in use, by how they begin. */
  short_link_tags: { request: ShortLinkTags; response: ShortLinkTagsAnswer }
  /** Links that lead to some addresses already. */
  short_link_same_target: { request: ShortLinkSameTarget; response: ShortLinks }
  /** Deletes short links with their clicks, into the trash. */
  short_link_delete: { request: ShortLinkDelete; response: ShortLinkDeleted }
  /** One page of a link's clicks. */
  short_link_clicks: { request: ShortLinkClicks; response: ShortLinkClicksAnswer }
  /** A link's clicks day by day, and by what they were made with. */
  short_link_click_series: { request: ShortLinkClickSeries; response: ClickSeries }
  /** One page of the senders. */
  sender_page: { request: SenderPage; response: SenderPageAnswer }
  /** Asks for a sender. */
  sender_request: { request: SenderRequest; response: Sender }
  /** Approves a pending sender. */
  sender_approve: { request: SenderKey; response: Sender }
  /** Refuses a pending sender: it goes. */
  sender_refuse: { request: SenderKey; response: SenderDone }
  /** Deletes a sender whose name was typed. */
  sender_delete: { request: SenderDelete; response: SenderDone }
  /** Every change of a sender, also of one that is gone. */
  sender_history: { request: SenderHistoryGet; response: SenderHistory }
  /** The inbound assets, each with its opt-outs. */
  asset_all: { request: AssetAll; response: AssetAllAnswer }
  /** Adds an inbound asset; a long SMS number brings its sender along. */
  asset_add: { request: AssetAdd; response: AssetAdded }
  /** Removes an asset whose number was typed; its opt-outs stay. */
  asset_remove: { request: AssetRemove; response: AssetRemoved }
  /** Sets the keywords that an asset listens for. */
  asset_keywords: { request: AssetKeywords; response: Asset }
  /** Whether keywords on an asset opt out of the whole account. */
  asset_enforce: { request: AssetEnforce; response: Asset }
  /** Plays a message that comes in on an asset. */
  asset_inbound: { request: AssetInbound; response: AssetInboundAnswer }
  /** One page of the jobs. */
  job_page: { request: JobPage; response: JobPageAnswer }
  /** One job, its callback and every attempt at it. */
  job_get: { request: JobGet; response: JobWithCallback }
  /** One page of what became of a job's contacts. */
  job_outcomes: { request: JobOutcomes; response: JobOutcomesAnswer }
  /** One page of the time line: every act, and what it changed. */
  activity_page: { request: ActivityPage; response: ActivityPageAnswer }
  /** What undoing and redoing would do next. */
  history_standing: { request: HistoryNothing; response: HistoryStanding }
  /** Takes back the last act. */
  history_undo: { request: HistoryUndo; response: HistoryTaken }
  /** Does again what was taken back last. */
  history_redo: { request: HistoryNothing; response: HistoryTaken }
  /** Passes over an act that can no longer be undone. */
  history_pass_over: { request: HistoryNothing; response: HistoryPassed }
  /** One page of what can be brought back. */
  trash_page: { request: TrashPage; response: TrashPageAnswer }
  /** Brings back what an act deleted. */
  trash_restore: { request: TrashRestore; response: HistoryTaken }
  /** Lets go for good of what acts deleted. */
  trash_purge: { request: TrashPurge; response: TrashPurged }
}
