//! Rehearses an open import on a background thread and describes the result.

mod fix;
mod ledger_builder;

use std::{collections::HashSet, sync::Arc};

pub use self::fix::CellText;
use super::{
    super::{
        mapping::OpenMapping,
        rehearse::{self, Rehearsal, RowQuery, RowVerdict, SpooledRows},
        spool::FrameReader,
        verdicts::BucketCounts,
    },
    ImportSession,
    mapping_stage::find_usual_country,
    open::{ImportSessions, truncate_text},
    read_stage::{CombinedFiles, to_spool_error},
    reports::{
        ImportProblem, ImportPurpose, ImportRehearsal, ImportRows, ImportTarget, ImportWork, RehearsedRow, RowReason,
    },
};
use roost_ops::{
    core::Core,
    error::{Error, Result},
    opt_out::PastedRow,
};

/// Characters of a cell that are shown.
const CELL_CHARS_SHOWN: usize = 2_000;

/// A rehearsal and the rows that it is based on.
pub(super) struct SessionRehearsal {
    pub engine: Rehearsal,
    pub combined: Arc<CombinedFiles>,
}

impl SessionRehearsal {
    pub(super) fn counts(&self) -> BucketCounts {
        self.engine.summary().counts
    }

    pub(super) fn is_stale(&self, core: &Core) -> Result<bool> {
        self.engine.is_stale(core)
    }
}

impl CombinedFiles {
    pub(super) fn spooled_rows(&self) -> SpooledRows<'_> {
        SpooledRows { spool: &self.spool, heads: &self.heads, first_value_row: self.first, opted_out: &[] }
    }
}

const NO_REHEARSAL_MESSAGE: &str = "The import was not rehearsed, or it has changed since. Rehearse it first.";

impl ImportSession {
    pub(super) fn require_rehearsal(&self) -> Result<(Arc<SessionRehearsal>, u32)> {
        let state = self.lock_state();
        let rehearsal = state.rehearsal.clone().ok_or_else(|| Error::conflict(NO_REHEARSAL_MESSAGE))?;
        Ok((rehearsal, state.generation))
    }
}

impl ImportSessions {
    /// Starts to rehearse an import.
    pub fn rehearse(&self, core: &Core, import: u64) -> Result<()> {
        let session = self.get(core, import)?;
        session.ensure_loaded(core)?;
        if session.lock_state().kept.purpose == ImportPurpose::OptOuts {
            return Err(Error::conflict(
                "These files were opened to opt numbers out. Open them again to import contacts.",
            ));
        }
        session.end_rehearsing()?;
        if session.lock_state().working.is_some() {
            return Err(Error::conflict("The files are still being read. Wait until this finishes."));
        }
        if let Some(obstacle) = session.find_obstacles(core)?.into_iter().next() {
            return Err(roost_model::error::FieldError::new(obstacle.path, obstacle.message, "").into());
        }
        let (files, has_edits) = {
            let state = session.lock_state();
            (state.kept.files.clone(), !state.kept.mended.is_empty())
        };
        let (combined, target) = (session.require_combined()?, session.lock_state().kept.target.clone());
        let mapping = session.require_mapping()?.with_date_order(&combined.columns);
        let usual = find_usual_country(core, &combined, &mapping)?.country;
        let country_by = mapping.region.is_none().then_some(usual.by);
        let mapping = OpenMapping { region: mapping.region.or_else(|| Some(usual.region.code())), ..mapping };
        let list = match &target {
            Some(ImportTarget::List(uid)) => Some(super::mapping_stage::require_list(core, uid)?),
            _ => None,
        };
        let opted_out = combined
            .rows_of_files(|file| files.iter().any(|kept| kept.file == file && mapping.is_file_opted_out(kept)));
        session.start_work(core, ImportWork::Rehearse, 0, move |context| {
            let rows = SpooledRows { opted_out: &opted_out, ..combined.spooled_rows() };
            let mut engine = rehearse::rehearse_rows(&context.core, rows, &mapping, list.as_ref(), &context.watch)?;
            let ledger =
                ledger_builder::build_ledger(&files, &combined, &engine, country_by, has_edits, &context.watch);
            engine.set_ledger(ledger.map_err(to_spool_error)?);
            let rehearsed = Arc::new(SessionRehearsal { engine, combined });
            context.session.update_state(context, |state| state.rehearsal = Some(rehearsed))
        })
    }

    /// Passes the rows of all files to a function that makes something other than contacts of them.
    pub fn read_opt_out_rows(&self, core: &Core, import: u64) -> Result<Vec<PastedRow>> {
        let session = self.get(core, import)?;
        session.ensure_loaded(core)?;
        session.require_combined()?.spooled_rows().to_opt_out_rows()
    }

    /// Returns the result of the rehearsal in numbers.
    pub fn describe_rehearsal(&self, core: &Core, import: u64) -> Result<ImportRehearsal> {
        let (rehearsal, generation) = self.get(core, import)?.require_rehearsal()?;
        let is_stale = rehearsal.is_stale(core)?;
        let mut summary = rehearsal.engine.summary().clone();
        summary.reasons.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.reason.cmp(&b.reason)));
        summary.fields.retain(|counted| counted.count > 0);
        summary.fields.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.field.cmp(&b.field)));
        Ok(ImportRehearsal { generation, summary, is_stale })
    }

    /// Returns some rows with their verdicts.
    pub fn list_rows(
        &self,
        core: &Core,
        import: u64,
        query: &RowQuery,
        from: usize,
        count: usize,
    ) -> Result<ImportRows> {
        let session = self.get(core, import)?;
        let (rehearsal, generation) = session.require_rehearsal()?;
        let page = rehearsal.engine.query_rows(core, rehearsal.combined.spooled_rows(), query, from, count)?;
        let mended: HashSet<u64> = session.lock_state().kept.mended.iter().map(|mended| mended.row).collect();
        let rows = add_cells(&rehearsal.combined, page.rows, &mended)?;
        Ok(ImportRows { generation, total: page.total, rows })
    }

    /// Returns the next row that needs a person's attention.
    pub fn find_problem(&self, core: &Core, import: u64, after: Option<u64>, backwards: bool) -> Result<ImportProblem> {
        let (rehearsal, _) = self.get(core, import)?.require_rehearsal()?;
        Ok(match rehearsal.engine.next_problem(after, backwards) {
            Some(found) => ImportProblem { row: Some(found.row), bucket: Some(found.bucket), at: found.at },
            None => ImportProblem { row: None, bucket: None, at: 0 },
        })
    }
}

/// Adds the cells of the file to the verdicts.
fn add_cells(combined: &CombinedFiles, rows: Vec<RowVerdict>, mended: &HashSet<u64>) -> Result<Vec<RehearsedRow>> {
    let (mut reader, mut frame_read) = (FrameReader::default(), None);
    let mut described = Vec::with_capacity(rows.len());
    for row in rows {
        let (mut cells, mut place) = (Vec::new(), 0);
        if let Some((frame, at)) = combined.spool.locate_row(row.row) {
            if frame_read != Some(frame) {
                combined.spool.read_frame(frame, &mut reader).map_err(to_spool_error)?;
                frame_read = Some(frame);
            }
            let found = reader.block.row(at);
            place = found.place;
            cells.extend(found.cells().map(|cell| truncate_text(cell, CELL_CHARS_SHOWN)));
        }
        described.push(to_rehearsed_row(row, combined, cells, place, mended));
    }
    Ok(described)
}

fn to_rehearsed_row(
    row: RowVerdict,
    combined: &CombinedFiles,
    cells: Vec<String>,
    place: u64,
    mended: &HashSet<u64>,
) -> RehearsedRow {
    let number = |field: &str| row.values.iter().find(|value| value.field == field).map(|value| value.text.clone());
    let number = number("phone_number").or_else(|| number("whatsapp_id"));
    let field = row.field;
    let reason = row.reason.map(|reason| {
        let message = row.message.unwrap_or_else(|| reason.message().to_owned());
        RowReason { reason, message, field }
    });
    RehearsedRow {
        row: row.row,
        file: combined.locate_row(row.row).0,
        place,
        cells,
        is_mended: mended.contains(&row.row),
        bucket: row.bucket,
        reason,
        number,
        contact: row.contact.map(|uid| uid.to_string()),
        contacts: row.contacts,
        twin: row.twin,
        is_opted_out: row.opted_out,
        consents: row.consents,
        changes: row.changes,
        kept: row.kept,
        values: row.values,
    }
}
