//! Reports everything that is held about one phone number, as a person may ask for it: in every table of the account and
//! in every copy beside it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use roost_model::phone;
use roost_reconcile::audit::ErasureRecord;
use roost_store::{
    files::output,
    tables::{settings, sync::audit},
    upkeep::{erasure::copies, held, reading},
};

pub use roost_store::upkeep::held::{HeldRecord, HeldValue};

use crate::{core::Core, error::Result};

/// The suffix of the folder of the imports that are under way.
pub(super) const IMPORTS: &str = ".imports";
/// The suffix of the folder in which a server keeps its state and its snapshots.
pub(super) const SERVER_STATE: &str = ".world";

/// Returns the folder beside an account whose name ends with this suffix, unless there is nothing in it.
pub(super) fn find_folder_beside(account: &Path, suffix: &str) -> Option<PathBuf> {
    let mut folder = account.as_os_str().to_owned();
    folder.push(suffix);
    let folder = PathBuf::from(folder);
    fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some()).then_some(folder)
}

/// Returns a number as it is searched for.
pub(super) fn to_wanted(number: &str) -> held::WantedNumber<'_> {
    let digits = number.trim_start_matches('+');
    let code = phone::calling_code(number).unwrap_or_default();
    held::WantedNumber { e164: number, national: digits.strip_prefix(&*code).unwrap_or(digits) }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldReport {
    /// The number in E.164 form.
    pub number: String,
    pub records: Vec<HeldRecord>,
    /// The copies of the account and the damaged files that were set aside.
    pub copies: Vec<HeldInCopy>,
    /// Whether imports are under way. Their files are not searched.
    pub has_imports: bool,
    /// Whether a server keeps its state beside the account, which is not searched.
    pub has_server_state: bool,
    /// When what was held about the number was erased before.
    pub erased_at: Vec<String>,
    /// When something was erased whose traces are still in unused parts of the file.
    pub unfinished_erasure: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldInCopy {
    pub path: PathBuf,
    /// `None` if the copy cannot be read.
    pub records: Option<Vec<HeldRecord>>,
}

/// Searches an account, open in another process or not, and every file beside it with an earlier state. Changes nothing.
pub fn find_held(account: &Path, number: &str) -> Result<HeldReport> {
    let account = output::resolve_links(account);
    let wanted = to_wanted(number);
    let records = held::find_held(&account, &wanted)?;
    let search = |path: PathBuf| HeldInCopy { records: held::find_held(&path, &wanted).ok(), path };
    let copies = copies::list_earlier_files(&account).into_iter().map(search).collect();
    let unfinished_erasure = find_unfinished_erasure(&account)?;
    let mut erased_at = find_erasures(&account, number)?;
    erased_at.retain(|at| unfinished_erasure.as_ref() != Some(at));
    Ok(HeldReport {
        number: number.to_owned(),
        records,
        copies,
        has_imports: find_folder_beside(&account, IMPORTS).is_some(),
        has_server_state: find_folder_beside(&account, SERVER_STATE).is_some(),
        erased_at,
        unfinished_erasure,
    })
}

/// Returns when an erasure was done that was interrupted before its end.
pub(super) fn find_unfinished_erasure(account: &Path) -> Result<Option<String>> {
    Ok(reading::read_account(account, |tx, _| Ok(settings::unfinished_erasure(tx).unwrap_or_default()))?)
}

/// Returns the erasures that the audit of an account records.
pub(super) fn read_erasures(core: &Core) -> Result<Vec<ErasureRecord>> {
    let bodies = core.read(|tx| Ok(audit::read_without_run(tx)?))?;
    Ok(bodies.iter().filter_map(|body| ErasureRecord::parse(body)).collect())
}

/// Returns when what was held about a number was erased.
fn find_erasures(account: &Path, number: &str) -> Result<Vec<String>> {
    // A schema without an audit has no record of an erasure.
    let bodies = reading::read_account(account, |tx, _| Ok(audit::read_without_run(tx).unwrap_or_default()))?;
    let erasures = bodies.iter().filter_map(|body| ErasureRecord::parse(body));
    let about = erasures.filter(|erasure| !erasure.is_undone() && erasure.is_about(number));
    Ok(about.map(|erasure| erasure.at).collect())
}
