//! What should not be there twice, or be written otherwise.

use crate::commands::contact::{clean, duplicate};

commands! {
    /// Looks for contacts that are the same, in a list or in the whole account, on a thread of its own.
    duplicate_open(duplicate::DuplicateOpen) -> duplicate::DuplicateState = duplicate::open;
    /// How a search stands; waits a little for its end when asked to.
    duplicate_state(duplicate::DuplicateStateGet) -> duplicate::DuplicateState = duplicate::state;
    /// Searches once more; what was skipped stays skipped.
    duplicate_refresh(duplicate::DuplicateSearch) -> duplicate::DuplicateDone = duplicate::refresh;
    /// Ends a search; what was found before stays.
    duplicate_cancel(duplicate::DuplicateSearch) -> duplicate::DuplicateDone = duplicate::cancel;
    /// Lets go of a search.
    duplicate_close(duplicate::DuplicateSearch) -> duplicate::DuplicateDone = duplicate::close;
    /// One page of the groups, the surest first.
    duplicate_page(duplicate::DuplicatePage) -> duplicate::DuplicatePageAnswer = duplicate::page;
    /// The contacts of a group side by side, and how they would be merged.
    duplicate_group(duplicate::DuplicateGroupGet) -> roost_ops::duplicates::DuplicateGroupWhole = duplicate::group;
    /// Merges a group as it was chosen, in one step.
    duplicate_merge(duplicate::DuplicateMerge) -> duplicate::DuplicateMerged = duplicate::merge;
    /// Merges all groups that are sure enough by one rule, in one step; or only says what that would do.
    duplicate_merge_all(duplicate::DuplicateMergeAll) -> roost_ops::duplicates::MergedAll = duplicate::merge_all;
    /// Puts groups aside for as long as the search is open.
    duplicate_skip(duplicate::DuplicateSkip) -> duplicate::DuplicateDone = duplicate::skip;
    /// Looks through a list for texts that should be written otherwise, on a thread of its own.
    clean_open(clean::CleanOpen) -> clean::CleanState = clean::open;
    /// How a clean-up stands; waits a little for its end when asked to.
    clean_state(clean::CleanStateGet) -> clean::CleanState = clean::state;
    /// Looks once more; what was skipped stays skipped.
    clean_refresh(clean::CleanUp) -> clean::CleanDone = clean::refresh;
    /// Ends a look; what was found before stays.
    clean_cancel(clean::CleanUp) -> clean::CleanDone = clean::cancel;
    /// Lets go of a clean-up.
    clean_close(clean::CleanUp) -> clean::CleanDone = clean::close;
    /// One page of the suggestions, the biggest effect first.
    clean_page(clean::CleanPage) -> clean::CleanPageAnswer = clean::page;
    /// One page of the contacts of a suggestion, as they stand and as they would.
    clean_rows(clean::CleanRowsGet) -> clean::CleanRowsAnswer = clean::rows;
    /// Mends all or some contacts of a suggestion in one step; or only says what that would do.
    clean_apply(clean::CleanApply) -> clean::CleanMended = clean::apply;
    /// Puts a suggestion aside for as long as the clean-up is open.
    clean_skip(clean::CleanSkip) -> clean::CleanDone = clean::skip;
}
