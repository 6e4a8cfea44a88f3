//! `roost serve`: the REST interface on localhost until somebody ends it.

use std::{
    env, fs,
    io::{self, Write},
    net::IpAddr,
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::{Args, ValueEnum, builder::BoolishValueParser};
use roost_app::App;
use roost_emulator::{Console, Emulator, EmulatorConfig, Handle, SETTINGS, Settings};
use roost_ops::{By, Core, Ctx, seed};
use tokio::runtime::Builder;

use crate::{console_assets::Pages, failure::Failure, ready::ReadyFile};

const MEMORY: &str = ":memory:";

#[derive(Args)]
pub struct Serve {
    /// The port; 0 picks a free one.
    #[arg(long, env = "ROOST_PORT", default_value_t = 4010)]
    port: u16,
    /// The address to listen on; loopback when left out.
    #[arg(long, env = "ROOST_BIND", value_name = "ADDR")]
    bind: Option<IpAddr>,
    /// Leave for an address that other machines can reach; keys are needed then.
    #[arg(long, env = "ROOST_I_KNOW_THIS_IS_REACHABLE", value_parser = BoolishValueParser::new())]
    i_know_this_is_reachable: bool,
    /// Further host names this server answers to.
    #[arg(long, env = "ROOST_ALLOW_HOST", value_name = "HOST", value_delimiter = ',')]
    allow_host: Vec<String>,
    /// The account file, made when it is not there; or :memory:.
    #[arg(long, env = "ROOST_DB", value_name = "FILE", default_value = MEMORY)]
    db: PathBuf,
    /// What an empty account begins with, as `roost export` writes it.
    #[arg(long, env = "ROOST_SEED", value_name = "FILE")]
    seed: Option<PathBuf>,
    /// Who gets in: everybody with a key, everybody, or the keys of --set auth.keys=…
    #[arg(long, env = "ROOST_AUTH")]
    auth: Option<Auth>,
    /// Whether requests per second are limited.
    #[arg(long, env = "ROOST_LIMITS")]
    limits: Option<Switch>,
    /// A setting; each is also read from a variable like ROOST_SET_LISTS_UNIQUE_NAMES.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Where to say that requests are answered, and how to get in.
    #[arg(long, env = "ROOST_READY_FILE", value_name = "PATH")]
    ready_file: Option<PathBuf>,
    /// Let callbacks go to addresses of private networks.
    #[arg(long, env = "ROOST_ALLOW_PRIVATE_CALLBACKS", value_parser = BoolishValueParser::new())]
    allow_private_callbacks: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Auth {
    Any,
    Off,
    Keys,
}

#[derive(Clone, Copy, ValueEnum)]
enum Switch {
    On,
    Off,
}

impl Serve {
    pub fn run(self) -> Result<(), Failure> {
        let settings =
            self.settings(env::vars_os().filter_map(|(n, v)| Some((n.into_string().ok()?, v.into_string().ok()?))))?;
        let runtime = Builder::new_multi_thread().enable_all().build().map_err(Failure::new)?;
        let served = runtime.block_on(self.serve(settings));
        // Acts that did not end in time are left behind; what they did not commit never was.
        runtime.shutdown_background();
        served
    }

    /// Variables first, then the named flags, then --set: the nearest word counts.
    fn settings(&self, variables: impl Iterator<Item = (String, String)>) -> Result<Settings, Failure> {
        let mut settings = Settings::default();
        for (variable, value) in variables.filter(|(name, _)| name.starts_with("ROOST_SET_")) {
            let known = SETTINGS.iter().find(|setting| setting.variable() == variable);
            let name = known.map_or_else(|| as_name(&variable), |setting| setting.name.to_owned());
            settings.set(&name, &value).map_err(|e| Failure::new(format!("{variable}: {e}")))?;
        }
        let auth = self.auth.and_then(|auth| auth.to_possible_value());
        let limits = self.limits.and_then(|limits| limits.to_possible_value());
        for (name, value) in [("auth", auth), ("limits", limits)] {
            if let Some(value) = value {
                settings.set(name, value.get_name()).map_err(|e| Failure::new(format!("--{name}: {e}")))?;
            }
        }
        for pair in &self.set {
            let (name, value) =
                pair.split_once('=').ok_or_else(|| Failure::new(format!("--set {pair}: write it as NAME=VALUE")))?;
            settings.set(name.trim(), value).map_err(|e| Failure::new(format!("--set {name}: {e}")))?;
        }
        Ok(settings)
    }

    async fn serve(self, settings: Settings) -> Result<(), Failure> {
        let end = End::listen().map_err(|e| Failure::new(format!("signals cannot be heard: {e}")))?;
        let core = self.open()?;
        let app = App::over(core.clone(), &self.db);
        let bound = Emulator::bind(EmulatorConfig {
            bind: self.bind,
            port: self.port,
            is_reachable: self.i_know_this_is_reachable,
            settings,
            allow_hosts: self.allow_host,
            // Only by variable: what stands on a command line, every process can read.
            admin_token: env::var("ROOST_ADMIN_TOKEN").ok().filter(|token| !token.is_empty()),
            allows_private_callbacks: self.allow_private_callbacks,
            console: Some(Console { assets: Arc::new(Pages), dispatcher: Arc::new(app) }),
        })
        .map_err(Failure::new)?;
        if let Some(path) = &self.seed {
            plant(&core, path, &bound.short_link_base())?;
        }
        let handle = bound.start(core).map_err(Failure::new)?;
        let ready = self.ready_file.as_deref().map(|path| ReadyFile::write(path, &handle)).transpose()?;
        announce(&handle);
        end.wait().await;
        drop(ready);
        handle.shutdown().await;
        Ok(())
    }

    fn open(&self) -> Result<Core, Failure> {
        let is_memory = self.db.as_os_str() == MEMORY;
        let opened = if is_memory { Core::in_memory(Ctx::system()) } else { Core::open(&self.db, Ctx::system()) };
        opened.map_err(Failure::new)
    }
}

/// What a variable's name would be as a setting's, for the suggestion.
fn as_name(variable: &str) -> String {
    variable.trim_start_matches("ROOST_SET_").to_ascii_lowercase()
}

fn plant(core: &Core, path: &Path, short_link_base: &str) -> Result<(), Failure> {
    let faulty = |why: &dyn std::fmt::Display| Failure::new(format!("the seed {}: {why}", path.display()));
    let json = fs::read(path).map_err(|e| faulty(&e))?;
    seed::apply(core, &By::operator(), &json, short_link_base).map_err(|e| faulty(&e))?;
    Ok(())
}

fn announce(handle: &Handle) {
    let mut out = io::stdout().lock();
    // A closed standard output is no reason not to serve.
    let _ = writeln!(out, "roost listening on {}", handle.url());
    let _ = out.flush();
}

/// The wish to end, by signal.
struct End {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

impl End {
    #[cfg(unix)]
    fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    #[cfg(unix)]
    async fn wait(mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }

    #[cfg(not(unix))]
    fn listen() -> io::Result<Self> {
        Ok(Self {})
    }

    #[cfg(not(unix))]
    async fn wait(self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use serde_json::json;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        serve: Serve,
    }

    fn settings(arguments: &[&str], variables: &[(&str, &str)]) -> Result<serde_json::Value, Failure> {
        let line = Line::try_parse_from(std::iter::once(&"serve").chain(arguments)).unwrap_or_else(|e| panic!("{e}"));
        let variables = variables.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned()));
        line.serve.settings(variables).map(|settings| settings.to_json())
    }

    #[test]
    fn the_nearest_word_counts() {
        let variables = [
            ("ROOST_SET_LIMITS", "off"),
            ("ROOST_SET_AUTH", "off"),
            ("ROOST_SET_OPTOUTS_ENTRIES", "all"),
            ("PATH", "x"),
        ];
        let told = settings(
            &["--auth", "any", "--limits", "on", "--set", "limits=off", "--set", "callback.retries="],
            &variables,
        )
        .expect("fine");
        assert_eq!(
            (&told["auth"], &told["limits"], &told["optouts.entries"]),
            (&json!("any"), &json!("off"), &json!("all"))
        );
        assert_eq!(told["callback.retries"], json!([]));
    }

    #[test]
    fn wrong_settings_say_where_they_stand() {
        let said = |arguments: &[&str], variables: &[(&str, &str)]| {
            format!("{:?}", settings(arguments, variables).expect_err("refused"))
        };
        assert!(
            said(&["--set", "limit=off"], &[])
                .contains("--set limit: there is no setting 'limit'; did you mean 'limits'?")
        );
        assert!(said(&["--set", "limits"], &[]).contains("write it as NAME=VALUE"));
        assert!(
            said(&[], &[("ROOST_SET_LIST_UNIQUE_NAMES", "on")])
                .contains("ROOST_SET_LIST_UNIQUE_NAMES: there is no setting")
        );
    }
}
