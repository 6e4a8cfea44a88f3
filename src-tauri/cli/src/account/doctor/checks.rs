//! The checks of the file itself: its companions, its room, damage, schema, copies, connection.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use roost_model::time::Timestamp;
use roost_ops::{
    Core,
    account::{
        backup::{self, AccountCopy, FaultArea, FileCheck, KeyLocation, ServiceConnection},
        health::{self, FileFacts},
    },
};
use serde_json::{Value, json};

use super::{
    super::{
        check::{area_word, describe_log_way},
        copy_time, describe_bytes, reason_word,
    },
    AccountCheck, AccountReport, CheckStatus, waiting,
};
use crate::terminal::{count_with_noun, path_argument, plain_value};

/// From this size on, the write-ahead log is larger than Roost leaves it.
const LARGE_LOG: u64 = 64 << 20;
/// A copy that is older than this many days should be followed by another.
const OLD_COPY_DAYS: i64 = 30;

impl AccountCheck {
    pub(super) fn ok(check: &'static str, finding: String, data: Value) -> Self {
        Self { check, status: CheckStatus::Ok, finding, to_do: None, data }
    }

    pub(super) fn with_advice(self, status: CheckStatus, to_do: String) -> Self {
        Self { status, to_do: Some(to_do), ..self }
    }
}

/// Examines an account, open in another process or not, and changes nothing.
pub(super) fn examine_account(db: &Path, now: Timestamp) -> AccountReport {
    let mut checks = Vec::new();
    // The file is looked at first, because the other checks connect to it.
    if let Ok(facts) = health::read_file_facts(db) {
        checks.extend([check_file(db, &facts), check_holder(&facts), check_room(&facts), check_disk(&facts)]);
    }
    let found = match backup::check_file(db) {
        Ok(found) => found,
        Err(why) => {
            let data = json!({ "code": why.code() });
            let check = AccountCheck::ok("damage", "it could not be checked".to_owned(), data);
            checks.push(check.with_advice(CheckStatus::Unknown, why.to_string()));
            return AccountReport { checks, is_sound: false, failure: Some(why) };
        }
    };
    let is_sound = found.faults.is_empty();
    let copies = backup::list_copies(db);
    checks.extend([check_damage(db, &found, &copies), check_schema(&found), check_copies(db, &copies, now)]);
    checks.push(check_set_aside(db, &backup::list_set_aside(db)));
    if let Ok(summary) = backup::summarize_file(db) {
        checks.push(check_connection(summary.connection.as_ref()));
    }
    if let Ok(work) = health::count_waiting_work(db) {
        checks.extend(waiting::check_work(db, &work));
    }
    AccountReport { checks, is_sound, failure: None }
}

fn check_file(db: &Path, facts: &FileFacts) -> AccountCheck {
    let is_private = facts.mode.is_none_or(|mode| mode & 0o077 == 0);
    let mut finding = describe_bytes(facts.bytes);
    if let Some(log) = facts.log_bytes {
        finding += &format!(", {} in its log", describe_bytes(log));
    }
    let data = json!({
        "bytes": facts.bytes,
        "log_bytes": facts.log_bytes,
        "mode": facts.mode.map(|mode| format!("{mode:o}")),
        "can_write": facts.can_write,
        "can_write_folder": facts.can_write_folder,
    });
    let db = plain_value(&db.to_string_lossy());
    let check = |finding: String| AccountCheck::ok("file", finding, data);
    if !facts.can_write || !facts.can_write_folder {
        let what = if facts.can_write { "its folder" } else { "it" };
        return check(format!("{finding}; {what} cannot be written"))
            .with_advice(CheckStatus::Fault, "Change the permissions of the file and of its folder.".to_owned());
    }
    if !is_private {
        return check(format!("{finding}; other users of this computer may read it"))
            .with_advice(CheckStatus::Note, format!("chmod 600 {db}"));
    }
    if facts.log_bytes.is_some_and(|log| log > LARGE_LOG) {
        let to_do = "Close Roost and every other program that reads the file. The log then becomes small.";
        return check(finding).with_advice(CheckStatus::Note, to_do.to_owned());
    }
    check(format!("{finding}; only its owner can read it"))
}

fn check_holder(facts: &FileFacts) -> AccountCheck {
    let data = json!({ "is_open": facts.holder.is_some() });
    let finding = match facts.holder {
        None => "closed".to_owned(),
        Some(None) => "open in another process".to_owned(),
        Some(Some(process)) => format!("open in process {process}"),
    };
    AccountCheck::ok("use", finding, data)
}

fn check_room(facts: &FileFacts) -> AccountCheck {
    let data = json!({ "free_bytes": facts.free_bytes });
    match facts.free_bytes {
        None => AccountCheck::ok("room", "this system does not say how much is free".to_owned(), data),
        Some(free) => {
            let check = AccountCheck::ok("room", format!("{} free", describe_bytes(free)), data);
            // A backup needs as much as the account, and a large act as much again for its log.
            match free < facts.bytes.saturating_mul(2) {
                true => check.with_advice(
                    CheckStatus::Note,
                    "Free some space: a copy and a large change each need as much as the account has.".to_owned(),
                ),
                false => check,
            }
        }
    }
}

/// Says whether the system encrypts the disk, because Roost does not encrypt accounts itself.
fn check_disk(facts: &FileFacts) -> AccountCheck {
    let finding = match facts.is_disk_encrypted {
        Some(true) => "encrypted by the system",
        Some(false) => "no encryption by the system was found: whoever has the disk may be able to read the account",
        None => "this system does not say whether the disk is encrypted",
    };
    AccountCheck::ok("disk", finding.to_owned(), json!({ "is_encrypted": facts.is_disk_encrypted }))
}

fn check_damage(db: &Path, found: &FileCheck, copies: &[AccountCopy]) -> AccountCheck {
    let mut areas: BTreeMap<&str, u64> = BTreeMap::new();
    for fault in &found.faults {
        *areas.entry(area_word(fault.area)).or_default() += 1;
    }
    let sound = copies.iter().find(|copy| copy.is_sound);
    let data = json!({ "faults": areas, "has_sound_copy": sound.is_some() });
    if found.faults.is_empty() {
        return AccountCheck::ok("damage", "none".to_owned(), data);
    }
    let is_log_alone = found.faults.iter().all(|fault| fault.area == FaultArea::Log);
    let of_log = if is_log_alone { describe_log_way(db) + "\n" } else { String::new() };
    let db = path_argument(db);
    let copy = sound.map_or("BACKUP".into(), |copy| path_argument(&copy.path));
    let to_do = format!(
        "{of_log}roost account check --db {db} lists them. Close Roost and keep a copy of the file. To go back to a copy:\n  \
         roost set-aside --db {db}\n  roost account restore --db {db} {copy}"
    );
    let kinds: Vec<&str> = areas.keys().copied().collect();
    let finding = format!("{} ({})", count_with_noun(found.faults.len() as u64, "fault"), kinds.join(", "));
    AccountCheck::ok("damage", finding, data).with_advice(CheckStatus::Fault, to_do)
}

fn check_schema(found: &FileCheck) -> AccountCheck {
    let known = Core::schema_version();
    let data = json!({ "schema": found.schema, "newest_schema": known });
    if found.schema == 0 {
        let check = AccountCheck::ok("schema", "it could not be read".to_owned(), data);
        return AccountCheck { status: CheckStatus::Unknown, ..check };
    }
    let check = AccountCheck::ok("schema", found.schema.to_string(), data);
    match found.schema < known {
        true => check.with_advice(
            CheckStatus::Note,
            format!("Roost copies the account and upgrades it to {known} when it opens it."),
        ),
        false => check,
    }
}

fn check_copies(db: &Path, copies: &[AccountCopy], now: Timestamp) -> AccountCheck {
    let age = |copy: &AccountCopy| {
        let at = Timestamp::parse_iso(&copy_time(&copy.date))?;
        Some((now.unix() - at.unix()).max(0) / 86_400)
    };
    let rows: Vec<Value> = copies
        .iter()
        .map(|copy| {
            json!({ "reason": reason_word(copy.reason), "days": age(copy), "bytes": copy.bytes, "sound": copy.is_sound })
        })
        .collect();
    let data = json!({ "copies": rows });
    let advice = format!("roost account backup --db {}", path_argument(db));
    let Some(newest) = copies.iter().find(|copy| copy.is_sound) else {
        let finding = match copies.len() {
            0 => "none".to_owned(),
            count => format!("{count}, and none of them is sound"),
        };
        return AccountCheck::ok("copies", finding, data).with_advice(CheckStatus::Note, advice);
    };
    let days = age(newest).unwrap_or_default();
    let finding = format!("{}, the newest sound one from {}", copies.len(), copy_time(&newest.date));
    let check = AccountCheck::ok("copies", finding, data);
    if days > OLD_COPY_DAYS { check.with_advice(CheckStatus::Note, advice) } else { check }
}

/// Names the files that hold an earlier state of the account and are no copies.
fn check_set_aside(db: &Path, files: &[PathBuf]) -> AccountCheck {
    let data = json!({ "files": files.len() });
    if files.is_empty() {
        return AccountCheck::ok("set_aside", "none".to_owned(), data);
    }
    let names: Vec<_> = files.iter().map(|file| plain_value(&file.to_string_lossy())).collect();
    let finding = count_with_noun(files.len() as u64, "damaged file");
    let to_do = format!(
        "Each holds people and opt-outs. Before you delete one, compare it with the account: roost account restore --db {} \
         FILE --dry-run\n  {}",
        path_argument(db),
        names.join("\n  ")
    );
    AccountCheck::ok("set_aside", finding, data).with_advice(CheckStatus::Note, to_do)
}

fn check_connection(service: Option<&ServiceConnection>) -> AccountCheck {
    let Some(service) = service else {
        return AccountCheck::ok("service", "not connected".to_owned(), json!({ "is_connected": false }));
    };
    let key = service.key_at.map(|at| match at {
        KeyLocation::Keyring => "keyring",
        KeyLocation::Sealed => "sealed",
    });
    let scheme =
        service.base_url.split_once("://").map(|(scheme, _)| scheme).filter(|one| ["http", "https"].contains(one));
    let data = json!({
        "is_connected": true,
        "scheme": scheme,
        "key_at": key,
        "read_only": service.read_only,
        "plain_http": service.plain_http,
    });
    let read_only = if service.read_only { ", read-only" } else { "" };
    let key_location = match service.key_at {
        None => "no key is stored",
        Some(KeyLocation::Keyring) => "its key is in the keyring",
        Some(KeyLocation::Sealed) => "its key is in a sealed file",
    };
    let finding = format!("{}, {}{read_only}; {key_location}", service.name, service.base_url);
    let check = AccountCheck::ok("service", finding, data);
    match key {
        Some(_) => check,
        None => check.with_advice(CheckStatus::Note, "roost connect stores a key.".to_owned()),
    }
}
