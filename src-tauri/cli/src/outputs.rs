//! Outputs of commands: which files a command may write, and how.

use std::{
    env,
    ffi::OsStr,
    fs,
    io::{self, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use clap::{
    ArgMatches,
    builder::{MapValueParser, PathBufValueParser, TypedValueParser, ValueParserFactory},
};
use roost_app::file::{OutputGuard, OutputRefusal, Overwrite, check_writable, write_output};
use roost_exports::{ExportError, SeekableTarget};
use serde::Serialize;

use crate::{
    failure::{CliFailure, read_failure, write_failure},
    sync::PASSPHRASE_FILE,
    terminal::print_json,
};

/// The argument that names an account file.
const ACCOUNT_ARG: &str = "db";
/// The argument whose value can be a file.
const MAPPING_ARG: &str = "map";
/// Values that stand for an account in memory and for standard input.
const NO_FILES: [&str; 2] = [":memory:", "-"];

/// A file that a command writes. An existing file is overwritten only with `--force`.
#[derive(Debug, Clone)]
pub(crate) struct OutputPath(PathBuf);

/// A path that a command uses while it runs, such as a ready file or a socket. The command itself decides what it may
/// replace there.
#[derive(Debug, Clone)]
pub(crate) struct OwnPath(PathBuf);

type PathParser<T> = MapValueParser<PathBufValueParser, fn(PathBuf) -> T>;

impl ValueParserFactory for OutputPath {
    type Parser = PathParser<Self>;

    fn value_parser() -> Self::Parser {
        PathBufValueParser::new().map(Self)
    }
}

impl ValueParserFactory for OwnPath {
    type Parser = PathParser<Self>;

    fn value_parser() -> Self::Parser {
        PathBufValueParser::new().map(Self)
    }
}

impl AsRef<Path> for OwnPath {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl From<PathBuf> for OutputPath {
    fn from(path: PathBuf) -> Self {
        Self(path)
    }
}

/// Why an output was not written.
pub(crate) trait WriteError: From<io::Error> {
    /// Returns the cause if the file cannot be written, and every other error as a failure.
    fn into_io(self) -> Result<io::Error, CliFailure>;
}

impl WriteError for io::Error {
    fn into_io(self) -> Result<io::Error, CliFailure> {
        Ok(self)
    }
}

impl WriteError for ExportError {
    fn into_io(self) -> Result<io::Error, CliFailure> {
        match self {
            Self::File(why) => Ok(why),
            Self::Account(why) => Err(CliFailure::new(why)),
        }
    }
}

impl OutputPath {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn write<E: WriteError>(
        &self,
        force: bool,
        write: impl FnOnce(&mut dyn SeekableTarget) -> Result<(), E>,
    ) -> Result<(), CliFailure> {
        let overwrite = if force { Overwrite::Allowed } else { Overwrite::Never };
        write_output(&self.0, overwrite, write).map_err(|error| match error.into_io() {
            Ok(why) if why.kind() == io::ErrorKind::AlreadyExists => {
                CliFailure::new(OutputRefusal::Exists { output: self.0.clone() })
            }
            Ok(why) => write_failure(&self.0, &why),
            Err(failure) => failure,
        })
    }
}

/// A written file, as `--json` describes it.
#[derive(Serialize)]
struct WrittenFile<T> {
    file: String,
    bytes: u64,
    #[serde(flatten)]
    contents: T,
}

/// Prints which file was written, and what is in it, as JSON. Without a file, standard output has the contents.
pub(crate) fn print_written_file(output: Option<&OutputPath>, contents: impl Serialize) -> Result<(), CliFailure> {
    let Some(OutputPath(path)) = output else { return Ok(()) };
    let bytes = fs::metadata(path).map_err(|why| read_failure(path, &why))?.len();
    print_json(&WrittenFile { file: path.to_string_lossy().into_owned(), bytes, contents })
}

/// Standard output, which is not seekable.
struct StdoutTarget<W> {
    out: W,
    /// Whether the reader closed the pipe.
    is_closed: bool,
}

impl<W> StdoutTarget<W> {
    fn note_end<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        self.is_closed |= done.as_ref().is_err_and(|why| why.kind() == io::ErrorKind::BrokenPipe);
        done
    }
}

impl<W: Write> Write for StdoutTarget<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.out.write(bytes);
        self.note_end(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.out.flush();
        self.note_end(done)
    }
}

impl<W: Write> Seek for StdoutTarget<W> {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        Err(io::ErrorKind::NotSeekable.into())
    }
}

/// Writes to the file, or to standard output if none is named.
pub(crate) fn write_file_or_stdout<E: WriteError>(
    output: Option<&OutputPath>,
    force: bool,
    write: impl FnOnce(&mut dyn SeekableTarget) -> Result<(), E>,
) -> Result<(), CliFailure> {
    if let Some(output) = output {
        return output.write(force, write);
    }
    let mut out = StdoutTarget { out: io::BufWriter::new(io::stdout().lock()), is_closed: false };
    let written = write(&mut out).and_then(|()| Ok(out.flush()?));
    if out.is_closed {
        // The reader needs no more.
        return Ok(());
    }
    written.map_err(|error| match error.into_io() {
        Ok(why) => CliFailure::new(format!("standard output cannot be written: {why}")),
        Err(failure) => failure,
    })
}

#[derive(Default)]
struct NamedPaths {
    accounts: Vec<PathBuf>,
    inputs: Vec<PathBuf>,
    outputs: Vec<PathBuf>,
    own: Vec<PathBuf>,
    has_force: bool,
}

impl NamedPaths {
    fn collect_paths(&mut self, matches: &ArgMatches) {
        fn read_values<'m, T: Clone + Send + Sync + 'static>(matches: &'m ArgMatches, id: &str) -> Vec<&'m T> {
            matches.try_get_many::<T>(id).ok().flatten().into_iter().flatten().collect()
        }
        self.has_force |= matches.try_get_one::<bool>("force").ok().flatten().is_some_and(|force| *force);
        for id in matches.ids().map(clap::Id::as_str) {
            let read = read_values::<PathBuf>(matches, id).into_iter().cloned();
            let read = read.filter(|path| !NO_FILES.map(OsStr::new).contains(&path.as_os_str()));
            if id == ACCOUNT_ARG {
                self.accounts.extend(read)
            } else {
                self.inputs.extend(read)
            }
            // The value is a meaning of a column, or the path of a mapping.
            if id == MAPPING_ARG {
                self.inputs.extend(read_values::<String>(matches, id).into_iter().map(PathBuf::from));
            }
            self.outputs.extend(read_values::<OutputPath>(matches, id).into_iter().map(|path| path.0.clone()));
            self.own.extend(read_values::<OwnPath>(matches, id).into_iter().map(|path| path.0.clone()));
        }
        if let Some((_, below)) = matches.subcommand() {
            self.collect_paths(below);
        }
    }
}

/// Refuses a command line that would overwrite an account, its companion files, an input, or without permission any
/// other file, and one whose output cannot be written. Checks every argument that has the type of an output.
pub(crate) fn check_output_paths(matches: &ArgMatches) -> Result<(), CliFailure> {
    let mut paths = NamedPaths::default();
    paths.collect_paths(matches);
    let passphrase = env::var_os(PASSPHRASE_FILE).filter(|path| !path.is_empty()).map(PathBuf::from);
    paths.inputs.extend(passphrase);
    let guard = paths.accounts.iter().fold(OutputGuard::default(), |guard, path| guard.protect_account(path));
    let guard = paths.inputs.iter().fold(guard, |guard, path| guard.protect_input(path));
    let overwrite = if paths.has_force { Overwrite::Allowed } else { Overwrite::Never };
    for path in &paths.outputs {
        guard.check_file(path, overwrite).map_err(CliFailure::new)?;
        // A command may take long before it writes.
        check_writable(path).map_err(|why| write_failure(path, &why))?;
    }
    for path in &paths.own {
        guard.check(path).map_err(CliFailure::new)?;
    }
    let mut written = OutputGuard::default();
    for path in paths.outputs.iter().chain(&paths.own) {
        if matches!(written.check(path), Err(OutputRefusal::Input { .. })) {
            return Err(CliFailure::new(format!(
                "{} is named as two outputs. Choose another file for one of them.",
                path.display()
            )));
        }
        written = written.protect_input(path);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Command, CommandFactory, builder::ValueParser};

    use super::*;
    use crate::RoostCli;

    /// Every argument that names an output, with a command line that lacks only its value.
    const OUTPUTS: [(&[&str], &str); 13] = [
        (&["export", "--db", "m.db", "--out"], "out"),
        (&["account", "backup", "--db", "m.db", "--out"], "out"),
        (&["doctor", "--db", "m.db", "--log", "in.csv", "--bundle"], "bundle"),
        (&["account", "held", "--db", "m.db", "--number", "+447700900001", "--out"], "out"),
        (&["optouts", "export", "--db", "m.db", "--out"], "out"),
        (&["import", "in.csv", "--db", "m.db", "--list", "May", "--rejects"], "rejects"),
        (&["import", "in.csv", "--db", "m.db", "--list", "May", "--save-map"], "save_map"),
        (&["exec", "--db", "m.db", "--seed", "in.csv", "--junit", "OUT", "--", "true"], "junit"),
        (&["verify", "in.csv", "--junit"], "junit"),
        (&["fixtures", "gen", "--out"], "out"),
        (&["report", "--db", "m.db", "--out"], "out"),
        (&["fidelity", "check", "--against", "URL", "--key-file", "in.csv", "--calls", "calls", "--out"], "out"),
        (&["fidelity", "check", "--against", "URL", "--key-file", "in.csv", "--out", "report", "--calls"], "calls"),
    ];
    /// The paths that commands use while they run.
    const OWN_PATHS: [(&[&str], &str); 8] = [
        (&["serve", "--db", "m.db", "--seed", "in.csv", "--ready-file"], "ready_file"),
        (&["serve", "--db", "m.db", "--seed", "in.csv", "--unix"], "unix"),
        (&["serve", "--db", "m.db", "--seed", "in.csv", "--tls-dir"], "tls_dir"),
        (&["exec", "--db", "m.db", "--seed", "in.csv", "--ready-file", "OUT", "--", "true"], "ready_file"),
        (&["exec", "--db", "m.db", "--seed", "in.csv", "--unix", "OUT", "--", "true"], "unix"),
        (&["exec", "--db", "m.db", "--seed", "in.csv", "--tls-dir", "OUT", "--", "true"], "tls_dir"),
        (&["man"], "folder"),
        (&["account", "new"], "file"),
    ];
    /// Arguments that name a file to read; `db` is always the account.
    const INPUTS: [&str; 13] = [
        "db",
        "files",
        "file",
        "seed",
        "tls_cert",
        "tls_key",
        "ready_file",
        "ca",
        "key_file",
        "fidelity",
        "folder",
        "copy",
        "log",
    ];

    fn all_arguments(command: &Command, above: &str, all: &mut Vec<(String, Arg)>) {
        let name = format!("{above} {}", command.get_name());
        all.extend(command.get_arguments().map(|argument| (name.clone(), argument.clone())));
        command.get_subcommands().for_each(|below| all_arguments(below, &name, all));
    }

    fn has_type(argument: &Arg, parser: impl Into<ValueParser>) -> bool {
        argument.get_value_parser().type_id() == parser.into().type_id()
    }

    fn roost_command() -> Command {
        let mut roost = RoostCli::command();
        roost.build();
        roost
    }

    /// Returns the command of a line, with both words of such as `fixtures gen`.
    fn command_of(line: &[&str]) -> String {
        let words = if matches!(line[0], "fixtures" | "fidelity" | "account" | "optouts") { 2 } else { 1 };
        format!(" roost {}", line[..words].join(" "))
    }

    /// Every argument for a path is in one of the tables, and every output has `--force`.
    #[test]
    fn every_path_of_every_command_is_known_as_input_or_output() {
        let mut all = Vec::new();
        all_arguments(&roost_command(), "", &mut all);
        let listed = |table: &[(&[&str], &str)]| -> Vec<(String, String)> {
            table.iter().map(|(line, id)| (command_of(line), (*id).to_owned())).collect()
        };
        let (mut outputs, mut own) = (listed(&OUTPUTS), listed(&OWN_PATHS));
        for (command, argument) in &all {
            let id = argument.get_id().to_string();
            let found = |table: &mut Vec<(String, String)>| {
                let at = table.iter().position(|known| *known == (command.clone(), id.clone()));
                at.map(|at| table.remove(at)).is_some()
            };
            if has_type(argument, clap::value_parser!(OutputPath)) {
                assert!(found(&mut outputs), "the output {id} of{command} is not in the table");
                let has_force = all.iter().any(|(owner, flag)| owner == command && flag.get_id() == "force");
                assert!(has_force, "{command} has an output and no --force");
            } else if has_type(argument, clap::value_parser!(OwnPath)) {
                assert!(found(&mut own), "the place {id} of{command} is not in the table");
            } else if has_type(argument, clap::value_parser!(PathBuf)) {
                assert!(INPUTS.contains(&id.as_str()), "is {id} of{command} read or written?");
            } else {
                let name = format!("{id} {}", argument.get_value_names().unwrap_or_default().join(" "));
                let is_of_file = id == "out" || ["FILE", "PATH", "DIR"].iter().any(|word| name.contains(word));
                let has_values = argument.get_action().takes_values() && !id.contains("timeout");
                assert!(
                    !(is_of_file && has_values) || id == MAPPING_ARG,
                    "{id} of{command} names a file and has no type of a path"
                );
            }
        }
        assert_eq!((outputs, own), (Vec::new(), Vec::new()), "in a table, and not in the program");
    }

    /// Checks a line with this value.
    fn check_line(folder: &Path, line: &[&str], value: &str, force: bool) -> Result<(), CliFailure> {
        let in_folder = |name: &str| folder.join(name).to_string_lossy().into_owned();
        let mut words: Vec<String> = vec!["roost".to_owned()];
        words.extend(line.iter().map(|word| match *word {
            "m.db" | "in.csv" => in_folder(word),
            "OUT" => in_folder(value),
            word => word.to_owned(),
        }));
        if !line.contains(&"OUT") {
            words.push(in_folder(value));
        }
        if force {
            let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
            words.insert(end, "--force".to_owned());
        }
        let matches = RoostCli::command().try_get_matches_from(&words).unwrap_or_else(|why| panic!("{words:?}: {why}"));
        check_output_paths(&matches)
    }

    #[test]
    fn no_output_is_an_account_or_an_input_however_it_is_spelled() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["m.db", "in.csv", "m.db-wal", "old.csv"] {
            fs::write(at(name), name).unwrap();
        }
        fs::create_dir(at("m.db.imports")).unwrap();
        fs::hard_link(at("m.db"), at("hard")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("m.db", at("soft")).unwrap();
        let accounts = ["m.db", "./m.db", "m.db.imports/../m.db", "M.DB-WAL", "hard", "soft"];
        let companions = ["m.db-wal", "m.db-shm", "m.db.lock", "m.db.imports/x", "m.db.v7-20260105-090000.backup"];
        for (line, id) in OUTPUTS.into_iter().chain(OWN_PATHS) {
            let has_force = OUTPUTS.iter().any(|(known, _)| *known == line) || id == "folder";
            for force in [false, true].into_iter().filter(|force| has_force || !force) {
                let refused = |value: &str| check_line(folder.path(), line, value, force).is_err();
                for value in accounts.iter().chain(&companions).filter(|_| line.contains(&"m.db")) {
                    assert!(refused(value), "{line:?} {value} {force}");
                }
                assert!(!line.contains(&"in.csv") || refused("./in.csv"), "{line:?} {force}");
                assert!(!refused("new.csv"), "{line:?} {force}");
                let needs_force = OUTPUTS.iter().any(|(known, _)| *known == line);
                assert_eq!(refused("old.csv"), needs_force && !force, "{line:?} {force}");
            }
        }
    }

    #[test]
    fn one_file_is_not_written_twice() {
        let folder = tempfile::tempdir().unwrap();
        let line = ["exec", "--ready-file", "OUT", "--junit", "OUT", "--", "true"];
        let refused = check_line(folder.path(), &line, "a.json", false).unwrap_err();
        assert!(refused.line().contains("two outputs"), "{}", refused.line());
    }
}
