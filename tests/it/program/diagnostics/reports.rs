//! Reports of crashes: what they hold, where they are, and that the programs write them.

use std::{
    env, fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    process::{Command, Output},
    thread,
};

use roost_app::diagnostics::crash;
use roost_tests::{leaks::files, spawned};
use tempfile::TempDir;

use super::Marker;

const MARKERS: [&str; 3] = ["Quagga Members", "+447700900123", "a-key-of-the-kakapo-9c41"];
const CRASHES: usize = 12;

/// Runs the test below in a process of its own, which then crashes.
fn run_crashing(data: &Path, backtrace: Option<&str>) -> Output {
    let mut command = Command::new(env::current_exe().expect("a test is a file"));
    command.args(["--exact", "program::diagnostics::reports::crash_with_values", "--ignored", "--nocapture"]);
    command.env("ROOST_DATA_DIR", data).env_remove("RUST_BACKTRACE");
    if let Some(wanted) = backtrace {
        command.env("RUST_BACKTRACE", wanted);
    }
    let output = command.output().expect("it can be started");
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "{output:?}");
    output
}

fn reports_in(data: &Path) -> Vec<PathBuf> {
    let mut reports = files(&data.join("crashes"));
    reports.sort();
    reports
}

#[test]
#[ignore = "runs in the process that a test below starts"]
fn crash_with_values() {
    crash::report_crashes(crash::COMMAND_LINE, roost_app::find_data_folder());
    let held = MARKERS.join(", ");
    let crash = |act: &dyn Fn()| assert!(catch_unwind(AssertUnwindSafe(act)).is_err());
    crash(&|| panic!("BUG: {held}"));
    let refused: Result<(), &String> = if held.is_empty() { Ok(()) } else { Err(&held) };
    crash(&|| refused.unwrap());
    crash(&|| assert_eq!(held, MARKERS[0], "{held}"));
    crash(&|| assert!(held[1..].is_char_boundary(held.len() + 1), "{}", &held[..held.len() + 5]));
    crash(&|| std::panic::panic_any(held.clone()));
    crash(&|| panic!("a text of the program"));
    let thread = thread::Builder::new().name("a worker".to_owned()).spawn(|| panic!("in a thread")).expect("a thread");
    assert!(thread.join().is_err());
    for _ in 7..CRASHES {
        crash(&|| panic!("again: {held}"));
    }
}

#[test]
fn a_report_says_where_and_when_and_holds_no_value() {
    let place = TempDir::new().expect("a folder");
    let stderr = run_crashing(place.path(), None).stderr;
    let reports = reports_in(place.path());
    assert_eq!(reports.len(), 10, "the newest ten: {reports:?}");
    let texts: Vec<String> = reports.iter().map(|path| fs::read_to_string(path).expect("a report")).collect();
    for marker in MARKERS.map(Marker::new) {
        marker.is_absent_from("standard error", &stderr);
        texts.iter().for_each(|text| marker.is_absent_from("a report", text.as_bytes()));
    }
    for text in &texts {
        for part in ["program: roost\n", concat!("version: ", env!("CARGO_PKG_VERSION"), "\n"), "time: 20", "message: "]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(text.contains("place: tests/it/program/diagnostics/reports.rs:"), "{text}");
        let trace = text.split("\n\n").nth(1).expect("a backtrace");
        assert!(trace.contains("crash_with_values") && trace.contains("reports.rs:"), "with lines: {trace}");
    }
    let has = |part: &str| texts.iter().any(|text| text.contains(part));
    assert!(has("message: a text of the program\n") && has("thread: a worker\n"), "{}", texts.join("\n"));
    let stderr = String::from_utf8_lossy(&stderr);
    let newest = reports.last().expect("a report").to_string_lossy().into_owned();
    assert!(stderr.contains("roost: internal error at tests/it/") && stderr.contains(&newest), "{stderr}");
    #[cfg(unix)]
    for path in &reports {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(path).expect("a report").permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn whoever_sets_the_variable_for_backtraces_sees_the_whole_message() {
    let place = TempDir::new().expect("a folder");
    let stderr = run_crashing(place.path(), Some("1")).stderr;
    assert!(String::from_utf8_lossy(&stderr).contains(MARKERS[0]));
}

#[test]
fn without_a_folder_the_place_is_still_reported() {
    let place = TempDir::new().expect("a folder");
    let file = place.path().join("file");
    fs::write(&file, "").expect("a file");
    let stderr = run_crashing(&file, None).stderr;
    assert!(String::from_utf8_lossy(&stderr).contains("Its report could not be written"), "{stderr:?}");
}

/// A user who may not start another thread: the runtime of the server panics.
#[test]
#[cfg(target_os = "linux")]
fn the_command_line_writes_a_report() {
    use std::os::unix::fs::PermissionsExt;
    const USER: &str = "64217";
    let place = TempDir::new().expect("a folder");
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o777)).expect("our own folder");
    let is_root = fs::metadata("/proc/self").is_ok_and(|about| std::os::unix::fs::MetadataExt::uid(&about) == 0);
    let mut command = Command::new(if is_root { "setpriv" } else { "prlimit" });
    if is_root {
        command.args(["--reuid", USER, "--clear-groups", "prlimit"]);
    }
    command.args(["--nproc=1"]).arg(copy_for_everybody(place.path())).args(["serve", "--port", "0"]);
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("ROOST_")) {
        command.env_remove(name);
    }
    command.env("ROOST_DATA_DIR", place.path().join("data")).env_remove("RUST_BACKTRACE");
    let output = command.output().expect("util-linux is installed");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && stderr.contains("A report without your data is in "), "{stderr}");
    let reports = reports_in(&place.path().join("data"));
    assert_eq!(reports.len(), 1, "{stderr}");
    let report = fs::read_to_string(&reports[0]).expect("a report");
    assert!(
        report.starts_with("program: roost\n") && report.contains("backtrace") || report.contains("   0: "),
        "{report}"
    );
}

/// The folder of the tests may not be open to another user.
#[cfg(target_os = "linux")]
pub(super) fn copy_for_everybody(folder: &Path) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let copy = folder.join("roost");
    fs::copy(spawned::binary(), &copy).expect("a copy");
    fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).expect("our own file");
    copy
}
