//! `roost listen`: prints the calls to a receiver of a running server, and forwards them.

use clap::{Args, builder::BoolishValueParser};
use roost_emulator::client::{AdminClient, CallFailure, CallForwarder, ClientError, with_query};
use serde_json::{Value, json};

use super::{
    state::check_name,
    target::{ServerTarget, run_async},
};
use crate::{
    failure::CliFailure,
    terminal::{plain_json, plain_value, print_raw},
};

/// How long the server holds a poll open; then the next one follows.
const POLL_WAIT: &str = "30s";

#[derive(Args)]
#[command(
    after_help = "Use http://127.0.0.1:4010/__hook/WORLD/NAME as callback_url. WORLD is default unless you created \
     one. The server itself answers each callback, with 200 unless PUT /__admin/hooks/NAME says otherwise. The \
     answer of your program is printed, but not passed on. A server can also call a program on this machine \
     directly; then you do not need a listener."
)]
pub(crate) struct ListenCommand {
    /// Name of the receiver.
    #[arg(default_value = "inbox")]
    name: String,
    #[command(flatten)]
    target: ServerTarget,
    /// Forward each call to this address on this machine, for example http://127.0.0.1:3000/callback.
    #[arg(long, env = "ROOST_LISTEN_FORWARD_TO", value_name = "URL")]
    forward_to: Option<String>,
    /// Start after this call. Default: after the last one so far.
    #[arg(long, env = "ROOST_LISTEN_SINCE", value_name = "NUMBER")]
    since: Option<u64>,
    /// Print the calls so far, and exit.
    #[arg(long, env = "ROOST_LISTEN_NO_WAIT", value_parser = BoolishValueParser::new())]
    no_wait: bool,
    /// Print each call in full, as JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl ListenCommand {
    pub(crate) fn run(self) -> Result<u8, CliFailure> {
        check_name(&self.name)?;
        let forward = self.forward_to.as_deref().map(CallForwarder::new).transpose().map_err(CliFailure::new)?;
        let forward = forward.map(|forwarder| {
            forwarder.ok_or_else(|| {
                CliFailure::new("--forward-to: calls can only be forwarded to this machine, for example to 127.0.0.1")
            })
        });
        run_async(self.follow_calls(forward.transpose()?))
    }

    async fn follow_calls(&self, forward: Option<CallForwarder>) -> Result<u8, CliFailure> {
        let admin = self.target.admin_client()?;
        let mut since = match self.since {
            Some(since) => since,
            None if self.no_wait => 0,
            None => read_number(&self.fetch_page(&admin, 0, false).await.map_err(CliFailure::new)?, "came"),
        };
        loop {
            let page = match self.fetch_page(&admin, since, !self.no_wait).await {
                Ok(page) => page,
                Err(ClientError::Refused { code, .. }) if code == "reset_meanwhile" => {
                    since = 0;
                    continue;
                }
                // Stops when the server stops.
                Err(
                    ClientError::Failure(CallFailure::NoConnection(_) | CallFailure::Broken(_))
                    | ClientError::Unreachable { failure: CallFailure::NoConnection(_) | CallFailure::Broken(_), .. },
                ) if !self.no_wait => {
                    return Ok(0);
                }
                Err(why) => return Err(CliFailure::new(why)),
            };
            // The receiver was reset and counts from zero.
            if read_number(&page, "came") < since {
                since = 0;
                continue;
            }
            for call in page["items"].as_array().into_iter().flatten() {
                let passed = match &forward {
                    Some(forward) => Some(forward_call(forward, call).await),
                    None => None,
                };
                print_raw(&self.describe_call(call, passed))?;
            }
            since = read_number(&page, "next");
            if self.no_wait {
                return Ok(0);
            }
        }
    }

    async fn fetch_page(&self, admin: &AdminClient, since: u64, waits: bool) -> Result<Value, ClientError> {
        let since = since.to_string();
        let mut query = vec![("since", since.as_str())];
        if waits {
            query.push(("wait", POLL_WAIT));
        }
        admin.call("GET", &with_query(&format!("/hooks/{}", self.name), &query), None).await
    }

    fn describe_call(&self, call: &Value, passed: Option<Result<u16, String>>) -> String {
        if self.json {
            let mut call = call.clone();
            match passed {
                Some(Ok(status)) => call["forwarded"] = json!({ "status": status, "error": null }),
                Some(Err(why)) => call["forwarded"] = json!({ "status": null, "error": why }),
                None => {}
            }
            return format!("{}\n", plain_json(&call.to_string()));
        }
        let text = |name: &str| plain_value(call[name].as_str().unwrap_or_default());
        let answered = call["answered"].as_u64().map_or_else(|| "---".to_owned(), |status| status.to_string());
        let passed = match passed {
            Some(Ok(status)) => format!("  forwarded: {status}"),
            Some(Err(why)) => format!("  not forwarded: {}", plain_value(&why)),
            None => String::new(),
        };
        format!(
            "{}  {}  {}  answered {answered}{passed}\n  {}\n",
            text("at"),
            text("method"),
            text("target"),
            text("body")
        )
    }
}

/// Forwards a call. Returns the status of the program's response, or why there is none.
async fn forward_call(forward: &CallForwarder, call: &Value) -> Result<u16, String> {
    if call["method"] != "POST" {
        return Err("only POST requests are forwarded".to_owned());
    }
    let body = call["body"].as_str().unwrap_or_default();
    if call["bytes"].as_u64() != Some(body.len() as u64) {
        return Err("the server has not stored the whole body".to_owned());
    }
    let headers = call["headers"].as_array().into_iter().flatten();
    let headers = headers.filter_map(|pair| Some((pair[0].as_str()?.to_owned(), pair[1].as_str()?.to_owned())));
    forward.forward_call(&headers.collect::<Vec<_>>(), body).await.map_err(|why| why.to_string())
}

fn read_number(page: &Value, name: &str) -> u64 {
    page[name].as_u64().unwrap_or_default()
}
