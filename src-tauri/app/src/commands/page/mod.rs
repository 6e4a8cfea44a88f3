//! Commands of the page itself: its stored settings, the overview of the account, and the search.

pub mod overview;
pub mod preference;
pub mod search;
pub mod ui_state;
