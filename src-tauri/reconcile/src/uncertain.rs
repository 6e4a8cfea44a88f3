//! Resolves requests whose fate is unknown: decides whether to read before repeating, and what the result of the read
//! means.

use crate::plan::{PlanStep, RepeatRule, StepKind};

/// The first measure for a request of unknown fate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstAction {
    /// Repeat the request: a second one changes nothing more.
    Repeat,
    Read(ReadTarget),
}

/// The records to read to find out what a request did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadTarget {
    /// The lists of exactly this name.
    ListsByName,
    /// Every number that was sent, in its list. Numbers that may occur twice are counted.
    EachNumber,
    /// The opt-outs of the number.
    OptOutsOfNumber,
    /// The links of exactly this title.
    LinksByTitle,
}

/// Decides what to do first. `number_changed` says that, since the request left, a contact that it updates was seen
/// with a value that is neither the old one nor the one sent.
pub fn choose_first_action(step: &PlanStep, number_changed: bool) -> FirstAction {
    if step.repeat == RepeatRule::Blindly && !number_changed {
        return FirstAction::Repeat;
    }
    match &step.kind {
        StepKind::ListCreate { .. } => FirstAction::Read(ReadTarget::ListsByName),
        StepKind::Contacts { .. } | StepKind::Upload { .. } => FirstAction::Read(ReadTarget::EachNumber),
        StepKind::OptOutCreate { .. } => FirstAction::Read(ReadTarget::OptOutsOfNumber),
        StepKind::LinkCreate { .. } => FirstAction::Read(ReadTarget::LinksByTitle),
        StepKind::LinkDelete { .. }
        | StepKind::SenderDelete { .. }
        | StepKind::ContactDelete { .. }
        | StepKind::ListDelete { .. }
        | StepKind::OptOutDelete { .. } => FirstAction::Repeat,
    }
}

/// The conclusion from reading the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextAction {
    /// It happened. Nothing is sent.
    Done,
    /// It happened, and this is the identifier that it created.
    Adopt(String),
    /// It did not happen.
    Repeat,
    /// These items, by their position in the request, did not happen.
    RepeatOnly(Vec<usize>),
    /// It may still happen.
    LookAgain,
    /// Several records could be the one that was created, so the user decides.
    Ask,
}

/// A record that could be the one that was created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordCandidate {
    pub uid: String,
    /// The service's time in seconds.
    pub created_at: i64,
    /// Whether all values that were sent are equal.
    pub equal: bool,
    /// Whether the record was known before.
    pub known: bool,
}

/// Decides for lists and links: a single new record that is equal is the one that the request created. `not_before` is
/// a time of the service before the request; `settled` says that the service has had the time it needs.
pub fn find_created(candidates: &[RecordCandidate], not_before: i64, settled: bool) -> NextAction {
    let fits = |one: &&RecordCandidate| one.equal && !one.known && one.created_at >= not_before;
    let mut found = candidates.iter().filter(fits);
    match (found.next(), found.next()) {
        (Some(one), None) => NextAction::Adopt(one.uid.clone()),
        (Some(_), Some(_)) => NextAction::Ask,
        (None, _) if settled => NextAction::Repeat,
        (None, _) => NextAction::LookAgain,
    }
}

/// Decides for contacts: those that were found are dropped from the request. A job may still be waiting, so nothing is
/// repeated before the service has settled.
pub fn resolve_contacts(found: &[bool], settled: bool) -> NextAction {
    let missing: Vec<usize> = (0..found.len()).filter(|at| !found[*at]).collect();
    match (missing.len(), settled) {
        (0, _) => NextAction::Done,
        (_, false) => NextAction::LookAgain,
        (count, true) if count == found.len() => NextAction::Repeat,
        (_, true) => NextAction::RepeatOnly(missing),
    }
}

/// Decides for an opt-out. One with the same scope at the service is ours or an older one, and overwriting an older one
/// would destroy evidence.
pub fn resolve_opt_out(stands: bool) -> NextAction {
    if stands { NextAction::Done } else { NextAction::Repeat }
}

#[cfg(test)]
mod tests {
    use roost_model::{channel::Channel, contact::MergeType};

    use super::*;
    use crate::{
        plan::{ContactItem, SyncPlan},
        row::{ContactRow, SyncField},
    };

    fn first_of(kind: StepKind) -> FirstAction {
        let mut plan = SyncPlan::default();
        plan.push_step(kind, vec![]);
        choose_first_action(&plan.steps[0], false)
    }

    fn contacts_of(merge: MergeType, field: SyncField) -> StepKind {
        let send = ContactRow::default().with_value(field, "+447700900001");
        let item = ContactItem { id: 1, clear: vec![], before: None, expect: send.clone(), send };
        StepKind::Contacts { list: 1, merge, region: None, items: vec![item] }
    }

    #[test]
    fn only_repeatable_requests_are_sent_twice() {
        let by_phone = |merge| contacts_of(merge, SyncField::Phone);
        assert_eq!(first_of(by_phone(MergeType::SkipDuplicates)), FirstAction::Repeat);
        assert_eq!(first_of(by_phone(MergeType::MergeByPhone)), FirstAction::Repeat);
        assert_eq!(first_of(by_phone(MergeType::AllowDuplicates)), FirstAction::Read(ReadTarget::EachNumber));
        let whatsapp = contacts_of(MergeType::SkipDuplicates, SyncField::Whatsapp);
        assert_eq!(first_of(whatsapp), FirstAction::Read(ReadTarget::EachNumber));
        let list = StepKind::ListCreate { list: 1, name: "A".to_owned() };
        assert_eq!(first_of(list), FirstAction::Read(ReadTarget::ListsByName));
        let (number, channel) = ("+447700900001".to_owned(), Channel::Sms);
        let opt_out = StepKind::OptOutCreate { number: number.clone(), channel, asset: None };
        assert_eq!(first_of(opt_out), FirstAction::Read(ReadTarget::OptOutsOfNumber));
        let removal = StepKind::OptOutDelete { channel, asset: None, numbers: vec![number] };
        assert_eq!(first_of(removal), FirstAction::Repeat);
        let mut plan = SyncPlan::default();
        plan.push_step(by_phone(MergeType::MergeByPhone), vec![]);
        assert_eq!(
            choose_first_action(&plan.steps[0], true),
            FirstAction::Read(ReadTarget::EachNumber),
            "somebody wrote since"
        );
    }

    #[test]
    fn a_created_record_is_adopted_if_exactly_one_candidate_matches() {
        let one =
            |uid: &str, created_at, equal, known| RecordCandidate { uid: uid.to_owned(), created_at, equal, known };
        let fits = one("a", 10, true, false);
        assert_eq!(find_created(std::slice::from_ref(&fits), 10, false), NextAction::Adopt("a".to_owned()));
        for other in [one("b", 9, true, false), one("b", 10, false, false), one("b", 10, true, true)] {
            assert_eq!(find_created(std::slice::from_ref(&other), 10, true), NextAction::Repeat, "{other:?}");
            assert_eq!(find_created(&[other, fits.clone()], 10, true), NextAction::Adopt("a".to_owned()));
        }
        assert_eq!(find_created(&[], 10, false), NextAction::LookAgain);
        assert_eq!(find_created(&[fits.clone(), one("c", 11, true, false)], 10, true), NextAction::Ask);
    }

    #[test]
    fn contacts_that_are_there_are_not_sent_again() {
        assert_eq!(resolve_contacts(&[true, true], false), NextAction::Done);
        assert_eq!(resolve_contacts(&[true, false], false), NextAction::LookAgain);
        assert_eq!(resolve_contacts(&[true, false], true), NextAction::RepeatOnly(vec![1]));
        assert_eq!(resolve_contacts(&[false, false], true), NextAction::Repeat);
        assert_eq!((resolve_opt_out(true), resolve_opt_out(false)), (NextAction::Done, NextAction::Repeat));
    }
}
