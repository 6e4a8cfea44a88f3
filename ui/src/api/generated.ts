// Written by `cargo xtask codegen` from src-tauri/app/src/commands/table; do not edit.

export type Account = { name: string, colour: AccountColour, path: string, 
/**
 * The file name without its folder.
 */
file: string, country: AccountCountry, schema_version: number, 
/**
 * Differs each time an account is opened. A page that knows another one starts again.
 */
opening: number, };

export type AccountCheck = { at: Timestamp, faults: Array<CheckFault>, 
/**
 * The newest undamaged copy beside a damaged account.
 */
sound_copy: string | null, };

export type AccountColour = "teal" | "blue" | "violet" | "pink" | "red" | "orange" | "yellow" | "green";

export type AccountContents = "empty" | "sample";

export type AccountCopies = { 
/**
 * The newest first.
 */
copies: Array<ListedCopy>, };

export type AccountCopyMade = { path: string, 
/**
 * The file name without its folder.
 */
file: string, };

export type AccountCopyPath = { copy: string, };

export type AccountCopyRestore = { 
/**
 * A path that account_copies or account_pick returned.
 */
copy: string, 
/**
 * Whether the copy may be one of another account.
 */
other_account: boolean, };

export type AccountCountry = { 
/**
 * Two letters, such as GB.
 */
code: string, by: CountryBy, };

export type AccountCountryGet = { 
/**
 * Numbers that were pasted together, with and without a country code. At most 10,000. If there are none, the response
 * is the country of the account.
 */
numbers: Array<string>, };

export type AccountCreate = { name: string, colour: AccountColour, 
/**
 * The country of numbers without a country code, as two letters such as GB. Null leaves it unset.
 */
country: string | null, contents: AccountContents, };

export type AccountDuplicate = { path: string, name: string, };

export type AccountListAnswer = { status: AccountStatus, current: Account | null, fault: CommandError | null, 
/**
 * The account file that the fault is about, if it is about one.
 */
fault_path: string | null, 
/**
 * The most recently opened first.
 */
accounts: Array<KnownAccount>, 
/**
 * The folder where new accounts are created.
 */
folder: string | null, 
/**
 * Whether accounts can be created, opened and closed here.
 */
can_switch: boolean, 
/**
 * The country that the computer is set to, if it is known.
 */
computer_country: string | null, };

export type AccountLoss = "missing" | "empty" | "damaged" | "altered" | "companion" | "other";

export type AccountPath = { path: string, };

export type AccountPicked = { 
/**
 * Null if the user cancelled the dialog.
 */
path: string | null, };

export type AccountRecolour = { colour: AccountColour, };

export type AccountRename = { name: string, };

export type AccountRestore = { 
/**
 * The account file.
 */
path: string, 
/**
 * A copy that account_way_back returned for it.
 */
copy: string, };

export type AccountRestorePreview = { now: ComparedAccount, restored: ComparedAccount, 
/**
 * How many records only one of the two has, or both with other values.
 */
differing: OverviewCounts, 
/**
 * Whether the records of another account would take the place of the account's own.
 */
is_other_account: boolean, 
/**
 * The number of opt-outs that the copy lacks. They stay in force.
 */
missing_opt_outs: number, 
/**
 * The first ten of them.
 */
first_missing: Array<LackingOptOut>, 
/**
 * The number of opt-outs of the copy that the account does not have. They will be in force.
 */
returning_opt_outs: number, 
/**
 * When something was erased that the copy may still hold.
 */
newer_erasures: Array<Timestamp>, };

export type AccountSetCountry = { 
/**
 * Two letters, such as GB.
 */
country: string, };

export type AccountState = "open" | "closed" | "missing";

export type AccountStatus = "open" | "none" | "failed";

export type AccountWayBack = { loss: AccountLoss, 
/**
 * The file name without its folder.
 */
file: string, 
/**
 * The copies that may take its place, the newest first.
 */
copies: Array<SoundCopy>, };

export type ActivityEntry = { step: UndoStepEntry, changes: Array<UndoStepChange>, };

export type ActivityPage = { source: ActorKind | null, noun: Noun | null, 
/**
 * Part of the act's name or of its subject.
 */
text: string | null, uid: string | null, from: string | null, to: string | null, page_number: number, page_size: number, };

export type ActorKind = "user" | "import" | "sync" | "interface" | "operator" | "job";

export type AddressStatus = "final" | "unsent" | "this_computer";

export type Asset = { id: AssetId, channel: Channel, 
/**
 * An E.164 number, or the digits of a short code.
 */
number: string, enforce_account_level_opt_outs: boolean, keywords: Array<string>, };

export type AssetAdd = { channel: Channel, number: string, };

export type AssetAdded = { asset: Asset, 
/**
 * The sender that was created together with a long SMS number, if its form allows one.
 */
sender: Sender | null, };

export type AssetAllAnswer = { assets: Array<AssetItem>, };

export type AssetEnforce = { id: string, on: boolean, };

export type AssetId = string;

export type AssetInbound = { id: string, from: string, text: string, };

export type AssetInboundAnswer = { outcome: AssetInboundOutcome, keyword: string | null, 
/**
 * Whether the number was already opted out in the same scope. The record is then renewed.
 */
was_opted_out: boolean, record: OptOutRecord | null, };

export type AssetInboundOutcome = "opted_out" | "no_keyword" | "invalid_number";

export type AssetItem = { 
/**
 * Opt-outs that hold for this asset alone. They stay when the asset is removed.
 */
opt_outs: number, 
/**
 * Opt-outs that this asset received, including those that hold for the whole account.
 */
received: number, id: AssetId, channel: Channel, 
/**
 * An E.164 number, or the digits of a short code.
 */
number: string, enforce_account_level_opt_outs: boolean, keywords: Array<string>, };

export type AssetKeywords = { id: string, 
/**
 * The full set of keywords. Equal ones count once.
 */
keywords: Array<string>, };

export type AssetReadiness = { asset: AssetId, 
/**
 * An E.164 number, or the digits of a short code.
 */
number: string, counts: ReadinessCounts, };

export type AssetRemove = { id: string, typed_number: string, };

export type AssetRemoved = { opt_outs_kept: number, keywords_gone: number, };

export type AuditPage = { total: number, 
/**
 * Whether every entry matches the seal of the next.
 */
is_sound: boolean, broken_at: number | null, 
/**
 * Newest first.
 */
rows: Array<AuditRow>, };

export type AuditRow = { seq: number, 
/**
 * The time at which the run began.
 */
at: Timestamp | null, run: number | null, operation: string, effect: string, seal: string, };

export type BodyState = "none" | "whole" | "cut" | "withheld" | "unread";

export type BulkAct = { "set": string } | { "clear": boolean } | { "replace": TextReplace } | { "case": LetterCase } | { "trim": boolean } | { "e164": NumbersRead } | { "split": TextSplit } | { "join": TextJoin } | { "extract": TextExtract } | { "copy": CopyColumn } | { "series": NumberSeries } | { "fill_blanks": FillWith } | { "fill": FillWay };

export type Bytes = ArrayBuffer;

export type CallbackAttempt = { number: number, started_at: Timestamp, 
/**
 * `None` while the attempt is under way, or when the process ended during it.
 */
finished_at: Timestamp | null, status: number | null, error: string | null, };

export type CallbackState = "waiting" | "delivered" | "given_up";

export type CapabilityStatus = { flag: string, value: unknown, 
/**
 * A description of how the fact was found out.
 */
how: string, at: Timestamp, };

export type ChangeAction = "created" | "updated" | "deleted";

export type ChangeCell = { field: string, title: string, before: string | null, after: string | null, 
/**
 * Whether the column is held back.
 */
is_held: boolean, 
/**
 * Whether the column waits until somebody says that the service means the same by it.
 */
is_clash: boolean, };

export type ChangeColumn = { field: string, title: string, count: number, rule: SendRule, };

export type ChangeEvent = { 
/**
 * Increases by one in each feed, so that a page notices when it missed a message.
 */
seq: number, nouns: Array<ChangeTopic>, by: ActorKind, 
/**
 * The client that requested the change. It can ignore its own echo.
 */
origin: string | null, 
/**
 * The step that the change became, so that a page can undo exactly its own act. Null for a change outside the
 * account's data.
 */
step: number | null, };

export type ChangeFilter = { 
/**
 * Text to find in the values before or after.
 */
text: string, source: ActorKind | null, 
/**
 * Only changes of this field.
 */
field: string | null, 
/**
 * Only changes made at or after this time.
 */
since: string | null, 
/**
 * Only changes made by this step.
 */
step: number | null, };

export type ChangeGroup = { noun: SyncNoun, 
/**
 * The list of the contacts; `None` for other kinds of records.
 */
list: SyncList | null, kinds: Array<ChangeKindCount>, };

export type ChangeGroupKey = { noun: SyncNoun, list: number | null, kind: ChangeKind | null, };

export type ChangeKind = "new" | "changed" | "moved" | "deleted";

export type ChangeKindCount = { kind: ChangeKind, count: number, held: number, };

export type ChangeRow = { key: RecordKey, 
/**
 * The identifier at the service, or `None` if the record was created locally.
 */
uid: string | null, title: string, kind: ChangeKind, is_held: boolean, is_conflict: boolean, 
/**
 * The messages with which the service refused the record.
 */
faults: Array<string>, cells: Array<ChangeCell>, list: SyncList | null, 
/**
 * The list that the contact is in at the service, if it was moved locally.
 */
was_in: SyncList | null, source: ActorKind | null, at: Timestamp | null, 
/**
 * The step that last changed the record.
 */
step: number | null, };

export type ChangeSource = { source: ActorKind, count: number, };

export type ChangeTopic = Noun | OutsideTopic;

export type ChangesCountGet = { list: string, };

export type ChangesDiscard = { keys: Array<RecordKey> | null, group: ChangeGroupKey | null, filter?: ChangeFilter | null, step: number | null, };

export type ChangesDiscarded = { 
/**
 * The number of records that were returned to what both sides last agreed on.
 */
count: number, 
/**
 * Opt-outs that were added here. They stay and are sent.
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

export type ChangesSummary = { groups: Array<ChangeGroup>, total: number, held: number, refused: number, conflicts: number, columns: Array<ChangeColumn>, sources: Array<ChangeSource>, 
/**
 * The lists with drafts. The service has or gets the last valid values in their place.
 */
drafts: Array<ListDrafts>, };

export type ChangesSummaryGet = { filter: ChangeFilter, };

export type Channel = "SMS" | "WHATSAPP";

export type ChannelReadiness = { channel: Channel, 
/**
 * An opt-out of any asset counts.
 */
counts: ReadinessCounts, assets: Array<AssetReadiness>, };

export type ChannelState = { 
/**
 * Whether the number is opted out of everything that the account sends.
 */
is_account: boolean, 
/**
 * The assets of which the number is opted out.
 */
assets: Array<InboundAsset>, 
/**
 * The time of the account's record, or else of the newest record.
 */
since: Timestamp | null, };

export type CheckFault = { area: FaultArea, detail: string, };

export type CheckLine = { 
/**
 * The line, counted from 1.
 */
line: number, given: string, 
/**
 * The number in E.164 form, or `None` if it is invalid.
 */
number: string | null, region: string | null, verdict: CheckVerdict, 
/**
 * The first line with the same number.
 */
duplicate_of: number | null, sms: ChannelState, whatsapp: ChannelState, };

export type CheckTotals = { lines: number, allowed: number, opted_out: number, duplicates: number, invalid: number, 
/**
 * Of the opted-out lines, those opted out of the whole account or of some assets only, on each channel.
 */
sms_account: number, sms_assets: number, whatsapp_account: number, whatsapp_assets: number, };

export type CheckVerdict = "allowed" | "opted_out" | "duplicate" | "invalid";

export type CleanApply = { id: number, suggestion: number, 
/**
 * The generation in which the page saw the rows. If the rows have other numbers by now, nothing is done.
 */
generation: number | null, 
/**
 * Null means every row of the suggestion.
 */
rows: GridRows | null, 
/**
 * True reports the effect without changing anything.
 */
preview: boolean, };

export type CleanCell = { field: string, before: string | null, 
/**
 * Null if no fix is known, and if the cell would be empty.
 */
after: string | null, };

export type CleanEvidence = { "read_in": string } | { "names": NameCounts } | { "usual_region": string };

export type CleanKind = "lost_zero" | "scientific" | "digits_lost" | "not_e164" | "not_a_number" | "region_mismatch" | "email_slip" | "not_an_email" | "impossible_date" | "swapped_names" | "letter_case" | "white_space" | "look_alike";

export type CleanMended = { 
/**
 * The number of contacts that were selected.
 */
matched: number, 
/**
 * The numbers of contacts and cells that changed.
 */
rows: number, cells: number, 
/**
 * The first ten contacts that would change, in a preview.
 */
sample: Array<CleanRow>, 
/**
 * The opt-outs that the new numbers lack.
 */
lost_opt_outs: Array<LostOptOut>, 
/**
 * Null if nothing changed, or in a preview.
 */
step: number | null, };

export type CleanOpen = { 
/**
 * The UID of a list.
 */
list: string, };

export type CleanPage = { id: number, page_number: number, page_size: number, 
/**
 * True returns the skipped suggestions instead of the open ones.
 */
skipped: boolean, };

export type CleanRow = { 
/**
 * The position of the contact in the suggestion.
 */
row: number, uid: ContactId, title: string, 
/**
 * Empty if the contact no longer needs a fix.
 */
cells: Array<CleanCell>, evidence: CleanEvidence | null, };

export type CleanRowsAnswer = { total_items: number, total_pages: number, 
/**
 * Increases with every scan. The numbers of rows change with it.
 */
generation: number, 
/**
 * The current values. Deleted contacts are omitted.
 */
items: Array<CleanRow>, };

export type CleanRowsGet = { id: number, suggestion: number, page_number: number, page_size: number, };

export type CleanSkip = { id: number, suggestion: number, 
/**
 * False makes the suggestion open again.
 */
skipped: boolean, };

export type CleanState = { 
/**
 * The number of the search.
 */
id: number, list: ListId, 
/**
 * The number of open suggestions, and the sum of their contacts.
 */
suggestions: number, effect: number, skipped: number, 
/**
 * The number of contacts fixed so far, counted once for each suggestion.
 */
mended: number, 
/**
 * Increases with every result. The numbers in it change with it.
 */
generation: number, is_working: boolean, rows_read: number, rows_total: number, 
/**
 * Someone else changed the list since the search. A refresh shows its current state.
 */
is_stale: boolean, 
/**
 * The error that ended the last search.
 */
fault: string | null, };

export type CleanStateGet = { id: number, 
/**
 * How long to wait for the scan to end, at most 1,000. Null does not wait.
 */
wait_ms: number | null, };

export type CleanSuggestion = { suggestion: number, kind: CleanKind, 
/**
 * The name of the field; for swapped names, the first name.
 */
field: string, 
/**
 * The number of affected contacts.
 */
rows: number, 
/**
 * The generation of the row positions: each generation numbers the rows differently.
 */
generation: number, can_mend: boolean, is_skipped: boolean, 
/**
 * The number of contacts fixed so far.
 */
mended: number, 
/**
 * The first three contacts.
 */
sample: Array<CleanRow>, };

export type CleanUp = { id: number, };

export type Click = { link_id: LinkId, 
/**
 * Title, short URL and target at the time of the click.
 */
title: string, short_link_url: string, target_url: string, recipient: string | null, device: string | null, browser: string | null, operating_system: string | null, campaign_uid: string | null, time: Timestamp, };

export type ClickDay = { 
/**
 * The day, such as `2026-01-05`.
 */
day: string, clicks: number, };

export type ClickSeries = { 
/**
 * The number of all clicks.
 */
total: number, in_days: number, 
/**
 * All days of the period, today last.
 */
days: Array<ClickDay>, devices: Array<ClickShare>, browsers: Array<ClickShare>, operating_systems: Array<ClickShare>, };

export type ClickShare = { name: string | null, clicks: number, };

export type ColumnRule = "ask" | "mine" | "theirs" | "non_empty" | "longer";

export type CommandError = { code: ErrorCode, message: string, details: Array<FieldFault>, };

export type ComparedAccount = { name: string | null, counts: OverviewCounts, 
/**
 * The service that it is connected to.
 */
service: string | null, 
/**
 * The number of changes that were not sent to that service.
 */
unsent: number, };

export type ConflictAnswer = { "answer": "mine" } | { "answer": "theirs" } | { "answer": "base" } | { "answer": "value", value: string | null, };

export type ConflictField = { field: string, title: string, count: number, rule: ColumnRule, settles: RuleEffect, };

export type ConflictFork = { field: string, title: string, base: string | null, mine: string | null, theirs: string | null, answer: ConflictAnswer | null, };

export type ConflictRow = { key: RecordKey, uid: string | null, title: string, list: SyncList | null, dispute: DisputeKind, forks: Array<ConflictFork>, 
/**
 * The values of the record without a conflict.
 */
agreed: Array<SyncValue>, 
/**
 * The number of contacts of a list that were changed here.
 */
rows: number | null, 
/**
 * The number of contacts that a list has here.
 */
contacts: number | null, 
/**
 * The choice made for a list or an opt-out.
 */
choice: RecordChoice | null, };

export type ConflictsAnswer = { keys: Array<RecordKey>, 
/**
 * Null answers for the whole record.
 */
field: string | null, 
/**
 * Null withdraws an answer.
 */
answer: ConflictAnswer | null, 
/**
 * Applies the answer to every record with the same conflict.
 */
alike: boolean, };

export type ConflictsChoose = { key: RecordKey, choice: RecordChoice | null, 
/**
 * The confirmation that the removal of an opt-out needs.
 */
confirmed: RemovalConfirmed | null, 
/**
 * Decides about all opt-outs that are open. Only possible for creating them again.
 */
alike: boolean, };

export type ConflictsPage = { total: number, rows: Array<ConflictRow>, fields: Array<ConflictField>, 
/**
 * The number of opt-outs in conflict that nobody has decided about.
 */
open_opt_outs: number, 
/**
 * Whether local deletions take precedence although the record was edited at the service.
 */
delete_anyway: boolean, };

export type ConflictsPageGet = { noun: SyncNoun | null, 
/**
 * Only conflicts about this field.
 */
field: string | null, from: number, 
/**
 * At most 200.
 */
count: number, };

export type ConflictsReopen = { settlement: number, };

export type ConflictsReopened = { opened: number, 
/**
 * The number of records that were changed, sent or read again since and therefore stay as they are.
 */
kept: number, };

export type ConflictsRule = { 
/**
 * An empty text stands for records that were deleted here and edited at the service. `mine` keeps the deletion,
 * `ask` opens a conflict.
 */
field: string, rule: ColumnRule, };

export type ConflictsSettled = { settled: number, left: number, 
/**
 * The number by which this can be reopened until something else is settled, or `null` if it cannot.
 */
undo: number | null, };

export type Connection = { name: string, base_url: string, header: string, 
/**
 * Whether the file was copied from another account and no person has confirmed yet that this one works with the
 * service too.
 */
is_copy: boolean, key: KeyStatus, read_only: boolean, plain_http: boolean, calls_per_second: number, 
/**
 * The limit of all operations together, or `null` if each has its own alone.
 */
together: number | null, paths: Array<OperationPath>, capabilities: Array<CapabilityStatus>, };

export type ConnectionAnswer = { connection: Connection | null, keyring: KeyringStatus, 
/**
 * The address of the local server while it runs a scratch world.
 */
local_server: string | null, };

export type ConnectionKeySet = { key: string, keep: KeyStorage, 
/**
 * The passphrase of a sealed key file.
 */
passphrase: string | null, };

export type ConnectionKeyUnlock = { passphrase: string, };

export type ConnectionProbe = { 
/**
 * Whether the probe may also write, on a list that it creates.
 */
scratch: boolean, };

export type ConnectionSave = { name: string, base_url: string, header: string, read_only: boolean, plain_http: boolean, calls_per_second: number, together: number | null, paths: Array<PathOverride>, };

export type ConnectionTest = { operation: string, 
/**
 * The number of lists in the account, if the call succeeded.
 */
lists: number | null, 
/**
 * The status of the refusal.
 */
status: number | null, advice: string | null, ms: number, };

export type ContactCard = { uid: ContactId, list_uid: ListId, 
/**
 * The fields that are filled, by name: `phone_number`, `phone_region`, `title`, `field_3`.
 */
values: { [key in string]: string }, created_at: Timestamp, 
/**
 * The time of the last change, or `None` if the contact was never changed.
 */
updated_at: Timestamp | null, 
/**
 * The scope in which its phone number is opted out of SMS.
 */
sms: OptOutReach, 
/**
 * The scope in which its WhatsApp number is opted out of WhatsApp.
 */
whatsapp: OptOutReach, };

export type ContactElsewhere = { items: Array<ContactWithSameNumber>, };

export type ContactFields = { 
/**
 * The UID of a list. Custom fields that hold dates in this list are reported as date fields.
 */
list?: string | null, };

export type ContactFieldsAnswer = { 
/**
 * Every field that can be filled in, in the order of the screen.
 */
fields: Array<FieldInfo>, };

export type ContactHistory = { 
/**
 * Newest first, without the changes that were undone.
 */
changes: Array<RecordEvent>, };

export type ContactId = string;

export type ContactPage = { 
/**
 * The UID of a list.
 */
list: string, page_number: number, page_size: number, 
/**
 * Null means newest first. Blank values come last in both directions.
 */
sort: ContactSort | null, 
/**
 * Part of any text, or of a number in any spelling.
 */
filter: string | null, 
/**
 * True shows contacts that opted out of at least one channel, false those that opted out of none. Null shows both.
 */
opted_out: boolean | null, };

export type ContactPageResponse = { total_items: number, total_pages: number, items: Array<ContactCard>, 
/**
 * The custom fields in the order of the screen.
 */
fields: Array<CustomField>, };

export type ContactPaste = { 
/**
 * The UID of a list.
 */
list: string, 
/**
 * Values by field name, one object for each row. At most 10,000.
 */
contacts: Array<{ [field: string]: string | null }>, 
/**
 * The region of numbers without a country code. Null means that of the account.
 */
region: string | null, };

export type ContactPasted = { added: number, 
/**
 * Rows that were not added.
 */
faults: Array<PasteFault>, 
/**
 * Facts about the other rows. Only in a preview.
 */
rows: Array<PasteRow>, };

export type ContactSort = { 
/**
 * A field name of contacts, such as `phone_number`, `lastname`, `field_3` or `created_at`.
 */
field: string, order: SortOrder, };

export type ContactUid = { uid: string, };

export type ContactUpdate = { uid: string, 
/**
 * The fields to set. Others stay as they are. Null clears a field.
 */
fields: { [field: string]: string | null }, 
/**
 * The region of numbers without a country code. Null means that of the contact's own number, or of the account.
 */
region: string | null, };

export type ContactWithSameNumber = { uid: ContactId, list_uid: ListId, list_name: string, name: string, phone_number: string | null, whatsapp_id: string | null, shared: SharedNumber, };

export type CopyColumn = { from: string, into: string, mode: CopyMode, };

export type CopyMode = "all" | "blanks";

export type CopyOccasion = "backup" | "daily" | "large_change" | "pull" | "replacement" | "upgrade";

export type CountryBy = "account" | "given" | "numbers" | "computer" | "default";

export type CrashNotice = { 
/**
 * The time of the crash, such as 2026-01-05T09:00:00Z.
 */
at: string, 
/**
 * The file of the report.
 */
path: string, };

export type CustomField = { number: number, label: string, };

export type CustomFieldAdd = { label: string, };

export type CustomFieldOrder = { 
/**
 * Fields that are not named follow after these.
 */
numbers: Array<number>, };

export type CustomFieldRemove = { number: number, 
/**
 * The label of the field, typed as a confirmation.
 */
typed_label: string, };

export type CustomFieldRename = { number: number, label: string, };

export type CustomFieldUses = { number: number, 
/**
 * The `next` of the last response. Null starts from the beginning.
 */
after: string | null, };

export type CustomFieldUsesAnswer = { 
/**
 * Contacts that have a value in the field.
 */
contacts: number, 
/**
 * Lists with such contacts.
 */
lists: number, 
/**
 * The cursor at which the count continues, or `None` if it is complete.
 */
next: string | null, };

export type CustomFieldsAnswer = { 
/**
 * In the order of the screen.
 */
fields: Array<CustomField>, };

export type DamagedFile = "account_list" | "preferences" | "account_log";

export type DesktopBrowse = { url: string, };

export type DesktopNotified = { 
/**
 * False if the user is looking at a window of Roost anyway.
 */
shown: boolean, };

export type DesktopNotify = { title: string, body: string, };

export type DesktopStatus = { 
/**
 * Whether dialogs, notifications and windows are available here.
 */
is_window: boolean, };

export type DisputeKind = "fields" | "deleted_there" | "list_gone" | "list_changed" | "opt_out_gone";

export type Done = Record<symbol, never>;

export type DuplicateByKey = { key: DuplicateKey, groups: number, 
/**
 * Contacts that merging every group would remove.
 */
effect: number, 
/**
 * The list is too long to be compared by this key.
 */
is_left_out: boolean, };

export type DuplicateEvidence = { key: DuplicateKey, 
/**
 * The value in the form in which it is compared; for near texts, the value of the first contact. `None` if that
 * contact was removed.
 */
text: string | null, };

export type DuplicateGroupGet = { id: number, group: number, 
/**
 * The rule that suggests the survivor.
 */
rule: SurvivorRule, };

export type DuplicateGroupHead = { group: number, 
/**
 * The number of contacts in the group.
 */
size: number, 
/**
 * The confidence, out of 100.
 */
confidence: number, 
/**
 * The reasons, the most reliable first.
 */
evidence: Array<DuplicateEvidence>, 
/**
 * The first three contacts.
 */
contacts: Array<ContactCard>, };

export type DuplicateGroupWhole = { group: number, 
/**
 * The number of contacts in the group, of which at most fifty are shown.
 */
size: number, confidence: number, evidence: Array<DuplicateEvidence>, contacts: Array<ContactCard>, 
/**
 * The fields in which the contacts shown differ. An empty field counts as a value.
 */
differing: Array<string>, 
/**
 * Null if fewer than two contacts are left.
 */
suggested: SuggestedMerge | null, 
/**
 * The next open group.
 */
next: number | null, };

export type DuplicateKey = "phone" | "whatsapp" | "number" | "email" | "name_address" | "ngram" | "phonetic" | "near" | "name";

export type DuplicateMerge = { id: number, group: number, 
/**
 * The UID of the contact that stays.
 */
survivor: string, 
/**
 * For each field name, the UID of the contact whose value the field receives. The value may be blank. A number
 * brings its region. A field that is not named keeps the survivor's value. If that is blank, the field receives
 * the first value there is.
 */
fields: { [field: string]: string }, 
/**
 * The UIDs of the contacts to merge. Null means the whole group.
 */
contacts: Array<string> | null, };

export type DuplicateMergeAll = { id: number, 
/**
 * A percentage.
 */
least_confidence: number, 
/**
 * Null means every key.
 */
key: DuplicateKey | null, rule: SurvivorRule, 
/**
 * True reports the effect without changing anything.
 */
preview: boolean, };

export type DuplicateMerged = { 
/**
 * Contacts that the merge removed.
 */
gone: number, 
/**
 * The opt-outs of merged numbers that the survivor's numbers lack.
 */
lost_opt_outs: Array<LostOptOut>, step: number, };

export type DuplicateOpen = { 
/**
 * The UID of a list. Null searches the whole account, but only by number and e-mail address, and nothing can be
 * merged there.
 */
list: string | null, by: Array<DuplicateKey>, };

export type DuplicatePage = { id: number, page_number: number, page_size: number, 
/**
 * Null means every key.
 */
key: DuplicateKey | null, 
/**
 * A percentage.
 */
least_confidence: number, 
/**
 * True returns the skipped groups instead of the open ones.
 */
skipped: boolean, };

export type DuplicateSearch = { id: number, };

export type DuplicateSkip = { id: number, groups: Array<number>, 
/**
 * False makes the groups open again.
 */
skipped: boolean, };

export type DuplicateState = { 
/**
 * The number of the search.
 */
id: number, list: ListId | null, 
/**
 * The number of open groups, and the number of contacts that merging all of them would remove.
 */
groups: number, effect: number, skipped: number, 
/**
 * The number of contacts that merging removed.
 */
merged: number, keys: Array<DuplicateByKey>, 
/**
 * Increases with every result. The numbers in it change with it.
 */
generation: number, is_working: boolean, rows_read: number, rows_total: number, 
/**
 * Someone else changed the list since the search. A refresh shows its current state.
 */
is_stale: boolean, 
/**
 * The error that ended the last search.
 */
fault: string | null, };

export type DuplicateStateGet = { id: number, 
/**
 * How long to wait for the search to end, at most 1,000. Null does not wait.
 */
wait_ms: number | null, };

export type EndedSyncWork = { id: number, kind: SyncKind, 
/**
 * The run, if the work was one.
 */
run: number | null, 
/**
 * Whether it was stopped before it was done, or failed.
 */
is_cut_short: boolean, };

export type ErasurePreview = { 
/**
 * In E.164 form.
 */
number: string, 
/**
 * The number of rows in the account and its copies.
 */
rows: number, records: Array<HeldCount>, copies: Array<HeldInFile>, 
/**
 * The files that cannot be read, without their folders.
 */
unreadable: Array<string>, has_imports: boolean, has_server_state: boolean, 
/**
 * Whether a run of the sync has not ended.
 */
has_open_run: boolean, 
/**
 * The opt-outs of the number. They stay in force.
 */
opt_outs: number, 
/**
 * The number of steps that can no longer be undone or redone.
 */
steps_forgotten: number, 
/**
 * Further numbers of the contacts that would be erased.
 */
other_numbers: Array<string>, 
/**
 * The name of the connected service.
 */
service: string | null, 
/**
 * The contacts with the number that the service has, as far as is known.
 */
at_service: number, 
/**
 * The contacts of others at the service whose texts mention the number, as far as is known.
 */
mentioned_at_service: number, };

export type ErasureRun = { 
/**
 * In E.164 form.
 */
number: string, 
/**
 * The number of rows that account_erase_preview returned.
 */
rows: number, 
/**
 * Erase here although the service has contacts with the number.
 */
here_only: boolean, 
/**
 * Delete the files that cannot be read.
 */
delete_unreadable: boolean, 
/**
 * Discard the imports that are under way.
 */
discard_imports: boolean, 
/**
 * Discard the state that a server keeps beside the account.
 */
discard_server_state: boolean, };

export type ErrorCode = "invalid" | "not_found" | "conflict" | "unknown_command" | "no_account" | "unsupported" | "cancelled" | "locked" | "too_new" | "altered" | "corrupt" | "displaced" | "read_only" | "disk_full" | "internal";

export type EvidenceFormat = "csv" | "json";

export type ExportChoice = { what: ExportWhat, format: ExportFormat, 
/**
 * Field names of contacts, and `list`. A seed always has every field.
 */
columns: Array<string>, 
/**
 * The titles above the columns of a table. Empty writes none.
 */
headings: Array<string>, 
/**
 * Omits contacts that have opted out of a channel.
 */
without_opted_out: boolean, };

export type ExportCsv = { delimiter: ExportDelimiter, 
/**
 * Puts an apostrophe in front of a text that begins like a formula. Turn it off for programs that do not evaluate
 * formulas.
 */
is_guarded: boolean, 
/**
 * Marks the file as UTF-8 in its first bytes, for older spreadsheet programs.
 */
has_mark: boolean, };

export type ExportDelimiter = "comma" | "semicolon" | "tab";

export type ExportFile = { file: number, };

export type ExportFormat = { "csv": ExportCsv } | "xlsx" | "vcard3" | "vcard4" | "jsonl" | "seed";

export type ExportPart = { file: number, from: number, 
/**
 * At most 4 MiB.
 */
count: number, };

export type ExportPreview = { rows: number, 
/**
 * Contacts that have opted out, whether they are included or omitted.
 */
opted_out: number, 
/**
 * The lists with contacts whose exported value is the last valid one, because the newest is a draft.
 */
drafts: Array<ListDrafts>, 
/**
 * Columns that the format cannot hold.
 */
left_out: Array<string>, 
/**
 * The titles above the columns, including those of the opt-out columns. Empty if there are none.
 */
headings: Array<string>, 
/**
 * The first rows as they will be written.
 */
cells: Array<Array<string>>, 
/**
 * The beginning of the file, if it is a text file.
 */
text: string | null, };

export type ExportResult = { 
/**
 * `unsupported` means that the page must fetch `file`.
 */
outcome: FileOutcome, path: string | null, file: number | null, 
/**
 * The name of the file with its extension, for a page that saves it.
 */
name: string, bytes: number, rows: number, };

export type ExportRun = { export: ExportChoice, 
/**
 * The name that the dialog suggests.
 */
name: string, };

export type ExportView = { view: number, 
/**
 * The generation in which the page saw the rows. Null means the current one.
 */
generation: number | null, 
/**
 * Null means all rows.
 */
rows: GridRows | null, };

export type ExportWhat = { "view": ExportView } | { "lists": Array<string> } | "account";

export type FaultArea = "pages" | "log" | "references" | "schema" | "contact_counts" | "custom_fields" | "short_links" | "opt_outs";

export type FieldClash = { number: number, label: string, 
/**
 * Some values that the service has in it.
 */
samples: Array<string>, 
/**
 * The number to which the account's field can be moved.
 */
free: number, };

export type FieldClashSettle = { number: number, 
/**
 * Whether both sides mean the same. If not, the field here moves to a free number.
 */
is_same: boolean, };

export type FieldClashSettled = { 
/**
 * The number to which the field was moved.
 */
moved_to: number | null, };

export type FieldClashes = { clashes: Array<FieldClash>, };

export type FieldFault = { 
/**
 * Path in the request, such as `name` or `contacts[3].title`.
 */
path: string, 
/**
 * The rule in words.
 */
message: string, rejected: unknown, };

export type FieldInfo = { 
/**
 * The name as it appears in contacts: `phone_number`, `title`, `field_3`.
 */
name: string, kind: FieldKind, 
/**
 * The maximum number of characters.
 */
limit: number, 
/**
 * The label of a custom field.
 */
label: string | null, };

export type FieldKind = "number" | "text" | "date";

export type FileKind = "csv" | "tsv" | "json" | "jsonl" | "svg" | "png" | "text" | "pdf" | "xlsx" | "vcf" | "yaml" | "account";

export type FileOutcome = "saved" | "cancelled" | "unsupported";

export type FileSave = { 
/**
 * The name that the dialog suggests.
 */
name: string, kind: FileKind, content_base64: string, };

export type FileSaved = { outcome: FileOutcome, path: string | null, };

export type FillWay = "down" | "right";

export type FillWith = "above" | { "text": string };

export type FullRequest = { line: RequestLine, request: RequestMessage, response: RequestMessage, 
/**
 * The first broken rules, with the fields that broke them.
 */
faults: Array<RequestFault>, faults_total: number, 
/**
 * The response that would have been sent without the fault rule.
 */
meant: IntendedCall | null, effects: RequestEffects, 
/**
 * The same request as a shell command, with variables in place of secrets.
 */
curl: string, };

export type GoneList = { name: string, 
/**
 * The number of its contacts here.
 */
contacts: number, };

export type GridAct = { view: number, generation: number | null, rows: GridRows, columns: Array<string>, 
/**
 * Further blocks. They are changed after the first one, in the same step.
 */
more?: Array<GridBlock>, act: BulkAct, 
/**
 * True reports the effect without changing anything.
 */
preview: boolean, };

export type GridAdd = { view: number, 
/**
 * Values by field name. The path of an error is the name of the field.
 */
values: { [field: string]: string | null }, 
/**
 * The region of numbers without a country code. Null means that of the account.
 */
region: string | null, };

export type GridAdded = { 
/**
 * After the last row, until the next refresh.
 */
row: number, contact: ContactCard, };

export type GridAgreed = { field: string, 
/**
 * Empty if the service has no value.
 */
value: string, 
/**
 * Whether the service changed the value as well.
 */
is_conflict: boolean, };

export type GridBlock = { rows: GridRows, columns: Array<string>, };

export type GridCell = { row: number, column: string, };

export type GridCellEdit = { row: number, field: string, text: string | null, };

export type GridCellFault = { row: number, field: string, 
/**
 * The text of the rule that refuses the value.
 */
message: string, };

export type GridCopy = { view: number, rows: GridRows, columns: Array<string>, 
/**
 * The titles above the rows, one for each column. Empty writes none.
 */
headings: Array<string>, };

export type GridCounted = { cells: number, rows: number, };

export type GridDelete = { view: number, generation: number | null, rows: GridRows, };

export type GridDeleted = { count: number, 
/**
 * Null if nothing changed.
 */
step: number | null, };

export type GridDraft = { field: string, text: string, value: string | null, message: string, };

export type GridDrafts = { drafts: Array<GridDraft>, 
/**
 * Null if the service has the same row, or if there is no service.
 */
unsent: GridUnsent | null, };

export type GridDraftsGet = { view: number, row: number, };

export type GridDuplicates = "keep" | "skip" | "merge";

export type GridEdge = { view: number, generation: number | null, row: number, column: string, direction: GridEdgeDirection, };

export type GridEdgeDirection = "up" | "down";

export type GridEdgeRow = { row: number, };

export type GridEdit = { view: number, 
/**
 * The generation in which the page saw the rows. If the rows have other numbers by now, nothing is done. Null
 * skips this check.
 */
generation: number | null, 
/**
 * At most 10,000. If a cell is named twice, the last text counts.
 */
cells: Array<GridCellEdit>, 
/**
 * The region of numbers without a country code. Null means that of the contact's own number, or of the account.
 */
region: string | null, };

export type GridEdited = { 
/**
 * Cells that the act covers.
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
 * Cells whose new text a rule refuses. The text is stored as a draft.
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
 * The opt-outs that the new numbers lack.
 */
lost_opt_outs: Array<LostOptOut>, 
/**
 * Null if nothing changed, or in a preview.
 */
step: number | null, };

export type GridFacet = { value: string | null, count: number, };

export type GridFacets = { 
/**
 * The most frequent first. Null stands for blank.
 */
values: Array<GridFacet>, 
/**
 * The number of distinct values, without blank.
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
 * Searches after this cell, or before it if `backwards` is true. Null searches from the first or last cell.
 */
from: GridCell | null, backwards: boolean, };

export type GridFindCount = { view: number, text: string, regex: boolean, case: boolean, whole_cell: boolean, columns: Array<string>, };

export type GridFound = { 
/**
 * Null if nothing more matches.
 */
cell: GridCell | null, };

export type GridLocate = { view: number, uid: string, };

export type GridNewList = { view: number, generation: number | null, 
/**
 * Null means the whole view.
 */
rows: GridRows | null, name: string, };

export type GridOpen = { 
/**
 * The UID of a list.
 */
list: string, 
/**
 * Null shows every contact.
 */
filter: GridFilter | null, 
/**
 * Part of any text, or of a number in any spelling.
 */
text: string | null, 
/**
 * The sort keys. Empty means newest first, and contacts of the same second in the order of their creation. That
 * order also breaks ties. Blank values come last in both directions.
 */
sort: Array<ContactSort>, 
/**
 * Keeps contacts that were deleted here in the view until the deletion is pushed.
 */
has_deleted: boolean, };

export type GridOpened = { view: number, generation: number, total: number, deleted: number, 
/**
 * If false, `total` is an estimate.
 */
is_exact: boolean, is_building: boolean, };

export type GridOptOut = { view: number, generation: number | null, rows: GridRows, 
/**
 * Each number of the contacts is opted out on each of these channels.
 */
channels: Array<Channel>, 
/**
 * The ID of an asset. Null means the whole account.
 */
asset: string | null, reason: string, };

export type GridOptOutNumbers = { 
/**
 * The number of distinct numbers of the contacts.
 */
numbers: number, };

export type GridOptOutPreview = { view: number, generation: number | null, rows: GridRows, };

export type GridOptedOut = { added: number, 
/**
 * Numbers that were opted out in that scope before. Their records stay as they are.
 */
already: number, 
/**
 * Contacts without any number.
 */
without_number: number, 
/**
 * Null if nothing changed.
 */
step: number | null, };

export type GridPaste = { view: number, generation: number | null, 
/**
 * The row that receives the first line. Lines beyond the last row of the view become new contacts.
 */
at: number, 
/**
 * The columns from the focus on, in the order of the screen. With `into`, the selected columns.
 */
columns: Array<string>, 
/**
 * Lines of cells. A short line leaves the remaining cells unchanged. At most 1,000,000 cells.
 */
rows: Array<Array<string>>, 
/**
 * The selected rows, at least as many as there are lines. One line fills all of them, and so does a block that
 * fits a whole number of times. Null if one row is selected or if the block is larger than the selection.
 */
into: GridRows | null, mode: GridPasteMode, 
/**
 * The region of numbers without a country code. Null means that of the contact's own number, or of the account.
 */
region: string | null, };

export type GridPasteMode = "plain" | "blanks_only" | "e164" | "transposed";

export type GridPasted = { 
/**
 * Cells of existing rows.
 */
cells: number, changed: number, drafts: number, 
/**
 * New contacts.
 */
added: number, 
/**
 * The row of the first new contact.
 */
first_added: number | null, 
/**
 * Lines that became no contact.
 */
left_out: number, 
/**
 * The numbers of those lines, counted from 0.
 */
left_out_lines: Array<number>, 
/**
 * The first hundred of each.
 */
faults: Array<GridCellFault>, refused: Array<GridRefused>, 
/**
 * The opt-outs that the new numbers of existing rows lack.
 */
lost_opt_outs: Array<LostOptOut>, step: number | null, };

export type GridProblem = { view: number, 
/**
 * Searches after this row, or before it if `backwards` is true. Null searches from the first or last row.
 */
from: number | null, backwards: boolean, };

export type GridRefused = { line: number, field: string, message: string, };

export type GridRow = { row: number | null, };

export type GridRows = [number, number][];

export type GridSample = { row: number, field: string, before: string | null, after: string | null, fault: string | null, };

export type GridSavedView = { uid: ViewUid, name: string, spec: unknown, };

export type GridSavedViews = { 
/**
 * In the order in which they were created.
 */
views: Array<GridSavedView>, };

export type GridSend = { view: number, generation: number | null, rows: GridRows, 
/**
 * The UID of a list.
 */
list: string, duplicates: GridDuplicates, };

export type GridSendPreview = { view: number, generation: number | null, rows: GridRows, 
/**
 * The UID of a list.
 */
list: string, };

export type GridSent = { 
/**
 * Null if nothing changed.
 */
step: number | null, 
/**
 * Contacts that were added to the list.
 */
placed: number, 
/**
 * Contacts that were merged into others.
 */
merged: number, skipped: number, };

export type GridState = { 
/**
 * Increases whenever rows receive other numbers.
 */
generation: number, is_building: boolean, 
/**
 * Rows read so far, while the view is built.
 */
rows_read: number, total: number, 
/**
 * Rows of the view that were deleted here and whose deletion was not pushed yet.
 */
deleted: number, 
/**
 * If false, `total` is an estimate.
 */
is_exact: boolean, 
/**
 * Someone else changed the list since the view was built.
 */
is_stale: boolean, 
/**
 * The error that ended the last build.
 */
fault: string | null, };

export type GridStateGet = { view: number, 
/**
 * The generation that the page knows. The wait ends when it changes.
 */
generation: number | null, 
/**
 * How long to wait for the build to end, at most 1,000. Null does not wait.
 */
wait_ms: number | null, };

export type GridSummary = { rows: number, cells: number, blanks: number, 
/**
 * The number of distinct values that are not blank. Only for a single column.
 */
distinct: number | null, };

export type GridSummaryGet = { view: number, rows: GridRows, columns: Array<string>, };

export type GridUid = { 
/**
 * Null if the contact no longer exists.
 */
uid: string | null, };

export type GridUidGet = { view: number, row: number, };

export type GridUnsent = "added" | "deleted" | { "edited": Array<GridAgreed> };

export type GridView = { view: number, };

export type GridViewDelete = { uid: string, };

export type GridViewList = { 
/**
 * The UID of a list.
 */
list: string, };

export type GridViewRename = { uid: string, name: string, };

export type GridViewSave = { 
/**
 * The UID of a list.
 */
list: string, 
/**
 * If a view of the list already has this name, it is replaced.
 */
name: string, 
/**
 * An object of at most 64 KiB as JSON.
 */
spec: unknown, };

export type GridWindow = { view: number, 
/**
 * The generation that the page knows. The response names the current one and has no rows if the two differ.
 */
generation: number | null, from: number, 
/**
 * At most 1,000.
 */
count: number, 
/**
 * At most 64, by the field names of contacts.
 */
columns: Array<string>, };

export type HeldAnswer = { 
/**
 * In E.164 form.
 */
number: string, records: Array<HeldCount>, 
/**
 * The copies of the account and the damaged files that were set aside, if they hold something or cannot be read.
 */
copies: Array<HeldInFile>, 
/**
 * When what was held about the number was erased before.
 */
erased_at: Array<Timestamp>, 
/**
 * Whether imports are under way. Their files were not searched.
 */
has_imports: boolean, 
/**
 * Whether a server keeps its state beside the account, which was not searched.
 */
has_server_state: boolean, 
/**
 * The whole report as a JSON file.
 */
report: string, };

export type HeldCount = { kind: HeldKind, count: number, };

export type HeldGet = { 
/**
 * In any spelling.
 */
number: string, 
/**
 * The country of a number without a country code, as two letters. Null stands for that of the account.
 */
region: string | null, };

export type HeldInFile = { 
/**
 * The file name without its folder.
 */
file: string, 
/**
 * Null if the file cannot be read.
 */
count: number | null, };

export type HeldKind = "contacts" | "opt_outs" | "opt_out_history" | "drafts" | "clicks" | "imports" | "rejected_rows" | "jobs" | "activity" | "change_log" | "undo_memory" | "sync_state" | "service_audit" | "settings" | "other";

export type HistoryPassed = { step: UndoStepEntry, };

export type HistoryStatus = { undo: UndoStepEntry | null, redo: UndoStepEntry | null, 
/**
 * If the last act was a restore, which undo does not take back: the file name of the copy of what was there before.
 */
before_restore: string | null, };

export type HistoryTaken = { step: UndoStepEntry, rows: number, 
/**
 * The number of values and rows that were changed since by others and therefore stay unchanged.
 */
kept: number, 
/**
 * The number of opt-outs of the act that remain, because only a removal with a reason ends an opt-out.
 */
opt_outs_kept: number, };

export type HistoryUndo = { 
/**
 * Undoes only if this is the last act. Without it, whatever is last is undone.
 */
step?: number, };

export type ImportAccept = { import: number, 
/**
 * The number of opt-outs that the consent columns will add, as the user typed it. Null if there are none.
 */
typed_count: number | null, };

export type ImportAccepted = { list_name: string, 
/**
 * Everything in the files and what was done with it.
 */
ledger: ImportLedger, elapsed_ms: number, rows_per_second: number, 
/**
 * The id of the import in the history.
 */
past: number, 
/**
 * The step that undo takes back.
 */
step: number, list: string, counts: ImportBuckets, 
/**
 * Refused rows, which are stored with the import so that they can be fixed.
 */
rejects: number, 
/**
 * Opt-outs that were added.
 */
opt_outs: number, 
/**
 * The opt-outs that the new numbers of changed contacts lack. Empty if the program was restarted since.
 */
lost_opt_outs: Array<LostOptOut>, };

export type ImportAdd = { import: number, sources: Array<ImportSource>, };

export type ImportBreak = { 
/**
 * The message says what is wrong, where, and what to do.
 */
message: string, place: ImportPlace, 
/**
 * Rows with values before that place, which can be imported.
 */
rows_before: number, 
/**
 * Lines from there to the end of the file; null if they cannot be counted.
 */
lines_left: number | null, };

export type ImportBucket = "new" | "same" | "kept" | "changed" | "duplicate_in_file" | "duplicate_in_list" | "opted_out" | "invalid" | "blank";

export type ImportBuckets = { rows: number, new: number, same: number, 
/**
 * Missing in results of older versions, which counted these rows as `same`.
 */
kept: number, changed: number, duplicate_in_file: number, duplicate_in_list: number, opted_out: number, invalid: number, 
/**
 * Blank rows, the row that names the columns, and the rows above it.
 */
blank: number, };

export type ImportCellText = { 
/**
 * The number of the column, from 0.
 */
column: number, text: string, };

export type ImportColumn = { 
/**
 * The number of the column in mappings, from 0.
 */
column: number, 
/**
 * The name of the column; blank if it has none.
 */
name: string, facts: ImportColumnFacts, 
/**
 * Whether it seems to say who opted out.
 */
is_consent: boolean, 
/**
 * Whether its values seem to say so although it fills a field.
 */
has_opt_outs: boolean, suggestion: ImportSuggestion | null, 
/**
 * The files that have the column.
 */
files: Array<number>, };

export type ImportColumnFacts = { 
/**
 * Rows that have a value in this column.
 */
filled: number, 
/**
 * Rows that have no value in this column, but one in another.
 */
blank: number, 
/**
 * The first distinct values. None of them is blank.
 */
samples: Array<string>, 
/**
 * The most frequent values; empty if nearly all values differ.
 */
histogram: Array<ImportValueCount>, 
/**
 * All values, the most frequent first; empty if there are too many to count.
 */
values: Array<ImportValueCount>, looks: ImportLooks, 
/**
 * The regions of the examined numbers that have a country code, the most frequent first.
 */
regions: Array<ImportValueCount>, 
/**
 * The first numbers without a country code.
 */
nationals: Array<string>, 
/**
 * The signs in all rows that somebody opted out.
 */
opt_outs: ImportOptOutFacts, };

export type ImportColumns = { has_head: boolean, number: number, channel: number | null, 
/**
 * The column with an asset's id or number. Rows without one apply to the account.
 */
asset: number | null, };

export type ImportConsent<C> = { pieces: Array<ImportPiece<C>>, between: string, 
/**
 * Values that mean an opt-out, in any letter case; `*` is any value. Nothing is guessed.
 */
words: Array<string>, 
/**
 * Values that do not mean an opt-out; `*` is every value for which it is otherwise unknown.
 */
keeps: Array<string>, 
/**
 * The channels on which all valid numbers of the row are opted out.
 */
channels: Array<Channel>, };

export type ImportCounts = { rows: number, new: number, already: number, duplicates: number, invalid: number, 
/**
 * The number of records to add. A row for both channels counts as two.
 */
would_add: number, };

export type ImportDateOrder = "day_first" | "month_first" | "as_written";

export type ImportDialect = { 
/**
 * `None`: a line is one cell.
 */
separator: string | null, 
/**
 * `None`: a quote is an ordinary character.
 */
quote: string | null, 
/**
 * Whether a backslash in quotes makes the next character an ordinary one.
 */
backslash: boolean, 
/**
 * Whether spaces before a quote have no meaning.
 */
blanks: boolean, };

export type ImportDialectEvidence = { separator: string | null, 
/**
 * Number of examined rows, and how many of them have `columns` cells.
 */
rows: number, alike: number, columns: number, };

export type ImportDialectGuess = { dialect: ImportDialect, 
/**
 * The first line names it: `sep=;`.
 */
is_noted: boolean, 
/**
 * Every separator that was tried, the best first.
 */
evidence: Array<ImportDialectEvidence>, };

export type ImportEncodingEvidence = "mark" | "well_formed" | "zeros" | "ascii" | "likely";

export type ImportEncodingGuess = { encoding: string, by: ImportEncodingEvidence, 
/**
 * Words with characters beyond ASCII as they look in this encoding, so that a person sees at once whether it is
 * right.
 */
words: Array<string>, };

export type ImportEncodings = { 
/**
 * Names, the most likely ones first.
 */
encodings: Array<string>, };

export type ImportField<C> = { 
/**
 * The name of the field in records of contacts: `phone_number`, `field_3`.
 */
field: string, 
/**
 * The label of a custom field that the import creates; then `field` is empty.
 */
new_field: string | null, pieces: Array<ImportPiece<C>>, pick: ImportPick, 
/**
 * The text between pieces that are combined.
 */
between: string, 
/**
 * The region of numbers without a country code; none: that of the file.
 */
region: string | null, 
/**
 * None: the rule of the file.
 */
rule: ImportRule | null, };

export type ImportFieldCount = { field: string, count: number, };

export type ImportFile = { 
/**
 * The number of the file in the import.
 */
file: number, 
/**
 * A number that all imported sheets of one file share.
 */
group: number, name: string, 
/**
 * The sheet, or the file of the archive, if there are several.
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
 * Null until the file was read.
 */
found: ImportFound | null, broken: ImportBreak | null, 
/**
 * The settings that the person chose.
 */
settings: ImportSettings, };

export type ImportFileKey = { import: number, file: number, };

export type ImportFileKind = "text" | "xlsx" | "ods" | "vcard" | "json";

export type ImportFileState = "uploading" | "waiting" | "reading" | "read" | "broken";

export type ImportFound = { kind: ImportFileKind, 
/**
 * The compression of the file, such as `gzip`.
 */
packing: string | null, encoding: ImportEncodingGuess | null, dialect: ImportDialectGuess | null, sheets: Array<ImportSheet>, 
/**
 * The position in `sheets` of the one that is read.
 */
sheet: number | null, head: ImportHeadGuess, 
/**
 * Names of the columns; blank for a column without a name.
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

export type ImportId = { import: number, };

export type ImportKeptContact = { uid: string, number: string, 
/**
 * The edited fields. They keep their values.
 */
fields: Array<string>, 
/**
 * The import created the contact, and the contact stays as a whole.
 */
is_whole: boolean, };

export type ImportLedger = { columns: ImportLedgerSum, 
/**
 * Cells that are not blank.
 */
cells: ImportLedgerSum, rows: ImportLedgerSum, entries: Array<ImportLedgerEntry>, };

export type ImportLedgerEntry = { 
/**
 * The file, with the sheet if it has several; empty: all files.
 */
file: string, what: ImportLedgerItem, 
/**
 * The name in the file; empty if it has none.
 */
name: string, outcome: ImportLedgerOutcome, 
/**
 * The fields that it fills: `phone_number`, or `opt_out`.
 */
fields: Array<string>, 
/**
 * Why it was not imported unchanged; empty if it was.
 */
reason: string, 
/**
 * None: the number is unknown.
 */
count: number | null, unit: ImportLedgerUnit, 
/**
 * An example of it.
 */
example: string, 
/**
 * Whether somebody chose this outcome.
 */
is_chosen: boolean, };

export type ImportLedgerItem = "column" | "telephone" | "consent" | "surplus_cells" | "sheet" | "archive_member" | "property" | "repeated_name" | "comment" | "hidden_value" | "hidden_rows" | "spreadsheet_error" | "invalid_value" | "formula_without_result" | "list_value_stays" | "duplicate_rows" | "ambiguous_rows" | "opted_out_rows" | "rejected_rows" | "rows_after_break" | "heading_rows" | "blank_rows" | "file_form" | "trimmed_space" | "rounded_number" | "exact_number" | "number_spelling" | "date_form" | "unread_date" | "national_number" | "consent_value" | "opted_out_list";

export type ImportLedgerOutcome = "taken" | "not_data" | "left_out" | "rejected";

export type ImportLedgerSum = { all: number, taken: number, left_out: number, rejected: number, not_data: number, };

export type ImportLedgerUnit = "values" | "rows";

export type ImportLooks = { values: number, numbers: number, emails: number, dates: number, 
/**
 * Numbers that a spreadsheet shortened: `4.47E+11`.
 */
shortened: number, 
/**
 * Dates in which only the day can come first.
 */
day_first: number, 
/**
 * Dates in which only the month can come first.
 */
month_first: number, 
/**
 * Dates that have two meanings.
 */
ambiguous_dates: number, };

export type ImportMap = { import: number, mapping: ImportMapping<number>, };

export type ImportMapped = { generation: number, 
/**
 * The import cannot be rehearsed while there are any.
 */
faults: Array<ImportMappingFault>, 
/**
 * The first rows that hold values; empty while there are faults.
 */
sample: Array<ImportMappedRow>, };

export type ImportMappedRow = { row: number, file: number, place: number, 
/**
 * One value for each target, as it would be stored; null if it is blank or would not be stored.
 */
values: Array<string | null>, reason: ImportRowReason | null, };

export type ImportMapping<C> = { targets: Array<ImportField<C>>, 
/**
 * None: the region of most numbers of the files with a country code, or else that of the account.
 */
region: string | null, rule: ImportRule, match_by: ImportMatchBy, twice: ImportTwice, opted_out: ImportOptedOut, consents: Array<ImportConsent<C>>, 
/**
 * None: the order that the dates with only one meaning prove.
 */
date_order: ImportDateOrder | null, 
/**
 * Columns that somebody left out by name.
 */
left_out: Array<C>, 
/**
 * Columns whose field somebody chose, as opposed to a guess.
 */
named: Array<C>, labels: Array<ImportNumberLabel<C>>, 
/**
 * Names of files, sheets and lists of which somebody said that everybody in them opted out.
 */
opted_out_lists: Array<string>, 
/**
 * Names of those of which somebody said that they are ordinary lists.
 */
ordinary_lists: Array<string>, };

export type ImportMappingBy = "suggested" | "remembered" | "profile" | "person";

export type ImportMappingFault = { 
/**
 * The path in the mapping, such as `targets[1].pieces[0]`, or else `files` or `target`.
 */
path: string, message: string, 
/**
 * The names of the columns, files, sheets and lists that it asks about.
 */
about: Array<string>, };

export type ImportMatchBy = "phone" | "whatsapp";

export type ImportMend = { import: number, row: number, cells: Array<ImportCellText>, };

export type ImportNumberLabel<C> = { column: C, label: C, };

export type ImportOpen = { purpose: ImportPurpose, 
/**
 * May be empty, because files can be added later.
 */
sources: Array<ImportSource>, target: ImportTarget | null, };

export type ImportOptOutFacts = { 
/**
 * Cells that surely say that somebody opted out.
 */
sure: number, 
/**
 * Cells that may say so.
 */
doubtful: number, 
/**
 * Cells that say so if the column holds labels.
 */
labels: number, 
/**
 * The values, or the items of lists, with the number of their cells; only the first ones of many.
 */
values: Array<ImportValueCount>, };

export type ImportOptedOut = "take" | "leave_out";

export type ImportPart = { 
/**
 * The text at which the cell is split.
 */
separator: string, 
/**
 * The number of the part, from 1. A negative number counts from the end. 0 is the title in a whole name.
 */
number: number, 
/**
 * Whether everything behind the part is included.
 */
and_rest: boolean, };

export type ImportPartsPut = { import: number, 
/**
 * Any entry of the file.
 */
file: number, 
/**
 * Names of sheets, or of files in the archive. At least one.
 */
parts: Array<string>, };

export type ImportPast = { past: number, step: number, at: Timestamp, 
/**
 * The UID of the list, and its name at that time.
 */
list: string, list_name: string, list_exists: boolean, 
/**
 * The names of the files.
 */
name: string, kind: string, counts: ImportBuckets, 
/**
 * The number of changed contacts for each field.
 */
fields: Array<ImportFieldCount>, 
/**
 * Opt-outs that the import added.
 */
opt_outs: number, 
/**
 * Everything that the files held, and the result for each part.
 */
ledger: ImportLedger, 
/**
 * Rejected rows that are not fixed yet.
 */
rejects: number, 
/**
 * The import that first rejected these rows, if this one imported rejected rows.
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
 * The position of the row in its bucket, from 0.
 */
at: number, };

export type ImportProblemGet = { import: number, 
/**
 * Null starts from the beginning, or from the end if `backwards` is true.
 */
after: number | null, backwards: boolean, };

export type ImportProfileItem = { name: string, 
/**
 * The names of the columns that it was made for.
 */
columns: Array<string>, used_at: Timestamp, 
/**
 * The reason why it does not match the named import. Null if it matches or if no import was named.
 */
misfit: string | null, };

export type ImportProfileKey = { import: number, name: string, };

export type ImportProfileList = { import: number | null, };

export type ImportProfileName = { name: string, };

export type ImportProfileNamed = { name: string, };

export type ImportProfileRead = { 
/**
 * The text of a file that `import_profile_write` wrote.
 */
text: string, };

export type ImportProfileText = { 
/**
 * The suggested name of the file, without an extension.
 */
name: string, text: string, };

export type ImportProfiles = { 
/**
 * Matching profiles first, then the most recently used.
 */
items: Array<ImportProfileItem>, };

export type ImportProgress = { work: ImportWork, rows: number, 
/**
 * The number of rows in the end, if it is known.
 */
rows_total: number | null, 
/**
 * Bytes read of all files, while they are read.
 */
bytes: number, bytes_total: number, rows_per_second: number, elapsed_ms: number, 
/**
 * Whether it was asked to end and has not ended yet.
 */
is_ending: boolean, };

export type ImportPurpose = "contacts" | "opt_outs";

export type ImportRawRow = { 
/**
 * The number of the row in its file, from 0.
 */
row: number, 
/**
 * The line in a text, or the row in a sheet, from 1.
 */
place: number, 
/**
 * Long cells are truncated.
 */
cells: Array<string>, is_head: boolean, 
/**
 * Whether the row is above the names of the columns.
 */
is_above: boolean, };

export type ImportReason = "no_number" | "not_a_number" | "spreadsheet" | "lost_zero" | "too_long" | "damaged_text" | "nul" | "malformed";

export type ImportReasonCount = { reason: ImportReason, message: string, count: number, };

export type ImportRehearsal = { generation: number, 
/**
 * Whether the account changed since, so that it has to be repeated.
 */
is_stale: boolean, counts: ImportBuckets, 
/**
 * Fields in the order of the mapping.
 */
fields: Array<ImportFieldCount>, reasons: Array<ImportReasonCount>, 
/**
 * New, unchanged and changed rows whose number is opted out.
 */
opted_out: number, 
/**
 * Opt-outs that would be added.
 */
opt_outs: number, 
/**
 * How many of these come only from invalid rows.
 */
opt_outs_of_invalid_rows: number, 
/**
 * Custom fields that would be created.
 */
new_fields: Array<CustomField>, 
/**
 * Everything in the files and what is done with it; empty for rows that an earlier import refused.
 */
ledger: ImportLedger, };

export type ImportReject = { reject: number, 
/**
 * The row's number in the file, from 0.
 */
row: number, 
/**
 * The line on which the row begins, or its number in the sheet.
 */
place: number, 
/**
 * One text for each column.
 */
cells: Array<string>, 
/**
 * Null if the row is fixed and can be imported.
 */
reason: ImportReason | null, message: string | null, field: string | null, 
/**
 * What would become of the row if the fixed rows were imported now.
 */
bucket: ImportBucket, };

export type ImportRejectEdit = { reject: number, column: number, text: string, };

export type ImportRejectsAccept = { past: number, 
/**
 * The number of opt-outs that consent columns will add, typed by the user. Null if there are none.
 */
typed_count: number | null, };

export type ImportRejectsAccepted = { 
/**
 * The fixed rows are an import of their own in the history.
 */
past: number, step: number, counts: ImportBuckets, 
/**
 * The opt-outs that the new numbers of changed contacts lack.
 */
lost_opt_outs: Array<LostOptOut>, 
/**
 * Rejected rows that are not fixed yet.
 */
left: number, };

export type ImportRejectsDiscard = { past: number, 
/**
 * Empty means all rejected rows of the import.
 */
rejects: Array<number>, };

export type ImportRejectsDiscarded = { discarded: number, };

export type ImportRejectsGet = { past: number, from: number, 
/**
 * At most 500.
 */
count: number, };

export type ImportRejectsMend = { past: number, 
/**
 * At most 10,000.
 */
edits: Array<ImportRejectEdit>, };

export type ImportRejectsMended = { 
/**
 * The edited rows, checked again.
 */
rows: Array<ImportReject>, };

export type ImportRejectsPage = { total: number, 
/**
 * Names of the columns.
 */
columns: Array<string>, rows: Array<ImportReject>, };

export type ImportRejectsSave = { past: number, 
/**
 * The name that the dialog suggests.
 */
name: string, };

export type ImportReverted = { 
/**
 * The step of the revert, which can be undone. Null in a preview.
 */
step: number | null, 
/**
 * Contacts that the import created and the revert deletes.
 */
deleted: number, 
/**
 * Contacts that get their earlier values back.
 */
restored: number, kept_total: number, 
/**
 * The first thousand.
 */
kept: Array<ImportKeptContact>, 
/**
 * Opt-outs that the import added. They stay.
 */
opt_outs_kept: number, 
/**
 * The import created the list, but the list stays because it has other contacts by now.
 */
list_kept: boolean, };

export type ImportRow = { 
/**
 * The line of the text on which the row begins, counted from 1.
 */
row: number, 
/**
 * The number in E.164 form.
 */
number: string | null, given: string, channels: Array<Channel>, asset_number: string | null, status: OptOutRowStatus, 
/**
 * The first row with the same opt-out.
 */
duplicate_of: number | null, fault: OptOutRowError | null, message: string | null, };

export type ImportRowChange = { field: string, before: string | null, after: string | null, 
/**
 * Whether the new value becomes a draft.
 */
is_draft: boolean, };

export type ImportRowReason = { reason: ImportReason, message: string, 
/**
 * The field that the reason is about; null if it is about the row.
 */
field: string | null, };

export type ImportRowValue = { field: string, text: string, 
/**
 * Whether it becomes a draft.
 */
is_draft: boolean, };

export type ImportRows = { 
/**
 * The generation of the import. Another one may sort rows into other buckets.
 */
generation: number, total: number, rows: Array<RehearsedRow>, };

export type ImportRowsGet = { import: number, 
/**
 * Null means rows of every bucket.
 */
bucket: ImportBucket | null, 
/**
 * Restricts the rows to invalid ones with this reason.
 */
reason: ImportReason | null, 
/**
 * Restricts the rows to those that change this field.
 */
field: string | null, 
/**
 * The position of the first returned row among the matching ones, from 0.
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
 * Any name of an encoding in the Encoding Standard of the web.
 */
encoding: string | null, dialect: ImportDialect | null, sheet: string | null, head: ImportHeadRow, 
/**
 * Imports the rows before the place where the file is broken.
 */
takes_part: boolean, };

export type ImportSheet = { name: string, is_hidden: boolean, };

export type ImportSource = { "path": string } | { "text": { name: string, text: string, 
/**
 * The numbers of the rows behind the first, if the rows come from somewhere else.
 */
rows: Array<number> | null, } } | { "upload": { name: string, size: number, } };

export type ImportSourcePut = { import: number, file: number, settings: ImportSettings, };

export type ImportStage = "empty" | "uploading" | "reading" | "mapping" | "rehearsing" | "rehearsed" | "accepting" | "accepted";

export type ImportState = { import: number, 
/**
 * Increases with every visible change except progress.
 */
generation: number, purpose: ImportPurpose, stage: ImportStage, target: ImportTarget | null, files: Array<ImportFile>, 
/**
 * Rows of all files that hold values. The buckets sum to them.
 */
rows: number, 
/**
 * Rows that another screen refused and that only this import has.
 */
refused_rows: number, 
/**
 * Null: no work is running.
 */
progress: ImportProgress | null, 
/**
 * Why the last work failed, and what to do.
 */
fault: string | null, 
/**
 * Why it cannot be rehearsed yet; empty if it can.
 */
obstacles: Array<ImportMappingFault>, 
/**
 * The counts of the last rehearsal; null if there is none, or something has changed since.
 */
counts: ImportBuckets | null, 
/**
 * Whether the account has changed since the rehearsal, so that it has to be repeated.
 */
is_stale: boolean, accepted: ImportAccepted | null, };

export type ImportStateGet = { import: number, 
/**
 * The generation that the page knows. The wait ends when it changes.
 */
generation: number | null, 
/**
 * How long to wait for news, at most 1,000. Null does not wait.
 */
wait_ms: number | null, };

export type ImportSuggestion = { 
/**
 * The name of the field in records of contacts: `phone_number`, `field_3`.
 */
field: string, by: ImportSuggestionBy, };

export type ImportSuggestionBy = "name" | "word" | "likeness" | "contents";

export type ImportTable = { generation: number, columns: Array<ImportColumn>, mapping: ImportMapping<number>, by: ImportMappingBy, 
/**
 * The name of the profile that the mapping was taken from.
 */
profile: string | null, 
/**
 * The region of numbers without a country code if the mapping names none.
 */
usual_region: string, 
/**
 * How this region was chosen.
 */
usual_region_by: CountryBy, faults: Array<ImportMappingFault>, };

export type ImportTarget = { "list": string } | { "new_list": string };

export type ImportTargetPut = { import: number, target: ImportTarget | null, };

export type ImportTwice = "first" | "last";

export type ImportUpload = { import: number, file: number, 
/**
 * The number of bytes that were sent before. It must equal the number that has arrived.
 */
from: number, 
/**
 * At most 4 MiB.
 */
content_base64: string, 
/**
 * The file is complete with these bytes. It is then read.
 */
is_last: boolean, };

export type ImportUploaded = { 
/**
 * Bytes that have arrived. The next upload continues here.
 */
received: number, };

export type ImportValueCount = { text: string, count: number, };

export type ImportWaiting = { import: number, purpose: ImportPurpose, begun_at: Timestamp, names: Array<string>, target: ImportTarget | null, rows: number, 
/**
 * Rows that another screen refused and that only this import has.
 */
refused_rows: number, stage: ImportStage, };

export type ImportWaitingAnswer = { 
/**
 * The most recent first.
 */
imports: Array<ImportWaiting>, };

export type ImportWork = "read" | "rehearse" | "accept";

export type InboundAsset = { asset_id: AssetId, 
/**
 * A number in E.164 or a short code. `None` if the asset was deleted before its number was known.
 */
number: string | null, };

export type IntendedCall = { status: number, body: RequestBody, };

export type Job = { id: number, list_id: ListId, list_name: string, merge_type: MergeType, callback_url: string | null, correlation_id: string | null, contacts: number, state: JobState, totals: JobTotals, queued_at: Timestamp, finished_at: Timestamp | null, };

export type JobCallback = { state: CallbackState, attempts: number, next_at: Timestamp | null, tries: Array<CallbackAttempt>, };

export type JobContactOutcome = "imported" | "merged" | "skipped" | "failed";

export type JobGet = { id: number, };

export type JobItem = { job: Job, 
/**
 * Null if no callback is owed, or none yet.
 */
callback: CallbackState | null, };

export type JobOutcome = { 
/**
 * Counted from 0.
 */
position: number, outcome: JobContactOutcome, 
/**
 * Null if the contact was not stored or was deleted since.
 */
contact_id: ContactId | null, phone: string | null, whatsapp: string | null, firstname: string | null, lastname: string | null, };

export type JobOutcomes = { id: number, outcome: JobContactOutcome | null, page_number: number, page_size: number, };

export type JobPage = { page_number: number, page_size: number, };

export type JobResults = { jobs: number, 
/**
 * Contacts that were imported or merged.
 */
written: number, failed: number, };

export type JobState = "queued" | "done";

export type JobTotals = { 
/**
 * Records that were created.
 */
imported: number, 
/**
 * Records that were updated, each counted once.
 */
merged: number, 
/**
 * Contacts that were left out as duplicates.
 */
skipped: number, 
/**
 * Contacts that were not stored because the list no longer exists.
 */
failed: number, };

export type JobWithCallback = { job: Job, callback: JobCallback | null, };

export type KeyStatus = { at: KeyStorage | null, 
/**
 * Dots and the end of a long key, only while it is unlocked.
 */
masked: string | null, 
/**
 * Whether the key can be used without asking the user.
 */
is_unlocked: boolean, };

export type KeyStorage = "keyring" | "sealed";

export type KeyringStatus = { works: boolean, why: string | null, };

export type KnownAccount = { path: string, 
/**
 * The file name without its folder.
 */
file: string, name: string, colour: AccountColour, last_opened: Timestamp | null, state: AccountState, 
/**
 * Whether the file is in the data folder.
 */
in_folder: boolean, };

export type LackingOptOut = { number: string, channel: Channel, };

export type LetterCase = "upper" | "lower" | "title" | "sentence";

export type LinkId = string;

export type LinkItem = { link_id: LinkId, title: string, target_url: string, code: string, 
/**
 * The address on the local server, running or not, unless the link has its own base address.
 */
short_url: string, 
/**
 * Who can open this address.
 */
address_status: AddressStatus, tags: Array<string>, created_at: Timestamp, track_clicks: boolean, clicks: number, };

export type List = { uid: ListId, name: string, contact_count: number, created_at: Timestamp, updated_at: Timestamp, };

export type ListCard = { 
/**
 * A name that the account holder gave the list. It is never sent.
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
 * The lists, in order. A contact that is in several comes from the first of them.
 */
lists: Array<string>, key: ListKey, 
/**
 * Whether contacts without such a number are included: those of every list in a union, those of the first list in
 * a subtraction.
 */
with_those_without: boolean, };

export type ListCreate = { name: string, };

export type ListDelete = { uid: string, 
/**
 * The name of the list, typed as a confirmation.
 */
typed_name: string, };

export type ListDeleteMany = { uids: Array<string>, 
/**
 * The number of lists, typed as a confirmation.
 */
typed_count: number, };

export type ListDeleted = { 
/**
 * Contacts that were moved to the trash with it.
 */
contacts: number, };

export type ListDrafts = { list: ListId, name: string, contacts: number, };

export type ListFacts = { 
/**
 * Contacts whose phone number is opted out of SMS, for the account or for at least one asset.
 */
opted_out_sms: number, opted_out_whatsapp: number, 
/**
 * Contacts beyond the first with the same phone number.
 */
duplicates_phone: number, duplicates_whatsapp: number, without_phone: number, without_whatsapp: number, };

export type ListFilled = { list: List, 
/**
 * Contacts that were added.
 */
added: number, 
/**
 * Contacts that were merged into others.
 */
merged: number, 
/**
 * Contacts that were skipped.
 */
skipped: number, };

export type ListId = string;

export type ListKey = "phone" | "whatsapp";

export type ListMerge = { 
/**
 * The sources, in the order in which they take effect. If the target is among them, it is ignored.
 */
from: Array<string>, 
/**
 * Null creates a new list called `name`.
 */
into: string | null, 
/**
 * The name of the new list.
 */
name: string | null, duplicates: MergeDuplicates, 
/**
 * True moves the contacts and deletes the other lists. False copies the contacts and keeps all lists.
 */
delete_sources: boolean, };

export type ListMergePreview = { 
/**
 * The sources. If the target is among them, it is ignored.
 */
from: Array<string>, 
/**
 * Null stands for a new list.
 */
into: string | null, };

export type ListName = { uid: string, name: string, };

export type ListNote = { uid: string, 
/**
 * At most 120 characters. Null or blank removes it.
 */
alias: string | null, 
/**
 * At most 2,000 characters. Null or blank removes it.
 */
note: string | null, };

export type ListPage = { page_number: number, page_size: number, sort_by: ListSort, sort_order: SortOrder, 
/**
 * Part of the name or of the alias, whatever its letter case, or the UID.
 */
name: string | null, };

export type ListPin = { uid: string, on: boolean, };

export type ListRead = "assumed_unchanged" | "in_use" | "whole" | "drifting" | "shrunk";

export type ListReadiness = { contacts: number, 
/**
 * The time of the count.
 */
at: Timestamp, 
/**
 * The channels in the order of [`Channel::ALL`].
 */
channels: Array<ChannelReadiness>, };

export type ListSetOp = "union" | "intersect" | "subtract";

export type ListShare = { uid: ListId, name: string, contacts: number, 
/**
 * The number of contacts of the set that would come from this list.
 */
taken: number, without_key: number, };

export type ListSort = "updated_at" | "created_at" | "name" | "contact_count";

export type ListSplit = { uid: string, by: ListSplitBy, 
/**
 * A pattern for the names of the parts: `{name}` is the name of the list, `{n}` the number of the part, `{value}`
 * the value of the field.
 */
names: string, 
/**
 * The text that `{value}` shows for a blank value.
 */
empty_value: string, 
/**
 * True moves the contacts and deletes the list. False copies the contacts and keeps it.
 */
delete_source: boolean, };

export type ListSplitAnswer = { lists: Array<List>, };

export type ListSplitBy = { "size": number } | { "parts": number } | { "field": string };

export type ListSplitPreview = { parts: Array<SplitPart>, };

export type ListUid = { uid: string, };

export type ListedCopy = { path: string, 
/**
 * The file name without its folder.
 */
file: string, 
/**
 * When it was made.
 */
at: Timestamp, occasion: CopyOccasion, bytes: number, 
/**
 * The name of the account that it is a copy of.
 */
name: string | null, 
/**
 * What it holds. Null if it is damaged.
 */
counts: OverviewCounts | null, };

export type LostOptOut = { 
/**
 * The number on which the person opted out.
 */
opted_out: string, 
/**
 * The number that may be messaged now.
 */
number: string, channel: Channel, 
/**
 * The asset of the opt-out. Null if it holds for the whole account.
 */
asset: string | null, };

export type LostOptOuts = { lost: Array<LostOptOut>, };

export type MergeDuplicates = "keep" | "skip_phone" | "merge_phone";

export type MergeType = "skipDuplicates" | "allowDuplicates" | "mergeByPhoneNumberInList" | "mergeByWhatsappIdInList";

export type MergedAll = { 
/**
 * The number of groups with enough confidence.
 */
groups: number, 
/**
 * The number of contacts that remain. Groups that share a contact become one.
 */
survivors: number, 
/**
 * The number of survivors that receive a value.
 */
updated: number, 
/**
 * The number of contacts that are removed.
 */
gone: number, 
/**
 * The number of phone and WhatsApp numbers that no contact of their group has afterwards.
 */
numbers_lost: number, 
/**
 * The first ten of these numbers.
 */
numbers_sample: Array<string>, 
/**
 * The number of survivors whose numbers lack an opt-out of a merged number.
 */
opt_outs_lost: number, 
/**
 * The number of groups left out because more than a thousand contacts would become one.
 */
too_large: number, 
/**
 * The first ten survivors, in a preview.
 */
sample: Array<MergedSample>, 
/**
 * The opt-outs of merged numbers that the survivors' numbers lack. Empty in a preview.
 */
lost_opt_outs: Array<LostOptOut>, 
/**
 * Null if nothing was written.
 */
step: number | null, };

export type MergedField = { field: string, before: string | null, after: string | null, };

export type MergedSample = { survivor: ContactId, title: string, 
/**
 * The number of contacts that become one, including the survivor.
 */
contacts: number, changes: Array<MergedField>, 
/**
 * By field, numbers first. A number that another field keeps is not removed.
 */
removed: Array<RemovedValues>, removed_opt_outs: Array<RemovedOptOut>, };

export type NameCounts = { 
/**
 * How often the text in the first-name field is a first name in other contacts, and how often a last name.
 */
first_as_first: number, first_as_last: number, 
/**
 * How often the text in the last-name field is a first name in other contacts, and how often a last name.
 */
last_as_first: number, last_as_last: number, };

export type NewestPlanStatus = { id: number, is_stale: boolean, };

export type Nothing = Record<symbol, never>;

export type Noun = "account" | "sender" | "asset" | "custom_field" | "list" | "contact" | "job" | "callback" | "opt_out" | "short_link" | "click";

export type NumberKind = "valid" | "invalid" | "empty";

export type NumberRead = { text: string, 
/**
 * The region of a number without a country code. Null means that of the account.
 */
region: string | null, 
/**
 * The UID of the contact that has the number. Null for a new contact.
 */
contact: string | null, };

export type NumberReadAnswer = { kind: NumberKind, e164: string | null, 
/**
 * The region of a valid number. For others, the region that was assumed.
 */
region: string, international: string | null, national: string | null, 
/**
 * The reason why the text is not a valid number.
 */
message: string | null, };

export type NumberSeries = { start: number, step: number, prefix: string, pad: number, };

export type NumbersRead = { 
/**
 * If null, the region of the contact's own number.
 */
region: string | null, };

export type OpenRunStatus = { id: number, state: RunState, };

export type OperateMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export type OperateResponse = unknown;

export type OperationPath = { operation: string, 
/**
 * The default path of the interface.
 */
usual: string, 
/**
 * The path at this service.
 */
path: string, };

export type OptOutAdd = { entries: Array<OptOutEntry>, reason: string, region: string | null, };

export type OptOutAdded = { added: number, 
/**
 * The number of records that already existed in this scope and were replaced by the new ones.
 */
renewed: number, 
/**
 * The first records.
 */
records: Array<OptOutRecord>, };

export type OptOutCheck = { 
/**
 * Null begins a look-up. The response has its number, which later slices name.
 */
lookup: number | null, 
/**
 * At most 2,000 in a request and 100,000 in a look-up.
 */
numbers: Array<string>, region: string | null, };

export type OptOutCheckAnswer = { lookup: number, totals: CheckTotals, };

export type OptOutCheckPage = { lookup: number, only: CheckVerdict | null, page_number: number, page_size: number, };

export type OptOutCheckPageResponse = { total_items: number, total_pages: number, items: Array<CheckLine>, totals: CheckTotals, 
/**
 * The time of the look-up.
 */
at: Timestamp, 
/**
 * Whether anything in the account changed since then.
 */
is_stale: boolean, };

export type OptOutEntry = { number: string, channels: Array<Channel>, 
/**
 * Null means the whole account.
 */
asset: string | null, };

export type OptOutEventKind = "known" | "added" | "removed" | "renewed";

export type OptOutEvidence = { 
/**
 * The suggested name of the file.
 */
name: string, kind: EvidenceFormat, text: string, lines: number, 
/**
 * The hash of the last line, to be stored apart from the file.
 */
last_hash: string, };

export type OptOutEvidenceGet = { number: string | null, channel: Channel | null, from: string | null, to: string | null, format: EvidenceFormat, region: string | null, };

export type OptOutImport = { import: number, 
/**
 * The number of opt-outs that the import will add, typed by the user.
 */
typed_count: number, reason: string, };

export type OptOutImportFile = { 
/**
 * An import that was opened for opt-outs and has been read.
 */
import: number, region: string | null, 
/**
 * The channels of rows that name none. Empty means SMS.
 */
channels: Array<Channel>, 
/**
 * Null detects the columns.
 */
columns: ImportColumns | null, };

export type OptOutImportPreview = { 
/**
 * Lines, with cells separated by tabs, commas, semicolons or bars if there are several.
 */
text: string, region: string | null, 
/**
 * The channels of rows that name none. Empty means SMS.
 */
channels: Array<Channel>, 
/**
 * Null detects the columns.
 */
columns: ImportColumns | null, };

export type OptOutImportPreviewAnswer = { import: number, separator: PastedSeparator, columns: ImportColumns, width: number, head: Array<string> | null, sample: Array<Array<string>>, counts: ImportCounts, };

export type OptOutImportRows = { import: number, status: OptOutRowStatus | null, page_number: number, page_size: number, };

export type OptOutImported = { added: number, };

export type OptOutItem = { 
/**
 * The source of the latest change, and its reason.
 */
source: ActorKind | null, reason: string | null, 
/**
 * The number of lists that contain the number.
 */
lists: number, 
/**
 * The number in E.164 form.
 */
number: string, region: string | null, channel: Channel, scope: OptOutRecordScope, 
/**
 * The number of the asset to which the record applies.
 */
scope_number: string | null, kind: OptOutType, inbound: InboundAsset | null, time: Timestamp, };

export type OptOutKey = { 
/**
 * A number in E.164 form.
 */
number: string, channel: Channel, 
/**
 * Null means the record of the whole account.
 */
asset: string | null, };

export type OptOutPage = { 
/**
 * Part of a number, in any spelling.
 */
number: string | null, kind: OptOutType | null, channel: Channel | null, scope: OptOutScope | null, 
/**
 * The asset that a record holds for, or that received it.
 */
asset: string | null, 
/**
 * Part of that asset's number.
 */
inbound_number: string | null, from: string | null, to: string | null, order: SortOrder, page_number: number, page_size: number, };

export type OptOutReach = "none" | "asset" | "account";

export type OptOutRecord = { 
/**
 * The number in E.164 form.
 */
number: string, region: string | null, channel: Channel, scope: OptOutRecordScope, 
/**
 * The number of the asset to which the record applies.
 */
scope_number: string | null, kind: OptOutType, inbound: InboundAsset | null, time: Timestamp, };

export type OptOutRecordScope = "account" | { "asset": AssetId };

export type OptOutRemovalPreview = { count: number, 
/**
 * The number of records that were not selected but are removed as well.
 */
taken_along: number, 
/**
 * The first thousand records, by number.
 */
records: Array<OptOutToRemove>, 
/**
 * The numbers without such a record.
 */
not_found: Array<string>, 
/**
 * The texts that are not valid numbers.
 */
invalid: Array<string>, 
/**
 * A stamp that identifies exactly these records.
 */
stamp: string, };

export type OptOutRemovalPreviewGet = { what: OptOutUnwanted, };

export type OptOutRemove = { what: OptOutUnwanted, 
/**
 * The count and the stamp that the preview returned.
 */
expected_count: number, stamp: string, reason: string, };

export type OptOutRemoved = { removed: number, };

export type OptOutRowError = "blank" | "not_a_number" | "spreadsheet" | "channel" | "asset" | "channel_mismatch";

export type OptOutRowStatus = "new" | "already" | "duplicate" | "invalid";

export type OptOutScope = "account" | "asset";

export type OptOutStates = { 
/**
 * The number in E.164 form.
 */
number: string, sms: ChannelState, whatsapp: ChannelState, };

export type OptOutStatesAnswer = { 
/**
 * Only numbers with at least one opt-out.
 */
states: Array<OptOutStates>, };

export type OptOutStatesGet = { 
/**
 * Numbers in E.164 form.
 */
numbers: Array<string>, };

export type OptOutTimeline = { 
/**
 * The number in E.164 form.
 */
number: string, region: string, states: OptOutStates, records: Array<OptOutRecord>, 
/**
 * The number of lists that contain the number.
 */
lists: number, 
/**
 * The events, newest first.
 */
events: Array<OptOutTimelineEntry>, };

export type OptOutTimelineEntry = { id: number, at: Timestamp, source: ActorKind, 
/**
 * The act that caused the event; `undo` if it was undone.
 */
act: string | null, action: OptOutEventKind, channel: Channel, scope: OptOutRecordScope, scope_number: string | null, kind: OptOutType, inbound: InboundAsset | null, opted_out_at: Timestamp, reason: string | null, };

export type OptOutTimelineGet = { number: string, region: string | null, };

export type OptOutToRemove = { record: OptOutRecord, 
/**
 * Whether the record was selected. If false, it is removed because the interface cannot leave it.
 */
is_asked: boolean, };

export type OptOutType = "keyword" | "web_opt_out" | "account_import" | "api_import";

export type OptOutUnwanted = { "numbers": OptOutUnwantedNumbers } | { "records": Array<OptOutKey> };

export type OptOutUnwantedNumbers = { numbers: Array<string>, 
/**
 * Null means both channels.
 */
channel: Channel | null, 
/**
 * Null means every record on the channel.
 */
asset: string | null, region: string | null, };

export type OutsideTopic = "server" | "request" | "offered" | "sync";

export type Overview = { account: Account, counts: OverviewCounts, };

export type OverviewCounts = { senders: number, assets: number, custom_fields: number, lists: number, contacts: number, opt_outs: number, short_links: number, jobs_waiting: number, };

export type OverviewRecent = { 
/**
 * Records that wait to be sent to the service. Zero if the account has no connection.
 */
changes: number, 
/**
 * Conflicts that a pull left open.
 */
questions: number, 
/**
 * Whether the account could not be copied before the last large change.
 */
has_failed_copy: boolean, 
/**
 * The opt-outs recorded on each day that are still in force.
 */
opt_outs: Array<number>, clicks: Array<number>, 
/**
 * The results of jobs that ended yesterday or today.
 */
jobs: JobResults, 
/**
 * The lists with the most drafts.
 */
drafts: Array<ListDrafts>, rejected_rows: number, };

export type OverviewRecentGet = { 
/**
 * The start of each of the last days in the user's time zone, today last. At most 366.
 */
days: Array<Timestamp>, };

export type PageResponse<T> = { total_items: number, total_pages: number, items: Array<T>, };

export type PasteFault = { 
/**
 * Counted from 0.
 */
row: number, faults: Array<FieldFault>, };

export type PasteRow = { 
/**
 * Counted from 0.
 */
row: number, numbers: Array<string>, 
/**
 * Whether a contact of the list has one of the numbers.
 */
is_in_list: boolean, 
/**
 * Whether one of the numbers is opted out on its channel.
 */
is_opted_out: boolean, };

export type PastedSeparator = "tab" | "semicolon" | "comma" | "pipe" | "none";

export type PathOverride = { operation: string, path: string, };

export type PlanAlternative = { list: SyncList, choice: PlanChoice, calls: number, instead_of: number, };

export type PlanBlocked = { key: RecordKey, title: string, obstacle: PlanObstacle, fields: Array<string>, 
/**
 * The number of records with the same obstacle and the same choices.
 */
count: number, choices: Array<PlanOption>, chosen: PlanChoice | null, };

export type PlanBody = { method: string, url: string, 
/**
 * The first rows of the request.
 */
body: string | null, rows: number, shown: number, 
/**
 * The request as a command line. The key is taken from a variable.
 */
curl: string, };

export type PlanBodyGet = { plan: number, step: number, 
/**
 * Hides the middle digits of phone numbers.
 */
masked: boolean, };

export type PlanChoice = "keep_local" | "replace" | "keep_both" | "alias" | "recreate" | "discard" | "delete_anyway";

export type PlanChoose = { key: RecordKey, 
/**
 * Null withdraws a choice.
 */
choice: PlanChoice | null, 
/**
 * Applies the choice to every record with the same obstacle.
 */
alike: boolean, };

export type PlanDetails = { id: number, at: Timestamp, is_stale: boolean, steps: Array<PlanLine>, writes: number, reads: number, seconds: number, lanes: Array<PlanLane>, conflicts: number, blocked: Array<PlanBlocked>, 
/**
 * The first refused records; `refused_count` is the number of all.
 */
refused: Array<PlanRefused>, refused_count: number, notes: Array<PlanNote>, gates: Array<PlanGate>, alternatives: Array<PlanAlternative>, 
/**
 * The lists with drafts. The service has or gets the last valid values in their place.
 */
drafts: Array<ListDrafts>, };

export type PlanExport = { plan: number, format: TextFormat, };

export type PlanGate = { gate: PlanGateKind, title: string, rows: number, 
/**
 * The text that must be typed.
 */
wanted: string, };

export type PlanGateKind = "many_deletions" | "list_deletion" | "sender_deletion" | "opt_out_removal";

export type PlanGet = { 
/**
 * Null means the newest plan.
 */
plan: number | null, };

export type PlanHold = { plan: number, step: number, held: boolean, };

export type PlanLane = { operation: string, calls: number, seconds: number, };

export type PlanLine = { id: number, 
/**
 * The steps of this line: deletions of contacts from one list share a line.
 */
ids: Array<number>, operation: string, kind: PlanStepKind, 
/**
 * The name of a list, a phone number, or the title of a link.
 */
title: string, 
/**
 * The number of contacts or phone numbers in the step.
 */
rows: number, after: Array<number>, 
/**
 * Whether sending the step twice changes nothing more.
 */
is_repeatable: boolean, why: PlanStepReason, 
/**
 * The fields that an update sends.
 */
fields: Array<string>, };

export type PlanNote = { 
/**
 * The title of the first record.
 */
title: string, text: PlanNoticeKind, count: number, };

export type PlanNoticeKind = "deletion_dropped" | "form_taken" | "removal_cancelled" | "no_evidence" | "held" | "waiting";

export type PlanObstacle = "clearing" | "number" | "unknown_field" | "unchecked_field" | "clashing_field" | "no_key" | "key_taken" | "rename" | "link_edit" | "only_account_level" | "unnamed_asset" | "conflicts_inside";

export type PlanOption = { choice: PlanChoice, calls: number, };

export type PlanRefused = { key: RecordKey, title: string, list: SyncList | null, faults: Array<string>, };

export type PlanStepKind = "opt_out_create" | "list_create" | "link_create" | "link_delete" | "sender_delete" | "contacts_create" | "contacts_update" | "contacts_merge" | "contacts_upload" | "contact_delete" | "list_delete" | "opt_out_delete";

export type PlanStepReason = "made_here" | "changed_here" | "made_or_changed_here" | "deleted_here" | "replaced" | "recreated" | "removed_there";

export type PreferencesAnswer = { preferences: Record<string, unknown>, };

export type PreferencesPut = { 
/**
 * Merged key by key. Null removes a key.
 */
patch: Record<string, unknown>, };

export type PullSummary = { 
/**
 * The time of the pull. If everything was read, it is the status's `pulled_at`.
 */
at: Timestamp, added: number, changed: number, removed: number, 
/**
 * The number of open conflicts after the pull, old and new.
 */
conflicts: number, 
/**
 * The local changes apart from contacts. Kinds without changes are left out.
 */
other_changes: Array<PulledCount>, 
/**
 * The number of records of kinds that this Roost does not know. They are left alone.
 */
unsupported: number, lists: Array<PulledList>, 
/**
 * The kinds of records of which so many are missing that the user is asked first.
 */
doubtful: Array<SyncNoun>, 
/**
 * The number of records that would be removed locally; for lists, with their contacts.
 */
gone: Array<PulledCount>, 
/**
 * The kinds of which the service returned another number of records than it claims to have. None of them was
 * removed locally.
 */
drifting: Array<SyncNoun>, 
/**
 * The number of opt-outs at the service that name no number and so cannot block one.
 */
unnamed: number, 
/**
 * The number of added contacts that had been deleted locally and were restored because the service's record was
 * edited.
 */
brought_back: number, 
/**
 * The first of them.
 */
restored: Array<RestoredContact>, 
/**
 * The missing lists that were not removed locally, because the user is asked first.
 */
missing_lists: Array<GoneList>, 
/**
 * The titles of the missing short links that were not removed locally, because the user is asked first.
 */
missing_links: Array<string>, 
/**
 * The lists that were removed locally.
 */
removed_lists: Array<GoneList>, 
/**
 * The titles of the short links that were removed locally.
 */
removed_links: Array<string>, };

export type PulledCount = { noun: SyncNoun, count: number, };

export type PulledList = { uid: string, name: string, how: ListRead, };

export type ReadinessCounts = { opted_out: number, no_number: number, invalid: number, landline: number, duplicate: number, ready: number, };

export type RecordChoice = "recreate" | "discard" | "delete_anyway" | "create_again" | "let_go";

export type RecordEvent = { at: Timestamp, source: ActorKind, step: number, act: string, kind: ChangeAction, fields: Array<RecordField>, };

export type RecordField = { 
/**
 * Name of the column.
 */
field: string, before: string | null, after: string | null, };

export type RecordKey = { noun: SyncNoun, id: string, };

export type RefusedFault = { field: string | null, message: string, advice: string, };

export type RefusedMend = { key: RecordKey, field: string, 
/**
 * Null or an empty text clears the field.
 */
value: string | null, };

export type RefusedPage = { total: number, rows: Array<RefusedRow>, };

export type RefusedResend = { keys: Array<RecordKey>, };

export type RefusedRow = { key: RecordKey, uid: string | null, title: string, list: SyncList | null, run: number, 
/**
 * The present local values.
 */
values: Array<SyncValue>, faults: Array<RefusedFault>, 
/**
 * Whether the record was changed since, so that the next plan sends it.
 */
is_mended: boolean, };

export type RehearsedRow = { 
/**
 * The number of the row in all files together, from 0.
 */
row: number, file: number, 
/**
 * The line in a text, or the row in a sheet, from 1.
 */
place: number, 
/**
 * One for each column.
 */
cells: Array<string>, 
/**
 * Whether the person fixed the row here.
 */
is_mended: boolean, bucket: ImportBucket, reason: ImportRowReason | null, 
/**
 * The number in E.164 by which the row is compared.
 */
number: string | null, 
/**
 * The contact of the list that has the number; the first of several.
 */
contact: string | null, 
/**
 * The number of contacts of the list that have the number.
 */
contacts: number, 
/**
 * The row with the same number that is imported instead.
 */
twin: number | null, is_opted_out: boolean, 
/**
 * Channels that the row opts its numbers out of.
 */
consents: Array<Channel>, changes: Array<ImportRowChange>, 
/**
 * Values that are not imported: `before` is what the list keeps, `after` is what the row says.
 */
kept: Array<ImportRowChange>, 
/**
 * The values that would be stored.
 */
values: Array<ImportRowValue>, };

export type RemovalConfirmed = { typed_count: number, reason: string, };

export type RemovedOptOut = { number: string, sms: OptOutReach, whatsapp: OptOutReach, };

export type RemovedValues = { field: string, 
/**
 * The first ten.
 */
values: Array<string>, count: number, };

export type RequestBody = { state: BodyState, text: string, 
/**
 * The full length of the body, even if only a part is stored.
 */
bytes: number, };

export type RequestChange = { change: UndoStepChange, 
/**
 * The name of the record that changed.
 */
subject: string | null, 
/**
 * The changed fields, if it was one record and its change is still stored.
 */
event: RecordEvent | null, };

export type RequestEffects = { 
/**
 * The changes, in the order in which they were written.
 */
changes: Array<RequestChange>, 
/**
 * The job that the request queued. For a callback, the job that it reports.
 */
job: RequestJob | null, 
/**
 * Recorded callback attempts of that job, oldest first.
 */
callbacks: Array<RequestLine>, 
/**
 * For a callback, the request that queued its job.
 */
cause: RequestLine | null, };

export type RequestFault = { path: string, message: string, };

export type RequestJob = { job: Job, 
/**
 * Null if no callback is owed, or none yet.
 */
callback: CallbackState | null, next_at: Timestamp | null, tries: Array<CallbackAttempt>, };

export type RequestLine = { world: string, 
/**
 * The number of the entry in the journal of its world.
 */
id: number, 
/**
 * The start of the request by the clock of its world, with nanoseconds.
 */
at: string, 
/**
 * The start by the system's clock, in microseconds since 1970.
 */
real_at: number, 
/**
 * `in` for a request, `out` for a callback.
 */
direction: string, method: string, 
/**
 * The path and query. For a callback, the whole address.
 */
target: string, operation: string | null, status: number | null, micros: number, bytes_in: number, bytes_out: number, 
/**
 * The first characters of the key.
 */
key: string | null, refused: RequestRefused | null, 
/**
 * The fault rule that matched the request.
 */
rule: string | null, 
/**
 * The number of the attempt, for a callback.
 */
attempt: number | null, job: number | null, };

export type RequestMessage = { 
/**
 * Names and values. Secrets are masked.
 */
headers: Array<[string, string]>, body: RequestBody, };

export type RequestRefused = { 
/**
 * One of gate, world, route, method, key, limits, fault, parsing, validation, not_found, conflict, server, receiver,
 * caller.
 */
check: string, words: string, };

export type RestoredContact = { uid: string, 
/**
 * Its name or, if it has none, its number.
 */
name: string, list: ScopeList, };

export type RuleEffect = { mine: number, theirs: number, non_empty: number, longer: number, };

export type RunAttempt = { id: number, step: number, operation: string, began_at: Timestamp, ended_at: Timestamp | null, verdict: string | null, status: number | null, code: string | null, trace_id: string | null, body_hash: string, };

export type RunAttemptsGet = { run: number, 
/**
 * Null means all steps.
 */
step: number | null, };

export type RunCounts = { waiting: number, sent: number, accepted: number, verified: number, rejected: number, uncertain: number, cancelled: number, };

export type RunDetails = { 
/**
 * Whether this program works on the run right now.
 */
is_at_work: boolean, steps: Array<RunStep>, counts: RunCounts, lanes: Array<RunLane>, 
/**
 * The title of the current step.
 */
current: string | null, rows_per_second: number | null, seconds_left: number | null, id: number, plan: number, state: RunState, started_at: Timestamp, ended_at: Timestamp | null, 
/**
 * The reason for which the run waits or ended early.
 */
why: string | null, step_count: number, rows: number, requests: number, refused: number, };

export type RunId = { run: number, };

export type RunLane = { operation: string, calls_per_second: number, done: number, total: number, in_flight: number, 
/**
 * The time that the lane still waits because it was throttled.
 */
waits_ms: number | null, };

export type RunReport = { run: number, format: TextFormat, };

export type RunStart = { plan: number, 
/**
 * The texts that the gates ask for.
 */
typed: Array<string>, };

export type RunState = "running" | "paused" | "cancelled" | "done" | "in_doubt";

export type RunStep = { 
/**
 * The least settled state of the steps in this line.
 */
state: RunStepState, 
/**
 * The number of settled steps in this line.
 */
settled: number, reason: string | null, requests: number, trace_id: string | null, id: number, 
/**
 * The steps of this line: deletions of contacts from one list share a line.
 */
ids: Array<number>, operation: string, kind: PlanStepKind, 
/**
 * The name of a list, a phone number, or the title of a link.
 */
title: string, 
/**
 * The number of contacts or phone numbers in the step.
 */
rows: number, after: Array<number>, 
/**
 * Whether sending the step twice changes nothing more.
 */
is_repeatable: boolean, why: PlanStepReason, 
/**
 * The fields that an update sends.
 */
fields: Array<string>, };

export type RunStepState = "ready" | "intent" | "sent" | "accepted" | "verified" | "rejected" | "uncertain" | "cancelled";

export type RunSummary = { id: number, plan: number, state: RunState, started_at: Timestamp, ended_at: Timestamp | null, 
/**
 * The reason for which the run waits or ended early.
 */
why: string | null, step_count: number, rows: number, requests: number, refused: number, };

export type RunUndoSummary = { count: number, 
/**
 * The losses that cannot be repaired, in words; the first hundred.
 */
lost: Array<string>, lost_count: number, };

export type ScopeList = { uid: string, name: string, };

export type SearchAnswer = { hits: Array<SearchHit>, 
/**
 * Send it as `after` to continue, even if this response has no hits, because each call searches only a part. Null
 * at the end.
 */
next: string | null, };

export type SearchEverything = { 
/**
 * A number in any spelling, part of a name, a title or any text, or a whole UID.
 */
text: string, 
/**
 * Null searches all kinds of records.
 */
noun: SearchNoun | null, 
/**
 * The `next` of the last response. Null starts from the beginning.
 */
after: string | null, limit: number, };

export type SearchHit = { noun: Noun, 
/**
 * The id by which the record is opened: a uid, or the number of an opt-out or custom field.
 */
uid: string, 
/**
 * The name of the record. A contact without a name has its number here.
 */
title: string, 
/**
 * A detail that distinguishes the record from others with the same name.
 */
detail: string, 
/**
 * The list of a contact.
 */
list_uid: string | null, };

export type SearchNoun = "list" | "contact" | "custom_field" | "opt_out" | "short_link" | "sender" | "asset";

export type SendPreview = { 
/**
 * The number of contacts that would go to the list.
 */
contacts: number, 
/**
 * The number of contacts in the list.
 */
in_list: number, 
/**
 * The number of contacts with a number that is already in the list, on either channel.
 */
clashing: number, 
/**
 * The number of contacts whose phone number is already in the list or occurs twice. These are the ones to skip or
 * merge.
 */
repeated: number, 
/**
 * The number of contacts that are opted out of a channel.
 */
opted_out: number, };

export type SendRule = "send" | "hold";

export type Sender = { id: SenderId, name: string, status: SenderStatus, };

export type SenderDelete = { id: string, typed_name: string, };

export type SenderHistory = { id: SenderId | null, name: string, 
/**
 * Newest first.
 */
events: Array<RecordEvent>, };

export type SenderHistoryGet = { id: string | null, 
/**
 * Finds a deleted sender by the name that it had.
 */
name: string | null, };

export type SenderId = string;

export type SenderKey = { id: string, };

export type SenderPage = { 
/**
 * Part of the name, whatever its letter case.
 */
name: string | null, status: SenderStatus | null, page_number: number, page_size: number, };

export type SenderRequest = { name: string, };

export type SenderStatus = "Pending" | "Verified";

export type ServerOperate = { method: OperateMethod, 
/**
 * The path and query, beginning with `/__admin/`.
 */
target: string, 
/**
 * The JSON body. Null sends no body.
 */
body: unknown, };

export type ServerRecord = { on: boolean, };

export type ServerRequest = { world: string, id: number, };

export type ServerRequestPage = { is_recording: boolean, 
/**
 * The number of matching entries on all pages.
 */
matching: number, 
/**
 * Entries that were removed to make room for newer ones.
 */
dropped: number, 
/**
 * Newest first.
 */
items: Array<RequestLine>, };

export type ServerRequests = { 
/**
 * The number of newest entries to skip.
 */
skip: number, limit: number, 
/**
 * Only requests that began by this time, in microseconds since 1970 by the system's clock. New requests then do
 * not move the entries of a page.
 */
until: number | null, 
/**
 * Null means all worlds.
 */
world: string | null, 
/**
 * Only requests that a fault rule matched.
 */
is_ruled: boolean, 
/**
 * Part of the address, method, operation, key or reason, whatever its letter case.
 */
text: string | null, 
/**
 * An operation, or a group of operations such as `lists` or `admin`.
 */
operation: string | null, status: StatusClass | null, };

export type ServerRunning = { url: string, world: ServerWorld, since: Timestamp, 
/**
 * Requests of the REST interface and of short URLs since then.
 */
requests: number, 
/**
 * False if this server also delivers the page.
 */
can_stop: boolean, };

export type ServerSet = { name: string, 
/**
 * A text, a number, or a list.
 */
value: unknown, };

export type ServerSetting = { name: string, doc: string, 
/**
 * A description of the values that the setting accepts.
 */
values: string, 
/**
 * The possible values, if there is a fixed set.
 */
choices: Array<string>, 
/**
 * Only the first characters of a key are shown.
 */
value: unknown, default: unknown, };

export type ServerStart = { 
/**
 * 0 chooses a free port.
 */
port: number, world: ServerWorld, 
/**
 * Whether a scratch world begins as a copy of the account.
 */
is_copy: boolean, is_recording: boolean, };

export type ServerStatus = { running: ServerRunning | null, 
/**
 * The port of the running server, or else the port to try next. After a start failed because its port was taken,
 * this is a free one.
 */
port: number, is_recording: boolean, };

export type ServerWorld = "account" | "scratch";

export type SetAsideNotice = { what: DamagedFile, 
/**
 * The path of the damaged file or its copy.
 */
kept_as: string, };

export type SharedNumber = "phone" | "whatsapp" | "both";

export type ShortLinkClickSeries = { uid: string, 
/**
 * The number of days up to today, at most 366.
 */
days: number, };

export type ShortLinkClicks = { uid: string, page_number: number, page_size: number, };

export type ShortLinkCreate = { links: Array<ShortLinkNew>, };

export type ShortLinkDelete = { uids: Array<string>, };

export type ShortLinkDeleted = { deleted: number, 
/**
 * Clicks that were deleted with the links.
 */
clicks: number, };

export type ShortLinkGet = { uid: string, };

export type ShortLinkNew = { title: string, target_url: string, tags: Array<string>, track_clicks: boolean, };

export type ShortLinkPage = { 
/**
 * Words. Each must occur in the title or in a tag, with at most one typing error.
 */
query: string | null, 
/**
 * A link must have all of these tags, spelled exactly.
 */
tags: Array<string>, from: string | null, to: string | null, order: SortOrder, page_number: number, page_size: number, };

export type ShortLinkSameTarget = { targets: Array<string>, };

export type ShortLinkTags = { 
/**
 * The beginning of a tag, whatever its letter case.
 */
prefix: string, };

export type ShortLinkTagsAnswer = { 
/**
 * The most used first, at most fifty.
 */
tags: Array<TagInUse>, };

export type ShortLinks = { links: Array<LinkItem>, };

export type SortOrder = "ASC" | "DESC";

export type SoundCopy = { path: string, 
/**
 * The file name without its folder.
 */
file: string, 
/**
 * When it was made.
 */
at: Timestamp, 
/**
 * The name of the account that it is a copy of.
 */
name: string | null, lists: number, contacts: number, opt_outs: number, };

export type SplitPart = { name: string, count: number, };

export type StartNotice = { 
/**
 * The report of a crash of the window that no page has shown yet.
 */
crash: CrashNotice | null, is_safe_mode: boolean, 
/**
 * Files that were damaged, and renamed or copied before they were used.
 */
set_aside: Array<SetAsideNotice>, };

export type StatusClass = "2xx" | "3xx" | "4xx" | "5xx" | "none";

export type SuggestedMerge = { survivor: ContactId, 
/**
 * The contact from which each field takes its value, by the field's name. Fields without a value in any contact
 * are left out.
 */
fields: { [field: string]: string }, };

export type SurvivorRule = "most_complete" | "newest" | "oldest" | "opted_out";

export type SyncCount = { count: number, };

export type SyncFailure = { kind: SyncFailureKind, message: string, advice: string | null, at: Timestamp, 
/**
 * Whether the same request would always end the same way.
 */
is_permanent: boolean, };

export type SyncFailureKind = "unreachable" | "throttled" | "key_refused" | "no_key" | "sealed" | "keyring" | "held" | "gate" | "not_permitted" | "wrong_address" | "redirected" | "read_only" | "stale" | "run_open" | "not_connected" | "other_account" | "account" | "other";

export type SyncKind = "pull" | "run" | "probe";

export type SyncLeft = { left: number, };

export type SyncList = { id: number, uid: string, name: string, };

export type SyncNoun = "opt_out" | "list" | "contact" | "short_link" | "sender";

export type SyncPull = { 
/**
 * One contact list by its local UID. Null pulls everything.
 */
list: string | null, 
/**
 * Also reads parts that appear unchanged.
 */
full: boolean, 
/**
 * The user has seen that many records are missing at the service, and confirms their deletion.
 */
believe: boolean, };

export type SyncRetry = { 
/**
 * The number of the retry, from 1.
 */
number: number, 
/**
 * The status of the failed response, if there was one.
 */
status: number | null, };

export type SyncScope = { place: SyncNoun, list: ScopeList | null, total: number | null, checked_at: Timestamp | null, full_at: Timestamp | null, 
/**
 * The number of pages that an unfinished reading has read.
 */
page: number, };

export type SyncStatus = { is_connected: boolean, read_only: boolean, 
/**
 * Whether the key can be used without asking the user.
 */
is_key_ready: boolean, 
/**
 * When the last pull that read everything began.
 */
pulled_at: Timestamp | null, 
/**
 * The number of records that differ from the agreed version, except those that stay local by choice.
 */
changes: number, held: number, conflicts: number, 
/**
 * The number of conflicts that are answered and wait for the next push or pull.
 */
answered: number, 
/**
 * The number of records that the service refused, and of those in failed steps of the last run that still differ.
 */
refused: number, 
/**
 * Whether the last pull left something open. Its summary says what.
 */
is_doubtful: boolean, 
/**
 * The run that has not ended.
 */
run: OpenRunStatus | null, 
/**
 * The newest plan, unless its run has begun.
 */
plan: NewestPlanStatus | null, work: SyncWork | null, ended: EndedSyncWork | null, 
/**
 * The failure of the last work, until the next begins.
 */
failed: SyncFailure | null, };

export type SyncValue = { field: string, 
/**
 * The label of a custom field, or the name of any other field.
 */
title: string, value: string | null, };

export type SyncWindow = { from: number, 
/**
 * At most 200.
 */
count: number, };

export type SyncWork = { id: number, kind: SyncKind, 
/**
 * The kind of records that the work is at, or `null` for all kinds.
 */
place: SyncNoun | null, 
/**
 * The name of the list that the work is at, or an empty text.
 */
what: string, page: number, pages: number | null, 
/**
 * The number of contacts read or sent so far.
 */
rows: number, rows_total: number | null, started_at: Timestamp, elapsed_ms: number, 
/**
 * Whether the work was asked to end and has not ended yet.
 */
is_ending: boolean, 
/**
 * The retry of a failed read, if one is in progress.
 */
retry: SyncRetry | null, };

export type TagInUse = { tag: string, count: number, };

export type Task = { id: number, 
/**
 * The name of the command.
 */
name: string, started_at: Timestamp, elapsed_ms: number, 
/**
 * Rows changed so far.
 */
rows: number, 
/**
 * The expected number of rows, if it is known.
 */
total: number | null, 
/**
 * Whether it was cancelled and has not ended yet.
 */
is_ending: boolean, };

export type TaskCancel = { id: number, };

export type TaskCancelAnswer = { 
/**
 * False if the command had already ended, or has not begun.
 */
cancelled: boolean, };

export type TaskCancelCall = { 
/**
 * The origin with which the page sent the call.
 */
origin: string, };

export type TaskListAnswer = { 
/**
 * The long-running commands, oldest first.
 */
tasks: Array<Task>, 
/**
 * Contact jobs that wait or run.
 */
jobs_waiting: number, };

export type TextExtract = { regex: string, into: string, };

export type TextFormat = "markdown" | "json";

export type TextJoin = { from: Array<string>, by: string, into: string, };

export type TextReplace = { find: string, 
/**
 * With `regex`, the text may refer to groups: `$1`.
 */
with: string, regex: boolean, whole_cell: boolean, case: boolean, };

export type TextSaved = { 
/**
 * `unsupported` means that the page must save `text` under `name`.
 */
outcome: FileOutcome, path: string | null, name: string, text: string | null, };

export type TextSplit = { 
/**
 * A space matches any number of spaces.
 */
by: string, into: Array<string>, };

export type Timestamp = string;

export type TrashPage = { noun: Noun | null, page_number: number, page_size: number, };

export type TrashPurge = { steps: Array<number>, 
/**
 * The number of records to delete permanently, typed by the user. It is the sum of the counts of the steps.
 */
typed_count: number, };

export type TrashPurged = { purged: number, };

export type TrashRestore = { step: number, };

export type UiStateAnswer = { 
/**
 * A key without a value is omitted.
 */
values: Record<string, unknown>, };

export type UiStateGet = { keys: Array<string>, };

export type UiStatePut = { key: string, 
/**
 * Null deletes the key.
 */
value: unknown, };

export type UndoStepChange = { noun: Noun, action: ChangeAction, uid: string | null, count: number, };

export type UndoStepEntry = { id: number, at: Timestamp, source: ActorKind, 
/**
 * The name of a command, or `<noun>_<action>`.
 */
act: string, 
/**
 * The name of the thing that the act changed.
 */
subject: string | null, uid: string | null, 
/**
 * The number of things that the act changed.
 */
count: number, reason: string | null, state: UndoStepStatus, 
/**
 * The step that this one undid, redid or restored.
 */
of: number | null, 
/**
 * The noun that the step moved into the trash.
 */
trash: Noun | null, 
/**
 * The step's recorded rows. `None` when there is nothing to undo or the rows are forgotten. Pages learn only whether
 * there are any.
 */
is_remembered: boolean, };

export type UndoStepStatus = "done" | "undone" | "dropped" | "note";

export type UpdatedContact = { 
/**
 * The opt-outs that the new numbers lack.
 */
lost_opt_outs: Array<LostOptOut>, uid: ContactId, list_uid: ListId, 
/**
 * The fields that are filled, by name: `phone_number`, `phone_region`, `title`, `field_3`.
 */
values: { [key in string]: string }, created_at: Timestamp, 
/**
 * The time of the last change, or `None` if the contact was never changed.
 */
updated_at: Timestamp | null, 
/**
 * The scope in which its phone number is opted out of SMS.
 */
sms: OptOutReach, 
/**
 * The scope in which its WhatsApp number is opted out of WhatsApp.
 */
whatsapp: OptOutReach, };

export type ViewUid = string;

export interface Commands {
  /** Returns the open account and every other account on the list. */
  account_list: { request: Nothing; response: AccountListAnswer }
  /** Creates an account, empty or with sample data, and opens it. */
  account_create: { request: AccountCreate; response: Account }
  /** Opens an account file in place of the open account. */
  account_open: { request: AccountPath; response: Account }
  /** Tries again to open the account that could not be opened. */
  account_retry: { request: Nothing; response: Account }
  /** Returns what is wrong with an account file that cannot be used, and its sound copies. */
  account_way_back: { request: AccountPath; response: AccountWayBack }
  /** Puts a copy in the place of an account file that cannot be used, and opens it. A damaged file is kept. */
  account_restore: { request: AccountRestore; response: Account }
  /** Sets a damaged account file aside and opens an empty account. */
  account_start_empty: { request: AccountPath; response: Account }
  /** Closes the account. No account is open after that. */
  account_close: { request: Nothing; response: Done }
  /** Renames the open account. Its file keeps its name. */
  account_rename: { request: AccountRename; response: Account }
  /** Changes the colour of the open account. */
  account_recolour: { request: AccountRecolour; response: Account }
  /** Sets the country of the open account. Numbers without a country code are read as numbers of that country. */
  account_set_country: { request: AccountSetCountry; response: Account }
  /** Returns the country of numbers without a country code. */
  account_country: { request: AccountCountryGet; response: AccountCountry }
  /** Copies an account and all its data under a new name. The copy is not opened. */
  account_duplicate: { request: AccountDuplicate; response: KnownAccount }
  /** Removes an account from the list. Its file stays. */
  account_forget: { request: AccountPath; response: Done }
  /** Shows an account's file in the file manager. */
  account_reveal: { request: AccountPath; response: Done }
  /** Opens a dialog in which the user chooses an account file. */
  account_pick: { request: Nothing; response: AccountPicked }
  /** Returns the backups and safety copies of the open account. */
  account_copies: { request: Nothing; response: AccountCopies }
  /** Makes a backup of the open account beside it. */
  account_back_up: { request: Nothing; response: AccountCopyMade }
  /** Saves a copy of the open account where the user chooses. */
  account_save_copy: { request: Nothing; response: FileSaved }
  /** Checks the file of the open account for damage. */
  account_check: { request: Nothing; response: AccountCheck }
  /** Returns how a copy differs from the open account. */
  account_restore_preview: { request: AccountCopyPath; response: AccountRestorePreview }
  /** Replaces the open account by a copy. What was there is kept as another copy. */
  account_restore_copy: { request: AccountCopyRestore; response: Account }
  /** Returns what the open account and the files beside it hold about a phone number. */
  account_held: { request: HeldGet; response: HeldAnswer }
  /** Returns what would be erased about a phone number, and what stands in the way. */
  account_erase_preview: { request: HeldGet; response: ErasurePreview }
  /** Erases everything about a phone number except for its opt-outs. Nothing brings it back. */
  account_erase: { request: ErasureRun; response: Account }
  /** Returns whether the page runs on a desktop. */
  desktop_get: { request: Nothing; response: DesktopStatus }
  /** Notifies the user who is looking at another program. */
  desktop_notify: { request: DesktopNotify; response: DesktopNotified }
  /** Opens another window. */
  desktop_new_window: { request: Nothing; response: Done }
  /** Opens a web address in the browser. */
  desktop_browse: { request: DesktopBrowse; response: Done }
  /** Returns what a page says once after the program started: a crash of the last time, and safe mode. */
  start_notice_get: { request: Nothing; response: StartNotice }
  /** Shows the newest report of a crash in the file manager. */
  crash_report_reveal: { request: Nothing; response: Done }
  /** Saves a file where the user chooses. */
  file_save: { request: FileSave; response: FileSaved }
  /** Returns the user's preferences, which apply to every account. */
  preferences_get: { request: Nothing; response: PreferencesAnswer }
  /** Changes some preferences. */
  preferences_put: { request: PreferencesPut; response: PreferencesAnswer }
  /** Returns values that pages of this account stored. */
  ui_state_get: { request: UiStateGet; response: UiStateAnswer }
  /** Stores a value for the pages of this account. */
  ui_state_put: { request: UiStatePut; response: Done }
  /** Returns the long-running commands, and the number of waiting jobs. */
  task_list: { request: Nothing; response: TaskListAnswer }
  /** Cancels a running command. */
  task_cancel: { request: TaskCancel; response: TaskCancelAnswer }
  /** Cancels a call of the page whose result is no longer needed. */
  task_cancel_call: { request: TaskCancelCall; response: TaskCancelAnswer }
  /** Returns the account with the number of records of each kind. */
  overview_get: { request: Nothing; response: Overview }
  /** Returns the recent additions, day by day, and the work that waits for the user. */
  overview_recent: { request: OverviewRecentGet; response: OverviewRecent }
  /** Finds lists, contacts, fields, opt-outs, links, senders and assets. Indexed matches come first. */
  search_everything: { request: SearchEverything; response: SearchAnswer }
  /** Returns one page of the contact lists, each with its alias, note and pin. */
  list_page: { request: ListPage; response: PageResponse<ListCard> }
  /** Returns one list. */
  list_get: { request: ListUid; response: ListCard }
  /** Returns counts about a list. */
  list_facts: { request: ListUid; response: ListFacts }
  /** Counts how many contacts of a list can be messaged on each channel and from each number, and why the others cannot. */
  list_readiness: { request: ListUid; response: ListReadiness }
  /** Returns the pinned lists in the order in which they were pinned. */
  list_pins: { request: Nothing; response: Array<ListCard> }
  /** Creates an empty contact list. */
  list_create: { request: ListCreate; response: List }
  /** Pins a list to the side of the window, or unpins it. The service does not learn of it. */
  list_pin: { request: ListPin; response: ListCard }
  /** Stores an alias and a note for a list. The service does not learn of them. */
  list_note: { request: ListNote; response: ListCard }
  /** Renames a list, which the REST interface cannot do. */
  list_rename: { request: ListName; response: List }
  /** Copies a list with all its contacts. */
  list_duplicate: { request: ListName; response: List }
  /** Reports which numbers the target of a merge already has. */
  list_merge_preview: { request: ListMergePreview; response: SendPreview }
  /** Merges the contacts of some lists into one. */
  list_merge: { request: ListMerge; response: ListFilled }
  /** Returns the lists that a split would create. */
  list_split_preview: { request: ListSplit; response: ListSplitPreview }
  /** Splits a list into parts. */
  list_split: { request: ListSplit; response: ListSplitAnswer }
  /** Counts the contacts of a set operation on lists. */
  list_combine_preview: { request: ListCombinePreview; response: ListCombineCount }
  /** Creates a list from a set operation on lists. */
  list_combine: { request: ListCombine; response: ListFilled }
  /** Moves a list with its contacts to the trash. */
  list_delete: { request: ListDelete; response: ListDeleted }
  /** Moves several lists with their contacts to the trash, in one act. */
  list_delete_many: { request: ListDeleteMany; response: ListDeleted }
  /** Returns one page of a list's contacts. */
  contact_page: { request: ContactPage; response: ContactPageResponse }
  /** Returns one contact. */
  contact_get: { request: ContactUid; response: ContactCard }
  /** Returns the fields of contacts. */
  contact_fields: { request: ContactFields; response: ContactFieldsAnswer }
  /** Returns the contacts of any list that have the same numbers. */
  contact_elsewhere: { request: ContactUid; response: ContactElsewhere }
  /** Returns every change of a contact. */
  contact_history: { request: ContactUid; response: ContactHistory }
  /** Reports the effect of pasting contacts without adding them. */
  contact_paste_preview: { request: ContactPaste; response: ContactPasted }
  /** Adds pasted contacts in one act. Rows with an error are not added, and the response names them. */
  contact_paste: { request: ContactPaste; response: ContactPasted }
  /** Sets some fields of a contact. */
  contact_update: { request: ContactUpdate; response: UpdatedContact }
  /** Reads a number while it is typed. */
  number_read: { request: NumberRead; response: NumberReadAnswer }
  /** Returns the custom fields in the order of the screen. */
  custom_field_all: { request: Nothing; response: CustomFieldsAnswer }
  /** Counts the contacts that have a value in a field, a part of them in each call. */
  custom_field_uses: { request: CustomFieldUses; response: CustomFieldUsesAnswer }
  /** Adds a field under the next number. */
  custom_field_add: { request: CustomFieldAdd; response: CustomField }
  /** Renames a field. */
  custom_field_rename: { request: CustomFieldRename; response: CustomField }
  /** Sets the order of the fields on the screen. */
  custom_field_order: { request: CustomFieldOrder; response: CustomFieldsAnswer }
  /** Moves a field and its values to the trash. Its number is never used again. */
  custom_field_remove: { request: CustomFieldRemove; response: Done }
  /** Opens a view of a list. The response does not wait until all rows are found. */
  grid_open: { request: GridOpen; response: GridOpened }
  /** Returns the state of a view, after waiting a little for news if asked to. */
  grid_state: { request: GridStateGet; response: GridState }
  /** Builds a view again. Until it is ready, the old rows are returned. */
  grid_refresh: { request: GridView; response: Done }
  /** Cancels the build of a view. */
  grid_cancel: { request: GridView; response: Done }
  /** Closes a view. */
  grid_close: { request: GridView; response: Done }
  /** Returns some columns of some rows of a view, as bytes. */
  grid_window: { request: GridWindow; response: Bytes }
  /** Returns the row of a contact in a view. */
  grid_locate: { request: GridLocate; response: GridRow }
  /** Returns the contact of a row. */
  grid_uid: { request: GridUidGet; response: GridUid }
  /** Returns counts for a selection. */
  grid_summary: { request: GridSummaryGet; response: GridSummary }
  /** Returns the next cell that contains a text. */
  grid_find: { request: GridFind; response: GridFound }
  /** Returns the row where a block of filled or of blank cells of a column ends, as Mod+Arrow jumps to it. */
  grid_edge: { request: GridEdge; response: GridEdgeRow }
  /** Counts the cells that contain a text. */
  grid_find_count: { request: GridFindCount; response: GridCounted }
  /** Returns the next cell whose text a rule refused. */
  grid_problem: { request: GridProblem; response: GridFound }
  /** Returns the values of a column with their counts. */
  grid_facets: { request: GridFacetsGet; response: GridFacets }
  /** Returns a selection as text for other programs, with tabs between the cells, as bytes. */
  grid_copy: { request: GridCopy; response: Bytes }
  /** Writes the texts that were typed into cells. A text that a rule refuses becomes a draft. */
  grid_edit: { request: GridEdit; response: GridEdited }
  /** Performs an act on every selected cell, or reports the effect of that. */
  grid_act: { request: GridAct; response: GridEdited }
  /** Pastes a block of cells. Lines beyond the last row become new contacts. */
  grid_paste: { request: GridPaste; response: GridPasted }
  /** Reports the effect of a paste. */
  grid_paste_preview: { request: GridPaste; response: GridPasted }
  /** Returns the drafts of a row, with the rules that refuse them. */
  grid_drafts: { request: GridDraftsGet; response: GridDrafts }
  /** Adds a contact after the last row of a view. */
  grid_add: { request: GridAdd; response: GridAdded }
  /** Moves rows of a view to the trash. */
  grid_delete: { request: GridDelete; response: GridDeleted }
  /** Reports which numbers another list already has, before rows are moved or copied there. */
  grid_send_preview: { request: GridSendPreview; response: SendPreview }
  /** Moves rows of a view to another list. They keep their UIDs and times. */
  grid_move: { request: GridSend; response: GridSent }
  /** Copies rows of a view to a list as new contacts. */
  grid_copy_to: { request: GridSend; response: GridSent }
  /** Counts the numbers that opting out the contacts of these rows would cover. */
  grid_opt_out_preview: { request: GridOptOutPreview; response: GridOptOutNumbers }
  /** Opts out the contacts of these rows. Existing opt-outs stay as they are. */
  grid_opt_out: { request: GridOptOut; response: GridOptedOut }
  /** Copies rows of a view, or the whole view, to a new list. */
  grid_new_list: { request: GridNewList; response: ListFilled }
  /** Returns the saved views of a list. */
  grid_view_list: { request: GridViewList; response: GridSavedViews }
  /** Saves a view of a list under a name. */
  grid_view_save: { request: GridViewSave; response: GridSavedView }
  /** Renames a saved view. */
  grid_view_rename: { request: GridViewRename; response: GridSavedView }
  /** Deletes a saved view. */
  grid_view_delete: { request: GridViewDelete; response: Done }
  /** Starts a background search for duplicate contacts, in a list or in the whole account. */
  duplicate_open: { request: DuplicateOpen; response: DuplicateState }
  /** Returns the state of a search, after waiting a little for its end if asked to. */
  duplicate_state: { request: DuplicateStateGet; response: DuplicateState }
  /** Searches again. Skipped groups stay skipped. */
  duplicate_refresh: { request: DuplicateSearch; response: Done }
  /** Cancels a search. Earlier results stay. */
  duplicate_cancel: { request: DuplicateSearch; response: Done }
  /** Closes a search. */
  duplicate_close: { request: DuplicateSearch; response: Done }
  /** Returns one page of the groups, the one with the highest confidence first. */
  duplicate_page: { request: DuplicatePage; response: PageResponse<DuplicateGroupHead> }
  /** Returns the contacts of a group side by side, with the suggested merge. */
  duplicate_group: { request: DuplicateGroupGet; response: DuplicateGroupWhole }
  /** Merges a group with the given choices, in one step. */
  duplicate_merge: { request: DuplicateMerge; response: DuplicateMerged }
  /** Merges all groups of at least the given confidence by one rule, in one step, or reports the effect of that. */
  duplicate_merge_all: { request: DuplicateMergeAll; response: MergedAll }
  /** Skips groups for as long as the search is open. */
  duplicate_skip: { request: DuplicateSkip; response: Done }
  /** Starts a background scan of a list for texts that should be written differently. */
  clean_open: { request: CleanOpen; response: CleanState }
  /** Returns the state of a clean-up, after waiting a little for its end if asked to. */
  clean_state: { request: CleanStateGet; response: CleanState }
  /** Scans again. Skipped suggestions stay skipped. */
  clean_refresh: { request: CleanUp; response: Done }
  /** Cancels a scan. Earlier results stay. */
  clean_cancel: { request: CleanUp; response: Done }
  /** Closes a clean-up. */
  clean_close: { request: CleanUp; response: Done }
  /** Returns one page of the suggestions, the one with the most contacts first. */
  clean_page: { request: CleanPage; response: PageResponse<CleanSuggestion> }
  /** Returns one page of the contacts of a suggestion, with their texts before and after. */
  clean_rows: { request: CleanRowsGet; response: CleanRowsAnswer }
  /** Fixes all or some contacts of a suggestion in one step, or reports the effect of that. */
  clean_apply: { request: CleanApply; response: CleanMended }
  /** Skips a suggestion for as long as the clean-up is open. */
  clean_skip: { request: CleanSkip; response: Done }
  /** Returns the beginning of an export, and the columns that its format cannot hold. */
  export_preview: { request: ExportChoice; response: ExportPreview }
  /** Saves contacts as a file where the user chooses. */
  export_run: { request: ExportRun; response: ExportResult }
  /** Returns a part of an exported file that the page must save itself. */
  export_part: { request: ExportPart; response: Bytes }
  /** Deletes an exported file that was fetched. */
  export_discard: { request: ExportFile; response: Done }
  /** Opens a dialog in which the user chooses contact files. */
  import_pick: { request: Nothing; response: ImportPaths }
  /** Returns the contact files that were passed to the program from outside. Each is returned once. */
  import_offered: { request: Nothing; response: ImportPaths }
  /** Opens an import and starts to read its files. */
  import_open: { request: ImportOpen; response: ImportState }
  /** Adds files to an import. */
  import_add: { request: ImportAdd; response: ImportState }
  /** Uploads a part of a file. */
  import_upload: { request: ImportUpload; response: ImportUploaded }
  /** Returns the state of an import, after waiting a little for news if asked to. */
  import_state: { request: ImportStateGet; response: ImportState }
  /** Returns the open imports, including those from before the program last ended. */
  import_waiting: { request: Nothing; response: ImportWaitingAnswer }
  /** Cancels the running work. Files that were read before stay. */
  import_cancel: { request: ImportId; response: Done }
  /** Deletes an open import and everything that was stored for it. */
  import_discard: { request: ImportId; response: Done }
  /** Reads the files that were not read yet. */
  import_read: { request: ImportId; response: ImportState }
  /** Reads a file with other settings. */
  import_source: { request: ImportSourcePut; response: ImportState }
  /** Chooses the sheets of a workbook or the files of an archive to import. */
  import_parts: { request: ImportPartsPut; response: ImportState }
  /** Removes a file from an import. */
  import_remove_file: { request: ImportFileKey; response: ImportState }
  /** Returns rows of a file as they were read, including those above the header row. */
  import_sample: { request: ImportSampleGet; response: ImportSample }
  /** Returns the encodings to choose from. */
  import_encodings: { request: Nothing; response: ImportEncodings }
  /** Chooses the list that receives the rows. */
  import_target: { request: ImportTargetPut; response: ImportState }
  /** Returns the columns of an import with their current mapping. */
  import_columns: { request: ImportId; response: ImportTable }
  /** Maps the columns and shows the resulting first rows. */
  import_map: { request: ImportMap; response: ImportMapped }
  /** Returns the saved mappings. */
  import_profile_list: { request: ImportProfileList; response: ImportProfiles }
  /** Saves the mapping of an import under a name. */
  import_profile_save: { request: ImportProfileKey; response: Done }
  /** Applies a saved mapping to an import. */
  import_profile_use: { request: ImportProfileKey; response: ImportTable }
  /** Deletes a saved mapping. */
  import_profile_remove: { request: ImportProfileName; response: Done }
  /** Saves a mapping from a file that someone shared. */
  import_profile_read: { request: ImportProfileRead; response: ImportProfileNamed }
  /** Returns a saved mapping as a file to share. */
  import_profile_write: { request: ImportProfileName; response: ImportProfileText }
  /** Starts the rehearsal, which finds the result for every row. */
  import_rehearse: { request: ImportId; response: ImportState }
  /** Returns the counts of the rehearsal. */
  import_rehearsal: { request: ImportId; response: ImportRehearsal }
  /** Returns some rows with their verdicts. */
  import_rows: { request: ImportRowsGet; response: ImportRows }
  /** Returns the next row that needs attention. */
  import_problem: { request: ImportProblemGet; response: ImportProblem }
  /** Fixes cells of a row before it is imported, and rehearses again. */
  import_mend: { request: ImportMend; response: ImportState }
  /** Starts to write the result of the rehearsal, in one step. */
  import_accept: { request: ImportAccept; response: ImportState }
  /** Returns the accepted imports. */
  import_history: { request: ImportHistory; response: PageResponse<ImportPast> }
  /** Returns one accepted import. */
  import_past: { request: ImportPastId; response: ImportPast }
  /** Reports the effect of reverting an import. */
  import_revert_preview: { request: ImportPastId; response: ImportReverted }
  /** Reverts an import, even days later. Later edits stay. */
  import_revert: { request: ImportPastId; response: ImportReverted }
  /** Returns the rejected rows of an import. */
  import_rejects: { request: ImportRejectsGet; response: ImportRejectsPage }
  /** Fixes cells of rejected rows. */
  import_rejects_mend: { request: ImportRejectsMend; response: ImportRejectsMended }
  /** Imports the rejected rows that were fixed. */
  import_rejects_accept: { request: ImportRejectsAccept; response: ImportRejectsAccepted }
  /** Deletes rejected rows. */
  import_rejects_discard: { request: ImportRejectsDiscard; response: ImportRejectsDiscarded }
  /** Saves the rejected rows with their reasons where the user chooses. */
  import_rejects_save: { request: ImportRejectsSave; response: FileSaved }
  /** Returns that file for a page that must save it itself. */
  import_rejects_file: { request: ImportPastId; response: Bytes }
  /** Returns whether the local server runs, and where. */
  server_status: { request: Nothing; response: ServerStatus }
  /** Starts the REST interface on the open account or on a scratch world. */
  server_start: { request: ServerStart; response: ServerStatus }
  /** Stops the server after the running requests have ended. */
  server_stop: { request: Nothing; response: ServerStatus }
  /** Returns the settings of the local server: those in force while it runs, otherwise those of the next start. */
  server_settings: { request: Nothing; response: Array<ServerSetting> }
  /** Changes a setting. */
  server_set: { request: ServerSet; response: Array<ServerSetting> }
  /** Starts or stops the recording of requests. */
  server_record: { request: ServerRecord; response: ServerStatus }
  /** Returns the recorded requests and callbacks, newest first. */
  server_requests: { request: ServerRequests; response: ServerRequestPage }
  /** Returns a recorded request with its messages and effects. */
  server_request: { request: ServerRequest; response: FullRequest }
  /** Calls a route of the local server's operator interface. */
  server_operate: { request: ServerOperate; response: OperateResponse }
  /** Deletes the recorded requests. */
  server_clear: { request: Nothing; response: ServerStatus }
  /** Returns the connection to the service: its settings, where the key is stored, and what the service can do. */
  connection_get: { request: Nothing; response: ConnectionAnswer }
  /** Connects the account to a service, or changes the connection. */
  connection_save: { request: ConnectionSave; response: ConnectionAnswer }
  /** Disconnects the account. Only the agreed state of both sides is deleted. */
  connection_forget: { request: Nothing; response: Done }
  /** Stores the key. No response ever contains it. */
  connection_key_set: { request: ConnectionKeySet; response: ConnectionAnswer }
  /** Unlocks the sealed key for as long as the account is open. */
  connection_key_unlock: { request: ConnectionKeyUnlock; response: ConnectionAnswer }
  /** Deletes the stored key. */
  connection_key_forget: { request: Nothing; response: ConnectionAnswer }
  /** Sends one request that changes nothing. If it succeeds, the address, the key and the permissions are right. */
  connection_test: { request: Nothing; response: ConnectionTest }
  /** Starts a probe that finds out what the service can do. */
  connection_probe: { request: ConnectionProbe; response: Done }
  /** Returns the status of the sync and of its running work. */
  sync_status: { request: Nothing; response: SyncStatus }
  /** Starts to pull from the service. */
  sync_pull: { request: SyncPull; response: Done }
  /** Stops the running work. A pull ends after its current page, and a run sends nothing more. */
  sync_stop: { request: Nothing; response: Done }
  /** Returns the result of the last pull. */
  sync_pulled: { request: Nothing; response: PullSummary | null }
  /** Returns the time at which each part of the service was last pulled. */
  sync_scopes: { request: Nothing; response: Array<SyncScope> }
  /** Returns the tree of local changes with its counts. */
  changes_summary: { request: ChangesSummaryGet; response: ChangesSummary }
  /** Counts the changed contacts of a list. */
  changes_count: { request: ChangesCountGet; response: SyncCount }
  /** Returns some changed records with their values before and after. */
  changes_rows: { request: ChangesRowsGet; response: ChangesPage }
  /** Holds back changes so that they are not sent, or releases them. */
  changes_hold: { request: ChangesHold; response: SyncCount }
  /** Holds back every change of a column, or releases them. */
  changes_hold_column: { request: ChangesHoldColumn; response: SyncCount }
  /** Returns the custom fields that may mean something else at the service. No value of them is sent. */
  field_clash_all: { request: Nothing; response: FieldClashes }
  /** Decides whether a custom field is the service's. If it is not, it moves to a free number, as one step. */
  field_clash_settle: { request: FieldClashSettle; response: FieldClashSettled }
  /** Discards local changes, as one step that can be undone. */
  changes_discard: { request: ChangesDiscard; response: ChangesDiscarded }
  /** Returns some records that both sides changed differently. */
  conflicts_page: { request: ConflictsPageGet; response: ConflictsPage }
  /** Answers conflicts about values or records. A record whose conflicts are all answered is merged at once. */
  conflicts_answer: { request: ConflictsAnswer; response: ConflictsSettled }
  /** Reopens the conflicts that were settled last. */
  conflicts_reopen: { request: ConflictsReopen; response: ConflictsReopened }
  /** Decides about a list or an opt-out that one side deleted. */
  conflicts_choose: { request: ConflictsChoose; response: SyncLeft }
  /** Sets the rule that settles future conflicts of a column without asking. */
  conflicts_rule: { request: ConflictsRule; response: ConflictsSettled }
  /** Makes a plan of all current changes. */
  plan_make: { request: Nothing; response: PlanDetails }
  /** Returns a plan and whether it is still current. */
  plan_get: { request: PlanGet; response: PlanDetails | null }
  /** Decides how to send a change that the REST interface cannot express, and makes the plan again. */
  plan_choose: { request: PlanChoose; response: PlanDetails }
  /** Excludes a step from the plan or includes it again, and makes the plan again. */
  plan_hold: { request: PlanHold; response: PlanDetails }
  /** Returns a request as it would be sent. */
  plan_body: { request: PlanBodyGet; response: PlanBody }
  /** Saves a plan as a file to review. */
  plan_export: { request: PlanExport; response: TextSaved }
  /** Starts to send a plan. */
  run_start: { request: RunStart; response: RunId }
  /** Pauses the current run after its current request. */
  run_pause: { request: Nothing; response: Done }
  /** Resumes a paused run. */
  run_resume: { request: RunId; response: Done }
  /** Cancels the run. Nothing more is sent, but sent requests are still verified. */
  run_cancel: { request: Nothing; response: Done }
  /** Returns all runs, newest first. */
  run_list: { request: Nothing; response: Array<RunSummary> }
  /** Returns a run with its steps and its speed. */
  run_get: { request: RunId; response: RunDetails | null }
  /** Returns the request attempts of a run. */
  run_attempts: { request: RunAttemptsGet; response: Array<RunAttempt> }
  /** Saves a run as a report for someone who did not follow it. */
  run_report: { request: RunReport; response: TextSaved }
  /** Reports the effect of undoing a run, and what it cannot restore. */
  run_undo_preview: { request: RunId; response: RunUndoSummary }
  /** Undoes locally what a run sent, as one step. The result can then be planned and sent like any edits. */
  run_undo: { request: RunId; response: RunUndoSummary }
  /** Returns the records that the service refused. */
  refused_page: { request: SyncWindow; response: RefusedPage }
  /** Fixes a value of a refused record, so that the record is sent again. */
  refused_mend: { request: RefusedMend; response: Done }
  /** Allows refused records to be sent again unchanged. */
  refused_resend: { request: RefusedResend; response: SyncCount }
  /** Returns the audit log of every effect on the service, newest first, and whether it is intact. */
  audit_page: { request: SyncWindow; response: AuditPage }
  /** Returns one page of the opt-outs, each with its origin, its reason and the number of lists that have its number. */
  opt_out_page: { request: OptOutPage; response: PageResponse<OptOutItem> }
  /** Returns the opt-outs of some numbers. */
  opt_out_states: { request: OptOutStatesGet; response: OptOutStatesAnswer }
  /** Returns which of these opt-outs a person still lacks on a new number. */
  opt_out_lost: { request: LostOptOuts; response: LostOptOuts }
  /** Looks up pasted numbers, one slice in each call. */
  opt_out_check: { request: OptOutCheck; response: OptOutCheckAnswer }
  /** Returns one page of a look-up's results. */
  opt_out_check_page: { request: OptOutCheckPage; response: OptOutCheckPageResponse }
  /** Opts numbers out, with a reason. */
  opt_out_add: { request: OptOutAdd; response: OptOutAdded }
  /** Returns exactly the records that a removal would remove. */
  opt_out_removal_preview: { request: OptOutRemovalPreviewGet; response: OptOutRemovalPreview }
  /** Moves the records that the preview showed to the trash. */
  opt_out_remove: { request: OptOutRemove; response: OptOutRemoved }
  /** Reads pasted text as opt-outs and reports what importing them would add. */
  opt_out_import_preview: { request: OptOutImportPreview; response: OptOutImportPreviewAnswer }
  /** Reads the rows of files as opt-outs and reports what importing them would add. */
  opt_out_import_file: { request: OptOutImportFile; response: OptOutImportPreviewAnswer }
  /** Returns one page of the rows of an opt-out import. */
  opt_out_import_rows: { request: OptOutImportRows; response: PageResponse<ImportRow> }
  /** Adds exactly the opt-outs that the preview announced. */
  opt_out_import: { request: OptOutImport; response: OptOutImported }
  /** Returns the full history of a number's opt-outs. */
  opt_out_timeline: { request: OptOutTimelineGet; response: OptOutTimeline }
  /** Returns the opt-out events as a file in which the hash of each line covers the line before it. */
  opt_out_evidence: { request: OptOutEvidenceGet; response: OptOutEvidence }
  /** Returns one page of the short links, found as the REST interface finds them. */
  short_link_page: { request: ShortLinkPage; response: PageResponse<LinkItem> }
  /** Returns one short link. */
  short_link_get: { request: ShortLinkGet; response: LinkItem }
  /** Creates short links, either all of them or none. */
  short_link_create: { request: ShortLinkCreate; response: ShortLinks }
  /** Returns the used tags that begin with a text. */
  short_link_tags: { request: ShortLinkTags; response: ShortLinkTagsAnswer }
  /** Returns the existing links to some addresses. */
  short_link_same_target: { request: ShortLinkSameTarget; response: ShortLinks }
  /** Moves short links with their clicks to the trash. */
  short_link_delete: { request: ShortLinkDelete; response: ShortLinkDeleted }
  /** Returns one page of a link's clicks. */
  short_link_clicks: { request: ShortLinkClicks; response: PageResponse<Click> }
  /** Returns a link's clicks by day, and by device, browser and operating system. */
  short_link_click_series: { request: ShortLinkClickSeries; response: ClickSeries }
  /** Returns one page of the senders. */
  sender_page: { request: SenderPage; response: PageResponse<Sender> }
  /** Requests a sender. */
  sender_request: { request: SenderRequest; response: Sender }
  /** Approves a pending sender. */
  sender_approve: { request: SenderKey; response: Sender }
  /** Refuses a pending sender, which deletes it. */
  sender_refuse: { request: SenderKey; response: Done }
  /** Deletes a sender whose name the user typed. */
  sender_delete: { request: SenderDelete; response: Done }
  /** Returns every change of a sender, even of a deleted one. */
  sender_history: { request: SenderHistoryGet; response: SenderHistory }
  /** Returns the inbound assets, each with its opt-outs. */
  asset_all: { request: Nothing; response: AssetAllAnswer }
  /** Adds an inbound asset. A long SMS number also creates its sender. */
  asset_add: { request: AssetAdd; response: AssetAdded }
  /** Removes an asset whose number the user typed. Its opt-outs stay. */
  asset_remove: { request: AssetRemove; response: AssetRemoved }
  /** Sets the keywords of an asset. */
  asset_keywords: { request: AssetKeywords; response: Asset }
  /** Sets whether keywords on an asset opt out of the whole account. */
  asset_enforce: { request: AssetEnforce; response: Asset }
  /** Simulates a message that an asset receives. */
  asset_inbound: { request: AssetInbound; response: AssetInboundAnswer }
  /** Returns one page of the jobs. */
  job_page: { request: JobPage; response: PageResponse<JobItem> }
  /** Returns one job, its callback and every attempt of it. */
  job_get: { request: JobGet; response: JobWithCallback }
  /** Returns one page of the outcomes of a job's contacts. */
  job_outcomes: { request: JobOutcomes; response: PageResponse<JobOutcome> }
  /** Returns one page of the timeline, with every act and its changes. */
  activity_page: { request: ActivityPage; response: PageResponse<ActivityEntry> }
  /** Returns the next steps to undo and to redo. */
  history_standing: { request: Nothing; response: HistoryStatus }
  /** Undoes the last act. */
  history_undo: { request: HistoryUndo; response: HistoryTaken }
  /** Redoes the act that was undone last. */
  history_redo: { request: Nothing; response: HistoryTaken }
  /** Skips an act that can no longer be undone, so that earlier acts can be. */
  history_pass_over: { request: Nothing; response: HistoryPassed }
  /** Returns one page of the deletions that can be restored. */
  trash_page: { request: TrashPage; response: PageResponse<UndoStepEntry> }
  /** Restores what an act deleted. */
  trash_restore: { request: TrashRestore; response: HistoryTaken }
  /** Permanently deletes what acts moved to the trash. */
  trash_purge: { request: TrashPurge; response: TrashPurged }
}

/** The commands that change records of the account for their caller. */
export const WRITE_COMMANDS: ReadonlySet<string> = new Set<keyof Commands>([
  'account_set_country',
  'list_create',
  'list_pin',
  'list_note',
  'list_rename',
  'list_duplicate',
  'list_merge',
  'list_split',
  'list_combine',
  'list_delete',
  'list_delete_many',
  'contact_paste',
  'contact_update',
  'custom_field_add',
  'custom_field_rename',
  'custom_field_order',
  'custom_field_remove',
  'grid_edit',
  'grid_act',
  'grid_paste',
  'grid_add',
  'grid_delete',
  'grid_move',
  'grid_copy_to',
  'grid_opt_out',
  'duplicate_merge',
  'duplicate_merge_all',
  'clean_apply',
  'import_accept',
  'import_revert',
  'import_rejects_mend',
  'import_rejects_accept',
  'import_rejects_discard',
  'changes_hold',
  'changes_hold_column',
  'field_clash_settle',
  'changes_discard',
  'conflicts_answer',
  'conflicts_reopen',
  'conflicts_choose',
  'conflicts_rule',
  'run_undo',
  'refused_mend',
  'refused_resend',
  'opt_out_add',
  'opt_out_remove',
  'opt_out_import_file',
  'opt_out_import',
  'short_link_create',
  'short_link_delete',
  'sender_request',
  'sender_approve',
  'sender_refuse',
  'sender_delete',
  'asset_add',
  'asset_remove',
  'asset_keywords',
  'asset_enforce',
  'asset_inbound',
  'history_undo',
  'history_redo',
  'history_pass_over',
  'trash_restore',
  'trash_purge',
])
