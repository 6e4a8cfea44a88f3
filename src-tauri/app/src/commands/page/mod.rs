//! Commands that belong to no single kind of record: stored settings of the page, the overview, and the search.

pub(super) mod overview;
pub(super) mod preference;
pub(super) mod search;
pub(super) mod start_notice;
pub(super) mod task;
pub(super) mod ui_state;
