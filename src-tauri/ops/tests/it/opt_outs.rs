//! Tests the acts of people on opt-outs: no opt-out is weakened, a removal affects only what its preview showed, and
//! every change is recorded.

use roost_model::{
    channel::Channel,
    error::ErrorCode,
    id::AssetId,
    opt_out::{OptOutRecordScope, OptOutType},
    page::{PageRequest, SortOrder},
    phone::Region,
};
use roost_ops::{
    Actor, ActorKind, Core, Error, asset,
    history::{self, StepQuery, StepState},
    list::{self, UniqueNames},
    opt_out::{
        self, CheckVerdict, ImportColumns, NewOptOut, NumberLookup, OptOutEventKind, OptOutGridQuery,
        OptOutImportOptions, OptOutRowStatus, OptOutSource, RecordKey, RemovalSelection, ScopeKind,
    },
};

use crate::support::account;

fn me() -> Actor {
    Actor::user(None)
}

fn great_britain() -> Option<Region> {
    Some(Region::gb())
}

fn phone_number(last: u32) -> String {
    format!("+44770090{last:04}")
}

fn new_opt_out(number: &str, channels: &[Channel], asset: Option<&AssetId>) -> NewOptOut {
    NewOptOut { number: number.to_owned(), channels: channels.to_vec(), asset: asset.map(|id| id.as_str().to_owned()) }
}

fn add_opt_outs(core: &Core, entries: &[NewOptOut]) -> opt_out::OptOutAdded {
    opt_out::add(core, &me(), entries, "They wrote to us", great_britain()).unwrap()
}

fn grid_query() -> OptOutGridQuery {
    OptOutGridQuery {
        number: None,
        kind: None,
        channel: None,
        scope: None,
        asset: None,
        inbound_number: None,
        from: None,
        to: None,
        order: SortOrder::Descending,
        page: PageRequest { number: 1, size: 200 },
    }
}

fn remove_opt_out(core: &Core, number: &str, reason: &str) {
    let key = RecordKey { number: number.to_owned(), channel: Channel::Sms, scope: OptOutRecordScope::Account };
    let unwanted = RemovalSelection::Records(vec![key]);
    let shown = opt_out::preview_removal(core, &unwanted).unwrap();
    opt_out::remove(core, &me(), &unwanted, shown.count, &shown.stamp, reason).unwrap();
}

fn count_opt_outs(core: &Core) -> u64 {
    opt_out::read_grid(core, &grid_query()).unwrap().total_items
}

fn add_long_number(core: &Core) -> AssetId {
    asset::add(core, &Actor::operator(), Channel::Sms, "+447700900500").unwrap().id
}

fn timeline_events(core: &Core, number: &str) -> Vec<(OptOutEventKind, Option<String>)> {
    let timeline = opt_out::read_timeline(core, number, None).unwrap();
    timeline.events.into_iter().map(|event| (event.action, event.act)).collect()
}

fn expected_event(action: OptOutEventKind, act: &str) -> (OptOutEventKind, Option<String>) {
    (action, Some(act.to_owned()))
}

fn preview_import(core: &Core, text: &str, columns: Option<ImportColumns>) -> opt_out::OptOutImportPlan {
    let reading = OptOutImportOptions {
        source: OptOutSource::Text(text),
        region: great_britain(),
        channels: &[Channel::Sms],
        columns,
    };
    opt_out::read_import(core, &me(), reading).unwrap()
}

#[test]
fn numbers_are_opted_out_in_any_spelling_with_a_reason_and_as_one_step() {
    let core = account();
    let sms = add_long_number(&core);
    let both = Channel::ALL;
    let added = add_opt_outs(
        &core,
        &[new_opt_out("07700 900001", &both, None), new_opt_out("+44 (0)7700 900002", &[Channel::Sms], Some(&sms))],
    );
    assert_eq!((added.added, added.renewed), (3, 0));
    assert!(added.records.iter().all(|record| record.kind == OptOutType::AccountImport));
    let item = opt_out::read_grid(&core, &OptOutGridQuery { scope: Some(ScopeKind::Asset), ..grid_query() })
        .unwrap()
        .items
        .remove(0);
    assert_eq!(item.record.scope_number.as_deref(), Some("+447700900500"));
    assert_eq!((item.source, item.reason.as_deref()), (Some(ActorKind::User), Some("They wrote to us")));
    let undo = history::read_undo_status(&core).unwrap().undo.unwrap();
    assert_eq!((undo.act.as_str(), undo.count), ("opt_out_add", 3));
    let undone = history::undo(&core, &me()).unwrap();
    assert_eq!(
        (undone.opt_outs_kept, count_opt_outs(&core)),
        (3, 3),
        "nothing but a removal with a reason ends an opt-out"
    );
}

#[test]
fn undoing_a_renewal_weakens_no_evidence() {
    let core = account();
    let one = phone_number(1);
    add_opt_outs(&core, &[new_opt_out(&one, &[Channel::Sms], None)]);
    core.ctx().advance(60);
    let more = [new_opt_out(&one, &[Channel::Sms], None), new_opt_out(&phone_number(2), &[Channel::Sms], None)];
    let added = add_opt_outs(&core, &more);
    assert_eq!((added.added, added.renewed), (1, 1));
    let read_records = || opt_out::read_grid(&core, &grid_query()).unwrap().items;
    let (records, events) = (read_records(), timeline_events(&core, &one));
    let undone = history::undo(&core, &me()).unwrap();
    assert_eq!((undone.rows, undone.kept, undone.opt_outs_kept), (0, 0, 2));
    assert_eq!(history::read_undo_status(&core).unwrap().redo, None, "nothing was undone");
    assert_eq!(read_records(), records);
    assert_eq!(timeline_events(&core, &one), events);
}

#[test]
fn one_bad_entry_keeps_all_out_and_every_fault_is_at_its_place() {
    let core = account();
    let sms = add_long_number(&core);
    let entries = [
        new_opt_out("07700 900001", &[Channel::Sms], None),
        new_opt_out("12", &[Channel::Sms], None),
        new_opt_out("07700 900003", &[], None),
        new_opt_out("07700 900004", &[Channel::WhatsApp], Some(&sms)),
    ];
    let Err(Error::Invalid { faults }) = opt_out::add(&core, &me(), &entries, " ", great_britain()) else {
        panic!("refused")
    };
    let paths: Vec<_> = faults.iter().map(|fault| fault.path.as_str()).collect();
    assert_eq!(paths, ["reason", "entries[1].number", "entries[2].channels", "entries[3].asset"]);
    assert_eq!(count_opt_outs(&core), 0);
}

#[test]
fn the_ledger_outlives_undoing_which_is_an_event_of_its_own() {
    let core = account();
    let one = phone_number(1);
    add_opt_outs(&core, &[new_opt_out(&one, &[Channel::Sms], None)]);
    history::undo(&core, &me()).unwrap();
    assert_eq!(
        timeline_events(&core, &one),
        [expected_event(OptOutEventKind::Added, "opt_out_add")],
        "undoing ends no opt-out"
    );
    let key = RecordKey { number: one.clone(), channel: Channel::Sms, scope: OptOutRecordScope::Account };
    let unwanted = RemovalSelection::Records(vec![key]);
    let shown = opt_out::preview_removal(&core, &unwanted).unwrap();
    opt_out::remove(&core, &me(), &unwanted, shown.count, &shown.stamp, "They asked").unwrap();
    history::undo(&core, &me()).unwrap();
    assert_eq!(
        timeline_events(&core, &one),
        [
            expected_event(OptOutEventKind::Added, "undo"),
            expected_event(OptOutEventKind::Removed, "opt_out_remove"),
            expected_event(OptOutEventKind::Added, "opt_out_add"),
        ]
    );
    add_opt_outs(&core, &[new_opt_out(&one, &[Channel::Sms], None)]);
    assert_eq!(timeline_events(&core, &one)[0], expected_event(OptOutEventKind::Renewed, "opt_out_add"));
    let events = opt_out::read_timeline(&core, "07700 900001", great_britain()).unwrap().events;
    assert_eq!(events[0].reason.as_deref(), Some("They wrote to us"));
}

#[test]
fn a_removal_takes_exactly_what_was_shown() {
    let core = account();
    let sms = add_long_number(&core);
    let one = phone_number(1);
    add_opt_outs(&core, &[new_opt_out(&one, &Channel::ALL, None), new_opt_out(&one, &[Channel::Sms], Some(&sms))]);
    // Removing the account's record on SMS also removes the asset's record. The other channel stays.
    let key = RecordKey { number: one.clone(), channel: Channel::Sms, scope: OptOutRecordScope::Account };
    let unwanted = RemovalSelection::Records(vec![key]);
    let shown = opt_out::preview_removal(&core, &unwanted).unwrap();
    assert_eq!((shown.count, shown.taken_along), (2, 1));
    let along: Vec<_> = shown.records.iter().filter(|going| !going.is_asked).collect();
    assert_eq!(along[0].record.scope, OptOutRecordScope::Asset(sms.clone()));
    // An asset's record can be removed alone.
    let alone = RemovalSelection::Records(vec![RecordKey {
        number: one.clone(),
        channel: Channel::Sms,
        scope: OptOutRecordScope::Asset(sms.clone()),
    }]);
    assert_eq!(opt_out::preview_removal(&core, &alone).unwrap().count, 1);

    // After a renewal there are as many records as before, but not the same ones.
    core.ctx().advance(60);
    add_opt_outs(&core, &[new_opt_out(&one, &[Channel::Sms], None)]);
    let refused = opt_out::remove(&core, &me(), &unwanted, shown.count, &shown.stamp, "Asked to").unwrap_err();
    assert_eq!(refused.code(), ErrorCode::Conflict);
    assert_eq!(count_opt_outs(&core), 3);

    let shown = opt_out::preview_removal(&core, &unwanted).unwrap();
    assert_eq!(opt_out::remove(&core, &me(), &unwanted, shown.count, &shown.stamp, "Asked to").unwrap(), 2);
    let left = opt_out::read_grid(&core, &grid_query()).unwrap().items;
    assert_eq!(left.iter().map(|item| item.record.channel).collect::<Vec<_>>(), [Channel::WhatsApp]);
    assert_eq!(timeline_events(&core, &one)[0], expected_event(OptOutEventKind::Removed, "opt_out_remove"));

    // The records are in the trash, and can be restored after other acts.
    let bin = history::read_trash(&core, None, PageRequest { number: 1, size: 10 }).unwrap().items;
    assert_eq!((bin[0].act.as_str(), bin[0].count), ("opt_out_remove", 2));
    add_opt_outs(&core, &[new_opt_out(&phone_number(2), &[Channel::Sms], None)]);
    history::restore(&core, &me(), bin[0].id).unwrap();
    assert_eq!(count_opt_outs(&core), 4);
}

#[test]
fn numbers_are_removed_as_the_interface_does_and_missing_ones_are_reported() {
    let core = account();
    let sms = add_long_number(&core);
    add_opt_outs(
        &core,
        &[
            new_opt_out(&phone_number(1), &Channel::ALL, None),
            new_opt_out(&phone_number(1), &[Channel::Sms], Some(&sms)),
        ],
    );
    let wanted = |channel, asset: Option<&AssetId>| RemovalSelection::Numbers {
        numbers: vec!["07700 900001".into(), "07700900001".into(), "07700 900002".into(), "x".into()],
        channel,
        asset: asset.cloned(),
        region: great_britain(),
    };
    let shown = |unwanted: &RemovalSelection| opt_out::preview_removal(&core, unwanted).unwrap();
    assert_eq!(shown(&wanted(None, None)).count, 3);
    assert_eq!(shown(&wanted(Some(Channel::Sms), None)).count, 2);
    let alone = shown(&wanted(None, Some(&sms)));
    assert_eq!((alone.count, alone.not_found, alone.invalid), (1, vec!["07700 900002".into()], vec!["x".into()]));
    let crossed = opt_out::preview_removal(&core, &wanted(Some(Channel::WhatsApp), Some(&sms))).unwrap_err();
    assert_eq!(crossed.code(), ErrorCode::Invalid);
}

#[test]
fn an_import_only_adds_and_its_rows_sum() {
    let core = account();
    let sms = add_long_number(&core);
    opt_out::handle_inbound_message(&core, &Actor::operator(), &phone_number(1), &sms, "stop").unwrap();
    opt_out::add_web_opt_out(&core, &Actor::operator(), &phone_number(2), Channel::Sms).unwrap();
    let text = "Name,Mobile,Channel\nContact 1,07700 900001,SMS\nContact 2,+447700900002,sms\nContact 3,07700900003,\n\
                Contact 4,0044 7700 900003,SMS\nContact 5,4.47E+11,SMS\nContact 6,07700900004,pigeon\nContact 7,,\n";
    let import = preview_import(&core, text, None);
    assert_eq!(import.columns, ImportColumns { has_head: true, number: 1, channel: Some(2), asset: None });
    let counts = import.counts;
    assert_eq!((counts.rows, counts.new, counts.already, counts.duplicates, counts.invalid), (7, 2, 1, 1, 3));
    assert_eq!(counts.new + counts.already + counts.duplicates + counts.invalid, counts.rows);
    assert_eq!(counts.would_add, 2);
    let (bad, _) = import.read_rows(Some(OptOutRowStatus::Invalid), 0, 10);
    assert_eq!(bad.iter().map(|row| row.row).collect::<Vec<_>>(), [6, 7, 8]);
    let (doubles, _) = import.read_rows(Some(OptOutRowStatus::Duplicate), 0, 10);
    assert_eq!((doubles[0].row, doubles[0].duplicate_of), (5, Some(4)));

    let refused = opt_out::apply_import(&core, &me(), &import, 3, "Their old system").unwrap_err();
    assert!(matches!(refused, Error::Invalid { faults } if faults[0].path == "typed_count"));
    assert_eq!(count_opt_outs(&core), 2);
    assert_eq!(opt_out::apply_import(&core, &me(), &import, 2, "Their old system").unwrap(), 2);
    let kinds = |last| {
        let records = opt_out::read_timeline(&core, &phone_number(last), None).unwrap().records;
        records.iter().map(|record| (record.scope.is_account(), record.kind)).collect::<Vec<_>>()
    };
    assert_eq!(kinds(1), [(true, OptOutType::AccountImport), (false, OptOutType::Keyword)], "the keyword stays");
    assert_eq!(kinds(2), [(true, OptOutType::WebOptOut)], "not replaced");
    assert_eq!(timeline_events(&core, &phone_number(3)), [expected_event(OptOutEventKind::Added, "opt_out_import")]);
    // The records to add have changed since the preview.
    let again = opt_out::apply_import(&core, &me(), &import, 2, "Their old system").unwrap_err();
    assert_eq!(again.code(), ErrorCode::Conflict);
}

#[test]
fn a_pasted_column_needs_no_head_and_can_be_for_both_channels() {
    let core = account();
    let reading = OptOutImportOptions {
        source: OptOutSource::Text("07700900001\n07700900002\n07700 900001\n"),
        region: great_britain(),
        channels: &Channel::ALL,
        columns: None,
    };
    let import = opt_out::read_import(&core, &me(), reading).unwrap();
    assert!(!import.columns.has_head);
    assert_eq!((import.counts.new, import.counts.duplicates, import.counts.would_add), (2, 1, 4));
    assert_eq!(opt_out::apply_import(&core, &me(), &import, 4, "Pasted").unwrap(), 4);
}

#[test]
fn a_heading_distinguishes_our_number_from_theirs() {
    let core = account();
    add_long_number(&core);
    for head in ["Our number", "asset", "Inbound_Number"] {
        let text = format!("{head},Who\n+447700900500,07700 900001\n+447700900500,07700 900002\n");
        let import = preview_import(&core, &text, None);
        assert_eq!(
            import.columns,
            ImportColumns { has_head: true, number: 1, channel: None, asset: Some(0) },
            "{head}"
        );
        assert_eq!(import.counts.would_add, 2, "{head}");
    }
}

#[test]
fn a_look_up_of_many_numbers_comes_in_slices_and_sums() {
    let core = account();
    let sms = add_long_number(&core);
    add_opt_outs(
        &core,
        &[
            new_opt_out(&phone_number(1), &[Channel::Sms], None),
            new_opt_out(&phone_number(2), &[Channel::Sms], Some(&sms)),
        ],
    );
    let mut lookup = NumberLookup::start(&core);
    let given: Vec<String> = (0..3_000).map(|n| format!("07700 90{:04}", n % 1_000)).collect();
    for slice in given.chunks(700) {
        lookup.add_numbers(&core, slice, great_britain()).unwrap();
    }
    let totals = lookup.add_numbers(&core, &["what".to_owned()], great_britain()).unwrap();
    assert_eq!((totals.lines, totals.duplicates, totals.invalid), (3_001, 2_000, 1));
    assert_eq!((totals.opted_out, totals.sms_account, totals.sms_assets, totals.whatsapp_account), (2, 1, 1, 0));
    assert_eq!(totals.allowed + totals.opted_out + totals.duplicates + totals.invalid, totals.lines);
    let (lines, found) = lookup.read_lines(Some(CheckVerdict::OptedOut), 0, 10);
    assert_eq!((found, lines[0].line, lines[1].line), (2, 2, 3));
    assert_eq!(lines[1].sms.assets[0].number.as_deref(), Some("+447700900500"));
    let (doubles, _) = lookup.read_lines(Some(CheckVerdict::Duplicate), 1, 1);
    assert_eq!((doubles[0].duplicate_of, doubles[0].sms.is_account), (Some(2), true));
    assert!(!lookup.is_stale(&core));
    add_opt_outs(&core, &[new_opt_out(&phone_number(3), &[Channel::Sms], None)]);
    assert!(lookup.is_stale(&core));
    let too_many = vec![String::new(); opt_out::LINES_MAX];
    assert_eq!(lookup.add_numbers(&core, &too_many, great_britain()).unwrap_err().code(), ErrorCode::Conflict);
}

#[test]
fn the_grid_finds_part_of_a_number_in_any_spelling() {
    let core = account();
    add_opt_outs(
        &core,
        &[new_opt_out(&phone_number(1), &[Channel::Sms], None), new_opt_out("+442079460000", &[Channel::Sms], None)],
    );
    let found = |raw: &str| {
        let query = OptOutGridQuery { number: opt_out::parse_number_part(raw), ..grid_query() };
        opt_out::read_grid(&core, &query).unwrap().total_items
    };
    for (raw, hits) in [("07700", 1), ("+44 7700", 1), ("0044", 2), ("900 001", 1), ("", 2), ("Ada", 0), ("+1", 0)] {
        assert_eq!(found(raw), hits, "{raw}");
    }
}

#[test]
fn an_inbound_message_reports_what_it_did() {
    use roost_ops::opt_out::InboundOutcome::{InvalidNumber, NoKeyword, OptedOut};
    let core = account();
    let sms = add_long_number(&core);
    let come = |from: &str, text: &str| opt_out::handle_inbound_message(&core, &me(), from, &sms, text).unwrap();
    assert_eq!(come(&phone_number(1), "hello"), NoKeyword);
    assert_eq!(come("12", "stop"), InvalidNumber);
    let OptedOut { record, keyword, was_opted_out } = come(&phone_number(1), " Stop ") else { panic!("a keyword") };
    assert_eq!((keyword.as_str(), was_opted_out, record.scope), ("STOP", false, OptOutRecordScope::Asset(sms.clone())));
    let OptedOut { was_opted_out, .. } = come(&phone_number(1), "unsubscribe") else { panic!("a keyword") };
    assert!(was_opted_out);
    asset::set_enforce(&core, &me(), &sms, true).unwrap();
    let OptedOut { record, .. } = come(&phone_number(1), "STOP") else { panic!("a keyword") };
    assert!(record.scope.is_account());
}

#[test]
fn an_act_whose_opt_outs_stay_is_neither_undone_nor_redone_in_the_timeline() {
    let core = account();
    let read_timeline = || -> Vec<(i64, String, StepState)> {
        let page = PageRequest { number: 1, size: 50 };
        let entries = history::read_timeline(&core, &StepQuery::default(), page).unwrap().items;
        entries.into_iter().map(|entry| (entry.step.id, entry.step.act, entry.step.state)).collect()
    };
    let one = phone_number(1);
    list::create(&core, &me(), "Spring", UniqueNames::Off).unwrap();
    add_opt_outs(&core, &[new_opt_out(&one, &[Channel::Sms], None)]);
    let before = read_timeline();
    let kept = history::undo(&core, &me()).unwrap();
    assert_eq!((kept.rows, kept.opt_outs_kept), (0, 1));
    assert_eq!(read_timeline(), before, "it still counts as done");
    let status = history::read_undo_status(&core).unwrap();
    assert_eq!((status.undo.unwrap().act.as_str(), status.redo), ("list_create", None), "the next one is undone");

    remove_opt_out(&core, &one, "Asked to");
    assert_eq!(history::undo(&core, &me()).unwrap().rows, 1);
    let before = read_timeline();
    let states: Vec<(&str, StepState)> = before.iter().take(2).map(|(_, act, state)| (act.as_str(), *state)).collect();
    assert_eq!(states, [("undo", StepState::Note), ("opt_out_remove", StepState::Undone)]);
    let kept = history::redo(&core, &me()).unwrap();
    assert_eq!((kept.rows, kept.opt_outs_kept), (0, 1));
    assert_eq!(read_timeline(), before, "the removal is still undone");
    assert_eq!(history::read_undo_status(&core).unwrap().redo, None);
}

#[test]
fn an_opt_out_that_returns_keeps_its_reason_and_its_source() {
    let core = account();
    let read_origins = || -> Vec<(Option<ActorKind>, Option<String>)> {
        let found = opt_out::read_grid(&core, &grid_query()).unwrap().items;
        found.into_iter().map(|item| (item.source, item.reason)).collect()
    };
    let (one, two) = (phone_number(1), phone_number(2));
    add_opt_outs(&core, &[new_opt_out(&one, &[Channel::Sms], None)]);
    core.ctx().advance(60);
    opt_out::add_web_opt_out(&core, &Actor::interface(), &two, Channel::Sms).unwrap();
    let before = read_origins();
    let by_hand = (Some(ActorKind::User), Some("They wrote to us".to_owned()));
    assert_eq!(before, [(Some(ActorKind::Interface), None), by_hand]);
    for number in [&one, &two] {
        core.ctx().advance(60);
        remove_opt_out(&core, number, "Asked to");
        history::undo(&core, &me()).unwrap();
        assert_eq!(read_origins(), before, "after an undo");
        remove_opt_out(&core, number, "Asked to again");
        let step = history::read_undo_status(&core).unwrap().undo.unwrap().id;
        history::restore(&core, &me(), step).unwrap();
        assert_eq!(read_origins(), before, "out of the trash");
    }
    core.ctx().advance(60);
    remove_opt_out(&core, &one, "Asked to once more");
    opt_out::add(&core, &me(), &[new_opt_out(&one, &[Channel::Sms], None)], "Opted out again", None).unwrap();
    assert_eq!(read_origins()[0].1.as_deref(), Some("Opted out again"), "of the newest record");
}
