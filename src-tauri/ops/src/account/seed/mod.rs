//! Seed files: a whole account as one object, in JSON, YAML or lines of JSON, read all or nothing, and written back the same.

mod apply;
mod export;
mod form;
mod lines;
mod node;
mod parse;
mod put;
mod slim;
mod turn;
mod yaml;

pub use self::{
    apply::{SeedReport, apply, is_fillable},
    export::{Only, export, export_as, export_only},
    form::Form,
    put::{make, merge, one, page, put, remove},
    turn::{Turn, steps_of, turn},
};
pub(crate) use self::{
    export::{contact, opt_out, write},
    form::Output,
};

use crate::error::Error;

/// The place of a fault that is about the file as a whole.
const WHOLE: &str = "the file";

/// Why a seed was not applied; nothing of it was.
#[derive(Debug, thiserror::Error)]
pub enum SeedError {
    #[error("{path}{} {message}", if *path == WHOLE { "" } else { ":" })]
    Faulty {
        /// Where in the file: `lists[0].contacts[3].title`, or line and column.
        path: String,
        message: String,
    },
    #[error(
        "The account already holds data, and a seed can only fill an empty one. Start without a seed, with a new \
         file, or with --seed-if-empty to keep the data."
    )]
    NotEmpty,
    #[error(transparent)]
    Core(#[from] Error),
}

impl SeedError {
    fn at(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Faulty { path: path.into(), message: message.into() }
    }
}

impl From<roost_store::error::Error> for SeedError {
    fn from(error: roost_store::error::Error) -> Self {
        Self::Core(error.into())
    }
}

/// Keys of the file and of its records: one list for reading and for writing.
mod keys {
    pub const TOP: &[&str] =
        &["senders", "assets", "custom_fields", "lists", "opt_outs", "short_links", "used_up", "short_link_base"];
    pub const USED_UP: &[&str] = &["custom_field_number", "short_link_codes"];
    pub const SENDER: &[&str] = &["id", "name", "status"];
    pub const ASSET: &[&str] = &["id", "channel", "number", "enforce_account_level_opt_outs", "keywords"];
    pub const CUSTOM_FIELD: &[&str] = &["number", "label"];
    pub const LIST: &[&str] = &["uid", "name", "created_at", "updated_at", "contacts"];
    pub const OPT_OUT: &[&str] = &[
        "number",
        "channel",
        "account_level_opt_out",
        "opt_out_type",
        "inbound_asset_id",
        "inbound_number",
        "asset_id",
        "opt_out_time",
    ];
    pub const SHORT_LINK: &[&str] =
        &["title", "link_id", "target_url", "short_link_url", "tags", "created_at", "track_clicks"];
}
