//! What goes on after a restart, beside an account file: the head of its world, written anew whenever something of it has
//! changed, and its snapshots (ADR 33). The data itself is the account file.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use roost_ops::ctx::clock::{Mode, Setting};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest, Sha256};

use super::{
    super::{Keep, Snapshot, World, is_name},
    Head, NotRead, WORLD_VERSION, WorldFile,
    head::{CLOCK, Parts},
};
use crate::settings::{Auth, Settings};

/// Where a world is kept, and what its server was told at its start besides the settings: where that is another word than
/// the last time, it counts, and not what is kept.
#[derive(Debug, Clone)]
pub struct Place {
    pub folder: PathBuf,
    pub told_of_time: String,
}

/// Writes the head of a world to its file.
pub struct Keeper {
    place: Place,
    log: Mutex<Log>,
    /// Something may have changed that is not written yet.
    is_due: AtomicBool,
}

struct Log {
    file: File,
    size: u64,
    /// What was written last of each part.
    parts: Parts,
    clock: Option<KeptClock>,
    /// The last change of the account, and the generation in which it was read.
    seq: Option<(u64, i64)>,
    /// Who takes long to write is written less often.
    rests_until: Instant,
}

/// A reading of the clock, and when by the system's it was taken.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct KeptClock {
    reading: Setting,
    real: i64,
}

/// What the server was told at its start.
#[derive(Serialize, Deserialize, PartialEq)]
struct Start {
    settings: Settings,
    time: String,
}

const STATE: &str = "state";
const SNAPSHOTS: &str = "snapshots";
const SNAPSHOT_END: &str = ".world";
/// Parts that only the file has.
const START: &str = "start";
const SEQ: &str = "seq";
/// A file with more than this is written anew once it is much larger than what counts.
const SMALL: u64 = 1024 * 1024;
/// Writing that takes longer is put off.
const QUICK: Duration = Duration::from_millis(2);
/// How often a world is looked at that could not be written at once.
const PAUSE: Duration = Duration::from_millis(200);

impl World {
    /// From now on the world is kept in a place; what is there already is what it goes on from. Called before anything is
    /// under way.
    pub fn keep_in(&self, place: Place) -> io::Result<()> {
        make_folder(&place.folder.join(SNAPSHOTS))?;
        for mut snapshot in read_snapshots(&place.folder.join(SNAPSHOTS))? {
            let name = snapshot.name.clone();
            snapshot.state.head.settings.keys = self.settings_at_start.keys.clone();
            if let Err(why) = self.snapshots.keep(snapshot) {
                tracing::error!(%why, snapshot = name, "a snapshot was left aside");
            }
        }
        self.snapshots.write_to(place.folder.join(SNAPSHOTS));
        let path = place.folder.join(STATE);
        let last = self.core.last_change().map_err(io::Error::other)?;
        match read_log(&path) {
            Ok(None) => {}
            Ok(Some(kept)) => match self.go_on_from(kept, &place, last) {
                Ok(true) => {}
                Ok(false) => set_aside(&path, "it belongs to another account file, or to a later state of this one")?,
                Err(why) => set_aside(&path, &why.to_string())?,
            },
            Err(why) => set_aside(&path, &why.to_string())?,
        }
        let keeper = Keeper::begin(place, &self.settings_at_start)?;
        // The world is new, so nobody keeps it yet.
        let _ = self.keeper.set(Arc::new(keeper));
        self.keep();
        Ok(())
    }

    /// False where what is kept is not of this account.
    fn go_on_from(&self, mut kept: Parts, place: &Place, last: i64) -> Result<bool, NotRead> {
        let start: Start = take(&mut kept, START)?;
        let seq: i64 = take(&mut kept, SEQ)?;
        let clock: KeptClock = take(&mut kept, CLOCK)?;
        if seq > last {
            return Ok(false);
        }
        let reading = clock.reading.after(clock.real, self.core.ctx().clock().real_nanos());
        kept.insert(CLOCK.to_owned(), to_raw_value(&reading).map_err(|why| NotRead::Damaged(why.to_string()))?);
        let Head { settings, mut beginning, is_from_seed, control } = Head::read(kept)?;
        if seq < last {
            // Others wrote to the file meanwhile, so ids are told from theirs.
            beginning.position = beginning.position.with_salt_of(self.core.ctx().ids().position());
        }
        let own = &self.settings_at_start;
        let is_told_the_same = Settings { keys: Vec::new(), ..own.clone() } == start.settings;
        let is_safe = !self.ground.is_reachable || settings.auth == Auth::Keys;
        if is_told_the_same && is_safe {
            let settings = Settings { keys: own.keys.clone(), ..settings };
            let Ok(_) = self.change_settings(|now| {
                *now = settings;
                Ok::<_, std::convert::Infallible>(())
            });
        }
        if start.time == place.told_of_time {
            beginning.put_back(&self.core, Keep::default());
        } else {
            self.core.ctx().ids().go_to(beginning.position);
        }
        self.mark_from_seed(self.is_from_seed() || is_from_seed);
        self.load_control(control, Keep::default());
        Ok(true)
    }

    /// Writes what has changed since it was written last, for a world that outlives its server.
    pub fn keep(&self) {
        if let Some(keeper) = self.keeper.get() {
            keeper.keep(self, false);
        }
    }

    /// The same whatever it takes, once nothing is under way any more.
    pub fn keep_all(&self) {
        if let Some(keeper) = self.keeper.get() {
            keeper.keep(self, true);
        }
    }

    /// Writes what could not be written at once, until the server ends.
    pub async fn keep_on(self: Arc<Self>) {
        let Some(keeper) = self.keeper.get().cloned() else { return };
        loop {
            tokio::select! {
                () = self.ground.told_to_stop() => return,
                () = tokio::time::sleep(PAUSE) => {}
            }
            if keeper.is_due.load(Ordering::Acquire) {
                let world = self.clone();
                // A panic in there was told already.
                let _ = tokio::task::spawn_blocking(move || world.keep()).await;
            }
        }
    }
}

impl Keeper {
    /// Begins a file of its own; what was there before is read.
    fn begin(place: Place, settings: &Settings) -> io::Result<Self> {
        let start = Start { settings: settings.clone(), time: place.told_of_time.clone() };
        let parts = Parts::from([(START.to_owned(), to_raw_value(&start)?)]);
        let file = fresh(&place.folder.join(STATE), &parts)?;
        let size = file.metadata()?.len();
        let log = Log { file, size, parts, clock: None, seq: None, rests_until: Instant::now() };
        Ok(Self { place, log: Mutex::new(log), is_due: AtomicBool::new(false) })
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, world: &World, is_last: bool) {
        let mut log = self.log();
        let begun = Instant::now();
        if !is_last && begun < log.rests_until {
            self.is_due.store(true, Ordering::Release);
            return;
        }
        self.is_due.store(false, Ordering::Release);
        if let Err(error) = self.write(world, &mut log) {
            tracing::error!(%error, folder = %self.place.folder.display(), "the state of the world could not be written");
        }
        let took = begun.elapsed();
        if took > QUICK {
            log.rests_until = Instant::now() + took * 20;
        }
    }

    fn write(&self, world: &World, log: &mut Log) -> io::Result<()> {
        let generation = world.core.generation();
        let seq = match log.seq {
            Some((of, seq)) if of == generation => seq,
            _ => world.core.last_change().map_err(io::Error::other)?,
        };
        log.seq = Some((generation, seq));
        let mut parts = Head::of(world, &world.core).write()?;
        parts.insert(SEQ.to_owned(), to_raw_value(&seq)?);
        let clock = world.core.ctx().clock();
        let now = KeptClock { reading: clock.reading(), real: clock.real_nanos() };
        match &log.clock {
            Some(before) if before.goes_like(&now) => drop(parts.remove(CLOCK)),
            _ => {
                log.clock = Some(now);
                parts.insert(CLOCK.to_owned(), to_raw_value(&now)?);
            }
        }
        let is_news =
            |(name, part): &(String, Box<RawValue>)| log.parts.get(name).is_none_or(|old| old.get() != part.get());
        let changed: Parts = parts.into_iter().filter(is_news).collect();
        if changed.is_empty() {
            return Ok(());
        }
        let mut records = Vec::new();
        changed.iter().try_for_each(|(name, part)| record(&mut records, name, part))?;
        log.parts.extend(changed);
        let counts: u64 = log.parts.values().map(|part| part.get().len() as u64).sum();
        log.size += records.len() as u64;
        if log.size > SMALL + 4 * counts {
            log.file = fresh(&self.place.folder.join(STATE), &log.parts)?;
            log.size = log.file.metadata()?.len();
            return Ok(());
        }
        log.file.write_all(&records)
    }
}

impl KeptClock {
    /// Whether a later reading is what this one has become by itself.
    fn goes_like(&self, later: &Self) -> bool {
        let (before, now) = (self.reading.after(self.real, later.real), later.reading);
        let apart = before.now.unwrap_or_default().abs_diff(now.now.unwrap_or_default());
        let slack = 5_000_000.0 * now.rate.unwrap_or(1.0).max(1.0);
        #[expect(clippy::cast_precision_loss, reason = "how far two clocks are apart, about")]
        let is_near = now.mode == Mode::Real || apart == 0 || now.mode != Mode::Frozen && (apart as f64) < slack;
        before.mode == now.mode && before.rate == now.rate && is_near
    }
}

fn take<T: DeserializeOwned>(parts: &mut Parts, name: &'static str) -> Result<T, NotRead> {
    let part = parts.remove(name).ok_or(NotRead::NoPart(name))?;
    serde_json::from_str(part.get()).map_err(|why| NotRead::Part { name, why: why.to_string() })
}

/// For this user alone: callbacks and what came to receivers may hold secrets of a test.
fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn made_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Written beside and then put in its place, so that there is always a whole one.
pub fn write_whole(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<File> {
    let beside = path.with_extension("new");
    let mut file = made_file(&beside)?;
    write(&mut file)?;
    file.sync_all()?;
    fs::rename(&beside, path)?;
    Ok(file)
}

fn fresh(path: &Path, parts: &Parts) -> io::Result<File> {
    write_whole(path, |file| {
        let mut records = first_line();
        parts.iter().try_for_each(|(name, part)| record(&mut records, name, part))?;
        file.write_all(&records)
    })
}

fn first_line() -> Vec<u8> {
    format!("ROOST-STATE {WORLD_VERSION}\n").into_bytes()
}

/// A line with a name, a length and a print, and a line with the value.
fn record(out: &mut Vec<u8>, name: &str, part: &RawValue) -> io::Result<()> {
    let value = part.get();
    writeln!(out, "{name} {} {}\n{value}", value.len(), print(value.as_bytes()))
}

fn print(value: &[u8]) -> String {
    Sha256::digest(value).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// The last value of each part; what a kill left half written at the end is left aside. None where there is no file.
fn read_log(path: &Path) -> Result<Option<Parts>, NotRead> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(why) => return Err(NotRead::Damaged(why.to_string())),
    };
    let first = first_line();
    let Some(mut rest) = bytes.strip_prefix(first.as_slice()) else {
        let told = String::from_utf8_lossy(&bytes[..bytes.len().min(40)]).into_owned();
        return Err(NotRead::Damaged(format!("it begins with '{}'", told.lines().next().unwrap_or_default())));
    };
    let mut parts = BTreeMap::new();
    while let Some((name, value, after)) = next_record(rest) {
        let value: Box<RawValue> = serde_json::from_slice(value).map_err(|why| NotRead::Damaged(why.to_string()))?;
        parts.insert(name.to_owned(), value);
        rest = after;
    }
    Ok((!parts.is_empty()).then_some(parts))
}

fn next_record(bytes: &[u8]) -> Option<(&str, &[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let mut words = std::str::from_utf8(&bytes[..end]).ok()?.split(' ');
    let (name, length, told) = (words.next()?, words.next()?.parse::<usize>().ok()?, words.next()?);
    let rest = &bytes[end + 1..];
    let (value, rest) = (rest.get(..length)?, rest.get(length..)?);
    let rest = rest.strip_prefix(b"\n")?;
    (print(value) == told).then_some((name, value, rest))
}

/// Nothing of somebody's is removed because it could not be read.
fn set_aside(path: &Path, why: &str) -> io::Result<()> {
    let free = (1..).map(|number: u32| path.with_extension(format!("unread-{number}"))).find(|path| !path.exists());
    let Some(aside) = free else { return Ok(()) };
    tracing::error!(
        why,
        file = %aside.display(),
        "what was arranged before the last restart could not be read; the server begins without it, and the file was kept"
    );
    fs::rename(path, aside)
}

fn read_snapshots(folder: &Path) -> io::Result<Vec<Snapshot>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(SNAPSHOT_END));
        let Some(name) = name.filter(|name| is_name(name)) else { continue };
        match fs::read(&path).map_err(|why| NotRead::Damaged(why.to_string())).and_then(|bytes| WorldFile::read(&bytes))
        {
            Ok(WorldFile { at, state }) => found.push(Snapshot { name: name.to_owned(), at, state }),
            Err(why) => {
                tracing::error!(%why, file = %path.display(), "a snapshot could not be read, and was left where it is")
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// The file of a snapshot in its folder.
pub fn snapshot_file(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}{SNAPSHOT_END}"))
}
