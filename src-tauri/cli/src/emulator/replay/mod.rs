//! `roost replay`: sends recorded requests again in order, and reports where the responses differ.

mod compare;
mod ids;
mod report;

use std::{
    collections::BTreeSet,
    env,
    path::PathBuf,
    time::{Duration, Instant},
};

use clap::{Args, builder::BoolishValueParser};
use roost_emulator::{
    RecordedExchange, RecordedText,
    client::{InterfaceClient, InterfaceResponse},
    known_method, read_recording,
};
use tokio::time::sleep;

use self::{
    compare::{BodyComparison, CompareRules, IgnoredPlace, compare_bodies},
    ids::ReplayIds,
    report::{ReplayEntry, ReplayOutcome, ReplayReport},
};
use super::target::{parse_duration, read_input as read_file, run_async, trust_authority};
use crate::{
    failure::{CliFailure, read_failure},
    terminal::{print_json, print_text},
};

/// The exit status if a response differs.
const DIFFERENT: u8 = 1;
/// The key is read only from a variable, because every process can read a command line.
const KEY_VARIABLE: &str = "ROOST_API_KEY";
/// The key for a server that accepts any.
const ANY_KEY: &str = "roost-replay";
/// The pause between two attempts of a query that may still return the recorded response.
const PAUSE: Duration = Duration::from_millis(100);
/// How often a server may respond 429, and the longest wait after each time.
const RETRY_LIMITS: (u32, Duration) = (20, Duration::from_secs(10));

#[derive(Args)]
#[command(
    after_help = "The key is read from ROOST_API_KEY, which roost exec sets; without it, any text is sent. Ids, \
     times, trace ids and short links that a server creates may differ: a recorded id stands for the new one as \
     soon as both have appeared in a response. A callback_url is sent as it was recorded. Exit status: 0: all \
     responses are as recorded, 1: some differ, 2: an error, not everything was compared."
)]
pub(crate) struct ReplayCommand {
    /// An HTTP archive (HAR), or journal lines from roost tail --json or the clients' journal.save. Use - for standard
    /// input.
    file: PathBuf,
    /// Base address of the server, for example http://127.0.0.1:4010 or http://127.0.0.1:4010/w/NAME.
    #[arg(long, env = "ROOST_REPLAY_AGAINST", value_name = "URL")]
    against: String,
    /// Trust only this certificate authority (PEM). Default: the system's.
    #[arg(long, env = "ROOST_CA", value_name = "FILE")]
    ca: Option<PathBuf>,
    /// Allow another machine, over https. The recorded requests create and delete records there.
    #[arg(long, env = "ROOST_REPLAY_ELSEWHERE", value_parser = BoolishValueParser::new())]
    elsewhere: bool,
    /// Of an archive, only requests to this host, for example 127.0.0.1:4010.
    #[arg(long, env = "ROOST_REPLAY_HOST", value_name = "HOST")]
    host: Option<String>,
    /// What else may differ, separated by commas: names such as updated_at, pointers such as /items/*/name.
    #[arg(long, env = "ROOST_REPLAY_IGNORE", value_name = "WHAT", value_delimiter = ',')]
    ignore: Vec<IgnoredPlace>,
    /// Nothing may differ, not even ids and times. For a server with the same seed, --random-seed and --clock.
    #[arg(long, env = "ROOST_REPLAY_EXACT", value_parser = BoolishValueParser::new())]
    exact: bool,
    /// How long to repeat a query whose response differs, because jobs finish at any time.
    #[arg(long, env = "ROOST_REPLAY_PATIENCE", value_name = "TIME", default_value = "2s", value_parser = parse_duration)]
    patience: Duration,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl ReplayCommand {
    pub(crate) fn run(self) -> Result<u8, CliFailure> {
        let place = |why: &dyn std::fmt::Display| CliFailure::new(format!("{}: {why}", self.file.display()));
        let text = read_file(&self.file).map_err(|why| read_failure(&self.file, &why))?;
        let all = self.select_host(read_recording(&text).map_err(|why| place(&why))?)?;
        if all.iter().all(|one| one.skip_reason().is_some()) {
            return Err(place(&"it contains no request that can be sent again"));
        }
        let caller = self.build_caller()?;
        let report = run_async(self.replay_all(&caller, &all))?;
        if self.json { print_json(&report.to_json()) } else { print_text(&report.to_text()) }?;
        Ok(if report.is_same() { 0 } else { DIFFERENT })
    }

    fn build_caller(&self) -> Result<InterfaceClient, CliFailure> {
        let key = env::var(KEY_VARIABLE).ok().filter(|key| !key.is_empty());
        let caller = InterfaceClient::new(&self.against, key.as_deref().unwrap_or(ANY_KEY)).map_err(CliFailure::new)?;
        if !caller.is_this_machine() && !self.elsewhere {
            let warning = "is another machine, and the recorded requests create and delete records there. Add --elsewhere if \
                 you want that.";
            return Err(CliFailure::new(format!("{} {warning}", caller.url())));
        }
        match self.ca.as_deref().filter(|_| caller.is_secure()) {
            Some(path) => trust_authority(path, |authorities| caller.with_authorities(authorities)),
            None => Ok(caller),
        }
    }

    /// Refuses requests to several hosts, because they were not meant for one server.
    fn select_host(&self, mut all: Vec<RecordedExchange>) -> Result<Vec<RecordedExchange>, CliFailure> {
        if let Some(host) = &self.host {
            all.retain(|one| one.host.as_ref().is_none_or(|recorded_host| recorded_host == host));
            return Ok(all);
        }
        let sent = all.iter().filter(|one| one.skip_reason().is_none());
        let hosts: BTreeSet<&str> = sent.filter_map(|one| one.host.as_deref()).collect();
        if hosts.len() < 2 {
            return Ok(all);
        }
        let hosts = hosts.into_iter().collect::<Vec<_>>().join(", ");
        Err(CliFailure::new(format!("the archive has requests to several hosts. Choose one with --host: {hosts}")))
    }

    async fn replay_all<'a>(
        &self,
        caller: &InterfaceClient,
        all: &'a [RecordedExchange],
    ) -> Result<ReplayReport<'a>, CliFailure> {
        let rules = CompareRules { ignored: self.ignore.clone(), is_exact: self.exact };
        let (mut ids, mut report) = (ReplayIds::default(), ReplayReport::default());
        for one in all {
            let outcome = match (one.skip_reason(), known_method(&one.method), &one.body) {
                (None, Some(method), RecordedText::Whole(body)) => {
                    let mut again = RequestReplay { one, method, body, caller, rules: &rules, ids: &mut ids };
                    let sent = again.send_until_same(self.patience).await;
                    sent.map_err(|why| CliFailure::new(format!("number {}: {why}", one.at)))?
                }
                (why, ..) => ReplayOutcome::LeftOut(why.unwrap_or_default()),
            };
            report.entries.push(ReplayEntry { at: one.at, method: &one.method, url: &one.target, outcome });
        }
        Ok(report)
    }
}

/// One request to send again.
struct RequestReplay<'a> {
    one: &'a RecordedExchange,
    method: &'static str,
    body: &'a str,
    caller: &'a InterfaceClient,
    rules: &'a CompareRules,
    ids: &'a mut ReplayIds,
}

impl RequestReplay<'_> {
    async fn send_until_same(
        &mut self,
        patience: Duration,
    ) -> Result<ReplayOutcome, roost_emulator::client::ClientError> {
        let begun = Instant::now();
        let changes_nothing = matches!(self.method, "GET" | "HEAD" | "OPTIONS");
        loop {
            let answered = self.send_once().await?;
            let Some(status) = self.one.status else { return Ok(ReplayOutcome::Unknown) };
            let is_status = status == answered.status;
            // Bodies of responses with different statuses are not comparable.
            let compared = match &self.one.answer {
                RecordedText::Whole(recorded) if is_status => {
                    compare_bodies(recorded, &answered.body, self.ids, self.rules)
                }
                RecordedText::Whole(_) | RecordedText::Cut => BodyComparison::default(),
            };
            if (!is_status || compared.count > 0) && changes_nothing && begun.elapsed() < patience {
                sleep(PAUSE).await;
                continue;
            }
            for (then, now) in &compared.learnt {
                self.ids.learn_pair(then, now);
            }
            let is_whole = self.one.answer != RecordedText::Cut;
            return Ok(ReplayOutcome::Sent { recorded: status, now: answered.status, compared, is_whole });
        }
    }

    /// Sends the request, again after each 429.
    async fn send_once(&self) -> Result<InterfaceResponse, roost_emulator::client::ClientError> {
        let (target, body) = (self.ids.replace_ids(&self.one.target), self.ids.replace_ids(self.body));
        let body = (!body.is_empty()).then_some(body.as_ref());
        let mut refused = 0;
        loop {
            let answered = self.caller.send_call(self.method, &target, self.one.has_key, body).await?;
            if answered.status != 429 || refused == RETRY_LIMITS.0 {
                return Ok(answered);
            }
            refused += 1;
            let seconds = answered.retry_after.as_deref().and_then(|seconds| seconds.parse().ok());
            sleep(Duration::from_secs(seconds.unwrap_or(1)).min(RETRY_LIMITS.1)).await;
        }
    }
}
