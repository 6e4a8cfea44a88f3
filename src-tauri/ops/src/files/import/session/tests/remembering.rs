//! What an import leaves for the next one, in the timeline of opt-outs and in the list.

use roost_model::{channel::Channel, intervals::Intervals};

use super::*;
use crate::{
    files::import::{
        mapping::{Consent, OpenMapping, Piece, Rule},
        session::{MappingBy, profiles},
    },
    grid, opt_out,
};

impl World {
    fn map(&self, import: u64, change: impl FnOnce(&mut OpenMapping)) {
        self.settled(import);
        let mut mapping = self.table(import).mapping;
        change(&mut mapping);
        self.core.imports().map(&self.core, import, mapping).unwrap();
    }

    fn accept(&self, import: u64, typed_count: Option<u64>) {
        self.core.imports().rehearse(&self.core, import).unwrap();
        self.settled(import);
        self.core.imports().accept(&self.core, &by(), import, typed_count).unwrap();
        assert_eq!(self.settled(import).stage, ImportStage::Accepted);
    }

    /// Returns one column of the list as the grid shows it.
    fn shown(&self, column: &str) -> Vec<String> {
        let spec =
            grid::Spec { list: self.list.clone(), filter: None, text: None, sort: Vec::new(), has_deleted: false };
        let (view, _) = self.core.grid().open(&self.core, spec).unwrap();
        while self.core.grid().state(&self.core, view, None, LONG).unwrap().is_building {}
        let (all, columns) = (Intervals::all(99), [column.to_owned()]);
        let text = self.core.grid().copy(&self.core, view, &all, &columns, &[], &Default::default()).unwrap();
        String::from_utf8(text).unwrap().lines().map(str::to_owned).collect()
    }
}

fn cities(city: &str) -> Vec<ImportSource> {
    vec![text("cities.csv", &format!("Phone,City,Title\n07700900001,{city},Dr\n"))]
}

#[test]
fn overwriting_is_asked_for_in_every_import() {
    let world = World::new();
    for city in ["York", "Bath"] {
        let import = world.open(cities(city));
        world.map(import, |mapping| {
            mapping.rule = Rule::Always;
            mapping.targets[2].rule = Some(Rule::IfDifferent);
        });
        world.accept(import, None);
        assert_eq!(world.shown("city"), [city]);
    }
    let next = world.open(cities("Hull"));
    world.settled(next);
    let table = world.table(next);
    assert_eq!((table.by, table.mapping.rule), (MappingBy::Remembered, Rule::IfBlank));
    assert!(table.mapping.targets.iter().all(|target| target.rule.is_none()), "{:?}", table.mapping.targets);
    world.accept(next, None);
    assert_eq!(world.shown("city"), ["Bath"], "nobody asked for it this time");
}

#[test]
fn a_mapping_with_a_name_overwrites_only_where_it_is_chosen() {
    let world = World::new();
    let first = world.open(cities("York"));
    world.map(first, |mapping| mapping.rule = Rule::Always);
    profiles::save(&world.core, first, "Overwrite").unwrap();
    let next = world.open(cities("Bath"));
    world.settled(next);
    assert_eq!(world.table(next).by, MappingBy::Remembered);
    assert_eq!(world.table(next).mapping.rule, Rule::IfBlank);
    profiles::apply(&world.core, next, "Overwrite").unwrap();
    assert_eq!(world.table(next).mapping.rule, Rule::Always);
}

#[test]
fn opt_outs_of_a_file_have_its_name_as_their_reason() {
    let world = World::new();
    let import = world.open(vec![text("stopped in March.csv", "Phone,Opted out\n07700900001,yes\n07700900002,no\n")]);
    world.map(import, |mapping| {
        mapping.targets.retain(|target| target.field == "phone_number");
        mapping.consents = vec![Consent {
            pieces: vec![Piece::Column { column: 1, part: None }],
            between: String::new(),
            words: vec!["yes".to_owned()],
            keeps: vec!["no".to_owned()],
            channels: vec![Channel::Sms],
        }];
    });
    world.accept(import, Some(1));
    let events = opt_out::timeline(&world.core, "+447700900001", None).unwrap().events;
    let reasons: Vec<_> = events.iter().map(|event| event.reason.as_deref()).collect();
    assert_eq!(reasons, [Some("stopped in March.csv")]);
}

#[test]
fn the_rows_of_a_file_stay_in_its_order_and_a_later_file_is_before_them() {
    let world = World::new();
    for rows in ["07700900009,Ada\n07700900001,Zoe\n07700900005,Cy\n", "07700900008,Una\n07700900002,Bo\n"] {
        let import = world.open(vec![text("people.csv", &format!("Phone,First name\n{rows}"))]);
        world.settled(import);
        world.accept(import, None);
        world.core.ctx().advance(1);
    }
    assert_eq!(world.shown("firstname"), ["Una", "Bo", "Ada", "Zoe", "Cy"]);
    let copy = list::duplicate(&world.core, &by(), &world.list, "Copy").unwrap().uid;
    let copied = World { list: copy, ..world };
    assert_eq!(copied.shown("firstname"), ["Una", "Bo", "Ada", "Zoe", "Cy"], "a copy is in the same order");
}
