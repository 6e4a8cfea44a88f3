//! Reads opt-outs from an account that was set aside because it was damaged, as far as SQLite can read it.

use std::path::{Path, PathBuf};

use roost_model::opt_out::OptOut;

use crate::{
    error::Result,
    files::{
        copies,
        looking::{self, LookConnection},
    },
    tables::opt_outs,
};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SalvagedOptOuts {
    pub records: Vec<OptOut>,
    /// Whether all opt-outs of the file could be read.
    pub is_whole: bool,
}

/// Returns the file of an account that was set aside last.
pub fn find_newest_set_aside(account: &Path) -> Option<PathBuf> {
    copies::list_set_aside(account).into_iter().next()
}

/// Reads what can be read, and changes nothing.
pub fn salvage_opt_outs(path: &Path) -> SalvagedOptOuts {
    let read = || -> Result<(Vec<OptOut>, bool)> {
        let conn = LookConnection::open(path)?;
        conn.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA query_only = ON")?;
        Ok(opt_outs::salvage_all(&conn))
    };
    let (records, is_whole) = read().unwrap_or_default();
    SalvagedOptOuts { records, is_whole: is_whole && looking::find_log_damage(path).is_none() }
}
