//! The lanes of a plan, one an operation, and the rough order of its steps.

use serde::{Deserialize, Serialize};

macro_rules! lanes {
    ($($lane:ident = $name:literal;)*) => {
        /// One operation of the interface: each has a limit of its own, so each is a lane of its own.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Lane { $(#[serde(rename = $name)] $lane),* }

        impl Lane {
            pub const ALL: [Self; 16] = [$(Self::$lane),*];

            /// As the interface's table of operations calls it.
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

/// Rough order of a run. A step waits until those of the stages it waits for are settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    OptOutCreate,
    ListCreate,
    Single,
    Bulk,
    Delete,
    ListDelete,
    OptOutDelete,
}

impl Stage {
    pub const ALL: [Self; 7] = [
        Self::OptOutCreate,
        Self::ListCreate,
        Self::Single,
        Self::Bulk,
        Self::Delete,
        Self::ListDelete,
        Self::OptOutDelete,
    ];

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
