//! P6: scrolling the grid of a million contacts in Chromium and in the window, compared with bare rows in the same
//! page.

use std::{env, error::Error, fs, path::PathBuf, process::Command};

use roost_app::ACCOUNT_FILE;
use serde_json::Value;

use super::{ROWS, file, temporary_folder};
use crate::{BenchOutcome, report::Measurement, served};

const RUN: &str = "tests/bench/grid/scroll/run.mjs";
/// The environment variable that selects one browser: `chromium` or `window`.
const ONLY: &str = "ROOST_BENCH_BROWSER";
const PARTS: [(&str, &str); 3] =
    [("wheel", "the wheel, 3 rows a frame"), ("keys", "a page a frame"), ("thumb", "the thumb drawn")];

fn window_program() -> Result<PathBuf, Box<dyn Error>> {
    let path = env::current_exe()?.with_file_name("roost-desktop");
    if path.exists() { Ok(path) } else { Err("the window is missing: run this by `make bench ONLY=P6`".into()) }
}

fn read_figure(of: &Value, path: &str) -> Result<f64, Box<dyn Error>> {
    of.pointer(path).and_then(Value::as_f64).ok_or_else(|| format!("{path} was not measured: {of}").into())
}

pub(crate) fn run() -> BenchOutcome {
    let folder = temporary_folder()?;
    let account = folder.path().join("account");
    fs::create_dir(&account)?;
    let list = file::make_in_process(&account.join(ACCOUNT_FILE), ROWS)?;
    let mut command = Command::new("node");
    command
        .arg(RUN)
        .arg(fs::canonicalize(folder.path())?)
        .arg(list.as_str())
        .env("ROOST_BIN", fs::canonicalize(served::release_binary()?)?)
        .env("ROOST_DESKTOP", window_program()?)
        .env_remove("ONLY");
    if let Some(only) = env::var_os(ONLY) {
        command.env("ONLY", only);
    }
    let done = command.output()?;
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).into());
    }
    let measured: Value = serde_json::from_slice(&done.stdout)?;
    let mut rows = Vec::new();
    for (engine, name) in [("chromium", "Chromium"), ("window", "window")] {
        let Some(of) = measured.get(engine) else { continue };
        eprintln!("  {name}: {} cells in view", of["cells"]);
        for (part, what) in PARTS {
            for share in ["p50", "p95"] {
                eprintln!(
                    "  {name}, {what}: {share} {:.1} ms, bare {:.1} ms",
                    read_figure(of, &format!("/{part}/grid/{share}"))?,
                    read_figure(of, &format!("/{part}/bare/{share}"))?
                );
            }
            let (ours, bare) =
                (read_figure(of, &format!("/{part}/grid/p95"))?, read_figure(of, &format!("/{part}/bare/p95"))?);
            let most = if (engine, part) == ("chromium", "wheel") { 1.2 } else { 1.5 };
            rows.push(Measurement::at_most("P6", format!("{name}: {what}, frame p95"), "ms", ours, bare, most));
        }
        if let Some(memory) = of.get("memory") {
            for (what, unit) in [("heap", "MiB"), ("nodes", "")] {
                let figures =
                    (read_figure(memory, &format!("/after/{what}"))?, read_figure(memory, &format!("/before/{what}"))?);
                let title = format!("page's {what} after scrolling through it all, against before");
                rows.push(Measurement::at_most("P9", title, unit, figures.0, figures.1, 1.1));
            }
        }
    }
    Ok(rows)
}
