//! Asks a service, with a key for that service, the questions behind the register. Each behaviour that the documents
//! leave open is observed, contradicted, or cannot be decided from outside.

mod answer;
mod asker;
mod reads;
mod report;
mod writes;

use std::time::Duration;

use roost_model::time::Timestamp;

use self::{asker::Asker, report::FORMAT};
pub use self::{
    asker::{Recorder, Stopped},
    report::{CheckReport, Evidence, Observation, ReportError, Row, Score, score},
};
use crate::client::Caller;

/// What a check may do at the service, and how fast.
#[derive(Debug, Clone, Copy)]
pub struct CheckOptions {
    /// Whether the check may create records, which it removes again.
    pub writes: bool,
    /// Whether the check may once exceed the limit with calls of one reading operation.
    pub burst: bool,
    /// The least time between two calls.
    pub between: Duration,
}

/// The interval at the rate that the interface permits for one operation.
pub const BETWEEN: Duration = Duration::from_millis(100);

/// Asks every permitted question. Removes the created records even if a question fails; the report names those that
/// could not be removed.
pub async fn check(
    caller: &Caller,
    stranger: &Caller,
    options: CheckOptions,
    now: Timestamp,
    record: Recorder<'_>,
) -> Result<CheckReport, Stopped> {
    let mut asker = Asker::new(caller, options, now, record);
    let asked = asker.ask_everything(stranger).await;
    let left_behind = asker.remove_what_was_made().await;
    asked?;
    Ok(CheckReport {
        format: FORMAT.to_owned(),
        version: report::VERSION,
        against: caller.url().to_owned(),
        checked_at: now.to_iso(),
        writes: options.writes,
        burst: options.burst,
        calls: asker.calls(),
        rows: asker.into_rows(),
        left_behind,
    })
}

impl Asker<'_> {
    async fn ask_everything(&mut self, stranger: &Caller) -> Result<(), Stopped> {
        self.ask_about_admission(stranger).await?;
        self.ask_about_transport().await?;
        self.ask_about_paging().await?;
        self.ask_about_senders().await?;
        self.ask_about_lists().await?;
        self.ask_about_opt_outs().await?;
        self.ask_about_links().await?;
        if self.options().writes {
            self.try_lists_and_contacts().await?;
            self.try_opt_outs().await?;
            self.try_links().await?;
        } else {
            self.ask_about_contacts_of_some_list().await?;
        }
        if self.options().burst {
            self.ask_about_limits().await?;
        }
        Ok(())
    }
}
