//! The open account and the helpers from which requests are built.

use std::{
    cell::Cell,
    error::Error,
    path::{Path, PathBuf},
    time::Instant,
};

use roost_app::{App, CommandResponse, Desktop, FileKind};
use serde_json::{Value, json};

use super::fill;

pub(super) type CommandResult = Result<Value, Box<dyn Error>>;

pub(super) struct BenchWorld {
    pub app: App,
    pub folder: PathBuf,
    pub numbers: Vec<String>,
    counter: Cell<usize>,
}

/// Returns the milliseconds for which this thread was ready to run but did not, as Linux counts them. Returns 0 on
/// other systems.
fn queued_ms() -> f64 {
    let schedstat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    schedstat.split_whitespace().nth(1).and_then(|ns| ns.parse::<f64>().ok()).unwrap_or_default() / 1e6
}

/// A desktop whose user answers at once.
struct QuickDesktop(PathBuf);

impl Desktop for QuickDesktop {
    fn choose_save_path(&self, _: &str, _: FileKind) -> Option<PathBuf> {
        Some(self.0.join("saved.csv"))
    }
    fn choose_account(&self, _: Option<&Path>) -> Option<PathBuf> {
        Some(self.0.join("other.roost"))
    }
    fn choose_files(&self) -> Vec<PathBuf> {
        vec![self.0.join("people.csv")]
    }
    fn notify(&self, _: &str, _: &str) -> Result<bool, String> {
        Ok(true)
    }
    fn reveal(&self, _: &Path) -> Result<(), String> {
        Ok(())
    }
    fn open_window(&self) -> Result<(), String> {
        Ok(())
    }
    fn browse(&self, _: &str) -> Result<(), String> {
        Ok(())
    }
}

impl BenchWorld {
    /// Opens the account as the window does.
    pub(super) fn open(folder: &Path, numbers: Vec<String>) -> Self {
        let world = Self::open_in_browser(folder, numbers);
        world.app.set_desktop(QuickDesktop(folder.to_owned()));
        world
    }

    /// Opens the account without a desktop: the page fetches exported files part by part.
    pub(super) fn open_in_browser(folder: &Path, numbers: Vec<String>) -> Self {
        let app = App::with_config_folder(folder, None);
        Self { app, folder: folder.to_owned(), numbers, counter: Cell::new(0) }
    }

    /// Runs a command as the window does, with text in and text out. Returns the response with the milliseconds it
    /// took, without the time in which other programs had the processor.
    pub(super) fn run_timed(&self, command: &str, request: &str) -> Result<(f64, String), Box<dyn Error>> {
        let (begin, queued) = (Instant::now(), queued_ms());
        let payload: Value = serde_json::from_str(request)?;
        let answer = self.app.run_command(command, payload, Some("bench".to_owned()));
        let text = match answer.map_err(|why| format!("{command}: {why:?} for {request:.300}"))? {
            CommandResponse::Json(answer) => serde_json::to_string(&answer)?,
            CommandResponse::Bytes(_) => String::new(),
        };
        Ok((begin.elapsed().as_secs_f64() * 1_000.0 - (queued_ms() - queued), text))
    }

    pub(super) fn run_command(&self, command: &str, request: Value) -> CommandResult {
        Ok(serde_json::from_str(&self.run_timed(command, &request.to_string())?.1)?)
    }

    /// Changes the account so that every cached value becomes outdated.
    pub(super) fn outdate_caches(&self) -> Result<(), Box<dyn Error>> {
        let entry = json!({ "number": self.numbers[1], "channels": ["SMS"], "asset": null });
        self.run_command("opt_out_add", json!({ "entries": [entry], "reason": "Asked", "region": null })).map(drop)
    }

    /// Returns a different number each time.
    pub(super) fn next_number(&self) -> usize {
        self.counter.set(self.counter.get() + 1);
        self.counter.get()
    }

    pub(super) fn list_uid(&self, number: usize) -> String {
        fill::make_id("LST", number)
    }

    /// Copies a list: a small one, or the large one.
    pub(super) fn copy_of(&self, list: usize) -> Result<(String, String), Box<dyn Error>> {
        let name = format!("Copy {}", self.next_number());
        let made = self.run_command("list_duplicate", json!({ "uid": self.list_uid(list), "name": name }))?;
        Ok((made["uid"].as_str().ok_or("no uid")?.to_owned(), name))
    }

    /// Returns the UIDs of the newest contacts of a list.
    pub(super) fn newest_contacts(&self, list: &str, count: usize) -> Result<Vec<Value>, Box<dyn Error>> {
        let mut uids = Vec::new();
        for page in 1..=count.div_ceil(100) {
            let answer = self.run_command("contact_page", contact_page(list, page, 100, Value::Null, Value::Null))?;
            uids.extend(answer["items"].as_array().into_iter().flatten().map(|item| item["uid"].clone()));
        }
        uids.truncate(count);
        Ok(uids)
    }

    /// Returns numbers that begin at `from` and are `step` apart.
    pub(super) fn some_numbers(&self, from: usize, step: usize, count: usize) -> Vec<&String> {
        self.numbers.iter().cycle().skip(from).step_by(step).take(count).collect()
    }
}

pub(super) fn contact_page(list: &str, page: usize, size: usize, sort: Value, filter: Value) -> Value {
    json!({ "list": list, "page_number": page, "page_size": size, "sort": sort, "filter": filter, "opted_out": null })
}
