//! The commands on opt-outs.

use crate::{commands::opt_out, reading::PageResponse};

commands! {
    /// Returns one page of the opt-outs, each with its origin, its reason and the number of lists that have its number.
    read opt_out_page(opt_out::OptOutPage) -> PageResponse<roost_ops::opt_out::OptOutItem> = opt_out::page;
    /// Returns the opt-outs of some numbers.
    read opt_out_states(opt_out::OptOutStatesGet) -> opt_out::OptOutStatesAnswer = opt_out::states;
    /// Returns which of these opt-outs a person still lacks on a new number.
    read opt_out_lost(opt_out::LostOptOuts) -> opt_out::LostOptOuts = opt_out::lost;
    /// Looks up pasted numbers, one slice in each call.
    read opt_out_check(opt_out::OptOutCheck) -> opt_out::OptOutCheckAnswer = opt_out::check;
    /// Returns one page of a look-up's results.
    read opt_out_check_page(opt_out::OptOutCheckPage) -> opt_out::OptOutCheckPageResponse = opt_out::check_page;
    /// Opts numbers out, with a reason.
    write opt_out_add(opt_out::OptOutAdd) -> roost_ops::opt_out::OptOutAdded = opt_out::add;
    /// Returns exactly the records that a removal would remove.
    read opt_out_removal_preview(opt_out::OptOutRemovalPreviewGet) -> roost_ops::opt_out::OptOutRemovalPreview = opt_out::removal_preview;
    /// Moves the records that the preview showed to the trash.
    write opt_out_remove(opt_out::OptOutRemove) -> opt_out::OptOutRemoved = opt_out::remove;
    /// Reads pasted text as opt-outs and reports what importing them would add.
    read opt_out_import_preview(opt_out::OptOutImportPreview) -> opt_out::OptOutImportPreviewAnswer = opt_out::import_preview;
    /// Reads the rows of files as opt-outs and reports what importing them would add.
    write opt_out_import_file(opt_out::OptOutImportFile) -> opt_out::OptOutImportPreviewAnswer = opt_out::import_file;
    /// Returns one page of the rows of an opt-out import.
    read opt_out_import_rows(opt_out::OptOutImportRows) -> PageResponse<roost_ops::opt_out::ImportRow> = opt_out::import_rows;
    /// Adds exactly the opt-outs that the preview announced.
    write opt_out_import(opt_out::OptOutImport) -> opt_out::OptOutImported = opt_out::import;
    /// Returns the full history of a number's opt-outs.
    read opt_out_timeline(opt_out::OptOutTimelineGet) -> roost_ops::opt_out::OptOutTimeline = opt_out::timeline;
    /// Returns the opt-out events as a file in which the hash of each line covers the line before it.
    read opt_out_evidence(opt_out::OptOutEvidenceGet) -> roost_exports::OptOutEvidence = opt_out::evidence;
}
