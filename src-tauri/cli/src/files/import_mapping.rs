//! What the columns of a file mean, said in flags.

use std::{fs, path::Path};

use roost_ops::{
    Core,
    import::{
        columns::ColumnFacts,
        ledger::{ImportLedger, LedgerEntry, LedgerItem},
        mapping::{
            OpenMapping, Profile,
            heads::plain,
            named::{NamedField, column_named, columns_named, field_named},
        },
        session::{ImportTable, profiles},
    },
};

use super::import::Import;
use crate::{
    failure::{Failure, unreadable},
    outputs::OutputPath,
};

/// Values of a column that a message shows.
const SHOWN: usize = 6;

/// `--map`: a file, or one column after the other.
pub struct Mappings {
    profile: Option<(String, Profile)>,
    /// Columns and fields as they were written.
    columns: Vec<(String, String)>,
}

impl Mappings {
    pub fn read(given: &[String]) -> Result<Self, Failure> {
        let mut mappings = Self { profile: None, columns: Vec::new() };
        for text in given {
            match text.rsplit_once('=').filter(|_| !Path::new(text).is_file()) {
                Some((column, field)) => mappings.columns.push((column.trim().to_owned(), field.trim().to_owned())),
                None if mappings.profile.is_some() => return Err(Failure::new("--map takes one file")),
                None => {
                    let told = |why: &dyn std::fmt::Display| Failure::new(format!("{text}: {why}"));
                    let read = fs::read_to_string(text).map_err(|why| unreadable(Path::new(text), &why))?;
                    mappings.profile = Some((text.clone(), Profile::read(&read).map_err(|why| told(&why))?));
                }
            }
        }
        Ok(mappings)
    }
}

/// Puts the name of a flag before what is wrong with it.
fn of_flag(flag: &'static str) -> impl Fn(roost_ops::Error) -> Failure {
    move |why| Failure::new(format!("{flag}: {why}"))
}

impl Import {
    /// Gives the columns their meaning; answers it.
    pub fn map(&self, core: &Core, import: u64, mappings: &Mappings) -> Result<OpenMapping, Failure> {
        if let Some((path, profile)) = &mappings.profile {
            profiles::open(core, import, profile).map_err(|why| Failure::new(format!("{path}: {why}")))?;
        }
        let table = core.imports().table(core, import).map_err(Failure::new)?;
        let heads = heads_of(&table);
        let mut mapping = table.mapping.clone();
        let custom = roost_ops::custom_field::all(core).map_err(Failure::new)?;
        let mut said: Vec<(NamedField, Vec<u32>)> = Vec::new();
        for (column, field) in &mappings.columns {
            let column = column_named(&heads, column).map_err(of_flag("--map"))?;
            let field = field_named(field, &custom).map_err(of_flag("--map"))?;
            let at = said.iter().position(|(known, _)| *known == field).unwrap_or_else(|| {
                said.push((field.clone(), Vec::new()));
                said.len() - 1
            });
            mapping.put_field(column, &field, &said[at].1);
            said[at].1.push(column);
        }
        for text in &self.opt_out_columns {
            // Names are compared without signs, and `=*` has no letters.
            let is_column = heads.iter().any(|head| head.trim() == text.trim());
            let (name, words) = text.split_once('=').filter(|_| !is_column).unwrap_or((text, ""));
            let column = column_named(&heads, name).map_err(of_flag("--opt-out-column"))?;
            let words = words.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect();
            let facts = &table.columns[column as usize].facts;
            mapping.put_consent(name.trim(), column, words, facts).map_err(of_flag("--opt-out-column"))?;
        }
        for name in &self.ignore_columns {
            // What is no column may be a property of cards; the ledger knows.
            for column in columns_named(&heads, name).unwrap_or_default() {
                mapping.leave_out(column);
            }
        }
        if let Some(country) = &self.country {
            mapping.region = Some(country.trim().to_uppercase());
        }
        if let Some(order) = self.date_order {
            mapping.date_order = Some(order.into());
        }
        mapping.choose_key();
        self.keep(core, import, &table, &mapping)?;
        if let Some(output) = &self.save_map {
            save(output, self.force, &heads, &mapping)?;
        }
        Ok(mapping)
    }

    /// Whether `--ignore-columns` names what an entry is about.
    pub fn ignores(&self, entry: &LedgerEntry) -> bool {
        is_property(entry) && self.ignore_columns.iter().any(|name| plain(name) == plain(&entry.name))
    }

    /// Refuses a name in `--ignore-columns` that is neither a column nor a property, and properties that look like consent
    /// and are not named there.
    pub fn check_ignored(&self, heads: &[String], ledger: &ImportLedger) -> Result<(), Failure> {
        for name in &self.ignore_columns {
            if !ledger.entries.iter().any(|entry| is_property(entry) && plain(&entry.name) == plain(name)) {
                columns_named(heads, name).map_err(of_flag("--ignore-columns"))?;
            }
        }
        let is_open = |entry: &&LedgerEntry| entry.what == LedgerItem::Consent && !self.ignores(entry);
        match ledger.unnoticed().find(is_open) {
            None => Ok(()),
            Some(LedgerEntry { name, .. }) => Err(Failure::new(format!(
                "The property “{name}” looks as if it said who opted out, and properties cannot be imported. Leave it out with \
                 --ignore-columns '{name}'. Nothing was imported."
            ))),
        }
    }

    fn keep(&self, core: &Core, import: u64, table: &ImportTable, mapping: &OpenMapping) -> Result<(), Failure> {
        let mapped = core.imports().map(core, import, mapping.clone()).map_err(Failure::new)?;
        let Some(fault) = mapped.faults.first() else { return Ok(()) };
        if self.country.is_some() && fault.path == "region" {
            return Err(Failure::new(format!("--country: {}", fault.message)));
        }
        if fault.path == "date_order" {
            let told = "Repeat with --date-order day-first or --date-order month-first. Nothing was imported.";
            return Err(Failure::new(format!("{} {told}", fault.message)));
        }
        let heads = heads_of(table);
        if fault.path == "left_out" {
            let open = mapping.open_consents(&heads, &facts_of(table)).collect::<Vec<_>>();
            let names: Vec<String> = open.iter().map(|column| named(&heads, *column)).collect();
            let first = names.first().map_or("", String::as_str);
            // What to do is said with flags here.
            let wrong = fault.message.rsplit_once(" Say which").map_or(fault.message.as_str(), |(wrong, _)| wrong);
            let values =
                open.first().map_or_else(String::new, |column| values_of(&table.columns[*column as usize].facts));
            return Err(Failure::new(format!(
                "{wrong} {values}Name the values that mean “opted out” with --opt-out-column '{first}=VALUE,VALUE' ('{first}=*' if \
                 every value does), fill a field with --map '{first}=FIELD', or leave it out with --ignore-columns '{}'. Nothing \
                 was imported.",
                names.join(",")
            )));
        }
        let names: Vec<String> = (0..heads.len() as u32).map(|column| named(&heads, column)).collect();
        let hint = "Say what a column means with --map 'COLUMN=FIELD'.";
        Err(Failure::new(format!("{} The columns are: {}. {hint}", fault.message, names.join(", "))))
    }
}

/// Of a card, or beside a list of records: no column.
fn is_property(entry: &LedgerEntry) -> bool {
    matches!(entry.what, LedgerItem::Property | LedgerItem::Consent) && !entry.is_chosen
}

/// What a column holds, for somebody who has to say what it means.
fn values_of(facts: &ColumnFacts) -> String {
    let (values, are_all) = facts.known_values();
    let shown: Vec<String> = values.iter().take(SHOWN).map(|value| format!("“{value}”")).collect();
    match values.len() {
        0 => String::new(),
        count if are_all && count <= SHOWN => format!("It holds {}. ", shown.join(", ")),
        _ => format!("It holds values such as {}. ", shown.join(", ")),
    }
}

fn facts_of(table: &ImportTable) -> Vec<ColumnFacts> {
    table.columns.iter().map(|column| column.facts.clone()).collect()
}

pub fn heads_of(table: &ImportTable) -> Vec<String> {
    table.columns.iter().map(|column| column.name.clone()).collect()
}

/// As flags name it.
fn named(heads: &[String], column: u32) -> String {
    roost_ops::import::session::column_name(heads, column)
}

fn save(output: &OutputPath, force: bool, heads: &[String], mapping: &OpenMapping) -> Result<(), Failure> {
    let name = output.path().file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let text = Profile::of(&name, heads, mapping).write().map_err(Failure::new)?;
    output.write(force, |out| out.write_all(text.as_bytes()))
}
