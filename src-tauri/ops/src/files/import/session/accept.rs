//! Accepts an import: writes the result of its rehearsal in one step, on a background thread.

use std::sync::Arc;

use roost_sheets::Kind;

use super::{
    super::accept::{self as engine, Accept, Accepted},
    Session, Standing,
    open::Imports,
    profiles,
    rehearsal::Rehearsed,
    told::{ImportAccepted, ImportTarget, ImportWork},
    work::{Hands, per_second},
};
use crate::{
    core::{By, Core},
    error::{Error, Result},
};

impl Imports {
    /// Starts to write the result of the rehearsal to the account.
    pub fn accept(&self, core: &Core, by: &By, import: u64, typed_count: Option<u64>) -> Result<()> {
        let session = self.get(core, import)?;
        if session.hold().working.is_some() {
            return Err(Error::conflict("Something is under way for this import. Wait for its end, or cancel it."));
        }
        let (rehearsal, _) = session.rehearsed()?;
        if rehearsal.is_stale(core)? {
            return Err(Error::conflict("The list changed since. Rehearse once more, and look at what is new."));
        }
        let opt_outs = rehearsal.engine.told().opt_outs;
        engine::check_typed_count(typed_count, opt_outs)?;
        let (name, kind, new_list) = {
            let standing = session.hold();
            let new_list = match &standing.kept.target {
                Some(ImportTarget::NewList(name)) => Some(name.clone()),
                _ => None,
            };
            (name_of(&standing), kind_of(&standing), new_list)
        };
        let mark = session.mark(core)?;
        let by = By { source: by.source, origin: by.origin.clone(), watch: None };
        session.start(core, ImportWork::Accept, 0, move |hands| {
            let by = by.watched(Arc::clone(&hands.watch));
            let how = Accept { name: &name, kind, new_list: new_list.as_deref(), typed_count, mark: Some(&mark) };
            let accepted = engine::accept(&hands.core, &by, rehearsal.united.rows(), &rehearsal.engine, &how)?;
            ended(hands, accepted, &rehearsal)
        })
    }
}

/// Characters of a mark. No two imports have the same one.
const MARK_LEN: usize = 24;

impl Session {
    /// Returns the mark by which the account will know this import. It is saved to disk before anything is written to
    /// the account.
    fn mark(&self, core: &Core) -> Result<String> {
        let mark = {
            let mut standing = self.hold();
            let new = || core.ctx().code(MARK_LEN);
            standing.kept.mark.get_or_insert_with(new).clone()
        };
        self.save()?;
        Ok(mark)
    }
}

/// Ends an import that is in the account and removes its files, which are no longer needed.
fn ended(hands: &Hands, accepted: Accepted, rehearsal: &Rehearsed) -> Result<()> {
    let heads = &rehearsal.united.heads;
    let millis = hands.began.elapsed().as_millis();
    let Accepted { import, step, list, counts, rejects, opt_outs } = accepted;
    let list_name = crate::list::get(&hands.core, &list).map(|list| list.name).unwrap_or_default();
    let told = ImportAccepted {
        past: import,
        step,
        list: list.to_string(),
        list_name,
        counts,
        rejects,
        opt_outs,
        ledger: rehearsal.engine.told().ledger.clone(),
        elapsed_ms: u64::try_from(millis).unwrap_or(u64::MAX),
        rows_per_second: per_second(counts.rows, millis),
    };
    let session = &hands.session;
    let mapping = session.hold().kept.mapping.clone();
    session.put(hands, |standing| {
        standing.accepted = Some(told);
        standing.rehearsal = None;
        standing.united = None;
        standing.spools.clear();
    })?;
    if let Some(mapping) = mapping {
        // The import was accepted in any case; without the mapping, the next file of this kind begins with the
        // suggestions.
        let _ = profiles::remember(&hands.core, heads, &mapping);
    }
    // A folder that cannot be removed now is removed at the next start.
    let _ = session.remove();
    Ok(())
}

/// Returns the names of the files as the history shows them.
fn name_of(standing: &Standing) -> String {
    let names: Vec<&str> = standing.kept.files.iter().map(|file| file.name.as_str()).collect();
    match names.as_slice() {
        [one] => (*one).to_owned(),
        [first, _] => format!("{first} and 1 more file"),
        [first, rest @ ..] => format!("{first} and {} more files", rest.len()),
        [] => String::new(),
    }
}

fn kind_of(standing: &Standing) -> &'static str {
    let found = standing.kept.files.iter().filter_map(|file| file.read.as_ref());
    let mut kinds: Vec<&str> = found
        .map(|read| match read.found.kind {
            Kind::Text => "text",
            Kind::Xlsx => "xlsx",
            Kind::Ods => "ods",
            Kind::Vcard => "vcard",
            Kind::Json => "json",
        })
        .collect();
    kinds.dedup();
    match kinds.as_slice() {
        [one] => one,
        _ => "several",
    }
}
