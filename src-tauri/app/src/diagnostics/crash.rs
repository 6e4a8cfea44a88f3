//! Reports of crashes: what a panic was and where, in a file of the data folder. A report holds no value of an account.

use std::{
    any::Any,
    backtrace::Backtrace,
    env,
    fmt::Write as _,
    fs::{self, OpenOptions},
    io::{self, Write},
    panic::{self, PanicHookInfo},
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU32, Ordering},
    thread,
};

use roost_model::time::Timestamp;
use roost_ops::ctx::Clock;

/// The folder of the reports in the data folder.
const FOLDER: &str = "crashes";
/// The file that names the newest report that the window has shown.
const SHOWN_FILE: &str = "shown";
const REPORTS_MAX: usize = 10;
const REPORT_SUFFIX: &str = ".txt";
const BACKTRACE_MAX: usize = 64 << 10;
/// The programs that write reports.
pub const WINDOW: &str = "roost-desktop";
pub const COMMAND_LINE: &str = "roost";

/// The messages of the language's own library, as far as they hold no value of the program.
const KNOWN_BEGINNINGS: [&str; 6] = [
    "called `Result::unwrap()` on an `Err` value",
    "called `Option::unwrap()` on a `None` value",
    "assertion `left == right` failed",
    "assertion `left != right` failed",
    "byte index",
    "failed printing to std",
];
/// The messages of the library whose values are positions.
const KNOWN_POSITIONS: [&str; 4] =
    ["index out of bounds: the len is", "range end index", "range start index", "slice index starts at"];
const WITHHELD: &str = "[withheld, because it may contain a value; the line of code says what it is about]";

/// Numbers the reports of this process.
static NEXT_NUMBER: AtomicU32 = AtomicU32::new(0);

/// A report in the data folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CrashReport {
    /// The UTC time in its name, such as `20260105-090000`.
    pub date: String,
    pub program: String,
    pub path: PathBuf,
}

impl CrashReport {
    /// Parses a name such as `roost-20260105-090000-4711-0000.txt`.
    fn parse(path: PathBuf) -> Option<Self> {
        let stem = path.file_name()?.to_str()?.strip_suffix(REPORT_SUFFIX)?;
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let parts: Vec<&str> = stem.split('-').collect();
        let [program @ .., day, time, process, number] = &parts[..] else { return None };
        let program = program.join("-");
        let is_report = [WINDOW, COMMAND_LINE].contains(&&*program)
            && [day, time, process, number].iter().all(|part| is_number(part))
            && (day.len(), time.len()) == (8, 6);
        let date = format!("{day}-{time}");
        is_report.then_some(Self { date, program, path })
    }

    /// Returns the time as 2026-01-05T09:00:00Z.
    pub fn time_text(&self) -> String {
        let part = |from: usize, to: usize| self.date.get(from..to).unwrap_or_default();
        let day = format!("{}-{}-{}", part(0, 4), part(4, 6), part(6, 8));
        format!("{day}T{}:{}:{}Z", part(9, 11), part(11, 13), part(13, 15))
    }
}

/// Writes a report into the data folder when the program panics, and says on standard error where it is. Whoever set
/// `RUST_BACKTRACE` also sees the whole message.
pub fn report_crashes(program: &'static str, data_folder: Option<PathBuf>) {
    let usual = panic::take_hook();
    let wants_all = env::var_os("RUST_BACKTRACE").is_some_and(|wanted| wanted != "0");
    panic::set_hook(Box::new(move |info| {
        let report = describe_panic(program, info);
        let saved = data_folder.as_deref().map(|folder| save_report(folder, program, &report));
        let place = info.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
        let outcome = match saved {
            Some(Ok(path)) => format!("A report without your data is in {}.", visible_path(&path)),
            Some(Err(why)) => format!("Its report could not be written: {why}."),
            None => "There is no folder for a report.".to_owned(),
        };
        // Standard error may be closed. There is no other place to say it.
        let _ = writeln!(io::stderr(), "{program}: internal error at {place}. {outcome}");
        if wants_all {
            usual(info);
        }
    }));
}

fn visible_path(path: &Path) -> String {
    path.to_string_lossy().chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

fn read_time() -> Timestamp {
    Timestamp::from_nanos(Clock::system().real_nanos()).0
}

fn describe_panic(program: &str, info: &PanicHookInfo) -> String {
    let mut text = String::new();
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    let thread = thread::current();
    for (name, value) in [
        ("program", program),
        ("version", env!("CARGO_PKG_VERSION")),
        ("time", &*read_time().to_iso()),
        ("system", &*format!("{} {}", env::consts::OS, env::consts::ARCH)),
        ("thread", thread.name().unwrap_or("without a name")),
        ("place", &*place),
        ("message", &*describe_message(info.payload())),
    ] {
        let _ = writeln!(text, "{name}: {value}");
    }
    let trace = without_home(&Backtrace::force_capture().to_string());
    let cut: String = trace.chars().take(BACKTRACE_MAX).collect();
    let _ = write!(text, "\n{cut}");
    text
}

/// Returns the message of a panic if it is a text of the program. A message that was put together may contain a value.
fn describe_message(payload: &dyn Any) -> String {
    if let Some(text) = payload.downcast_ref::<&'static str>() {
        return (*text).to_owned();
    }
    let Some(text) = payload.downcast_ref::<String>() else { return WITHHELD.to_owned() };
    let line = text.lines().next().unwrap_or_default();
    let is_position = |line: &str| line.len() < 200 && !line.contains(['"', '\'', '`']);
    if KNOWN_POSITIONS.iter().any(|known| line.starts_with(known)) && is_position(line) {
        return line.to_owned();
    }
    match KNOWN_BEGINNINGS.iter().find(|known| line.starts_with(**known)) {
        Some(known) => format!("{known} {WITHHELD}"),
        None => WITHHELD.to_owned(),
    }
}

/// Replaces the home folder, whose name is that of a person.
fn without_home(text: &str) -> String {
    match env::var("HOME").or_else(|_| env::var("USERPROFILE")) {
        Ok(home) if home.len() > 1 => text.replace(&home, "~"),
        _ => text.to_owned(),
    }
}

fn save_report(data_folder: &Path, program: &str, report: &str) -> io::Result<PathBuf> {
    let folder = data_folder.join(FOLDER);
    make_private_folder(&folder)?;
    let date: String = read_time().to_iso().chars().filter(char::is_ascii_digit).collect();
    let (day, time) = date.split_at(8);
    let path = loop {
        // A number is not used twice, so that a new report never counts as the oldest one.
        let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("{program}-{day}-{time}-{}-{number:04}{REPORT_SUFFIX}", process::id()));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(&path) {
            Ok(mut file) => {
                file.write_all(report.as_bytes())?;
                break path;
            }
            Err(why) if why.kind() == io::ErrorKind::AlreadyExists => {}
            Err(why) => return Err(why),
        }
    };
    for old in list_reports(data_folder).into_iter().skip(REPORTS_MAX) {
        // An old report that cannot be removed does no harm.
        let _ = fs::remove_file(old.path);
    }
    Ok(path)
}

fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Lists the reports in the data folder, the newest first.
pub fn list_reports(data_folder: &Path) -> Vec<CrashReport> {
    let entries = fs::read_dir(data_folder.join(FOLDER)).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let mut reports: Vec<CrashReport> = files.filter_map(|entry| CrashReport::parse(entry.path())).collect();
    reports.sort_by(|one, other| other.cmp(one));
    reports
}

pub fn newest_window_report(data_folder: &Path) -> Option<CrashReport> {
    list_reports(data_folder).into_iter().find(|report| report.program == WINDOW)
}

/// Returns the newest report of the window that was not shown yet.
pub fn find_unseen_report(data_folder: &Path) -> Option<CrashReport> {
    let newest = newest_window_report(data_folder)?;
    let shown = fs::read_to_string(data_folder.join(FOLDER).join(SHOWN_FILE)).unwrap_or_default();
    (report_name(&newest) != shown).then_some(newest)
}

/// Records that a report was shown, so that it is shown once.
pub fn mark_report_seen(data_folder: &Path, report: &CrashReport) -> io::Result<()> {
    fs::write(data_folder.join(FOLDER).join(SHOWN_FILE), report_name(report))
}

fn report_name(report: &CrashReport) -> String {
    report.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_may_contain_a_value_is_withheld() {
        let describe = |text: &str| describe_message(&text.to_owned());
        assert_eq!(describe_message(&"the list is open twice"), "the list is open twice");
        let position = "index out of bounds: the len is 3 but the index is 7";
        assert_eq!(describe(position), position);
        for text in [
            "called `Result::unwrap()` on an `Err` value: \"Members\"",
            "the list Members is open twice",
            "assertion `left == right` failed\n  left: \"Members\"",
            "byte index 3 is not a char boundary; it is inside 'é' (bytes 2..4) of `Members`",
            "index out of bounds: the len is 'Members'",
        ] {
            assert!(!describe(text).contains("Members"), "{text}: {}", describe(text));
        }
        assert!(!describe_message(&7_u8).is_empty());
    }

    #[test]
    fn the_newest_ten_reports_stay_and_no_other_file_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let crashes = folder.path().join(FOLDER);
        fs::create_dir(&crashes).unwrap();
        fs::write(crashes.join("notes.txt"), "mine").unwrap();
        for second in 0..14 {
            fs::write(crashes.join(format!("roost-20200101-0000{second:02}-7-0.txt")), "old").unwrap();
        }
        let made = save_report(folder.path(), WINDOW, "new").unwrap();
        let reports = list_reports(folder.path());
        assert_eq!((reports.len(), &reports[0].path), (REPORTS_MAX, &made));
        assert_eq!(reports[9].date, "20200101-000005");
        assert_eq!(reports[9].time_text(), "2020-01-01T00:00:05Z");
        assert_eq!(fs::read_to_string(crashes.join("notes.txt")).unwrap(), "mine");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&made).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn a_report_of_the_window_is_unseen_until_it_was_shown() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(find_unseen_report(folder.path()), None);
        save_report(folder.path(), COMMAND_LINE, "of a command").unwrap();
        assert_eq!(find_unseen_report(folder.path()), None);
        let made = save_report(folder.path(), WINDOW, "of the window").unwrap();
        let report = find_unseen_report(folder.path()).unwrap();
        assert_eq!(report.path, made);
        mark_report_seen(folder.path(), &report).unwrap();
        assert_eq!(find_unseen_report(folder.path()), None);
    }
}
