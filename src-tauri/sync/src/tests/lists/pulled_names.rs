//! Tests that the timeline names what a pull changed: a few records by their names, many contacts by their list.

use roost_model::{channel::Channel, page::PageRequest};
use roost_ops::{
    Actor, history,
    list::{self, UniqueNames},
};
use roost_store::tables::steps::StepQuery;

use super::super::world::{World, add_contact, add_opt_out, phone_number, rename_contact, run_paused};
use crate::merge::NAMED_RECORDS;

/// Returns the acts of the timeline, newest first.
fn read_acts(world: &World) -> Vec<(String, String, u64)> {
    let page = history::read_timeline(&world.core, &StepQuery::default(), PageRequest { number: 1, size: 100 });
    let entries = page.expect("read").items.into_iter();
    entries.map(|entry| (entry.step.act, entry.step.subject.unwrap_or_default(), entry.step.count)).collect()
}

fn act(name: &str, subject: &str, count: u64) -> (String, String, u64) {
    (name.to_owned(), subject.to_owned(), count)
}

#[test]
fn a_pull_names_the_few_records_that_it_changed_and_the_list_of_many_contacts() {
    run_paused(async {
        let world = World::new(75);
        let there = &world.service.core;
        let members = world.create_remote_list("Members", 8);
        world.pull().await;
        let acts = read_acts(&world);
        assert!(acts.contains(&act("sync_pull_named", "Members", 1)), "{acts:?}");
        assert!(acts.contains(&act("sync_pull_contacts", "Members", 8)), "{acts:?}");

        rename_contact(there, &World::read_contacts(there, &members)[0].0, "Ann");
        add_contact(there, &members, 40, "Bob");
        add_opt_out(there, 41, Channel::Sms);
        list::create(there, &Actor::interface(), "Guests", UniqueNames::Off).expect("a list");
        world.pull().await;
        let acts = read_acts(&world);
        for subject in ["Guests", &phone_number(41)] {
            assert!(acts.contains(&act("sync_pull_named", subject, 1)), "{subject}: {acts:?}");
        }
        let named = acts.iter().find(|(name, _, count)| name == "sync_pull_named" && *count == 2);
        let mut names: Vec<&str> = named.expect("both contacts are named").1.split(", ").collect();
        names.sort_unstable();
        assert_eq!(names, ["Ann", "Bob"]);

        for at in 50..=50 + NAMED_RECORDS as u32 {
            add_opt_out(there, at, Channel::Sms);
        }
        world.pull().await;
        let acts = read_acts(&world);
        assert!(acts.contains(&act("sync_pull", "", NAMED_RECORDS as u64 + 1)), "{acts:?}");
    });
}
