//! What an import leaves for the next one, in the timeline of opt-outs and in the list.

use roost_model::{channel::Channel, page::PageRequest};

use super::*;
use roost_ops::{
    contact::{self, ContactFilter, TableQuery},
    opt_out,
};

use crate::{
    mapping::{ConsentMapping, OpenMapping, OverwriteRule, ValuePiece},
    session::{MappingBy, profiles},
};

impl SessionFixture {
    fn change_mapping(&self, import: u64, change: impl FnOnce(&mut OpenMapping)) {
        self.wait_until_settled(import);
        let mut mapping = self.describe_table(import).mapping;
        change(&mut mapping);
        self.core.imports().set_mapping(&self.core, import, mapping).unwrap();
    }

    fn accept_import(&self, import: u64, typed_count: Option<u64>) {
        self.core.imports().rehearse(&self.core, import).unwrap();
        self.wait_until_settled(import);
        self.core.imports().accept(&self.core, &user(), import, typed_count).unwrap();
        assert_eq!(self.wait_until_settled(import).stage, ImportStage::Accepted);
    }

    /// Returns one column of the list.
    fn column_texts(&self, column: &str) -> Vec<String> {
        let page = PageRequest { number: 1, size: 99 };
        let query = TableQuery { list: self.list.clone(), which: ContactFilter::default(), sort: None, page };
        let contacts = contact::read_table_page(&self.core, &query).unwrap().items;
        contacts.into_iter().map(|card| card.values.get(column).cloned().unwrap_or_default()).collect()
    }
}

fn city_source(city: &str) -> Vec<ImportSource> {
    vec![text_source("cities.csv", &format!("Phone,City,Title\n07700900001,{city},Dr\n"))]
}

#[test]
fn overwriting_is_chosen_again_in_every_import() {
    let world = SessionFixture::new();
    for city in ["York", "Bath"] {
        let import = world.open_import(city_source(city));
        world.change_mapping(import, |mapping| {
            mapping.rule = OverwriteRule::Always;
            mapping.targets[2].rule = Some(OverwriteRule::IfDifferent);
        });
        world.accept_import(import, None);
        assert_eq!(world.column_texts("city"), [city]);
    }
    let next = world.open_import(city_source("Hull"));
    world.wait_until_settled(next);
    let table = world.describe_table(next);
    assert_eq!((table.by, table.mapping.rule), (MappingBy::Remembered, OverwriteRule::IfBlank));
    assert!(table.mapping.targets.iter().all(|target| target.rule.is_none()), "{:?}", table.mapping.targets);
    world.accept_import(next, None);
    assert_eq!(world.column_texts("city"), ["Bath"], "nobody asked for it this time");
}

#[test]
fn a_mapping_with_a_name_overwrites_only_where_it_is_chosen() {
    let world = SessionFixture::new();
    let first = world.open_import(city_source("York"));
    world.change_mapping(first, |mapping| mapping.rule = OverwriteRule::Always);
    profiles::save_profile(&world.core, world.core.imports(), first, "Overwrite").unwrap();
    let next = world.open_import(city_source("Bath"));
    world.wait_until_settled(next);
    assert_eq!(world.describe_table(next).by, MappingBy::Remembered);
    assert_eq!(world.describe_table(next).mapping.rule, OverwriteRule::IfBlank);
    profiles::apply_saved(&world.core, world.core.imports(), next, "Overwrite").unwrap();
    assert_eq!(world.describe_table(next).mapping.rule, OverwriteRule::Always);
}

#[test]
fn opt_outs_of_a_file_say_which_file_they_came_from() {
    let world = SessionFixture::new();
    let import = world
        .open_import(vec![text_source("stopped in March.csv", "Phone,Opted out\n07700900001,yes\n07700900002,no\n")]);
    world.change_mapping(import, |mapping| {
        mapping.targets.retain(|target| target.field == "phone_number");
        mapping.consents = vec![ConsentMapping {
            pieces: vec![ValuePiece::Column { column: 1, part: None }],
            between: String::new(),
            words: vec!["yes".to_owned()],
            keeps: vec!["no".to_owned()],
            channels: vec![Channel::Sms],
        }];
    });
    world.accept_import(import, Some(1));
    let events = opt_out::read_timeline(&world.core, "+447700900001", None).unwrap().events;
    let reasons: Vec<_> = events.iter().map(|event| event.reason.as_deref()).collect();
    assert_eq!(reasons, [Some("Imported from stopped in March.csv")]);
}
