//! Plans opt-outs: an addition on either side wins, and a removal needs evidence and never affects more than what it
//! names.

use std::collections::BTreeMap;

use roost_model::channel::Channel;

use super::{Blocked, Conflict, Disputed, Gate, GateKind, Obstacle, Plan, StepKind, Subject, Told};
use crate::input::{Choice, Input, OptOutAnswer, OptOutChange, OptOutEntry, OptOutGroup, Reach};

/// The request that a record needs at the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptOutWant {
    Nothing,
    Create,
    Remove,
    /// The service deleted the opt-out for an unknown reason. It stays locally, and the user is asked.
    Ask,
}

/// Merges one record. Returns its local state, the request to the service and the notice for the user.
pub fn settle(change: &OptOutChange) -> (Option<&OptOutEntry>, OptOutWant, Option<Told>) {
    let there = change.remote.over(change.base.as_ref());
    match (&change.local, there, &change.base) {
        (Some(_), Some(there), _) => (Some(there), OptOutWant::Nothing, None),
        (Some(here), None, None) => (Some(here), OptOutWant::Create, None),
        // The contact opted out again locally after both sides agreed. The newer decision counts, whatever was asked or
        // answered before.
        (Some(here), None, Some(base)) if here != base => (Some(here), OptOutWant::Create, None),
        (Some(here), None, Some(_)) => match change.answer {
            Some(OptOutAnswer::CreateAgain) => (Some(here), OptOutWant::Create, None),
            None => (Some(here), OptOutWant::Ask, None),
        },
        (None, None, _) => (None, OptOutWant::Nothing, None),
        (None, Some(there), None) => (Some(there), OptOutWant::Nothing, None),
        (None, Some(there), Some(base)) => {
            if !there.is_surely(base) {
                (Some(there), OptOutWant::Nothing, Some(Told::RemovalCancelled))
            } else if change.evidence.is_none() {
                (Some(there), OptOutWant::Nothing, Some(Told::NoEvidence))
            } else {
                (None, OptOutWant::Remove, None)
            }
        }
    }
}

/// A number on a channel with the request that each of its records needs.
pub struct Group<'a> {
    group: &'a OptOutGroup,
    wants: Vec<(&'a OptOutChange, OptOutWant)>,
}

fn subject(group: &OptOutGroup, reach: &Reach) -> Subject {
    Subject::OptOut { number: group.number.clone(), channel: group.channel, reach: reach.clone() }
}

/// Merges every opt-out record and decides its action. Conflicts and notices are added to the plan.
pub fn wanted<'a>(input: &'a Input, plan: &mut Plan) -> Vec<Group<'a>> {
    let settled = |group: &'a OptOutGroup, plan: &mut Plan| {
        let wants = group.records.iter().map(|change| {
            let (_, mut want, mut told) = settle(change);
            if change.held && want == OptOutWant::Remove {
                (want, told) = (OptOutWant::Nothing, Some(Told::Held));
            }
            let subject = subject(group, &change.reach);
            if want == OptOutWant::Ask {
                plan.conflicts.push(Conflict { subject: subject.clone(), disputed: Disputed::OptOutGone });
            }
            if let Some(told) = told {
                plan.tell(subject, told);
            }
            (change, want)
        });
        Group { group, wants: wants.collect() }
    };
    input.opt_outs.iter().map(|group| settled(group, plan)).collect()
}

/// Plans the creation of opt-outs, one request for each.
pub fn create(groups: &[Group<'_>], plan: &mut Plan) {
    for Group { group, wants } in groups {
        for (change, _) in wants.iter().filter(|(_, want)| *want == OptOutWant::Create) {
            let asset = match &change.reach {
                Reach::Account => None,
                Reach::Asset(asset) => Some(asset.clone()),
                Reach::Unnamed => {
                    plan.blocked.push(blocked(group, &change.reach, Obstacle::UnnamedAsset, Vec::new()));
                    continue;
                }
            };
            plan.push(
                StepKind::OptOutCreate { number: group.number.clone(), channel: group.channel, asset },
                Vec::new(),
            );
        }
    }
}

fn blocked(group: &OptOutGroup, reach: &Reach, obstacle: Obstacle, choices: Vec<(Choice, u64)>) -> Blocked {
    Blocked { subject: subject(group, reach), obstacle, choices, list_choices: Vec::new(), chosen: None }
}

/// Plans the removals, after everything else. Each request names a channel, and each is confirmed separately.
pub fn remove(input: &Input, groups: Vec<Group<'_>>, plan: &mut Plan) {
    let mut batches: BTreeMap<(Channel, Option<String>), Vec<String>> = BTreeMap::new();
    for Group { group, wants } in groups {
        let removed: Vec<_> = wants.iter().filter(|(_, want)| *want == OptOutWant::Remove).collect();
        // The opt-outs at the service, present or planned, that stay: a removal for the account would remove them too.
        let others: Vec<Reach> = wants
            .iter()
            .filter(|(change, want)| {
                let there = change.remote.over(change.base.as_ref()).is_some();
                *want == OptOutWant::Create || (there && *want != OptOutWant::Remove)
            })
            .map(|(change, _)| change.reach.clone())
            .collect();
        let whole = removed.iter().any(|(change, _)| change.reach == Reach::Account);
        if whole && others.is_empty() {
            batches.entry((group.channel, None)).or_default().push(group.number.clone());
            continue;
        }
        for (change, _) in removed {
            let obstacle = match &change.reach {
                Reach::Asset(asset) => {
                    let batch = batches.entry((group.channel, Some(asset.clone()))).or_default();
                    batch.push(group.number.clone());
                    continue;
                }
                Reach::Account => Obstacle::OnlyAccountLevel { others: others.clone() },
                Reach::Unnamed => Obstacle::UnnamedAsset,
            };
            // A removal that took effect locally alone would let messages reach a person who opted out.
            plan.blocked.push(blocked(group, &change.reach, obstacle, vec![(Choice::Discard, 0)]));
        }
    }
    for ((channel, asset), numbers) in batches {
        for chunk in numbers.chunks(input.limits.opt_out_chunk) {
            let numbers = chunk.to_vec();
            let wanted = numbers.len().to_string();
            let step = plan.push(StepKind::OptOutDelete { channel, asset: asset.clone(), numbers }, Vec::new());
            plan.gates.push(Gate { gate: GateKind::OptOutRemoval, list: None, step: Some(step), wanted });
        }
    }
}

#[cfg(test)]
mod tests {
    use roost_model::opt_out::OptOutType;

    use super::*;
    use crate::input::Seen;

    fn entry(time: i64) -> OptOutEntry {
        OptOutEntry { kind: OptOutType::Keyword, time }
    }

    /// An opt-out that both sides agreed on at 10 and that was removed locally for a reason.
    fn removed(remote: Seen<OptOutEntry>, evidence: Option<i64>) -> OptOutChange {
        let (reach, base) = (Reach::Account, Some(entry(10)));
        OptOutChange { reach, base, local: None, remote, evidence, answer: None, held: false }
    }

    #[test]
    fn a_removal_is_asked_for_with_evidence_and_not_once_somebody_opted_out_anew() {
        let newer = entry(11);
        let anew = removed(Seen::Is(newer.clone()), Some(1));
        assert_eq!(settle(&anew), (Some(&newer), OptOutWant::Nothing, Some(Told::RemovalCancelled)));
        // The clock was set back, the type differs at the same time, or the time is unknown.
        let set_back = entry(9);
        let other_kind = OptOutEntry { kind: OptOutType::WebOptOut, time: 10 };
        for differing in [set_back, other_kind, entry(0)] {
            let again = removed(Seen::Is(differing.clone()), Some(1));
            assert_eq!(settle(&again), (Some(&differing), OptOutWant::Nothing, Some(Told::RemovalCancelled)));
        }
        let timeless = OptOutChange { base: Some(entry(0)), ..removed(Seen::AsBase, Some(1)) };
        assert_eq!(settle(&timeless).1, OptOutWant::Nothing, "a record without a time is never surely the same");
        let (same, agreed) = (removed(Seen::AsBase, Some(1)), entry(10));
        assert_eq!(settle(&same), (None, OptOutWant::Remove, None));
        let unexplained = removed(Seen::AsBase, None);
        assert_eq!(settle(&unexplained), (Some(&agreed), OptOutWant::Nothing, Some(Told::NoEvidence)));
        assert_eq!(settle(&removed(Seen::Gone, Some(1))), (None, OptOutWant::Nothing, None));
    }
}
