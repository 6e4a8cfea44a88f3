//! Tests random texts: a second fix changes nothing, undo restores everything, and opt-outs are never touched.

use proptest::{collection::vec, prelude::*, sample::select, test_runner::Config};
use roost_model::channel::Channel;

use super::{apply_all, open, put_draft, read_contacts, read_rows, suggestions, wait_until_done};
use roost_exports::{self as export, EventQuery, EvidenceFormat};
use roost_ops::{
    history,
    opt_out::{self, NewOptOut},
};

use crate::grid::tests::{GridAccount, me};

const TEXTS: [&str; 22] = [
    "Ada",
    "ADA",
    "ada",
    "LOVELACE",
    "  Ada ",
    "A\u{200b}da",
    "\u{200b}",
    "Аda",
    "АДА",
    "MCDONALD",
    "7700900001",
    "4.47E+11",
    "4.47700900001E+11",
    "07700 900001",
    "+447700900001",
    "447700900001.0",
    "0770",
    "1 HIGH STREET",
    "straße",
    "O'NEILL",
    "van der BERG",
    "Lоvelace",
];
const FIELDS: [&str; 7] = ["firstname", "lastname", "city", "address_1", "alternate_phone", "country", "field_1"];
const DRAFTED: [&str; 3] = ["phone_number", "whatsapp_id", "lastname"];

fn export_events(account: &GridAccount) -> String {
    export::write_evidence(&account.core, &me(), &EventQuery::default(), EvidenceFormat::Csv).unwrap().text
}

proptest! {
    #![proptest_config(Config { cases: 48, failure_persistence: None, ..Config::default() })]

    #[test]
    fn applying_a_fix_twice_changes_nothing_the_second_time_and_all_can_be_undone(
        people in vec(vec((select(&FIELDS[..]), select(&TEXTS[..])), 0..5), 1..12),
        typed in vec((0..12_usize, select(&DRAFTED[..]), select(&TEXTS[..])), 0..4)
    ) {
        let account = GridAccount::new();
        let uids: Vec<_> = people.iter().enumerate().map(|(n, values)| account.add_contact(n as u32, values)).collect();
        for (at, field, text) in typed {
            put_draft(&account, &uids[at % uids.len()], field, text);
        }
        let entry = NewOptOut { number: "+447700900001".to_owned(), channels: vec![Channel::Sms], asset: None };
        opt_out::add(&account.core, &me(), &[entry], "asked for it", None).unwrap();
        let (start, out) = (read_contacts(&account), export_events(&account));
        let id = open(&account);
        let mut steps = 0;
        // A fix can uncover another problem, such as letters behind spaces. The next search finds it, and this soon
        // ends.
        for round in 0.. {
            prop_assert!(round < 4, "it never ends: {:#?}", suggestions(&account, id));
            let mut has_changed = false;
            for one in suggestions(&account, id) {
                let before = read_contacts(&account);
                if !one.can_mend {
                    prop_assert!(apply_all(&account, id, one.suggestion).is_err());
                    prop_assert!(read_rows(&account, id, one.suggestion).iter().flat_map(|row| &row.cells).all(|cell| cell.after.is_none()));
                    prop_assert_eq!(&read_contacts(&account), &before);
                    continue;
                }
                let shown = account.core.clean().preview(&account.core, &me(), id, one.suggestion, None, None).unwrap();
                let summary = apply_all(&account, id, one.suggestion).unwrap();
                prop_assert_eq!(
                    (shown.matched, shown.rows, shown.cells),
                    (summary.matched, summary.rows, summary.cells)
                );
                prop_assert_eq!(apply_all(&account, id, one.suggestion).unwrap().step, None);
                let after = read_contacts(&account);
                if summary.step.is_some() {
                    prop_assert!(before != after);
                    has_changed = true;
                    steps += 1;
                    history::undo(&account.core, &me()).unwrap();
                    prop_assert_eq!(&read_contacts(&account), &before);
                    history::redo(&account.core, &me()).unwrap();
                }
                prop_assert_eq!(&read_contacts(&account), &after);
            }
            account.core.clean().refresh(&account.core, id).unwrap();
            prop_assert_eq!(wait_until_done(&account, id).progress.fault, None);
            if !has_changed {
                break;
            }
        }
        prop_assert!(suggestions(&account, id).iter().all(|one| !one.can_mend));
        prop_assert_eq!(export_events(&account), out);
        for _ in 0..steps {
            history::undo(&account.core, &me()).unwrap();
        }
        prop_assert_eq!(read_contacts(&account), start);
    }
}
