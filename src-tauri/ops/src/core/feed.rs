//! Notifies subscribers of changes.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use roost_store::change_log::{ActorKind, Noun};

/// The notice that subscribers receive after every commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeNotice {
    pub seq: i64,
    /// The step that was written, or `None` if nothing was written or the whole account was replaced.
    pub step: Option<i64>,
    pub nouns: Vec<Noun>,
    pub by: ActorKind,
    pub origin: Option<String>,
    /// The number that the actor's handle received from [`Core::caused_by`](super::Core::caused_by).
    pub cause: Option<u64>,
}

type FeedListener = dyn Fn(&ChangeNotice) + Send + Sync;

/// A subscription, which ends when this value is dropped.
pub struct Subscription {
    _listener: Arc<FeedListener>,
}

/// The current subscribers.
#[derive(Default)]
pub(super) struct ChangeFeed(Mutex<Vec<Weak<FeedListener>>>);

impl ChangeFeed {
    pub(super) fn subscribe(&self, listener: impl Fn(&ChangeNotice) + Send + Sync + 'static) -> Subscription {
        let listener: Arc<FeedListener> = Arc::new(listener);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&listener));
        Subscription { _listener: listener }
    }

    /// Notifies all subscribers. No lock is held meanwhile, because a listener may add another subscription.
    pub(super) fn notify(&self, notice: &ChangeNotice) {
        let listeners: Vec<Arc<FeedListener>> = {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.retain(|listener| listener.strong_count() > 0);
            kept.iter().filter_map(Weak::upgrade).collect()
        };
        for listener in listeners {
            listener(notice);
        }
    }
}
