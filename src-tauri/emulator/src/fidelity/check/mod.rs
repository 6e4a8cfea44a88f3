//! Asks a service, with a key for that service, the questions behind the register. Each behaviour that the documents
//! leave open is observed, contradicted, or cannot be decided from outside.

mod client;
mod reads;
mod report;
mod response;
mod writes;

use std::time::Duration;

use roost_model::time::Timestamp;

use self::{client::CheckClient, report::FORMAT};
pub use self::{
    client::{CallRecorder, CheckError},
    report::{CallEvidence, CheckReport, CheckRow, FidelityScore, Observation, ReportError, score_register},
};
use crate::client::InterfaceClient;

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
pub const CALL_INTERVAL: Duration = Duration::from_millis(100);

/// Asks every permitted question. Removes the created records even if a question fails; the report names those that
/// could not be removed.
pub async fn run_check(
    caller: &InterfaceClient,
    stranger: &InterfaceClient,
    options: CheckOptions,
    now: Timestamp,
    record: CallRecorder<'_>,
) -> Result<CheckReport, CheckError> {
    let mut asker = CheckClient::new(caller, options, now, record);
    let outcome = asker.ask_everything(stranger).await;
    let left_behind = asker.remove_created().await;
    outcome?;
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

impl CheckClient<'_> {
    async fn ask_everything(&mut self, stranger: &InterfaceClient) -> Result<(), CheckError> {
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
