//! What the columns of a file mean, said in flags.

use std::{fs, path::Path};

use roost_ops::{
    Core,
    import::{
        columns::ColumnFacts,
        ledger::{ImportLedger, LedgerEntry, LedgerItem},
        mapping::{
            OpenMapping, Piece, Profile,
            heads::plain,
            named::{NamedField, column_named, columns_named, field_named},
        },
        session::{ImportFile, ImportState, ImportTable, MappingFault, profiles},
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
    pub fn map(
        &self,
        core: &Core,
        import: u64,
        mappings: &Mappings,
        state: &ImportState,
    ) -> Result<OpenMapping, Failure> {
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
        self.put_consents(&table, &mut mapping)?;
        self.put_lists(state, &mut mapping)?;
        for name in &self.ignore_columns {
            // What is no column may be a property of cards; the ledger knows.
            let columns = columns_named(&heads, name).unwrap_or_default();
            columns.iter().for_each(|column| mapping.leave_out(*column));
            if columns.is_empty() {
                mapping.ordinary_lists.push(name.trim().to_owned());
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

    fn put_consents(&self, table: &ImportTable, mapping: &mut OpenMapping) -> Result<(), Failure> {
        let heads = heads_of(table);
        for text in &self.opt_out_columns {
            // Names are compared without signs, and `=*` has no letters.
            let is_column = heads.iter().any(|head| head.trim() == text.trim());
            let (name, words) = text.split_once('=').filter(|_| !is_column).unwrap_or((text, ""));
            let column = column_named(&heads, name).map_err(of_flag("--opt-out-column"))?;
            let facts = &table.columns[column as usize].facts;
            mapping.put_consent(name.trim(), column, split_words(words), facts).map_err(of_flag("--opt-out-column"))?;
        }
        Ok(())
    }

    /// Says which lists are of people who opted out, and which are not.
    fn put_lists(&self, state: &ImportState, mapping: &mut OpenMapping) -> Result<(), Failure> {
        for (flag, names, lists) in [
            ("--opted-out-list", &self.opted_out_lists, &mut mapping.opted_out_lists),
            ("--ordinary-list", &self.ordinary_lists, &mut mapping.ordinary_lists),
        ] {
            for name in names {
                let known: Vec<&str> = state.files.iter().flat_map(ImportFile::names).collect();
                if !known.contains(&name.trim()) {
                    let known = known.join(", ");
                    return Err(Failure::new(format!(
                        "{flag}: no list that is imported is called “{name}”. The lists are: {known}."
                    )));
                }
                lists.push(name.trim().to_owned());
            }
        }
        if let Some(name) = self.opted_out_lists.iter().find(|name| self.ordinary_lists.contains(name)) {
            return Err(Failure::new(format!("“{name}” is both in --opted-out-list and in --ordinary-list.")));
        }
        Ok(())
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
        if fault.path == "region" {
            return Err(Failure::new(format!(
                "{} Repeat with --country CODE. Nothing was imported.",
                without_advice(&fault.message)
            )));
        }
        if fault.path == "date_order" {
            let told = "Repeat with --date-order day-first or --date-order month-first. Nothing was imported.";
            return Err(Failure::new(format!("{} {told}", fault.message)));
        }
        if let Some(told) = asked_of_lists(fault) {
            return Err(Failure::new(format!("{told} Nothing was imported.")));
        }
        let heads = heads_of(table);
        if fault.path == "named" {
            let name = fault.about.first().map_or("", String::as_str);
            let wrong = without_advice(&fault.message);
            let fields = mapping.targets.iter().filter(|target| {
                let columns = target.pieces.iter().filter_map(Piece::column);
                columns.into_iter().any(|column| named(&heads, *column) == name)
            });
            let field = fields.map(|target| target.field.as_str()).next().unwrap_or("FIELD");
            return Err(Failure::new(format!(
                "{wrong} Name the values that mean “opted out” with --opt-out-column '{name}=VALUE,VALUE', or say with \
                 --map '{name}={field}' that it only fills this field. Nothing was imported."
            )));
        }
        if fault.path == "consent_words" {
            return Err(Failure::new(format!("{} Nothing was imported.", fault.message)));
        }
        if fault.path == "left_out" {
            let open = mapping.open_consents(&heads, &facts_of(table)).collect::<Vec<_>>();
            let names: Vec<String> = open.iter().map(|column| named(&heads, *column)).collect();
            let first = names.first().map_or("", String::as_str);
            // What to do is said with flags here.
            let wrong = without_advice(&fault.message);
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

/// What to do is said with flags here.
fn without_advice(message: &str) -> &str {
    let advice = [" Say wh", " Import it as"].into_iter().filter_map(|advice| message.rfind(advice)).max();
    &message[..advice.unwrap_or(message.len())]
}

/// What is asked about lists, with the flags that answer it.
fn asked_of_lists(fault: &MappingFault) -> Option<String> {
    let (wrong, name) = (without_advice(&fault.message), fault.about.first()?);
    match fault.path.as_str() {
        "opted_out_lists" => Some(format!(
            "{wrong} Opt all its numbers out with --opted-out-list '{name}', or say with --ordinary-list '{name}' that it is \
             an ordinary list."
        )),
        "ordinary_lists" => Some(format!(
            "{wrong} Import that list as a file of its own, and leave it out here with --ignore-columns '{name}'."
        )),
        _ => None,
    }
}

/// Values with commas between them; `\,` is a comma in a value.
fn split_words(words: &str) -> Vec<String> {
    let (mut split, mut word) = (Vec::new(), String::new());
    let mut letters = words.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.next_if_eq(&',').is_some() => word.push(','),
            ',' => split.push(std::mem::take(&mut word)),
            letter => word.push(letter),
        }
    }
    split.push(word);
    split.iter().map(|word| word.trim()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Of a card, or beside a list of records: no column.
fn is_property(entry: &LedgerEntry) -> bool {
    matches!(entry.what, LedgerItem::Property | LedgerItem::Consent) && !entry.is_chosen
}

/// What a column holds, for somebody who has to say what it means: first the values that look like an opt-out.
fn values_of(facts: &ColumnFacts) -> String {
    let (known, are_all) = facts.known_values();
    let said = facts.opt_outs.values.iter().map(|value| value.text.as_str());
    let is_new = |value: &&str| !known.iter().any(|known| known.trim().to_lowercase() == **value);
    let values: Vec<&str> = said.filter(is_new).chain(known.iter().copied()).collect();
    let shown: Vec<String> = values.iter().take(SHOWN).map(|value| format!("“{value}”")).collect();
    match values.len() {
        0 => String::new(),
        count if are_all && count == known.len() && count <= SHOWN => format!("It holds {}. ", shown.join(", ")),
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
