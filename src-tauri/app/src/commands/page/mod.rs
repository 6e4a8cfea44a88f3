//! Commands of the page itself: what it keeps for the person and the account, and finding anything in it.

pub mod preference;
pub mod search;
pub mod ui_state;
