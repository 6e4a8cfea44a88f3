//! Commands that belong to no single kind of record: stored settings of the page, the overview, and the search.

pub mod overview;
pub mod preference;
pub mod search;
pub mod start_notice;
pub mod task;
pub mod ui_state;
