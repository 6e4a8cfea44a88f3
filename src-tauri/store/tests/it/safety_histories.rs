//! Tests random histories that end with a kill, on a full disk or with a damaged page: the newest sound copy has
//! everything up to its moment.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    hash::{BuildHasher, BuildHasherDefault, DefaultHasher},
    io::{BufRead, BufReader, Seek, SeekFrom, Write},
    path::Path,
    process::{Command, Stdio},
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::Duration,
};

use roost_model::error::ErrorCode;
use roost_store::{change_log::ActorKind, db::Db, error::StoreError, upkeep::backup};

use crate::support::{
    AccountFolder, SmallDevice, add_contacts, add_list, add_opt_out, checked_counts, contact_id, delete_list,
    read_lists, read_values, set_city,
};

/// The histories that `make test` has time for. `ROOST_TIMES` multiplies them, as in `make soak`.
const HISTORIES: u64 = 40;
const ACTS: u64 = 10;
const BULK: u64 = 1_000;
const PAGE: u64 = 4_096;

/// Returns a number below `below` that follows from the history and from what it is about.
fn random(history: u64, about: &str, below: u64) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one((history, about)) % below
}

/// Describes every value that a history changes.
fn describe_state(
    lists: &BTreeMap<String, u64>,
    cities: &BTreeMap<String, String>,
    opt_outs: &BTreeSet<String>,
) -> String {
    format!("{lists:?} {cities:?} {opt_outs:?}")
}

/// The player of one history, which says each state of the account before it changes it.
struct Player {
    db: Db,
    history: u64,
    /// The number of contacts in each list.
    lists: BTreeMap<u64, u64>,
    /// The cities of contacts, by list and position.
    cities: BTreeMap<(u64, u64), String>,
    opt_outs: BTreeSet<String>,
}

impl Player {
    fn say(&self, word: &str) {
        let lists = self.lists.iter().map(|(list, contacts)| (format!("list {list}"), *contacts)).collect();
        let cities = self.cities.iter().map(|((list, at), city)| (contact_id(*list, *at).to_string(), city.clone()));
        let state = describe_state(&lists, &cities.collect(), &self.opt_outs);
        let mut out = std::io::stdout();
        writeln!(out, "\n{word} {state}").and_then(|()| out.flush()).unwrap();
    }

    fn add_list(&mut self, number: u64) -> Result<(), StoreError> {
        add_list(&self.db, number)?;
        self.lists.insert(number, 0);
        self.say("state");
        Ok(())
    }

    /// Performs a large act, and sometimes waits for the copy of the state before.
    fn perform_large_act(&mut self, number: u64, is_removal: bool) -> Result<(), StoreError> {
        let path = env::var("HISTORY_FILE").unwrap();
        let copies = || backup::list_copies(Path::new(&path)).into_iter().map(|copy| copy.path).next();
        let waits = random(self.history, &format!("wait {number}"), 2) == 0;
        if waits {
            // While an earlier copy is being made, there is none of this act.
            self.db.finish_copies();
        }
        let before = copies();
        if is_removal {
            delete_list(&self.db, ActorKind::User, number)?;
        } else {
            add_contacts(&self.db, ActorKind::Import, number, BULK)?;
        }
        if waits {
            self.db.finish_copies();
            if copies() != before {
                self.say("copied");
            }
        }
        if is_removal {
            self.lists.remove(&number);
            self.cities.retain(|(list, _), _| *list != number);
        } else {
            self.lists.insert(number, BULK);
        }
        self.say("state");
        Ok(())
    }

    /// Changes one value, which is too little for a copy of its own.
    fn edit_contact(&mut self, act: u64, list: u64) -> Result<(), StoreError> {
        let (at, city) = (random(self.history, &format!("contact {act}"), BULK), format!("act {act}"));
        set_city(&self.db, &contact_id(list, at), &city)?;
        self.cities.insert((list, at), city);
        self.say("state");
        Ok(())
    }

    fn add_opt_out(&mut self, act: u64) -> Result<(), StoreError> {
        let number = format!("+44770090{act:04}");
        add_opt_out(&self.db, &number)?;
        self.opt_outs.insert(number);
        self.say("state");
        Ok(())
    }

    fn play(&mut self, act: u64) -> Result<(), StoreError> {
        let full: Vec<u64> = self.lists.iter().filter(|(_, count)| **count > 0).map(|(list, _)| *list).collect();
        let any = || full[random(self.history, &format!("list {act}"), full.len() as u64) as usize];
        match random(self.history, &format!("act {act}"), 7) {
            0 => self.add_list(act),
            1 if !full.is_empty() => self.perform_large_act(any(), true),
            2 | 3 if !full.is_empty() => self.edit_contact(act, any()),
            4 => self.add_opt_out(act),
            _ => {
                self.add_list(act)?;
                self.perform_large_act(act, false)
            }
        }
    }
}

#[test]
#[ignore = "runs in the processes that the test below starts"]
fn play_history() {
    let (Ok(file), Ok(history)) = (env::var("HISTORY_FILE"), env::var("HISTORY")) else { return };
    let (file, history) = (Path::new(&file), history.parse().unwrap());
    let damaged_before = env::var("HISTORY_DAMAGE").ok().map(|act| act.parse().unwrap());
    // Where a full disk leaves no room for an account, nothing can be lost.
    let Ok(db) = Db::open(file) else { return };
    let (lists, cities, opt_outs) = Default::default();
    let mut player = Player { db, history, lists, cities, opt_outs };
    player.say("state");
    for act in 0..ACTS {
        if damaged_before == Some(act) {
            damage_page(file, history);
        }
        match player.play(act) {
            Ok(()) | Err(StoreError::DiskFull | StoreError::Device(_)) => {}
            Err(StoreError::Damaged(_)) if damaged_before.is_some() => return,
            Err(why) => panic!("{why:?}"),
        }
    }
}

/// Overwrites a page of the file, but not the first one, which says whose file it is.
fn damage_page(file: &Path, history: u64) {
    let pages = fs::metadata(file).unwrap().len() / PAGE;
    let mut file = fs::OpenOptions::new().write(true).open(file).unwrap();
    file.seek(SeekFrom::Start(PAGE * (1 + random(history, "page", pages - 1)))).unwrap();
    file.write_all(&[0x5a; PAGE as usize]).unwrap();
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Kill,
    FullDisk,
    DamagedPage,
}

/// Plays a history in a process of its own until it ends or is killed. Returns the states that it said, and how many of
/// them came before the last one that it saw copied.
fn play_in_process(place: &AccountFolder, history: u64, ending: Ending) -> (Vec<String>, Option<usize>) {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "safety_histories::play_history", "--ignored", "--nocapture"]);
    command.env("HISTORY_FILE", &place.file).env("HISTORY", history.to_string());
    if ending == Ending::DamagedPage && random(history, "open", 2) == 0 {
        command.env("HISTORY_DAMAGE", random(history, "damage", ACTS).to_string());
    }
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let killed_after = (ending == Ending::Kill).then(|| 1 + random(history, "kill", 2 * ACTS));
    let (mut states, mut copied) = (Vec::new(), None);
    for line in BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap) {
        if line.starts_with("copied ") {
            copied = states.len().checked_sub(1);
        } else if let Some(state) = line.strip_prefix("state ") {
            states.push(state.to_owned());
            if Some(states.len() as u64) == killed_after {
                thread::sleep(Duration::from_millis(random(history, "moment", 40)));
                child.kill().unwrap();
            }
        }
    }
    let ended = child.wait().unwrap();
    assert!(ended.success() || ending == Ending::Kill, "history {history}: {ended}");
    (states, copied)
}

/// Plays a history and goes back to its newest sound copy. Returns whether there was one.
fn check_history(history: u64) -> bool {
    let place = AccountFolder::new();
    let mut ending = [Ending::Kill, Ending::FullDisk, Ending::DamagedPage][(history % 3) as usize];
    let device = (ending == Ending::FullDisk)
        .then(|| SmallDevice::mount(place.folder.path(), 600_000 + random(history, "room", 4_000_000)));
    if device.as_ref().is_some_and(Option::is_none) {
        ending = Ending::Kill;
    }
    let (states, copied) = play_in_process(&place, history, ending);
    if states.is_empty() {
        return false;
    }
    if ending == Ending::DamagedPage {
        damage_page(&place.file, history);
    }
    let newest = backup::newest_sound_copy(&place.file);
    match place.open() {
        Ok(db) if ending == Ending::DamagedPage => drop(db),
        Ok(db) => assert_eq!(db.check_integrity().unwrap(), "ok", "history {history}"),
        Err(why) => {
            assert!(ending != Ending::Kill, "history {history}: {why}");
            let names_copy = newest.as_ref().is_none_or(|copy| why.to_string().contains(&*copy.to_string_lossy()));
            assert!(why.code() == ErrorCode::DiskFull || names_copy, "history {history}: {why}");
        }
    }
    let Some(newest) = newest else {
        assert_eq!(copied, None, "history {history}: {ending:?}");
        return false;
    };
    let restored = AccountFolder::new();
    fs::copy(&newest, &restored.file).unwrap();
    checked_counts(&restored.open().unwrap());
    let (cities, opt_outs) = read_values(&restored.file);
    let found = describe_state(&read_lists(&restored.file), &cities, &opt_outs);
    let at = states.iter().rposition(|state| *state == found);
    assert!(
        at.is_some() && at >= copied,
        "history {history}: {ending:?} {found} is {at:?} and not {copied:?} of {states:?}"
    );
    true
}

#[test]
fn the_newest_copy_has_everything_up_to_its_moment_however_a_history_ends() {
    let times = env::var("ROOST_TIMES").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let histories = HISTORIES * times;
    let (next, with_copy) = (AtomicU64::new(0), AtomicU64::new(0));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for history in std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed))) {
                    if history >= histories {
                        return;
                    }
                    with_copy.fetch_add(check_history(history).into(), Ordering::Relaxed);
                }
            });
        }
    });
    let with_copy = with_copy.into_inner();
    assert!(with_copy > histories / 2, "{with_copy} of {histories} histories were copied");
}
