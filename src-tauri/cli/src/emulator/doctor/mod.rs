//! `roost doctor`: reports which process uses the port, whether a Roost server responds there, and its settings. With an
//! account, or for a bundle, it examines the account instead. It prints no secret.

mod examined_account;
mod examined_port;
mod holder;

use std::{collections::BTreeMap, env, fmt::Write as _, path::PathBuf, time::Duration};

use clap::{Args, builder::BoolishValueParser};
use roost_emulator::{
    Settings,
    client::{AdminClient, ClientError},
};
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::time::timeout;

use self::{
    examined_account::ExaminedAccount,
    examined_port::ExaminedPort,
    holder::{PortHolder, find_port_holders},
};
use super::{
    state::describe_counts,
    target::{ServerTarget, run_async},
};
use crate::{
    account::doctor::DoctorRequest,
    failure::CliFailure,
    outputs::OutputPath,
    terminal::{count_with_noun, print_json, print_text},
};

/// The exit status if another program holds the port.
const PORT_OCCUPIED: u8 = 1;
const EXAMINATION_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Args)]
#[command(
    after_help = "Exit status for a server: 0, or 1 if another program uses its port. For an account: 0: no problem \
     found. 1: a problem found. 2: the account could not be checked."
)]
pub(crate) struct DoctorCommand {
    #[command(flatten)]
    account: ExaminedAccount,
    /// Write a zip file to attach to a bug report: versions, settings, findings about the account, counts, the last
    /// lines of the log, crash reports. It contains no data of an account.
    #[arg(long, env = "ROOST_DOCTOR_BUNDLE", value_name = "OUT")]
    bundle: Option<OutputPath>,
    /// Overwrite an existing file.
    #[arg(long, env = "ROOST_DOCTOR_FORCE", value_parser = BoolishValueParser::new(), requires = "bundle")]
    force: bool,
    /// A JSON log. Its last lines are added to the bundle, without the values of their fields.
    #[arg(long, env = "ROOST_DOCTOR_LOG", value_name = "FILE", requires = "bundle")]
    log: Option<PathBuf>,
    #[command(flatten)]
    target: ServerTarget,
    #[command(flatten)]
    port: ExaminedPort,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

#[derive(Serialize)]
struct DoctorFindings {
    version: &'static str,
    url: String,
    port: u16,
    /// None if the system does not provide this information.
    holders: Option<Vec<PortHolder>>,
    answers: bool,
    /// Why the server gave no further information.
    why: Option<String>,
    info: Option<Value>,
    rules: Option<Map<String, Value>>,
    /// The clock, the fault profile and the journal of the world, by path.
    arranged: BTreeMap<&'static str, Value>,
    /// The names of the `ROOST_` environment variables that are set.
    variables: Vec<String>,
}

impl DoctorCommand {
    pub(crate) fn run(self) -> Result<u8, CliFailure> {
        if self.account.path().is_some() || self.bundle.is_some() {
            let (db, json) = (self.account.into_path(), self.json);
            return DoctorRequest { db, bundle: self.bundle, force: self.force, log: self.log, json }.run();
        }
        let ExaminedPort { port, takes_precedence } = self.port;
        let admin = match self.target.is_named() && !takes_precedence {
            true => self.target.admin_client()?,
            false => self.target.admin_client_at(&format!("http://127.0.0.1:{port}"))?,
        };
        let findings = run_async(async { Ok(examine_server(&admin).await) })?;
        if self.json { print_json(&findings) } else { print_text(&findings.describe()) }?;
        let is_held = findings.holders.as_ref().is_some_and(|holders| !holders.is_empty());
        Ok(if is_held && !findings.answers { PORT_OCCUPIED } else { 0 })
    }
}

async fn examine_server(admin: &AdminClient) -> DoctorFindings {
    let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let mut variables: Vec<String> = names.filter(|name| name.starts_with("ROOST_")).collect();
    variables.sort();
    let mut findings = DoctorFindings {
        version: env!("CARGO_PKG_VERSION"),
        url: admin.url().to_owned(),
        port: admin.port(),
        holders: find_port_holders(admin.port()),
        answers: false,
        why: None,
        info: None,
        rules: None,
        arranged: BTreeMap::new(),
        variables,
    };
    let examination = timeout(EXAMINATION_TIMEOUT, async {
        admin.check_ready().await?;
        findings.answers = true;
        findings.info = Some(admin.call("GET", "/info", None).await?);
        if let Value::Object(rules) = admin.call("GET", "/settings", None).await? {
            findings.rules = Some(rules);
        }
        for path in ["clock", "faults/profile", "journal"] {
            findings.arranged.insert(path, admin.call("GET", &format!("/{path}"), None).await?);
        }
        Ok::<_, ClientError>(())
    });
    findings.why = match examination.await {
        Ok(Ok(())) => None,
        Ok(Err(why)) => Some(why.to_string()),
        Err(_) => Some(format!("no response within {EXAMINATION_TIMEOUT:?}")),
    };
    findings
}

impl DoctorFindings {
    fn describe(&self) -> String {
        let mut out = String::new();
        let mut row = |name: &str, text: &str| {
            let _ = writeln!(out, "{name:<10} {text}");
        };
        row("roost", self.version);
        row("address", &self.url);
        row("port", &self.describe_port());
        row("server", &self.describe_server());
        if let Some(info) = &self.info {
            let counts = describe_counts(&info["counts"]);
            row("records", if counts.is_empty() { "none" } else { &counts });
        }
        if let Some(clock) = self.arranged.get("clock") {
            row("clock", &format!("{}, {}", value_text(&clock["mode"]), value_text(&clock["now"])));
        }
        if let Some(profile) = self.arranged.get("faults/profile") {
            row("profile", profile["name"].as_str().unwrap_or("none"));
        }
        if let Some(journal) = self.arranged.get("journal") {
            let state = if journal["enabled"] == true { "on" } else { "off" };
            let lines = count_with_noun(journal["lines"].as_u64().unwrap_or_default(), "line");
            row("journal", &format!("{state}, {lines}"));
        }
        let defaults = Settings::default().to_json();
        for (index, (name, value)) in self.rules.iter().flatten().enumerate() {
            let suffix = if defaults[name] == *value { "" } else { "  (changed)" };
            row(if index == 0 { "rules" } else { "" }, &format!("{name} = {}{suffix}", value_text(value)));
        }
        if !self.variables.is_empty() {
            row("variables", &self.variables.join(", "));
        }
        out
    }

    fn describe_port(&self) -> String {
        let Some(holders) = &self.holders else {
            return format!("{}; this system does not show what uses it", self.port);
        };
        if holders.is_empty() {
            return format!("{} is free on this machine", self.port);
        }
        let mut by_process: BTreeMap<(Option<u32>, Option<&str>), Vec<String>> = BTreeMap::new();
        for holder in holders {
            let addresses = by_process.entry((holder.pid, holder.name.as_deref())).or_default();
            addresses.push(holder.address.to_string());
        }
        let users = by_process.iter().map(|((pid, name), addresses)| {
            let who = match (pid, name) {
                (Some(pid), Some(name)) => format!("{name} (process {pid})"),
                (Some(pid), None) => format!("process {pid}"),
                (None, _) => "a program of another user".to_owned(),
            };
            format!("{who} on {}", addresses.join(" and "))
        });
        format!("{} is used by {}", self.port, users.collect::<Vec<_>>().join(", "))
    }

    fn describe_server(&self) -> String {
        match (&self.info, self.answers, &self.why) {
            (Some(info), _, _) => {
                let version = info["version"].as_str().unwrap_or_default();
                let uptime = info["uptime"].as_str().unwrap_or_default();
                format!("Roost {version}, process {}, up {uptime}", info["pid"])
            }
            (None, true, Some(why)) => format!("a Roost server responds, but gives no details: {why}"),
            (None, _, why) => why.clone().unwrap_or_else(|| "no Roost server responds".to_owned()),
        }
    }
}

fn value_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
