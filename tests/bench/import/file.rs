//! Generates a long CSV of made-up contacts with sixteen columns. The numbers are written in every form that people
//! use.

use std::{
    error::Error,
    fs::File,
    io::{BufWriter, Write},
    path::Path,
};

use roost_model::phone;

use crate::grid::file::{GIVEN, SURNAMES, TOWNS, mix_bits};

/// The names of the columns, and of the table columns that they fill.
pub(crate) const COLUMNS: [(&str, &str); 16] = [
    ("Mobile", "phone"),
    ("Title", "title"),
    ("First name", "firstname"),
    ("Last name", "lastname"),
    ("Date of birth", "date_of_birth"),
    ("Address line 1", "address_1"),
    ("Address line 2", "address_2"),
    ("City", "city"),
    ("Postcode", "zip"),
    ("State", "state"),
    ("Country", "country"),
    ("Company", "company_name"),
    ("E-mail", "email_address"),
    ("Alternate phone", "alternate_phone"),
    ("Field 1", "field_1"),
    ("Field 2", "field_2"),
];

/// Exchanges of North America that are never assigned, for films and for tests of the companies.
const EXCHANGES: [u32; 2] = [555, 958];
/// One in this many rows repeats the number of an earlier row.
pub(crate) const TWICE: u64 = 100;
/// One in this many rows has an invalid number.
pub(crate) const INVALID: u64 = 250;

/// The expected content of a file.
pub(crate) struct FileFacts {
    pub new: u64,
    pub twice: u64,
    pub invalid: u64,
}

pub(crate) fn expected_facts(rows: u64) -> FileFacts {
    let invalid = rows / INVALID;
    // In five hundred rows, one repeated number is itself invalid, and another repeats an invalid one.
    let twice = rows / TWICE - 2 * (rows / 500);
    FileFacts { new: rows - invalid - twice, twice, invalid }
}

fn area_codes() -> Vec<u32> {
    let is_valid = |area: u32, exchange: u32| phone::parse_international(&format!("+1{area}{exchange}0100")).is_some();
    let is_one = |area: &u32| EXCHANGES.iter().all(|exchange| is_valid(*area, *exchange));
    (201..=989).filter(is_one).collect()
}

/// Returns a distinct number for each row, far from the one before.
fn number_of(areas: &[u32], n: u64) -> (u32, u32, u32) {
    const LINES: u64 = 10_000;
    let all = areas.len() as u64 * EXCHANGES.len() as u64 * LINES;
    // The factor has no divisor in common with the total.
    let at = n * 7_368_787 % all;
    let area = areas[(at % areas.len() as u64) as usize];
    let rest = at / areas.len() as u64;
    (area, EXCHANGES[(rest / LINES) as usize], (rest % LINES) as u32)
}

fn format_number((area, exchange, line): (u32, u32, u32), by_chance: usize) -> String {
    match by_chance % 8 {
        0 => format!("+1{area}{exchange}{line:04}"),
        1 => format!("({area}) {exchange}-{line:04}"),
        2 => format!("{area}-{exchange}-{line:04}"),
        3 => format!("{area}{exchange}{line:04}"),
        4 => format!("+1 {area} {exchange} {line:04}"),
        5 => format!("1 {area} {exchange}-{line:04}"),
        6 => format!("{area}.{exchange}.{line:04}"),
        _ => format!("+1 ({area}) {exchange}-{line:04}"),
    }
}

/// Writes a row in the order of the columns.
fn write_row(out: &mut impl Write, areas: &[u32], n: u64) -> std::io::Result<()> {
    let by_chance = mix_bits(n);
    let given = GIVEN[by_chance % GIVEN.len()];
    let surname = SURNAMES[by_chance / 32 % SURNAMES.len()];
    let telephone = if n % INVALID == INVALID - 1 {
        format!("call {surname}")
    } else if n % TWICE == TWICE - 1 {
        format_number(number_of(areas, n - TWICE / 2), by_chance)
    } else {
        format_number(number_of(areas, n), by_chance)
    };
    let blank = |one_of: usize, text: String| if by_chance.is_multiple_of(one_of) { String::new() } else { text };
    let company = format!("\"Company {}, Ltd\"", by_chance % 5_000);
    writeln!(
        out,
        "{telephone},{},{given},{surname}-{},19{:02}-0{}-1{},{} High Street,{},{},{:05},{},United States,{},{surname}.{n}@example.com,{},{},{n}",
        if by_chance.is_multiple_of(3) { "Ms" } else { "Mr" },
        by_chance % 1_000_000,
        by_chance % 100,
        1 + by_chance % 9,
        by_chance % 10,
        by_chance % 400,
        blank(2, format!("Flat {}", by_chance % 40)),
        TOWNS[by_chance / 7 % TOWNS.len()],
        by_chance % 100_000,
        blank(5, "North".to_owned()),
        blank(7, company),
        blank(3, format!("+44 1632 960{:03}", by_chance % 1_000)),
        if by_chance.is_multiple_of(4) { "gold" } else { "silver" },
    )
}

fn header_line() -> String {
    COLUMNS.map(|(head, _)| head).join(",")
}

/// Writes the file and returns its length.
pub(crate) fn write_file(path: &Path, rows: &str) -> Result<u64, Box<dyn Error>> {
    make_file(path, rows.parse()?)
}

pub(crate) fn make_file(path: &Path, rows: u64) -> Result<u64, Box<dyn Error>> {
    let areas = area_codes();
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    writeln!(out, "{}", header_line())?;
    for n in 0..rows {
        write_row(&mut out, &areas, n)?;
    }
    let file = out.into_inner()?;
    file.sync_all()?;
    Ok(file.metadata()?.len())
}

/// Writes the same rows for a peer that fills the table directly, with the additional columns of every contact.
pub(crate) fn make_wide(
    path: &Path,
    rows: u64,
    before: impl Fn(u64) -> String,
    after: &str,
) -> Result<(), Box<dyn Error>> {
    let areas = area_codes();
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    let mut line = Vec::new();
    for n in 0..rows {
        line.clear();
        write_row(&mut line, &areas, n)?;
        out.write_all(before(n).as_bytes())?;
        out.write_all(line.trim_ascii_end())?;
        writeln!(out, "{after}")?;
    }
    out.into_inner()?.sync_all()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use roost_model::phone::{Region, parse_contact_number};

    use super::*;

    #[test]
    fn a_file_has_what_it_says() {
        let (areas, rows) = (area_codes(), 20_000);
        let (mut seen, mut counted) = (HashSet::new(), FileFacts { new: 0, twice: 0, invalid: 0 });
        let region = Region::parse("US").unwrap();
        for n in 0..rows {
            let mut line = Vec::new();
            write_row(&mut line, &areas, n).unwrap();
            let line = String::from_utf8(line).unwrap();
            match parse_contact_number(line.split(',').next().unwrap(), region) {
                None => counted.invalid += 1,
                Some(phone) if seen.insert(phone.e164.clone()) => counted.new += 1,
                Some(_) => counted.twice += 1,
            }
        }
        let want = expected_facts(rows);
        assert_eq!((counted.new, counted.twice, counted.invalid), (want.new, want.twice, want.invalid));
    }
}
