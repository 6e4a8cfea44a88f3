//! Imports that were under way when the program ended: found again, or known as done.

use std::{fs, path::PathBuf, sync::Arc};

use super::super::{
    super::history::{self, Imported},
    Session,
    kept::Kept,
    read::{self, spool_of},
    told::ImportAccepted,
};
use crate::{core::Core, error::Result};

/// What an import came to that is in the account already.
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
    /// An import that was left when the program ended.
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
                // What had not arrived cannot be waited for any more.
                if !file.is_whole() {
                    file.size = file.received;
                    file.broken = Some(read::cut_off());
                }
            }
        }
        session
    }

    /// An import that was accepted before the program ended; what was put aside of it goes.
    pub(super) fn done(id: u64, folder: PathBuf, kept: Kept, accepted: ImportAccepted) -> Self {
        let session = Self::new(id, folder, kept);
        session.hold().accepted = Some(accepted);
        // What cannot be removed now is found at the next start.
        let _ = session.remove();
        session
    }

    /// Opens what was put aside before the program ended.
    pub(in super::super) fn find_again(self: &Arc<Self>, core: &Core) -> Result<()> {
        {
            let mut standing = self.hold();
            // Once: afterwards nothing but the person makes it begin anew.
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
                    // Then it is read once more.
                    Err(_) => standing.file(file)?.read = None,
                }
            }
        }
        self.read_on(core)
    }
}
