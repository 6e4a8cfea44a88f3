//! Opens the account of a command with its sealed key, and closes it properly.

use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::mpsc::{self, Receiver, Sender},
};

use clap::Args;
use roost_ops::{Core, Ctx};
use roost_sync::vault::Secret;
use roost_sync_session::{Session, SessionError, SyncFailureKind};

use super::exit;
use crate::{
    failure::{CliFailure, read_failure},
    files::check_existing,
};

/// The variable that names the file whose first line is the passphrase. The passphrase itself must not be in a
/// variable or an argument, which other programs can read.
pub(crate) const PASSPHRASE_FILE: &str = "ROOST_PASSPHRASE_FILE";

#[derive(Args)]
pub(super) struct AccountArgs {
    /// The account file.
    #[arg(long, visible_alias = "account", env = "ROOST_DB", value_name = "FILE")]
    db: PathBuf,
}

/// An open account with its session.
pub(super) struct OpenAccount {
    pub session: Session,
    /// Receives a message whenever something changed.
    pub changed: Receiver<()>,
    /// Lets other threads report a change.
    pub change_sender: Sender<()>,
    core: Core,
}

impl AccountArgs {
    pub(super) fn path(&self) -> &Path {
        &self.db
    }

    pub(super) fn open(&self) -> Result<OpenAccount, CliFailure> {
        check_existing(&self.db)?;
        self.open_or_create()
    }

    /// Opens the account, and creates an empty one if the file does not exist.
    pub(super) fn open_or_create(&self) -> Result<OpenAccount, CliFailure> {
        let core = Core::open(&self.db, Ctx::system()).map_err(CliFailure::new)?;
        let (change_sender, changed) = mpsc::channel();
        let listener_sender = change_sender.clone();
        let session = Session::new(core.clone(), Some(&self.db), move || {
            // The receiver may no longer exist.
            let _ = listener_sender.send(());
        });
        Ok(OpenAccount { session, changed, change_sender, core })
    }
}

impl OpenAccount {
    /// Marks the account file for removal when it is closed, if it was created for this command.
    pub(super) fn discard_created(&self) {
        self.core.discard_made();
    }

    /// Unlocks a sealed key if its passphrase is available. Without one, whatever needs the key reports it.
    pub(super) fn unlock(&self) -> Result<(), CliFailure> {
        if self.session.status()?.is_key_ready {
            return Ok(());
        }
        let Some(passphrase) = read_passphrase()? else { return Ok(()) };
        match self.session.unlock_key(passphrase) {
            // No key is sealed; whatever needs a key reports it.
            Err(SessionError::Invalid(_) | SessionError::NotConnected) => Ok(()),
            unlocked => Ok(unlocked?),
        }
    }
}

impl Drop for OpenAccount {
    fn drop(&mut self) {
        self.session.end();
        self.core.end_background_work();
    }
}

/// Returns the file that `ROOST_PASSPHRASE_FILE` names.
pub(super) fn find_passphrase_file() -> Option<PathBuf> {
    env::var_os(PASSPHRASE_FILE).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Reads the passphrase from the file that `ROOST_PASSPHRASE_FILE` names.
pub(super) fn read_passphrase() -> Result<Option<Secret>, CliFailure> {
    let Some(path) = find_passphrase_file() else { return Ok(None) };
    let passphrase = read_first_line(&path)
        .map_err(|why| exit::failure_of_kind(SyncFailureKind::Sealed, format!("{PASSPHRASE_FILE}: {why}")))?;
    Ok(Some(passphrase))
}

/// Reads the first line of a file that holds a secret.
pub(super) fn read_first_line(path: &Path) -> Result<Secret, String> {
    let bytes = fs::read(path).map_err(|why| read_failure(path, &why).line().to_owned())?;
    to_secret(bytes, &path.to_string_lossy())
}

/// Returns the first line of what `source` holds.
pub(super) fn to_secret(bytes: Vec<u8>, source: &str) -> Result<Secret, String> {
    let text = String::from_utf8(bytes).map_err(|_| format!("{source} is not text in UTF-8."))?;
    let secret = Secret::new(text);
    let line = Secret::new(secret.expose().lines().next().unwrap_or_default());
    if line.is_empty() { Err(format!("{source} is empty.")) } else { Ok(line) }
}
