//! Erases everything that an account and the files beside it hold about one phone number, except for the opt-out itself.

use std::{
    fs,
    path::{Path, PathBuf},
};

use roost_reconcile::audit::{ErasureRecord, ShortenedEntry, digest_text};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    error::StoreError,
    files::output::resolve_links,
    tables::{
        settings,
        sync::{audit::AuditEntry, connection, runs},
    },
    tx::{ActDescription, WriteTx},
    upkeep::erasure::{
        self, ErasureRequest,
        copies::{self, CleanCopy},
    },
};

pub use roost_store::upkeep::erasure::ErasureCounts;

use super::{audit::create_entry, held};
use crate::{
    core::{Actor, Core},
    ctx::Ctx,
    error::{Error, Result},
};

/// The length of the salt of a number's digest.
const SALT_LENGTH: usize = 32;

/// What may be done beyond the erasure itself. Each is named by the person.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ErasureConsent {
    /// The number of opt-outs that go as well.
    pub opt_outs: Option<u64>,
    /// Erase here although the service has contacts with the number.
    pub here_only: bool,
    /// Delete earlier files that cannot be read.
    pub delete_unreadable: bool,
    /// Discard the imports that are under way.
    pub discard_imports: bool,
    /// Discard the state and the snapshots of a server that had the account open.
    pub discard_server_state: bool,
}

/// Why an erasure may not begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ErasureObstacle {
    /// A run of the sync has not ended.
    OpenRun,
    /// The service has this many contacts with the number, as far as is known.
    AtService(u64),
    /// The service has this many contacts of others whose texts mention the number, as far as is known.
    MentionedAtService(u64),
    /// These files beside the account cannot be read.
    Unreadable(Vec<PathBuf>),
    ImportsUnderWay,
    /// A server keeps its state and its snapshots beside the account.
    ServerState,
    /// The number has this many opt-outs.
    OptOuts(u64),
}

/// What an erasure would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErasurePlan {
    /// The number in E.164 form.
    pub number: String,
    pub account: ErasureCounts,
    /// The copies that hold something about the number. They are rewritten.
    pub copies: Vec<(PathBuf, ErasureCounts)>,
    /// Copies and files that were set aside, which cannot be read.
    pub unreadable: Vec<PathBuf>,
    pub has_imports: bool,
    pub has_server_state: bool,
    pub has_open_run: bool,
    /// When an erasure was done that had been interrupted before its end, and was finished now.
    pub finished: Option<String>,
    /// The name of the connected service.
    pub service: Option<String>,
}

impl ErasurePlan {
    /// The number of rows that would be deleted, emptied or changed, in the account and its copies.
    pub fn rows(&self) -> u64 {
        self.account.rows() + self.copies.iter().map(|(_, counts)| counts.rows()).sum::<u64>()
    }

    pub fn find_obstacles(&self, consent: &ErasureConsent) -> Vec<ErasureObstacle> {
        let (at_service, mentioned) = (self.account.at_service, self.account.mentioned_at_service);
        let opt_outs = self.account.opt_outs;
        let obstacles = [
            (self.has_open_run, ErasureObstacle::OpenRun),
            (at_service > 0 && !consent.here_only, ErasureObstacle::AtService(at_service)),
            (mentioned > 0 && !consent.here_only, ErasureObstacle::MentionedAtService(mentioned)),
            (
                !self.unreadable.is_empty() && !consent.delete_unreadable,
                ErasureObstacle::Unreadable(self.unreadable.clone()),
            ),
            (self.has_imports && !consent.discard_imports, ErasureObstacle::ImportsUnderWay),
            (self.has_server_state && !consent.discard_server_state, ErasureObstacle::ServerState),
            (consent.opt_outs.is_some_and(|given| given != opt_outs), ErasureObstacle::OptOuts(opt_outs)),
        ];
        obstacles.into_iter().filter_map(|(is_there, obstacle)| is_there.then_some(obstacle)).collect()
    }
}

/// An erasure that is ready. Nobody else can open the account meanwhile.
pub struct Erasure {
    core: Core,
    path: PathBuf,
    opt_outs: Option<u64>,
    at: String,
    salt: String,
    plan: ErasurePlan,
    /// The files beside the account that the plan is about.
    known: Vec<PathBuf>,
}

impl Erasure {
    /// Finds out what would be erased, and changes nothing. `opt_outs` is the number that goes as well.
    pub fn prepare(account: &Path, number: &str, opt_outs: Option<u64>) -> Result<Self> {
        let path = resolve_links(account);
        let unfinished = held::find_unfinished_erasure(&path)?;
        // Opening it finishes that erasure.
        let core = Core::open(&path, Ctx::system())?;
        let finished = match core.read(|tx| Ok(settings::unfinished_erasure(tx)?))? {
            None => unfinished,
            Some(_) => None,
        };
        let mut erasure = Self::prepare_open(core, &path, number, opt_outs)?;
        erasure.plan.finished = finished;
        Ok(erasure)
    }

    /// Does the same for an account that is open, to show what would be erased.
    pub fn prepare_open(core: Core, account: &Path, number: &str, opt_outs: Option<u64>) -> Result<Self> {
        let path = resolve_links(account);
        let at = core.ctx().now().to_iso();
        // The same salt says that it is the same erasure, which a restore had undone.
        let undone = held::read_erasures(&core)?.into_iter().find(|done| done.is_undone() && done.is_about(number));
        let salt = undone.map_or_else(|| core.ctx().code(SALT_LENGTH), |undone| undone.salt);
        let (service, has_open_run) = core.read(|tx| {
            let service = connection::get(tx)?.map(|connection| connection.name);
            Ok((service, runs::find_open_run(tx)?.is_some()))
        })?;
        let plan = ErasurePlan {
            number: number.to_owned(),
            account: ErasureCounts::default(),
            copies: Vec::new(),
            unreadable: Vec::new(),
            has_imports: held::find_folder_beside(&path, held::IMPORTS).is_some(),
            has_server_state: held::find_folder_beside(&path, held::SERVER_STATE).is_some(),
            has_open_run,
            finished: None,
            service,
        };
        let mut erasure = Self { core, path, opt_outs, at, salt, plan, known: copies::list_earlier_files(account) };
        erasure.plan.account = erasure.rehearse()?;
        erasure.find_copies()?;
        Ok(erasure)
    }

    pub fn plan(&self) -> &ErasurePlan {
        &self.plan
    }

    /// Returns the request for a copy, in which other opt-outs may be in force, or for a rehearsal.
    fn request(&self) -> ErasureRequest<'_> {
        ErasureRequest { wanted: held::to_wanted(&self.plan.number), opt_outs: self.opt_outs.map(|_| u64::MAX) }
    }

    /// Makes the entry of the audit.
    fn seal_entry(&self, last: Option<&AuditEntry>, counts: &ErasureCounts) -> AuditEntry {
        let shortened = |(seq, body): &(u64, String)| ShortenedEntry { seq: *seq, digest: digest_text(body) };
        let record = ErasureRecord {
            operation: ErasureRecord::OPERATION.to_owned(),
            at: self.at.clone(),
            salt: self.salt.clone(),
            digest: ErasureRecord::digest_number(&self.salt, &self.plan.number),
            erased: counts.erased.clone(),
            replaced: counts.replaced.clone(),
            opt_outs_kept: if self.opt_outs.is_some() { 0 } else { counts.opt_outs },
            shortened: counts.shortened.iter().map(shortened).collect(),
        };
        create_entry(last, None, record.to_json())
    }

    fn erase_in(&self, tx: &WriteTx, request: &ErasureRequest) -> std::result::Result<ErasureCounts, StoreError> {
        erasure::erase_number(tx, request, &|last, counts| self.seal_entry(last, counts))
    }

    /// Erases in a transaction that is rolled back.
    fn rehearse(&self) -> Result<ErasureCounts> {
        let mut counts = None;
        let undone = self.core.write_unrecorded(&Actor::user(None), |tx| {
            counts = Some(self.erase_in(tx, &self.request())?);
            Err::<(), _>(StoreError::Cancelled)
        });
        match (counts, undone) {
            (Some(counts), Err(StoreError::Cancelled)) => Ok(counts),
            (_, Err(why)) => Err(why.into()),
            (_, Ok(())) => Err(StoreError::Cancelled.into()),
        }
    }

    fn write_copy(&self, copy: &Path) -> std::result::Result<CleanCopy, StoreError> {
        CleanCopy::create(copy, &self.request(), &|last, counts| self.seal_entry(last, counts))
    }

    fn find_copies(&mut self) -> Result<()> {
        for copy in copies::list_earlier_files(&self.path) {
            match self.write_copy(&copy) {
                Ok(clean) if clean.counts.rows() > 0 => self.plan.copies.push((copy, clean.counts.clone())),
                Ok(_) => {}
                Err(
                    StoreError::Corrupt { .. }
                    | StoreError::Damaged(_)
                    | StoreError::Altered { .. }
                    | StoreError::Companion { .. }
                    | StoreError::TooNew { .. }
                    | StoreError::Sql(_),
                ) => self.plan.unreadable.push(copy),
                Err(why) => return Err(why.into()),
            }
        }
        Ok(())
    }

    /// Erases everything: first in the files beside the account and then in the account, whose audit says that it was done.
    /// If it fails on the way, it can be done again.
    pub fn apply(self, by: &Actor, consent: &ErasureConsent) -> Result<ErasureCounts> {
        if !self.plan.find_obstacles(consent).is_empty() || consent.opt_outs != self.opt_outs {
            return Err(Error::conflict("Not everything that this erasure needs was confirmed. Nothing was erased."));
        }
        let done = self.erase_everywhere(by);
        self.core.end_background_work();
        done
    }

    fn erase_everywhere(&self, by: &Actor) -> Result<ErasureCounts> {
        self.core.finish_copies();
        let folders = [held::IMPORTS, held::SERVER_STATE].into_iter();
        for folder in folders.filter_map(|suffix| held::find_folder_beside(&self.path, suffix)) {
            fs::remove_dir_all(&folder).map_err(|source| StoreError::Io { path: folder, source })?;
        }
        copies::remove_unfinished_restores(&self.path);
        for copy in &self.plan.unreadable {
            copies::delete_copy(copy)?;
        }
        // Another backup may have pushed out the oldest one.
        for (copy, _) in self.plan.copies.iter().filter(|(copy, _)| copy.exists()) {
            self.write_copy(copy)?.install()?;
        }
        let confirmed = ErasureRequest { opt_outs: self.opt_outs, ..self.request() };
        let counts = self.core.write_unrecorded(by, |tx| {
            let counts = self.erase_in(tx, &confirmed)?;
            settings::set_unfinished_erasure(tx, Some(&self.at))?;
            tx.describe_act(ActDescription::new("account_erase").as_note());
            tx.log_change(ChangeLogEntry::single(Noun::Account, ChangeAction::Updated, "erase"));
            if let Some(contacts) = counts.erased.get("contacts") {
                tx.log_change(ChangeLogEntry::bulk(Noun::Contact, ChangeAction::Deleted, *contacts));
            }
            Ok::<_, Error>(counts)
        })?;
        let copies = self.erase_new_copies();
        self.core.finish_erasure()?;
        copies?;
        Ok(counts)
    }

    /// Erases in copies that others made meanwhile. Whoever finishes one after this has to make it again.
    fn erase_new_copies(&self) -> Result<()> {
        for copy in copies::list_earlier_files(&self.path).iter().filter(|copy| !self.known.contains(copy)) {
            let clean = self.write_copy(copy)?;
            if clean.counts.rows() > 0 {
                clean.install()?;
            }
        }
        Ok(())
    }
}
