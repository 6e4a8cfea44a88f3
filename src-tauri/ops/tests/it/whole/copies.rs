//! Tests copies in memory: a copy equals the account exactly, except for work that must happen only once, and is
//! independent of it.

use proptest::{collection::vec, prelude::*};
use roost_model::{
    contact::{MergeType, ValidContact},
    page::PageRequest,
    short_link::check_parts,
};
use roost_ops::{
    Actor, Core, Ctx,
    callback::{self, CallbackState},
    contact::{self, FieldValues},
    ctx::Clock,
    custom_field, history,
    job::{self, NewJob},
    list::{self, UniqueNames},
    overview, short_link,
};

use crate::{
    seeds::{BASE, RandomLife, any_act, export_json},
    support::{account, cases, check, every_list, phone, query_contacts},
};

/// Returns a context with other ids, as a copy has.
fn ctx(core: &Core) -> Ctx {
    Ctx::seeded(Clock::fixed(core.ctx().now()), 2)
}

fn first_page() -> PageRequest {
    PageRequest { number: 1, size: 100 }
}

proptest! {
    #![proptest_config(cases(50))]

    #[test]
    fn a_copy_exports_the_same_and_later_acts_on_it_do_not_change_the_original(
        before in vec(any_act(), 0..60),
        after in vec(any_act(), 0..30),
    ) {
        let core = account();
        let mut life = RandomLife::default();
        for act in before {
            life.perform(&core, act);
        }
        let (first, counts, generation) = (export_json(&core, BASE), overview::get(&core).unwrap(), core.generation());
        let copy = core.copy_in_memory(ctx(&core)).unwrap();
        check(&copy);
        prop_assert_eq!(export_json(&copy, BASE), first.as_str());
        prop_assert_eq!(overview::get(&copy).unwrap(), counts);
        let jobs = |core: &Core| job::read_page(core, first_page()).unwrap();
        prop_assert_eq!(jobs(&copy), jobs(&core), "jobs that have run are copied");
        let added = custom_field::add(&copy, &Actor::operator(), "One more").unwrap();
        for act in after {
            life.perform(&copy, act);
        }
        check(&copy);
        prop_assert_eq!((export_json(&core, BASE), overview::get(&core).unwrap(), core.generation()), (first, counts, generation));
        let same = custom_field::add(&core, &Actor::operator(), "One more").unwrap();
        prop_assert_eq!(added.number, same.number, "numbers that are used up stay so");
        check(&core);
    }
}

/// The same randomness produces the same code. Only a copy that knows the code as used draws another.
#[test]
fn a_code_that_was_used_is_used_up_in_the_copy() {
    let core = account();
    let link = |core: &Core| {
        let parts = check_parts(Some("Spring"), Some("https://shop.example/s"), &[], false).unwrap();
        short_link::create(core, &Actor::operator(), parts).unwrap()
    };
    let used = link(&core);
    short_link::delete(&core, &Actor::operator(), &used.link_id).unwrap();
    assert_eq!(link(&account()).code, used.code);
    let copy = core.copy_in_memory(Ctx::seeded(Clock::fixed(core.ctx().now()), 1)).unwrap();
    assert_ne!(link(&copy).code, used.code);
}

#[test]
fn what_waits_and_what_can_be_undone_stay_with_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let core = Core::open(&folder.path().join("account.roost"), Ctx::system()).unwrap();
    let me = Actor::user(None);
    let list = list::create(&core, &me, "VIP", UniqueNames::Off).unwrap().uid;
    for last in [1, 2] {
        let contacts = vec![ValidContact { phone: Some(phone(last)), ..ValidContact::default() }];
        let callback_url = Some("https://client.example/hook");
        let (list, merge_type) = (list.clone(), MergeType::SkipDuplicates);
        job::enqueue(&core, &me, NewJob { list, merge_type, callback_url, correlation_id: None, contacts }).unwrap();
        if last == 1 {
            job::run_next(&core).unwrap();
        }
    }
    let first = export_json(&core, BASE);
    let copy = core.copy_in_memory(Ctx::system()).unwrap();
    assert_eq!(export_json(&copy, BASE), first, "with the content of the log beside the file");
    check(&copy);
    assert_eq!((job::next_waiting(&copy).unwrap(), job::run_next(&copy).unwrap()), (None, None));
    assert_eq!(callback::next_due_at(&copy).unwrap(), None);
    assert_eq!(callback::read_all(&copy, first_page()).unwrap().items[0].0.state, CallbackState::GivenUp);
    assert!(history::read_undo_status(&copy).unwrap().undo.is_none());

    let value = FieldValues::from([("phone_number".to_owned(), Some(phone(3).e164))]);
    contact::add(&copy, &me, &list, &value, None).unwrap();
    assert_eq!(
        (query_contacts(&copy, &list, None, None).total, query_contacts(&core, &list, None, None).total),
        (2, 1)
    );
    history::undo(&copy, &me).unwrap();
    assert_eq!(export_json(&copy, BASE).matches("+44770090").count(), 1, "its own acts can be undone in it");
    list::delete(&copy, &me, &list).unwrap();
    assert!(every_list(&copy).is_empty());

    assert_eq!(export_json(&core, BASE), first);
    assert!(history::read_undo_status(&core).unwrap().undo.is_some());
    assert_eq!(callback::read_due(&core, 10).unwrap().len(), 1);
    assert!(job::run_next(&core).unwrap().is_some(), "it still waits where it was queued");
    drop(copy);
    check(&core);
}
