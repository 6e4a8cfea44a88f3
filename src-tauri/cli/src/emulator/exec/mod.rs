//! `roost exec`: runs a server for as long as a command runs.

pub(super) mod annotations;
mod authority_bundle;
mod child;
pub(super) mod junit;
mod result;

use std::{
    ffi::OsString,
    io::{self, Write},
    time::Duration,
};

use clap::{Args, ValueEnum, builder::BoolishValueParser};
use tokio::time::{Instant, sleep_until};

use self::{
    authority_bundle::AuthorityBundles,
    child::ChildCommand,
    result::{ExecRequirements, ExecResult},
};
use super::serve::{INTERRUPTED, ReceivedSignal, ServeCommand, ServedEmulator, Signals, build_runtime};
use crate::{failure::CliFailure, outputs::OutputPath, terminal::print_text};

/// How long a command may take to end after the signal to terminate.
const END_TIMEOUT: Duration = Duration::from_secs(5);
/// The exit status if the command succeeded, but a requirement does not hold.
const REQUIREMENT_FAILED: u8 = 3;
/// The key that a client shows where any key is accepted.
const ANY_KEY: &str = "roost-exec";

#[derive(Args)]
#[command(
    mut_arg("port", |port| port.default_value("0")),
    after_help = "The command gets ROOST_URL, ROOST_ADMIN_URL (ending in /__admin), ROOST_ADMIN_TOKEN and \
     ROOST_API_KEY, with --tls self also ROOST_CA, and with --unix also ROOST_SOCKET. With --tls self, it also gets \
     NODE_EXTRA_CA_CERTS; this variable, SSL_CERT_FILE, REQUESTS_CA_BUNDLE and CURL_CA_BUNDLE, if set, name copies \
     that also contain the server's authority. Its exit status is passed on: \
     128 plus the signal number if a signal ended it, 127 if it was not found. The status is 3 if the command \
     succeeded but --require-no-unmatched or --require-callbacks-settled failed."
)]
pub(crate) struct ExecCommand {
    #[command(flatten)]
    serve: ServeCommand,
    /// Fail if a request of any world was unmatched, even if the world was reset or removed since.
    #[arg(long, env = "ROOST_EXEC_REQUIRE_NO_UNMATCHED", value_parser = BoolishValueParser::new())]
    require_no_unmatched: bool,
    /// Fail if a job or callback of any world is not done when the command ends, or was not done when its world was
    /// removed. Held callbacks count.
    #[arg(long, env = "ROOST_EXEC_REQUIRE_CALLBACKS_SETTLED", value_parser = BoolishValueParser::new())]
    require_callbacks_settled: bool,
    /// Write the results to a JUnit file.
    #[arg(long, env = "ROOST_EXEC_JUNIT", value_name = "FILE")]
    junit: Option<OutputPath>,
    /// Overwrite an existing JUnit file.
    #[arg(long, env = "ROOST_EXEC_FORCE", value_parser = BoolishValueParser::new(), requires = "junit")]
    force: bool,
    /// Print failures as annotations for a build server.
    #[arg(long, env = "ROOST_EXEC_ANNOTATIONS", value_name = "FORM", value_enum)]
    annotations: Option<AnnotationForm>,
    /// The command and its arguments, after --.
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<OsString>,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum AnnotationForm {
    /// Workflow commands of GitHub Actions.
    Github,
}

impl ExecCommand {
    pub(crate) fn run(self) -> Result<u8, CliFailure> {
        let runtime = build_runtime()?;
        let done = runtime.block_on(async {
            let mut signals = Signals::listen()?;
            let serve = self.serve.with_recording();
            let (shows_console, is_recorded) = (serve.shows_console(), serve.is_recording());
            if self.require_no_unmatched && !is_recorded {
                return Err(CliFailure::new("--require-no-unmatched needs the journal. Remove --journal off."));
            }
            let Some(served) = serve.start(&mut signals).await? else { return Ok(INTERRUPTED) };
            if shows_console {
                let _ = writeln!(io::stderr(), "roost: console {}", served.handle.console_url());
            }
            let trusted = served.handle.ca().and_then(|ca| ca.path.as_deref()).map(AuthorityBundles::write);
            let mut variables = child_variables(&served);
            variables.extend(trusted.iter().flat_map(|trusted| trusted.variables.clone()));
            let mut child = match ChildCommand::start(&self.command, &variables) {
                Ok(child) => child,
                Err(why) => {
                    served.stop(&mut signals).await;
                    return Err(why);
                }
            };
            let begun = Instant::now();
            match run_until_end(&mut child, &mut signals).await? {
                Some(status) => {
                    let took = begun.elapsed();
                    child.end_remaining().await;
                    let required = ExecRequirements {
                        no_unmatched: self.require_no_unmatched,
                        settled: self.require_callbacks_settled,
                    };
                    let verdict = ExecResult::collect_result(&served.handle, is_recorded, required, took).await;
                    served.stop(&mut signals).await;
                    verdict.print_summary(status);
                    if let Some(AnnotationForm::Github) = self.annotations {
                        print_text(&annotations::github_annotations(&verdict.to_cases(status)))?;
                    }
                    if let Some(path) = &self.junit {
                        junit::write_report(path, self.force, "exec", &verdict.to_cases(status))?;
                    }
                    Ok(if status == 0 && !verdict.is_met() { REQUIREMENT_FAILED } else { status })
                }
                None => Ok(INTERRUPTED),
            }
        });
        runtime.shutdown_background();
        done
    }
}

fn child_variables(served: &ServedEmulator) -> Vec<(&'static str, String)> {
    let handle = &served.handle;
    let settings = handle.control().settings();
    let key = settings.and_then(|settings| settings.keys.into_iter().find(|key| key.enabled));
    let mut variables = vec![
        ("ROOST_URL", handle.url().to_owned()),
        ("ROOST_ADMIN_URL", handle.operator_url()),
        ("ROOST_ADMIN_TOKEN", handle.admin_token().to_owned()),
        ("ROOST_API_KEY", key.map_or_else(|| ANY_KEY.to_owned(), |key| key.value)),
    ];
    if let Some(path) = handle.ca().and_then(|ca| ca.path.as_deref()) {
        variables.push(("ROOST_CA", path.to_string_lossy().into_owned()));
    }
    variables.extend(handle.unix().map(|path| ("ROOST_SOCKET", path.to_string_lossy().into_owned())));
    variables
}

/// Waits until the command has ended, and returns its status. Returns None if it was killed after a second interrupt.
async fn run_until_end(child: &mut ChildCommand, signals: &mut Signals) -> Result<Option<u8>, CliFailure> {
    let mut interrupts = 0;
    let mut patience: Option<Instant> = None;
    loop {
        let over = async {
            match patience {
                Some(end) => sleep_until(end).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            status = child.wait() => return status.map(Some),
            signal = signals.next() => match signal {
                ReceivedSignal::Terminate | ReceivedSignal::Hangup => {
                    child.terminate();
                    patience = Some(Instant::now() + END_TIMEOUT);
                }
                ReceivedSignal::Interrupt if interrupts == 0 => {
                    interrupts = 1;
                    child.interrupt();
                }
                ReceivedSignal::Interrupt => {
                    child.kill();
                    return Ok(None);
                }
            },
            () = over => {
                child.kill();
                patience = None;
            }
        }
    }
}
