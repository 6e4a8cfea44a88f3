//! Contact lists.

use crate::commands::list;

commands! {
    /// One page of the contact lists, each with its alias, note and pin.
    list_page(list::ListPage) -> list::ListPageAnswer = list::page;
    /// One list.
    list_get(list::ListUid) -> roost_ops::list::ListCard = list::get;
    /// What a list holds in numbers.
    list_facts(list::ListUid) -> roost_ops::list::ListFacts = list::facts;
    /// How many contacts of a list can be messaged on each channel and from each number, and why the others cannot.
    list_readiness(list::ListUid) -> roost_ops::list::ListReadiness = list::readiness;
    /// The pinned lists, in the order they were pinned.
    list_pins(list::ListPins) -> Vec<roost_ops::list::ListCard> = list::pins;
    /// Makes an empty contact list.
    list_create(list::ListCreate) -> roost_model::list::List = list::create;
    /// Pins a list to the side of the window, or unpins it. Local only.
    list_pin(list::ListPin) -> roost_ops::list::ListCard = list::pin;
    /// Keeps an alias and a note beside a list. Local only.
    list_note(list::ListNote) -> roost_ops::list::ListCard = list::note;
    /// Gives a list another name, which the interface cannot.
    list_rename(list::ListName) -> roost_model::list::List = list::rename;
    /// Makes a copy of a list with all its contacts.
    list_duplicate(list::ListName) -> roost_model::list::List = list::duplicate;
    /// What the contacts of some lists would meet in the one they were put into.
    list_merge_preview(list::ListMergePreview) -> roost_ops::contact::SendPreview = list::merge_preview;
    /// Puts the contacts of some lists into one.
    list_merge(list::ListMerge) -> list::ListFilled = list::merge;
    /// The lists that splitting would make.
    list_split_preview(list::ListSplit) -> list::ListSplitPreview = list::split_preview;
    /// Cuts a list in parts.
    list_split(list::ListSplit) -> list::ListSplitAnswer = list::split;
    /// How many contacts a set of lists would hold.
    list_combine_preview(list::ListCombinePreview) -> list::ListCombineCount = list::combine_preview;
    /// Makes a new list of a set of lists.
    list_combine(list::ListCombine) -> list::ListFilled = list::combine;
    /// Deletes a list with its contacts into the trash.
    list_delete(list::ListDelete) -> list::ListDeleted = list::delete;
    /// Deletes several lists with their contacts into the trash, in one act.
    list_delete_many(list::ListDeleteMany) -> list::ListDeleted = list::delete_many;
}
