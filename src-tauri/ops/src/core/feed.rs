//! Who wants to hear of changes, and what they are told.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use roost_store::change_log::{Noun, Source};

/// Told to subscribers after every commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeNotice {
    pub seq: i64,
    /// The step it became; none where nothing was written, and where everything was replaced.
    pub step: Option<i64>,
    pub nouns: Vec<Noun>,
    pub by: Source,
    pub origin: Option<String>,
    /// What the one who acts was caused by, as [`Core::caused_by`](super::Core::caused_by) was told.
    pub cause: Option<u64>,
}

type Listener = dyn Fn(&ChangeNotice) + Send + Sync;

/// Ends the subscription when dropped.
pub struct Subscription {
    _listener: Arc<Listener>,
}

/// Those who listen, for as long as they do.
#[derive(Default)]
pub(super) struct Feed(Mutex<Vec<Weak<Listener>>>);

impl Feed {
    pub fn subscribe(&self, listener: impl Fn(&ChangeNotice) + Send + Sync + 'static) -> Subscription {
        let listener: Arc<Listener> = Arc::new(listener);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&listener));
        Subscription { _listener: listener }
    }

    /// A listener may listen to more, so nothing is held while they are told.
    pub fn tell(&self, notice: &ChangeNotice) {
        let listeners: Vec<Arc<Listener>> = {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.retain(|listener| listener.strong_count() > 0);
            kept.iter().filter_map(Weak::upgrade).collect()
        };
        for listener in listeners {
            listener(notice);
        }
    }
}
