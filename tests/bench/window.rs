//! P11: the time from exec to a window that shows its first data, compared with a bare Tauri window, on a separate
//! display.

use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use roost_app::ACCOUNT_FILE;
use roost_ops::{
    Core, Ctx,
    account::{self, AccountColour},
};

use crate::{
    BenchOutcome,
    ended::EndedProcess,
    report::{Measurement, median_of},
};

const RUNS: usize = 9;
const PATIENCE: Duration = Duration::from_secs(20);

fn program_path(name: &str) -> Result<PathBuf, Box<dyn Error>> {
    let path = env::current_exe()?.with_file_name(name);
    if path.exists() {
        Ok(path)
    } else {
        Err(format!("{} is missing: run this by `make bench ONLY=P11`", path.display()).into())
    }
}

/// The title of our window once it knows its account. The welcome page and a window that is shown after a time-out have
/// other titles.
const OURS: &str = "Bench .* Roost";

/// Creates an account to open, as on later starts.
fn make_account(folder: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir(folder)?;
    let core = Core::open(&folder.join(ACCOUNT_FILE), Ctx::system())?;
    Ok(account::set_initial_profile(&core, "Bench", AccountColour::default())?)
}

/// Returns the milliseconds until a window with this title is mapped.
fn time_until_shown(program: &PathBuf, name: &str, display: &str) -> Result<f64, Box<dyn Error>> {
    let home = tempfile::tempdir()?;
    make_account(&home.path().join("account"))?;
    let begin = Instant::now();
    let mut command = Command::new(program);
    command
        .env("DISPLAY", display)
        .env("GDK_BACKEND", "x11")
        .env("ROOST_DATA_DIR", home.path().join("account"))
        .env("DBUS_SESSION_BUS_ADDRESS", "disabled:")
        .env("NO_AT_BRIDGE", "1")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    for folder in ["XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"] {
        command.env(folder, home.path().join(folder));
    }
    let mut window = EndedProcess(command.spawn()?);
    loop {
        let found = Command::new("xdotool")
            .args(["search", "--onlyvisible", "--name", name])
            .env("DISPLAY", display)
            .stderr(Stdio::null())
            .output()?;
        if !found.stdout.is_empty() {
            return Ok(begin.elapsed().as_secs_f64() * 1_000.0);
        }
        if let Some(status) = window.0.try_wait()? {
            return Err(format!("{} ended with {status}", program.display()).into());
        }
        if begin.elapsed() > PATIENCE {
            return Err(format!("{} showed no window named {name}", program.display()).into());
        }
        thread::sleep(Duration::from_millis(2));
    }
}

pub(crate) fn run() -> BenchOutcome {
    let (ours, bare) = (program_path("roost-desktop")?, program_path("examples/bare_window")?);
    let display = format!(":{}", 90 + std::process::id() % 900);
    let _screen = EndedProcess(
        Command::new("Xvfb")
            .args([&display, "-noreset", "-screen", "0", "1280x800x24", "-nolisten", "tcp"])
            .stderr(Stdio::null())
            .spawn()?,
    );
    let begin = Instant::now();
    while !Command::new("xdotool").arg("getmouselocation").env("DISPLAY", &display).output()?.status.success() {
        if begin.elapsed() > PATIENCE {
            return Err("Xvfb gave no screen".into());
        }
        thread::sleep(Duration::from_millis(20));
    }
    let (mut own, mut other) = (Vec::new(), Vec::new());
    // The runs alternate, so that a slow minute affects both.
    for _ in 0..RUNS {
        own.push(time_until_shown(&ours, OURS, &display)?);
        other.push(time_until_shown(&bare, "Bare", &display)?);
    }
    Ok(vec![Measurement::at_most(
        "P11",
        "window: exec to shown with its first data",
        "ms",
        median_of(own),
        median_of(other),
        1.2,
    )])
}
