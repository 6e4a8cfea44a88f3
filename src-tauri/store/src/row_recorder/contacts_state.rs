//! Identifies the state of the contacts that a reader sees, so that what was derived from a contact can be kept until
//! one changes.

use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers the states of the contacts. Only the one writer changes it.
#[derive(Default)]
pub(crate) struct ContactsState {
    begun: AtomicU64,
    ended: AtomicU64,
}

/// A change that readers may or may not see yet. It ends when this is dropped.
pub(crate) struct ContactsChange<'s>(&'s ContactsState);

/// A reader whose snapshot may be of the state that was present before it began.
#[derive(Clone, Copy)]
pub(crate) struct ContactsReader<'s> {
    state: &'s ContactsState,
    before: Option<u64>,
}

impl ContactsReader<'_> {
    /// Returns the number of the state that the reader sees, if no change was under way while its snapshot was taken.
    /// Its first statement takes the snapshot.
    pub(crate) fn state(self) -> Option<u64> {
        self.before.filter(|_| self.state.now() == self.before)
    }
}

impl ContactsState {
    /// Begins a reader before its transaction.
    pub(crate) fn begin_read(&self) -> ContactsReader<'_> {
        ContactsReader { state: self, before: self.now() }
    }

    /// Begins a change before its commit.
    pub(crate) fn begin_change(&self) -> ContactsChange<'_> {
        self.begun.fetch_add(1, Ordering::SeqCst);
        ContactsChange(self)
    }

    /// Returns the number of the present state, or `None` during a change.
    fn now(&self) -> Option<u64> {
        let ended = self.ended.load(Ordering::SeqCst);
        (self.begun.load(Ordering::SeqCst) == ended).then_some(ended)
    }
}

impl Drop for ContactsChange<'_> {
    fn drop(&mut self) {
        self.0.ended.fetch_add(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_has_a_number_before_and_after_a_change_and_none_meanwhile() {
        let state = ContactsState::default();
        let reader = state.begin_read();
        assert_eq!(reader.state(), Some(0));
        let change = state.begin_change();
        assert_eq!((reader.state(), state.begin_read().state()), (None, None));
        let late = state.begin_read();
        drop(change);
        assert_eq!((reader.state(), late.state(), state.begin_read().state()), (None, None, Some(1)));
    }
}
