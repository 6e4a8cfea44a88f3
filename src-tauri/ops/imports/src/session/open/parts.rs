//! Handles files of several parts: the sheets of a workbook, the files of an archive. Each imported part is an entry
//! among the files of an import. The others are surveyed, so that the ledger can say how much they hold.

use roost_model::error::FieldError;
use roost_sheets::{FileSheet, FileSource, OpenedSheet, ReadOptions, RowBlock, SourceFormat};
use roost_store::watch::Watch;
use serde::{Deserialize, Serialize};

use roost_spelling::consent::{is_opt_out_list, is_opt_out_title};

use super::{
    super::{
        super::{
            mapping::columns::{ColumnFacts, ColumnScanner},
            mapping::suggest_fields,
            reading,
        },
        read_stage::to_spool_error,
        reports::ImportSettings,
        stored::{StoredFile, StoredImport},
    },
    ImportSessions, truncate_text,
};
use roost_ops::{core::Core, error::Result};

/// The most parts that one import may take, of all its files together.
const PARTS_MAX: usize = 1_000;
/// The most characters of an example.
const EXAMPLE_CHARS: usize = 80;
/// Rows of a table at least. A sheet with fewer rows may be a cover or a note, even if it has several columns.
const TABLE_ROWS_MIN: u64 = 10;

/// A survey of a part that is not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PartSurvey {
    pub name: String,
    pub is_hidden: bool,
    /// Rows and cells that are not blank, up to the place where the part is broken.
    pub rows: u64,
    pub cells: u64,
    /// The text of one cell.
    pub example: String,
    /// Whether its columns have the same names in the same order, so that it continues the table of another sheet.
    pub is_same_table: bool,
    /// Its name, or a heading in it, if that says that everybody in it opted out.
    #[serde(default)]
    pub sign_of_opt_outs: Option<String>,
    /// The name of a column that says who opted out.
    #[serde(default)]
    pub column_of_opt_outs: Option<String>,
    /// The reason why it cannot be read to its end.
    pub broken: Option<String>,
}

/// Surveys all parts but the one that was read, whose counts are known.
pub(crate) fn survey_parts(
    opened: &OpenedSheet,
    read: &reading::ReadTable,
    options: &ReadOptions,
    open: impl Fn() -> Result<FileSource>,
    watch: &Watch,
) -> Result<Vec<PartSurvey>> {
    let mut parts = Vec::with_capacity(opened.sheets.len());
    for (at, sheet) in opened.sheets.iter().enumerate() {
        parts.push(if Some(at) == opened.sheet {
            let counts = read.counts;
            PartSurvey {
                rows: counts.rows + u64::from(counts.above_cells > 0),
                cells: counts.cells + counts.above_cells,
                example: read.columns.iter().find_map(|column| column.samples.first().cloned()).unwrap_or_default(),
                ..PartSurvey::for_sheet(sheet)
            }
            .with_opt_out_signs(read.title_of_opt_outs.clone(), &read.heads)
        } else {
            survey_part(opened.kind, read, sheet, options, open()?, watch)?
        });
    }
    Ok(parts)
}

/// Returns the part to read instead of one that is blank or a note, if nobody chose a part: the first with telephones,
/// or else, if the other is blank, the first that is not.
pub(crate) fn choose_better_part(
    opened: &OpenedSheet,
    read: &reading::ReadTable,
    options: &ReadOptions,
    open: impl Fn() -> Result<FileSource>,
) -> Result<Option<String>> {
    let is_table =
        read.counts.rows >= TABLE_ROWS_MIN && read.columns.iter().filter(|column| column.filled > 0).count() > 1;
    if is_table || opened.sheets.len() < 2 || has_telephones(&read.heads, &read.columns) {
        return Ok(None);
    }
    let mut first = None;
    let others = opened.sheets.iter().enumerate().filter(|(at, sheet)| Some(*at) != opened.sheet && !sheet.is_hidden);
    for (_, sheet) in others {
        let options = ReadOptions { sheet: Some(sheet.name.clone()), limits: options.limits, ..ReadOptions::default() };
        let mut block = RowBlock::default();
        let Ok(mut other) = roost_sheets::open(open()?, &options) else { continue };
        // A fault in the part is reported when it is read.
        let _ = other.rows.fill_block(&mut block);
        let (head, heads) = reading::detect_heads(&other, &block, reading::HeadRow::FindOut);
        let heads = other.rows.columns().map_or(heads, <[String]>::to_vec);
        let mut columns = ColumnScanner::default();
        columns.add_block(&block, head.row.map_or(0, |row| row as usize + 1));
        if has_telephones(&heads, &columns.to_facts()) {
            return Ok(Some(sheet.name.clone()));
        }
        if columns.cell_count() > 0 {
            first.get_or_insert_with(|| sheet.name.clone());
        }
    }
    Ok(first.filter(|_| read.counts.cells + read.counts.above_cells == 0))
}

fn has_telephones(heads: &[String], columns: &[ColumnFacts]) -> bool {
    let suggested = suggest_fields(heads, columns, &[], &[]);
    suggested.iter().flatten().any(|one| ["phone_number", "whatsapp_id"].contains(&one.field.as_str()))
}

impl PartSurvey {
    fn for_sheet(sheet: &FileSheet) -> Self {
        Self {
            name: sheet.name.clone(),
            is_hidden: sheet.is_hidden,
            rows: 0,
            cells: 0,
            example: String::new(),
            is_same_table: false,
            sign_of_opt_outs: None,
            column_of_opt_outs: None,
            broken: None,
        }
    }

    /// Adds what the part says about opt-outs. `title` is a heading that says that everybody in it opted out; the name
    /// takes precedence.
    fn with_opt_out_signs(self, title: Option<String>, heads: &[String]) -> Self {
        let name = Some(&self.name).filter(|name| is_opt_out_list(name)).cloned();
        let column = heads.iter().find(|head| is_opt_out_list(head)).cloned();
        Self { sign_of_opt_outs: name.or(title), column_of_opt_outs: column, ..self }
    }
}

fn survey_part(
    kind: SourceFormat,
    main: &reading::ReadTable,
    sheet: &FileSheet,
    options: &ReadOptions,
    source: FileSource,
    watch: &Watch,
) -> Result<PartSurvey> {
    let mut survey = PartSurvey::for_sheet(sheet);
    let options = ReadOptions { sheet: Some(sheet.name.clone()), limits: options.limits, ..ReadOptions::default() };
    let mut opened = match roost_sheets::open(source, &options) {
        Ok(opened) => opened,
        Err(fault) => return Ok(PartSurvey { broken: Some(fault.to_string()), ..survey }),
    };
    let (mut block, mut is_first) = (RowBlock::default(), true);
    let (mut title, mut heads) = (None, Vec::new());
    loop {
        if watch.is_cancelled() {
            return Err(to_spool_error(std::io::ErrorKind::Interrupted.into()));
        }
        block.clear();
        let goes_on = opened.rows.fill_block(&mut block).unwrap_or_else(|fault| {
            survey.broken = Some(fault.to_string());
            false
        });
        if std::mem::take(&mut is_first) {
            let (head, names) = reading::detect_heads(&opened, &block, reading::HeadRow::FindOut);
            let has_heads = main.head.row.is_some() && matches!(kind, SourceFormat::Xlsx | SourceFormat::Ods);
            survey.is_same_table = has_heads && !names.is_empty() && names == main.heads_up_to_last_named();
            // If there is only one name, it is a heading rather than the name of a column.
            let is_heading = names.iter().filter(|name| !name.is_empty()).count() == 1;
            let above = head.row.map_or(0, |row| row as usize + usize::from(is_heading));
            title = reading::non_blank_cells(&block, above).find(|cell| is_opt_out_title(cell)).map(str::to_owned);
            heads = names;
        }
        for row in block.rows() {
            let mut filled = row.cells().map(str::trim).filter(|cell| !cell.is_empty());
            let Some(first) = filled.next() else { continue };
            if survey.example.is_empty() {
                survey.example = truncate_text(first, EXAMPLE_CHARS);
            }
            survey.rows += 1;
            survey.cells += 1 + filled.count() as u64;
        }
        if !goes_on {
            let heads = opened.rows.columns().unwrap_or(&heads);
            return Ok(survey.with_opt_out_signs(title.or_else(|| reading::find_opt_out_list(&opened)), heads));
        }
    }
}

/// Returns the parts of a file that are not imported.
pub(crate) fn find_left_out_parts<'f>(file: &'f StoredFile, files: &[StoredFile]) -> Vec<&'f PartSurvey> {
    let of_group = |kept: &&StoredFile| kept.group_id() == file.group_id();
    let taken: Vec<&str> = files.iter().filter(of_group).filter_map(StoredFile::part_name).collect();
    file.parts.iter().filter(|part| !taken.contains(&part.name.as_str())).collect()
}

impl StoredImport {
    /// Adds the sheets that continue the table of a file that was just read, unless the person chose the sheets.
    pub(crate) fn add_same_tables(&mut self, file: u32) {
        let Some(at) = self.files.iter().position(|kept| kept.file == file) else { return };
        let kept = &mut self.files[at];
        if kept.read.is_none() {
            return;
        }
        if kept.of.is_some() || std::mem::replace(&mut kept.has_settled_parts, true) || kept.settings.sheet.is_some() {
            return;
        }
        let is_main = |part: &&PartSurvey| Some(part.name.as_str()) == kept.part_name();
        // A sheet of people who opted out does not continue a sheet of contacts.
        let is_of_opt_outs = kept.parts.iter().any(|part| is_main(&part) && part.sign_of_opt_outs.is_some());
        let same = kept.parts.iter().filter(|part| !is_main(part) && part.is_same_table && !part.is_hidden);
        let same = same.filter(|part| part.sign_of_opt_outs.is_some() == is_of_opt_outs);
        let names: Vec<String> = same.map(|part| part.name.clone()).collect();
        let template = kept.clone();
        for (n, name) in names.into_iter().take(PARTS_MAX).enumerate() {
            self.insert_part(at + 1 + n, &template, name);
        }
    }

    fn insert_part(&mut self, at: usize, template: &StoredFile, name: String) {
        self.last_file += 1;
        let part = StoredFile {
            file: self.last_file,
            of: Some(template.group_id()),
            has_settled_parts: true,
            places: Vec::new(),
            parts: Vec::new(),
            name: template.name.clone(),
            bytes: template.bytes.clone(),
            size: template.size,
            received: template.received,
            settings: ImportSettings { sheet: Some(name), ..ImportSettings::default() },
            read: None,
            broken: None,
        };
        self.files.insert(at, part);
    }

    /// Removes an entry. One of the other entries of its file inherits the survey of the parts.
    pub(crate) fn remove_file(&mut self, file: u32) {
        let Some(at) = self.files.iter().position(|kept| kept.file == file) else { return };
        let removed = self.files.remove(at);
        self.hand_over_parts(removed.group_id(), removed.parts);
    }

    /// Gives the survey of the parts of a file to one of its entries.
    fn hand_over_parts(&mut self, group: u32, parts: Vec<PartSurvey>) {
        if let Some(heir) = self.files.iter_mut().find(|kept| kept.group_id() == group)
            && heir.parts.is_empty()
        {
            heir.parts = parts;
        }
    }
}

impl ImportSessions {
    /// Chooses the sheets of a workbook, or the files of an archive, that are imported one after the other in their
    /// order.
    pub fn set_parts(&self, core: &Core, import: u64, file: u32, names: &[String]) -> Result<()> {
        let session = self.get(core, import)?;
        session.end_work()?;
        {
            let mut state = session.lock_state();
            state.check_open()?;
            let group = state.find_file(file)?.group_id();
            let of_group = |kept: &&StoredFile| kept.group_id() == group;
            let found =
                state.kept.files.iter().filter(of_group).find_map(|kept| Some(&kept.read.as_ref()?.found.sheets));
            let known: Vec<String> = found.into_iter().flatten().map(|sheet| sheet.name.clone()).collect();
            let wanted = select_parts(&known, names)?;
            let total = state.kept.files.iter().filter(|kept| kept.group_id() != group).count() + wanted.len();
            if total > PARTS_MAX {
                let message = format!("An import takes at most {PARTS_MAX} sheets and files.");
                return Err(FieldError::new("parts", message, total).into());
            }
            if state.kept.choose_parts(group, &wanted) {
                let files: Vec<u32> = state.kept.files.iter().map(|kept| kept.file).collect();
                state.spools.retain(|(of, _)| files.contains(of));
                state.kept.mended.clear();
                state.drop_combined();
            }
            state.mark_changed(core);
        }
        session.save_state()?;
        session.continue_reading(core)
    }
}

/// Returns the named parts in the order of the file.
fn select_parts<'a>(known: &'a [String], names: &[String]) -> Result<Vec<&'a String>> {
    if let Some(name) = names.iter().find(|name| !known.contains(name)) {
        let message = match known {
            [] => "It holds one table, and no sheets to choose from.".to_owned(),
            known => format!("It has no sheet or file “{name}”. It has: {}.", known.join(", ")),
        };
        return Err(FieldError::new("parts", message, name.as_str()).into());
    }
    if names.is_empty() {
        return Err(FieldError::new("parts", "Choose at least one of them, or take the whole file out.", "").into());
    }
    Ok(known.iter().filter(|name| names.contains(name)).collect())
}

impl StoredImport {
    /// Replaces the entries of a file by the wanted parts. Returns whether anything changed.
    fn choose_parts(&mut self, group: u32, wanted: &[&String]) -> bool {
        let (mut old, rest): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.files).into_iter().partition(|kept| kept.group_id() == group);
        let place = rest.iter().take_while(|kept| old.first().is_some_and(|first| kept.file < first.file)).count();
        let before: Vec<Option<String>> = old.iter().map(|kept| kept.part_name().map(str::to_owned)).collect();
        self.files = rest;
        let Some(template) = old.first().cloned() else { return false };
        let parts = old.iter_mut().map(|kept| std::mem::take(&mut kept.parts)).find(|parts| !parts.is_empty());
        for (n, name) in wanted.iter().enumerate() {
            match old.iter().position(|kept| kept.part_name() == Some(name.as_str())) {
                Some(at) => self.files.insert(place + n, old.remove(at)),
                None => self.insert_part(place + n, &template, (*name).clone()),
            }
            let kept = &mut self.files[place + n];
            // From now on, the part is chosen by name.
            kept.settings.sheet = Some((*name).clone());
            kept.has_settled_parts = true;
        }
        self.hand_over_parts(group, parts.unwrap_or_default());
        let chosen = place..place + wanted.len();
        let after: Vec<Option<String>> =
            self.files[chosen].iter().map(|kept| kept.part_name().map(str::to_owned)).collect();
        before != after
    }
}
