//! Tests of the text of a plan.

use roost_model::{id::ListId, time::Timestamp};
use roost_sync_session::{
    ListDrafts, PlanAlternative, PlanLane, PlanNote, PlanOption, PlanRefused, RecordKey, SyncList, SyncNoun,
};

use super::*;

fn make_step(id: u32, kind: PlanStepKind, title: &str, rows: u64, why: PlanStepReason) -> PlanLine {
    PlanLine {
        id,
        ids: vec![id],
        operation: "contacts.create".to_owned(),
        kind,
        title: title.to_owned(),
        rows,
        after: Vec::new(),
        is_repeatable: true,
        why,
        fields: Vec::new(),
    }
}

fn make_list(name: &str) -> SyncList {
    SyncList { id: 1, uid: "LST_1".to_owned(), name: name.to_owned() }
}

/// A plan that contains something of every kind.
pub(crate) fn sample_plan() -> PlanDetails {
    let mut update = make_step(1, PlanStepKind::ContactsUpdate, "VIP", 23, PlanStepReason::ChangedHere);
    update.fields = vec!["city".to_owned(), "firstname".to_owned()];
    let mut deletions = make_step(2, PlanStepKind::ContactDelete, "VIP", 40, PlanStepReason::DeletedHere);
    deletions.ids = (2..42).collect();
    let gate = |gate, title: &str, rows, wanted: &str| PlanGate {
        gate,
        title: title.to_owned(),
        rows,
        wanted: wanted.to_owned(),
    };
    let key = || RecordKey { noun: SyncNoun::Contact, id: "7".to_owned() };
    PlanDetails {
        id: 12,
        at: Timestamp::from_unix(1_767_600_000),
        is_stale: false,
        steps: vec![
            make_step(0, PlanStepKind::OptOutCreate, "+447700900001", 1, PlanStepReason::MadeHere),
            update,
            deletions,
            make_step(42, PlanStepKind::ListDelete, "Old list", 3, PlanStepReason::DeletedHere),
        ],
        writes: 43,
        reads: 12,
        seconds: 110,
        lanes: vec![
            PlanLane { operation: "optouts.create".to_owned(), calls: 1, seconds: 1 },
            PlanLane { operation: "contacts.delete".to_owned(), calls: 40, seconds: 5 },
        ],
        conflicts: 2,
        blocked: vec![PlanBlocked {
            key: key(),
            title: "Ada Bell".to_owned(),
            obstacle: PlanObstacle::Clearing,
            fields: vec!["city".to_owned()],
            count: 5,
            choices: vec![
                PlanOption { choice: PlanChoice::KeepLocal, calls: 0 },
                PlanOption { choice: PlanChoice::Replace, calls: 1 },
            ],
            chosen: None,
        }],
        refused: vec![PlanRefused {
            key: key(),
            title: "\u{1b}[31mRed".to_owned(),
            list: Some(make_list("VIP")),
            faults: vec!["A first name has 64 characters at most.".to_owned()],
        }],
        refused_count: 3,
        notes: vec![PlanNote { title: "Contact 3".to_owned(), text: PlanNoticeKind::Held, count: 2 }],
        gates: vec![
            gate(GateKind::ManyDeletions, "VIP", 40, "40"),
            gate(GateKind::ListDeletion, "Old list", 3, "Old list"),
        ],
        alternatives: vec![PlanAlternative {
            list: make_list("VIP"),
            choice: PlanChoice::Recreate,
            calls: 3,
            instead_of: 40,
        }],
        drafts: vec![ListDrafts { list: ListId::parse(LIST).expect("an id"), name: "VIP".to_owned(), contacts: 2 }],
    }
}

const LIST: &str = "LST_36AbCdEfGhIjKlMnOpQrStUvWx1";

const SAMPLE_TEXT: &str = "\
Plan 12: 43 steps, 43 calls to write and 12 to read, about 1 min 50 s.

  step  what                      rows  why
     0  opt out +447700900001        1  created here
     1  update contacts of VIP      23  changed here: city, firstname
  2-41  delete contacts of VIP      40  deleted here
    42  delete the list Old list     3  deleted here

By operation
  optouts.create             1          1 s
  contacts.delete           40          5 s

Confirm before sending (roost push --type WORD)
  to delete 40 contacts of VIP, type 40
  to delete the list Old list with 3 contacts, type Old list

2 conflicts: nothing of their records is sent until they are answered (roost conflicts).

Not possible at the service
  Ada Bell and 4 more: the service cannot empty a value (city); choose with roost answer: keep it here only (0 calls), create it again, then delete the old one (1 call)

Held back until you change it here: the service refused it, or it breaks a rule of the service
  \u{fffd}[31mRed in VIP: A first name has 64 characters at most.
  and 2 more

Notes
  Contact 3 and 1 more: held back

Drafts, which are not sent: the last valid value is used
  2 contacts in VIP

Cheaper way
  VIP: create the list again, then delete the old one (3 calls instead of 40)
";

#[test]
fn a_plan_reads_from_top_to_bottom() {
    assert_eq!(describe_plan(&sample_plan()), SAMPLE_TEXT);
}

#[test]
fn an_empty_plan_is_one_line() {
    let empty = PlanDetails {
        steps: Vec::new(),
        lanes: Vec::new(),
        conflicts: 0,
        blocked: Vec::new(),
        refused: Vec::new(),
        refused_count: 0,
        notes: Vec::new(),
        gates: Vec::new(),
        alternatives: Vec::new(),
        drafts: Vec::new(),
        ..sample_plan()
    };
    assert_eq!(describe_plan(&empty), "Plan 12: nothing to send.\n");
}

#[test]
fn a_long_part_is_cut_and_says_by_how_much() {
    let mut long = sample_plan();
    let note = long.notes[0].clone();
    long.notes = vec![note; 25];
    let text = describe_plan(&long);
    assert_eq!(text.matches("held back").count(), 20);
    assert!(text.contains("  and 5 more\n"), "{text}");
}

#[test]
fn times_are_shown_in_their_two_largest_units() {
    assert_eq!(
        (describe_time(59), describe_time(61), describe_time(3_725)),
        ("59 s".to_owned(), "1 min 1 s".to_owned(), "1 h 2 min".to_owned())
    );
}
