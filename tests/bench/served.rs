//! Runs the release binary as a separate process for measurements.

use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use crate::{ended::EndedProcess, memory};

pub(crate) struct ServedProcess {
    child: EndedProcess,
    /// `127.0.0.1:port`
    pub address: String,
    pub token: String,
    _folder: tempfile::TempDir,
}

/// Returns the path of the release binary, which `make bench` builds first.
pub(crate) fn release_binary() -> Result<PathBuf, Box<dyn Error>> {
    let path = PathBuf::from("target/release/roost");
    if path.exists() { Ok(path) } else { Err("target/release/roost is not there: run this as `make bench`".into()) }
}

pub(crate) fn start(args: &[&str]) -> Result<ServedProcess, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let ready = folder.path().join("ready.json");
    let child = Command::new(release_binary()?)
        .args(["serve", "--port", "0", "--limits", "off", "--ready-file"])
        .arg(&ready)
        .args(args)
        .stdout(Stdio::null())
        .spawn()?;
    let mut served =
        ServedProcess { child: EndedProcess(child), address: String::new(), token: String::new(), _folder: folder };
    (served.address, served.token) = wait_ready(&ready)?;
    Ok(served)
}

fn wait_ready(ready: &Path) -> Result<(String, String), Box<dyn Error>> {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(120) {
        if let Ok(text) = fs::read_to_string(ready) {
            let value: serde_json::Value = serde_json::from_str(&text)?;
            let url = value["url"].as_str().ok_or("the ready file has no url")?;
            let token = value["admin_token"].as_str().ok_or("the ready file has no token")?;
            return Ok((url.trim_start_matches("http://").to_owned(), token.to_owned()));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Err("the server was not ready in two minutes".into())
}

impl ServedProcess {
    /// Returns the resident memory in MiB.
    pub(crate) fn resident_mib(&self) -> Result<f64, Box<dyn Error>> {
        memory::resident_of(self.child.0.id())
    }
}
