//! Tests that a run does not send what was deleted here after its plan was made, such as during a pause.

use roost_ops::{
    Actor, contact,
    list::{self, UniqueNames},
};
use roost_store::tables::sync::runs::RunState;

use super::super::{
    service::ServiceFaults,
    world::{World, add_contact, phone_number, rename_contact, run_paused},
};

const WHY_ONE: &str = "1 contact was deleted here after the plan was made, so it was not sent.";
const WHY_ALL: &str = "3 contacts were deleted here after the plan was made, so they were not sent.";

#[test]
fn contacts_that_were_deleted_alone_or_with_their_list_are_held_back() {
    run_paused(async {
        let world = World::new(61);
        world.create_remote_list("Kept", 1);
        world.create_remote_list_from("Dropped", 10, 1);
        world.pull().await;
        let lists = World::read_lists(&world.core);
        let find_list = |name: &str| lists.iter().find(|(other, _)| other == name).expect("a list").1.clone();
        for at in 100..102 {
            add_contact(&world.core, &find_list("Kept"), at, "New");
        }
        for at in 200..203 {
            add_contact(&world.core, &find_list("Dropped"), at, "New");
        }
        let run = world.begin_run().await;
        let kept = World::read_contacts(&world.core, &find_list("Kept"));
        let deleted = kept.iter().find(|(_, number, _)| *number == phone_number(100)).expect("one");
        contact::delete(&world.core, &Actor::user(None), &deleted.0).expect("deleted");
        list::delete(&world.core, &Actor::user(None), &find_list("Dropped")).expect("deleted");

        assert_eq!(world.drive_run(run).await.expect("ran"), RunState::Done);
        let there = world.remote_contents();
        let numbers = |name: &str| there[name].iter().map(|(number, _)| number.clone()).collect::<Vec<_>>();
        assert_eq!(numbers("Kept"), [0, 101].map(phone_number), "the deleted contact was not created");
        assert_eq!(numbers("Dropped"), [10].map(phone_number), "nothing was created in the deleted list");
        let mut whys = world.failure_reasons(run);
        whys.sort();
        assert_eq!(whys, [WHY_ONE, WHY_ALL]);
        world.push().await;
        assert_eq!(world.remote_contents(), world.local_contents(), "the next plan deletes the list");
    });
}

#[test]
fn changed_contacts_that_were_deleted_are_held_back_and_then_deleted_there() {
    run_paused(async {
        let world = World::new(62);
        world.create_remote_list("A", 3);
        world.pull().await;
        let list = World::read_lists(&world.core)[0].1.clone();
        for (uid, ..) in World::read_contacts(&world.core, &list).iter().take(2) {
            rename_contact(&world.core, uid, "Edited");
        }
        let run = world.begin_run().await;
        let deleted = World::read_contacts(&world.core, &list)[0].0.clone();
        contact::delete(&world.core, &Actor::user(None), &deleted).expect("deleted");
        world.drive_run(run).await.expect("ran");
        let edited = world.remote_contents()["A"].iter().filter(|(_, name)| name == "Edited").count();
        assert_eq!(edited, 1, "only the contact that is still here was changed");
        assert_eq!(world.failure_reasons(run), [WHY_ONE]);
        world.push().await;
        assert_eq!(world.remote_contents(), world.local_contents());
    });
}

#[test]
fn a_step_names_what_was_deleted_apart_from_what_the_service_refused() {
    run_paused(async {
        let world = World::new(65);
        world.create_remote_list("A", 1);
        world.pull().await;
        let here = World::read_lists(&world.core)[0].1.clone();
        for at in 100..103 {
            add_contact(&world.core, &here, at, if at == 102 { "Bad" } else { "Good" });
        }
        world.service.refuse_name(Some("Bad"), true);
        let run = world.begin_run().await;
        for (uid, ..) in World::read_contacts(&world.core, &here).iter().filter(|(_, _, name)| name == "Good") {
            contact::delete(&world.core, &Actor::user(None), uid).expect("deleted");
        }
        world.drive_run(run).await.expect("ran");
        let whys = world.failure_reasons(run);
        assert_eq!(whys.len(), 1, "{whys:?}");
        assert!(whys[0].starts_with("2 contacts were deleted here after the plan was made"), "{whys:?}");
        assert!(whys[0].contains("refused every other contact"), "{whys:?}");
    });
}

#[test]
fn a_new_list_that_was_deleted_is_not_created() {
    run_paused(async {
        let world = World::new(63);
        let made = list::create(&world.core, &Actor::user(None), "New", UniqueNames::Off).expect("a list").uid;
        add_contact(&world.core, &made, 100, "In it");
        let run = world.begin_run().await;
        list::delete(&world.core, &Actor::user(None), &made).expect("deleted");
        world.drive_run(run).await.expect("ran");
        assert!(world.remote_contents().is_empty(), "{:?}", world.remote_contents());
        assert!(world.failure_reasons(run)[0].contains("deleted here after the plan was made"));
        assert!(world.make_plan().await.has_no_work());
    });
}

#[test]
fn what_may_have_arrived_is_followed_to_its_end_and_then_deleted_there() {
    run_paused(async {
        let world = World::new(64);
        world.create_remote_list("A", 1);
        world.pull().await;
        let list = World::read_lists(&world.core)[0].1.clone();
        add_contact(&world.core, &list, 100, "New");
        let run = world.begin_run().await;
        world.service.set_faults(ServiceFaults { unheard: 1, ..ServiceFaults::default() });
        assert_eq!(world.drive_run(run).await.expect("ran"), RunState::Paused, "no response is heard");
        world.service.set_faults(ServiceFaults::default());
        let made = World::read_contacts(&world.core, &list);
        let made = made.iter().find(|(_, number, _)| *number == phone_number(100)).expect("the new one");
        contact::delete(&world.core, &Actor::user(None), &made.0).expect("deleted");
        world.drive_run(run).await.expect("ran");
        if !world.make_plan().await.has_no_work() {
            world.push().await;
        }
        assert_eq!(world.remote_contents(), world.local_contents(), "the contact does not come back");
        world.pull().await;
        assert_eq!(world.remote_contents(), world.local_contents());
        assert_eq!(world.local_contents()["A"].len(), 1);
    });
}
