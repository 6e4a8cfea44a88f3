//! Resumes imports that were open when the program ended, and recognizes those that were completed.

use std::{fs, path::PathBuf, sync::Arc};

use super::super::{
    super::history::{self, Imported},
    Session,
    kept::Kept,
    read::{self, spool_of},
    told::ImportAccepted,
};
use crate::{core::Core, error::Result};

/// Returns the result of an import that is already in the account.
pub fn done(core: &Core, kept: &Kept) -> Result<Option<ImportAccepted>> {
    let Some(mark) = &kept.mark else { return Ok(None) };
    let Some(past) = history::marked(core, mark)? else { return Ok(None) };
    let Imported { import, step, list_uid, list_name, told, rejects, .. } = past;
    Ok(Some(ImportAccepted {
        past: import,
        step,
        list: list_uid.to_string(),
        list_name,
        counts: told.counts,
        rejects,
        opt_outs: told.opt_outs,
        ledger: told.ledger,
        elapsed_ms: 0,
        rows_per_second: 0,
    }))
}

impl Session {
    /// Resumes an import that was open when the program ended.
    pub(super) fn found(id: u64, folder: PathBuf, kept: Kept) -> Self {
        let session = Self::new(id, folder, kept);
        {
            let mut standing = session.hold();
            let number = |name: &str| name.strip_suffix(".spool").and_then(|name| name.parse::<u32>().ok());
            let names = fs::read_dir(&session.folder).into_iter().flatten().flatten();
            let last = names.filter_map(|entry| number(entry.file_name().to_str()?)).max();
            standing.last_spool = last.unwrap_or_default();
            standing.is_left = true;
            for file in &mut standing.kept.files {
                // The missing bytes of an upload cannot arrive any more.
                if !file.is_whole() {
                    file.size = file.received;
                    file.broken = Some(read::cut_off());
                }
            }
        }
        session
    }

    /// Creates the session of an import that was accepted before the program ended, and removes its files.
    pub(super) fn done(id: u64, folder: PathBuf, kept: Kept, accepted: ImportAccepted) -> Self {
        let session = Self::new(id, folder, kept);
        session.hold().accepted = Some(accepted);
        // A folder that cannot be removed now is removed at the next start.
        let _ = session.remove();
        session
    }

    /// Loads the spools of a resumed import before its first use.
    pub(in super::super) fn find_again(self: &Arc<Self>, core: &Core) -> Result<()> {
        {
            let mut standing = self.hold();
            // This happens only once: afterwards only the person can start the reading again.
            if !std::mem::take(&mut standing.is_left) {
                return Ok(());
            }
            let files: Vec<_> =
                standing.kept.files.iter().filter_map(|file| Some((file.file, file.read.clone()?))).collect();
            for (file, read) in files {
                if standing.read_of(file).is_some() {
                    continue;
                }
                match spool_of(&self.folder, &read) {
                    Ok(spool) => standing.spools.push((file, Arc::new(spool))),
                    // A file whose spool cannot be opened is read again.
                    Err(_) => standing.file(file)?.read = None,
                }
            }
        }
        self.read_on(core)
    }
}
