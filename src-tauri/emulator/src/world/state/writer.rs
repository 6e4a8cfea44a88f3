//! Stores the state of a world beside its account file, so that it survives a restart: the head, whenever it has
//! changed, and the snapshots (ADR 33). The data itself is in the account file.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use roost_journal::JournalOptions;
use roost_ops::{
    ctx::clock::{ClockMode, ClockSetting},
    job,
};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::{
    super::{KeepOptions, Snapshot, StartOptions, World},
    ReadWorldError, WorldFile, WorldHead,
    head::{CLOCK_PART, HeadParts, RECEIVERS_PART, take_part},
    records::{make_folder, read_log, set_aside, write_fresh, write_record},
};
use crate::{
    access::is_world_name,
    settings::{AuthSetting, Settings},
};

/// Where a world is stored, and the server's start options other than settings. If an option differs from the previous
/// start, it takes precedence over the stored value.
#[derive(Debug, Clone)]
pub struct StateLocation {
    pub folder: PathBuf,
    /// The start options about time and IDs, as a text to compare with that of the previous start.
    pub time_options: String,
    /// Whether the start options set time or IDs.
    pub has_time_options: bool,
}

/// Writes the head of a world to its file, which the first deliberate change creates. Requests alone do not.
pub(crate) struct StateWriter {
    place: StateLocation,
    log: Mutex<StateLog>,
    /// Whether a write was delayed, so that there may be changes that are not written yet.
    is_due: AtomicBool,
    /// Whether the log has a file.
    has_file: AtomicBool,
}

struct StateLog {
    /// None while a start would produce the same state without a file.
    file: Option<File>,
    size: u64,
    /// The last written value of each part; without a file, the values at the start.
    parts: HeadParts,
    clock: Option<StoredClock>,
    /// The last change of the account, with the generation in which it was read.
    seq: Option<(u64, i64)>,
}

/// A reading of the clock, and the system's time when it was taken.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct StoredClock {
    reading: ClockSetting,
    real: i64,
}

/// The options with which the server was started.
#[derive(Serialize, Deserialize, PartialEq)]
struct StartSettings {
    settings: Settings,
    time: String,
    #[serde(default)]
    profile: Option<String>,
    #[serde(default)]
    allows_prefer: bool,
    #[serde(default)]
    journal: Option<JournalOptions>,
}

impl StartSettings {
    /// `journal` is as it was at the start.
    fn from_world(world: &World, place: &StateLocation, journal: JournalOptions) -> Self {
        let StartOptions { profile, allows_prefer, .. } = world.resources.start;
        Self {
            settings: world.settings_at_start.clone(),
            time: place.time_options.clone(),
            profile: profile.map(str::to_owned),
            allows_prefer,
            journal: Some(journal),
        }
    }
}

const STATE_FILE: &str = "state";
const SNAPSHOTS_FOLDER: &str = "snapshots";
const SNAPSHOT_EXTENSION: &str = ".world";
/// Parts of the file that are not part of [`WorldHead`].
const START_PART: &str = "start";
const SEQ_PART: &str = "seq";
const JOURNAL_PART: &str = "journal";
/// Parts that every request changes. Alone they create no file, unless the clock was set.
const VOLATILE_PARTS: [&str; 5] = [CLOCK_PART, SEQ_PART, "position", "lanes", RECEIVERS_PART];
/// The file is rewritten when it exceeds this size and is much larger than its current parts.
const LOG_SLACK: u64 = 1024 * 1024;
/// A head larger than this takes milliseconds to write, so nobody waits for it: it is written in the background, once
/// per interval.
const LARGE_HEAD: u64 = 256 * 1024;
/// The same limit after a request of the interface. It is lower, because there are many requests.
const LARGE_HEAD_FOR_REQUESTS: u64 = 32 * 1024;
const WRITE_INTERVAL: Duration = Duration::from_secs(1);
/// The interval at which the background looks for delayed writes.
const LOOK_INTERVAL: Duration = Duration::from_millis(200);

impl World {
    /// Stores the world in a folder from now on, and continues from what is stored there. Call before anything is
    /// under way.
    pub(crate) fn persist_in(&self, place: StateLocation) -> io::Result<()> {
        for mut snapshot in read_snapshots(&place.folder.join(SNAPSHOTS_FOLDER))? {
            let name = snapshot.name.clone();
            snapshot.state.head.settings.keys = self.settings_at_start.keys.clone();
            if let Err(why) = self.snapshots.save(snapshot) {
                tracing::error!(%why, snapshot = name, "a snapshot was skipped");
            }
        }
        self.snapshots.set_folder(place.folder.join(SNAPSHOTS_FOLDER));
        let path = place.folder.join(STATE_FILE);
        let last = self.core.last_change().map_err(io::Error::other)?;
        let journal = self.journal.options();
        // Time and IDs from the start options stay in force even if nothing else is arranged.
        let mut is_arranged = place.has_time_options;
        match read_log(&path) {
            Ok(None) => {}
            Ok(Some(parts)) => match self.resume_from(parts, &place, last, journal) {
                Ok(true) => is_arranged = true,
                Ok(false) => set_aside(&path, "it belongs to another account file, or to a later state of this one")?,
                Err(why) => set_aside(&path, &why.to_string())?,
            },
            Err(why) => set_aside(&path, &why.to_string())?,
        }
        let keeper = StateWriter::start(self, place, journal)?;
        if is_arranged {
            keeper.lock_log().rewrite(&keeper.place)?;
        }
        // The world is new, so it has no writer yet.
        let _ = self.state_writer.set(Arc::new(keeper));
        self.persist();
        Ok(())
    }

    /// Continues from a stored state. Returns false if it does not belong to this account.
    fn resume_from(
        &self,
        mut parts: HeadParts,
        place: &StateLocation,
        last: i64,
        journal: JournalOptions,
    ) -> Result<bool, ReadWorldError> {
        let start: StartSettings = take_part(&mut parts, START_PART)?;
        let seq: i64 = take_part(&mut parts, SEQ_PART)?;
        let clock: StoredClock = take_part(&mut parts, CLOCK_PART)?;
        // Earlier versions did not write it.
        let kept_journal = parts.contains_key(JOURNAL_PART).then(|| take_part(&mut parts, JOURNAL_PART)).transpose()?;
        if seq > last {
            return Ok(false);
        }
        let reading = clock.reading.advance_reading(clock.real, self.core.ctx().clock().real_nanos());
        parts.insert(
            CLOCK_PART.to_owned(),
            to_raw_value(&reading).map_err(|why| ReadWorldError::Damaged(why.to_string()))?,
        );
        let WorldHead { settings, mut starting_point, is_from_seed, mut control } = WorldHead::read(parts)?;
        // Every job of the file came before this start.
        control.receivers.extend_to(job::last_id(&self.core)?);
        if seq < last {
            // Others wrote to the file meanwhile, so new IDs must differ from theirs.
            starting_point.position = starting_point.position.with_salt_of(self.core.ctx().ids().position());
        }
        let own = &self.settings_at_start;
        let has_start_settings = Settings { keys: Vec::new(), ..own.clone() } == start.settings;
        let is_safe = !self.resources.is_reachable || settings.auth == AuthSetting::Keys;
        if has_start_settings && is_safe {
            let settings = Settings { keys: own.keys.clone(), ..settings };
            let Ok(_) = self.change_settings(|now| {
                *now = settings;
                Ok::<_, std::convert::Infallible>(())
            });
        }
        if start.time == place.time_options {
            starting_point.restore(&self.core, KeepOptions::default());
        } else {
            self.core.ctx().ids().restore_position(starting_point.position);
        }
        self.set_from_seed(self.is_from_seed() || is_from_seed);
        self.load_control(control, KeepOptions::default());
        if let Some(kept_journal) = kept_journal.filter(|_| start.journal == Some(journal)) {
            self.journal.set_options(kept_journal);
        }
        let now = StartSettings::from_world(self, place, journal);
        if (&now.profile, now.allows_prefer) != (&start.profile, start.allows_prefer) {
            self.begin_faults();
        }
        Ok(true)
    }

    /// Writes what has changed, if the world outlives its server.
    pub(crate) fn persist(&self) {
        if let Some(keeper) = self.state_writer.get() {
            keeper.write_if_small(self, LARGE_HEAD);
        }
    }

    /// Does the same after a request of the interface, unless there is no file yet: a request alone creates none.
    pub(crate) fn persist_after_request(&self) {
        if let Some(keeper) = self.state_writer.get().filter(|keeper| keeper.has_file.load(Ordering::Acquire)) {
            keeper.write_if_small(self, LARGE_HEAD_FOR_REQUESTS);
        }
    }

    /// Writes all changes regardless of size, once nothing is under way.
    pub(crate) fn persist_all(&self) {
        if let Some(keeper) = self.state_writer.get() {
            keeper.write(self, &mut keeper.lock_log());
        }
    }

    /// Makes delayed writes until the server stops.
    pub(crate) async fn persist_until_stop(self: Arc<Self>) {
        let Some(keeper) = self.state_writer.get().cloned() else { return };
        let mut interval = LOOK_INTERVAL;
        loop {
            tokio::select! {
                () = self.resources.wait_for_stop() => return,
                () = tokio::time::sleep(interval) => {}
            }
            if !keeper.is_due.load(Ordering::Acquire) {
                interval = LOOK_INTERVAL;
                continue;
            }
            let world = self.clone();
            // A panic in the task is logged already.
            let _ = tokio::task::spawn_blocking(move || world.persist_all()).await;
            interval = WRITE_INTERVAL;
        }
    }
}

impl StateWriter {
    /// Starts the writer. The file is created only when there is something to write.
    fn start(world: &World, place: StateLocation, journal: JournalOptions) -> io::Result<Self> {
        let start = StartSettings::from_world(world, &place, journal);
        let mut parts = WorldHead::capture(world, &world.core).write()?;
        parts.insert(START_PART.to_owned(), to_raw_value(&start)?);
        let clock = world.core.ctx().clock();
        let clock = Some(StoredClock { reading: clock.reading(), real: clock.real_nanos() });
        parts.insert(CLOCK_PART.to_owned(), to_raw_value(&clock)?);
        parts.insert(SEQ_PART.to_owned(), to_raw_value(&world.core.last_change().map_err(io::Error::other)?)?);
        parts.insert(JOURNAL_PART.to_owned(), to_raw_value(&world.journal.options())?);
        let log = StateLog { file: None, size: 0, parts, clock, seq: None };
        Ok(Self { place, log: Mutex::new(log), is_due: AtomicBool::new(false), has_file: AtomicBool::new(false) })
    }

    fn lock_log(&self) -> MutexGuard<'_, StateLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the changes, or leaves them to the background if the head is larger than `large` or is being written.
    fn write_if_small(&self, world: &World, large: u64) {
        match self.log.try_lock() {
            Ok(mut log) if log.weight() <= large => self.write(world, &mut log),
            _ => self.is_due.store(true, Ordering::Release),
        }
    }

    fn write(&self, world: &World, log: &mut StateLog) {
        self.is_due.store(false, Ordering::Release);
        if let Err(error) = self.write_changes(world, log) {
            tracing::error!(%error, folder = %self.place.folder.display(), "the state of the world could not be written");
        }
        self.has_file.store(log.file.is_some(), Ordering::Release);
    }

    fn write_changes(&self, world: &World, log: &mut StateLog) -> io::Result<()> {
        let generation = world.core.generation();
        let seq = match log.seq {
            Some((logged_generation, seq)) if logged_generation == generation => seq,
            _ => world.core.last_change().map_err(io::Error::other)?,
        };
        log.seq = Some((generation, seq));
        let mut parts = WorldHead::capture(world, &world.core).write()?;
        parts.insert(SEQ_PART.to_owned(), to_raw_value(&seq)?);
        parts.insert(JOURNAL_PART.to_owned(), to_raw_value(&world.journal.options())?);
        let clock = world.core.ctx().clock();
        let now = StoredClock { reading: clock.reading(), real: clock.real_nanos() };
        let goes_on = log.clock.is_some_and(|before| before.runs_like(&now));
        if goes_on && log.file.is_some() {
            parts.remove(CLOCK_PART);
        } else {
            parts.insert(CLOCK_PART.to_owned(), to_raw_value(&now)?);
        }
        let is_news =
            |(name, part): &(String, Box<RawValue>)| log.parts.get(name).is_none_or(|old| old.get() != part.get());
        let changed: HeadParts = parts.into_iter().filter(is_news).collect();
        if changed.is_empty() {
            return Ok(());
        }
        let is_passing = |name: &String| VOLATILE_PARTS.contains(&name.as_str());
        if log.file.is_none() && goes_on && changed.keys().all(is_passing) {
            return Ok(());
        }
        if !goes_on || log.file.is_none() {
            log.clock = Some(now);
        }
        if log.file.is_none() {
            log.parts.extend(changed);
            return log.rewrite(&self.place);
        }
        let mut records = Vec::new();
        changed.iter().try_for_each(|(name, part)| write_record(&mut records, name, part))?;
        log.parts.extend(changed);
        log.size += records.len() as u64;
        if log.size > LOG_SLACK + 4 * log.weight() {
            // If the account file was replaced, the folder may belong to another server now.
            world.core.check_writable().map_err(io::Error::other)?;
            return log.rewrite(&self.place);
        }
        log.file.as_mut().map_or(Ok(()), |file| file.write_all(&records))
    }
}

impl StateLog {
    /// Returns the size of the current parts in bytes.
    fn weight(&self) -> u64 {
        self.parts.values().map(|part| part.get().len() as u64).sum()
    }

    /// Starts a new file with all current parts.
    fn rewrite(&mut self, place: &StateLocation) -> io::Result<()> {
        make_folder(&place.folder)?;
        let file = write_fresh(&place.folder.join(STATE_FILE), &self.parts)?;
        self.size = file.metadata()?.len();
        self.file = Some(file);
        Ok(())
    }
}

impl StoredClock {
    /// Returns whether the clock ran on to `later` without being set.
    fn runs_like(&self, later: &Self) -> bool {
        let (before, now) = (self.reading.advance_reading(self.real, later.real), later.reading);
        let apart = before.now.unwrap_or_default().abs_diff(now.now.unwrap_or_default());
        let slack = 5_000_000.0 * now.rate.unwrap_or(1.0).max(1.0);
        #[expect(clippy::cast_precision_loss, reason = "an approximate difference of two clocks suffices")]
        let is_near =
            now.mode == ClockMode::Real || apart == 0 || now.mode != ClockMode::Frozen && (apart as f64) < slack;
        before.mode == now.mode && before.rate == now.rate && is_near
    }
}

fn read_snapshots(folder: &Path) -> io::Result<Vec<Snapshot>> {
    let mut found = Vec::new();
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(found),
        Err(why) => return Err(why),
    };
    for entry in entries {
        let path = entry?.path();
        let name =
            path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(SNAPSHOT_EXTENSION));
        let Some(name) = name.filter(|name| is_world_name(name)) else { continue };
        match fs::read(&path)
            .map_err(|why| ReadWorldError::Damaged(why.to_string()))
            .and_then(|bytes| WorldFile::read(&bytes))
        {
            Ok(WorldFile { at, state }) => found.push(Snapshot { name: name.to_owned(), at, state }),
            Err(why) => {
                tracing::error!(%why, file = %path.display(), "a snapshot could not be read and was skipped")
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// Returns the file of a snapshot in its folder.
pub(crate) fn snapshot_file(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}{SNAPSHOT_EXTENSION}"))
}
