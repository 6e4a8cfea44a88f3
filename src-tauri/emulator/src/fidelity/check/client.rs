//! Sends the calls of a check: never faster than the limit, no changing call without permission, and each call
//! recorded before it is sent.

use std::{collections::BTreeMap, io, time::Duration};

use futures_util::future::join_all;
use roost_model::time::Timestamp;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, sleep_until};

use super::{
    CheckOptions,
    report::{CallEvidence, CheckRow, Observation},
    response::{CheckResponse, mask_numbers},
};
use crate::{
    client::{ClientError, InterfaceClient},
    fidelity::all_behaviours,
};

/// Receives each call before it is sent, and then its response.
pub type CallRecorder<'a> = &'a mut (dyn FnMut(&Value) -> io::Result<()> + Send);

/// How often a call that was refused with 429 is sent again.
const TOO_FAST: u32 = 5;
/// The pause after a burst, so that the calls that follow are within the limit.
const BURST_PAUSE: Duration = Duration::from_secs(2);
/// The name of every record that a check creates. A record at the service that starts with it was left by a check.
pub(super) const RECORD_NAME: &str = "Roost fidelity check, safe to delete";

/// Why a check ended early.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    #[error(transparent)]
    Call(#[from] ClientError),
    #[error("a request could not be recorded, so it was not sent: {0}")]
    Record(#[from] io::Error),
    #[error("{0} {1} may change a record, which is not permitted")]
    NotPermitted(&'static str, String),
    #[error("the service rejects the key with status {0}; no other request was sent")]
    Refused(u16),
    #[error(
        "{0} answers GET /contacts/v1/lists/ with status 404, so the service is not at this address; give its base address"
    )]
    WrongAddress(String),
    #[error("the service still answers 429 after {TOO_FAST} pauses; run the check when nothing else uses the key")]
    TooFast,
}

/// A record that the check created and has to remove.
pub(super) enum CreatedRecord {
    List(String),
    Link(String),
    /// Opt-outs of these numbers.
    OptOuts(Vec<String>),
}

pub(super) struct CheckClient<'a> {
    caller: &'a InterfaceClient,
    options: CheckOptions,
    began: Timestamp,
    record: CallRecorder<'a>,
    next: Instant,
    calls: u64,
    rows: BTreeMap<&'static str, CheckRow>,
    created: Vec<CreatedRecord>,
}

/// Whether a call changes nothing at any service that follows the interface.
fn is_read_only(method: &str, target: &str) -> bool {
    matches!(method, "GET" | "HEAD" | "OPTIONS") || (method == "POST" && target == "/assets/v1/shortlink/filter")
}

impl<'a> CheckClient<'a> {
    pub(super) fn new(
        caller: &'a InterfaceClient,
        options: CheckOptions,
        began: Timestamp,
        record: CallRecorder<'a>,
    ) -> Self {
        let (next, rows, created) = (Instant::now(), BTreeMap::new(), Vec::new());
        Self { caller, options, began, record, next, calls: 0, rows, created }
    }

    pub(super) fn began(&self) -> Timestamp {
        self.began
    }

    pub(super) fn options(&self) -> CheckOptions {
        self.options
    }

    pub(super) fn calls(&self) -> u64 {
        self.calls
    }

    pub(super) fn caller(&self) -> &'a InterfaceClient {
        self.caller
    }

    pub(super) async fn get(&mut self, target: &str) -> Result<CheckResponse, CheckError> {
        self.send_call("GET", target, None).await
    }

    pub(super) async fn send_call(
        &mut self,
        method: &'static str,
        target: &str,
        body: Option<Value>,
    ) -> Result<CheckResponse, CheckError> {
        self.send_call_as(self.caller, true, method, target, body.map(|body| body.to_string())).await
    }

    /// `body` is sent unchanged, so that it can be something other than JSON.
    pub(super) async fn send_call_as(
        &mut self,
        caller: &InterfaceClient,
        has_key: bool,
        method: &'static str,
        target: &str,
        body: Option<String>,
    ) -> Result<CheckResponse, CheckError> {
        if !self.options.writes && !is_read_only(method, target) {
            return Err(CheckError::NotPermitted(method, target.to_owned()));
        }
        for _ in 0..TOO_FAST {
            sleep_until(self.next).await;
            self.next = Instant::now() + self.options.between;
            let answer = self.send_call_once(caller, has_key, method, target, body.as_deref()).await?;
            if answer.status != 429 {
                return Ok(answer);
            }
            let wait = answer.retry_after.as_deref().and_then(|text| text.parse().ok()).unwrap_or(1_u64);
            sleep(Duration::from_secs(wait.clamp(1, 60))).await;
        }
        Err(CheckError::TooFast)
    }

    async fn send_call_once(
        &mut self,
        caller: &InterfaceClient,
        has_key: bool,
        method: &'static str,
        target: &str,
        body: Option<&str>,
    ) -> Result<CheckResponse, CheckError> {
        let evidence = CallEvidence {
            request: mask_numbers(&format!("{method} {target}")),
            body: body.map(mask_numbers),
            status: None,
            answer: String::new(),
        };
        self.calls += 1;
        (self.record)(&json!({ "call": self.calls, "request": evidence.request, "body": evidence.body }))?;
        let answer = CheckResponse::new(caller.send_call(method, target, has_key, body).await?, evidence);
        (self.record)(&json!({ "call": self.calls, "status": answer.status, "answer": answer.evidence.answer }))?;
        Ok(answer)
    }

    /// Sends the same call `count` times at once, without retries.
    pub(super) async fn send_calls_at_once(
        &mut self,
        target: &str,
        count: usize,
    ) -> Result<Vec<CheckResponse>, CheckError> {
        let evidence =
            CallEvidence { request: format!("GET {target}"), body: None, status: None, answer: String::new() };
        self.calls += count as u64;
        (self.record)(&json!({ "calls": count, "request": evidence.request }))?;
        let caller = self.caller;
        let sent = join_all((0..count).map(|_| caller.send_call("GET", target, true, None))).await;
        self.next = Instant::now() + BURST_PAUSE;
        sent.into_iter().map(|answered| Ok(CheckResponse::new(answered?, evidence.clone()))).collect()
    }

    /// Remembers a record to remove at the end.
    pub(super) fn remember_created(&mut self, record: CreatedRecord) {
        self.created.push(record);
    }

    /// Removes the created records, newest first, because an older record can contain newer ones. Returns those that
    /// remain.
    pub(super) async fn remove_created(&mut self) -> Vec<String> {
        let mut left = Vec::new();
        for record in std::mem::take(&mut self.created).into_iter().rev() {
            let (what, target, body) = match record {
                CreatedRecord::List(uid) => (format!("the list {uid}"), format!("/contacts/v1/lists/{uid}"), None),
                CreatedRecord::Link(id) => (format!("the short link {id}"), format!("/assets/v1/shortlink/{id}"), None),
                CreatedRecord::OptOuts(numbers) => (
                    format!("opt-outs of {}", numbers.join(", ")),
                    "/contacts/v1/optouts".to_owned(),
                    Some(json!({ "numbers": numbers })),
                ),
            };
            match self.send_call("DELETE", &target, body).await {
                // A record that was removed earlier counts as removed.
                Ok(answer)
                    if answer.is_success()
                        || answer.status == 404
                        || answer.text_field("message").contains("not found") => {}
                _ => left.push(what),
            }
        }
        left
    }

    /// Decides a row: the service does the same as Roost if `holds`, otherwise it contradicts the row.
    pub(super) fn decide_row(&mut self, name: &'static str, holds: bool, answers: &[&CheckResponse]) {
        let instead = answers.last().map(|answer| answer.describe()).unwrap_or_default();
        self.decide_row_with_note(name, holds, &instead, answers);
    }

    /// `instead` says what the service does, for a row that it contradicts.
    pub(super) fn decide_row_with_note(
        &mut self,
        name: &'static str,
        holds: bool,
        instead: &str,
        answers: &[&CheckResponse],
    ) {
        let row = self.row_mut(name);
        // A later question about the same row cannot revoke a contradiction.
        if row.result != Observation::Contradicted {
            row.result = if holds { Observation::Observed } else { Observation::Contradicted };
            row.note = (!holds).then(|| instead.to_owned());
        }
        for answer in answers.iter().filter(|answer| !row.evidence.contains(&answer.evidence)).collect::<Vec<_>>() {
            row.evidence.push(answer.evidence.clone());
        }
    }

    /// Records the value of a setting with which Roost does the same as the service.
    pub(super) fn learn_setting(&mut self, name: &'static str, setting: &str, value: &str) {
        self.row_mut(name).settings.insert(setting.to_owned(), value.to_owned());
    }

    pub(super) fn leave_undecided(&mut self, name: &'static str, why: &str) {
        let row = self.row_mut(name);
        if row.result == Observation::Undecided {
            row.note = Some(why.to_owned());
        }
    }

    fn row_mut(&mut self, name: &'static str) -> &mut CheckRow {
        let known = all_behaviours().find(|known| known.name == name);
        debug_assert!(known.is_some(), "the register has no row {name}");
        self.rows.entry(name).or_insert_with(|| CheckRow {
            name: name.to_owned(),
            decision: known.map(|known| format!("D{}", known.decision)).unwrap_or_default(),
            result: Observation::Undecided,
            note: None,
            settings: BTreeMap::new(),
            evidence: Vec::new(),
        })
    }

    /// Returns every row of the register; rows that no question decided are undecided.
    pub(super) fn into_rows(mut self) -> Vec<CheckRow> {
        for behaviour in all_behaviours() {
            let is_hidden =
                behaviour.subjects.iter().all(|subject| matches!(*subject, "operator" | "callback" | "short_link"));
            let why = match (is_hidden, self.options.writes) {
                (true, _) => "The interface does not show it.",
                (false, true) => "No request can decide it.",
                (false, false) => "Reading alone cannot decide it. Run the check with --allow-writes.",
            };
            self.leave_undecided(behaviour.name, why);
        }
        all_behaviours()
            .filter_map(|behaviour| self.rows.remove(behaviour.name))
            .map(|row| {
                let note = row.note.filter(|_| row.result != Observation::Observed);
                CheckRow { note, ..row }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_searching_is_a_post_that_reads() {
        assert!(is_read_only("GET", "/x") && is_read_only("POST", "/assets/v1/shortlink/filter"));
        assert!(!is_read_only("POST", "/assets/v1/shortlink") && !is_read_only("DELETE", "/contacts/v1/optouts"));
        assert!(!is_read_only("PATCH", "/contacts/v1/lists/"));
    }
}
