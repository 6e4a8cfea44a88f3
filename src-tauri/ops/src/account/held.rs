//! Reports everything that is held about one phone number, as a person may ask for it: in every table of the account and
//! in every copy beside it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use roost_model::phone;
use roost_store::{
    files::output,
    upkeep::{backup, held},
};

pub use roost_store::upkeep::held::{HeldRecord, HeldValue};

use crate::error::Result;

/// The suffix of the folder of the imports that are under way.
const IMPORTS: &str = ".imports";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldReport {
    /// The number in E.164 form.
    pub number: String,
    pub records: Vec<HeldRecord>,
    /// The copies of the account, the newest first.
    pub copies: Vec<HeldInCopy>,
    /// Whether imports are under way. Their files are not searched.
    pub has_imports: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldInCopy {
    pub path: PathBuf,
    /// `None` if the copy cannot be read.
    pub records: Option<Vec<HeldRecord>>,
}

/// Searches an account, open in another process or not, and all of its copies. Changes nothing.
pub fn find_held(account: &Path, number: &str) -> Result<HeldReport> {
    let account = output::resolve_links(account);
    let digits = number.trim_start_matches('+');
    let code = phone::calling_code(number).unwrap_or_default();
    let wanted = held::WantedNumber { e164: number, national: digits.strip_prefix(&*code).unwrap_or(digits) };
    let records = held::find_held(&account, &wanted)?;
    let search = |path: PathBuf| HeldInCopy { records: held::find_held(&path, &wanted).ok(), path };
    let copies = backup::list_copies(&account).into_iter().map(|copy| search(copy.path)).collect();
    let mut imports = account.into_os_string();
    imports.push(IMPORTS);
    let has_imports = fs::read_dir(imports).is_ok_and(|mut entries| entries.next().is_some());
    Ok(HeldReport { number: number.to_owned(), records, copies, has_imports })
}
