//! The mapping of an open import, its rehearsal and its acceptance.

use super::*;
use crate::{
    mapping::{FieldTarget, Mapping, ValuePiece},
    rehearse::RowQuery,
    session::{CellText, MappingBy, profiles},
    validate::RejectReason,
    verdicts::RowBucket,
};

fn bucket_filter(bucket: RowBucket) -> RowQuery {
    RowQuery { bucket: Some(bucket), ..RowQuery::default() }
}

impl SessionFixture {
    fn rehearse_import(&self, import: u64) -> ImportState {
        self.wait_until_settled(import);
        self.core.imports().rehearse(&self.core, import).unwrap();
        let state = self.wait_until_settled(import);
        assert_eq!((state.stage, state.fault.as_deref()), (ImportStage::Rehearsed, None));
        state
    }
}

#[test]
fn every_row_has_its_bucket_and_a_corrected_one_gets_another() {
    let world = SessionFixture::new();
    let import = world.open_import(vec![world.write_file("people.csv", PEOPLE)]);
    let counts = world.rehearse_import(import).counts.unwrap();
    assert_eq!((counts.rows, counts.new, counts.invalid, counts.blank), (3, 2, 1, 2));
    let rehearsal = world.core.imports().describe_rehearsal(&world.core, import).unwrap().summary;
    assert_eq!(
        (rehearsal.reasons.len(), rehearsal.reasons[0].reason, rehearsal.reasons[0].count),
        (1, RejectReason::NotANumber, 1)
    );
    let rows = |bucket| world.core.imports().list_rows(&world.core, import, &bucket_filter(bucket), 0, 10).unwrap();
    let invalid = rows(RowBucket::Invalid);
    assert_eq!((invalid.total, invalid.rows[0].row, invalid.rows[0].place), (1, 4, 5));
    assert_eq!(invalid.rows[0].cells, ["12", "Cy", "Hull"]);
    assert_eq!(invalid.rows[0].reason.as_ref().unwrap().field.as_deref(), Some("phone_number"));
    let problem = world.core.imports().find_problem(&world.core, import, None, false).unwrap();
    assert_eq!((problem.row, problem.bucket), (Some(4), Some(RowBucket::Invalid)));

    let mended = CellText { column: 0, text: "07700 900003".to_owned() };
    world.core.imports().fix_row(&world.core, import, 4, &[mended]).unwrap();
    let counts = world.wait_until_settled(import).counts.unwrap();
    assert_eq!((counts.rows, counts.new, counts.invalid), (3, 3, 0));
    let new = rows(RowBucket::New);
    assert_eq!((new.rows[2].is_mended, new.rows[2].number.as_deref()), (true, Some("+447700900003")));
    assert!(!new.rows[0].is_mended);
    let mend = |row, column| {
        let cell = CellText { column, text: "x".to_owned() };
        world.core.imports().fix_row(&world.core, import, row, &[cell]).unwrap_err().to_string()
    };
    assert_eq!((mend(0, 0).contains("is the header"), mend(9, 0).contains("The row was not found")), (true, true));
    assert!(mend(4, 3).contains("The column was not found"));
}

#[test]
fn a_typed_mapping_drops_the_rehearsal_and_a_faulty_one_is_kept_and_reported() {
    let world = SessionFixture::new();
    let import = world.open_import(vec![world.write_file("people.csv", PEOPLE)]);
    let before = world.rehearse_import(import);
    let faulty = Mapping { targets: Vec::new(), ..world.describe_table(import).mapping };
    let mapped = world.core.imports().set_mapping(&world.core, import, faulty.clone()).unwrap();
    assert_eq!((mapped.faults.len(), mapped.sample.len()), (1, 0));
    let state = world.wait_until_settled(import);
    assert_eq!((state.stage, state.counts, state.obstacles.len()), (ImportStage::Mapping, None, 1));
    assert!(state.generation > before.generation);
    assert_eq!((world.describe_table(import).mapping, world.describe_table(import).by), (faulty, MappingBy::Person));
    let refused = world.core.imports().rehearse(&world.core, import).unwrap_err();
    assert!(refused.to_string().contains("which column holds the phone number"), "{refused}");
    assert!(world.core.imports().describe_rehearsal(&world.core, import).is_err());
}

#[test]
fn what_the_first_rows_become_is_shown() {
    let world = SessionFixture::new();
    let import = world.open_import(vec![world.write_file("people.csv", PEOPLE)]);
    world.wait_until_settled(import);
    let mut mapping = world.describe_table(import).mapping;
    let pieces = vec![ValuePiece::Constant { text: "Dear".to_owned() }, ValuePiece::Column { column: 1, part: None }];
    let greeting = Some("Greeting".to_owned());
    mapping.targets.push(FieldTarget { new_field: greeting, between: " ".to_owned(), ..FieldTarget::new("", pieces) });
    let mapped = world.core.imports().set_mapping(&world.core, import, mapping).unwrap();
    assert_eq!(mapped.faults, []);
    let values: Vec<Vec<&str>> = mapped
        .sample
        .iter()
        .map(|row| row.values.iter().map(|value| value.as_deref().unwrap_or("-")).collect())
        .collect();
    assert_eq!(values[0], ["+447700900001", "Ada", "York", "Dear Ada"]);
    assert_eq!((values[2][0], mapped.sample[2].reason.as_ref().unwrap().reason), ("-", RejectReason::NotANumber));
}

#[test]
fn a_mapping_is_kept_under_a_name_and_shared() {
    let world = SessionFixture::new();
    let import = world.open_import(vec![world.write_file("people.csv", PEOPLE)]);
    world.wait_until_settled(import);
    let mut mapping = world.describe_table(import).mapping;
    mapping.targets.truncate(1);
    world.core.imports().set_mapping(&world.core, import, mapping.clone()).unwrap();
    profiles::save_profile(&world.core, world.core.imports(), import, " Shop ").unwrap();
    let text = profiles::write_profile(&world.core, "Shop").unwrap();
    assert_eq!(profiles::add_shared(&world.core, &text).unwrap(), "Shop (2)");
    assert!(profiles::add_shared(&world.core, "{}").is_err());

    let other = world.open_import(vec![world.write_file("other.csv", "City,Phone\nYork,07700900001\n")]);
    world.wait_until_settled(other);
    profiles::apply_saved(&world.core, world.core.imports(), other, "Shop").unwrap();
    let table = world.describe_table(other);
    assert_eq!((table.by, table.profile.as_deref()), (MappingBy::Profile, Some("Shop")));
    assert_eq!(table.mapping.targets[0].pieces, [ValuePiece::Column { column: 1, part: None }]);

    let third = world.open_import(vec![world.write_file("third.csv", "Town,Tel\nYork,07700900001\n")]);
    world.wait_until_settled(third);
    let items = profiles::list_profiles(&world.core, world.core.imports(), Some(third)).unwrap();
    assert_eq!((items.len(), items[0].mismatch.as_deref()), (2, Some("The file has no column “Phone”.")));
    assert!(profiles::apply_saved(&world.core, world.core.imports(), third, "Shop").is_err());
    profiles::remove_profile(&world.core, "Shop").unwrap();
    assert!(
        profiles::remove_profile(&world.core, "Shop").is_err() && profiles::write_profile(&world.core, "Shop").is_err()
    );
}

#[test]
fn a_list_that_others_changed_makes_it_stale() {
    let world = SessionFixture::new();
    let import = world.open_import(vec![world.write_file("people.csv", PEOPLE)]);
    assert!(!world.rehearse_import(import).is_stale);
    let other = world.open_import(vec![world.write_file("more.csv", "Phone\n07700900009\n")]);
    world.rehearse_import(other);
    roost_ops::list::rename(&world.core, &user(), &world.list, "Others").unwrap();
    assert!(world.wait_until_settled(import).is_stale);
    assert!(!world.rehearse_import(import).is_stale);
    let new = ImportTarget::NewList("May".to_owned());
    world.core.imports().set_target(&world.core, import, Some(new)).unwrap();
    assert_eq!(world.wait_until_settled(import).stage, ImportStage::Mapping);
    assert_eq!(world.rehearse_import(import).counts.unwrap().new, 2);
}

#[test]
fn what_was_rehearsed_is_written_in_one_step_and_nothing_is_left_beside_the_account() {
    let world = SessionFixture::new();
    let import = world.open_import(vec![
        world.write_file("people.csv", PEOPLE),
        world.write_file("more.csv", "Phone\n07700900009\n"),
    ]);
    let counts = world.rehearse_import(import).counts.unwrap();
    world.core.imports().accept(&world.core, &user(), import, None).unwrap();
    let state = world.wait_until_settled(import);
    assert_eq!((state.stage, state.fault), (ImportStage::Accepted, None));
    let accepted = state.accepted.unwrap();
    assert_eq!(
        (accepted.result.counts, accepted.result.rejects, accepted.list_name.as_str()),
        (counts, 1, "Everybody")
    );
    let there = list::get(&world.core, &world.list).unwrap().contact_count;
    assert_eq!((there, counts.new), (3, 3));
    assert_eq!(world.stored_folders(), [""; 0]);
    assert_eq!(world.core.imports().list_waiting(&world.core).unwrap(), []);
    assert!(world.core.imports().rehearse(&world.core, import).is_err(), "it was accepted");
    let past = crate::history::get(&world.core, accepted.result.import).unwrap();
    assert_eq!(
        (past.name.as_str(), past.kind.as_str(), past.step),
        ("people.csv and 1 more file", "text", accepted.result.step)
    );
    let mut left_out = Vec::new();
    crate::session::reject_file::write_rejects(&world.core, accepted.result.import, &mut left_out).unwrap();
    let left_out = String::from_utf8(left_out).unwrap();
    assert!(left_out.contains("Phone,First name,City,Line,What is wrong\r\n12,Cy,Hull,5,"), "{left_out}");

    // The mapping of these columns is remembered from now on.
    let both = world.open_import(vec![
        world.write_file("people.csv", PEOPLE),
        world.write_file("more.csv", "Phone\n07700900009\n"),
    ]);
    world.wait_until_settled(both);
    assert_eq!(world.describe_table(both).by, MappingBy::Remembered);
    assert_eq!(world.rehearse_import(both).counts.unwrap().same, 3);
}

#[test]
fn accepting_is_ended_and_the_import_waits_as_it_was() {
    let world = SessionFixture::new();
    let rows: String = (0..50_000).map(|row| format!("+4477{row:08},Name\n")).collect();
    let import = world.open_import(vec![world.write_file("many.csv", format!("Phone,First name\n{rows}"))]);
    world.rehearse_import(import);
    world.core.imports().accept(&world.core, &user(), import, None).unwrap();
    assert!(
        world.core.imports().discard(&world.core, import).is_err(),
        "an import that is being accepted cannot be discarded"
    );
    world.core.imports().cancel(&world.core, import).unwrap();
    let state = world.wait_until_settled(import);
    // Accepting may have ended before it was cancelled.
    if state.accepted.is_none() {
        assert_eq!(
            (state.stage, state.fault.as_deref()),
            (ImportStage::Rehearsed, Some("The operation was cancelled."))
        );
        assert_eq!(list::get(&world.core, &world.list).unwrap().contact_count, 0);
        world.core.imports().accept(&world.core, &user(), import, None).unwrap();
        assert_eq!(world.wait_until_settled(import).stage, ImportStage::Accepted);
    }
    assert!(list::get(&world.core, &world.list).unwrap().contact_count > 0);
}

#[test]
fn a_changed_list_is_not_written_over_unseen() {
    let world = SessionFixture::new();
    let import = world.open_import(vec![world.write_file("people.csv", PEOPLE)]);
    world.rehearse_import(import);
    roost_ops::list::rename(&world.core, &user(), &world.list, "Others").unwrap();
    let refused = world.core.imports().accept(&world.core, &user(), import, None).unwrap_err();
    assert!(refused.to_string().contains("Rehearse again"), "{refused}");
}
