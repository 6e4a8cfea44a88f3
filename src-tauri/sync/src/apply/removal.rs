//! Checks removals of opt-outs. The number is read again just before, because the customer's latest decision counts.

use std::collections::HashSet;

use roost_model::channel::Channel;
use roost_ops::{Actor, Core, Error, Noun};
use roost_reconcile::{
    PlanInput,
    plan::{PlanStep, StepKind, make_plan},
};
use roost_store::tables::sync::{SyncedTable, changes};
use serde_json::json;

use super::{ActiveRun, settle};
use crate::{
    SyncError,
    gather::{self, OptOutRecordKey},
    merge, pull,
    remote::{OptOutsParams, PageParams, RemoteOptOut},
    run_blocking,
};

/// The result of the check whether the removal of a number may still be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RemovalCheck {
    /// The service has the opt-out that the user confirmed, and nothing else would be removed with it.
    Confirmed,
    /// Nothing is left to remove.
    Gone,
    /// The removal is not sent, for this reason.
    Refused(&'static str),
}

const NOT_READ: &str =
    "The service did not show the opt-outs of this number alone, so the removal was not sent. Pull, then plan again.";
const NOT_CONFIRMED: &str = "The service has another opt-out than the one whose removal was confirmed, or the removal was taken back \
     here. The number stays opted out. If it should not, remove the opt-out again with a reason.";

const INDISTINCT: &str = "The service has several opt-outs of this number that it does not tell apart, and would remove all of them, so \
     the removal was not sent. The number stays opted out. If it should not, remove them at the service, then pull.";

/// The most records that the service returns at once.
const MAX_PAGE: u32 = 1_000;

/// Reads the opt-outs of a number and decides whether its removal is still what the user confirmed. What is read is
/// merged as in any pull: a newer opt-out is restored locally before anybody is asked about it.
pub(super) async fn check_removal(
    run: ActiveRun<'_>,
    number: &str,
    channel: Channel,
    asset: Option<&str>,
    step: &PlanStep,
) -> Result<RemovalCheck, SyncError> {
    let page = Some(PageParams { number: 1, size: MAX_PAGE });
    let params = OptOutsParams { number: Some(number), channel: Some(channel), page, ..OptOutsParams::default() };
    let found = run.client.query_opt_outs(&params).await?;
    if found.total != found.items.len() as u64 || found.items.iter().any(|one| one.number != number) {
        return Ok(RemovalCheck::Refused(NOT_READ));
    }
    let (number, asset, step_key) = (number.to_owned(), asset.map(str::to_owned), (run.id, step.id, step.lane.name()));
    run_blocking(run.core, move |core| judge_removal(core, step_key, (&number, channel, asset), &found.items)).await
}

/// Merges the opt-outs that were read, then plans the removal again and compares it with the confirmed one.
fn judge_removal(
    core: &Core,
    (run, step, operation): (i64, u32, &str),
    (number, channel, asset): (&str, Channel, Option<String>),
    found: &[RemoteOptOut],
) -> Result<RemovalCheck, Error> {
    core.write(&Actor::sync(), |tx| {
        let mut seen = Vec::with_capacity(found.len());
        let mut changed = 0;
        for one in found {
            let record = pull::observed_opt_out(tx, one)?;
            changed += usize::from(pull::merge_opt_out(tx, &record.uid, Some(&record.cells))?.is_some());
            seen.push(record.uid);
        }
        for scope in gather::find_scopes(tx, number, channel)? {
            let id = OptOutRecordKey { number: number.to_owned(), channel, scope }.id();
            let is_known = changes::read_record::<String>(tx, SyncedTable::OptOuts, id.clone())?.base.is_some();
            if is_known && !seen.contains(&id) {
                changed += usize::from(pull::merge_opt_out(tx, &id, None)?.is_some());
                // An earlier request may have removed it and lost its response.
                settle::record_effect(tx, run, step, operation, &json!({ "opt_out": id }))?;
            }
        }
        merge::log_updates(tx, Noun::OptOut, &vec![number.to_owned(); changed], 0);
        let in_reach = found.iter().filter(|one| match (&asset, &one.inbound_asset_id) {
            (Some(asset), Some(named)) => asset == named,
            (Some(_), None) => !one.is_account_level(),
            (None, _) => true,
        });
        if in_reach.count() == 0 {
            return Ok(RemovalCheck::Gone);
        }
        if seen.iter().collect::<HashSet<_>>().len() < seen.len() {
            return Ok(RemovalCheck::Refused(INDISTINCT));
        }
        let opt_outs = vec![gather::gather_opt_out_group(tx, number, channel)?];
        let planned = make_plan(PlanInput { opt_outs, ..PlanInput::default() });
        let wanted = StepKind::OptOutDelete { channel, asset, numbers: vec![number.to_owned()] };
        if planned.steps.iter().any(|step| step.kind == wanted) {
            return Ok(RemovalCheck::Confirmed);
        }
        Ok(RemovalCheck::Refused(NOT_CONFIRMED))
    })
}
