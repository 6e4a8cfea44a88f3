//! Asks a service the questions behind the register, with a key of its own: what the documents leave open is observed
//! there, contradicted, or cannot be decided from outside.

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

/// What may be done at the service, and how fast.
#[derive(Debug, Clone, Copy)]
pub struct CheckOptions {
    /// Records may be made, and are removed again.
    pub writes: bool,
    /// More calls a second may be made than the limit lets in, once and of one operation that reads.
    pub burst: bool,
    /// The least time from one call to the next.
    pub between: Duration,
}

/// As many calls a second as the interface permits for one operation.
pub const BETWEEN: Duration = Duration::from_millis(100);

/// Asks everything that is permitted. What was made is removed even if a question fails; what could not be removed is
/// named in the report.
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
