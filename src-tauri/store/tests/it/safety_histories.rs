//! Tests random histories that end with a kill, on a full disk or with a damaged page: the newest sound copy has
//! everything up to its moment.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::Path,
};

use roost_model::error::ErrorCode;
use roost_store::{change_log::ActorKind, db::Db, error::StoreError, upkeep::backup};

use crate::{
    endings::{HistoryEnding, HistoryProcess, SmallDevice, check_histories, damage_page, random, say},
    support::{
        AccountFolder, add_contacts, add_list, add_opt_out, checked_counts, contact_id, delete_list, read_lists,
        read_values, set_city,
    },
};

/// The histories that `make test` has time for.
const HISTORIES: u64 = 40;
const ACTS: u64 = 10;
const BULK: u64 = 1_000;

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
        say(word, &describe_state(&lists, &cities.collect(), &self.opt_outs));
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

/// Plays a history. Returns the states that it said, and how many of them came before the last one that it saw copied.
fn play_in_process(file: &Path, history: u64, ending: HistoryEnding) -> (Vec<String>, Option<usize>) {
    let is_damaged_open = ending == HistoryEnding::DamagedPage && random(history, "open", 2) == 0;
    let process = HistoryProcess {
        test: "safety_histories::play_history",
        file,
        history,
        killed_after: (ending == HistoryEnding::Kill).then(|| 1 + random(history, "kill", 2 * ACTS)),
        damaged_before: is_damaged_open.then(|| random(history, "damage", ACTS)),
    };
    let (mut states, mut copied) = (Vec::new(), None);
    for (word, text) in process.play() {
        match word.as_str() {
            "copied" => copied = states.len().checked_sub(1),
            _ => states.push(text),
        }
    }
    (states, copied)
}

/// Plays a history and goes back to its newest sound copy. Returns whether there was one.
fn check_history(history: u64) -> bool {
    let place = AccountFolder::new();
    let mut ending = HistoryEnding::ALL[(history % 3) as usize];
    let device = (ending == HistoryEnding::FullDisk)
        .then(|| SmallDevice::mount(place.folder.path(), 600_000 + random(history, "room", 4_000_000)));
    if device.as_ref().is_some_and(Option::is_none) {
        ending = HistoryEnding::Kill;
    }
    let (states, copied) = play_in_process(&place.file, history, ending);
    if states.is_empty() {
        return false;
    }
    if ending == HistoryEnding::DamagedPage {
        damage_page(&place.file, history);
    }
    let newest = backup::newest_sound_copy(&place.file);
    match place.open() {
        Ok(db) if ending == HistoryEnding::DamagedPage => drop(db),
        Ok(db) => assert_eq!(db.check_integrity().unwrap(), "ok", "history {history}"),
        Err(why) => {
            assert!(ending != HistoryEnding::Kill, "history {history}: {why}");
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
    check_histories(HISTORIES, check_history);
}
