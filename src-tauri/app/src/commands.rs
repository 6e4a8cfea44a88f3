//! THE command list: every act of the UI, once. The router, the names and the UI's types are all made from it.

mod account;
mod contact;
mod custom_field;
mod desktop;
mod files;
mod list;
mod operator;
mod opt_out;
mod overview;
mod page;
mod past;
mod server;
mod short_link;
mod sync;
mod task;

pub(crate) use self::{files::export::MadeFiles, opt_out::OptOutWork};

use roost_ops::By;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use self::{
    files::{export, import},
    page::{preference, search, ui_state},
    sync::{changes, conflicts, connection, plan, runs, standing},
};
use crate::{accounts::App, error::CommandError};
use roost_sync::session as synced;

/// What a command answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Json(Value),
    Bytes(Vec<u8>),
}

/// The answer of a command that is no JSON: in a form of its own, which the page reads as it is.
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(type = "ArrayBuffer"))]
pub(crate) struct Bytes(pub Vec<u8>);

/// How an act's answer goes out: bytes as they are, everything else as JSON.
trait Outgoing {
    fn outgoing(self) -> Result<Answer, CommandError>;
}

impl Outgoing for Bytes {
    fn outgoing(self) -> Result<Answer, CommandError> {
        Ok(Answer::Bytes(self.0))
    }
}

impl<T: Serialize> Outgoing for T {
    fn outgoing(self) -> Result<Answer, CommandError> {
        serde_json::to_value(self).map(Answer::Json).map_err(|why| CommandError::internal(&why))
    }
}

/// `name(Request) -> Answer = act;` where the act is `fn(&App, &By, Request) -> Result<Answer, CommandError>`. The answer
/// goes out as JSON, and `Bytes` as they are.
macro_rules! commands {
    ($($(#[doc = $doc:literal])+ $name:ident($request:ty) -> $answer:ty = $act:path;)+) => {
        /// The names of all commands.
        pub const NAMES: &[&str] = &[$(stringify!($name)),+];

        pub(crate) fn route(app: &App, name: &str, payload: Value, by: &By) -> Result<Answer, CommandError> {
            match name {
                $(stringify!($name) => {
                    let request: $request = read(name, payload)?;
                    let answer: $answer = $act(app, by, request)?;
                    answer.outgoing()
                })+
                unknown => Err(CommandError::unknown_command(unknown)),
            }
        }

        /// Tells `page` every command with its types.
        #[cfg(feature = "ts")]
        pub(crate) fn declare(page: &mut crate::typescript::Page) {
            $(page.command::<$request, $answer>(stringify!($name), concat!($($doc),+));)+
        }
    };
}

commands! {
    /// The open account, and every other that is known.
    account_list(account::AccountList) -> account::AccountListAnswer = account::list;
    /// Makes an account, empty or with sample data, and opens it.
    account_create(account::AccountCreate) -> account::Account = account::create;
    /// Opens an account file in the place of what is open.
    account_open(account::AccountPath) -> account::Account = account::open;
    /// Opens the account once more after what kept it closed was cured.
    account_retry(account::AccountRetry) -> account::Account = account::retry;
    /// Closes the account; nothing is open then.
    account_close(account::AccountClose) -> account::AccountDone = account::close;
    /// Gives the open account another name. Its file keeps its own.
    account_rename(account::AccountRename) -> account::Account = account::rename;
    /// Gives the open account another colour.
    account_recolour(account::AccountRecolour) -> account::Account = account::recolour;
    /// Copies an account with everything in it under a new name. The copy is not opened.
    account_duplicate(account::AccountDuplicate) -> account::KnownAccount = account::duplicate;
    /// Takes an account off the list; its file stays.
    account_forget(account::AccountPath) -> account::AccountDone = account::forget;
    /// Shows an account's file in the file manager.
    account_reveal(account::AccountPath) -> account::AccountDone = account::reveal;
    /// Lets the person choose an account file by a dialog.
    account_pick(account::AccountPick) -> account::AccountPicked = account::pick;
    /// Whether there is a desktop behind the page.
    desktop_get(desktop::DesktopGet) -> desktop::Desktop = desktop::get;
    /// Tells the person something while they look elsewhere.
    desktop_notify(desktop::DesktopNotify) -> desktop::DesktopNotified = desktop::notify;
    /// Opens one more window.
    desktop_new_window(desktop::DesktopNewWindow) -> desktop::DesktopDone = desktop::new_window;
    /// Opens a web address in the browser.
    desktop_browse(desktop::DesktopBrowse) -> desktop::DesktopDone = desktop::browse;
    /// Saves a file where the person chooses.
    file_save(desktop::FileSave) -> desktop::FileSaved = desktop::save;
    /// What the person prefers in every account.
    preferences_get(preference::PreferencesGet) -> preference::PreferencesAnswer = preference::get;
    /// Changes some preferences.
    preferences_put(preference::PreferencesPut) -> preference::PreferencesAnswer = preference::put;
    /// What pages of this account kept under some keys.
    ui_state_get(ui_state::UiStateGet) -> ui_state::UiStateAnswer = ui_state::get;
    /// Keeps something for a page of this account.
    ui_state_put(ui_state::UiStatePut) -> ui_state::UiStateKept = ui_state::put;
    /// The commands that run for long, and the jobs that wait.
    task_list(task::TaskList) -> task::TaskListAnswer = task::list;
    /// Ends a command that runs.
    task_cancel(task::TaskCancel) -> task::TaskCancelAnswer = task::cancel;
    /// Ends a call of the page that nobody waits for any more.
    task_cancel_call(task::TaskCancelCall) -> task::TaskCancelAnswer = task::cancel_call;
    /// The account and how much of everything it holds.
    overview_get(overview::OverviewGet) -> overview::Overview = overview::get;
    /// Finds lists, contacts, fields, opt-outs, links, senders and assets; what is indexed comes first.
    search_everything(search::SearchEverything) -> search::SearchAnswer = search::everything;
    /// One page of the contact lists, each with its alias, note and pin.
    list_page(list::ListPage) -> list::ListPageAnswer = list::page;
    /// One list.
    list_get(list::ListUid) -> roost_ops::list::ListCard = list::get;
    /// What a list holds in numbers.
    list_facts(list::ListUid) -> roost_ops::list::ListFacts = list::facts;
    /// The pinned lists, in the order they were pinned.
    list_pins(list::ListPins) -> Vec<roost_ops::list::ListCard> = list::pins;
    /// Makes an empty contact list.
    list_create(list::ListCreate) -> roost_model::list::List = list::create;
    /// Pins a list to the side of the window, or unpins it. Local only.
    list_pin(list::ListPin) -> roost_ops::list::ListCard = list::pin;
    /// Keeps an alias and a note beside a list. Local only.
    list_note(list::ListNote) -> roost_ops::list::ListCard = list::note;
    /// Gives a list another name, which the interface cannot.
    list_rename(list::ListName) -> roost_model::list::List = list::rename;
    /// Makes a copy of a list with all its contacts.
    list_duplicate(list::ListName) -> roost_model::list::List = list::duplicate;
    /// Puts the contacts of some lists into one.
    list_merge(list::ListMerge) -> list::ListFilled = list::merge;
    /// The lists that splitting would make.
    list_split_preview(list::ListSplit) -> list::ListSplitPreview = list::split_preview;
    /// Cuts a list in parts.
    list_split(list::ListSplit) -> list::ListSplitAnswer = list::split;
    /// How many contacts a set of lists would hold.
    list_combine_preview(list::ListCombinePreview) -> list::ListCombineCount = list::combine_preview;
    /// Makes a new list of a set of lists.
    list_combine(list::ListCombine) -> list::ListFilled = list::combine;
    /// Deletes a list with its contacts into the trash.
    list_delete(list::ListDelete) -> list::ListDeleted = list::delete;
    /// Deletes several lists with their contacts into the trash, in one act.
    list_delete_many(list::ListDeleteMany) -> list::ListDeleted = list::delete_many;
    /// One page of a list's contacts.
    contact_page(contact::ContactPage) -> contact::ContactPageAnswer = contact::page;
    /// One contact.
    contact_get(contact::ContactUid) -> roost_ops::contact::ContactCard = contact::get;
    /// The fields of contacts.
    contact_fields(contact::ContactFields) -> contact::ContactFieldsAnswer = contact::fields;
    /// Contacts of any list with the same numbers.
    contact_elsewhere(contact::ContactUid) -> contact::ContactElsewhere = contact::elsewhere;
    /// Every change of a contact.
    contact_history(contact::ContactUid) -> contact::ContactHistory = contact::history;
    /// What pasting would do, without doing it.
    contact_paste_preview(contact::ContactPaste) -> contact::ContactPasted = contact::paste_preview;
    /// Adds pasted contacts in one act; rows with a fault are left out and told.
    contact_paste(contact::ContactPaste) -> contact::ContactPasted = contact::paste;
    /// Sets some fields of a contact.
    contact_update(contact::ContactUpdate) -> roost_ops::contact::ContactCard = contact::update;
    /// Opens a view of a list: at once, while its rows are found.
    grid_open(contact::grid::GridOpen) -> contact::grid::GridOpened = contact::grid::open;
    /// How a view stands; waits a little for news when asked to.
    grid_state(contact::grid::GridStateGet) -> contact::grid::GridState = contact::grid::state;
    /// Builds a view anew; what was there keeps answering until then.
    grid_refresh(contact::grid::GridView) -> contact::grid::GridDone = contact::grid::refresh;
    /// Ends the building of a view.
    grid_cancel(contact::grid::GridView) -> contact::grid::GridDone = contact::grid::cancel;
    /// Lets go of a view.
    grid_close(contact::grid::GridView) -> contact::grid::GridDone = contact::grid::close;
    /// Some rows of a view with some columns, as bytes.
    grid_window(contact::grid::GridWindow) -> Bytes = contact::grid::window;
    /// The row of a contact in a view.
    grid_locate(contact::grid::GridLocate) -> contact::grid::GridRow = contact::grid::locate;
    /// The contact of a row.
    grid_uid(contact::grid::GridUidGet) -> contact::grid::GridUid = contact::grid::uid;
    /// A selection in numbers.
    grid_summary(contact::grid::GridSummaryGet) -> contact::grid::GridSummary = contact::grid::summary;
    /// The next cell with a text.
    grid_find(contact::grid::GridFind) -> contact::grid::GridFound = contact::grid::find;
    /// Where a block of filled or of blank cells of a column ends, as Mod+Arrow jumps to it.
    grid_edge(contact::grid::GridEdge) -> contact::grid::GridEdgeRow = contact::grid::edge;
    /// How many cells have a text.
    grid_find_count(contact::grid::GridFindCount) -> contact::grid::GridCounted = contact::grid::find_count;
    /// The next cell whose rule refused what was typed.
    grid_problem(contact::grid::GridProblem) -> contact::grid::GridFound = contact::grid::problem;
    /// The values of a column with how often each stands there.
    grid_facets(contact::grid::GridFacetsGet) -> contact::grid::GridFacets = contact::grid::facets;
    /// A selection as text for other programs: cells parted by tabs, as bytes.
    grid_copy(contact::grid::GridCopy) -> Bytes = contact::grid::copy;
    /// Writes what was typed into cells; what a rule refuses is kept as a draft.
    grid_edit(contact::grid::GridEdit) -> contact::grid::GridEdited = contact::grid::edit;
    /// Does an act to every selected cell, or says what it would do.
    grid_act(contact::grid::GridAct) -> contact::grid::GridEdited = contact::grid::act;
    /// Pastes a block of cells; lines behind the last row become new contacts.
    grid_paste(contact::grid::GridPaste) -> contact::grid::GridPasted = contact::grid::paste;
    /// What a paste would do.
    grid_paste_preview(contact::grid::GridPaste) -> contact::grid::GridPasted = contact::grid::paste_preview;
    /// The drafts of a row, each with the rule's words.
    grid_drafts(contact::grid::GridDraftsGet) -> contact::grid::GridDrafts = contact::grid::drafts;
    /// Adds a contact behind the last row of a view.
    grid_add(contact::grid::GridAdd) -> contact::grid::GridAdded = contact::grid::add;
    /// Deletes rows of a view into the trash.
    grid_delete(contact::grid::GridDelete) -> contact::grid::GridDeleted = contact::grid::delete;
    /// Moves rows of a view to another list; they keep uid and times.
    grid_move(contact::grid::GridSend) -> contact::grid::GridSent = contact::grid::move_;
    /// Copies rows of a view to a list, where they are new.
    grid_copy_to(contact::grid::GridSend) -> contact::grid::GridSent = contact::grid::copy_to;
    /// Opts the contacts of rows out; additions only.
    grid_opt_out(contact::grid::GridOptOut) -> contact::grid::GridOptedOut = contact::grid::opt_out;
    /// Freezes rows of a view, or all of it, into a new list of copies.
    grid_new_list(contact::grid::GridNewList) -> list::ListFilled = contact::grid::new_list;
    /// The saved views of a list.
    grid_view_list(contact::grid::GridViewList) -> contact::grid::GridSavedViews = contact::grid::views;
    /// Saves a view of a list under a name.
    grid_view_save(contact::grid::GridViewSave) -> contact::grid::GridSavedView = contact::grid::save;
    /// Gives a saved view another name.
    grid_view_rename(contact::grid::GridViewRename) -> contact::grid::GridSavedView = contact::grid::rename;
    /// Deletes a saved view.
    grid_view_delete(contact::grid::GridViewDelete) -> contact::grid::GridDone = contact::grid::delete_view;
    /// Looks for contacts that are the same, in a list or in the whole account, on a thread of its own.
    duplicate_open(contact::duplicate::DuplicateOpen) -> contact::duplicate::DuplicateState = contact::duplicate::open;
    /// How a search stands; waits a little for its end when asked to.
    duplicate_state(contact::duplicate::DuplicateStateGet) -> contact::duplicate::DuplicateState = contact::duplicate::state;
    /// Searches once more; what was skipped stays skipped.
    duplicate_refresh(contact::duplicate::DuplicateSearch) -> contact::duplicate::DuplicateDone = contact::duplicate::refresh;
    /// Ends a search; what was found before stays.
    duplicate_cancel(contact::duplicate::DuplicateSearch) -> contact::duplicate::DuplicateDone = contact::duplicate::cancel;
    /// Lets go of a search.
    duplicate_close(contact::duplicate::DuplicateSearch) -> contact::duplicate::DuplicateDone = contact::duplicate::close;
    /// One page of the groups, the biggest effect first.
    duplicate_page(contact::duplicate::DuplicatePage) -> contact::duplicate::DuplicatePageAnswer = contact::duplicate::page;
    /// The contacts of a group side by side, and how they would be merged.
    duplicate_group(contact::duplicate::DuplicateGroupGet) -> roost_ops::duplicates::DuplicateGroupWhole = contact::duplicate::group;
    /// Merges a group as it was chosen, in one step.
    duplicate_merge(contact::duplicate::DuplicateMerge) -> contact::duplicate::DuplicateMerged = contact::duplicate::merge;
    /// Merges all groups that are sure enough by one rule, in one step; or only says what that would do.
    duplicate_merge_all(contact::duplicate::DuplicateMergeAll) -> roost_ops::duplicates::MergedAll = contact::duplicate::merge_all;
    /// Puts groups aside for as long as the search is open.
    duplicate_skip(contact::duplicate::DuplicateSkip) -> contact::duplicate::DuplicateDone = contact::duplicate::skip;
    /// Looks through a list for texts that should be written otherwise, on a thread of its own.
    clean_open(contact::clean::CleanOpen) -> contact::clean::CleanState = contact::clean::open;
    /// How a clean-up stands; waits a little for its end when asked to.
    clean_state(contact::clean::CleanStateGet) -> contact::clean::CleanState = contact::clean::state;
    /// Looks once more; what was skipped stays skipped.
    clean_refresh(contact::clean::CleanUp) -> contact::clean::CleanDone = contact::clean::refresh;
    /// Ends a look; what was found before stays.
    clean_cancel(contact::clean::CleanUp) -> contact::clean::CleanDone = contact::clean::cancel;
    /// Lets go of a clean-up.
    clean_close(contact::clean::CleanUp) -> contact::clean::CleanDone = contact::clean::close;
    /// One page of the suggestions, the biggest effect first.
    clean_page(contact::clean::CleanPage) -> contact::clean::CleanPageAnswer = contact::clean::page;
    /// One page of the contacts of a suggestion, as they stand and as they would.
    clean_rows(contact::clean::CleanRowsGet) -> contact::clean::CleanRowsAnswer = contact::clean::rows;
    /// Mends all or some contacts of a suggestion in one step; or only says what that would do.
    clean_apply(contact::clean::CleanApply) -> contact::clean::CleanMended = contact::clean::apply;
    /// Puts a suggestion aside for as long as the clean-up is open.
    clean_skip(contact::clean::CleanSkip) -> contact::clean::CleanDone = contact::clean::skip;
    /// The beginning of an export, and what its form has no place for.
    export_preview(export::Export) -> export::ExportPreview = export::preview;
    /// Saves contacts as a file where the person chooses.
    export_run(export::ExportRun) -> export::Exported = export::run;
    /// Some bytes of such a file, where only the page can save it.
    export_part(export::ExportPart) -> Bytes = export::part;
    /// Lets go of a file that was fetched.
    export_discard(export::ExportFile) -> export::ExportDone = export::discard;
    /// Lets the person choose files of contacts by a dialog.
    import_pick(import::ImportNothing) -> import::ImportPaths = import::pick;
    /// Files of contacts that were given to the program from outside; each is told once.
    import_offered(import::ImportNothing) -> import::ImportPaths = import::offered;
    /// Begins an import; its files are read at once.
    import_open(import::ImportOpen) -> roost_ops::import::session::ImportState = import::open;
    /// Adds files to an import.
    import_add(import::ImportAdd) -> roost_ops::import::session::ImportState = import::add;
    /// Hands over some bytes of a file.
    import_upload(import::ImportUpload) -> import::ImportUploaded = import::upload;
    /// How an import stands; waits a little for news when asked to.
    import_state(import::ImportStateGet) -> roost_ops::import::session::ImportState = import::state;
    /// Imports that wait, also since the program ended.
    import_waiting(import::ImportNothing) -> import::ImportWaitingAnswer = import::waiting;
    /// Ends what is under way; what was read before stays.
    import_cancel(import::ImportId) -> import::ImportDone = import::cancel;
    /// Lets go of an import and of everything that was put aside for it.
    import_discard(import::ImportId) -> import::ImportDone = import::discard;
    /// Reads the files that wait to be read.
    import_read(import::ImportId) -> roost_ops::import::session::ImportState = import::read;
    /// Reads a file in another way.
    import_source(import::ImportSourcePut) -> roost_ops::import::session::ImportState = import::source;
    /// Takes a file out of an import.
    import_remove_file(import::ImportFileKey) -> roost_ops::import::session::ImportState = import::remove_file;
    /// Rows of a file as they were read, with those above the names of its columns.
    import_sample(import::ImportSampleGet) -> import::ImportSample = import::sample;
    /// The encodings to choose from.
    import_encodings(import::ImportNothing) -> import::ImportEncodings = import::all_encodings;
    /// Chooses the list that the rows go into.
    import_target(import::ImportTargetPut) -> roost_ops::import::session::ImportState = import::target;
    /// The columns of an import, and what they mean at present.
    import_columns(import::ImportId) -> roost_ops::import::session::ImportTable = import::columns;
    /// Gives the columns a meaning, and shows what the first rows become.
    import_map(import::ImportMap) -> roost_ops::import::session::ImportMapped = import::map;
    /// Mappings under a name.
    import_profile_list(import::ImportProfileList) -> import::ImportProfiles = import::profile_list;
    /// Keeps the mapping of an import under a name.
    import_profile_save(import::ImportProfileKey) -> import::ImportDone = import::profile_save;
    /// Gives the columns of an import the meaning that was kept under a name.
    import_profile_use(import::ImportProfileKey) -> roost_ops::import::session::ImportTable = import::profile_use;
    /// Forgets a mapping.
    import_profile_remove(import::ImportProfileName) -> import::ImportDone = import::profile_remove;
    /// Takes in a mapping that somebody shared as a file.
    import_profile_read(import::ImportProfileRead) -> import::ImportProfileNamed = import::profile_read;
    /// A mapping as a file to share.
    import_profile_write(import::ImportProfileName) -> import::ImportProfileText = import::profile_write;
    /// Begins to find out what would come of every row.
    import_rehearse(import::ImportId) -> roost_ops::import::session::ImportState = import::rehearse;
    /// What would come of the rows, in numbers.
    import_rehearsal(import::ImportId) -> roost_ops::import::session::ImportRehearsal = import::rehearsal;
    /// Some rows and what would come of them.
    import_rows(import::ImportRowsGet) -> roost_ops::import::session::ImportRows = import::rows;
    /// The next row that needs a look.
    import_problem(import::ImportProblemGet) -> roost_ops::import::session::ImportProblem = import::problem;
    /// Mends cells of a row before it is imported, and rehearses anew.
    import_mend(import::ImportMend) -> roost_ops::import::session::ImportState = import::mend;
    /// Begins to write what the rehearsal said, in one step.
    import_accept(import::ImportAccept) -> roost_ops::import::session::ImportState = import::accept;
    /// Imports that were accepted.
    import_history(import::ImportHistory) -> import::ImportHistoryAnswer = import::history;
    /// One of them.
    import_past(import::ImportPastId) -> import::ImportPast = import::past;
    /// What taking an import back would do.
    import_revert_preview(import::ImportPastId) -> import::ImportReverted = import::revert_preview;
    /// Takes an import back, also days later; what was edited since stays.
    import_revert(import::ImportPastId) -> import::ImportReverted = import::revert;
    /// Rows of an import that were left out.
    import_rejects(import::ImportRejectsGet) -> import::ImportRejects = import::rejects;
    /// Mends cells of such rows.
    import_rejects_mend(import::ImportRejectsMend) -> import::ImportRejectsMended = import::rejects_mend;
    /// Imports those that were mended.
    import_rejects_accept(import::ImportRejectsAccept) -> import::ImportRejectsAccepted = import::rejects_accept;
    /// Lets go of rows that were left out.
    import_rejects_discard(import::ImportRejectsDiscard) -> import::ImportRejectsDiscarded = import::rejects_discard;
    /// Saves the rows that were left out, each with its reason, where the person chooses.
    import_rejects_save(import::ImportRejectsSave) -> desktop::FileSaved = import::rejects_save;
    /// The same file, where only the page can save it.
    import_rejects_file(import::ImportPastId) -> Bytes = import::rejects_file;
    /// What can be said of a number while it is typed.
    number_read(contact::NumberRead) -> contact::NumberReadAnswer = contact::read;
    /// The custom fields, in the order of the screen.
    custom_field_all(custom_field::CustomFieldAll) -> custom_field::CustomFieldsAnswer = custom_field::all;
    /// How many contacts hold a value of a field, a stretch at a time.
    custom_field_uses(custom_field::CustomFieldUses) -> custom_field::CustomFieldUsesAnswer = custom_field::uses;
    /// Adds a field under the next number.
    custom_field_add(custom_field::CustomFieldAdd) -> roost_model::custom_field::CustomField = custom_field::add;
    /// Gives a field another label.
    custom_field_rename(custom_field::CustomFieldRename) -> roost_model::custom_field::CustomField = custom_field::rename;
    /// Orders the fields on screen.
    custom_field_order(custom_field::CustomFieldOrder) -> custom_field::CustomFieldsAnswer = custom_field::order;
    /// Removes a field and its values into the trash; its number is never used again.
    custom_field_remove(custom_field::CustomFieldRemove) -> custom_field::CustomFieldRemoved = custom_field::remove;
    /// Whether the local server runs, and where.
    server_status(server::ServerNothing) -> server::ServerStatus = server::status;
    /// Starts the REST interface on the open account or on a scratch world.
    server_start(server::ServerStart) -> server::ServerStatus = server::start;
    /// Stops it once the requests under way have ended.
    server_stop(server::ServerNothing) -> server::ServerStatus = server::stop;
    /// The settings of the local server: in force while it runs, else for the next start.
    server_settings(server::ServerNothing) -> Vec<server::settings::ServerSetting> = server::settings::all;
    /// Changes one of them.
    server_set(server::settings::ServerSet) -> Vec<server::settings::ServerSetting> = server::settings::set;
    /// Begins or ends the recording of requests.
    server_record(server::ServerRecord) -> server::ServerStatus = server::record;
    /// Recorded requests and callbacks, newest first.
    server_requests(server::journal::ServerRequests) -> server::journal::ServerRequestPage = server::journal::page;
    /// A recorded request with everything known of it.
    server_request(server::journal::ServerRequest) -> server::journal::RequestWhole = server::journal::one;
    /// Does what the operator's side of the local server can, by its own names.
    server_operate(server::operate::ServerOperate) -> server::operate::Operated = server::operate::operate;
    /// Forgets the recorded requests.
    server_clear(server::ServerNothing) -> server::ServerStatus = server::clear;
    /// The service that this account belongs to, where its key is kept, and what is known of it.
    connection_get(sync::SyncNothing) -> synced::ConnectionAnswer = connection::get;
    /// Connects the account to a service, or says otherwise where and how it is called.
    connection_save(synced::ConnectionSave) -> synced::ConnectionAnswer = connection::save;
    /// Lets the account belong to nobody; what both sides agreed on is forgotten, and nothing else.
    connection_forget(sync::SyncNothing) -> sync::SyncDone = connection::forget;
    /// Puts the key where it is kept. No answer ever carries it.
    connection_key_set(connection::ConnectionKeySet) -> synced::ConnectionAnswer = connection::key_set;
    /// Opens the sealed key for as long as the account is open.
    connection_key_unlock(connection::ConnectionKeyUnlock) -> synced::ConnectionAnswer = connection::key_unlock;
    /// Forgets the key, here and where it is kept.
    connection_key_forget(sync::SyncNothing) -> synced::ConnectionAnswer = connection::key_forget;
    /// One call that changes nothing: address, key and permission are right when it succeeds.
    connection_test(sync::SyncNothing) -> synced::Tested = connection::test;
    /// Begins to find out what the service can do.
    connection_probe(connection::ConnectionProbe) -> sync::SyncDone = connection::probe;
    /// How here and the service stand to each other, and what goes on.
    sync_status(sync::SyncNothing) -> synced::SyncStatus = standing::status;
    /// Begins to read the service.
    sync_pull(standing::SyncPull) -> sync::SyncDone = standing::pull;
    /// Ends what goes on: a reading behind its page; a run sends nothing more.
    sync_stop(sync::SyncNothing) -> sync::SyncDone = standing::stop;
    /// What the last reading brought.
    sync_pulled(sync::SyncNothing) -> Option<synced::SyncPulled> = standing::pulled;
    /// When each part of the service was last read.
    sync_scopes(sync::SyncNothing) -> Vec<synced::SyncScope> = standing::scopes;
    /// The tree of what was changed here, in numbers.
    changes_summary(changes::ChangesSummaryGet) -> synced::ChangesSummary = changes::summary;
    /// Some changed records with their values before and after.
    changes_rows(changes::ChangesRowsGet) -> synced::ChangesPage = changes::page;
    /// Holds changes back from being sent, or lets them go.
    changes_hold(changes::ChangesHold) -> sync::SyncCount = changes::hold;
    /// Holds every change of a column back, or lets them go.
    changes_hold_column(changes::ChangesHoldColumn) -> sync::SyncCount = changes::hold_column;
    /// Gives up what was changed here, as one step that can be undone.
    changes_discard(changes::ChangesDiscard) -> sync::SyncCount = changes::discard;
    /// Some records that both sides changed, each in its way.
    conflicts_page(conflicts::ConflictsPageGet) -> synced::ConflictsPage = conflicts::page;
    /// Decides about values or records; what is settled by it is merged at once.
    conflicts_answer(conflicts::ConflictsAnswer) -> synced::ConflictsSettled = conflicts::answer;
    /// Makes what was settled last a question again.
    conflicts_reopen(conflicts::ConflictsReopen) -> synced::ConflictsReopened = conflicts::reopen;
    /// Decides about a list or an opt-out that one side lost.
    conflicts_choose(conflicts::ConflictsChoose) -> sync::SyncLeft = conflicts::choose;
    /// How disputes about a column are settled without asking from now on.
    conflicts_rule(conflicts::ConflictsRule) -> synced::ConflictsSettled = conflicts::rule;
    /// Makes a plan of everything as it stands now.
    plan_make(sync::SyncNothing) -> synced::PlanShown = plan::make;
    /// A plan as it was made, and whether it is still true.
    plan_get(plan::PlanGet) -> Option<synced::PlanShown> = plan::get;
    /// Decides how something is done that the interface cannot express, and makes the plan anew.
    plan_choose(plan::PlanChoose) -> synced::PlanShown = plan::choose;
    /// Leaves a step out, or takes it in again, and makes the plan anew.
    plan_hold(plan::PlanHold) -> synced::PlanShown = plan::hold;
    /// A request as it would be sent.
    plan_body(plan::PlanBodyGet) -> synced::PlanBody = plan::body;
    /// A plan as a file to review.
    plan_export(plan::PlanExport) -> plan::TextSaved = plan::export;
    /// Begins to send a plan.
    run_start(runs::RunStart) -> runs::RunId = runs::start;
    /// Sets the run at work aside at the end of its request.
    run_pause(sync::SyncNothing) -> sync::SyncDone = runs::pause;
    /// Goes on with a run that was set aside.
    run_resume(runs::RunId) -> sync::SyncDone = runs::resume;
    /// Sends nothing more; what was sent is still verified.
    run_cancel(sync::SyncNothing) -> sync::SyncDone = runs::cancel;
    /// All runs, newest first.
    run_list(sync::SyncNothing) -> Vec<synced::RunSummary> = runs::list;
    /// A run with its steps, and how fast it goes.
    run_get(runs::RunId) -> Option<synced::RunShown> = runs::get;
    /// The requests of a run.
    run_attempts(runs::RunAttemptsGet) -> Vec<synced::RunAttempt> = runs::attempts;
    /// A run as a file for somebody who was not there.
    run_report(runs::RunReport) -> plan::TextSaved = runs::report;
    /// What undoing a run would do, and what it could not bring back.
    run_undo_preview(runs::RunId) -> synced::RunUndone = runs::undo_preview;
    /// Undoes here what a run pushed, as one step; to be planned and pushed like any edits.
    run_undo(runs::RunId) -> synced::RunUndone = runs::undo;
    /// Records that the service refused.
    refused_page(runs::SyncWindow) -> synced::RefusedPage = runs::refused_page;
    /// Mends a value of such a record, which is sent again then.
    refused_mend(runs::RefusedMend) -> sync::SyncDone = runs::refused_mend;
    /// Lets such records be sent again as they are.
    refused_resend(runs::RefusedResend) -> sync::SyncCount = runs::refused_resend;
    /// The record of every effect on the service, newest first, and whether it is whole.
    audit_page(runs::SyncWindow) -> synced::AuditPage = runs::audit_page;
    /// One page of the opt-outs, each with who brought it in, why, and in how many lists its number stands.
    opt_out_page(opt_out::OptOutPage) -> opt_out::OptOutPageAnswer = opt_out::page;
    /// What some numbers are opted out of.
    opt_out_states(opt_out::OptOutStatesGet) -> opt_out::OptOutStatesAnswer = opt_out::states;
    /// Looks up pasted numbers, a slice at a time.
    opt_out_check(opt_out::OptOutCheck) -> opt_out::OptOutCheckAnswer = opt_out::check;
    /// One page of what a look-up found.
    opt_out_check_page(opt_out::OptOutCheckPage) -> opt_out::OptOutCheckPageAnswer = opt_out::check_page;
    /// Opts numbers out, with a reason.
    opt_out_add(opt_out::OptOutAdd) -> roost_ops::opt_out::OptOutAdded = opt_out::add;
    /// Exactly which records a removal would take.
    opt_out_removal_preview(opt_out::OptOutRemovalPreviewGet) -> roost_ops::opt_out::OptOutRemovalPreview = opt_out::removal_preview;
    /// Removes the records that the preview showed, into the trash.
    opt_out_remove(opt_out::OptOutRemove) -> opt_out::OptOutRemoved = opt_out::remove;
    /// Reads pasted text as opt-outs, and what it would add.
    opt_out_import_preview(opt_out::OptOutImportPreview) -> opt_out::OptOutImportPreviewAnswer = opt_out::import_preview;
    /// Reads the rows of files as opt-outs, and what they would add.
    opt_out_import_file(opt_out::OptOutImportFile) -> opt_out::OptOutImportPreviewAnswer = opt_out::import_file;
    /// One page of the rows of an import.
    opt_out_import_rows(opt_out::OptOutImportRows) -> opt_out::OptOutImportRowsAnswer = opt_out::import_rows;
    /// Adds what the preview said would be added, and nothing else.
    opt_out_import(opt_out::OptOutImport) -> opt_out::OptOutImported = opt_out::import;
    /// Everything that is known of a number's opt-outs.
    opt_out_timeline(opt_out::OptOutTimelineGet) -> roost_ops::opt_out::OptOutTimeline = opt_out::timeline;
    /// The ledger as a file, each line chained to the one before by its hash.
    opt_out_evidence(opt_out::OptOutEvidenceGet) -> roost_ops::opt_out::OptOutEvidence = opt_out::evidence;
    /// One page of the short links, as the interface searches them.
    short_link_page(short_link::ShortLinkPage) -> short_link::ShortLinkPageAnswer = short_link::page;
    /// One short link.
    short_link_get(short_link::ShortLinkGet) -> short_link::LinkItem = short_link::get;
    /// Makes short links, all or none.
    short_link_create(short_link::ShortLinkCreate) -> short_link::ShortLinks = short_link::create;
    /// Tags in use, by how they begin.
    short_link_tags(short_link::ShortLinkTags) -> short_link::ShortLinkTagsAnswer = short_link::tags;
    /// Links that lead to some addresses already.
    short_link_same_target(short_link::ShortLinkSameTarget) -> short_link::ShortLinks = short_link::same_target;
    /// Deletes short links with their clicks, into the trash.
    short_link_delete(short_link::ShortLinkDelete) -> short_link::ShortLinkDeleted = short_link::delete;
    /// One page of a link's clicks.
    short_link_clicks(short_link::ShortLinkClicks) -> short_link::ShortLinkClicksAnswer = short_link::clicks;
    /// A link's clicks day by day, and by what they were made with.
    short_link_click_series(short_link::ShortLinkClickSeries) -> roost_ops::short_link::ClickSeries = short_link::click_series;
    /// One page of the senders.
    sender_page(operator::sender::SenderPage) -> operator::sender::SenderPageAnswer = operator::sender::page;
    /// Asks for a sender.
    sender_request(operator::sender::SenderRequest) -> roost_model::sender::Sender = operator::sender::request;
    /// Approves a pending sender.
    sender_approve(operator::sender::SenderKey) -> roost_model::sender::Sender = operator::sender::approve;
    /// Refuses a pending sender: it goes.
    sender_refuse(operator::sender::SenderKey) -> operator::sender::SenderDone = operator::sender::refuse;
    /// Deletes a sender whose name was typed.
    sender_delete(operator::sender::SenderDelete) -> operator::sender::SenderDone = operator::sender::delete;
    /// Every change of a sender, also of one that is gone.
    sender_history(operator::sender::SenderHistoryGet) -> operator::sender::SenderHistory = operator::sender::history;
    /// The inbound assets, each with its opt-outs.
    asset_all(operator::asset::AssetAll) -> operator::asset::AssetAllAnswer = operator::asset::all;
    /// Adds an inbound asset; a long SMS number brings its sender along.
    asset_add(operator::asset::AssetAdd) -> operator::asset::AssetAdded = operator::asset::add;
    /// Removes an asset whose number was typed; its opt-outs stay.
    asset_remove(operator::asset::AssetRemove) -> operator::asset::AssetRemoved = operator::asset::remove;
    /// Sets the keywords that an asset listens for.
    asset_keywords(operator::asset::AssetKeywords) -> roost_model::asset::Asset = operator::asset::keywords;
    /// Whether keywords on an asset opt out of the whole account.
    asset_enforce(operator::asset::AssetEnforce) -> roost_model::asset::Asset = operator::asset::enforce;
    /// Plays a message that comes in on an asset.
    asset_inbound(operator::asset::AssetInbound) -> operator::asset::AssetInboundAnswer = operator::asset::inbound;
    /// One page of the jobs.
    job_page(past::job::JobPage) -> past::job::JobPageAnswer = past::job::page;
    /// One job, its callback and every attempt at it.
    job_get(past::job::JobGet) -> past::job::JobWithCallback = past::job::get;
    /// One page of what became of a job's contacts.
    job_outcomes(past::job::JobOutcomes) -> past::job::JobOutcomesAnswer = past::job::outcomes;
    /// One page of the time line: every act, and what it changed.
    activity_page(past::activity::ActivityPage) -> past::activity::ActivityPageAnswer = past::activity::page;
    /// What undoing and redoing would do next.
    history_standing(past::history::HistoryNothing) -> past::history::HistoryStanding = past::history::standing;
    /// Takes back the last act.
    history_undo(past::history::HistoryUndo) -> past::history::HistoryTaken = past::history::undo;
    /// Does again what was taken back last.
    history_redo(past::history::HistoryNothing) -> past::history::HistoryTaken = past::history::redo;
    /// Passes over an act that can no longer be undone.
    history_pass_over(past::history::HistoryNothing) -> past::history::HistoryPassed = past::history::pass_over;
    /// One page of what can be brought back.
    trash_page(past::history::TrashPage) -> past::history::TrashPageAnswer = past::history::trash_page;
    /// Brings back what an act deleted.
    trash_restore(past::history::TrashRestore) -> past::history::HistoryTaken = past::history::trash_restore;
    /// Lets go for good of what acts deleted.
    trash_purge(past::history::TrashPurge) -> past::history::TrashPurged = past::history::trash_purge;
}

fn read<T: DeserializeOwned>(name: &str, payload: Value) -> Result<T, CommandError> {
    serde_json::from_value(payload).map_err(|why| CommandError::malformed(name, &why))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use roost_model::error::ErrorCode;
    use roost_ops::{Core, Ctx};
    use serde_json::json;

    use super::*;

    fn app() -> App {
        App::over(Core::in_memory(Ctx::system()).unwrap(), Path::new(":memory:"))
    }

    #[test]
    fn every_command_is_routed_and_refuses_a_request_of_another_form() {
        let app = app();
        for name in NAMES {
            let told = app.dispatch(name, json!({ "no such field": 1 }), None).unwrap_err();
            assert_eq!(told.code, ErrorCode::Invalid, "{name}");
            assert!(told.message.contains(name), "{}", told.message);
        }
    }

    #[test]
    fn an_unknown_command_says_what_to_do() {
        let told = app().dispatch("list_explode", json!({}), None).unwrap_err();
        assert_eq!(told.code, ErrorCode::UnknownCommand);
        assert!(told.message.contains("reload"));
    }

    #[test]
    fn names_are_noun_and_verb_and_stand_once() {
        let mut seen = std::collections::BTreeSet::new();
        for name in NAMES {
            assert!(name.contains('_') && seen.insert(name), "{name}");
        }
    }
}
