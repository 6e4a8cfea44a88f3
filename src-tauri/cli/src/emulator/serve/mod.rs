//! `roost serve`: serves the REST interface on localhost until it is stopped.

mod announce;
mod clock;
mod doors;
mod faults;
mod reach;
mod recording;
mod reseed;
mod signals;
mod watch;

use std::{
    env, fs,
    io::{self, IsTerminal},
    net::IpAddr,
    path::PathBuf,
    sync::Arc,
};

use clap::{Args, ValueEnum, builder::BoolishValueParser};
use roost_app::App;
use roost_emulator::{
    AccountOwnership, AuthSetting, BOUNDS, BoundEmulator, Bounds, Console, Emulator, EmulatorConfig, EmulatorHandle,
    SETTINGS, Settings, StateLocation, Strictness, fidelity::CheckReport,
};
use roost_ops::{Actor, Core, seed};
use tokio::runtime::{Builder, Runtime};

pub(super) use self::signals::{INTERRUPTED, ReceivedSignal, Signals};
use self::watch::Watch;
use super::ready::ReadyFile;
use crate::{
    console_assets::ConsolePages,
    failure::{CliFailure, read_failure},
    memory,
    outputs::OwnPath,
    terminal::print_warning,
};

const MEMORY_DB: &str = ":memory:";

#[derive(Args)]
#[command(
    after_help = "SIGTERM and SIGINT stop the server within two seconds, a second SIGINT immediately. SIGHUP reads \
     the seed again and resets to it, unless --db names a file; on a terminal it stops the server."
)]
pub(crate) struct ServeCommand {
    /// The port. 0 picks a free one.
    #[arg(long, env = "ROOST_PORT", default_value_t = 4010)]
    port: u16,
    /// The address to listen on. Default: loopback.
    #[arg(long, env = "ROOST_BIND", value_name = "ADDR")]
    bind: Option<IpAddr>,
    /// Allow binding to an address other machines can reach. Requires keys.
    #[arg(long, env = "ROOST_I_KNOW_THIS_IS_REACHABLE", value_parser = BoolishValueParser::new())]
    i_know_this_is_reachable: bool,
    #[command(flatten)]
    doors: doors::DoorArgs,
    /// Another host name that this server serves. Can be repeated.
    #[arg(long, env = "ROOST_ALLOW_HOST", value_name = "HOST", value_delimiter = ',', value_parser = reach::parse_host)]
    allow_host: Vec<String>,
    #[command(flatten)]
    reach: reach::NetworkOptions,
    #[arg(help = bound_help(), long, env = "ROOST_BOUND", value_name = "NAME=N", value_delimiter = ',', value_parser = parse_bound)]
    bound: Vec<(String, String)>,
    /// The account file, created if it does not exist. :memory: keeps nothing.
    #[arg(long, env = "ROOST_DB", value_name = "FILE", default_value = MEMORY_DB)]
    db: PathBuf,
    /// A seed to fill an empty account, as written by `roost export`.
    #[arg(long, env = "ROOST_SEED", value_name = "FILE")]
    seed: Option<PathBuf>,
    /// Skip the seed if the account already holds data, instead of refusing. For servers that restart with the same
    /// file.
    #[arg(long, env = "ROOST_SEED_IF_EMPTY", requires = "seed")]
    seed_if_empty: bool,
    /// Reset the server to its seed whenever the file of the seed changes. Like any reset, this removes fault rules,
    /// policies and receivers, and clears the journal. A file with an error changes nothing.
    #[arg(long, env = "ROOST_SEED_WATCH", requires = "seed", value_parser = BoolishValueParser::new())]
    seed_watch: bool,
    #[command(flatten)]
    time: clock::ClockArgs,
    /// Who is accepted: callers with any key (the default), all callers, or callers with one of --set auth.keys=…
    #[arg(long, env = "ROOST_AUTH")]
    auth: Option<AuthMode>,
    /// Whether requests are limited. Default: on, 10 per second for each key and operation.
    #[arg(long, env = "ROOST_LIMITS")]
    limits: Option<OnOff>,
    /// Refuse what the service may refuse: unknown fields and parameters, a missing content type, and deprecated forms. The
    /// settings strict.… choose among them.
    #[arg(long, env = "ROOST_STRICT", value_parser = BoolishValueParser::new())]
    strict: bool,
    #[command(flatten)]
    faults: faults::Faults,
    /// A setting. Each can also be set by a variable such as ROOST_SET_LISTS_UNIQUE_NAMES. --help lists all.
    #[arg(long, value_name = "NAME=VALUE", long_help = settings_help())]
    set: Vec<String>,
    /// Behave as roost fidelity check observed the service: the report that it wrote. Other settings take precedence.
    #[arg(long, env = "ROOST_FIDELITY", value_name = "FILE")]
    fidelity: Option<PathBuf>,
    /// Name the assumptions that shaped a response in its header X-Roost-Assumed. /__admin/fidelity explains them.
    #[arg(long, env = "ROOST_ASSUMED_HEADER", value_parser = BoolishValueParser::new())]
    assumed_header: bool,
    /// Write a file with the address and the admin token once the server is ready.
    #[arg(long, env = "ROOST_READY_FILE", value_name = "PATH")]
    ready_file: Option<OwnPath>,
    /// The same, written as one line to an open file descriptor such as a pipe.
    #[cfg(unix)]
    #[arg(long, env = "ROOST_READY_FD", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    ready_fd: Option<u32>,
    /// Record requests, and print the address of the web console. The address contains the admin token.
    #[arg(long, env = "ROOST_CONSOLE", value_parser = BoolishValueParser::new())]
    console: bool,
    #[command(flatten)]
    recording: recording::Recording,
    /// Allow callbacks to addresses in private networks.
    #[arg(long, env = "ROOST_ALLOW_PRIVATE_CALLBACKS", value_parser = BoolishValueParser::new())]
    allow_private_callbacks: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum AuthMode {
    Any,
    Off,
    Keys,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OnOff {
    On,
    Off,
}

/// A running server, and its ready file.
pub(crate) struct ServedEmulator {
    pub handle: EmulatorHandle,
    ready: Option<ReadyFile>,
    watch: Option<Watch>,
}

impl ServeCommand {
    pub(crate) fn run(self) -> Result<u8, CliFailure> {
        memory::limit_heaps();
        let (shows_console, is_memory, seed) = (self.console, self.is_memory(), self.seed.clone());
        let runtime = build_runtime()?;
        let served = runtime.block_on(async {
            let mut signals = Signals::listen()?;
            let Some(served) = self.start(&mut signals).await? else { return Ok(INTERRUPTED) };
            announce::announce_server(&served.handle, shows_console);
            // Closing a terminal ends the programs that run in it.
            while signals.next().await == ReceivedSignal::Hangup && !io::stdin().is_terminal() {
                if is_memory {
                    reseed::reseed_server(&served.handle, seed.as_deref()).await;
                } else {
                    reseed::refuse_reseed();
                }
            }
            Ok(served.stop(&mut signals).await)
        });
        // Acts that did not end in time are abandoned; their transactions were not committed.
        runtime.shutdown_background();
        served
    }

    /// Turns recording on unless an option says otherwise.
    pub(crate) fn with_recording(mut self) -> Self {
        self.recording.begin();
        self
    }

    pub(crate) fn is_recording(&self) -> bool {
        self.recording.is_on().unwrap_or(self.console)
    }

    pub(crate) fn shows_console(&self) -> bool {
        self.console
    }

    fn read_report(&self) -> Result<Option<CheckReport>, CliFailure> {
        let Some(path) = &self.fidelity else { return Ok(None) };
        let text = fs::read(path).map_err(|why| read_failure(path, &why))?;
        let to_failure = |why| CliFailure::new(format!("--fidelity {}: {why}", path.display()));
        CheckReport::read(&text).map(Some).map_err(to_failure)
    }

    /// Combines the settings. In order of increasing precedence: observations, variables, named flags, `--set`.
    fn build_settings(
        &self,
        observed: Option<&CheckReport>,
        variables: impl Iterator<Item = (String, String)>,
    ) -> Result<Settings, CliFailure> {
        let mut settings = Settings::default();
        if let Some(report) = observed {
            report.apply_to(&mut settings).map_err(|why| CliFailure::new(format!("--fidelity: {why}")))?;
        }
        for (variable, value) in variables.filter(|(name, _)| name.starts_with("ROOST_SET_")) {
            let known = SETTINGS.iter().find(|setting| setting.environment_variable() == variable);
            let name = known.map_or_else(|| setting_name_of(&variable), |setting| setting.name.to_owned());
            settings.set(&name, &value).map_err(|e| CliFailure::new(format!("{variable}: {e}")))?;
        }
        let auth = self.auth.and_then(|auth| auth.to_possible_value());
        let limits = self.limits.and_then(|limits| limits.to_possible_value());
        for (name, value) in [("auth", auth), ("limits", limits)] {
            if let Some(value) = value {
                settings.set(name, value.get_name()).map_err(|e| CliFailure::new(format!("--{name}: {e}")))?;
            }
        }
        if self.strict {
            for name in Strictness::NAMES {
                settings.set(name, "refuse").map_err(|e| CliFailure::new(format!("--strict: {e}")))?;
            }
        }
        for pair in &self.set {
            let (name, value) =
                pair.split_once('=').ok_or_else(|| CliFailure::new(format!("--set {pair}: expected NAME=VALUE")))?;
            settings.set(name.trim(), value).map_err(|e| CliFailure::new(format!("--set {name}: {e}")))?;
        }
        // A report contains no keys, so it alone cannot limit the server to those of the service.
        if observed.is_some_and(CheckReport::needs_known_keys) && settings.auth == AuthSetting::Any {
            match settings.keys.is_empty() {
                true => print_warning(
                    "the service accepts only its own keys, but this server accepts any; name keys with --set \
                     auth.keys=KEY",
                ),
                false => settings.auth = AuthSetting::Keys,
            }
        }
        if settings.auth == AuthSetting::Keys && settings.keys.is_empty() {
            print_warning(
                "auth is keys, but auth.keys is empty: only the worlds that are created accept requests, by their own \
                 keys",
            );
        }
        settings.assumed_header = self.assumed_header;
        Ok(settings)
    }

    /// Returns None if the program was stopped while it waited for its seed.
    pub(crate) async fn start(self, signals: &mut Signals) -> Result<Option<ServedEmulator>, CliFailure> {
        let observed = self.read_report()?;
        let variables = env::vars_os().filter_map(|(n, v)| Some((n.into_string().ok()?, v.into_string().ok()?)));
        let settings = self.build_settings(observed.as_ref(), variables)?;
        let bounds = build_bounds(&self.bound)?;
        if self.seed_watch && !self.is_memory() {
            return Err(CliFailure::new(
                "--seed-watch needs a server in memory. Remove --db, or run `roost seed` yourself.",
            ));
        }
        // Read before the account is created, because a pipe may never deliver.
        let seed = match self.seed.clone() {
            None => None,
            Some(path) => tokio::select! {
                seed = read_seed(path) => Some(seed?),
                () = signals.wait_until_ended() => return Ok(None),
            },
        };
        let core = self.open_account()?;
        let ready = self.bind_and_seed(&core, settings, observed, bounds, seed.as_deref());
        let (app, bound) = ready.inspect_err(|_| core.discard_made())?;
        let handle = bound.start(core).map_err(CliFailure::new)?;
        app.attach_server(&handle);
        let ready = self.ready_file.as_ref().map(|path| ReadyFile::write(path.as_ref(), &handle)).transpose()?;
        #[cfg(unix)]
        if let Some(fd) = self.ready_fd {
            super::ready::write_ready_line(fd, &handle)?;
        }
        let watch = match (&self.seed, seed) {
            (Some(path), Some(seed)) if self.seed_watch => Some(watch::begin(&handle, path, seed)?),
            _ => None,
        };
        Ok(Some(ServedEmulator { handle, ready, watch }))
    }

    /// Takes the port and applies the seed.
    fn bind_and_seed(
        &self,
        core: &Core,
        settings: Settings,
        observed: Option<CheckReport>,
        bounds: Bounds,
        seed: Option<&[u8]>,
    ) -> Result<(App, BoundEmulator), CliFailure> {
        let seed = match seed {
            Some(_) if self.seed_if_empty && !seed::is_fillable(core).map_err(CliFailure::new)? => None,
            seed => seed,
        };
        let account = match self.is_memory() {
            true => AccountOwnership::Own,
            // A seed fills only an empty account.
            false => AccountOwnership::Kept { is_from_seed: seed.is_some() },
        };
        let app = App::with_core(core.clone(), &self.db);
        let journal = app.journal();
        journal.set_recording(self.is_recording());
        self.recording.put_into(&journal);
        let mut config = EmulatorConfig {
            bind: self.bind,
            port: self.port,
            is_reachable: self.i_know_this_is_reachable,
            settings,
            allow_hosts: self.allow_host.clone(),
            // Only from a variable, because every process can read a command line.
            admin_token: env::var("ROOST_ADMIN_TOKEN").ok().filter(|token| !token.is_empty()),
            allows_private_callbacks: self.allow_private_callbacks,
            console: Some(Console { assets: Arc::new(ConsolePages), dispatcher: Arc::new(app.clone()) }),
            journal,
            account,
            place: self.state_location(),
            bounds,
            observed: observed.map(Arc::new),
            ..EmulatorConfig::default()
        };
        self.doors.apply_to(&mut config)?;
        self.reach.put_into(&mut config);
        self.faults.put_into(&mut config);
        let bound = Emulator::bind(config).map_err(CliFailure::new)?;
        if let (Some(path), Some(seed)) = (&self.seed, seed) {
            seed::apply(core, &Actor::operator(), seed, &bound.short_link_base())
                .map_err(|why| CliFailure::new(format!("the seed {}: {why}", path.display())))?;
        }
        Ok((app, bound))
    }

    /// Returns the folder beside the account file for state that outlives a restart.
    fn state_location(&self) -> Option<StateLocation> {
        let name = self.db.file_name().filter(|_| !self.is_memory())?;
        let mut name = name.to_owned();
        name.push(".world");
        Some(StateLocation {
            folder: self.db.with_file_name(name),
            time_options: self.time.to_option_text(),
            has_time_options: self.time.is_set(),
        })
    }

    fn is_memory(&self) -> bool {
        self.db.as_os_str() == MEMORY_DB
    }

    fn open_account(&self) -> Result<Core, CliFailure> {
        let ctx = self.time.to_ctx(!self.is_memory())?;
        let opened = if self.is_memory() { Core::in_memory(ctx) } else { Core::open(&self.db, ctx) };
        opened.map_err(CliFailure::new)
    }
}

impl ServedEmulator {
    /// Stops within two seconds, or at once on an interrupt. Returns the exit status.
    pub(crate) async fn stop(self, signals: &mut Signals) -> u8 {
        let Self { handle, ready, watch } = self;
        drop((ready, watch));
        tokio::select! {
            () = handle.shutdown() => 0,
            () = signals.interrupted() => INTERRUPTED,
        }
    }
}

pub(super) fn build_runtime() -> Result<Runtime, CliFailure> {
    Builder::new_multi_thread().enable_all().build().map_err(CliFailure::new)
}

/// Lists every setting with its variable, its values and its default.
fn settings_help() -> String {
    let usual = Settings::default().to_json();
    let mut out = "A setting. Each can also be set by its variable. The command line takes precedence.\n".to_owned();
    for setting in SETTINGS {
        let usual = match &usual[setting.name] {
            serde_json::Value::Null => "nothing".to_owned(),
            serde_json::Value::String(text) => text.clone(),
            serde_json::Value::Array(items) if items.is_empty() => "none".to_owned(),
            serde_json::Value::Array(items) => items.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
            other => other.to_string(),
        };
        out += &format!(
            "\n{} [{}]\n  {}.\n  Takes {}. Default: {usual}.\n",
            setting.name,
            setting.environment_variable(),
            setting.doc,
            setting.values
        );
    }
    out
}

/// Derives a setting's name from an unknown variable, for the suggestion.
fn setting_name_of(variable: &str) -> String {
    variable.trim_start_matches("ROOST_SET_").to_ascii_lowercase()
}

/// Reads the seed on a blocking thread, which ends with the process.
async fn read_seed(path: PathBuf) -> Result<Vec<u8>, CliFailure> {
    let read = tokio::task::spawn_blocking(move || match fs::read(&path) {
        Ok(seed) if seed.trim_ascii().is_empty() => Err(CliFailure::new(format!("{} is empty.", path.display()))),
        Ok(seed) => Ok(seed),
        Err(why) => Err(read_failure(&path, &why)),
    });
    read.await.map_err(CliFailure::new)?
}

fn bound_help() -> String {
    let names = BOUNDS.map(|bound| format!("{}={}", bound.name, bound.default)).join(", ");
    format!("What all callers together can use. Defaults: {names}")
}

fn parse_bound(given: &str) -> Result<(String, String), String> {
    let found = given.split_once('=').ok_or_else(|| format!("expected NAME=NUMBER, got \"{given}\""))?;
    Ok((found.0.to_owned(), found.1.to_owned()))
}

fn build_bounds(given: &[(String, String)]) -> Result<Bounds, CliFailure> {
    let mut bounds = Bounds::default();
    for (name, value) in given {
        bounds.set(name, value).map_err(CliFailure::new)?;
    }
    Ok(bounds)
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use serde_json::json;

    use super::*;

    #[derive(Parser)]
    struct TestLine {
        #[command(flatten)]
        serve: ServeCommand,
    }

    fn read_settings(arguments: &[&str], variables: &[(&str, &str)]) -> Result<serde_json::Value, CliFailure> {
        let line =
            TestLine::try_parse_from(std::iter::once(&"serve").chain(arguments)).unwrap_or_else(|e| panic!("{e}"));
        let variables = variables.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned()));
        line.serve.build_settings(None, variables).map(|settings| settings.to_json())
    }

    #[test]
    fn set_options_override_flags_and_flags_override_variables() {
        let variables = [
            ("ROOST_SET_LIMITS", "off"),
            ("ROOST_SET_AUTH", "off"),
            ("ROOST_SET_OPT_OUTS_ENTRIES", "all"),
            ("PATH", "x"),
        ];
        let settings = read_settings(
            &["--auth", "any", "--limits", "on", "--set", "limits=off", "--set", "callback.retries="],
            &variables,
        )
        .expect("fine");
        assert_eq!(
            (&settings["auth"], &settings["limits"], &settings["opt_outs.entries"]),
            (&json!("any"), &json!("off"), &json!("all"))
        );
        assert_eq!(settings["callback.retries"], json!([]));
    }

    #[test]
    fn the_strict_flag_refuses_everything_that_no_setting_excepts() {
        let settings = read_settings(&["--strict", "--set", "strict.parameters=warn"], &[]).expect("fine");
        for name in Strictness::NAMES {
            let want = if name == "strict.parameters" { "warn" } else { "refuse" };
            assert_eq!(settings[name], want, "{name}");
        }
        let usual = read_settings(&[], &[]).expect("fine");
        assert!(Strictness::NAMES.iter().all(|name| usual[*name] == "ignore"), "{usual}");
        let by_variable = read_settings(&[], &[("ROOST_SET_STRICT_BODY_FIELDS", "refuse")]).expect("fine");
        assert_eq!(by_variable["strict.body_fields"], "refuse");
    }

    #[test]
    fn an_invalid_setting_is_reported_with_its_option_or_variable() {
        let failure = |arguments: &[&str], variables: &[(&str, &str)]| {
            format!("{:?}", read_settings(arguments, variables).expect_err("refused"))
        };
        assert!(
            failure(&["--set", "limit=off"], &[])
                .contains("--set limit: Unknown setting 'limit'. Did you mean 'limits'?")
        );
        assert!(failure(&["--set", "limits"], &[]).contains("expected NAME=VALUE"));
        assert!(
            failure(&[], &[("ROOST_SET_LIST_UNIQUE_NAMES", "on")])
                .contains("ROOST_SET_LIST_UNIQUE_NAMES: Unknown setting")
        );
    }
}
