//! The commands of the page itself: the desktop, preferences, tasks, the overview, the search.

use crate::commands::{
    Done, Nothing, desktop,
    page::{overview, preference, search, start_notice, task, ui_state},
};

commands! {
    /// Returns whether the page runs on a desktop.
    read desktop_get(Nothing) -> desktop::DesktopStatus = desktop::get;
    /// Notifies the user who is looking at another program.
    read desktop_notify(desktop::DesktopNotify) -> desktop::DesktopNotified = desktop::notify;
    /// Opens another window.
    read desktop_new_window(Nothing) -> Done = desktop::new_window;
    /// Opens a web address in the browser.
    read desktop_browse(desktop::DesktopBrowse) -> Done = desktop::browse;
    /// Returns what a page says once after the program started: a crash of the last time, and safe mode.
    read start_notice_get(Nothing) -> start_notice::StartNotice = start_notice::get;
    /// Shows the newest report of a crash in the file manager.
    read crash_report_reveal(Nothing) -> Done = start_notice::reveal_report;
    /// Saves a file where the user chooses.
    read file_save(desktop::FileSave) -> desktop::FileSaved = desktop::save;
    /// Returns the user's preferences, which apply to every account.
    read preferences_get(Nothing) -> preference::PreferencesAnswer = preference::get;
    /// Changes some preferences.
    read preferences_put(preference::PreferencesPut) -> preference::PreferencesAnswer = preference::put;
    /// Returns values that pages of this account stored.
    read ui_state_get(ui_state::UiStateGet) -> ui_state::UiStateAnswer = ui_state::get;
    /// Stores a value for the pages of this account.
    read ui_state_put(ui_state::UiStatePut) -> Done = ui_state::put;
    /// Returns the long-running commands, and the number of waiting jobs.
    read task_list(Nothing) -> task::TaskListAnswer = task::list;
    /// Cancels a running command.
    read task_cancel(task::TaskCancel) -> task::TaskCancelAnswer = task::cancel;
    /// Cancels a call of the page whose result is no longer needed.
    read task_cancel_call(task::TaskCancelCall) -> task::TaskCancelAnswer = task::cancel_call;
    /// Returns the account with the number of records of each kind.
    read overview_get(Nothing) -> overview::Overview = overview::get;
    /// Returns the recent additions, day by day, and the work that waits for the user.
    read overview_recent(overview::OverviewRecentGet) -> overview::OverviewRecent = overview::recent;
    /// Finds lists, contacts, fields, opt-outs, links, senders and assets. Indexed matches come first.
    read search_everything(search::SearchEverything) -> roost_ops::search::SearchResults = search::everything;
}
