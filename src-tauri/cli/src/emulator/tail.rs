//! `roost tail`: prints the requests of a running server, a line each.

use std::io::{self, IsTerminal};

use clap::{Args, builder::BoolishValueParser};
use roost_emulator::{
    HumanDuration,
    client::{AdminClient, CallFailure, ClientError, with_query},
};
use serde_json::Value;

use super::target::{ServerTarget, run_async};
use crate::{
    failure::CliFailure,
    terminal::{plain_json, plain_value, print_raw, print_warning},
};

/// How long the server holds a poll open; then the next one follows.
const POLL_WAIT: &str = "30s";
/// The most lines of one response.
const PAGE_LIMIT: &str = "1000";

#[derive(Args)]
pub(crate) struct TailCommand {
    #[command(flatten)]
    target: ServerTarget,
    /// Only matching requests. Use pairs such as operation:contacts.create, status:4xx, method:POST, rule:NAME,
    /// body:TEXT.
    #[arg(long, env = "ROOST_TAIL_FILTER", value_name = "PAIRS", default_value = "")]
    filter: String,
    /// Start with this many of the newest lines.
    #[arg(long, env = "ROOST_TAIL_LINES", value_name = "COUNT", default_value_t = 10,
        value_parser = clap::value_parser!(u32).range(1..=1_000))]
    lines: u32,
    /// Start after this position, for example 17 or 2.17, as returned in next.
    #[arg(long, env = "ROOST_TAIL_SINCE", value_name = "PLACE")]
    since: Option<String>,
    /// Print the lines so far, and exit.
    #[arg(long, env = "ROOST_TAIL_NO_WAIT", value_parser = BoolishValueParser::new())]
    no_wait: bool,
    /// Print each line in full, as JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl TailCommand {
    pub(crate) fn run(self) -> Result<u8, CliFailure> {
        let has_colours = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        run_async(self.follow_requests(has_colours))
    }

    async fn follow_requests(&self, has_colours: bool) -> Result<u8, CliFailure> {
        let admin = self.target.admin_client()?;
        let lines = self.lines.to_string();
        let mut since = self.since.clone();
        let mut has_page = false;
        loop {
            let page = match self.fetch_page(&admin, since.as_deref(), &lines).await {
                Ok(page) => page,
                // The server was reset, so all its lines are new.
                Err(ClientError::Refused { code, .. }) if has_page && code == "reset_meanwhile" => {
                    print_warning("the world was reset or restored");
                    since = None;
                    continue;
                }
                // Stops when the server stops.
                Err(
                    ClientError::Failure(CallFailure::NoConnection(_) | CallFailure::Broken(_))
                    | ClientError::Unreachable { failure: CallFailure::NoConnection(_) | CallFailure::Broken(_), .. },
                ) if has_page => {
                    print_warning("the server has stopped");
                    return Ok(0);
                }
                Err(why) => return Err(CliFailure::new(why)),
            };
            if !has_page && page["enabled"] == false {
                print_warning("this world records no requests; PATCH /__admin/journal {\"enabled\": true} starts it");
            }
            has_page = true;
            if let (Some(first), Some(last)) = (page["gap"]["first"].as_u64(), page["gap"]["last"].as_u64()) {
                print_warning(&format!("lines {first} to {last} are no longer stored"));
            }
            let mut out = String::new();
            for line in page["items"].as_array().into_iter().flatten() {
                out += &if self.json {
                    format!("{}\n", plain_json(&line.to_string()))
                } else {
                    describe_request(line, has_colours)
                };
            }
            print_raw(&out)?;
            if self.no_wait && page["has_more"] != true {
                return Ok(0);
            }
            since = page["next"].as_str().map(str::to_owned);
        }
    }

    async fn fetch_page(&self, admin: &AdminClient, since: Option<&str>, lines: &str) -> Result<Value, ClientError> {
        let limit = if since.is_some() { PAGE_LIMIT } else { lines };
        let mut query = vec![("filter", self.filter.as_str()), ("limit", limit)];
        query.extend(since.map(|since| ("since", since)));
        if !self.no_wait {
            query.push(("wait", POLL_WAIT));
        }
        admin.call("GET", &with_query("/requests", &query), None).await
    }
}

/// Writes the time, the request, the response, the duration, and the reason of a refusal.
fn describe_request(line: &Value, has_colours: bool) -> String {
    let text = |name: &str| plain_value(line[name].as_str().unwrap_or_default());
    let status = line["status"].as_u64();
    let status_text = status.map_or_else(|| "---".to_owned(), |status| status.to_string());
    let status_text =
        if has_colours { format!("\u{1b}[{}m{status_text}\u{1b}[0m", status_colour(status)) } else { status_text };
    let took = line["took"].as_str().and_then(|text| text.parse::<HumanDuration>().ok()).unwrap_or_default();
    let millis = took.0.as_secs_f64() * 1000.0;
    let mut out =
        format!("{}  {:<3}  {status_text}  {:<6} {}", text("at"), text("direction"), text("method"), text("url"));
    out += &format!("  {millis:.1} ms");
    for (name, before) in [("operation", ""), ("rule", "rule ")] {
        if line[name].is_string() {
            out += &format!("  {before}{}", text(name));
        }
    }
    if let Some(words) = line["why"]["words"].as_str() {
        out += &format!("  ({})", plain_value(words));
    }
    out + "\n"
}

fn status_colour(status: Option<u64>) -> u8 {
    match status {
        Some(200..=399) => 32,
        Some(400..=499) => 33,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_shows_the_request_and_the_response() {
        let mut line = json!({
            "at": "2026-01-05T09:00:00Z", "direction": "in", "method": "GET", "url": "/a\u{1b}[2J", "status": 429,
            "took": "1540us", "operation": "lists.query", "rule": "fault-1", "why": { "words": "too\nmany" },
        });
        let text = describe_request(&line, false);
        let want = "2026-01-05T09:00:00Z  in   429  GET    /a\u{fffd}[2J  1.5 ms  lists.query  rule fault-1  (too\u{fffd}many)\n";
        assert_eq!(text, want);
        assert!(describe_request(&line, true).contains("\u{1b}[33m429\u{1b}[0m"));
        for name in ["status", "operation", "rule", "why"] {
            line[name] = Value::Null;
        }
        assert_eq!(describe_request(&line, false), "2026-01-05T09:00:00Z  in   ---  GET    /a\u{fffd}[2J  1.5 ms\n");
    }
}
