//! Plans opt-outs: an addition on either side wins, and a removal needs evidence and never affects more than what it
//! names.

use std::collections::BTreeMap;

use roost_model::channel::Channel;

use super::{
    BlockedChange, ChangeObstacle, ConflictKind, GateKind, PlanConflict, PlanNotice, PlanSubject, RunGate, StepKind,
    SyncPlan,
};
use crate::input::{ChangeChoice, OptOutAnswer, OptOutChange, OptOutEntry, OptOutGroup, OptOutTarget, PlanInput};

/// The request that a record needs at the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptOutAction {
    Nothing,
    Create,
    Remove,
    /// The service deleted the opt-out for an unknown reason. It stays locally, and the user is asked.
    Ask,
}

/// Merges one record. Returns its local state, the request to the service and the notice for the user.
pub fn settle_opt_out(change: &OptOutChange) -> (Option<&OptOutEntry>, OptOutAction, Option<PlanNotice>) {
    let remote = change.remote.resolve(change.base.as_ref());
    match (&change.local, remote, &change.base) {
        (Some(_), Some(remote), _) => (Some(remote), OptOutAction::Nothing, None),
        (Some(here), None, None) => (Some(here), OptOutAction::Create, None),
        // The contact opted out again locally after both sides agreed. The newer decision counts, whatever was asked or
        // answered before.
        (Some(here), None, Some(base)) if here != base => (Some(here), OptOutAction::Create, None),
        (Some(here), None, Some(_)) => match change.answer {
            Some(OptOutAnswer::CreateAgain) => (Some(here), OptOutAction::Create, None),
            None => (Some(here), OptOutAction::Ask, None),
        },
        (None, None, _) => (None, OptOutAction::Nothing, None),
        (None, Some(remote), None) => (Some(remote), OptOutAction::Nothing, None),
        (None, Some(remote), Some(base)) => {
            if !remote.is_certainly_same(base) {
                (Some(remote), OptOutAction::Nothing, Some(PlanNotice::RemovalCancelled))
            } else if change.evidence.is_none() {
                (Some(remote), OptOutAction::Nothing, Some(PlanNotice::NoEvidence))
            } else {
                (None, OptOutAction::Remove, None)
            }
        }
    }
}

/// A number on a channel with the request that each of its records needs.
pub(super) struct GroupActions<'a> {
    group: &'a OptOutGroup,
    actions: Vec<(&'a OptOutChange, OptOutAction)>,
}

fn opt_out_subject(group: &OptOutGroup, reach: &OptOutTarget) -> PlanSubject {
    PlanSubject::OptOut { number: group.number.clone(), channel: group.channel, reach: reach.clone() }
}

/// Merges every opt-out record and decides its action. Conflicts and notices are added to the plan.
pub(super) fn decide_actions<'a>(input: &'a PlanInput, plan: &mut SyncPlan) -> Vec<GroupActions<'a>> {
    let settled = |group: &'a OptOutGroup, plan: &mut SyncPlan| {
        let wants = group.records.iter().map(|change| {
            let (_, mut want, mut notice) = settle_opt_out(change);
            if change.held && want == OptOutAction::Remove {
                (want, notice) = (OptOutAction::Nothing, Some(PlanNotice::Held));
            }
            let subject = opt_out_subject(group, &change.reach);
            if want == OptOutAction::Ask {
                plan.conflicts.push(PlanConflict { subject: subject.clone(), disputed: ConflictKind::OptOutGone });
            }
            if let Some(notice) = notice {
                plan.add_notice(subject, notice);
            }
            (change, want)
        });
        GroupActions { group, actions: wants.collect() }
    };
    input.opt_outs.iter().map(|group| settled(group, plan)).collect()
}

/// Plans the creation of opt-outs, one request for each.
pub(super) fn plan_creations(groups: &[GroupActions<'_>], plan: &mut SyncPlan) {
    for GroupActions { group, actions: wants } in groups {
        for (change, _) in wants.iter().filter(|(_, want)| *want == OptOutAction::Create) {
            let asset = match &change.reach {
                OptOutTarget::Account => None,
                OptOutTarget::Asset(asset) => Some(asset.clone()),
                OptOutTarget::Unnamed => {
                    plan.blocked.push(blocked_opt_out(group, &change.reach, ChangeObstacle::UnnamedAsset, Vec::new()));
                    continue;
                }
            };
            plan.push_step(
                StepKind::OptOutCreate { number: group.number.clone(), channel: group.channel, asset },
                Vec::new(),
            );
        }
    }
}

fn blocked_opt_out(
    group: &OptOutGroup,
    reach: &OptOutTarget,
    obstacle: ChangeObstacle,
    choices: Vec<(ChangeChoice, u64)>,
) -> BlockedChange {
    BlockedChange { subject: opt_out_subject(group, reach), obstacle, choices, list_choices: Vec::new(), chosen: None }
}

/// Plans the removals, after everything else. Each request names a channel, and each is confirmed separately.
pub(super) fn plan_removals(input: &PlanInput, groups: Vec<GroupActions<'_>>, plan: &mut SyncPlan) {
    let mut batches: BTreeMap<(Channel, Option<String>), Vec<String>> = BTreeMap::new();
    for GroupActions { group, actions: wants } in groups {
        let removed: Vec<_> = wants.iter().filter(|(_, want)| *want == OptOutAction::Remove).collect();
        // The opt-outs at the service, present or planned, that stay: a removal for the account would remove them too.
        let others: Vec<OptOutTarget> = wants
            .iter()
            .filter(|(change, want)| {
                let is_remote = change.remote.resolve(change.base.as_ref()).is_some();
                *want == OptOutAction::Create || (is_remote && *want != OptOutAction::Remove)
            })
            .map(|(change, _)| change.reach.clone())
            .collect();
        let whole = removed.iter().any(|(change, _)| change.reach == OptOutTarget::Account);
        if whole && others.is_empty() {
            batches.entry((group.channel, None)).or_default().push(group.number.clone());
            continue;
        }
        for (change, _) in removed {
            let obstacle = match &change.reach {
                OptOutTarget::Asset(asset) => {
                    let batch = batches.entry((group.channel, Some(asset.clone()))).or_default();
                    batch.push(group.number.clone());
                    continue;
                }
                OptOutTarget::Account => ChangeObstacle::OnlyAccountLevel { others: others.clone() },
                OptOutTarget::Unnamed => ChangeObstacle::UnnamedAsset,
            };
            // A removal that took effect locally alone would let messages reach a person who opted out.
            plan.blocked.push(blocked_opt_out(group, &change.reach, obstacle, vec![(ChangeChoice::Discard, 0)]));
        }
    }
    for ((channel, asset), numbers) in batches {
        for chunk in numbers.chunks(input.limits.opt_out_chunk) {
            let numbers = chunk.to_vec();
            let wanted = numbers.len().to_string();
            let step = plan.push_step(StepKind::OptOutDelete { channel, asset: asset.clone(), numbers }, Vec::new());
            plan.gates.push(RunGate { gate: GateKind::OptOutRemoval, list: None, step: Some(step), wanted });
        }
    }
}

#[cfg(test)]
mod tests {
    use roost_model::opt_out::OptOutType;

    use super::*;
    use crate::input::RemoteState;

    fn build_entry(time: i64) -> OptOutEntry {
        OptOutEntry { kind: OptOutType::Keyword, time }
    }

    /// An opt-out that both sides agreed on at 10 and that was removed locally for a reason.
    fn removed_opt_out(remote: RemoteState<OptOutEntry>, evidence: Option<i64>) -> OptOutChange {
        let (reach, base) = (OptOutTarget::Account, Some(build_entry(10)));
        OptOutChange { reach, base, local: None, remote, evidence, answer: None, held: false }
    }

    #[test]
    fn a_removal_is_requested_with_evidence_and_not_after_a_new_opt_out() {
        let newer = build_entry(11);
        let anew = removed_opt_out(RemoteState::Is(newer.clone()), Some(1));
        assert_eq!(settle_opt_out(&anew), (Some(&newer), OptOutAction::Nothing, Some(PlanNotice::RemovalCancelled)));
        // The clock was set back, the type differs at the same time, or the time is unknown.
        let set_back = build_entry(9);
        let other_kind = OptOutEntry { kind: OptOutType::WebOptOut, time: 10 };
        for differing in [set_back, other_kind, build_entry(0)] {
            let again = removed_opt_out(RemoteState::Is(differing.clone()), Some(1));
            assert_eq!(
                settle_opt_out(&again),
                (Some(&differing), OptOutAction::Nothing, Some(PlanNotice::RemovalCancelled))
            );
        }
        let timeless = OptOutChange { base: Some(build_entry(0)), ..removed_opt_out(RemoteState::AsBase, Some(1)) };
        assert_eq!(
            settle_opt_out(&timeless).1,
            OptOutAction::Nothing,
            "a record without a time is never surely the same"
        );
        let (same, agreed) = (removed_opt_out(RemoteState::AsBase, Some(1)), build_entry(10));
        assert_eq!(settle_opt_out(&same), (None, OptOutAction::Remove, None));
        let unexplained = removed_opt_out(RemoteState::AsBase, None);
        assert_eq!(settle_opt_out(&unexplained), (Some(&agreed), OptOutAction::Nothing, Some(PlanNotice::NoEvidence)));
        assert_eq!(settle_opt_out(&removed_opt_out(RemoteState::Gone, Some(1))), (None, OptOutAction::Nothing, None));
    }
}
