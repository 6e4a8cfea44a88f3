//! The account a verb works on: opened, its sealed key opened, and let go of in good order.

use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::mpsc::{self, Receiver, Sender},
};

use clap::Args;
use roost_ops::{Core, Ctx, StoreError};
use roost_sync::{
    session::{Refusal, Session},
    vault::Secret,
};

use super::exit;
use crate::{failure::Failure, files::check_existing};

/// Names the file whose first line is the passphrase; the passphrase itself stands in no variable and no argument,
/// which other programs can read.
pub const PASSPHRASE_FILE: &str = "ROOST_PASSPHRASE_FILE";

#[derive(Args)]
pub struct Account {
    /// The account file.
    #[arg(long, visible_alias = "account", env = "ROOST_DB", value_name = "FILE")]
    db: PathBuf,
}

/// An account that is open, with its service.
pub struct Open {
    pub session: Session,
    /// Something moved: look again.
    pub moved: Receiver<()>,
    /// For others who have something to tell.
    pub teller: Sender<()>,
    core: Core,
}

impl Account {
    pub fn open(&self) -> Result<Open, Failure> {
        check_existing(&self.db)?;
        self.open_or_make()
    }

    /// The same; what is not there becomes an empty account.
    pub fn open_or_make(&self) -> Result<Open, Failure> {
        let core = Core::open(&self.db, Ctx::system()).map_err(|why| match &why {
            roost_ops::Error::Store(StoreError::Locked { .. } | StoreError::Busy(_)) => Failure::with(exit::HELD, why),
            _ => Failure::new(why),
        })?;
        let (teller, moved) = mpsc::channel();
        let told = teller.clone();
        let session = Session::new(core.clone(), Some(&self.db), move || {
            // Nobody waits for it any more.
            let _ = told.send(());
        });
        Ok(Open { session, moved, teller, core })
    }
}

impl Open {
    /// Removes the account file, if it was made for this command, once it is closed.
    pub fn discard_made(&self) {
        self.core.discard_made();
    }

    /// Opens a sealed key where its passphrase is at hand. Without one, whatever needs the key says so.
    pub fn unlock(&self) -> Result<(), Failure> {
        if self.session.status()?.is_key_ready {
            return Ok(());
        }
        let Some(passphrase) = passphrase()? else { return Ok(()) };
        match self.session.unlock(passphrase) {
            // No key is sealed; whatever needs one says so.
            Err(Refusal::Invalid(_) | Refusal::NotConnected) => Ok(()),
            unlocked => Ok(unlocked?),
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.session.end();
        self.core.end();
    }
}

/// What the file that `ROOST_PASSPHRASE_FILE` names holds.
pub fn passphrase() -> Result<Option<Secret>, Failure> {
    let Some(path) = env::var_os(PASSPHRASE_FILE).filter(|path| !path.is_empty()) else { return Ok(None) };
    let passphrase = first_line(Path::new(&path))
        .map_err(|why| Failure::with(exit::KEY, format!("{PASSPHRASE_FILE}: {}: {why}", Path::new(&path).display())))?;
    Ok(Some(passphrase))
}

/// The first line of a file that holds a secret.
pub fn first_line(path: &Path) -> Result<Secret, String> {
    let bytes = fs::read(path).map_err(|why| why.to_string())?;
    secret_of(bytes)
}

pub fn secret_of(bytes: Vec<u8>) -> Result<Secret, String> {
    let text = String::from_utf8(bytes).map_err(|_| "it is not text".to_owned())?;
    let whole = Secret::new(text);
    let line = Secret::new(whole.expose().lines().next().unwrap_or_default());
    if line.is_empty() { Err("it is empty".to_owned()) } else { Ok(line) }
}
