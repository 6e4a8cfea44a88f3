//! Restores an account from a copy. The copy is first copied and opened beside the account, so that the two can be
//! compared before anything is replaced.

use std::{
    collections::HashSet,
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
    error::StoreError,
    files::output::resolve_links,
    tables::{
        counts::{self, AccountCounts},
        opt_outs::{self, Warrant},
        sync::audit,
    },
    tx::{ActDescription, ReadTx},
    upkeep::{backup::SideCopy, salvage},
};

use super::{audit::create_entry, held::read_erasures};
use crate::{
    core::{Actor, Core},
    ctx::Ctx,
    error::{Error, Result},
};

/// What a restore would change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreDifference {
    /// The counts of the account as it is, or `None` if there is none.
    pub now: Option<AccountCounts>,
    pub restored: AccountCounts,
    /// The opt-outs of the account, or of the damaged file, that the copy lacks.
    pub missing_opt_outs: Vec<OptOut>,
    /// The number of opt-outs that were removed since the copy was made and would be in force again.
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
    pub fn apply(self, by: &Actor, missing: MissingOptOuts) -> Result<Option<PathBuf>> {
        self.settle_opt_outs(by, missing)?;
        let (core, kept) = match self.account {
            Some(core) => {
                let kept = core.keep_copy()?;
                (core, kept)
            }
            None => (Core::open(&self.path, Ctx::system())?, None),
        };
        let replaced = core.replace_by_file(self.side.path());
        if replaced.is_err() {
            core.discard_made();
        }
        core.end_background_work();
        replaced.map(|_| kept)
    }

    /// Adds the opt-outs that the copy lacks, and ends them again if that was confirmed, so that the ledger of the
    /// restored account knows both. Also records the restore, and the erasures that it undoes.
    fn settle_opt_outs(&self, by: &Actor, missing: MissingOptOuts) -> Result<()> {
        let records = &self.difference.missing_opt_outs;
        let count = records.len() as u64;
        if let MissingOptOuts::Lose { confirmed } = missing
            && confirmed != count
        {
            return Err(StoreError::Unconfirmed { confirmed, removed: count }.into());
        }
        let name = self.copy.file_name().unwrap_or_default().to_string_lossy();
        let side = Core::open(self.side.path(), Ctx::system())?;
        let settled = side.write_unrecorded(by, |tx| {
            tx.set_reason(&format!("Restored from {name}"))?;
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

fn compare_accounts(account: Option<&Core>, set_aside: Option<PathBuf>, restored: &Core) -> Result<RestoreDifference> {
    let read_counts = |core: &Core| core.read(|tx| Ok(counts::get(tx)?));
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
        now: account.map(read_counts).transpose()?,
        restored: read_counts(restored)?,
        returning_opt_outs: match account {
            Some(_) => after_keys.difference(&before_keys).count() as u64,
            None => 0,
        },
        set_aside: set_aside.map(|path| SetAsideFile { path, is_whole: salvaged.is_whole }),
        newer_erasures,
        missing_opt_outs: before.iter().filter(|record| !after_keys.contains(&key_of(record))).cloned().collect(),
    })
}
