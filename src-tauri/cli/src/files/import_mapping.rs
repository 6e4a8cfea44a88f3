//! Applies the flags that say what the columns of a file mean.

use std::{fs, path::Path};

use roost_imports::{
    ledger::{ImportLedger, LedgerEntry, LedgerItem, LedgerOutcome},
    mapping::columns::{ColumnFacts, ValueCount},
    mapping::{
        FieldTarget, MappingProfile, OpenMapping, ValuePiece,
        consent::{UnansweredWords, find_unanswered, suggest_words},
        named_columns::{NamedField, find_column, find_columns, parse_field},
    },
    session::{ImportFile, ImportState, ImportTable, MappingFault, profiles},
};
use roost_spelling::normalize_name;

use super::import::ImportCommand;
use super::import::PendingImport;
use crate::terminal::count_with_noun;
use crate::{
    failure::{CliFailure, read_failure},
    outputs::OutputPath,
};

/// The most values of a column that a message shows.
const VALUES_SHOWN: usize = 6;

/// The values of `--map`: a file, or single columns.
pub(super) struct MappingOptions {
    profile: Option<(String, MappingProfile)>,
    /// Columns and fields as they were written.
    columns: Vec<(String, String)>,
}

impl MappingOptions {
    pub(super) fn read(given: &[String]) -> Result<Self, CliFailure> {
        let mut mappings = Self { profile: None, columns: Vec::new() };
        for text in given {
            match text.rsplit_once('=').filter(|_| !Path::new(text).is_file()) {
                Some((column, field)) => mappings.columns.push((column.trim().to_owned(), field.trim().to_owned())),
                None if mappings.profile.is_some() => return Err(CliFailure::new("--map takes one file")),
                None => {
                    let to_failure = |why: &dyn std::fmt::Display| CliFailure::new(format!("{text}: {why}"));
                    let read = fs::read_to_string(text).map_err(|why| read_failure(Path::new(text), &why))?;
                    mappings.profile =
                        Some((text.clone(), MappingProfile::read(&read).map_err(|why| to_failure(&why))?));
                }
            }
        }
        Ok(mappings)
    }
}

/// Prefixes an error with the name of a flag.
fn failure_of_flag(flag: &'static str) -> impl Fn(roost_ops::Error) -> CliFailure {
    move |why| CliFailure::new(format!("{flag}: {why}"))
}

impl ImportCommand {
    /// Maps the columns as the flags say, and returns the mapping.
    pub(super) fn apply_mapping(
        &self,
        under: &PendingImport,
        mappings: &MappingOptions,
        state: &ImportState,
    ) -> Result<OpenMapping, CliFailure> {
        if let Some((path, profile)) = &mappings.profile {
            profiles::apply_profile(under.core, under.imports, under.import, profile)
                .map_err(|why| CliFailure::new(format!("{path}: {why}")))?;
        }
        let table = under.imports.describe_table(under.core, under.import).map_err(CliFailure::new)?;
        let heads = column_names(&table);
        let mut mapping = table.mapping.clone();
        let custom = roost_ops::custom_field::read_all(under.core).map_err(CliFailure::new)?;
        let mut assigned: Vec<(NamedField, Vec<u32>)> = Vec::new();
        for (column, field) in &mappings.columns {
            let column = find_column(&heads, column).map_err(failure_of_flag("--map"))?;
            let field = parse_field(field, &custom).map_err(failure_of_flag("--map"))?;
            let at = assigned.iter().position(|(known, _)| *known == field).unwrap_or_else(|| {
                assigned.push((field.clone(), Vec::new()));
                assigned.len() - 1
            });
            mapping.assign_field(column, &field, &assigned[at].1);
            assigned[at].1.push(column);
        }
        self.put_consents(&table, &mut mapping)?;
        self.put_lists(state, &mut mapping)?;
        for name in &self.ignored_names(&heads) {
            // A name that is not a column can be a property of vCards; the ledger decides.
            let columns = find_columns(&heads, name).unwrap_or_default();
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
        mapping.choose_match_by();
        self.store_mapping(under, &table, &mapping)?;
        if let Some(output) = &self.save_map {
            save_mapping(output, self.force, &heads, &mapping)?;
        }
        Ok(mapping)
    }

    fn put_consents(&self, table: &ImportTable, mapping: &mut OpenMapping) -> Result<(), CliFailure> {
        let heads = column_names(table);
        for text in &self.opt_out_columns {
            let (name, words) = split_column(&heads, text);
            let column = find_column(&heads, name).map_err(failure_of_flag("--opt-out-column"))?;
            let (keeps, words): (Vec<String>, Vec<String>) =
                split_words(words).into_iter().partition(|word| word.len() > 1 && word.starts_with('!'));
            let keeps = keeps.iter().map(|word| word[1..].trim().to_owned()).collect();
            let facts = &table.columns[column as usize].facts;
            mapping.assign_consent(&flag_name(&heads, column), column, words, keeps, facts);
        }
        Ok(())
    }

    /// Returns the names in `--ignore-columns`. Each value is one name that contains commas, or several names
    /// separated by commas.
    fn ignored_names(&self, heads: &[String]) -> Vec<String> {
        let names = self.ignore_columns.iter().flat_map(|text| {
            let is_name = heads.iter().any(|head| head.trim() == text.trim());
            if is_name { vec![text.trim().to_owned()] } else { split_words(text) }
        });
        names.collect()
    }

    /// Marks the lists of people who opted out, and the ordinary ones.
    fn put_lists(&self, state: &ImportState, mapping: &mut OpenMapping) -> Result<(), CliFailure> {
        for (flag, names, lists) in [
            ("--opted-out-list", &self.opted_out_lists, &mut mapping.opted_out_lists),
            ("--ordinary-list", &self.ordinary_lists, &mut mapping.ordinary_lists),
        ] {
            for name in names {
                let known: Vec<&str> = state.files.iter().flat_map(ImportFile::names).collect();
                if !known.contains(&name.trim()) {
                    let mut parts =
                        state.files.iter().filter_map(|file| file.found.as_ref()).flat_map(|found| &found.sheets);
                    if parts.any(|part| part.name == name.trim()) {
                        let flag_of_part = self.flag_of_part(name);
                        return Err(CliFailure::new(format!(
                            "{flag}: “{name}” is not imported. Import it with {flag_of_part}. Nothing was imported."
                        )));
                    }
                    let known = known.join(", ");
                    return Err(CliFailure::new(format!(
                        "{flag}: no list that is imported is called “{name}”. The lists are: {known}."
                    )));
                }
                lists.push(name.trim().to_owned());
            }
        }
        if let Some(name) = self.opted_out_lists.iter().find(|name| self.ordinary_lists.contains(name)) {
            return Err(CliFailure::new(format!("“{name}” is both in --opted-out-list and in --ordinary-list.")));
        }
        Ok(())
    }

    /// Returns the flag that also imports a sheet or a file of an archive.
    fn flag_of_part(&self, name: &str) -> String {
        if self.sheets.is_empty() { "--all-sheets".to_owned() } else { format!("--sheet {}", shell_quote(name)) }
    }

    /// Whether `--ignore-columns` names the subject of an entry.
    pub(crate) fn ignores(&self, heads: &[String], entry: &LedgerEntry) -> bool {
        is_not_column(entry)
            && self.ignored_names(heads).iter().any(|name| normalize_name(name) == normalize_name(&entry.name))
    }

    /// Refuses a name in `--ignore-columns` that is neither a column nor anything else that is left out, and
    /// properties that look like consent and are not named there.
    pub(crate) fn check_ignored(&self, heads: &[String], ledger: &ImportLedger) -> Result<(), CliFailure> {
        for name in &self.ignored_names(heads) {
            if !ledger
                .entries
                .iter()
                .any(|entry| is_not_column(entry) && normalize_name(&entry.name) == normalize_name(name))
            {
                find_columns(heads, name).map_err(failure_of_flag("--ignore-columns"))?;
            }
        }
        let is_open = |entry: &&LedgerEntry| entry.what == LedgerItem::Consent && !self.ignores(heads, entry);
        match ledger.unnoticed_entries().find(is_open) {
            None => Ok(()),
            Some(LedgerEntry { name, .. }) => Err(CliFailure::new(format!(
                "The property “{name}” seems to say who opted out, and properties cannot be imported. Skip it \
                 with --ignore-columns {}. Nothing was imported.",
                shell_quote(&escape_commas(name))
            ))),
        }
    }

    /// Describes a question about lists, with the flags that answer it.
    fn list_question(&self, fault: &MappingFault) -> Option<String> {
        let (wrong, name) = (without_advice(&fault.message), fault.about.first()?);
        let (named, ignored) = (shell_quote(name), shell_quote(&escape_commas(name)));
        match fault.path.as_str() {
            "opted_out_lists" => Some(format!(
                "{wrong} Opt all its numbers out with --opted-out-list {named}, or declare it an ordinary list with \
                 --ordinary-list {named}."
            )),
            "ordinary_lists" => Some(format!(
                "{wrong} Import that list as a file of its own, and skip it here with --ignore-columns {ignored}."
            )),
            "parts" => Some(format!(
                "{wrong} Import it as well with {}, and --opted-out-list {named} if everyone in it opted out, or skip \
                 it with --ignore-columns {ignored}.",
                self.flag_of_part(name)
            )),
            _ => None,
        }
    }

    /// Stores the mapping. If there are questions about it, reports all of them at once.
    fn store_mapping(
        &self,
        under: &PendingImport,
        table: &ImportTable,
        mapping: &OpenMapping,
    ) -> Result<(), CliFailure> {
        let mapped = under.imports.set_mapping(under.core, under.import, mapping.clone()).map_err(CliFailure::new)?;
        let heads = column_names(table);
        let mut questions = Vec::new();
        for fault in &mapped.faults {
            let wrong = &fault.message;
            match fault.path.as_str() {
                "region" if self.country.is_some() => return Err(CliFailure::new(format!("--country: {wrong}"))),
                "region" => questions.push(format!("{} Repeat with --country CODE.", without_advice(wrong))),
                "date_order" => {
                    questions.push(format!("{wrong} Repeat with --date-order day-first or --date-order month-first."))
                }
                "opted_out_lists" | "ordinary_lists" | "parts" => questions.extend(self.list_question(fault)),
                "named" => questions.push(field_question(fault, table, mapping)),
                "left_out" => questions.push(column_question(fault, table, mapping)),
                "consent_words" => questions.extend(word_question(fault, table, mapping)),
                _ => {
                    let names: Vec<String> = (0..heads.len() as u32).map(|column| flag_name(&heads, column)).collect();
                    let hint = "Say what a column means with --map 'COLUMN=FIELD'.";
                    return Err(CliFailure::new(format!("{wrong} The columns are: {}. {hint}", names.join(", "))));
                }
            }
        }
        if questions.is_empty() { Ok(()) } else { Err(failure_with_questions(&questions)) }
    }
}

fn failure_with_questions(questions: &[String]) -> CliFailure {
    CliFailure::new(format!("{} Nothing was imported.", questions.join(" ")))
}

/// Describes a question about columns that seem to say who opted out.
fn column_question(fault: &MappingFault, table: &ImportTable, mapping: &OpenMapping) -> String {
    let heads = column_names(table);
    let open: Vec<u32> = mapping
        .unanswered_columns(&heads, &column_facts(table))
        .filter(|column| !mapping.uses_column(*column))
        .collect();
    let names: Vec<String> = open.iter().map(|column| escape_commas(&flag_name(&heads, *column))).collect();
    let arguments = opt_out_arguments(table, &open);
    let first = open.first().map(|column| flag_name(&heads, *column)).unwrap_or_default();
    let every = shell_quote(&format!("{first}=*"));
    let every = if arguments.contains(&every) { String::new() } else { format!(" ({every} if every value does)") };
    let fill = shell_quote(&format!("{first}=FIELD"));
    let them = if open.len() == 1 { "it" } else { "them" };
    // The advice names flags, unlike that of the window.
    format!(
        "{} {arguments}{every}, fill a field with --map {fill}, or leave {them} out with \
         --ignore-columns {}.",
        without_advice(&fault.message),
        shell_quote(&names.join(","))
    )
}

/// Describes a question about columns that fill a field but contain values that look like opt-outs.
fn field_question(fault: &MappingFault, table: &ImportTable, mapping: &OpenMapping) -> String {
    let heads = column_names(table);
    let open: Vec<u32> = mapping
        .unanswered_columns(&heads, &column_facts(table))
        .filter(|column| mapping.uses_column(*column))
        .collect();
    let maps = open.iter().map(|column| {
        let has_column = |target: &&FieldTarget<u32>| target.pieces.iter().any(|piece| piece.column() == Some(column));
        let field = mapping.targets.iter().find(has_column).map_or("FIELD", |target| target.field.as_str());
        format!("--map {}", shell_quote(&format!("{}={field}", flag_name(&heads, *column))))
    });
    let maps = maps.collect::<Vec<_>>().join(" ");
    let it = if open.len() == 1 { "it only fills its" } else { "they only fill their" };
    let arguments = open.iter().map(|column| {
        let name = flag_name(&heads, *column);
        opt_out_argument(&name, &suggest_words(&name, &table.columns[*column as usize].facts), &[])
    });
    let arguments = arguments.collect::<Vec<_>>().join(" ");
    format!(
        "{} Name the values that mean “opted out” with {arguments}, or say with {maps} that {it} field.",
        without_advice(&fault.message)
    )
}

/// Describes the values of columns, and the arguments that name the values which opt out.
fn opt_out_arguments(table: &ImportTable, columns: &[u32]) -> String {
    let heads = column_names(table);
    let is_one = columns.len() == 1;
    let lines = columns.iter().map(|column| {
        let (name, facts) = (flag_name(&heads, *column), &table.columns[*column as usize].facts);
        let words = match suggest_words(&name, facts) {
            words if words.is_empty() => vec!["VALUE".to_owned(), "VALUE".to_owned()],
            words => words,
        };
        let argument = opt_out_argument(&name, &words, &[]);
        match is_one {
            true => {
                format!("It has {}. Name the values that mean “opted out” with {argument}", describe_values(facts))
            }
            false => format!("“{name}” holds {}: {argument}", describe_values(facts)),
        }
    });
    let lines = lines.collect::<Vec<_>>().join("; ");
    if is_one { lines } else { format!("{lines}. Name the values that mean “opted out” with such arguments") }
}

/// Describes a question about values of an opt-out column.
fn word_question(fault: &MappingFault, table: &ImportTable, mapping: &OpenMapping) -> Option<String> {
    let (heads, name) = (column_names(table), fault.about.first()?);
    mapping.consents.iter().find_map(|consent| {
        let column = consent.pieces.iter().find_map(ValuePiece::column)?;
        let facts = &table.columns.get(*column as usize)?.facts;
        let open = find_unanswered(name, consent, facts).filter(|_| flag_name(&heads, *column) == *name)?;
        Some(value_question(&open, name, &consent.keeps))
    })
}

fn value_question(open: &UnansweredWords, name: &str, keeps: &[String]) -> String {
    let more = match open.is_reversed {
        true => "or rename the column if it does in this file",
        false => "with ! in front of each value that does not mean “opted out”, and !* for all others",
    };
    format!("{} Repeat with {}, {more}.", without_advice(&open.message), opt_out_argument(name, &open.words, keeps))
}

/// Writes the argument `--opt-out-column 'Accepts SMS=no,!perhaps'`.
fn opt_out_argument(name: &str, words: &[String], keeps: &[String]) -> String {
    let words = words
        .iter()
        .map(|word| escape_commas(word))
        .chain(keeps.iter().map(|word| format!("!{}", escape_commas(word))));
    format!("--opt-out-column {}", shell_quote(&format!("{name}={}", words.collect::<Vec<_>>().join(","))))
}

/// Escapes commas, which otherwise separate names.
fn escape_commas(text: &str) -> String {
    text.replace(',', "\\,")
}

/// Quotes a text as one argument of a shell.
fn shell_quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Splits an argument into a column and its values. The column is the longest part that is the name of one; the values
/// follow the equals sign.
fn split_column<'t>(heads: &[String], text: &'t str) -> (&'t str, &'t str) {
    let is_column = |name: &str| heads.iter().any(|head| head.trim() == name.trim());
    // Names are compared by their letters, so `=*` would not count.
    if is_column(text) {
        return (text, "");
    }
    let split = |(at, _): (usize, &str)| (&text[..at], &text[at + 1..]);
    let known = text.rmatch_indices('=').map(split).find(|(name, _)| is_column(name));
    known.or_else(|| text.split_once('=')).unwrap_or((text, ""))
}

/// Removes the window's advice from a message, because the flags are named instead.
fn without_advice(message: &str) -> &str {
    let advice = [" Say wh", " Import it as"].into_iter().filter_map(|advice| message.rfind(advice)).max();
    &message[..advice.unwrap_or(message.len())]
}

/// Splits values at commas; `\,` is a comma within a value.
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

/// Whether an entry is left out and is not a column: a property of a vCard, a list beside the records, a sheet, or a
/// file of an archive.
fn is_not_column(entry: &LedgerEntry) -> bool {
    match entry.what {
        LedgerItem::Property | LedgerItem::Consent => !entry.is_chosen,
        LedgerItem::Sheet | LedgerItem::ArchiveMember => entry.outcome == LedgerOutcome::LeftOut,
        _ => false,
    }
}

/// Describes the values of a column for a person who must say what it means. Values that look like an opt-out come
/// first.
fn describe_values(facts: &ColumnFacts) -> String {
    let (_, are_all) = facts.known_values();
    let is_new = |value: &&ValueCount| !facts.values.iter().any(|known| known.text.trim().to_lowercase() == value.text);
    let opt_outs: Vec<&ValueCount> = facts.opt_outs.values.iter().filter(is_new).collect();
    let samples = facts.samples.iter().filter(|_| facts.values.is_empty()).map(|text| format!("“{text}”"));
    let mut values: Vec<String> =
        opt_outs.iter().copied().chain(&facts.values).map(ValueCount::describe_rows).chain(samples).collect();
    let is_whole = are_all && opt_outs.is_empty() && values.len() <= VALUES_SHOWN;
    values.truncate(VALUES_SHOWN);
    if facts.blank > 0 && is_whole {
        values.push(format!("blank cells ({})", count_with_noun(facts.blank, "row")));
    }
    format!("{}{}", if is_whole { "" } else { "values such as " }, values.join(", "))
}

fn column_facts(table: &ImportTable) -> Vec<ColumnFacts> {
    table.columns.iter().map(|column| column.facts.clone()).collect()
}

pub(super) fn column_names(table: &ImportTable) -> Vec<String> {
    table.columns.iter().map(|column| column.name.clone()).collect()
}

/// Returns the name of a column as flags use it.
fn flag_name(heads: &[String], column: u32) -> String {
    roost_imports::session::column_name(heads, column)
}

fn save_mapping(output: &OutputPath, force: bool, heads: &[String], mapping: &OpenMapping) -> Result<(), CliFailure> {
    let name = output.path().file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let text = MappingProfile::from_mapping(&name, heads, mapping).write().map_err(CliFailure::new)?;
    output.write(force, |out| out.write_all(text.as_bytes()))
}
