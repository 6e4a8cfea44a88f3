//! Contact lists and the rule for their names.

use serde::Serialize;
use serde_json::Value;

use crate::{
    error::{FieldError, has_length},
    id::ListId,
    page::{PageRequest, SortOrder},
    time::Timestamp,
};

pub const NAME_MAX: usize = 120;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct List {
    pub uid: ListId,
    pub name: String,
    pub contact_count: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Restricts and sorts lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListQuery {
    /// Part of the name, in any case.
    pub name: Option<String>,
    pub sort: ListSort,
    pub order: SortOrder,
    pub page: PageRequest,
}

/// The values of a list that the interface shows, in a row that is not copied first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListValues<'a> {
    /// A well-formed id.
    pub uid: &'a str,
    pub name: &'a str,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ListSort {
    UpdatedAt,
    CreatedAt,
    Name,
}

crate::variant_names! { pub ListSort { UpdatedAt = "updated_at", CreatedAt = "created_at", Name = "name" } }

/// Checks that a list's name has 1 to 120 characters and does not consist of spaces.
pub fn check_name(name: &str) -> Result<(), FieldError> {
    if has_length(name, 1, NAME_MAX) && !name.trim().is_empty() { Ok(()) } else { Err(name_error(Value::from(name))) }
}

pub fn name_error(rejected: Value) -> FieldError {
    FieldError::new("name", "Invalid list name", rejected)
}
