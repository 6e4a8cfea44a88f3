//! Notifies the owners of threads and caches over an account when it ends or is replaced.

use std::sync::{Arc, Mutex, PoisonError, Weak};

/// An owner of threads or caches over an account.
pub trait AccountListener: Send + Sync {
    /// Ends all threads that read the account, and waits for them.
    fn end_work(&self);
    /// Allows new work, because another account has replaced the former one.
    fn reopen(&self) {}
}

/// The listeners of an account, without keeping them alive.
#[derive(Default)]
pub(super) struct ListenerList(Mutex<Vec<Weak<dyn AccountListener>>>);

impl ListenerList {
    pub(super) fn add(&self, listener: &Arc<impl AccountListener + 'static>) {
        let listener: Arc<dyn AccountListener> = Arc::clone(listener) as _;
        let mut listeners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.retain(|listener| listener.strong_count() > 0);
        listeners.push(Arc::downgrade(&listener));
    }

    pub(super) fn end_work(&self) {
        self.current().iter().for_each(|listener| listener.end_work());
    }

    pub(super) fn reopen(&self) {
        self.current().iter().for_each(|listener| listener.reopen());
    }

    /// Returns the listeners without the lock, because what they do may take long.
    fn current(&self) -> Vec<Arc<dyn AccountListener>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().filter_map(Weak::upgrade).collect()
    }
}
