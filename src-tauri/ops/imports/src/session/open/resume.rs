//! Resumes imports that were open when the program ended, and recognizes those that were completed.

use std::{fs, path::PathBuf, sync::Arc};

use super::super::{
    super::{
        accept::AcceptedImport,
        history::{self, ImportHistoryEntry},
    },
    ImportSession,
    read_stage::{self, open_spool},
    reports::ImportAccepted,
    stored::StoredImport,
};
use roost_ops::{core::Core, error::Result};

/// Returns the result of an import that is already in the account.
pub(super) fn find_accepted(core: &Core, kept: &StoredImport) -> Result<Option<ImportAccepted>> {
    let Some(mark) = &kept.mark else { return Ok(None) };
    let Some(past) = history::find_marked(core, mark)? else { return Ok(None) };
    let ImportHistoryEntry { import, step, list_uid, list_name, summary, rejects, .. } = past;
    Ok(Some(ImportAccepted {
        result: AcceptedImport {
            import,
            step,
            list: list_uid,
            counts: summary.counts,
            rejects,
            opt_outs: summary.opt_outs,
            lost_opt_outs: Vec::new(),
        },
        list_name,
        ledger: summary.ledger,
        elapsed_ms: 0,
        rows_per_second: 0,
    }))
}

impl ImportSession {
    /// Resumes an import that was open when the program ended.
    pub(super) fn resume(id: u64, folder: PathBuf, kept: StoredImport) -> Self {
        let session = Self::new(id, folder, kept);
        {
            let mut state = session.lock_state();
            let number = |name: &str| name.strip_suffix(".spool").and_then(|name| name.parse::<u32>().ok());
            let names = fs::read_dir(&session.folder).into_iter().flatten().flatten();
            let last = names.filter_map(|entry| number(entry.file_name().to_str()?)).max();
            state.last_spool = last.unwrap_or_default();
            state.is_left = true;
            for file in &mut state.kept.files {
                // The missing bytes of an upload cannot arrive any more.
                if !file.is_whole() {
                    file.size = file.received;
                    file.broken = Some(read_stage::upload_cut_off());
                }
            }
        }
        session
    }

    /// Creates the session of an import that was accepted before the program ended, and removes its files.
    pub(super) fn from_accepted(id: u64, folder: PathBuf, kept: StoredImport, accepted: ImportAccepted) -> Self {
        let session = Self::new(id, folder, kept);
        session.lock_state().accepted = Some(accepted);
        // A folder that cannot be removed now is removed at the next start.
        let _ = session.remove_folder();
        session
    }

    /// Loads the spools of a resumed import before its first use.
    pub(in super::super) fn ensure_loaded(self: &Arc<Self>, core: &Core) -> Result<()> {
        {
            let mut state = self.lock_state();
            // This happens only once: afterwards only the person can start the reading again.
            if !std::mem::take(&mut state.is_left) {
                return Ok(());
            }
            let files: Vec<_> =
                state.kept.files.iter().filter_map(|file| Some((file.file, file.read.clone()?))).collect();
            for (file, read) in files {
                if state.find_read(file).is_some() {
                    continue;
                }
                match open_spool(&self.folder, &read) {
                    Ok(spool) => state.spools.push((file, Arc::new(spool))),
                    // A file whose spool cannot be opened is read again.
                    Err(_) => state.find_file(file)?.read = None,
                }
            }
        }
        self.continue_reading(core)
    }
}
