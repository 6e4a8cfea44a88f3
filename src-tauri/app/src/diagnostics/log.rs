//! The log: one line for each event, as text or as JSON. Every line passes the redaction.

use std::{
    env,
    fmt::{self, Write as _},
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use roost_model::time::Timestamp;
use roost_ops::ctx::Clock;
use serde_json::{Map, Value, json};
use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    EnvFilter, Layer,
    filter::LevelFilter,
    fmt::{FmtContext, FormatEvent, FormatFields, MakeWriter, format::Writer, layer},
    layer::SubscriberExt,
    registry,
    registry::LookupSpan,
    util::SubscriberInitExt,
};

use super::redact::FieldText;

/// What to log, such as `debug`.
const FILTER_VARIABLE: &str = "ROOST_LOG";
const FORMAT_VARIABLE: &str = "ROOST_LOG_FORMAT";
const LOG_FILE: &str = "log.jsonl";
const OLDER_LOG_FILE: &str = "log.old.jsonl";
/// The size from which on a new log file is begun.
const FILE_MAX: u64 = 256 << 10;

/// The form of a line of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    Text,
    Json,
}

roost_model::variant_names! { LogFormat { Text = "text", Json = "json" } }

/// Begins to log to standard error, and warnings also to a file in `folder`. `usual` and `usual_format` say what to log,
/// and how, if the environment does not. Call it once.
pub fn start_log(usual: &str, usual_format: LogFormat, folder: Option<&Path>) {
    let filter = EnvFilter::try_from_env(FILTER_VARIABLE).unwrap_or_else(|_| EnvFilter::new(usual));
    let wanted = env::var_os(FORMAT_VARIABLE).unwrap_or_default();
    let format = if wanted.is_empty() { Some(usual_format) } else { wanted.to_str().and_then(LogFormat::parse) };
    let lines = RedactedFormat::new(format.unwrap_or(usual_format));
    let on_screen = layer().event_format(lines).with_ansi(false).with_writer(io::stderr).with_filter(filter);
    let in_file = folder.map(|folder| {
        let lines = RedactedFormat::new(LogFormat::Json);
        layer().event_format(lines).with_ansi(false).with_writer(LogFile::new(folder)).with_filter(LevelFilter::WARN)
    });
    registry().with(on_screen).with(in_file).init();
    if format.is_none() {
        tracing::error!("the variable for the format of the log is neither text nor json, so the usual one is used");
    }
}

/// Returns the lines of the log files in the data folder, the oldest first.
pub fn read_log_files(folder: &Path) -> String {
    [OLDER_LOG_FILE, LOG_FILE].iter().filter_map(|name| fs::read_to_string(folder.join(name)).ok()).collect()
}

/// Formats an event without the values of its fields that may be about a person.
struct RedactedFormat {
    format: LogFormat,
    clock: Clock,
}

impl RedactedFormat {
    fn new(format: LogFormat) -> Self {
        Self { format, clock: Clock::system() }
    }

    fn time_text(&self) -> String {
        let (second, nanos) = Timestamp::from_nanos(self.clock.real_nanos());
        format!("{}.{:06}Z", second.to_iso().trim_end_matches('Z'), nanos / 1_000)
    }
}

impl<S, N> FormatEvent<S, N> for RedactedFormat
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, _: &FmtContext<'_, S, N>, mut out: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let (level, target) = (event.metadata().level(), event.metadata().target());
        let mut fields = FieldReader { target, message: String::new(), fields: Map::new() };
        event.record(&mut fields);
        let time = self.time_text();
        match self.format {
            LogFormat::Json => {
                let line = json!({
                    "time": time,
                    "level": level.as_str(),
                    "target": target,
                    "message": fields.message,
                    "fields": fields.fields,
                });
                writeln!(out, "{line}")
            }
            LogFormat::Text => {
                write!(out, "{time} {} {target}: {}", level_word(*level), fields.message)?;
                for (name, value) in &fields.fields {
                    match value.as_str() {
                        Some(text) => write!(out, " {name}={text}")?,
                        None => write!(out, " {name}={value}")?,
                    }
                }
                out.write_char('\n')
            }
        }
    }
}

fn level_word(level: Level) -> &'static str {
    match level {
        Level::ERROR => "ERROR",
        Level::WARN => " WARN",
        Level::INFO => " INFO",
        Level::DEBUG => "DEBUG",
        Level::TRACE => "TRACE",
    }
}

struct FieldReader<'a> {
    target: &'a str,
    message: String,
    fields: Map<String, Value>,
}

impl FieldReader<'_> {
    fn add_text(&mut self, field: &Field, text: &str) {
        let text = FieldText::for_field(self.target, field.name()).apply(text);
        if field.name() == "message" { self.message = text } else { self.add(field, text.into()) }
    }

    fn add(&mut self, field: &Field, value: Value) {
        self.fields.insert(field.name().to_owned(), value);
    }
}

impl Visit for FieldReader<'_> {
    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, value.into());
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field, value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add_text(field, value);
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        let mut text = value.to_string();
        let mut cause = value.source();
        while let Some(inner) = cause {
            let _ = write!(text, ": {inner}");
            cause = inner.source();
        }
        self.add_text(field, &text);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add_text(field, &format!("{value:?}"));
    }
}

/// A log file in the data folder. When it is full, it becomes the older one. A file that cannot be written is left out,
/// because there is no other place to report that.
struct LogFile {
    folder: PathBuf,
    open: Mutex<Option<File>>,
}

impl LogFile {
    fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), open: Mutex::default() }
    }

    fn append(&self, line: &[u8]) -> io::Result<()> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let path = self.folder.join(LOG_FILE);
        let is_full = |file: &File| file.metadata().is_ok_and(|about| about.len() >= FILE_MAX);
        if open.as_ref().is_none_or(is_full) {
            if fs::metadata(&path).is_ok_and(|about| about.len() >= FILE_MAX) {
                fs::rename(&path, self.folder.join(OLDER_LOG_FILE))?;
            }
            let mut options = OpenOptions::new();
            options.append(true).create(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            *open = Some(options.open(&path)?);
        }
        match open.as_mut() {
            Some(file) => file.write_all(line),
            None => Ok(()),
        }
    }
}

impl<'a> MakeWriter<'a> for LogFile {
    type Writer = LogFileWriter<'a>;

    fn make_writer(&'a self) -> Self::Writer {
        LogFileWriter(self)
    }
}

struct LogFileWriter<'a>(&'a LogFile);

impl Write for LogFileWriter<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        // Nothing can be done about a full disk here.
        let _ = self.0.append(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tracing::subscriber::with_default;

    use super::*;

    #[derive(Clone, Default)]
    struct SharedLines(Arc<Mutex<Vec<u8>>>);

    impl Write for SharedLines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn log_lines(format: LogFormat) -> String {
        let lines = SharedLines::default();
        let out = lines.clone();
        let shown = layer().event_format(RedactedFormat::new(format)).with_writer(move || out.clone());
        with_default(registry().with(shown), || {
            let why = io::Error::other("the list \"Members\" of anna@example.com");
            tracing::warn!(target: "roost_store::db", %why, count = 3, method = "GET", world = "Members", "it failed");
            tracing::error!(target: "roost_app", error = &why as &(dyn std::error::Error + 'static), "it failed again");
            tracing::debug!(target: "h2::codec", header = "X-AUTH-KEY: open", length = 7, "received +447700900001");
        });
        String::from_utf8(lines.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn both_forms_of_a_line_leave_out_values() {
        let text = log_lines(LogFormat::Text);
        let lines: Vec<&str> = text.lines().map(|line| &line[28..]).collect();
        assert_eq!(
            lines,
            [
                " WARN roost_store::db: it failed count=3 method=GET why=the list [text] of [address] world=[removed]",
                "ERROR roost_app: it failed again error=the list [text] of [address]",
                "DEBUG h2::codec: received [number] header=[removed] length=7",
            ]
        );
        let json = log_lines(LogFormat::Json);
        let lines: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(
            (&lines[0]["level"], &lines[0]["target"], &lines[0]["message"], &lines[0]["fields"]["count"]),
            (&json!("WARN"), &json!("roost_store::db"), &json!("it failed"), &json!(3))
        );
        assert_eq!(lines[2]["fields"], json!({ "header": "[removed]", "length": 7 }));
        assert!(lines[0]["time"].as_str().unwrap().starts_with("20"));
        for output in [&text, &json] {
            for value in ["Members", "anna", "open", "7700900001"] {
                assert!(!output.contains(value), "{value}: {output}");
            }
        }
    }

    #[test]
    fn a_log_file_stays_small_and_is_for_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let log = LogFile::new(folder.path());
        let line = [vec![b'x'; 1_023], vec![b'\n']].concat();
        for _ in 0..600 {
            log.append(&line).unwrap();
        }
        let sizes = [LOG_FILE, OLDER_LOG_FILE].map(|name| fs::metadata(folder.path().join(name)).unwrap().len());
        assert_eq!(sizes, [600 * 1_024 - 2 * FILE_MAX, FILE_MAX]);
        assert_eq!(read_log_files(folder.path()).lines().count(), 344);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(folder.path().join(LOG_FILE)).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}
