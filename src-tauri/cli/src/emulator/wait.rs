//! `roost wait`: waits until a server answers, for scripts and for the health check of a container.

use std::time::Duration;

use clap::Args;
use roost_emulator::client::NotTold;
use tokio::time::{sleep, timeout};

use super::target::{Place, ask, span, told};
use crate::failure::Failure;

/// The exit status if no server answered in time; a health check permits only 0 and 1.
const NOT_READY: u8 = 1;
/// The shortest and the longest pause between two attempts.
const PAUSES: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(100));

#[derive(Args)]
pub struct Wait {
    #[command(flatten)]
    place: Place,
    /// How long to wait, for example 500ms, 5s or 2m.
    #[arg(long, env = "ROOST_WAIT_TIMEOUT", value_name = "TIME", default_value = "5s", value_parser = span)]
    timeout: Duration,
}

impl Wait {
    pub fn run(self) -> Result<u8, Failure> {
        ask(async {
            let mut last = "nothing answered".to_owned();
            match timeout(self.timeout, self.ready(&mut last)).await {
                Ok(done) => done.map(|()| 0),
                Err(_) => Err(Failure::with(NOT_READY, format!("not ready within {:?}: {last}", self.timeout))),
            }
        })
    }

    /// `last` receives the reason why the server is not ready yet.
    async fn ready(&self, last: &mut String) -> Result<(), Failure> {
        let mut pause = PAUSES.0;
        loop {
            match self.place.admin() {
                Ok(admin) => match admin.ready().await {
                    Ok(()) => return Ok(()),
                    Err(why) if !why.may_pass() => return told(Err(why)),
                    Err(why @ NotTold::Unreachable { .. }) => *last = why.to_string(),
                    Err(why) => *last = format!("{}: {why}", admin.url()),
                },
                // A ready file may still appear, but an address does not change.
                Err(why) if self.place.may_change() => *last = why.line().to_owned(),
                Err(why) => return Err(why),
            }
            sleep(pause).await;
            pause = (pause * 2).min(PAUSES.1);
        }
    }
}
