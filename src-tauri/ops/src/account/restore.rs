//! Restores an account from a copy. The copy is first copied and opened beside the account, so that the two can be
//! compared before anything is replaced.

use std::{
    collections::HashSet,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use roost_model::{
    channel::Channel,
    opt_out::{OptOut, OptOutRecordScope},
};
use roost_reconcile::audit::ErasureRecord;
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    db::diff,
    error::StoreError,
    files::output::resolve_links,
    tables::{
        counts::{self, AccountCounts},
        opt_outs::{self, Warrant},
        settings,
        sync::{SyncedTable, audit, connection, screens::unsent_records},
    },
    tx::{ActDescription, ReadTx},
    upkeep::{backup::SideCopy, salvage},
};
use serde::Serialize;

use super::{AccountProfile, audit::create_entry, held::read_erasures};
use crate::{
    core::{Actor, Core},
    ctx::Ctx,
    error::{Error, Result},
};

/// What is shown of an account or of a copy when the two are compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ComparedAccount {
    pub name: Option<String>,
    pub counts: AccountCounts,
    /// The service that it is connected to.
    pub service: Option<String>,
    /// The number of changes that were not sent to that service.
    pub unsent: u64,
}

/// The tables whose changes are sent to the service.
const SYNCED: [SyncedTable; 5] =
    [SyncedTable::Senders, SyncedTable::Lists, SyncedTable::Contacts, SyncedTable::OptOuts, SyncedTable::ShortLinks];

/// What a restore would change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreDifference {
    /// The account as it is, or `None` if there is none.
    pub now: Option<ComparedAccount>,
    pub restored: ComparedAccount,
    /// How many records only one of the two has, or both with other values.
    pub differing: AccountCounts,
    /// Whether the records of another account would take the place of the account's own.
    pub is_other_account: bool,
    /// The opt-outs of the account, or of the damaged file, that the copy lacks.
    pub missing_opt_outs: Vec<OptOut>,
    /// The number of opt-outs of the copy that the account does not have. They would be in force.
    pub returning_opt_outs: u64,
    /// If the account is missing: the damaged file that was set aside last, from which opt-outs were read.
    pub set_aside: Option<SetAsideFile>,
    /// The erasures that the account records and the copy does not. The copy may still hold what they removed.
    pub newer_erasures: Vec<ErasureRecord>,
}

/// A damaged file whose opt-outs were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAsideFile {
    pub path: PathBuf,
    /// Whether all of its opt-outs could be read.
    pub is_whole: bool,
}

/// What becomes of the opt-outs that the copy lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingOptOuts {
    /// They stay in force in the restored account.
    Keep,
    /// They end. The person confirmed their number.
    Lose { confirmed: u64 },
}

/// What the person agreed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RestoreConsent {
    pub missing: MissingOptOuts,
    /// Whether the copy may be one of another account.
    pub other_account: bool,
}

/// A copy that is ready to take the place of an account.
pub struct Restore {
    side: SideCopy,
    copy: PathBuf,
    /// The account that would be replaced, which nobody else can open meanwhile.
    account: Option<Core>,
    path: PathBuf,
    difference: RestoreDifference,
}

fn key_of(record: &OptOut) -> (&str, Channel, &OptOutRecordScope) {
    (&record.number, record.channel, &record.scope)
}

fn read_opt_outs(core: &Core) -> Result<Vec<OptOut>> {
    core.read(|tx: &ReadTx| {
        let mut all = Vec::new();
        opt_outs::visit_all(tx, |record| {
            all.push(record);
            Ok::<_, Error>(())
        })?;
        Ok(all)
    })
}

fn check_not_itself(account: &Path, copy: &Path) -> Result<()> {
    if resolve_links(copy) == account {
        return Err(Error::conflict(format!("{} is the account itself. Name a copy of it.", copy.display())));
    }
    Ok(())
}

/// Compares an open account with a copy, as [`Restore::prepare`] does, and changes nothing.
pub fn compare_with_copy(account: &Core, path: &Path, copy: &Path) -> Result<RestoreDifference> {
    let path = resolve_links(path);
    check_not_itself(&path, copy)?;
    let side = SideCopy::create(copy, &path)?;
    let restored = Core::open(side.path(), Ctx::system())?;
    let difference = compare_accounts(Some(account), None, &restored);
    restored.end_background_work();
    difference
}

impl Restore {
    /// Opens a copy of `copy` beside `account` and compares the two. Restores nothing yet, but opening an account of an
    /// earlier version migrates it.
    pub fn prepare(account: &Path, copy: &Path) -> Result<Self> {
        let path = resolve_links(account);
        check_not_itself(&path, copy)?;
        let exists = fs::metadata(&path).is_ok_and(|about| about.len() > 0);
        let account = exists.then(|| Core::open(&path, Ctx::system())).transpose()?;
        let side = SideCopy::create(copy, &path)?;
        let restored = Core::open(side.path(), Ctx::system())?;
        let set_aside = if exists { None } else { salvage::find_newest_set_aside(&path) };
        let difference = compare_accounts(account.as_ref(), set_aside, &restored)?;
        restored.end_background_work();
        Ok(Self { side, copy: copy.to_owned(), account, path, difference })
    }

    pub fn difference(&self) -> &RestoreDifference {
        &self.difference
    }

    /// Replaces the account, or creates it if there is none. Returns the copy of what was there, if anything was.
    pub fn apply(self, by: &Actor, consent: RestoreConsent) -> Result<Option<PathBuf>> {
        self.check_consent(consent)?;
        let kept = self.account.as_ref().map(Core::keep_copy).transpose()?.flatten();
        self.settle_opt_outs(by, consent.missing, kept.as_deref())?;
        let core = self.account.map_or_else(|| Core::open(&self.path, Ctx::system()), Ok)?;
        let replaced = core.replace_by_file(self.side.path());
        if replaced.is_err() {
            core.discard_made();
        }
        core.end_background_work();
        replaced.map(|_| kept)
    }

    fn check_consent(&self, consent: RestoreConsent) -> Result<()> {
        let removed = self.difference.missing_opt_outs.len() as u64;
        if let MissingOptOuts::Lose { confirmed } = consent.missing
            && confirmed != removed
        {
            return Err(StoreError::Unconfirmed { confirmed, removed }.into());
        }
        if self.difference.is_other_account && !consent.other_account {
            return Err(Error::conflict(describe_other_account(self.difference.restored.name.as_deref())));
        }
        Ok(())
    }

    /// Adds the opt-outs that the copy lacks, and ends them again if that was confirmed, so that the ledger of the
    /// restored account knows both. Also records the restore, the copy of what it replaces, and the erasures that it
    /// undoes.
    fn settle_opt_outs(&self, by: &Actor, missing: MissingOptOuts, kept: Option<&Path>) -> Result<()> {
        let records = &self.difference.missing_opt_outs;
        let count = records.len() as u64;
        let kept = kept.and_then(Path::file_name).map(OsStr::to_string_lossy);
        let name = self.copy.file_name().unwrap_or_default().to_string_lossy();
        let side = Core::open(self.side.path(), Ctx::system())?;
        let settled = side.write_unrecorded(by, |tx| {
            tx.set_reason(&format!("Restored from {name}"))?;
            settings::set_last_restore(tx, kept.as_deref())?;
            for record in records {
                opt_outs::replace(tx, record)?;
            }
            if matches!(missing, MissingOptOuts::Lose { .. }) && count > 0 {
                let reason = format!("Missing in the copy {name}, from which the account was restored");
                opt_outs::with_warrant(tx, Warrant::confirmed(count, &reason), |door| {
                    for record in records {
                        door.delete_one(&record.number, record.channel, &record.scope)?;
                    }
                    Ok::<_, Error>(())
                })?;
            }
            for erasure in &self.difference.newer_erasures {
                let last = audit::last_entry(tx)?;
                let entry = create_entry(last.as_ref(), None, erasure.clone().mark_undone().to_json());
                audit::append_entry(tx, &entry)?;
            }
            tx.describe_act(ActDescription::new("account_restore").with_subject(&*name));
            tx.log_change(ChangeLogEntry::single(Noun::Account, ChangeAction::Updated, "restore"));
            Ok::<_, Error>(())
        });
        side.end_background_work();
        settled
    }
}

/// Says that a copy is one of another account, and that this was not agreed to.
pub fn describe_other_account(name: Option<&str>) -> String {
    match name {
        Some(name) => format!("This copy is of another account, “{name}”. Nothing was changed."),
        None => "This copy is of another account, which has no name. Nothing was changed.".to_owned(),
    }
}

fn read_compared(tx: &ReadTx) -> Result<ComparedAccount> {
    let service = connection::get(tx)?;
    let mut unsent = 0;
    if service.is_some() {
        for place in SYNCED {
            unsent += unsent_records::count_changes(tx, place)?;
        }
    }
    Ok(ComparedAccount {
        name: AccountProfile::from_settings(|key| Ok(settings::get(tx, key)?))?.name,
        counts: counts::get(tx)?,
        service: service.map(|one| if one.name.is_empty() { one.base_url } else { one.name }),
        unsent,
    })
}

fn has_records(counts: &AccountCounts) -> bool {
    counts.lists + counts.contacts + counts.opt_outs + counts.short_links + counts.senders > 0
}

fn compare_accounts(account: Option<&Core>, set_aside: Option<PathBuf>, restored: &Core) -> Result<RestoreDifference> {
    let read_creation = |core: &Core| core.read(|tx| Ok(settings::creation_time(tx)?));
    let now = account.map(|core| core.read(read_compared)).transpose()?;
    let is_other = match account {
        Some(core) => read_creation(core)? != read_creation(restored)?,
        None => false,
    };
    let differing = account.map(|core| core.read(|tx| restored.read(|copy| Ok(diff::count_differing(tx, copy)?))));
    let salvaged = set_aside.as_deref().map(salvage::salvage_opt_outs).unwrap_or_default();
    let before = account.map(read_opt_outs).transpose()?.unwrap_or(salvaged.records);
    let is_done = |erasure: &ErasureRecord| !erasure.is_undone();
    let mut known: HashSet<String> =
        read_erasures(restored)?.into_iter().filter(is_done).map(|erasure| erasure.salt).collect();
    let mut newer_erasures = account.map(read_erasures).transpose()?.unwrap_or_default();
    newer_erasures.retain(|erasure| known.insert(erasure.salt.clone()));
    let after = read_opt_outs(restored)?;
    let (before_keys, after_keys): (HashSet<_>, HashSet<_>) =
        (before.iter().map(key_of).collect(), after.iter().map(key_of).collect());
    Ok(RestoreDifference {
        is_other_account: is_other && now.as_ref().is_some_and(|now| has_records(&now.counts)),
        now,
        restored: restored.read(read_compared)?,
        differing: differing.transpose()?.unwrap_or_default(),
        returning_opt_outs: match account {
            Some(_) => after_keys.difference(&before_keys).count() as u64,
            None => 0,
        },
        set_aside: set_aside.map(|path| SetAsideFile { path, is_whole: salvaged.is_whole }),
        newer_erasures,
        missing_opt_outs: before.iter().filter(|record| !after_keys.contains(&key_of(record))).cloned().collect(),
    })
}
