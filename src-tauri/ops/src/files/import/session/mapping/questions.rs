//! What only a person can say of the files: which columns and lists say who opted out, and how dates are read.

use roost_sheets::RemarkKind;

use super::{
    super::super::{
        columns::Counted,
        mapping::{
            OpenMapping, Piece,
            consent::{is_consent_name, is_list_of_opt_outs, open_words},
            heads::plain,
        },
    },
    super::{
        kept::{KeptFile, KeptRead},
        told::MappingFault,
        unite::United,
    },
    column_name,
};

pub(super) fn open_questions(united: &United, mapping: &OpenMapping, files: &[KeptFile]) -> Vec<MappingFault> {
    let date = mapping.ambiguous_date(&united.columns).map(|date| MappingFault {
        path: "date_order".to_owned(),
        message: format!("The date “{date}” can be read in two ways. Say whether the day or the month comes first."),
        about: Vec::new(),
    });
    let columns = open_columns(united, mapping).into_iter().flatten().chain(open_values(united, mapping));
    columns.chain(open_lists(united, mapping, files)).chain(date).collect()
}

/// Columns that look like consent are mapped, or left out by name; and so are fields with values that say so.
fn open_columns(united: &United, mapping: &OpenMapping) -> [Option<MappingFault>; 2] {
    let open = mapping.open_consents(&united.heads, &united.columns);
    let (fields, columns): (Vec<u32>, Vec<u32>) = open.partition(|column| mapping.uses(*column));
    let name = |column: &u32| column_name(&united.heads, *column);
    let quoted = |columns: &[u32]| -> String {
        columns.iter().map(|column| format!("“{}”", name(column))).collect::<Vec<_>>().join(", ")
    };
    let fault = |path: &str, columns: &[u32], message: String| MappingFault {
        path: path.to_owned(),
        message,
        about: columns.iter().map(name).collect(),
    };
    let (what, it, looks, them) =
        if columns.len() == 1 { ("The column", "it", "looks", "it") } else { ("The columns", "they", "look", "them") };
    let unmapped = format!(
        "{what} {} {looks} as if {it} said who opted out. Say which of the values mean that, or leave {them} out.",
        quoted(&columns)
    );
    let held = |column: &u32| {
        let values = &united.columns[*column as usize].opt_outs.values;
        let values = values.iter().map(Counted::with_rows).collect::<Vec<_>>();
        format!("“{}” holds {}", name(column), values.join(", "))
    };
    let filled = format!(
        "{}, as if somebody had opted out. Say which of the values mean that, or that each column only fills its field.",
        fields.iter().map(held).collect::<Vec<_>>().join("; ")
    );
    [
        (!columns.is_empty()).then(|| fault("left_out", &columns, unmapped)),
        (!fields.is_empty()).then(|| fault("named", &fields, filled)),
    ]
}

/// Values of which nobody said whether they opt out, and those that cannot.
fn open_values<'a>(united: &'a United, mapping: &'a OpenMapping) -> impl Iterator<Item = MappingFault> + 'a {
    mapping.consents.iter().filter_map(|consent| {
        let [Piece::Column { column, part: None }] = consent.pieces.as_slice() else { return None };
        let name = column_name(&united.heads, *column);
        let open = open_words(&name, consent, united.columns.get(*column as usize)?)?;
        Some(MappingFault { path: "consent_words".to_owned(), message: open.message, about: vec![name] })
    })
}

/// Files, sheets and lists whose name says that everybody in them opted out.
fn open_lists(united: &United, mapping: &OpenMapping, files: &[KeptFile]) -> Vec<MappingFault> {
    let is_answered = |file: &KeptFile| {
        mapping.opted_out_lists.iter().chain(&mapping.ordinary_lists).any(|name| file.is_called(name))
    };
    // Whoever says which column of a file says who opted out has looked at it.
    let has_consent = |file: &KeptFile| {
        let pieces = mapping.consents.iter().flat_map(|consent| &consent.pieces).filter_map(Piece::column);
        pieces.filter_map(|column| united.files.get(*column as usize)).any(|files| files.contains(&file.file))
    };
    let fault = |path: &str, name: &str, message: String| MappingFault {
        path: path.to_owned(),
        message,
        about: vec![name.to_owned()],
    };
    let mut found = Vec::new();
    for (file, read) in files.iter().filter_map(|file| Some((file, file.read.as_ref()?))) {
        if let Some((name, sign)) = sign_of_opt_outs(file, read).filter(|_| !is_answered(file) && !has_consent(file)) {
            let message = format!(
                "{sign} says that everybody in it opted out. Say whether that is so, or whether it is an ordinary list."
            );
            found.push(fault("opted_out_lists", name, message));
        }
        let beside = read.remarks.iter().filter(|remark| remark.kind == RemarkKind::Property);
        for remark in beside.filter(|remark| is_consent_name(&remark.name)) {
            if !mapping.ordinary_lists.iter().any(|name| plain(name) == plain(&remark.name)) {
                let message = format!(
                    "“{}” in {} looks as if it said who opted out, and it stands beside the list that is imported. Import it \
                     as a file of its own, and leave it out here.",
                    remark.name, file.name
                );
                found.push(fault("ordinary_lists", &remark.name, message));
            }
        }
    }
    found
}

/// What the list is called, and what of it says that everybody in it opted out.
fn sign_of_opt_outs<'f>(file: &'f KeptFile, read: &KeptRead) -> Option<(&'f str, String)> {
    let without_end = |name: &'f str| name.rsplit_once('.').map_or(name, |(name, _)| name);
    if is_list_of_opt_outs(without_end(&file.name)) {
        return Some((&file.name, format!("The name of the file “{}”", file.name)));
    }
    if let Some(sheet) = file.sheet().filter(|sheet| is_list_of_opt_outs(without_end(sheet))) {
        return Some((sheet, format!("The name “{sheet}” in {}", file.name)));
    }
    let title = read.title_of_opt_outs.as_ref()?;
    Some((file.part().unwrap_or(&file.name), format!("“{title}” in {}", file.name)))
}

impl OpenMapping {
    /// Whether somebody said that everybody in a file opted out.
    pub(in super::super) fn is_opted_out(&self, file: &KeptFile) -> bool {
        self.opted_out_lists.iter().any(|name| file.is_called(name))
    }
}
