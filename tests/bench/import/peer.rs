//! The peer of P1: the command line of SQLite, which imports the same rows into the same table with the same indexes.
//! It reads no numbers, finds no duplicates and supports no undo.

use std::{error::Error, fmt::Write, path::Path, process::Command, time::Instant};

use roost_ops::{Core, Ctx};
use rusqlite::Connection;

use super::file::{self, COLUMNS};
use crate::processor::children_seconds;

/// The columns of the table that the file lacks, before and after the others.
const BEFORE: [&str; 4] = ["id", "uid", "list_id", "created_at"];

/// Returns the statements that create the table of contacts as in an account, with its columns in the order of the
/// file, and its indexes if they are wanted. The index of WhatsApp numbers stays empty, as in ours.
fn read_schema(folder: &Path, has_indexes: bool) -> Result<String, Box<dyn Error>> {
    let account = folder.join("schema.roost");
    drop(Core::open(&account, Ctx::system())?);
    let conn = Connection::open(&account)?;
    let mut columns = conn.prepare("SELECT name, type, \"notnull\" FROM pragma_table_info('contacts')")?;
    let columns: Vec<(String, String, bool)> =
        columns.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect::<Result<_, _>>()?;
    let from_file = COLUMNS.map(|(_, column)| column);
    let mut made = String::from("CREATE TABLE contacts (");
    for name in BEFORE.iter().chain(&from_file) {
        let (_, kind, is_needed) =
            columns.iter().find(|(other, ..)| other == name).ok_or(format!("no column {name}"))?;
        let rest = match *name {
            "id" => " PRIMARY KEY AUTOINCREMENT",
            "uid" if has_indexes => " NOT NULL UNIQUE",
            _ if *is_needed => " NOT NULL",
            _ => "",
        };
        write!(made, "{name} {kind}{rest}, ")?;
    }
    made.push_str("CHECK (phone IS NOT NULL)) STRICT;\n");
    let mut indexes = conn.prepare("SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'contacts'")?;
    let indexes = indexes.query_map([], |row| row.get::<_, Option<String>>(0))?.collect::<Result<Vec<_>, _>>()?;
    for index in indexes.into_iter().flatten().filter(|index| has_indexes && !index.contains("whatsapp")) {
        writeln!(made, "{index};")?;
    }
    Ok(made)
}

/// The seconds that the peer needs, and those of them on a processor.
pub(super) struct PeerRun {
    pub total: f64,
    pub processor: f64,
}

pub(super) fn import_with_peer(folder: &Path, rows: u64, has_indexes: bool) -> Result<PeerRun, Box<dyn Error>> {
    let (csv, account) = (folder.join("peer.csv"), folder.join("peer.db"));
    file::make_wide(&csv, rows, |n| format!("{},CON_{n:027},1,1767603600,", n + 1), "")?;
    // The settings of an account: durable after the commit, and with the same memory.
    let before = format!(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -8192;\n{}",
        read_schema(folder, has_indexes)?
    );
    let (begun, processor) = (Instant::now(), children_seconds()?);
    let ran = Command::new("sqlite3")
        .arg("-bail")
        .arg(&account)
        .arg(before)
        .arg(format!(".import --csv {} contacts", csv.display()))
        .output()
        .map_err(|why| format!("sqlite3 cannot be run ({why}); make setup installs it"))?;
    let took = PeerRun { total: begun.elapsed().as_secs_f64(), processor: children_seconds()? - processor };
    let there: i64 = Connection::open(&account)?.query_row("SELECT count(*) FROM contacts", [], |row| row.get(0))?;
    if !ran.status.success() || there != rows as i64 {
        return Err(format!("sqlite3 imported {there} rows: {}", String::from_utf8_lossy(&ran.stderr)).into());
    }
    Ok(took)
}
