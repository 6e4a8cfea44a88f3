//! `roost wait`: waits until a server answers, for scripts and for the health check of a container.

use std::time::Duration;

use clap::Args;
use roost_emulator::client::ClientError;
use tokio::time::{sleep, timeout};

use super::target::{ServerPlace, parse_duration, run_async, to_failure};
use crate::failure::CliFailure;

/// The exit status if no server answered in time; a health check permits only 0 and 1.
const NOT_READY: u8 = 1;
/// The shortest and the longest pause between two attempts.
const PAUSE_BOUNDS: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(100));

#[derive(Args)]
pub(crate) struct WaitCommand {
    #[command(flatten)]
    place: ServerPlace,
    /// How long to wait, for example 500ms, 5s or 2m.
    #[arg(long, env = "ROOST_WAIT_TIMEOUT", value_name = "TIME", default_value = "5s", value_parser = parse_duration)]
    timeout: Duration,
}

impl WaitCommand {
    pub(crate) fn run(self) -> Result<u8, CliFailure> {
        run_async(async {
            let mut last = "nothing answered".to_owned();
            match timeout(self.timeout, self.wait_until_ready(&mut last)).await {
                Ok(done) => done.map(|()| 0),
                Err(_) => {
                    Err(CliFailure::with_status(NOT_READY, format!("not ready within {:?}: {last}", self.timeout)))
                }
            }
        })
    }

    /// `last` receives the reason why the server is not ready yet.
    async fn wait_until_ready(&self, last: &mut String) -> Result<(), CliFailure> {
        let mut pause = PAUSE_BOUNDS.0;
        loop {
            match self.place.admin_client() {
                Ok(admin) => match admin.check_ready().await {
                    Ok(()) => return Ok(()),
                    Err(why) if !why.is_worth_retrying() => return to_failure(Err(why)),
                    Err(why @ ClientError::Unreachable { .. }) => *last = why.to_string(),
                    Err(why) => *last = format!("{}: {why}", admin.url()),
                },
                // A ready file may still appear, but an address does not change.
                Err(why) if self.place.may_change() => *last = why.line().to_owned(),
                Err(why) => return Err(why),
            }
            sleep(pause).await;
            pause = (pause * 2).min(PAUSE_BOUNDS.1);
        }
    }
}
