//! `roost replay`: sends recorded requests again in order, and reports where the responses differ.

mod compare;
mod ids;
mod read;
mod shown;

use std::{
    collections::BTreeSet,
    env,
    path::PathBuf,
    time::{Duration, Instant},
};

use clap::{Args, builder::BoolishValueParser};
use roost_emulator::client::{Answered, Caller};
use tokio::time::sleep;

use self::{
    compare::{Compared, Ignored, Rules, compare},
    ids::Ids,
    read::{Recorded, Text, method},
    shown::{Entry, Outcome, Report},
};
use super::target::{ask, read as read_file, span, trusting};
use crate::{
    failure::Failure,
    said::{say, say_json},
};

/// The exit status if a response differs.
const DIFFERENT: u8 = 1;
/// The key is read only from a variable, because every process can read a command line.
const KEY: &str = "ROOST_API_KEY";
/// The key for a server that accepts any.
const ANY_KEY: &str = "roost-replay";
/// The pause between two attempts of a query that may still return the recorded response.
const PAUSE: Duration = Duration::from_millis(100);
/// How often a server may respond 429, and the longest wait after each time.
const TOO_FAST: (u32, Duration) = (20, Duration::from_secs(10));

#[derive(Args)]
#[command(
    after_help = "The key is read from ROOST_API_KEY, which roost exec sets; without it, any text is sent. Ids, \
     times, trace ids and short links that a server creates may differ: a recorded id stands for the new one as \
     soon as both have appeared in a response. A callback_url is sent as it was recorded. Exit status: 0: all \
     responses are as recorded, 1: some differ, 2: an error, not everything was compared."
)]
pub struct Replay {
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
    ignore: Vec<Ignored>,
    /// Nothing may differ, not even ids and times. For a server with the same seed, --random-seed and --clock.
    #[arg(long, env = "ROOST_REPLAY_EXACT", value_parser = BoolishValueParser::new())]
    exact: bool,
    /// How long to repeat a query whose response differs, because jobs finish at any time.
    #[arg(long, env = "ROOST_REPLAY_PATIENCE", value_name = "TIME", default_value = "2s", value_parser = span)]
    patience: Duration,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl Replay {
    pub fn run(self) -> Result<u8, Failure> {
        let place = |why: &dyn std::fmt::Display| Failure::new(format!("{}: {why}", self.file.display()));
        let text = read_file(&self.file).map_err(|why| place(&why))?;
        let all = self.of_one_host(read::read(&text).map_err(|why| place(&why))?)?;
        if all.iter().all(|one| one.left_out().is_some()) {
            return Err(place(&"it contains no request that can be sent again"));
        }
        let caller = self.caller()?;
        let report = ask(self.sent(&caller, &all))?;
        if self.json { say_json(&report.json()) } else { say(&report.text()) }?;
        Ok(if report.is_same() { 0 } else { DIFFERENT })
    }

    fn caller(&self) -> Result<Caller, Failure> {
        let key = env::var(KEY).ok().filter(|key| !key.is_empty());
        let caller = Caller::new(&self.against, key.as_deref().unwrap_or(ANY_KEY)).map_err(Failure::new)?;
        if !caller.is_here() && !self.elsewhere {
            let told = "is another machine, and the recorded requests create and delete records there. Add --elsewhere if \
                 you want that.";
            return Err(Failure::new(format!("{} {told}", caller.url())));
        }
        match self.ca.as_deref().filter(|_| caller.is_secure()) {
            Some(path) => trusting(path, |authorities| caller.trusting(authorities)),
            None => Ok(caller),
        }
    }

    /// Refuses requests to several hosts, because they were not meant for one server.
    fn of_one_host(&self, mut all: Vec<Recorded>) -> Result<Vec<Recorded>, Failure> {
        if let Some(host) = &self.host {
            all.retain(|one| one.host.as_ref().is_none_or(|of| of == host));
            return Ok(all);
        }
        let sent = all.iter().filter(|one| one.left_out().is_none());
        let hosts: BTreeSet<&str> = sent.filter_map(|one| one.host.as_deref()).collect();
        if hosts.len() < 2 {
            return Ok(all);
        }
        let hosts = hosts.into_iter().collect::<Vec<_>>().join(", ");
        Err(Failure::new(format!("the archive has requests to several hosts. Choose one with --host: {hosts}")))
    }

    async fn sent<'a>(&self, caller: &Caller, all: &'a [Recorded]) -> Result<Report<'a>, Failure> {
        let rules = Rules { ignored: self.ignore.clone(), is_exact: self.exact };
        let (mut ids, mut report) = (Ids::default(), Report::default());
        for one in all {
            let outcome = match (one.left_out(), method(&one.method), &one.body) {
                (None, Some(method), Text::Whole(body)) => {
                    let mut again = Again { one, method, body, caller, rules: &rules, ids: &mut ids };
                    let sent = again.sent(self.patience).await;
                    sent.map_err(|why| Failure::new(format!("number {}: {why}", one.at)))?
                }
                (why, ..) => Outcome::LeftOut(why.unwrap_or_default()),
            };
            report.entries.push(Entry { at: one.at, method: &one.method, url: &one.target, outcome });
        }
        Ok(report)
    }
}

/// One request to send again.
struct Again<'a> {
    one: &'a Recorded,
    method: &'static str,
    body: &'a str,
    caller: &'a Caller,
    rules: &'a Rules,
    ids: &'a mut Ids,
}

impl Again<'_> {
    async fn sent(&mut self, patience: Duration) -> Result<Outcome, roost_emulator::client::NotTold> {
        let begun = Instant::now();
        let changes_nothing = matches!(self.method, "GET" | "HEAD" | "OPTIONS");
        loop {
            let answered = self.ask().await?;
            let Some(status) = self.one.status else { return Ok(Outcome::Unknown) };
            let is_status = status == answered.status;
            // Bodies of responses with different statuses are not comparable.
            let compared = match &self.one.answer {
                Text::Whole(recorded) if is_status => compare(recorded, &answered.body, self.ids, self.rules),
                Text::Whole(_) | Text::Cut => Compared::default(),
            };
            if (!is_status || compared.count > 0) && changes_nothing && begun.elapsed() < patience {
                sleep(PAUSE).await;
                continue;
            }
            for (then, now) in &compared.learnt {
                self.ids.learn(then, now);
            }
            let is_whole = self.one.answer != Text::Cut;
            return Ok(Outcome::Sent { recorded: status, now: answered.status, compared, is_whole });
        }
    }

    /// Sends the request, again after each 429.
    async fn ask(&self) -> Result<Answered, roost_emulator::client::NotTold> {
        let (target, body) = (self.ids.carry(&self.one.target), self.ids.carry(self.body));
        let body = (!body.is_empty()).then_some(body.as_ref());
        let mut refused = 0;
        loop {
            let answered = self.caller.call(self.method, &target, self.one.has_key, body).await?;
            if answered.status != 429 || refused == TOO_FAST.0 {
                return Ok(answered);
            }
            refused += 1;
            let told = answered.retry_after.as_deref().and_then(|seconds| seconds.parse().ok());
            sleep(Duration::from_secs(told.unwrap_or(1)).min(TOO_FAST.1)).await;
        }
    }
}
