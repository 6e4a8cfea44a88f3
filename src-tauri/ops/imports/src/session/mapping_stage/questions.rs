//! The questions that only a person can answer: which columns and lists say who opted out, and how dates are read.

use roost_sheets::{RemarkKind, SourceFormat};

use roost_spelling::{consent::is_opt_out_list, normalize_name};

use super::{
    super::{
        super::{
            mapping::columns::ValueCount,
            mapping::{
                OpenMapping, ValuePiece,
                consent::{find_unanswered, is_consent_name},
            },
        },
        open::parts::find_left_out_parts,
        read_stage::CombinedFiles,
        reports::MappingFault,
        stored::{BytesLocation, StoredFile, StoredRead},
    },
    column_name,
};

pub(super) fn open_questions(
    combined: &CombinedFiles,
    mapping: &OpenMapping,
    files: &[StoredFile],
) -> Vec<MappingFault> {
    let date = mapping.ambiguous_date(&combined.columns).map(|date| MappingFault {
        path: "date_order".to_owned(),
        message: format!("The date “{date}” can be read in two ways. Say whether the day or the month comes first."),
        about: Vec::new(),
    });
    let columns = open_columns(combined, mapping).into_iter().flatten().chain(open_values(combined, mapping));
    let lists = open_lists(combined, mapping, files).into_iter().chain(open_parts(mapping, files));
    let mut questions = Vec::new();
    for fault in columns.chain(lists).chain(date) {
        // The question about the name of a file must appear once, however many sheets it has.
        if !questions.contains(&fault) {
            questions.push(fault);
        }
    }
    questions
}

/// Asks about columns that seem to be about consent and are neither mapped nor left out by name, and about columns that
/// fill a field but have values that say so.
fn open_columns(combined: &CombinedFiles, mapping: &OpenMapping) -> [Option<MappingFault>; 2] {
    let open = mapping.unanswered_columns(&combined.heads, &combined.columns);
    let (fields, columns): (Vec<u32>, Vec<u32>) = open.partition(|column| mapping.uses_column(*column));
    let name = |column: &u32| column_name(&combined.heads, *column);
    let quoted = |columns: &[u32]| -> String {
        columns.iter().map(|column| format!("“{}”", name(column))).collect::<Vec<_>>().join(", ")
    };
    let fault = |path: &str, columns: &[u32], message: String| MappingFault {
        path: path.to_owned(),
        message,
        about: columns.iter().map(name).collect(),
    };
    let (what, seem, them) =
        if columns.len() == 1 { ("The column", "seems", "it") } else { ("The columns", "seem", "them") };
    let unmapped = format!(
        "{what} {} {seem} to say who opted out. Say which of the values mean that, or skip {them}.",
        quoted(&columns)
    );
    let held = |column: &u32| {
        let values = &combined.columns[*column as usize].opt_outs.values;
        let values = values.iter().map(ValueCount::describe_rows).collect::<Vec<_>>();
        format!("“{}” holds {}", name(column), values.join(", "))
    };
    let filled = format!(
        "{}, as if someone had opted out. Say which of the values mean that, or that each column only fills its field.",
        fields.iter().map(held).collect::<Vec<_>>().join("; ")
    );
    [
        (!columns.is_empty()).then(|| fault("left_out", &columns, unmapped)),
        (!fields.is_empty()).then(|| fault("named", &fields, filled)),
    ]
}

/// Asks about values for which nobody said whether they opt out, and about values that cannot opt out.
fn open_values<'a>(combined: &'a CombinedFiles, mapping: &'a OpenMapping) -> impl Iterator<Item = MappingFault> + 'a {
    mapping.consents.iter().filter_map(|consent| {
        let [ValuePiece::Column { column, part: None }] = consent.pieces.as_slice() else { return None };
        let name = column_name(&combined.heads, *column);
        let open = find_unanswered(&name, consent, combined.columns.get(*column as usize)?)?;
        Some(MappingFault { path: "consent_words".to_owned(), message: open.message, about: vec![name] })
    })
}

/// Asks about files, sheets and lists whose name says that everybody in them opted out.
fn open_lists(combined: &CombinedFiles, mapping: &OpenMapping, files: &[StoredFile]) -> Vec<MappingFault> {
    let is_answered = |file: &StoredFile| {
        mapping.opted_out_lists.iter().chain(&mapping.ordinary_lists).any(|name| file.matches_name(name))
    };
    // A person who mapped an opt-out column of the file has examined it.
    let has_consent = |file: &StoredFile| {
        let pieces = mapping.consents.iter().flat_map(|consent| &consent.pieces).filter_map(ValuePiece::column);
        pieces.filter_map(|column| combined.files.get(*column as usize)).any(|files| files.contains(&file.file))
    };
    let mut found = Vec::new();
    for (file, read) in files.iter().filter_map(|file| Some((file, file.read.as_ref()?))) {
        if let Some((name, sign)) = find_opt_out_sign(file, read).filter(|_| !is_answered(file) && !has_consent(file)) {
            let message = format!(
                "{sign} says that everyone in it opted out. Say whether that is so, or whether it is an ordinary list."
            );
            found.push(list_question("opted_out_lists", name, message));
        }
        let beside = read.remarks.iter().filter(|remark| remark.kind == RemarkKind::Property);
        let may_say_so = |name: &str| is_consent_name(name) || is_opt_out_list(name);
        for remark in beside.filter(|remark| may_say_so(&remark.name)) {
            if !mapping.is_list_left_out(&remark.name) {
                let message = format!(
                    "“{}” in {} seems to say who opted out, and it is not part of the list that is imported. \
                     Import it as a file of its own, and skip it here.",
                    remark.name, file.name
                );
                found.push(list_question("ordinary_lists", &remark.name, message));
            }
        }
    }
    found
}

fn list_question(path: &str, name: &str, message: String) -> MappingFault {
    MappingFault { path: path.to_owned(), message, about: vec![name.to_owned()] }
}

/// Asks about sheets and files of archives that are left out although they say who opted out. Otherwise these people
/// could still be written to.
fn open_parts(mapping: &OpenMapping, files: &[StoredFile]) -> Vec<MappingFault> {
    let mut found = Vec::new();
    for file in files {
        let is_book =
            file.read.as_ref().is_some_and(|read| matches!(read.found.kind, SourceFormat::Xlsx | SourceFormat::Ods));
        let what = if is_book { "sheet" } else { "file" };
        for part in find_left_out_parts(file, files) {
            let reason = match (&part.sign_of_opt_outs, &part.column_of_opt_outs) {
                _ if part.rows == 0 || mapping.is_list_left_out(&part.name) => continue,
                (Some(sign), _) if *sign == part.name => "its name says that everyone in it opted out".to_owned(),
                (Some(sign), _) => format!("“{sign}” in it says that everyone in it opted out"),
                (None, Some(column)) => format!("its column “{column}” seems to say who opted out"),
                (None, None) => continue,
            };
            let message = format!(
                "The {what} “{}” of {} is skipped, and {reason}. Import it as well, or skip it by name.",
                part.name, file.name
            );
            found.push(list_question("parts", &part.name, message));
        }
    }
    found
}

/// Returns the name of the list, and what says that everyone in it opted out.
fn find_opt_out_sign<'f>(file: &'f StoredFile, read: &StoredRead) -> Option<(&'f str, String)> {
    if is_opt_out_list(&file.name) {
        return Some((&file.name, format!("The name of the file “{}”", file.name)));
    }
    if let Some(folder) = folder_name(file).filter(|folder| is_opt_out_list(folder)) {
        return Some((&file.name, format!("The name of the folder “{folder}” of {}", file.name)));
    }
    if let Some(sheet) = file.sheet_name().filter(|sheet| is_opt_out_list(sheet)) {
        return Some((sheet, format!("The name “{sheet}” in {}", file.name)));
    }
    let title = read.title_of_opt_outs.as_ref()?;
    Some((file.part_name().unwrap_or(&file.name), format!("“{title}” in {}", file.name)))
}

/// Returns the name of the folder that contains a file.
fn folder_name(file: &StoredFile) -> Option<String> {
    let BytesLocation::At(path) = &file.bytes else { return None };
    let path = std::path::absolute(path).ok()?;
    Some(path.parent()?.file_name()?.to_string_lossy().into_owned())
}

impl OpenMapping {
    /// Returns whether somebody left out a list or a part of a file by name.
    pub(in super::super) fn is_list_left_out(&self, name: &str) -> bool {
        self.ordinary_lists.iter().any(|known| normalize_name(known) == normalize_name(name))
    }

    /// Returns whether somebody said that everybody in a file opted out.
    pub(in super::super) fn is_file_opted_out(&self, file: &StoredFile) -> bool {
        self.opted_out_lists.iter().any(|name| file.matches_name(name))
    }
}
