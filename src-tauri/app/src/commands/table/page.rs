//! The page itself and what is around it: the desktop, what is kept for the person, tasks, finding things.

use crate::commands::{
    desktop,
    page::{overview, preference, search, ui_state},
    task,
};

commands! {
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
    /// What came in lately, day by day, and what waits for a person.
    overview_recent(overview::OverviewRecentGet) -> overview::OverviewRecent = overview::recent;
    /// Finds lists, contacts, fields, opt-outs, links, senders and assets; what is indexed comes first.
    search_everything(search::SearchEverything) -> search::SearchAnswer = search::everything;
}
