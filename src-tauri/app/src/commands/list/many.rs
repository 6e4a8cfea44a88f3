//! Commands that make lists from other lists: merging, splitting, set operations.

use roost_model::list::List;
use roost_ops::{
    Actor,
    contact::SendPreview,
    list::{self as act, ListMergeRequest, ListSet, ListSplitRequest, MatchKey, MergeInto, SetOp, SplitBy, SplitPart},
};
use serde::{Deserialize, Serialize};

use super::list_id;
use crate::{accounts::App, error::CommandError};

/// The treatment of a contact whose number is already in the target.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum MergeDuplicates {
    /// The target then has the number twice.
    Keep,
    /// The contact is skipped if its phone number is in the target. Contacts without a phone number are added.
    SkipPhone,
    /// The values of the contact go into the contact that has its phone number.
    MergePhone,
}

impl From<MergeDuplicates> for roost_ops::contact::DuplicatePolicy {
    fn from(rule: MergeDuplicates) -> Self {
        match rule {
            MergeDuplicates::Keep => Self::Keep,
            MergeDuplicates::SkipPhone => Self::Skip,
            MergeDuplicates::MergePhone => Self::Merge,
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ListMerge {
    /// The sources, in the order in which they take effect. If the target is among them, it is ignored.
    pub from: Vec<String>,
    /// Null creates a new list called `name`.
    pub into: Option<String>,
    /// The name of the new list.
    pub name: Option<String>,
    pub duplicates: MergeDuplicates,
    /// True moves the contacts and deletes the other lists. False copies the contacts and keeps all lists.
    pub delete_sources: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ListMergePreview {
    /// The sources. If the target is among them, it is ignored.
    pub from: Vec<String>,
    /// Null stands for a new list.
    pub into: Option<String>,
}

/// A list that received contacts, and the result for these contacts.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ListFilled {
    pub list: List,
    /// Contacts that were added.
    pub added: u64,
    /// Contacts that were merged into others.
    pub merged: u64,
    /// Contacts that were skipped.
    pub skipped: u64,
}

impl From<act::FilledList> for ListFilled {
    fn from(filled: act::FilledList) -> Self {
        let act::FilledList { list, placed } = filled;
        Self { list, added: placed.placed, merged: placed.merged, skipped: placed.skipped }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ListSplit {
    pub uid: String,
    pub by: SplitBy,
    /// A pattern for the names of the parts: `{name}` is the name of the list, `{n}` the number of the part, `{value}`
    /// the value of the field.
    pub names: String,
    /// The text that `{value}` shows for a blank value.
    pub empty_value: String,
    /// True moves the contacts and deletes the list. False copies the contacts and keeps it.
    pub delete_source: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ListSplitPreview {
    pub parts: Vec<SplitPart>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ListSplitAnswer {
    pub lists: Vec<List>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ListCombinePreview {
    pub op: SetOp,
    /// The lists, in order. A contact that is in several comes from the first of them.
    pub lists: Vec<String>,
    pub key: MatchKey,
    /// Whether contacts without such a number are included: those of every list in a union, those of the first list in
    /// a subtraction.
    pub with_those_without: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ListCombine {
    pub op: SetOp,
    pub lists: Vec<String>,
    pub key: MatchKey,
    pub with_those_without: bool,
    pub name: String,
}

pub(crate) fn merge(app: &App, by: &Actor, request: ListMerge) -> Result<ListFilled, CommandError> {
    let into = match &request.into {
        Some(uid) => MergeInto::List(list_id("into", uid)?),
        None => MergeInto::New(request.name.unwrap_or_default()),
    };
    let merge = ListMergeRequest {
        from: act::parse_uids(&request.from, "from")?,
        into,
        duplicates: request.duplicates.into(),
        delete_sources: request.delete_sources,
    };
    Ok(act::merge(&app.core()?, by, &merge)?.into())
}

pub(crate) fn merge_preview(app: &App, by: &Actor, request: ListMergePreview) -> Result<SendPreview, CommandError> {
    let into = request.into.as_ref().map(|uid| list_id("into", uid)).transpose()?;
    let from = act::parse_uids(&request.from, "from")?;
    Ok(act::preview_merge(&app.core()?, by, &from, into.as_ref())?)
}

fn to_split(request: ListSplit) -> Result<ListSplitRequest, CommandError> {
    Ok(ListSplitRequest {
        list: list_id("uid", &request.uid)?,
        by: request.by,
        names: request.names,
        empty_value: request.empty_value,
        delete_source: request.delete_source,
    })
}

pub(crate) fn split_preview(app: &App, _: &Actor, request: ListSplit) -> Result<ListSplitPreview, CommandError> {
    Ok(ListSplitPreview { parts: act::preview_split(&app.core()?, &to_split(request)?)? })
}

pub(crate) fn split(app: &App, by: &Actor, request: ListSplit) -> Result<ListSplitAnswer, CommandError> {
    Ok(ListSplitAnswer { lists: act::split(&app.core()?, by, &to_split(request)?)? })
}

fn to_set(op: SetOp, lists: &[String], key: MatchKey, takes_those_without: bool) -> Result<ListSet, CommandError> {
    Ok(ListSet { op, lists: act::parse_uids(lists, "lists")?, key, takes_those_without })
}

pub(crate) fn combine_preview(
    app: &App,
    _: &Actor,
    request: ListCombinePreview,
) -> Result<act::SetCount, CommandError> {
    let set = to_set(request.op, &request.lists, request.key, request.with_those_without)?;
    Ok(act::count_set(&app.core()?, &set)?)
}

pub(crate) fn combine(app: &App, by: &Actor, request: ListCombine) -> Result<ListFilled, CommandError> {
    let set = to_set(request.op, &request.lists, request.key, request.with_those_without)?;
    Ok(act::combine(&app.core()?, by, &set, &request.name)?.into())
}
