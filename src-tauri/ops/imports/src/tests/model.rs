//! Compares random imports with a simple model of a list.

use proptest::prelude::*;

use super::{
    super::{
        history,
        mapping::{DuplicateRowRule, OptedOutRowRule, OverwriteRule},
        verdicts::BucketCounts,
    },
    *,
};
use roost_ops::{contact, history as steps};

type FileRow = [&'static str; 5];

/// A contact of the model: phone number, WhatsApp number, city, title.
type ModelContact = [Option<String>; 4];

const NUMBERS: [&str; 5] = ["07700900001", "+447700900001", "07700900002", "07700900003", "nobody"];

fn random_row() -> impl Strategy<Value = FileRow> {
    let cell = |texts: &'static [&'static str]| prop::sample::select(texts);
    let phone = prop_oneof![6 => cell(&NUMBERS), 1 => Just("")];
    (
        phone,
        cell(&["", "", "07700900101", "07700900102", "x"]),
        cell(&["", "York", "Hull"]),
        cell(&["", "Dr"]),
        cell(&["", "", "stop"]),
    )
        .prop_map(|(phone, whatsapp, city, title, stop)| [phone, whatsapp, city, title, stop])
}

fn random_rules() -> impl Strategy<Value = (OverwriteRule, DuplicateRowRule, OptedOutRowRule)> {
    (
        prop::sample::select(vec![
            OverwriteRule::Never,
            OverwriteRule::IfBlank,
            OverwriteRule::IfDifferent,
            OverwriteRule::Always,
        ]),
        prop::sample::select(vec![DuplicateRowRule::First, DuplicateRowRule::Last]),
        prop::sample::select(vec![OptedOutRowRule::Take, OptedOutRowRule::LeaveOut]),
    )
}

fn normalize_number(text: &str) -> Option<String> {
    let text = text.strip_prefix('0').map_or_else(|| text.to_owned(), |rest| format!("+44{rest}"));
    text.starts_with("+44").then_some(text)
}

fn non_blank(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// Imports rows into the list of the model. `out` are the numbers that are opted out of SMS and of WhatsApp.
fn import_into_model(
    list: &mut Vec<ModelContact>,
    out: &[BTreeSet<String>; 2],
    rows: &[FileRow],
    (rule, twice, opted_out): (OverwriteRule, DuplicateRowRule, OptedOutRowRule),
) -> BucketCounts {
    let mut counts = BucketCounts { rows: rows.len() as u64, ..BucketCounts::default() };
    let mut settled: Vec<Option<ModelContact>> = Vec::new();
    for row in rows {
        let [phone, whatsapp, city, title, _] = row;
        let is_bad = |text: &str| !text.is_empty() && normalize_number(text).is_none();
        let person = [normalize_number(phone), normalize_number(whatsapp), non_blank(city), non_blank(title)];
        let is_out = [0, 1].into_iter().any(|at| person[at].as_ref().is_some_and(|number| out[at].contains(number)));
        settled.push(None);
        if row.iter().all(|cell| cell.is_empty()) {
            counts.blank += 1;
            counts.rows -= 1;
        } else if is_bad(phone) || is_bad(whatsapp) || (person[0].is_none() && person[1].is_none()) {
            counts.invalid += 1;
        } else if opted_out == OptedOutRowRule::LeaveOut && is_out {
            counts.opted_out += 1;
        } else {
            *settled.last_mut().unwrap() = Some(person);
        }
    }
    for at in 0..settled.len() {
        let Some(key) = settled[at].as_ref().map(|person| person[0].clone()) else { continue };
        let others = |mut range: std::ops::Range<usize>| {
            range.any(|other| settled[other].as_ref().is_some_and(|person| person[0] == key))
        };
        let is_twin = key.is_some()
            && match twice {
                DuplicateRowRule::First => others(0..at),
                DuplicateRowRule::Last => others(at + 1..settled.len()),
            };
        if is_twin {
            counts.duplicate_in_file += 1;
            // With this rule, earlier rows have been compared already, so the row can be removed at once.
            if twice == DuplicateRowRule::Last {
                settled[at] = None;
            }
        }
    }
    if twice == DuplicateRowRule::First {
        let mut seen = BTreeSet::new();
        for person in &mut settled {
            let key = person.as_ref().and_then(|person| person[0].clone());
            if key.is_some_and(|key| !seen.insert(key)) {
                *person = None;
            }
        }
    }
    let mut new = Vec::new();
    for person in settled.into_iter().flatten() {
        let found: Vec<usize> = (0..list.len()).filter(|at| person[0].is_some() && list[*at][0] == person[0]).collect();
        match found.as_slice() {
            [] => {
                counts.new += 1;
                new.push(person);
            }
            [at] => {
                let before = list[*at].clone();
                let differs = (1..person.len()).any(|field| person[field].is_some() && person[field] != before[field]);
                for (field, value) in person.into_iter().enumerate().skip(1) {
                    let old = &mut list[*at][field];
                    let takes = match rule {
                        OverwriteRule::Never => false,
                        OverwriteRule::IfBlank => old.is_none(),
                        OverwriteRule::IfDifferent => value.is_some(),
                        OverwriteRule::Always => true,
                    };
                    if takes {
                        *old = value;
                    }
                }
                match (list[*at] == before, differs) {
                    (false, _) => counts.changed += 1,
                    (true, true) => counts.kept += 1,
                    (true, false) => counts.same += 1,
                }
            }
            _ => counts.duplicate_in_list += 1,
        }
    }
    list.extend(new);
    counts
}

fn list_contacts(world: &TestAccount) -> Vec<ModelContact> {
    let mut people: Vec<ModelContact> = world
        .contacts()
        .iter()
        .map(|contact| {
            ["phone_number", "whatsapp_id", "city", "title"].map(|field| contact[field].as_str().map(str::to_owned))
        })
        .collect();
    people.sort();
    people
}

fn opted_out_numbers(world: &TestAccount) -> [BTreeSet<String>; 2] {
    let export = world.export_seed();
    ["SMS", "WHATSAPP"].map(|channel| {
        let records = export["opt_outs"].as_array().unwrap().iter().filter(|record| record["channel"] == channel);
        records.map(|record| record["number"].as_str().unwrap().to_owned()).collect()
    })
}

#[derive(Debug, Clone)]
enum RandomAct {
    Import(Vec<FileRow>, (OverwriteRule, DuplicateRowRule, OptedOutRowRule)),
    Add(&'static str),
    Edit(usize, &'static str),
    Revert(usize),
    Rejects(usize),
}

fn random_acts() -> impl Strategy<Value = Vec<RandomAct>> {
    let one = prop_oneof![
        3 => (prop::collection::vec(random_row(), 0..8), random_rules()).prop_map(|(rows, rules)| RandomAct::Import(rows, rules)),
        1 => prop::sample::select(&NUMBERS[..4]).prop_map(RandomAct::Add),
        1 => (any::<usize>(), prop::sample::select(vec!["Deal", "Ely"])).prop_map(|(at, city)| RandomAct::Edit(at, city)),
        1 => any::<usize>().prop_map(RandomAct::Revert),
        1 => any::<usize>().prop_map(RandomAct::Rejects),
    ];
    prop::collection::vec(one, 1..7)
}

fn mapping_with((rule, twice, opted_out): (OverwriteRule, DuplicateRowRule, OptedOutRowRule)) -> OpenMapping {
    OpenMapping { twice, opted_out, ..sample_mapping(rule) }
}

fn edit_city(world: &TestAccount, at: usize, city: &str) {
    let contacts = world.contacts();
    if contacts.is_empty() {
        return;
    }
    let uid = contacts[at % contacts.len()]["uid"].as_str().unwrap().to_owned();
    let values = contact::FieldValues::from([("city".to_owned(), Some(city.to_owned()))]);
    contact::update(&world.core, &user(), &roost_model::id::ContactId::parse(&uid).unwrap(), &values, None).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// The buckets sum to the rows, and an import does what its rehearsal says. Each import can be undone and redone at
    /// once.
    #[test]
    fn imports_do_what_the_rehearsal_showed(moves in random_acts()) {
        let world = TestAccount::new();
        let mut imports = Vec::new();
        let mut known = BTreeSet::new();
        for act in moves {
            world.core.ctx().advance(60);
            match act {
                RandomAct::Import(rows, rules) => {
                    let file = SpooledFile::from_rows(&rows);
                    let mut wanted = list_contacts(&world);
                    let rehearsal = world.rehearse_file(&file, &mapping_with(rules));
                    let counts = rehearsal.summary().counts;
                    let BucketCounts { new, same, kept, changed, duplicate_in_file, duplicate_in_list, opted_out, invalid, .. } = counts;
                    prop_assert_eq!(new + same + kept + changed + duplicate_in_file + duplicate_in_list + opted_out + invalid, counts.rows);
                    prop_assert_eq!(import_into_model(&mut wanted, &opted_out_numbers(&world), &rows, rules), counts);
                    wanted.sort();
                    let before = world.export_without_opt_outs();
                    let accepted = world.accept_file(&file, &rehearsal).unwrap();
                    prop_assert_eq!(list_contacts(&world), wanted);
                    prop_assert_eq!(world.contacts().len() as u64, list::get(&world.core, &world.list).unwrap().contact_count);
                    let after = world.export_without_opt_outs();
                    steps::undo(&world.core, &user()).unwrap();
                    prop_assert_eq!(world.export_without_opt_outs(), before);
                    let stay = world.opt_outs();
                    prop_assert!(stay.is_superset(&known), "undoing ended an opt-out");
                    if steps::read_undo_status(&world.core).unwrap().redo.is_some() {
                        steps::redo(&world.core, &user()).unwrap();
                    }
                    prop_assert_eq!(world.export_without_opt_outs(), after);
                    imports.push(accepted.import);
                }
                RandomAct::Add(number) => {
                    let values = contact::FieldValues::from([("phone_number".to_owned(), Some(number.to_owned()))]);
                    contact::add(&world.core, &user(), &world.list, &values, Some("GB")).unwrap();
                }
                RandomAct::Edit(at, city) => edit_city(&world, at, city),
                RandomAct::Revert(at) if !imports.is_empty() => {
                    let import = imports[at % imports.len()];
                    let edited: Vec<Value> = world.contacts().into_iter().filter(|c| c["city"] == "Deal" || c["city"] == "Ely").collect();
                    if let Ok(reverted) = history::revert(&world.core, &user(), import) {
                        let left = world.contacts();
                        for contact in &edited {
                            prop_assert!(left.iter().any(|c| c["uid"] == contact["uid"] && c["city"] == contact["city"]), "{reverted:?}");
                        }
                        prop_assert_eq!(left.len() as u64, list::get(&world.core, &world.list).unwrap().contact_count);
                    }
                }
                RandomAct::Rejects(at) if !imports.is_empty() => {
                    let _ = super::super::rejects::accept_rejects(&world.core, &user(), imports[at % imports.len()], None);
                }
                RandomAct::Revert(_) | RandomAct::Rejects(_) => {}
            }
            let now = world.opt_outs();
            prop_assert!(now.is_superset(&known), "an opt-out is gone");
            known = now;
        }
    }

    /// Reverting the imports in the opposite order restores the former contacts. Only the opt-outs of the imports
    /// remain.
    #[test]
    fn an_import_and_its_revert_leave_nothing(
        first in prop::collection::vec(random_row(), 0..6),
        files in prop::collection::vec((prop::collection::vec(random_row(), 0..8), random_rules()), 1..4),
    ) {
        let world = TestAccount::new();
        world.import_file(&SpooledFile::from_rows(&first), &sample_mapping(OverwriteRule::Always));
        let mut done = Vec::new();
        for (rows, rules) in files {
            world.core.ctx().advance(60);
            let before = world.export_without_opt_outs();
            done.push((world.import_file(&SpooledFile::from_rows(&rows), &mapping_with(rules)).import, before));
        }
        for (import, before) in done.into_iter().rev() {
            world.core.ctx().advance(60);
            let reverted = history::revert(&world.core, &user(), import).unwrap();
            prop_assert_eq!(reverted.kept_total, 0);
            prop_assert_eq!(world.export_without_opt_outs(), before);
        }
    }
}
