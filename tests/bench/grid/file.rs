//! Generates an account file with one long list by bulk insert, with names and towns by rule and numbers from ranges
//! for fiction.

use std::{env, error::Error, path::Path, process::Command};

use roost_model::id::ListId;
use roost_ops::{
    Actor, Core, Ctx,
    account::{self, AccountColour},
    custom_field, list,
};
use rusqlite::{Connection, params};

use crate::numbers;

pub(crate) const GIVEN: [&str; 24] = [
    "Ada", "Ben", "Clara", "David", "Émile", "Fatima", "George", "Hana", "Ivan", "Jane", "Karl", "Lea", "Maria",
    "Nina", "Omar", "Paul", "Quentin", "Rosa", "Sam", "Tara", "Uma", "Victor", "Wanda", "Zoé",
];
pub(crate) const SURNAMES: [&str; 20] = [
    "Abel", "Baker", "Carter", "Dupont", "Evans", "Fischer", "Garcia", "Hughes", "Ivanova", "Jones", "Keller", "Lopez",
    "Martin", "Novak", "Olsen", "Petit", "Rossi", "Smith", "Turner", "Weber",
];
pub(crate) const TOWNS: [&str; 16] = [
    "London", "Paris", "Lyon", "Berlin", "Boston", "Houston", "Leeds", "Madrid", "Milan", "Oslo", "Porto", "Prague",
    "Rome", "Toulon", "Vienna", "Zürich",
];
/// The number of custom fields. With the two numbers and the thirteen attributes they make twenty-four columns.
pub(crate) const CUSTOM: i64 = 9;

/// Returns a number that looks random but is always the same.
pub(crate) fn mix_bits(n: u64) -> usize {
    (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as usize
}

/// Lets another process generate the file, so that its memory is not measured.
pub(crate) fn make_in_process(path: &Path, rows: u64) -> Result<ListId, Box<dyn Error>> {
    let made = Command::new(env::current_exe()?).arg("--file").arg(path).arg(rows.to_string()).output()?;
    if made.status.success() {
        Ok(ListId::parse(String::from_utf8(made.stdout)?.trim())?)
    } else {
        Err(format!("a list of {rows} was not made: {}", String::from_utf8_lossy(&made.stderr)).into())
    }
}

/// Generates the file with one list of `rows` contacts.
pub(crate) fn make_file(path: &Path, rows: u64) -> Result<ListId, Box<dyn Error>> {
    let core = Core::open(path, Ctx::system())?;
    account::set_initial_profile(&core, "Bench", AccountColour::default())?;
    let by = Actor::user(None);
    let made = list::create(&core, &by, "Everybody", list::UniqueNames::Off)?;
    for n in 4..=CUSTOM {
        custom_field::add(&core, &by, &format!("Field {n}"))?;
    }
    drop(core);
    let mut conn = Connection::open(path)?;
    conn.execute_batch("PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;")?;
    let list: i64 = conn.query_row("SELECT id FROM lists", [], |row| row.get(0))?;
    let numbers = numbers::fiction(100_000);
    let tx = conn.transaction()?;
    {
        let mut insert = tx.prepare(
            "INSERT INTO contacts (uid, list_id, created_at, phone, phone_region, whatsapp, whatsapp_region, title, firstname,
                lastname, date_of_birth, address_1, address_2, city, zip, state, country, company_name, email_address,
                alternate_phone, field_1, field_2, field_3, field_4, field_5, field_6, field_7, field_8, field_9)
             VALUES (?1, ?2, ?3, ?4, 'GB', ?5, 'GB', ?6, ?7, ?8, ?9, ?10, NULL, ?11, ?12, ?13, ?14, ?15, ?16, NULL,
                ?17, ?18, ?19, ?20, ?21, NULL, ?22, NULL, ?23)",
        )?;
        for n in 0..rows {
            let by_chance = mix_bits(n);
            let given = GIVEN[by_chance % GIVEN.len()];
            // Half of the surnames are unique, as in a real list of people.
            let surname = SURNAMES[by_chance / 32 % SURNAMES.len()];
            let lastname = if by_chance.is_multiple_of(2) {
                surname.to_owned()
            } else {
                format!("{surname}-{}", by_chance % 1_000_000)
            };
            let number = &numbers[n as usize % numbers.len()];
            insert.execute(params![
                format!("CON_{n:027}"),
                list,
                1_767_603_600 + (n / 100) as i64,
                number,
                number,
                if by_chance.is_multiple_of(3) { "Ms" } else { "Mr" },
                given,
                (!by_chance.is_multiple_of(11)).then_some(lastname),
                format!("19{:02}-0{}-1{}", by_chance % 100, 1 + by_chance % 9, by_chance % 10),
                format!("{} High Street", by_chance % 400),
                TOWNS[by_chance / 7 % TOWNS.len()],
                format!("{:05}", by_chance % 100_000),
                by_chance.is_multiple_of(5).then_some("North"),
                "United Kingdom",
                format!("Company {}", by_chance % 5_000),
                format!("{given}.{n}@example.com").to_lowercase(),
                if by_chance.is_multiple_of(4) { "gold" } else { "silver" },
                n.to_string(),
                (by_chance % 50).to_string(),
                "newsletter",
                format!("code {:x}", by_chance % 65_536),
                by_chance.is_multiple_of(2).then_some("yes"),
                "end",
            ])?;
        }
        tx.execute("UPDATE lists SET contact_count = ?1", [rows as i64])?;
    }
    tx.commit()?;
    conn.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?;
    Ok(made.uid)
}
