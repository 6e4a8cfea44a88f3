//! The commands on duplicates and on texts that should be written differently.

use crate::{
    commands::{
        Done,
        contact::{clean, duplicate},
    },
    reading::PageResponse,
};

commands! {
    /// Starts a background search for duplicate contacts, in a list or in the whole account.
    read duplicate_open(duplicate::DuplicateOpen) -> roost_grid::duplicates::DuplicateStatus = duplicate::open;
    /// Returns the state of a search, after waiting a little for its end if asked to.
    read duplicate_state(duplicate::DuplicateStateGet) -> roost_grid::duplicates::DuplicateStatus = duplicate::state;
    /// Searches again. Skipped groups stay skipped.
    read duplicate_refresh(duplicate::DuplicateSearch) -> Done = duplicate::refresh;
    /// Cancels a search. Earlier results stay.
    read duplicate_cancel(duplicate::DuplicateSearch) -> Done = duplicate::cancel;
    /// Closes a search.
    read duplicate_close(duplicate::DuplicateSearch) -> Done = duplicate::close;
    /// Returns one page of the groups, the one with the highest confidence first.
    read duplicate_page(duplicate::DuplicatePage) -> PageResponse<roost_grid::duplicates::DuplicateGroupHead> = duplicate::page;
    /// Returns the contacts of a group side by side, with the suggested merge.
    read duplicate_group(duplicate::DuplicateGroupGet) -> roost_grid::duplicates::DuplicateGroupWhole = duplicate::group;
    /// Merges a group with the given choices, in one step.
    write duplicate_merge(duplicate::DuplicateMerge) -> roost_grid::duplicates::MergedGroup = duplicate::merge;
    /// Merges all groups of at least the given confidence by one rule, in one step, or reports the effect of that.
    write duplicate_merge_all(duplicate::DuplicateMergeAll) -> roost_grid::duplicates::MergedAll = duplicate::merge_all;
    /// Skips groups for as long as the search is open.
    read duplicate_skip(duplicate::DuplicateSkip) -> Done = duplicate::skip;
    /// Starts a background scan of a list for texts that should be written differently.
    read clean_open(clean::CleanOpen) -> roost_grid::clean::CleanStatus = clean::open;
    /// Returns the state of a clean-up, after waiting a little for its end if asked to.
    read clean_state(clean::CleanStateGet) -> roost_grid::clean::CleanStatus = clean::state;
    /// Scans again. Skipped suggestions stay skipped.
    read clean_refresh(clean::CleanUp) -> Done = clean::refresh;
    /// Cancels a scan. Earlier results stay.
    read clean_cancel(clean::CleanUp) -> Done = clean::cancel;
    /// Closes a clean-up.
    read clean_close(clean::CleanUp) -> Done = clean::close;
    /// Returns one page of the suggestions, the one with the most contacts first.
    read clean_page(clean::CleanPage) -> PageResponse<roost_grid::clean::CleanSuggestion> = clean::page;
    /// Returns one page of the contacts of a suggestion, with their texts before and after.
    read clean_rows(clean::CleanRowsGet) -> clean::CleanRowsAnswer = clean::rows;
    /// Fixes all or some contacts of a suggestion in one step, or reports the effect of that.
    write clean_apply(clean::CleanApply) -> roost_grid::clean::CleanSummary = clean::apply;
    /// Skips a suggestion for as long as the clean-up is open.
    read clean_skip(clean::CleanSkip) -> Done = clean::skip;
}
