//! Files of contacts, out and in.

use crate::commands::{
    Bytes, desktop,
    files::{export, import},
};

commands! {
    /// The beginning of an export, and what its form has no place for.
    export_preview(export::Export) -> export::ExportPreview = export::preview;
    /// Saves contacts as a file where the person chooses.
    export_run(export::ExportRun) -> export::Exported = export::run;
    /// Some bytes of such a file, where only the page can save it.
    export_part(export::ExportPart) -> Bytes = export::part;
    /// Lets go of a file that was fetched.
    export_discard(export::ExportFile) -> export::ExportDone = export::discard;
    /// Lets the person choose files of contacts by a dialog.
    import_pick(import::ImportNothing) -> import::ImportPaths = import::pick;
    /// Files of contacts that were given to the program from outside; each is told once.
    import_offered(import::ImportNothing) -> import::ImportPaths = import::offered;
    /// Begins an import; its files are read at once.
    import_open(import::ImportOpen) -> roost_ops::import::session::ImportState = import::open;
    /// Adds files to an import.
    import_add(import::ImportAdd) -> roost_ops::import::session::ImportState = import::add;
    /// Hands over some bytes of a file.
    import_upload(import::ImportUpload) -> import::ImportUploaded = import::upload;
    /// How an import stands; waits a little for news when asked to.
    import_state(import::ImportStateGet) -> roost_ops::import::session::ImportState = import::state;
    /// Imports that wait, also since the program ended.
    import_waiting(import::ImportNothing) -> import::ImportWaitingAnswer = import::waiting;
    /// Ends what is under way; what was read before stays.
    import_cancel(import::ImportId) -> import::ImportDone = import::cancel;
    /// Lets go of an import and of everything that was put aside for it.
    import_discard(import::ImportId) -> import::ImportDone = import::discard;
    /// Reads the files that wait to be read.
    import_read(import::ImportId) -> roost_ops::import::session::ImportState = import::read;
    /// Reads a file in another way.
    import_source(import::ImportSourcePut) -> roost_ops::import::session::ImportState = import::source;
    /// Chooses the sheets of a workbook, or the files of an archive, that are imported.
    import_parts(import::ImportPartsPut) -> roost_ops::import::session::ImportState = import::parts;
    /// Takes a file out of an import.
    import_remove_file(import::ImportFileKey) -> roost_ops::import::session::ImportState = import::remove_file;
    /// Rows of a file as they were read, with those above the names of its columns.
    import_sample(import::ImportSampleGet) -> import::ImportSample = import::sample;
    /// The encodings to choose from.
    import_encodings(import::ImportNothing) -> import::ImportEncodings = import::all_encodings;
    /// Chooses the list that the rows go into.
    import_target(import::ImportTargetPut) -> roost_ops::import::session::ImportState = import::target;
    /// The columns of an import, and what they mean at present.
    import_columns(import::ImportId) -> roost_ops::import::session::ImportTable = import::columns;
    /// Gives the columns a meaning, and shows what the first rows become.
    import_map(import::ImportMap) -> roost_ops::import::session::ImportMapped = import::map;
    /// Mappings under a name.
    import_profile_list(import::ImportProfileList) -> import::ImportProfiles = import::profile_list;
    /// Keeps the mapping of an import under a name.
    import_profile_save(import::ImportProfileKey) -> import::ImportDone = import::profile_save;
    /// Gives the columns of an import the meaning that was kept under a name.
    import_profile_use(import::ImportProfileKey) -> roost_ops::import::session::ImportTable = import::profile_use;
    /// Forgets a mapping.
    import_profile_remove(import::ImportProfileName) -> import::ImportDone = import::profile_remove;
    /// Takes in a mapping that somebody shared as a file.
    import_profile_read(import::ImportProfileRead) -> import::ImportProfileNamed = import::profile_read;
    /// A mapping as a file to share.
    import_profile_write(import::ImportProfileName) -> import::ImportProfileText = import::profile_write;
    /// Begins to find out what would come of every row.
    import_rehearse(import::ImportId) -> roost_ops::import::session::ImportState = import::rehearse;
    /// What would come of the rows, in numbers.
    import_rehearsal(import::ImportId) -> roost_ops::import::session::ImportRehearsal = import::rehearsal;
    /// Some rows and what would come of them.
    import_rows(import::ImportRowsGet) -> roost_ops::import::session::ImportRows = import::rows;
    /// The next row that needs a look.
    import_problem(import::ImportProblemGet) -> roost_ops::import::session::ImportProblem = import::problem;
    /// Mends cells of a row before it is imported, and rehearses anew.
    import_mend(import::ImportMend) -> roost_ops::import::session::ImportState = import::mend;
    /// Begins to write what the rehearsal said, in one step.
    import_accept(import::ImportAccept) -> roost_ops::import::session::ImportState = import::accept;
    /// Imports that were accepted.
    import_history(import::ImportHistory) -> import::ImportHistoryAnswer = import::history;
    /// One of them.
    import_past(import::ImportPastId) -> import::ImportPast = import::past;
    /// What taking an import back would do.
    import_revert_preview(import::ImportPastId) -> import::ImportReverted = import::revert_preview;
    /// Takes an import back, also days later; what was edited since stays.
    import_revert(import::ImportPastId) -> import::ImportReverted = import::revert;
    /// Rows of an import that were left out.
    import_rejects(import::ImportRejectsGet) -> import::ImportRejects = import::rejects;
    /// Mends cells of such rows.
    import_rejects_mend(import::ImportRejectsMend) -> import::ImportRejectsMended = import::rejects_mend;
    /// Imports those that were mended.
    import_rejects_accept(import::ImportRejectsAccept) -> import::ImportRejectsAccepted = import::rejects_accept;
    /// Lets go of rows that were left out.
    import_rejects_discard(import::ImportRejectsDiscard) -> import::ImportRejectsDiscarded = import::rejects_discard;
    /// Saves the rows that were left out, each with its reason, where the person chooses.
    import_rejects_save(import::ImportRejectsSave) -> desktop::FileSaved = import::rejects_save;
    /// The same file, where only the page can save it.
    import_rejects_file(import::ImportPastId) -> Bytes = import::rejects_file;
}
