//! Copies the open account once a day, if it has changed.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use roost_ops::{Core, account::backup, core::AccountListener};

/// How often the date is looked at. An account that is open for a shorter time is not copied.
const INTERVAL: Duration = Duration::from_secs(600);

/// Keeps a thread that copies an account, for as long as the account is open.
pub(super) struct DailyCopies(Arc<CopyTurn>);

struct CopyTurn {
    /// Held while a copy is made.
    state: Mutex<CopyState>,
    is_ending: Condvar,
    file: PathBuf,
    interval: Duration,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CopyState {
    Allowed,
    /// The account is being closed or replaced.
    Suspended,
    Ended,
}

impl DailyCopies {
    pub(super) fn attach(core: &Core, file: &Path) -> Arc<Self> {
        Self::attach_with(core, file, INTERVAL)
    }

    fn attach_with(core: &Core, file: &Path, interval: Duration) -> Arc<Self> {
        let turn = Arc::new(CopyTurn {
            state: Mutex::new(CopyState::Allowed),
            is_ending: Condvar::new(),
            file: file.to_owned(),
            interval,
        });
        let works = Arc::clone(&turn);
        if let Err(why) = thread::Builder::new().name("daily copies".to_owned()).spawn(move || works.run()) {
            tracing::warn!(%why, "no daily copies are made: the thread cannot be started");
        }
        let copies = Arc::new(Self(turn));
        core.add_listener(&copies);
        copies
    }
}

impl CopyTurn {
    fn lock_state(&self) -> MutexGuard<'_, CopyState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut state = self.lock_state();
        loop {
            let goes_on = |state: &mut CopyState| *state != CopyState::Ended;
            let waited = self.is_ending.wait_timeout_while(state, self.interval, goes_on);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            match *state {
                CopyState::Ended => return,
                CopyState::Suspended => {}
                CopyState::Allowed => match backup::back_up_daily(&self.file) {
                    Ok(Some(copy)) => tracing::info!(copy = %copy.display(), "made the copy of this day"),
                    Ok(None) => {}
                    Err(why) => tracing::warn!(%why, "the copy of this day could not be made"),
                },
            }
        }
    }
}

impl AccountListener for DailyCopies {
    fn end_work(&self) {
        *self.0.lock_state() = CopyState::Suspended;
    }

    fn reopen(&self) {
        *self.0.lock_state() = CopyState::Allowed;
    }
}

impl Drop for DailyCopies {
    fn drop(&mut self) {
        *self.0.lock_state() = CopyState::Ended;
        self.0.is_ending.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use roost_ops::{
        Actor, Ctx,
        account::{self, backup::CopyReason},
    };

    use super::*;

    fn copies(file: &Path) -> Vec<PathBuf> {
        let copies = backup::list_copies(file).into_iter();
        copies.filter(|copy| copy.reason == CopyReason::Daily && copy.is_sound).map(|copy| copy.path).collect()
    }

    /// Gives a copy the date of an earlier day.
    fn age_copy(file: &Path) {
        let copy = copies(file).remove(0);
        let name = format!("{}.daily-20260105-090000.backup", file.file_name().unwrap().to_string_lossy());
        fs::rename(&copy, copy.with_file_name(name)).unwrap();
    }

    #[test]
    fn an_open_account_is_copied_once_a_day_if_it_changed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("shop.roost");
        let core = Core::open(&file, Ctx::system()).unwrap();
        assert!(backup::back_up_daily(&file).unwrap().is_some());
        account::rename(&core, &Actor::user(None), "Shop").unwrap();
        assert_eq!(backup::back_up_daily(&file).unwrap(), None, "there is one of today");
        age_copy(&file);
        assert!(backup::back_up_daily(&file).unwrap().is_some(), "it changed since");
        fs::remove_file(folder.path().join("shop.roost.daily-20260105-090000.backup")).unwrap();
        age_copy(&file);
        assert_eq!(backup::back_up_daily(&file).unwrap(), None, "nothing changed since");
        assert_eq!(copies(&file).len(), 1);
    }

    #[test]
    fn the_thread_copies_while_the_account_is_open_and_ends_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("shop.roost");
        let core = Core::open(&file, Ctx::system()).unwrap();
        let daily = DailyCopies::attach_with(&core, &file, Duration::from_millis(1));
        while copies(&file).is_empty() {
            thread::sleep(Duration::from_millis(5));
        }
        core.end_background_work();
        age_copy(&file);
        account::rename(&core, &Actor::user(None), "Shop").unwrap();
        thread::sleep(Duration::from_millis(20));
        assert_eq!(copies(&file).len(), 1, "the account is about to be closed");
        let turn = Arc::downgrade(&daily.0);
        drop(daily);
        while turn.strong_count() > 0 {
            thread::sleep(Duration::from_millis(1));
        }
    }
}
