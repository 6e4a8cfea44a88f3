//! The commands on exports and imports of contact files.

use crate::{
    commands::{
        Bytes, Done, Nothing, desktop,
        files::{export, import},
    },
    reading::PageResponse,
};

commands! {
    /// Returns the beginning of an export, and the columns that its format cannot hold.
    read export_preview(export::ExportChoice) -> roost_exports::ExportSample = export::preview;
    /// Saves contacts as a file where the user chooses.
    read export_run(export::ExportRun) -> export::ExportResult = export::run;
    /// Returns a part of an exported file that the page must save itself.
    read export_part(export::ExportPart) -> Bytes = export::part;
    /// Deletes an exported file that was fetched.
    read export_discard(export::ExportFile) -> Done = export::discard;
    /// Opens a dialog in which the user chooses contact files.
    read import_pick(Nothing) -> import::ImportPaths = import::pick;
    /// Returns the contact files that were passed to the program from outside. Each is returned once.
    read import_offered(Nothing) -> import::ImportPaths = import::offered;
    /// Opens an import and starts to read its files.
    read import_open(import::ImportOpen) -> roost_imports::session::ImportState = import::open;
    /// Adds files to an import.
    read import_add(import::ImportAdd) -> roost_imports::session::ImportState = import::add;
    /// Uploads a part of a file.
    read import_upload(import::ImportUpload) -> import::ImportUploaded = import::upload;
    /// Returns the state of an import, after waiting a little for news if asked to.
    read import_state(import::ImportStateGet) -> roost_imports::session::ImportState = import::state;
    /// Returns the open imports, including those from before the program last ended.
    read import_waiting(Nothing) -> import::ImportWaitingAnswer = import::waiting;
    /// Cancels the running work. Files that were read before stay.
    read import_cancel(import::ImportId) -> Done = import::cancel;
    /// Deletes an open import and everything that was stored for it.
    read import_discard(import::ImportId) -> Done = import::discard;
    /// Reads the files that were not read yet.
    read import_read(import::ImportId) -> roost_imports::session::ImportState = import::read;
    /// Reads a file with other settings.
    read import_source(import::ImportSourcePut) -> roost_imports::session::ImportState = import::source;
    /// Chooses the sheets of a workbook or the files of an archive to import.
    read import_parts(import::ImportPartsPut) -> roost_imports::session::ImportState = import::parts;
    /// Removes a file from an import.
    read import_remove_file(import::ImportFileKey) -> roost_imports::session::ImportState = import::remove_file;
    /// Returns rows of a file as they were read, including those above the header row.
    read import_sample(import::ImportSampleGet) -> import::ImportSample = import::sample;
    /// Returns the encodings to choose from.
    read import_encodings(Nothing) -> import::ImportEncodings = import::all_encodings;
    /// Chooses the list that receives the rows.
    read import_target(import::ImportTargetPut) -> roost_imports::session::ImportState = import::target;
    /// Returns the columns of an import with their current mapping.
    read import_columns(import::ImportId) -> roost_imports::session::ImportTable = import::columns;
    /// Maps the columns and shows the resulting first rows.
    read import_map(import::ImportMap) -> roost_imports::session::ImportMapped = import::map;
    /// Returns the saved mappings.
    read import_profile_list(import::ImportProfileList) -> import::ImportProfiles = import::profile_list;
    /// Saves the mapping of an import under a name.
    read import_profile_save(import::ImportProfileKey) -> Done = import::profile_save;
    /// Applies a saved mapping to an import.
    read import_profile_use(import::ImportProfileKey) -> roost_imports::session::ImportTable = import::profile_use;
    /// Deletes a saved mapping.
    read import_profile_remove(import::ImportProfileName) -> Done = import::profile_remove;
    /// Saves a mapping from a file that someone shared.
    read import_profile_read(import::ImportProfileRead) -> import::ImportProfileNamed = import::profile_read;
    /// Returns a saved mapping as a file to share.
    read import_profile_write(import::ImportProfileName) -> import::ImportProfileText = import::profile_write;
    /// Starts the rehearsal, which finds the result for every row.
    read import_rehearse(import::ImportId) -> roost_imports::session::ImportState = import::rehearse;
    /// Returns the counts of the rehearsal.
    read import_rehearsal(import::ImportId) -> roost_imports::session::ImportRehearsal = import::rehearsal;
    /// Returns some rows with their verdicts.
    read import_rows(import::ImportRowsGet) -> roost_imports::session::ImportRows = import::rows;
    /// Returns the next row that needs attention.
    read import_problem(import::ImportProblemGet) -> roost_imports::session::ImportProblem = import::problem;
    /// Fixes cells of a row before it is imported, and rehearses again.
    read import_mend(import::ImportMend) -> roost_imports::session::ImportState = import::mend;
    /// Starts to write the result of the rehearsal, in one step.
    write import_accept(import::ImportAccept) -> roost_imports::session::ImportState = import::accept;
    /// Returns the accepted imports.
    read import_history(import::ImportHistory) -> PageResponse<import::ImportPast> = import::history;
    /// Returns one accepted import.
    read import_past(import::ImportPastId) -> import::ImportPast = import::past;
    /// Reports the effect of reverting an import.
    read import_revert_preview(import::ImportPastId) -> roost_imports::history::RevertSummary = import::revert_preview;
    /// Reverts an import, even days later. Later edits stay.
    write import_revert(import::ImportPastId) -> roost_imports::history::RevertSummary = import::revert;
    /// Returns the rejected rows of an import.
    read import_rejects(import::ImportRejectsGet) -> roost_imports::rejects::RejectsPage = import::rejects;
    /// Fixes cells of rejected rows.
    write import_rejects_mend(import::ImportRejectsMend) -> import::ImportRejectsMended = import::rejects_mend;
    /// Imports the rejected rows that were fixed.
    write import_rejects_accept(import::ImportRejectsAccept) -> import::ImportRejectsAccepted = import::rejects_accept;
    /// Deletes rejected rows.
    write import_rejects_discard(import::ImportRejectsDiscard) -> import::ImportRejectsDiscarded = import::rejects_discard;
    /// Saves the rejected rows with their reasons where the user chooses.
    read import_rejects_save(import::ImportRejectsSave) -> desktop::FileSaved = import::rejects_save;
    /// Returns that file for a page that must save it itself.
    read import_rejects_file(import::ImportPastId) -> Bytes = import::rejects_file;
}
