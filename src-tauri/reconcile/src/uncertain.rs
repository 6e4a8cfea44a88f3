//! Resolves requests whose fate is unknown: decides whether to read before repeating, and what the result of the read
//! means.

use crate::plan::{Repeat, Step, StepKind};

/// The first measure for a request of unknown fate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum First {
    /// Repeat the request: a second one changes nothing more.
    Repeat,
    Read(Look),
}

/// The records to read to find out what a request did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
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
pub fn first(step: &Step, number_changed: bool) -> First {
    if step.repeat == Repeat::Blindly && !number_changed {
        return First::Repeat;
    }
    match &step.kind {
        StepKind::ListCreate { .. } => First::Read(Look::ListsByName),
        StepKind::Contacts { .. } | StepKind::Upload { .. } => First::Read(Look::EachNumber),
        StepKind::OptOutCreate { .. } => First::Read(Look::OptOutsOfNumber),
        StepKind::LinkCreate { .. } => First::Read(Look::LinksByTitle),
        StepKind::LinkDelete { .. }
        | StepKind::SenderDelete { .. }
        | StepKind::ContactDelete { .. }
        | StepKind::ListDelete { .. }
        | StepKind::OptOutDelete { .. } => First::Repeat,
    }
}

/// The conclusion from reading the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Then {
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
pub struct Candidate {
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
pub fn made(candidates: &[Candidate], not_before: i64, settled: bool) -> Then {
    let fits = |one: &&Candidate| one.equal && !one.known && one.created_at >= not_before;
    let mut found = candidates.iter().filter(fits);
    match (found.next(), found.next()) {
        (Some(one), None) => Then::Adopt(one.uid.clone()),
        (Some(_), Some(_)) => Then::Ask,
        (None, _) if settled => Then::Repeat,
        (None, _) => Then::LookAgain,
    }
}

/// Decides for contacts: those that were found are dropped from the request. A job may still be waiting, so nothing is
/// repeated before the service has settled.
pub fn contacts(found: &[bool], settled: bool) -> Then {
    let missing: Vec<usize> = (0..found.len()).filter(|at| !found[*at]).collect();
    match (missing.len(), settled) {
        (0, _) => Then::Done,
        (_, false) => Then::LookAgain,
        (count, true) if count == found.len() => Then::Repeat,
        (_, true) => Then::RepeatOnly(missing),
    }
}

/// Decides for an opt-out. One with the same scope at the service is ours or an older one, and overwriting an older one
/// would destroy evidence.
pub fn opt_out(stands: bool) -> Then {
    if stands { Then::Done } else { Then::Repeat }
}

/// Decides for a deletion: "not found" is believed if a read does not find the record either.
pub fn deleted(still_there: bool) -> Then {
    if still_there { Then::Repeat } else { Then::Done }
}

#[cfg(test)]
mod tests {
    use roost_model::{channel::Channel, contact::MergeType};

    use super::*;
    use crate::{
        plan::{Item, Plan},
        row::{Field, Row},
    };

    fn first_of(kind: StepKind) -> First {
        let mut plan = Plan::default();
        plan.push(kind, vec![]);
        first(&plan.steps[0], false)
    }

    fn contacts_of(merge: MergeType, field: Field) -> StepKind {
        let send = Row::default().with(field, "+447700900001");
        let item = Item { id: 1, clear: vec![], before: None, expect: send.clone(), send };
        StepKind::Contacts { list: 1, merge, region: None, items: vec![item] }
    }

    #[test]
    fn only_what_may_be_said_twice_is_said_twice() {
        let by_phone = |merge| contacts_of(merge, Field::Phone);
        assert_eq!(first_of(by_phone(MergeType::SkipDuplicates)), First::Repeat);
        assert_eq!(first_of(by_phone(MergeType::MergeByPhone)), First::Repeat);
        assert_eq!(first_of(by_phone(MergeType::AllowDuplicates)), First::Read(Look::EachNumber));
        let whatsapp = contacts_of(MergeType::SkipDuplicates, Field::Whatsapp);
        assert_eq!(first_of(whatsapp), First::Read(Look::EachNumber));
        let list = StepKind::ListCreate { list: 1, name: "A".to_owned() };
        assert_eq!(first_of(list), First::Read(Look::ListsByName));
        let (number, channel) = ("+447700900001".to_owned(), Channel::Sms);
        let opt_out = StepKind::OptOutCreate { number: number.clone(), channel, asset: None };
        assert_eq!(first_of(opt_out), First::Read(Look::OptOutsOfNumber));
        let removal = StepKind::OptOutDelete { channel, asset: None, numbers: vec![number] };
        assert_eq!(first_of(removal), First::Repeat);
        let mut plan = Plan::default();
        plan.push(by_phone(MergeType::MergeByPhone), vec![]);
        assert_eq!(first(&plan.steps[0], true), First::Read(Look::EachNumber), "somebody wrote since");
    }

    #[test]
    fn what_was_made_is_adopted_when_it_can_only_be_that() {
        let one = |uid: &str, created_at, equal, known| Candidate { uid: uid.to_owned(), created_at, equal, known };
        let fits = one("a", 10, true, false);
        assert_eq!(made(std::slice::from_ref(&fits), 10, false), Then::Adopt("a".to_owned()));
        for other in [one("b", 9, true, false), one("b", 10, false, false), one("b", 10, true, true)] {
            assert_eq!(made(std::slice::from_ref(&other), 10, true), Then::Repeat, "{other:?}");
            assert_eq!(made(&[other, fits.clone()], 10, true), Then::Adopt("a".to_owned()));
        }
        assert_eq!(made(&[], 10, false), Then::LookAgain);
        assert_eq!(made(&[fits.clone(), one("c", 11, true, false)], 10, true), Then::Ask);
    }

    #[test]
    fn contacts_that_are_there_are_not_sent_again() {
        assert_eq!(contacts(&[true, true], false), Then::Done);
        assert_eq!(contacts(&[true, false], false), Then::LookAgain);
        assert_eq!(contacts(&[true, false], true), Then::RepeatOnly(vec![1]));
        assert_eq!(contacts(&[false, false], true), Then::Repeat);
        assert_eq!((opt_out(true), opt_out(false)), (Then::Done, Then::Repeat));
        assert_eq!((deleted(false), deleted(true)), (Then::Done, Then::Repeat));
    }
}
