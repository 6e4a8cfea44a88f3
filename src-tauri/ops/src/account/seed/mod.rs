//! Reads and writes seed files. A seed is a whole account as one object in JSON, YAML or lines of JSON. It is applied
//! all or nothing, and written back in the same form.

mod apply;
mod export;
mod lazy_json;
mod lines;
mod node;
mod parse;
mod record_history;
mod records;
mod writer;
mod yaml;

pub use self::{
    apply::{apply, is_fillable},
    export::{RecordExport, contact_to_json, export, export_as, export_record, opt_out_to_json, write_seed},
    record_history::{RecordStepToggle, read_record_steps, toggle_record_step},
    records::{create_record, merge_seed, put_record, read_record, read_record_page, remove_record},
    writer::{SeedFormat, SeedWriter},
};

use crate::error::Error;

/// The path of an error that concerns the file as a whole.
const WHOLE: &str = "the file";

/// The reason why a seed was not applied. Nothing of it was applied.
#[derive(Debug, thiserror::Error)]
pub enum SeedError {
    #[error("{path}{} {message}", if *path == WHOLE { "" } else { ":" })]
    Invalid {
        /// The path in the file, such as `lists[0].contacts[3].title`, or line and column.
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
    fn invalid_at(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Invalid { path: path.into(), message: message.into() }
    }
}

impl From<roost_store::error::StoreError> for SeedError {
    fn from(error: roost_store::error::StoreError) -> Self {
        Self::Core(error.into())
    }
}

/// The keys of the file and of its records, shared by reading and writing.
mod keys {
    pub(super) const TOP: &[&str] =
        &["senders", "assets", "custom_fields", "lists", "opt_outs", "short_links", "used_up", "short_link_base"];
    pub(super) const USED_UP: &[&str] = &["custom_field_number", "short_link_codes"];
    pub(super) const SENDER: &[&str] = &["id", "name", "status"];
    pub(super) const ASSET: &[&str] = &["id", "channel", "number", "enforce_account_level_opt_outs", "keywords"];
    pub(super) const CUSTOM_FIELD: &[&str] = &["number", "label"];
    pub(super) const LIST: &[&str] = &["uid", "name", "created_at", "updated_at", "contacts"];
    pub(super) const OPT_OUT: &[&str] = &[
        "number",
        "channel",
        "account_level_opt_out",
        "opt_out_type",
        "inbound_asset_id",
        "inbound_number",
        "asset_id",
        "opt_out_time",
    ];
    pub(super) const SHORT_LINK: &[&str] =
        &["title", "link_id", "target_url", "short_link_url", "tags", "created_at", "track_clicks"];
}
