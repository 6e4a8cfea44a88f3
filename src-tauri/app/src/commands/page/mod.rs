//! Commands of the page itself: what it keeps for the person and the account, the account at a glance, and finding anything in it.

pub mod overview;
pub mod preference;
pub mod search;
pub mod ui_state;
