//! Warns of parts of a change that have no effect at present. They are accepted, because a later change may give them
//! an effect.

use std::sync::{Arc, Mutex, PoisonError};

use super::super::route::AdminRequest;
use crate::http::response::{HttpResponse, add_warning};

/// The warnings of one request, which become a header of its response.
#[derive(Clone, Default)]
pub(crate) struct ChangeWarnings(Arc<Mutex<Vec<String>>>);

impl ChangeWarnings {
    pub(crate) fn add_to(&self, response: &mut HttpResponse) {
        let warnings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !warnings.is_empty() {
            add_warning(response, &warnings.join(" "));
        }
    }
}

impl AdminRequest {
    /// Says that this part of the request has no effect, and why.
    pub(crate) fn warn_of_idle(&self, name: &str, why: &str) {
        let words = format!("{name}: has no effect {why}.");
        self.warnings.0.lock().unwrap_or_else(PoisonError::into_inner).push(words);
    }
}

/// Says why the world's own limit has no effect while a fault profile sets the limit.
pub(crate) fn profile_reason(profile: &str) -> String {
    format!("while the fault profile {profile} sets the limit")
}
