//! Accepts an import: writes the result of its rehearsal in one step, on a background thread.

use std::sync::Arc;

use roost_sheets::SourceFormat;

use super::{
    super::accept::{self as engine, AcceptOptions, AcceptedImport},
    ImportSession, SessionState,
    open::ImportSessions,
    profiles,
    rehearsal_stage::SessionRehearsal,
    reports::{ImportAccepted, ImportTarget, ImportWork},
    work::{WorkContext, rows_per_second},
};
use roost_ops::{
    core::{Actor, Core},
    error::{Error, Result},
};

impl ImportSessions {
    /// Starts to write the result of the rehearsal to the account.
    pub fn accept(&self, core: &Core, by: &Actor, import: u64, typed_count: Option<u64>) -> Result<()> {
        let session = self.get(core, import)?;
        if session.lock_state().working.is_some() {
            return Err(Error::conflict("This import is busy. Wait until it finishes, or cancel it."));
        }
        let (rehearsal, _) = session.require_rehearsal()?;
        if rehearsal.is_stale(core)? {
            return Err(Error::conflict(
                "The list has changed since the rehearsal. Rehearse again, and check what is new.",
            ));
        }
        let opt_outs = rehearsal.engine.summary().opt_outs;
        engine::check_typed_count(typed_count, opt_outs)?;
        let (name, kind, new_list) = {
            let state = session.lock_state();
            let new_list = match &state.kept.target {
                Some(ImportTarget::NewList(name)) => Some(name.clone()),
                _ => None,
            };
            (describe_files(&state), describe_kind(&state), new_list)
        };
        let mark = session.ensure_mark(core)?;
        let by = Actor { source: by.source, origin: by.origin.clone(), watch: None };
        session.start_work(core, ImportWork::Accept, 0, move |context| {
            let by = by.with_watch(Arc::clone(&context.watch));
            let how =
                AcceptOptions { name: &name, kind, new_list: new_list.as_deref(), typed_count, mark: Some(&mark) };
            let accepted = engine::accept_rehearsal(
                &context.core,
                &by,
                rehearsal.combined.spooled_rows(),
                &rehearsal.engine,
                &how,
            )?;
            finish_accept(context, accepted, &rehearsal)
        })
    }
}

/// Characters of a mark. No two imports have the same one.
const MARK_LEN: usize = 24;

impl ImportSession {
    /// Returns the mark by which the account will know this import. It is saved to disk before anything is written to
    /// the account.
    fn ensure_mark(&self, core: &Core) -> Result<String> {
        let mark = {
            let mut state = self.lock_state();
            let new = || core.ctx().code(MARK_LEN);
            state.kept.mark.get_or_insert_with(new).clone()
        };
        self.save_state()?;
        Ok(mark)
    }
}

/// Ends an import that is in the account and removes its files, which are no longer needed.
fn finish_accept(context: &WorkContext, accepted: AcceptedImport, rehearsal: &SessionRehearsal) -> Result<()> {
    let heads = &rehearsal.combined.heads;
    let millis = context.started_at.elapsed().as_millis();
    let list_name = roost_ops::list::get(&context.core, &accepted.list).map(|list| list.name).unwrap_or_default();
    let result = ImportAccepted {
        list_name,
        ledger: rehearsal.engine.summary().ledger.clone(),
        elapsed_ms: u64::try_from(millis).unwrap_or(u64::MAX),
        rows_per_second: rows_per_second(accepted.counts.rows, millis),
        result: accepted,
    };
    let session = &context.session;
    let mapping = session.lock_state().kept.mapping.clone();
    session.update_state(context, |state| {
        state.accepted = Some(result);
        state.rehearsal = None;
        state.combined = None;
        state.spools.clear();
    })?;
    if let Some(mapping) = mapping {
        // The import was accepted in any case; without the mapping, the next file of this kind begins with the
        // suggestions.
        let _ = profiles::remember_mapping(&context.core, heads, &mapping);
    }
    // A folder that cannot be removed now is removed at the next start.
    let _ = session.remove_folder();
    Ok(())
}

/// Returns the names of the files as the history shows them.
fn describe_files(state: &SessionState) -> String {
    let names: Vec<&str> = state.kept.files.iter().map(|file| file.name.as_str()).collect();
    match names.as_slice() {
        [one] => (*one).to_owned(),
        [first, _] => format!("{first} and 1 more file"),
        [first, rest @ ..] => format!("{first} and {} more files", rest.len()),
        [] => String::new(),
    }
}

fn describe_kind(state: &SessionState) -> &'static str {
    let found = state.kept.files.iter().filter_map(|file| file.read.as_ref());
    let mut kinds: Vec<&str> = found
        .map(|read| match read.found.kind {
            SourceFormat::Text => "text",
            SourceFormat::Xlsx => "xlsx",
            SourceFormat::Ods => "ods",
            SourceFormat::Vcard => "vcard",
            SourceFormat::Json => "json",
        })
        .collect();
    kinds.dedup();
    match kinds.as_slice() {
        [one] => one,
        _ => "several",
    }
}
