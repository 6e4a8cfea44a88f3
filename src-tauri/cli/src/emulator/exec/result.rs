//! The result of a run: how many requests there were, which were unmatched, and which work is not done.

use std::{
    fmt::Write as _,
    io::{self, Write as _},
    time::{Duration, Instant},
};

use roost_emulator::{
    EmulatorHandle, UnfinishedWorldsSummary, UnmatchedEntry, UnmatchedSummary, WorkKind, client::ClientError,
    closest_routes,
};
use serde_json::json;

use super::junit::JunitCase;
use crate::terminal::{count_with_noun, plain_text};

/// The most unmatched requests that are listed.
const LISTED_MAX: usize = 5;

/// The requirements besides the command's own status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ExecRequirements {
    pub no_unmatched: bool,
    pub settled: bool,
}

pub(super) struct ExecResult {
    requests: u64,
    /// The unmatched requests of all worlds; none if nothing was recorded.
    unmatched: Option<UnmatchedSummary>,
    /// The worlds with unfinished work, described; none unless this was required.
    unsettled: Option<Result<Vec<String>, String>>,
    required: ExecRequirements,
    /// How long the command ran, and how long the search for unfinished work took.
    took: [Duration; 2],
}

impl ExecResult {
    pub(super) async fn collect_result(
        handle: &EmulatorHandle,
        is_recorded: bool,
        required: ExecRequirements,
        ran: Duration,
    ) -> Self {
        let (control, begun) = (handle.control(), Instant::now());
        let unsettled = match required.settled {
            true => Some(find_unsettled(handle).await.map(|mut lines| {
                lines.extend(describe_removed(&control.unfinished_worlds()));
                lines
            })),
            false => None,
        };
        let took = [ran, begun.elapsed()];
        let unmatched = is_recorded.then(|| control.unmatched_summary());
        Self { requests: control.total_request_count(), unmatched, unsettled, required, took }
    }

    /// Whether every requirement is known to hold.
    pub(super) fn is_met(&self) -> bool {
        self.to_cases(0).iter().all(|case| case.failure.is_none())
    }

    pub(super) fn print_summary(&self, status: u8) {
        // The exit status does not depend on whether standard error can be written.
        let _ = io::stderr().write_all(plain_text(&self.describe(status)).as_bytes());
    }

    /// Returns the requirements, and whether each holds.
    pub(super) fn to_cases(&self, status: u8) -> Vec<JunitCase> {
        let failure = (status != 0).then(|| format!("the command ended with {status}"));
        let mut cases = vec![JunitCase { name: "the command succeeds".to_owned(), failure, took: self.took[0] }];
        if self.required.no_unmatched {
            let lines = self.unmatched_lines();
            let failure = (!lines.is_empty()).then(|| lines.join("\n"));
            let name = "every request matches a route".to_owned();
            cases.push(JunitCase { name, failure, took: Duration::ZERO });
        }
        if let Some(unsettled) = &self.unsettled {
            let failure = match unsettled {
                Ok(worlds) if worlds.is_empty() => None,
                Ok(worlds) => Some(worlds.join("\n")),
                Err(why) => Some(why.clone()),
            };
            let name = "every job and callback is done".to_owned();
            cases.push(JunitCase { name, failure, took: self.took[1] });
        }
        cases
    }

    fn describe(&self, status: u8) -> String {
        let noun = if self.requests == 1 { "request" } else { "requests" };
        let mut out = format!("roost: {} {noun}", self.requests);
        // Writing to a String never fails.
        if let Some(unmatched) = self.unmatched.as_ref().filter(|unmatched| unmatched.count > 0) {
            let _ = write!(out, "; {} unmatched (including admin requests)", unmatched.count);
        }
        let _ = writeln!(out, "; the command ended with {status}");
        for line in self.unmatched_lines() {
            let _ = writeln!(out, "roost: {line}");
        }
        match &self.unsettled {
            Some(Ok(worlds)) => worlds.iter().for_each(|line| {
                let _ = writeln!(out, "roost: {line}");
            }),
            Some(Err(why)) => {
                let _ = writeln!(out, "roost: it is unknown whether all jobs and callbacks are done: {why}");
            }
            None => {}
        }
        out
    }

    fn unmatched_lines(&self) -> Vec<String> {
        let first = self.unmatched.iter().flat_map(|unmatched| &unmatched.first).take(LISTED_MAX);
        let lines = first.map(|UnmatchedEntry { method, url, has_no_world }| {
            let text = |text: &str| text.replace(char::is_control, "\u{fffd}");
            if *has_no_world {
                return format!("unmatched: {} {}. Its world does not exist, or no longer", text(method), text(url));
            }
            let closest = closest_routes(method, url).into_iter().map(|(method, path)| format!("{method} {path}"));
            let closest = closest.collect::<Vec<_>>().join(" or ");
            let suggestion = match closest.is_empty() {
                true => "No path is similar. roost openapi prints all paths, and roost openapi --admin those of the \
                         admin interface"
                    .to_owned(),
                false => format!("Did you mean {closest}?"),
            };
            format!("unmatched: {} {}. {suggestion}", text(method), text(url))
        });
        lines.collect()
    }
}

/// Describes the unfinished work of every existing world.
async fn find_unsettled(handle: &EmulatorHandle) -> Result<Vec<String>, String> {
    let unsettled = async {
        let server = handle.admin()?;
        let worlds = server.call("GET", "/worlds?page_size=1000", None).await?;
        let mut open = Vec::new();
        for name in worlds["items"].as_array().into_iter().flatten().filter_map(|world| world["id"].as_str()) {
            let world = handle.admin()?.for_world(name);
            let now = json!({ "settled": true, "timeout": "0ms" });
            let (_, settlement) = world.call_with_status("POST", "/settle", Some(&now)).await?;
            let unfinished: Vec<_> = settlement["undone"].as_array().into_iter().flatten().collect();
            if settlement["settled"] != true || !unfinished.is_empty() {
                let count = |name: &str| settlement[name].as_u64().unwrap_or_default();
                let jobs = count("jobs_waiting") + count("jobs_held");
                let callbacks = count("waiting") + count("held");
                open.push(format!("the world {name} has {}", describe_counts(jobs, callbacks)));
            }
            for one in unfinished {
                let text = |name: &str| one[name].as_str().unwrap_or_default();
                open.push(format!("  {} {} of {name}: {}", text("what"), one["id"], text("reason")));
            }
        }
        Ok::<_, ClientError>(open)
    };
    unsettled.await.map_err(|why| why.to_string())
}

/// Describes the work that removed worlds left unfinished.
fn describe_removed(removed: &UnfinishedWorldsSummary) -> Vec<String> {
    let mut lines = Vec::new();
    for world in &removed.first {
        let (name, counts) = (&world.name, describe_counts(world.jobs, world.callbacks));
        lines.push(format!("the world {name} was removed with {counts}"));
        for one in &world.undone {
            let what = match one.what {
                WorkKind::Job => "job",
                WorkKind::Callback => "callback",
            };
            lines.push(format!("  {what} {} of {name}: {}", one.id, one.why));
        }
    }
    let more = removed.count - removed.first.len() as u64;
    if more > 0 {
        lines.push(format!("{} removed with unfinished work", count_with_noun(more, "more world")));
    }
    lines
}

fn describe_counts(jobs: u64, callbacks: u64) -> String {
    format!("{} and {}", count_with_noun(jobs, "unfinished job"), count_with_noun(callbacks, "unfinished callback"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_result_does_not_meet_a_requirement() {
        let required = ExecRequirements { no_unmatched: true, settled: true };
        let verdict = |unmatched_count: u64, unsettled| ExecResult {
            requests: 1,
            unmatched: Some(UnmatchedSummary {
                count: unmatched_count,
                first: vec![
                    UnmatchedEntry { method: "GET".to_owned(), url: "/x".to_owned(), has_no_world: false };
                    unmatched_count as usize
                ],
            }),
            unsettled: Some(unsettled),
            required,
            took: [Duration::ZERO; 2],
        };
        assert!(verdict(0, Ok(Vec::new())).is_met());
        assert!(!verdict(1, Ok(Vec::new())).is_met());
        assert!(!verdict(0, Ok(vec!["the world a".to_owned()])).is_met());
        assert!(!verdict(0, Err("gone".to_owned())).is_met());
        assert!(
            verdict(2, Err("gone".to_owned()))
                .describe(7)
                .contains("1 request; 2 unmatched (including admin requests); the command ended with 7")
        );
    }
}
