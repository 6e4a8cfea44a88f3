//! The real binary as a process of its own, for tests of its edges: signals, kills, exit statuses.

use std::{
    fs::{self, File},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

use crate::{http::Client, wait::until};

/// A running `roost serve`; killed when dropped.
pub struct Spawned {
    child: Child,
    ready: Value,
    /// Ready file and what it printed.
    folder: TempDir,
}

/// The binary beside this test's own.
pub fn binary() -> PathBuf {
    let test = std::env::current_exe().expect("a test is a file");
    let profile =
        test.ancestors().find(|folder| folder.join("deps").is_dir()).expect("tests lie below target/<profile>");
    let binary = profile.join("roost");
    assert!(
        binary.is_file(),
        "{} is missing: run `cargo build -p roost-cli` first (`make test` does)",
        binary.display()
    );
    binary
}

/// `roost` with these arguments, without the settings of whoever runs the tests.
pub fn command<S: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(binary());
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("ROOST_")) {
        command.env_remove(name);
    }
    command.args(args).stdin(Stdio::null());
    command
}

impl Spawned {
    /// `roost serve` with these further arguments, once it answers.
    #[track_caller]
    pub fn start<S: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = S>) -> Self {
        Self::try_start(args).unwrap_or_else(|(status, stderr)| panic!("roost serve ended with {status}: {stderr}"))
    }

    /// The same; when it ends instead, its status and standard error.
    pub fn try_start<S: AsRef<std::ffi::OsStr>>(
        args: impl IntoIterator<Item = S>,
    ) -> Result<Self, (ExitStatus, String)> {
        Self::try_start_with(args, &[])
    }

    /// The same with these environment variables.
    pub fn try_start_with<S: AsRef<std::ffi::OsStr>>(
        args: impl IntoIterator<Item = S>,
        variables: &[(&str, &str)],
    ) -> Result<Self, (ExitStatus, String)> {
        let mut command = command(["serve"]);
        command.args(args).envs(variables.iter().copied());
        Self::of(command)
    }

    /// The same with a signal ignored from the start, or not, whatever whoever runs the tests does with it.
    #[track_caller]
    pub fn start_with_signal<S: AsRef<std::ffi::OsStr>>(
        word: &str,
        signal: &str,
        args: impl IntoIterator<Item = S>,
    ) -> Self {
        let plain = command(["serve"]);
        let mut command = Command::new("env");
        command.arg(format!("--{word}-signal={signal}"));
        for (name, _) in plain.get_envs() {
            command.arg("-u").arg(name);
        }
        command.arg(plain.get_program()).args(plain.get_args()).args(args).stdin(Stdio::null());
        Self::of(command).unwrap_or_else(|(status, stderr)| panic!("roost serve ended with {status}: {stderr}"))
    }

    fn of(mut command: Command) -> Result<Self, (ExitStatus, String)> {
        let folder = TempDir::new().expect("a folder for the ready file");
        let file = |name: &str| File::create(folder.path().join(name)).expect("a file for what it prints");
        command.args(["--port", "0", "--ready-file"]).arg(folder.path().join("ready.json"));
        let mut child =
            command.stdout(file("stdout")).stderr(file("stderr")).spawn().expect("the binary can be started");
        let ready = until("roost serve is ready", || {
            let ready = read_ready(&folder.path().join("ready.json"));
            match child.try_wait().expect("a child can be waited for") {
                Some(status) => Some(Err(status)),
                None => ready.map(Ok),
            }
        });
        match ready {
            Ok(ready) => Ok(Self { child, ready, folder }),
            Err(status) => Err((status, read_text(&folder.path().join("stderr")))),
        }
    }

    /// What the ready file says.
    pub fn ready(&self) -> &Value {
        &self.ready
    }

    pub fn ready_file(&self) -> PathBuf {
        self.folder.path().join("ready.json")
    }

    fn ready_text(&self, key: &str) -> &str {
        self.ready[key].as_str().unwrap_or_else(|| panic!("the ready file has no text {key}: {}", self.ready))
    }

    pub fn url(&self) -> &str {
        self.ready_text("url")
    }

    pub fn admin_token(&self) -> &str {
        self.ready_text("admin_token")
    }

    pub fn address(&self) -> SocketAddr {
        let address = self.url().strip_prefix("http://").and_then(|rest| rest.trim_end_matches('/').parse().ok());
        address.unwrap_or_else(|| panic!("no address of loopback: {}", self.url()))
    }

    pub fn client(&self) -> Client {
        Client::new(self.address())
    }

    pub fn admin(&self) -> Client {
        self.client().with_token(self.admin_token())
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn stdout(&self) -> String {
        read_text(&self.folder.path().join("stdout"))
    }

    /// The first lines it prints, as soon as there are so many. The ready file is there before they are.
    #[track_caller]
    pub fn first_lines(&self, count: usize) -> Vec<String> {
        until("its first lines are printed", || {
            let text = self.stdout();
            let whole = text.rfind('\n').map_or("", |end| &text[..end]);
            let lines: Vec<String> = whole.lines().take(count).map(str::to_owned).collect();
            (lines.len() == count).then_some(lines)
        })
    }

    pub fn stderr(&self) -> String {
        read_text(&self.folder.path().join("stderr"))
    }

    /// `kill -9`: it learns nothing of it.
    pub fn kill(&mut self) {
        self.child.kill().expect("our own child can be killed");
        self.child.wait().expect("a child can be waited for");
    }

    /// Sends a signal by its name (`TERM`, `INT`, `STOP`).
    pub fn signal(&self, name: &str) {
        let sent =
            Command::new("kill").arg(format!("-{name}")).arg(self.pid().to_string()).status().expect("kill exists");
        assert!(sent.success(), "kill -{name} {} failed", self.pid());
    }

    /// Waits for its end.
    #[track_caller]
    pub fn wait(&mut self) -> ExitStatus {
        until("roost serve has ended", || self.child.try_wait().expect("a child can be waited for"))
    }

    /// Ends it politely and returns how it ended.
    #[track_caller]
    pub fn terminate(&mut self) -> ExitStatus {
        self.signal("TERM");
        self.wait()
    }
}

impl Drop for Spawned {
    fn drop(&mut self) {
        // It may have ended already; then there is nobody to kill.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn read_text(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}

fn read_ready(path: &Path) -> Option<Value> {
    let text = fs::read(path).ok()?;
    Some(serde_json::from_slice(&text).expect("the ready file is written whole"))
}
