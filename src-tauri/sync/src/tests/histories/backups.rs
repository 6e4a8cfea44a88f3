//! Plays histories with pulls, most of them in an account file of an earlier version, until they are killed, run out of
//! room or lose a page: the newest sound copy has everything up to its moment.

#[path = "../../../../store/tests/it/endings.rs"]
mod endings;

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
};

use roost_model::{channel::Channel, id::ContactId, time::Timestamp};
use roost_ops::{Actor, Core, Ctx, Error, contact, ctx::Clock, list, opt_out, seed};
use roost_store::{tables::sync::connection, upkeep::backup};
use serde_json::Value;

use self::endings::{HistoryEnding, HistoryProcess, SmallDevice, check_histories, damage_page, random, say};
use super::super::{
    service::TestService,
    world::{World, build_connection, build_settings, phone_number, run_paused, to_field_values},
};
use crate::{Client, pull::PullOptions};

const ACTS: u64 = 8;
const BASE: &str = "http://127.0.0.1:4010/s";

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/accounts")
}

/// Returns the files in which histories begin: none, which is a new account, and one of each kind of every version.
fn beginnings() -> Vec<Option<PathBuf>> {
    let mut files: Vec<_> = fs::read_dir(fixtures()).unwrap().map(|entry| Some(entry.unwrap().path())).collect();
    files.retain(|file| file.as_ref().is_some_and(|path| path.extension().is_some_and(|end| end == "roost")));
    files.push(None);
    files.sort();
    files
}

fn beginning(history: u64) -> Option<PathBuf> {
    let all = beginnings();
    all[history as usize % all.len()].clone()
}

/// The first names of contacts by list and number, and what is opted out.
type Records = BTreeMap<String, String>;

/// Returns everything in an account as its export has it.
fn read_account(core: &Core) -> Result<Value, Error> {
    let mut text = Vec::new();
    seed::export(core, BASE, &mut text)?;
    Ok(serde_json::from_slice(&text).unwrap())
}

fn items(value: &Value, key: &str) -> Vec<Value> {
    value[key].as_array().cloned().unwrap_or_default()
}

fn read_records(core: &Core) -> Result<Records, Error> {
    let account = read_account(core)?;
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let mut records = Records::new();
    for list in items(&account, "lists") {
        let name = text(&list, "name");
        records.extend(items(&list, "contacts").iter().map(|contact| {
            let number = text(contact, "phone_number") + &text(contact, "whatsapp_id");
            (format!("{name}/{number}"), text(contact, "firstname"))
        }));
    }
    records.extend(items(&account, "opt_outs").iter().map(|record| {
        (format!("{} {}", text(record, "number"), text(record, "channel")), text(record, "opt_out_type"))
    }));
    Ok(records)
}

fn open_account(file: &Path, history: u64) -> Result<Core, Error> {
    Core::open(file, Ctx::seeded(Clock::fixed(Timestamp::from_unix(1_796_000_000)), history))
}

/// Returns what an act gives, or nothing where the disk is full.
fn accept_full_disk<T>(act: Result<T, Error>) -> Option<T> {
    match act {
        Ok(done) => Some(done),
        Err(Error::Store(_)) => None,
        Err(why) => panic!("{why:?}"),
    }
}

/// The player of one history, which says each state of the account, and what comes before a pull.
struct Player {
    world: World,
    file: PathBuf,
    history: u64,
}

impl Player {
    fn open(file: PathBuf, history: u64) -> Option<Self> {
        // Where a full disk leaves no room for an account or its upgrade, nothing can be lost.
        let core = open_account(&file, history).ok()?;
        let service = TestService::new(history);
        let known = beginning(history).map(|path| path.with_extension("service.json")).filter(|path| path.exists());
        if let Some(known) = known {
            seed::apply(&service.core, &Actor::operator(), &fs::read(known).unwrap(), BASE).unwrap();
        }
        accept_full_disk(core.write_quietly(|tx| {
            if connection::get(tx)?.is_none() {
                connection::set(tx, &build_connection())?;
            }
            Ok(())
        }))?;
        let client = Client::new(service.clone(), build_settings());
        Some(Self { world: World { core, service, client }, file, history })
    }

    fn random(&self, about: &str, below: usize) -> usize {
        random(self.history, about, below as u64) as usize
    }

    fn say(&self, word: &str, core: &Core) {
        if let Some(records) = accept_full_disk(read_records(core)) {
            say(word, &serde_json::to_string(&records).unwrap());
        }
    }

    fn play(&self, act: u64) {
        let (core, by) = (&self.world.core, Actor::user(None));
        match self.random(&format!("act {act}"), 5) {
            0 => {
                let number = phone_number(100 + act as u32);
                accept_full_disk(opt_out::add_web_opt_out(core, &by, &number, Channel::Sms));
            }
            1 => self.rename_contact(core, act),
            _ => {
                self.change_service(act);
                self.pull(act);
            }
        }
        self.say("state", core);
    }

    fn rename_contact(&self, core: &Core, act: u64) {
        let Some(account) = accept_full_disk(read_account(core)) else { return };
        let contacts: Vec<Value> = items(&account, "lists").iter().flat_map(|list| items(list, "contacts")).collect();
        if let Some(contact) = contacts.get(self.random(&format!("contact {act}"), contacts.len().max(1))) {
            let uid = ContactId::parse(contact["uid"].as_str().unwrap()).unwrap();
            let name = to_field_values(&[("firstname", &format!("Act {act}"))]);
            accept_full_disk(contact::update(core, &Actor::user(None), &uid, &name, None));
        }
    }

    /// Somebody else adds a list, renames a contact, and removes a contact or a whole list.
    fn change_service(&self, act: u64) {
        let (core, by) = (&self.world.service.core, Actor::user(None));
        self.world.create_remote_list_from(&format!("There {act}"), 200 + 10 * act as u32, 4);
        self.rename_contact(core, act);
        let lists = World::read_lists(core);
        let (_, list) = &lists[self.random(&format!("list {act}"), lists.len())];
        if self.random(&format!("whole {act}"), 4) == 0 {
            list::delete(core, &by, list).unwrap();
        } else if let Some((uid, ..)) = World::read_contacts(core, list).first() {
            contact::delete(core, &by, uid).unwrap();
        }
    }

    /// Pulls, and sometimes waits for the copy of the state before the first removal.
    fn pull(&self, act: u64) {
        let World { core, service, .. } = &self.world;
        let newest = || backup::list_copies(&self.file).into_iter().map(|copy| copy.path).next();
        let waits = self.random(&format!("wait {act}"), 2) == 0;
        if waits {
            // While an earlier copy is being made, there is none of this pull.
            core.finish_copies();
        }
        let before = newest();
        self.say("coming", &service.core);
        let options = PullOptions { full: true, believe: true, ..PullOptions::default() };
        // On a full disk, a pull ends early.
        drop(run_paused(self.world.pull_with(&options)));
        if waits {
            core.finish_copies();
            if newest() != before {
                say("copied", "");
            }
        }
    }
}

#[test]
#[ignore = "runs in the processes that the test below starts"]
fn play_history() {
    let (Ok(file), Ok(history)) = (env::var("HISTORY_FILE"), env::var("HISTORY")) else { return };
    let Some(player) = Player::open(file.into(), history.parse().unwrap()) else { return };
    player.say("state", &player.world.core);
    (0..ACTS).for_each(|act| player.play(act));
}

/// What a history said: its states and what came, in their order, the last state, and the last one that it saw copied.
struct SaidStates {
    all: Vec<Records>,
    last: usize,
    copied: usize,
}

impl SaidStates {
    fn read(said: &[(String, String)]) -> Option<Self> {
        let mut read = Self { all: Vec::new(), last: 0, copied: 0 };
        for (word, text) in said {
            if word == "copied" {
                read.copied = read.last;
                continue;
            }
            // The last line may be cut off by a kill.
            let Ok(records) = serde_json::from_str(text) else { break };
            if word == "state" {
                read.last = read.all.len();
            }
            read.all.push(records);
        }
        (!read.all.is_empty()).then_some(read)
    }

    /// Returns the first record that is missing or has an older value than in any state from one on. A value that was
    /// never said is that of an act which a kill kept from being said.
    fn find_lost(&self, found: &Records, from: usize) -> Option<String> {
        let (older, states) = self.all.split_at(from);
        let has_any = |states: &[Records], key: &String| states.iter().any(|state| state.get(key) == found.get(key));
        let keys: BTreeSet<&String> = states.iter().flat_map(Records::keys).chain(found.keys()).collect();
        let is_lost = |key: &String| !has_any(states, key) && (!found.contains_key(key) || has_any(older, key));
        keys.into_iter().find(|key| is_lost(key)).map(|key| format!("{key}: {:?}", found.get(key)))
    }
}

/// Opens a file in a folder of its own and returns its records.
fn read_file(file: &Path, history: u64) -> Records {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.roost");
    fs::copy(file, &copy).unwrap();
    let core = open_account(&copy, history).unwrap();
    assert_eq!(core.integrity().unwrap(), "ok", "history {history}");
    read_records(&core).unwrap()
}

/// Plays a history and goes back to its newest sound copy. Returns whether there was one.
fn check_history(history: u64) -> bool {
    let (folder, begun) = (tempfile::tempdir().unwrap(), beginning(history));
    let mut ending = HistoryEnding::ALL[((history + history / beginnings().len() as u64) % 3) as usize];
    let device = (ending == HistoryEnding::FullDisk)
        .then(|| SmallDevice::mount(folder.path(), 1_000_000 + random(history, "room", 4_000_000)));
    if device.as_ref().is_some_and(Option::is_none) {
        ending = HistoryEnding::Kill;
    }
    let file = folder.path().join("account.roost");
    if let Some(begun) = &begun {
        fs::copy(begun, &file).unwrap();
    }
    let process = HistoryProcess {
        test: "tests::histories::backups::play_history",
        file: &file,
        history,
        killed_after: (ending == HistoryEnding::Kill).then(|| random(history, "kill", ACTS)),
        damaged_before: None,
    };
    let said = SaidStates::read(&process.play());
    if ending == HistoryEnding::Kill
        && let Some(begun) = &begun
    {
        let core = open_account(&file, history).unwrap();
        assert_eq!(core.integrity().unwrap(), "ok", "history {history}");
        let found = read_records(&core).unwrap();
        match &said {
            Some(said) => assert_eq!(said.find_lost(&found, said.last), None, "history {history}"),
            None => assert_eq!(found, read_file(begun, history), "history {history}: killed during its upgrade"),
        }
    }
    let Some(said) = said else { return false };
    if ending == HistoryEnding::DamagedPage {
        damage_page(&file, history);
    }
    let Some(newest) = backup::newest_sound_copy(&file) else {
        assert!(begun.is_none() && said.copied == 0, "history {history}: {ending:?}: the copies are gone");
        return false;
    };
    let lost = said.find_lost(&read_file(&newest, history), said.copied);
    assert_eq!(lost, None, "history {history}: {ending:?}: {}", newest.display());
    true
}

#[test]
fn the_newest_copy_has_everything_up_to_its_moment_however_a_history_of_pulls_ends() {
    check_histories(beginnings().len() as u64, check_history);
}
