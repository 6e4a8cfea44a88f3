//! Columns and lists that seem to say who opted out are asked about before a rehearsal.

use super::*;
use crate::{
    ledger::{LedgerItem, LedgerOutcome},
    mapping::OpenMapping,
    rehearse::ImportSummary,
    rejects::{self, RejectEdit},
};

impl SessionFixture {
    /// Returns the questions of an import: the path and the names of each.
    fn list_questions(&self, import: u64) -> Vec<(String, Vec<String>)> {
        self.wait_until_settled(import);
        let questions: Vec<_> =
            self.describe_table(import).faults.into_iter().map(|fault| (fault.path, fault.about)).collect();
        let is_refused = self.core.imports().rehearse(&self.core, import).is_err();
        assert_eq!(is_refused, !questions.is_empty(), "{questions:?}");
        questions
    }

    fn answer_question(&self, import: u64, change: impl FnOnce(&mut OpenMapping)) -> ImportSummary {
        let mut mapping = self.describe_table(import).mapping;
        change(&mut mapping);
        self.core.imports().set_mapping(&self.core, import, mapping).unwrap();
        assert_eq!(self.list_questions(import), []);
        self.wait_until_settled(import);
        self.core.imports().describe_rehearsal(&self.core, import).unwrap().summary
    }
}

fn expected_question(path: &str, name: &str) -> Vec<(String, Vec<String>)> {
    vec![(path.to_owned(), vec![name.to_owned()])]
}

const NUMBERS: &str = "Phone,City\n07700900001,York\n07700900002,Bath\n12,Hull\n";

#[test]
fn a_list_whose_name_says_so_is_asked_about_for_itself() {
    let world = SessionFixture::new();
    let sources =
        || vec![text_source("people.csv", "Phone,City\n07700900003,York\n"), text_source("unsubscribed.csv", NUMBERS)];
    let import = world.open_import(sources());
    assert_eq!(world.list_questions(import), expected_question("opted_out_lists", "unsubscribed.csv"));
    let rehearsal = world.answer_question(import, |mapping| mapping.ordinary_lists.push("unsubscribed.csv".to_owned()));
    assert_eq!((rehearsal.opt_outs, rehearsal.counts.new), (0, 3));
    let import = world.open_import(sources());
    world.wait_until_settled(import);
    let rehearsal =
        world.answer_question(import, |mapping| mapping.opted_out_lists.push("unsubscribed.csv".to_owned()));
    assert_eq!((rehearsal.opt_outs, rehearsal.counts.new, rehearsal.counts.invalid), (4, 3, 1));
    let listed = rehearsal.ledger.entries.iter().find(|entry| entry.what == LedgerItem::OptedOutList).unwrap();
    assert_eq!(
        (listed.name.as_str(), listed.count, listed.outcome),
        ("unsubscribed.csv", Some(3), LedgerOutcome::Taken)
    );
}

#[test]
fn headings_and_names_of_record_lists_are_asked_about_as_well() {
    let world = SessionFixture::new();
    for (name, content) in [
        ("a.csv", format!("Do not contact,\n\n{NUMBERS}")),
        ("a.json", r#"{"unsubscribed":[{"phone":"07700900001"},{"phone":"07700900002"}]}"#.to_owned()),
    ] {
        let import = world.open_import(vec![text_source(name, &content)]);
        assert_eq!(world.list_questions(import), expected_question("opted_out_lists", name), "{content}");
    }
    for content in [
        format!("Our customers,\n\n{NUMBERS}"),
        format!("This is a list of all our customers and of those who opted out of something,\n\n{NUMBERS}"),
        format!("Customers without opt-outs,\n\n{NUMBERS}"),
    ] {
        let import = world.open_import(vec![text_source("a.csv", &content)]);
        assert_eq!(world.list_questions(import), [], "{content}");
    }
}

#[test]
fn people_beside_the_list_that_is_imported_are_asked_about() {
    let world = SessionFixture::new();
    let lists = r#"{"contacts":[{"phone":"07700900003"}],"unsubscribed":[{"phone":"07700900004"}]}"#;
    let import = world.open_import(vec![text_source("a.json", lists)]);
    assert_eq!(world.list_questions(import), expected_question("ordinary_lists", "unsubscribed"));
    let rehearsal = world.answer_question(import, |mapping| mapping.ordinary_lists.push("Unsubscribed".to_owned()));
    assert_eq!(rehearsal.counts.new, 1);
}

#[test]
fn a_label_of_a_telephone_is_asked_about_like_a_column() {
    let world = SessionFixture::new();
    for telephone in ["TEL;TYPE=STOP:07700900001", "item1.TEL:07700900001\nitem1.X-ABLabel:Do not text"] {
        let card = format!("BEGIN:VCARD\nVERSION:3.0\nN:;Ada;;;\n{telephone}\nEND:VCARD\n");
        let import = world.open_import(vec![text_source("a.vcf", &card)]);
        assert_eq!(world.list_questions(import), expected_question("left_out", "Label"), "{telephone}");
    }
}

#[test]
fn a_row_that_is_corrected_later_opts_its_number_out() {
    let world = SessionFixture::new();
    let import = world.open_import(vec![text_source("unsubscribed.csv", "Phone,City\n12,York\n07700900001,Bath\n")]);
    world.wait_until_settled(import);
    world.answer_question(import, |mapping| mapping.opted_out_lists.push("unsubscribed.csv".to_owned()));
    world.core.imports().accept(&world.core, &user(), import, Some(2)).unwrap();
    let past = world.wait_until_settled(import).accepted.unwrap().result.import;
    let reject =
        rejects::list_rejects(&world.core, &world.core.imports().rehearsed_rejects, past, 0, 9).unwrap().rows[0].reject;
    let edit = RejectEdit { reject, column: 0, text: "07700900002".to_owned() };
    rejects::fix_rejects(&world.core, &world.core.imports().rehearsed_rejects, &user(), past, &[edit]).unwrap();
    let accepted = rejects::accept_rejects(&world.core, &user(), past, Some(2)).unwrap();
    assert_eq!(accepted.accepted.opt_outs, 2);
}

#[test]
fn a_field_that_is_filled_by_a_guess_is_asked_about() {
    let world = SessionFixture::new();
    let import =
        world.open_import(vec![text_source("a.csv", "Phone,State\n07700900001,Opted-out\n07700900002,Kent\n")]);
    assert_eq!(world.list_questions(import), expected_question("named", "State"));
    let rehearsal = world.answer_question(import, |mapping| mapping.named.push(1));
    assert_eq!(rehearsal.opt_outs, 0);
}

#[test]
fn an_answer_that_is_neither_yes_nor_no_is_asked_about() {
    let world = SessionFixture::new();
    for others in ["yes\n07700900002,no", "yes\n07700900002,", "Yes\n07700900002,yes"] {
        let table = format!("Phone,Unsubscribed?\n07700900001,{others}\n07700900003,maybe\n");
        let import = world.open_import(vec![text_source("people.csv", &table)]);
        assert_eq!(world.list_questions(import), expected_question("left_out", "Unsubscribed?"), "{others}");
        let mut mapping = world.describe_table(import).mapping;
        mapping.targets.retain(|target| target.field == "phone_number");
        let column = crate::mapping::ValuePiece::Column { column: 1, part: None };
        mapping.consents = vec![crate::mapping::ConsentMapping {
            pieces: vec![column],
            words: vec!["yes".to_owned()],
            channels: vec![roost_model::channel::Channel::Sms],
            ..crate::mapping::ConsentMapping::default()
        }];
        world.core.imports().set_mapping(&world.core, import, mapping).unwrap();
        assert_eq!(world.list_questions(import), expected_question("consent_words", "Unsubscribed?"), "{others}");
        let message = &world.describe_table(import).faults[0].message;
        assert!(message.contains("maybe"), "{message}");
        world.core.imports().discard(&world.core, import).unwrap();
    }
}
