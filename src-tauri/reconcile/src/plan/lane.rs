//! Defines the lanes of a plan, one for each operation, and the rough order of its steps.

use serde::{Deserialize, Serialize};

macro_rules! lanes {
    ($($lane:ident = $name:literal;)*) => {
        /// The queue of calls to one operation of the interface. Each operation has a rate limit, so each has a lane.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Lane { $(#[serde(rename = $name)] $lane),* }

        impl Lane {
            pub const ALL: [Self; 16] = [$(Self::$lane),*];

            /// Returns the name of the operation in the interface's table of operations.
            pub fn name(self) -> &'static str {
                match self { $(Self::$lane => $name),* }
            }
        }
    };
}

lanes! {
    OptOutsCreate = "optouts.create";
    ListsCreate = "lists.create";
    ContactsCreate = "contacts.create";
    ContactsDelete = "contacts.delete";
    ListsDelete = "lists.delete";
    OptOutsDelete = "optouts.delete";
    ShortLinksCreate = "shortlinks.create";
    ShortLinksDelete = "shortlinks.delete";
    SendersDelete = "senders.delete";
    SendersQuery = "senders.query";
    SendersGet = "senders.get";
    ListsQuery = "lists.query";
    ContactsQuery = "contacts.query";
    OptOutsQuery = "optouts.query";
    ShortLinksSearch = "shortlinks.search";
    ShortLinksGet = "shortlinks.get";
}

/// The place of a step in the rough order of a run. A step waits until all steps of the stages it depends on are
/// settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanStage {
    OptOutCreate,
    ListCreate,
    Single,
    Bulk,
    Delete,
    ListDelete,
    OptOutDelete,
}

impl PlanStage {
    pub const ALL: [Self; 7] = [
        Self::OptOutCreate,
        Self::ListCreate,
        Self::Single,
        Self::Bulk,
        Self::Delete,
        Self::ListDelete,
        Self::OptOutDelete,
    ];

    /// Returns the stages whose steps must be settled before a step of this one starts.
    pub fn waits_for(self) -> &'static [Self] {
        match self {
            Self::OptOutCreate | Self::ListCreate | Self::Single | Self::Delete => &[],
            Self::Bulk => &[Self::OptOutCreate],
            Self::ListDelete => &[Self::OptOutCreate, Self::ListCreate, Self::Bulk, Self::Delete],
            Self::OptOutDelete => {
                &[Self::OptOutCreate, Self::ListCreate, Self::Single, Self::Bulk, Self::Delete, Self::ListDelete]
            }
        }
    }
}
