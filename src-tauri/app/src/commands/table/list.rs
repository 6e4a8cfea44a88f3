//! The commands on contact lists.

use crate::{
    commands::{Nothing, list},
    reading::PageResponse,
};

commands! {
    /// Returns one page of the contact lists, each with its alias, note and pin.
    read list_page(list::ListPage) -> PageResponse<roost_ops::list::ListCard> = list::page;
    /// Returns one list.
    read list_get(list::ListUid) -> roost_ops::list::ListCard = list::get;
    /// Returns counts about a list.
    read list_facts(list::ListUid) -> roost_ops::list::ListFacts = list::facts;
    /// Counts how many contacts of a list can be messaged on each channel and from each number, and why the others
    /// cannot.
    read list_readiness(list::ListUid) -> roost_ops::list::ListReadiness = list::readiness;
    /// Returns the pinned lists in the order in which they were pinned.
    read list_pins(Nothing) -> Vec<roost_ops::list::ListCard> = list::pins;
    /// Creates an empty contact list.
    write list_create(list::ListCreate) -> roost_model::list::List = list::create;
    /// Pins a list to the side of the window, or unpins it. The service does not learn of it.
    write list_pin(list::ListPin) -> roost_ops::list::ListCard = list::pin;
    /// Stores an alias and a note for a list. The service does not learn of them.
    write list_note(list::ListNote) -> roost_ops::list::ListCard = list::note;
    /// Renames a list, which the REST interface cannot do.
    write list_rename(list::ListName) -> roost_model::list::List = list::rename;
    /// Copies a list with all its contacts.
    write list_duplicate(list::ListName) -> roost_model::list::List = list::duplicate;
    /// Reports which numbers the target of a merge already has.
    read list_merge_preview(list::ListMergePreview) -> roost_ops::contact::SendPreview = list::merge_preview;
    /// Merges the contacts of some lists into one.
    write list_merge(list::ListMerge) -> list::ListFilled = list::merge;
    /// Returns the lists that a split would create.
    read list_split_preview(list::ListSplit) -> list::ListSplitPreview = list::split_preview;
    /// Splits a list into parts.
    write list_split(list::ListSplit) -> list::ListSplitAnswer = list::split;
    /// Counts the contacts of a set operation on lists.
    read list_combine_preview(list::ListCombinePreview) -> roost_ops::list::SetCount = list::combine_preview;
    /// Creates a list from a set operation on lists.
    write list_combine(list::ListCombine) -> list::ListFilled = list::combine;
    /// Moves a list with its contacts to the trash.
    write list_delete(list::ListDelete) -> list::ListDeleted = list::delete;
    /// Moves several lists with their contacts to the trash, in one act.
    write list_delete_many(list::ListDeleteMany) -> list::ListDeleted = list::delete_many;
}
