//! Manages the mapping of an open import, which is suggested, remembered or set by the person, and previews the first
//! rows.

pub mod profiles;
mod questions;
mod usual_country;

use std::borrow::Cow;

use roost_model::{contact::ContactField, error::FieldError, id::ListId};
use roost_sheets::BlockRow;
use roost_store::{
    change_log::Noun,
    tables::{custom_fields, imports::maps, lists},
};

use self::questions::open_questions;
pub(super) use self::usual_country::find_usual_country;
use super::{
    super::{
        mapping::columns::ColumnFacts,
        mapping::{
            FieldTarget, MappingProfile, OpenMapping, OverwriteRule,
            cells::ValueSource,
            consent::looks_like_consent,
            field_suggestions::{column_signature, suggest_fields},
        },
        spool::FrameReader,
        validate::{RowFault, RowPlan},
    },
    ImportSession,
    open::ImportSessions,
    read_stage::{CombinedFiles, to_spool_error},
    reports::{
        ImportColumn, ImportMapped, ImportPurpose, ImportTable, ImportTarget, MappedRow, MappingBy, MappingFault,
        RowReason,
    },
};
use roost_ops::{
    core::Core,
    error::{Error, OrNotFound, Result},
    list::find_list_if_any,
};

/// The most rows of a preview.
const PREVIEW_ROWS: usize = 8;
/// The most rows that are examined for a preview.
const PREVIEW_SCAN_ROWS: usize = 1_000;
/// The most bytes of a mapping in JSON.
const BYTES_MAX: usize = 1 << 20;

/// Parses the uid of a list and checks that the list exists.
pub(super) fn require_list(core: &Core, uid: &str) -> Result<ListId> {
    let id = ListId::parse(uid).map_err(|why| Error::from(FieldError::new("target", why.to_string(), uid)))?;
    core.read(|tx| lists::row_of(tx, &id)?.or_not_found(Noun::List, &id))?;
    Ok(id)
}

/// Finds the list that a person means by a uid or a name. If no list has the name, it is the name of a new one.
pub fn parse_target(core: &Core, text: &str) -> Result<ImportTarget> {
    if let Some(list) = find_list_if_any(core, text)? {
        return Ok(ImportTarget::List(list.uid.to_string()));
    }
    let wanted = text.trim();
    let message = match wanted {
        "" => "The name of a list cannot be blank.".to_owned(),
        _ => format!("The name of a list has at most {} characters.", roost_model::list::NAME_MAX),
    };
    roost_model::list::check_name(wanted).map_err(|fault| FieldError { message, ..fault })?;
    Ok(ImportTarget::NewList(wanted.to_owned()))
}

fn custom_field_numbers(core: &Core) -> Result<Vec<u32>> {
    Ok(core.read(|tx| Ok::<_, Error>(custom_fields::read_all(tx)?))?.into_iter().map(|field| field.number).collect())
}

pub(super) type FirstMapping = (OpenMapping, MappingBy, Option<String>);

/// Chooses the mapping for new files. Returns `None` if the present mapping stays, and in any case the names of the
/// columns.
pub(super) fn choose_first_mapping(
    core: &Core,
    session: &ImportSession,
    combined: &CombinedFiles,
) -> Result<(Option<FirstMapping>, Vec<String>)> {
    let heads = combined.heads.clone();
    let (before, old_heads, by, profile) = {
        let state = session.lock_state();
        let kept = &state.kept;
        (kept.mapping.clone(), kept.heads.clone(), kept.by, kept.profile.clone())
    };
    if let Some(mapping) = before.filter(|_| matches!(by, MappingBy::Person | MappingBy::Profile)) {
        if old_heads == heads {
            return Ok((None, heads));
        }
        let carried = carry_over(&old_heads, &heads, mapping);
        if !carried.targets.is_empty() {
            return Ok((Some((carried, by, profile)), heads));
        }
    }
    let (custom, remembered) = core.read(|tx| {
        Ok::<_, Error>((custom_fields::read_all(tx)?, maps::find_by_signature(tx, &column_signature(&heads))?))
    })?;
    let numbers: Vec<u32> = custom.iter().map(|field| field.number).collect();
    let remembered = remembered.and_then(|map| {
        let mapping = MappingProfile::read(&map.profile).ok()?.to_open_mapping(&heads).ok()?;
        // Columns that were left out and the order of dates are asked about again for each file. Values of the list
        // that were overwritten once must not be overwritten in every import. If numbers have a country code, they show
        // the country of the others.
        let has_regions = combined.columns.iter().any(|facts| !facts.regions.is_empty());
        let mapping = OpenMapping {
            left_out: Vec::new(),
            named: Vec::new(),
            opted_out_lists: Vec::new(),
            ordinary_lists: Vec::new(),
            date_order: None,
            rule: OverwriteRule::default(),
            targets: mapping.targets.into_iter().map(|target| FieldTarget { rule: None, ..target }).collect(),
            region: mapping.region.filter(|_| !has_regions),
            ..mapping
        };
        // A custom field that it fills may have been deleted.
        let is_good = mapping.find_faults(heads.len(), &numbers).is_empty();
        is_good.then(|| (mapping, MappingBy::Remembered, Some(map.name).filter(|name| !name.is_empty())))
    });
    let (mut mapping, by, name) = remembered.unwrap_or_else(|| {
        let mut mapping =
            OpenMapping::from_suggestions(&suggest_fields(&heads, &combined.columns, &combined.files, &custom));
        mapping.choose_match_by();
        mapping.assign_labels(&heads);
        mapping.assign_full_names(&heads, &combined.columns, &combined.files);
        (mapping, MappingBy::Suggested, None)
    });
    mapping.assign_exported_opt_outs(&heads, &combined.columns);
    Ok((Some((mapping, by, name)), heads))
}

/// Carries a mapping over to columns in other positions. What belongs to a missing column is dropped.
fn carry_over(old: &[String], new: &[String], mapping: OpenMapping) -> OpenMapping {
    let OpenMapping { targets, consents, .. } = &mapping;
    let profile_of = |targets: Vec<FieldTarget<u32>>| {
        let one = OpenMapping { targets, consents: Vec::new(), ..mapping.clone() };
        MappingProfile::from_mapping("", old, &one).to_open_mapping(new).ok()
    };
    let targets = targets.iter().filter_map(|target| profile_of(vec![target.clone()])?.targets.pop()).collect();
    let consents = consents.iter().filter_map(|consent| {
        let one = OpenMapping { targets: Vec::new(), consents: vec![consent.clone()], ..mapping.clone() };
        MappingProfile::from_mapping("", old, &one).to_open_mapping(new).ok()?.consents.pop()
    });
    let consents = consents.collect();
    let OpenMapping { left_out, named, labels, .. } = profile_of(Vec::new()).unwrap_or_default();
    OpenMapping { targets, consents, left_out, named, labels, ..mapping.clone() }
}

/// Returns the name of a column, or its number if it has no name.
pub fn column_name(heads: &[String], column: u32) -> String {
    match heads.get(column as usize) {
        Some(head) if !head.trim().is_empty() => head.trim().to_owned(),
        _ => format!("#{}", column + 1),
    }
}

impl OpenMapping {
    /// Compares rows by the WhatsApp number if no column holds a phone number.
    pub fn choose_match_by(&mut self) {
        let fills = |field: &str| self.targets.iter().any(|target| target.field == field);
        if !fills("phone_number") && fills("whatsapp_id") {
            self.match_by = super::super::mapping::MatchBy::Whatsapp;
        }
    }
}

fn to_mapping_faults(faults: Vec<FieldError>) -> Vec<MappingFault> {
    faults
        .into_iter()
        .map(|fault| MappingFault { path: fault.path, message: fault.message, about: Vec::new() })
        .collect()
}

impl ImportSession {
    /// Returns the reasons why the import cannot be rehearsed; empty if it can.
    pub(super) fn find_obstacles(&self, core: &Core) -> Result<Vec<MappingFault>> {
        // A status request must not wait for the running work, and an account in memory has only one connection.
        let (combined, mapping, is_working) = {
            let state = self.lock_state();
            (state.combined.clone(), state.kept.mapping.clone(), state.working.is_some())
        };
        let custom = if is_working { None } else { Some(custom_field_numbers(core)?) };
        let usual = match (&combined, &mapping) {
            (Some(combined), Some(mapping)) if !is_working => Some(find_usual_country(core, combined, mapping)?),
            _ => None,
        };
        let state = self.lock_state();
        if state.accepted.is_some() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        let mut fault = |path: &str, message: String| {
            found.push(MappingFault { path: path.to_owned(), message, about: Vec::new() })
        };
        if state.kept.files.is_empty() {
            fault("files", "Choose a file, or paste a table.".to_owned());
        }
        for file in &state.kept.files {
            if !file.is_whole() {
                fault("files", format!("{} has not arrived yet.", file.name));
            } else if !file.is_usable() && file.broken.is_some() {
                let message = match &file.read {
                    Some(_) => {
                        format!("{} is damaged. Fix it, change how it is read, or import its valid rows.", file.name)
                    }
                    None => format!("{} cannot be read. Fix it, change how it is read, or remove it.", file.name),
                };
                fault("files", message);
            }
        }
        if state.kept.purpose == ImportPurpose::OptOuts {
            return Ok(found);
        }
        if state.kept.target.is_none() {
            fault("target", "Choose the list that the rows go into.".to_owned());
        }
        if let (Some(combined), Some(mapping), Some(custom), Some(usual)) = (combined, mapping, custom, usual) {
            found.append(&mut to_mapping_faults(mapping.find_faults(combined.heads.len(), &custom)));
            found.extend(open_questions(&combined, &mapping, &state.kept.files));
            found.extend(usual.to_question(&mapping));
        }
        Ok(found)
    }

    pub(super) fn require_mapping(&self) -> Result<OpenMapping> {
        self.lock_state()
            .kept
            .mapping
            .clone()
            .ok_or_else(|| Error::conflict("The files are not read yet. Wait until this finishes."))
    }

    /// Stores a mapping even if it has faults, so that nothing that was typed is lost.
    pub(super) fn store_mapping(
        &self,
        core: &Core,
        mapping: OpenMapping,
        by: MappingBy,
        profile: Option<String>,
    ) -> Result<()> {
        self.require_combined()?;
        if serde_json::to_vec(&mapping).map_or(0, |text| text.len()) > BYTES_MAX {
            return Err(FieldError::new("mapping", format!("A mapping has at most {BYTES_MAX} bytes."), "").into());
        }
        self.end_rehearsing()?;
        {
            let mut state = self.lock_state();
            state.check_open()?;
            if state.kept.mapping.as_ref() == Some(&mapping) && state.kept.by == by {
                return Ok(());
            }
            state.kept.mapping = Some(mapping);
            state.kept.by = by;
            state.kept.profile = profile;
            state.rehearsal = None;
            state.mark_changed(core);
        }
        self.save_state()
    }
}

impl ImportSessions {
    /// Returns the columns and their present mapping.
    pub fn describe_table(&self, core: &Core, import: u64) -> Result<ImportTable> {
        let session = self.get(core, import)?;
        session.ensure_loaded(core)?;
        let combined = session.require_combined()?;
        let custom = core.read(|tx| Ok::<_, Error>(custom_fields::read_all(tx)?))?;
        let suggestions = suggest_fields(&combined.heads, &combined.columns, &combined.files, &custom);
        let mapping = session.require_mapping()?;
        let has_opt_outs = |column: usize| {
            let head = combined.heads.get(column).map_or("", String::as_str);
            combined.columns.get(column).is_some_and(|facts| mapping.has_opt_outs(column as u32, head, facts))
        };
        let columns = suggestions.into_iter().enumerate().map(|(column, suggestion)| ImportColumn {
            column: column as u32,
            name: combined.heads.get(column).cloned().unwrap_or_default(),
            is_consent: looks_like_consent(
                combined.heads.get(column).map_or("", String::as_str),
                combined.columns.get(column).unwrap_or(&ColumnFacts::default()),
            ),
            has_opt_outs: has_opt_outs(column),
            facts: combined.columns.get(column).cloned().unwrap_or_default(),
            suggestion,
            files: combined.files.get(column).cloned().unwrap_or_default(),
        });
        let columns = columns.collect();
        let numbers: Vec<u32> = custom.iter().map(|field| field.number).collect();
        let usual = find_usual_country(core, &combined, &mapping)?;
        let mut faults = to_mapping_faults(mapping.find_faults(combined.heads.len(), &numbers));
        let state = session.lock_state();
        faults.extend(open_questions(&combined, &mapping, &state.kept.files));
        faults.extend(usual.to_question(&mapping));
        Ok(ImportTable {
            generation: state.generation,
            columns,
            mapping,
            by: state.kept.by,
            profile: state.kept.profile.clone(),
            usual_region: usual.country.region.code(),
            usual_region_by: usual.country.by,
            faults,
        })
    }

    /// Sets the mapping. A faulty mapping is stored as well, and its faults are returned.
    pub fn set_mapping(&self, core: &Core, import: u64, mapping: OpenMapping) -> Result<ImportMapped> {
        let session = self.get(core, import)?;
        session.ensure_loaded(core)?;
        let combined = session.require_combined()?;
        session.store_mapping(core, mapping.clone(), MappingBy::Person, None)?;
        let faults = to_mapping_faults(mapping.find_faults(combined.heads.len(), &custom_field_numbers(core)?));
        let sample = if faults.is_empty() { preview_rows(core, &combined, &mapping)? } else { Vec::new() };
        let question = find_usual_country(core, &combined, &mapping)?.to_question(&mapping);
        let state = session.lock_state();
        let questions = open_questions(&combined, &mapping, &state.kept.files);
        let faults = faults.into_iter().chain(questions).chain(question).collect();
        Ok(ImportMapped { generation: state.generation, faults, sample })
    }
}

/// Returns the first rows that hold values as the mapping reads them.
fn preview_rows(core: &Core, combined: &CombinedFiles, mapping: &OpenMapping) -> Result<Vec<MappedRow>> {
    let custom = custom_field_numbers(core)?;
    let usual = find_usual_country(core, combined, mapping)?.country.region;
    let mapping = &mapping.clone().with_date_order(&combined.columns);
    let plan = RowPlan::from_mapping(mapping, combined.heads.len(), &custom, usual);
    let mut plan = plan.map_err(|faults| Error::Invalid { faults })?;
    plan.set_today(core.ctx().now());
    // The plan has no fields that the import would create, so their values come from the mapping.
    let made = |target: &FieldTarget<u32>| ValueSource::from_pieces(&target.pieces, target.pick, &target.between);
    let fields: Vec<(Option<ContactField>, ValueSource)> = mapping
        .targets
        .iter()
        .map(|target| (ContactField::parse(&target.field, |number| custom.contains(&number)), made(target)))
        .collect();
    let (mut reader, mut rows) = (FrameReader::default(), Vec::with_capacity(PREVIEW_ROWS));
    let mut row = combined.first;
    while let Some((frame, at)) = combined.spool.locate_row(row) {
        combined.spool.read_frame(frame, &mut reader).map_err(to_spool_error)?;
        for at in at..reader.block.len() {
            if rows.len() == PREVIEW_ROWS || row >= combined.first + PREVIEW_SCAN_ROWS as u64 {
                return Ok(rows);
            }
            let found = reader.block.row(at);
            if !found.is_blank() {
                let value = |(field, source): &(Option<ContactField>, ValueSource)| {
                    let planned = field.and_then(|field| plan.field_value(field, &found));
                    planned.unwrap_or_else(|| source.read_value(&found).map(Cow::into_owned))
                };
                let values = fields.iter().map(value).collect();
                let reason = plan.validate_row(&found).err().map(|fault| row_reason(&plan, &fault, &found));
                rows.push(MappedRow { row, file: combined.locate_row(row).0, place: found.place, values, reason });
            }
            row += 1;
        }
    }
    Ok(rows)
}

fn row_reason(plan: &RowPlan, fault: &RowFault, row: &BlockRow) -> RowReason {
    RowReason {
        reason: fault.reason,
        message: plan.explain_fault(fault, row),
        field: fault.field.map(|field: ContactField| field.name().into_owned()),
    }
}
