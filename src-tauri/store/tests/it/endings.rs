//! Plays histories in processes of their own that end badly: with a kill, on a full disk or with a damaged page. Tests of
//! other crates use it too.

use std::{
    env, fs,
    hash::{BuildHasher, BuildHasherDefault, DefaultHasher},
    io::{BufRead, BufReader, Seek, SeekFrom, Write},
    path::Path,
    process::{Command, Stdio},
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::Duration,
};

const PAGE: u64 = 4_096;
/// What a process says about its history, each word before a text.
const WORDS: [&str; 3] = ["state", "coming", "copied"];

/// Returns a number below `below` that follows from the history and from what it is about.
pub(crate) fn random(history: u64, about: &str, below: u64) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one((history, about)) % below
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HistoryEnding {
    Kill,
    FullDisk,
    DamagedPage,
}

impl HistoryEnding {
    pub(crate) const ALL: [Self; 3] = [Self::Kill, Self::FullDisk, Self::DamagedPage];
}

/// A small device at a folder, which is unmounted when it is dropped.
pub(crate) struct SmallDevice<'a>(&'a Path);

impl<'a> SmallDevice<'a> {
    pub(crate) fn mount(folder: &'a Path, bytes: u64) -> Option<Self> {
        let size = format!("size={bytes}");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder).output();
        let is_mounted = mounted.is_ok_and(|output| output.status.success());
        if !is_mounted {
            eprintln!("NOT RUN on a full disk: mounting needs more rights");
        }
        is_mounted.then_some(Self(folder))
    }
}

impl Drop for SmallDevice<'_> {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(self.0).status());
    }
}

/// Overwrites a page of the file, but not the first one, which says whose file it is.
pub(crate) fn damage_page(file: &Path, history: u64) {
    let pages = fs::metadata(file).unwrap().len() / PAGE;
    let mut file = fs::OpenOptions::new().write(true).open(file).unwrap();
    file.seek(SeekFrom::Start(PAGE * (1 + random(history, "page", pages - 1)))).unwrap();
    file.write_all(&[0x5a; PAGE as usize]).unwrap();
}

/// Says a word about the history that this process plays.
pub(crate) fn say(word: &str, text: &str) {
    let mut out = std::io::stdout();
    writeln!(out, "\n{word} {text}").and_then(|()| out.flush()).unwrap();
}

/// A history in a process of its own.
pub(crate) struct HistoryProcess<'a> {
    /// The ignored test that plays it: with HISTORY_FILE, HISTORY and HISTORY_DAMAGE in its environment.
    pub test: &'a str,
    pub file: &'a Path,
    pub history: u64,
    /// The number of states after which it is killed, if it is.
    pub killed_after: Option<u64>,
    /// The act before which it damages a page, if it does.
    pub damaged_before: Option<u64>,
}

impl HistoryProcess<'_> {
    /// Plays the history until it ends or is killed. Returns what it said, word by word.
    pub(crate) fn play(&self) -> Vec<(String, String)> {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", self.test, "--ignored", "--nocapture"]);
        command.env("HISTORY_FILE", self.file).env("HISTORY", self.history.to_string());
        if let Some(act) = self.damaged_before {
            command.env("HISTORY_DAMAGE", act.to_string());
        }
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let wait = |most| thread::sleep(Duration::from_millis(random(self.history, "moment", most)));
        if self.killed_after == Some(0) {
            // Longer than the program takes to start, so that some are killed while they open the account.
            wait(300);
            child.kill().unwrap();
        }
        let (mut said, mut states) = (Vec::new(), 0);
        for line in BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap) {
            let Some((word, text)) = line.split_once(' ').filter(|(word, _)| WORDS.contains(word)) else { continue };
            said.push((word.to_owned(), text.to_owned()));
            states += u64::from(word == "state");
            if word == "state" && Some(states) == self.killed_after {
                wait(40);
                child.kill().unwrap();
            }
        }
        let ended = child.wait().unwrap();
        assert!(ended.success() || self.killed_after.is_some(), "history {}: {ended}", self.history);
        said
    }
}

/// Checks histories on two threads: this many, or as many times more as ROOST_TIMES says, as in `make soak`. `check`
/// returns whether there was a copy to go back to, which must be so for more than half of them.
pub(crate) fn check_histories(histories: u64, check: impl Fn(u64) -> bool + Sync) {
    let times = env::var("ROOST_TIMES").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let histories = histories * times;
    let (next, with_copy) = (AtomicU64::new(0), AtomicU64::new(0));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for history in std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed))) {
                    if history >= histories {
                        return;
                    }
                    with_copy.fetch_add(check(history).into(), Ordering::Relaxed);
                }
            });
        }
    });
    let with_copy = with_copy.into_inner();
    assert!(with_copy > histories / 2, "{with_copy} of {histories} histories were copied");
}
