//! Records what a program does to the files of a folder, by strace, in the order in which the kernel did it.

use std::{
    collections::HashMap,
    ffi::OsString,
    os::unix::ffi::OsStringExt,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

use tempfile::NamedTempFile;

/// Everything that writes, syncs, names or moves within a file. Programs that use other calls fail the comparison of the
/// recorded folder with the real one.
const CALLS: &str = "openat,read,write,writev,pwrite64,pwritev,lseek,copy_file_range,sendfile,ftruncate,\
                     fallocate,fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,\
                     rmdir,dup,dup2,dup3,fcntl,sendto";

const STDOUT: i32 = 1;

/// One change of the files, in the words of the file system.
#[derive(Debug, Clone)]
pub(super) enum DiskCall {
    Create(PathBuf),
    Write {
        file: PathBuf,
        at: u64,
        bytes: Vec<u8>,
    },
    Copy {
        from: PathBuf,
        from_at: u64,
        to: PathBuf,
        to_at: u64,
        length: u64,
    },
    Resize {
        file: PathBuf,
        length: u64,
    },
    /// Resizes a file only if it is shorter.
    Reserve {
        file: PathBuf,
        length: u64,
    },
    /// A sync begins. What other threads write until it ends may come too late for it.
    BeginSync(PathBuf),
    Sync(PathBuf),
    Rename {
        from: PathBuf,
        to: PathBuf,
    },
    Link {
        from: PathBuf,
        to: PathBuf,
    },
    Remove(PathBuf),
    CreateFolder(PathBuf),
    /// The program prints something, such as the result of a command.
    Print,
    /// A server responds that it has done what a request asked for.
    Respond,
}

impl DiskCall {
    /// Returns whether a cut before this call can leave something that no other cut leaves. Calls that only change bytes
    /// add to what may be lost.
    pub(super) fn is_moment_to_cut(&self) -> bool {
        !matches!(
            self,
            Self::Write { .. } | Self::Copy { .. } | Self::Resize { .. } | Self::Reserve { .. } | Self::BeginSync(_)
        )
    }
}

/// A running program whose calls are recorded.
pub(super) struct Recording {
    strace: Child,
    log: NamedTempFile,
}

impl Recording {
    /// Starts a program that prints to pipes.
    pub(super) fn start(program: &Command) -> Self {
        let log = NamedTempFile::new().expect("a file");
        let mut strace = Command::new("strace");
        strace.args(["--seccomp-bpf", "-f", "-qq", "-y", "-xx", "-s", "16777216", "-e", "signal=none"]);
        strace.args(["-e", &format!("trace={CALLS}"), "-o"]).arg(log.path());
        strace.arg("--").arg(program.get_program()).args(program.get_args());
        for (name, value) in program.get_envs() {
            match value {
                Some(value) => strace.env(name, value),
                None => strace.env_remove(name),
            };
        }
        strace.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self { strace: strace.spawn().expect("strace is installed (make setup)"), log }
    }

    /// Waits for the program's end, and returns its output and what it did to the files of the folder.
    pub(super) fn finish(self, folder: &Path) -> (Output, Vec<DiskCall>) {
        let output = self.strace.wait_with_output().expect("strace ends with the program");
        let log = std::fs::read_to_string(self.log.path()).expect("strace writes ASCII");
        let mut reader = TraceReader { folder, positions: HashMap::new(), calls: Vec::new() };
        let mut unfinished: HashMap<&str, &str> = HashMap::new();
        for line in log.lines() {
            let (thread, call) = line.split_once(' ').expect("a thread and a call");
            let call = call.trim_start();
            if let Some(begin) = call.strip_suffix(" <unfinished ...>") {
                reader.read_beginning(begin);
                unfinished.insert(thread, begin);
            } else if let Some((_, end)) = call.strip_prefix("<... ").and_then(|rest| rest.split_once(" resumed>")) {
                let begin = unfinished.remove(thread).expect("the beginning of a call");
                reader.read_call(&format!("{begin}{end}"));
            } else {
                reader.read_call(call);
            }
        }
        (output, reader.calls)
    }
}

struct TraceReader<'a> {
    folder: &'a Path,
    /// Where the next read or write of each open file begins.
    positions: HashMap<i32, u64>,
    calls: Vec<DiskCall>,
}

impl TraceReader<'_> {
    /// Reads the beginning of a call during which other threads make calls.
    fn read_beginning(&mut self, text: &str) {
        if let Some(("fsync" | "fdatasync", args)) = text.split_once('(') {
            self.push(DiskCall::BeginSync(TraceArgs(args).file(0).1));
        }
    }

    fn read_call(&mut self, text: &str) {
        let Some((call, result)) = text.rsplit_once(" = ") else { return };
        let Some((name, args)) = call.trim_end().split_once('(') else { return };
        // A failed call changes nothing.
        let Some(result) = leading_number(result).filter(|result| *result >= 0) else { return };
        let args = TraceArgs(args);
        match name {
            "openat" => self.read_open(&args, result),
            "read" => {
                let (file, _) = args.file(0);
                *self.positions.entry(file).or_default() += result.cast_unsigned();
            }
            "lseek" => {
                self.positions.insert(args.file(0).0, result.cast_unsigned());
            }
            "dup" | "dup2" | "dup3" => self.share(args.file(0).0, result),
            "fcntl" if args.0.contains("F_DUPFD") => self.share(args.file(0).0, result),
            "write" | "writev" | "sendto" => {
                let (file, path) = args.file(0);
                let at = self.advance(file, result);
                let bytes = args.bytes(result);
                if file == STDOUT {
                    self.calls.push(DiskCall::Print);
                } else if bytes.starts_with(b"HTTP/1.1 2") {
                    self.calls.push(DiskCall::Respond);
                }
                self.push(DiskCall::Write { file: path, at, bytes });
            }
            "pwrite64" | "pwritev" => {
                let bytes = args.bytes(result);
                self.push(DiskCall::Write { file: args.file(0).1, at: args.last_number(), bytes });
            }
            "copy_file_range" | "sendfile" => {
                let (from, to) = if name == "sendfile" { (1, 0) } else { (0, 2) };
                let ((from, from_path), (to, to_path)) = (args.file(from), args.file(to));
                let (from_at, to_at) = (self.advance(from, result), self.advance(to, result));
                if to_path.starts_with(self.folder) {
                    let length = result.cast_unsigned();
                    self.calls.push(DiskCall::Copy { from: from_path, from_at, to: to_path, to_at, length });
                }
            }
            "ftruncate" => self.push(DiskCall::Resize { file: args.file(0).1, length: args.last_number() }),
            "fallocate" => {
                let length = args.number(2) + args.number(3);
                self.push(DiskCall::Reserve { file: args.file(0).1, length });
            }
            "fsync" | "fdatasync" => self.push(DiskCall::Sync(args.file(0).1)),
            "rename" => self.push(DiskCall::Rename { from: args.path(0), to: args.path(1) }),
            "renameat" | "renameat2" => self.push(DiskCall::Rename { from: args.path_in(0), to: args.path_in(2) }),
            "link" => self.push(DiskCall::Link { from: args.path(0), to: args.path(1) }),
            "linkat" => self.push(DiskCall::Link { from: args.path_in(0), to: args.path_in(2) }),
            "unlink" | "rmdir" => self.push(DiskCall::Remove(args.path(0))),
            "unlinkat" => self.push(DiskCall::Remove(args.path_in(0))),
            "mkdir" => self.push(DiskCall::CreateFolder(args.path(0))),
            "mkdirat" => self.push(DiskCall::CreateFolder(args.path_in(0))),
            _ => {}
        }
    }

    fn read_open(&mut self, args: &TraceArgs<'_>, file: i64) {
        let file = i32::try_from(file).expect("a small number");
        self.positions.insert(file, 0);
        let is_unknown = args.0.contains("O_APPEND") || args.0.contains("O_TMPFILE");
        assert!(!is_unknown || !args.path_in(0).starts_with(self.folder), "not recorded: {}", args.0);
        if args.0.contains("O_CREAT") || args.0.contains("O_TRUNC") {
            let path = args.path_in(0);
            if args.0.contains("O_CREAT") {
                self.push(DiskCall::Create(path.clone()));
            }
            if args.0.contains("O_TRUNC") {
                self.push(DiskCall::Resize { file: path, length: 0 });
            }
        }
    }

    /// A duplicate has the position of its original. No program here moves both.
    fn share(&mut self, from: i32, to: i64) {
        let at = self.positions.get(&from).copied().unwrap_or_default();
        self.positions.insert(i32::try_from(to).expect("a small number"), at);
    }

    /// Returns the position of a file, and moves it on.
    fn advance(&mut self, file: i32, by: i64) -> u64 {
        let position = self.positions.entry(file).or_default();
        let at = *position;
        *position += by.cast_unsigned();
        at
    }

    fn push(&mut self, call: DiskCall) {
        let path = match &call {
            DiskCall::Create(path)
            | DiskCall::BeginSync(path)
            | DiskCall::Sync(path)
            | DiskCall::Remove(path)
            | DiskCall::CreateFolder(path) => path,
            DiskCall::Write { file, .. } | DiskCall::Resize { file, .. } | DiskCall::Reserve { file, .. } => file,
            DiskCall::Print | DiskCall::Respond => return,
            DiskCall::Copy { to, .. } | DiskCall::Rename { to, .. } | DiskCall::Link { to, .. } => to,
        };
        if path.starts_with(self.folder) {
            self.calls.push(call);
        }
    }
}

/// The arguments of a call, with every text in hexadecimal, so that no text contains a comma or a bracket.
struct TraceArgs<'a>(&'a str);

impl<'a> TraceArgs<'a> {
    fn all(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.0.split(", ").map(|arg| arg.trim_end_matches(')'))
    }

    fn get(&self, index: usize) -> &'a str {
        self.all().nth(index).unwrap_or_else(|| panic!("argument {index} of {}", self.0))
    }

    /// Returns an open file's number and path.
    fn file(&self, index: usize) -> (i32, PathBuf) {
        let arg = self.get(index);
        let (number, path) = arg.split_once('<').unwrap_or((arg, ""));
        let number = number.parse().unwrap_or_else(|_| panic!("a file in {}", self.0));
        // A removed file has no path that anybody can see.
        (number, path.strip_suffix('>').map(decode_path).unwrap_or_default())
    }

    fn path(&self, index: usize) -> PathBuf {
        decode_path(self.get(index).trim_matches('"'))
    }

    /// Returns the path after an open folder, to which it may be relative.
    fn path_in(&self, index: usize) -> PathBuf {
        let folder = self.get(index).split_once('<').map_or("", |(_, path)| path.trim_end_matches('>'));
        decode_path(folder).join(self.path(index + 1))
    }

    fn number(&self, index: usize) -> u64 {
        self.get(index).parse().unwrap_or_else(|_| panic!("a number in {}", self.0))
    }

    fn last_number(&self) -> u64 {
        self.all()
            .last()
            .and_then(|arg| arg.parse().ok())
            .unwrap_or_else(|| panic!("a number at the end of {}", self.0))
    }

    /// Returns the first bytes of the texts of a call.
    fn bytes(&self, count: i64) -> Vec<u8> {
        let count = usize::try_from(count).expect("a size");
        let mut bytes: Vec<u8> = self.0.split('"').skip(1).step_by(2).flat_map(decode).collect();
        assert!(bytes.len() >= count, "{} of {count} bytes were recorded", bytes.len());
        bytes.truncate(count);
        bytes
    }
}

fn leading_number(text: &str) -> Option<i64> {
    let end = text.find(|sign: char| !sign.is_ascii_digit() && sign != '-').unwrap_or(text.len());
    text.get(..end)?.parse().ok()
}

/// Decodes `\x2f\x74`.
fn decode(text: &str) -> Vec<u8> {
    let byte = |digits: &str| u8::from_str_radix(digits, 16).unwrap_or_else(|_| panic!("two digits in {text}"));
    text.split("\\x").skip(1).map(byte).collect()
}

fn decode_path(text: &str) -> PathBuf {
    PathBuf::from(OsString::from_vec(decode(text)))
}
