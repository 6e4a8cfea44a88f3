//! Computes the price of a plan: the calls of each lane, the reads that verify them, and the time of the slowest lane.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Lane, StepKind, SyncPlan};
use crate::input::{PlanInput, RemoteListState};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneCost {
    pub lane: Lane,
    pub calls: u64,
    pub seconds: u64,
}

/// The price of a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanCost {
    pub lanes: Vec<LaneCost>,
    /// The number of calls that change something.
    pub writes: u64,
    /// The number of calls that read before a change or check its arrival.
    pub reads: u64,
    /// The time of the slowest lane and of the service's jobs.
    pub seconds: u64,
}

/// Returns the number of calls that read `touched` contacts of a list with `rows`: one by one, or the whole list where
/// that is cheaper.
pub(super) fn count_reads(input: &PlanInput, touched: u64, rows: u64) -> u64 {
    let sweep = if input.capabilities.all_pages_read { 1 } else { rows.div_ceil(input.limits.page).max(1) };
    touched.min(sweep)
}

/// Returns whether the list's time is read as well. It is if the list is read as a whole and has more than one page:
/// the next pull can then skip it.
pub(super) fn needs_list_time(input: &PlanInput, touched: u64, rows: u64) -> bool {
    rows > input.limits.page && touched >= rows.div_ceil(input.limits.page)
}

/// Computes the price of the plan's steps and of the reads that they need.
pub(super) fn compute_cost(input: &PlanInput, plan: &SyncPlan) -> PlanCost {
    let mut calls: BTreeMap<Lane, u64> = BTreeMap::new();
    // The contacts touched and added in each list.
    let mut touched: BTreeMap<i64, (u64, i64)> = BTreeMap::new();
    let (mut sent, mut looked_up, mut compared, mut made) = (0, 0, 0, BTreeSet::new());
    for step in &plan.steps {
        // Each number whose opt-out is removed is read again just before.
        let each = if let StepKind::OptOutDelete { numbers, .. } = &step.kind { numbers.len() as u64 } else { 1 };
        *calls.entry(step.lane).or_default() += each;
        match &step.kind {
            StepKind::OptOutDelete { .. } => looked_up += each,
            StepKind::Contacts { list, items, .. } => {
                let new = items.iter().filter(|item| item.before.is_none()).count();
                // Updated contacts are looked up first.
                if let (updated @ 1.., Some(list)) = ((items.len() - new) as u64, input.find_list(*list)) {
                    compared += count_reads(input, updated, list.rows);
                }
                let (rows, added) = touched.entry(*list).or_default();
                *rows += items.len() as u64;
                *added += new as i64;
                sent += items.len() as u64;
            }
            StepKind::Upload { list, count, .. } => {
                let (rows, added) = touched.entry(*list).or_default();
                *rows += count;
                *added += *count as i64;
                sent += count;
            }
            StepKind::ListCreate { list, .. } => {
                made.insert(*list);
                // Contacts are compared before a list is recreated and before one is deleted.
                let old =
                    input.find_list(*list).filter(|list| list.uid.is_some() && list.there != RemoteListState::Gone);
                compared += old.map_or(0, |list| count_reads(input, u64::MAX, list.rows));
            }
            StepKind::ListDelete { list, .. } => {
                compared += input.find_list(*list).map_or(0, |list| count_reads(input, u64::MAX, list.rows) + 1);
            }
            StepKind::ContactDelete { list, .. } => {
                compared += 1;
                let (rows, added) = touched.entry(*list).or_default();
                *rows += 1;
                *added -= 1;
            }
            _ => {}
        }
    }
    let writes = calls.values().sum();
    let (mut verify, mut dated) = (0, 0);
    for (list, (rows, added)) in touched {
        // A recreated list starts empty, whatever the old one contains.
        let remote_rows = input.find_list(list).filter(|list| !made.contains(&list.id)).map_or(0, |list| list.rows);
        let remote_rows = remote_rows.saturating_add_signed(added);
        verify += count_reads(input, rows, remote_rows);
        dated += u64::from(needs_list_time(input, rows, remote_rows));
    }
    let looks = [(Lane::ContactsQuery, verify + compared), (Lane::ListsQuery, dated), (Lane::OptOutsQuery, looked_up)];
    for (lane, reads) in looks {
        if reads > 0 {
            calls.insert(lane, reads);
        }
    }
    let rate = u64::from(input.learnt.calls_per_second.max(1));
    let lanes: Vec<LaneCost> =
        calls.into_iter().map(|(lane, calls)| LaneCost { lane, calls, seconds: calls.div_ceil(rate) }).collect();
    let slowest = lanes.iter().map(|lane| lane.seconds).max().unwrap_or(0);
    let jobs = sent.div_ceil(u64::from(input.learnt.rows_per_second.max(1)));
    PlanCost { lanes, writes, reads: verify + compared + dated + looked_up, seconds: slowest + jobs }
}
