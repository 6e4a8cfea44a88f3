//! Opt-outs.

use crate::commands::opt_out;

commands! {
    /// One page of the opt-outs, each with who brought it in, why, and in how many lists its number stands.
    opt_out_page(opt_out::OptOutPage) -> opt_out::OptOutPageAnswer = opt_out::page;
    /// What some numbers are opted out of.
    opt_out_states(opt_out::OptOutStatesGet) -> opt_out::OptOutStatesAnswer = opt_out::states;
    /// Looks up pasted numbers, a slice at a time.
    opt_out_check(opt_out::OptOutCheck) -> opt_out::OptOutCheckAnswer = opt_out::check;
    /// One page of what a look-up found.
    opt_out_check_page(opt_out::OptOutCheckPage) -> opt_out::OptOutCheckPageAnswer = opt_out::check_page;
    /// Opts numbers out, with a reason.
    opt_out_add(opt_out::OptOutAdd) -> roost_ops::opt_out::OptOutAdded = opt_out::add;
    /// Exactly which records a removal would take.
    opt_out_removal_preview(opt_out::OptOutRemovalPreviewGet) -> roost_ops::opt_out::OptOutRemovalPreview = opt_out::removal_preview;
    /// Removes the records that the preview showed, into the trash.
    opt_out_remove(opt_out::OptOutRemove) -> opt_out::OptOutRemoved = opt_out::remove;
    /// Reads pasted text as opt-outs, and what it would add.
    opt_out_import_preview(opt_out::OptOutImportPreview) -> opt_out::OptOutImportPreviewAnswer = opt_out::import_preview;
    /// Reads the rows of files as opt-outs, and what they would add.
    opt_out_import_file(opt_out::OptOutImportFile) -> opt_out::OptOutImportPreviewAnswer = opt_out::import_file;
    /// One page of the rows of an import.
    opt_out_import_rows(opt_out::OptOutImportRows) -> opt_out::OptOutImportRowsAnswer = opt_out::import_rows;
    /// Adds what the preview said would be added, and nothing else.
    opt_out_import(opt_out::OptOutImport) -> opt_out::OptOutImported = opt_out::import;
    /// Everything that is known of a number's opt-outs.
    opt_out_timeline(opt_out::OptOutTimelineGet) -> roost_ops::opt_out::OptOutTimeline = opt_out::timeline;
    /// The ledger as a file, each line chained to the one before by its hash.
    opt_out_evidence(opt_out::OptOutEvidenceGet) -> roost_ops::opt_out::OptOutEvidence = opt_out::evidence;
}
