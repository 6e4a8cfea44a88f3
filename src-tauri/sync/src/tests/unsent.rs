//! Tests that the rows of a list show changes until they are pushed.

use std::{sync::Arc, time::Duration};

use roost_grid::{
    ContactViews,
    grid::{AgreedValue, UnsentChange, ViewId, ViewSpec, ViewStatus},
};
use roost_model::{
    id::{ContactId, ListId},
    intervals::RowIntervals,
};
use roost_ops::{Actor, Core, Error, contact, history};
use roost_store::{
    tables::sync::{
        SyncedTable,
        changes::{self, ServiceState},
        ids,
    },
    tx::ReadTx,
};

use super::world::{World, phone_number, rename_contact, run_paused, to_field_values};
use crate::decide::{self, RecordKeys};

const GONE: u8 = 1 << 4;
const CHANGED: u8 = 1 << 2;
const ADDED: u8 = 1 << 3;
const IN_CONFLICT: u8 = 1 << 4;

/// A list as the window shows it.
struct ShownList<'w> {
    world: &'w World,
    views: Arc<ContactViews>,
    view: ViewId,
}

impl<'w> ShownList<'w> {
    fn open(world: &'w World, list: &ListId) -> Self {
        let spec = ViewSpec { list: list.clone(), filter: None, text: None, sort: Vec::new(), has_deleted: true };
        let views = ContactViews::attach(&world.core);
        let (view, _) = views.grid.open(&world.core, spec).expect("a view");
        let rows = Self { world, views, view };
        rows.view_state();
        rows
    }

    fn view_state(&self) -> ViewStatus {
        loop {
            let state = self.views.grid.read_status(&self.world.core, self.view, None, Duration::from_secs(5));
            match state.expect("a state") {
                state if !state.is_building => return state,
                _ => {}
            }
        }
    }

    fn refresh_view(&self) {
        self.views.grid.refresh(&self.world.core, self.view).expect("refreshed");
        self.view_state();
    }

    /// Returns the first names, the flags of their rows and the flags of their cells. Tests here use at most 255 rows
    /// with names of at most 255 bytes.
    fn read_rows(&self) -> Vec<(String, u8, u8)> {
        let columns = ["firstname".to_owned()];
        let bytes = self.views.grid.read_window(&self.world.core, self.view, None, 0, 100, &columns).expect("rows");
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize;
        let rows = number(12);
        let (flags, offsets) = (20, 20 + rows.next_multiple_of(4));
        let cells = offsets + (rows + 1) * 4;
        let text = cells + rows.next_multiple_of(4);
        let name = |row: usize| {
            let (from, to) = (text + number(offsets + row * 4), text + number(offsets + row * 4 + 4));
            String::from_utf8(bytes[from..to].to_vec()).expect("UTF-8")
        };
        (0..rows).map(|row| (name(row), bytes[flags + row], bytes[cells + row])).collect()
    }

    fn unsent_change(&self, row: u64) -> Option<UnsentChange> {
        self.views.grid.find_unsent_change(&self.world.core, self.view, row).expect("read")
    }

    fn find_row(&self, name: &str) -> u64 {
        self.read_rows().iter().position(|(other, ..)| other == name).expect("a row") as u64
    }

    fn delete_row(&self, name: &str) -> i64 {
        let rows = RowIntervals::single_row(self.find_row(name));
        let (count, step) =
            self.views.grid.delete_rows(&self.world.core, &Actor::user(None), self.view, None, &rows).expect("deleted");
        assert_eq!(count, 1);
        step.expect("a step")
    }
}

fn edited_change(from: &str) -> Option<UnsentChange> {
    let value = AgreedValue { field: "firstname".to_owned(), value: from.to_owned(), is_conflict: false };
    Some(UnsentChange::Edited(vec![value]))
}

#[test]
fn edited_added_and_deleted_rows_are_marked_until_they_are_pushed() {
    run_paused(async {
        let world = World::new(1);
        world.create_remote_list("Guests", 4);
        world.pull().await;
        let list = World::read_lists(&world.core)[0].1.clone();
        let rows = ShownList::open(&world, &list);
        assert!(rows.read_rows().iter().all(|(_, row, cell)| (*row, *cell) == (0, 0)), "the service has all of it");

        let uid =
            World::read_contacts(&world.core, &list).into_iter().find(|(.., name)| name == "Contact 1").expect("one").0;
        rename_contact(&world.core, &uid, "Ann");
        let fresh = to_field_values(&[("phone_number", "+447700900100"), ("firstname", "New")]);
        let grid = &rows.views.grid;
        grid.add_contact(&world.core, &Actor::user(None), rows.view, &fresh, None).expect("added");
        let before = rows.find_row("Contact 2");
        rows.delete_row("Contact 2");

        let [ann, two, new] = ["Ann", "Contact 2", "New"].map(|name| rows.find_row(name));
        assert_eq!(two, before, "a deleted row stays where it was");
        let read = rows.read_rows();
        assert_eq!(read[ann as usize], ("Ann".to_owned(), 0, CHANGED));
        assert_eq!(read[two as usize], ("Contact 2".to_owned(), GONE, CHANGED));
        assert_eq!(read[new as usize], ("New".to_owned(), 0, ADDED));
        assert_eq!(rows.unsent_change(ann), edited_change("Contact 1"));
        assert_eq!(rows.unsent_change(two), Some(UnsentChange::Deleted));
        assert_eq!(rows.unsent_change(new), Some(UnsentChange::Added));
        assert_eq!(rows.unsent_change(rows.find_row("Contact 0")), None);
        assert_eq!((rows.view_state().total, rows.view_state().deleted), (5, 1));

        rows.refresh_view();
        assert_eq!(rows.find_row("Contact 2"), 4, "once the rows are found again, deleted ones come last");
        assert_eq!((rows.view_state().total, rows.view_state().deleted), (5, 1));

        world.push().await;
        world.pull().await;
        rows.refresh_view();
        assert_eq!((rows.view_state().total, rows.view_state().deleted), (4, 0));
        assert!(rows.read_rows().iter().all(|(_, row, cell)| (*row, *cell) == (0, 0)), "{:?}", rows.read_rows());
    });
}

#[test]
fn a_row_that_is_changed_back_or_whose_deletion_is_undone_is_not_marked() {
    run_paused(async {
        let world = World::new(2);
        world.create_remote_list("Guests", 3);
        world.pull().await;
        let list = World::read_lists(&world.core)[0].1.clone();
        let rows = ShownList::open(&world, &list);
        let uid =
            World::read_contacts(&world.core, &list).into_iter().find(|(.., name)| name == "Contact 1").expect("one").0;
        rename_contact(&world.core, &uid, "Ann");
        rename_contact(&world.core, &uid, "Contact 1");
        rows.delete_row("Contact 2");
        history::undo(&world.core, &Actor::user(None)).expect("undone");
        rows.refresh_view();
        assert_eq!((rows.view_state().total, rows.view_state().deleted), (3, 0));
        assert!(rows.read_rows().iter().all(|(_, row, cell)| (*row, *cell) == (0, 0)), "{:?}", rows.read_rows());
        // Deleting a deleted contact counts nothing twice.
        rows.delete_row("Contact 2");
        let all = RowIntervals::all_below(9);
        rows.views.grid.delete_rows(&world.core, &Actor::user(None), rows.view, None, &all).expect("deleted");
        assert_eq!((rows.view_state().total, rows.view_state().deleted), (3, 3));
    });
}

#[test]
fn rows_that_were_created_and_deleted_here_or_are_not_requested_do_not_stay() {
    run_paused(async {
        let world = World::new(3);
        world.create_remote_list("Guests", 2);
        world.pull().await;
        let list = World::read_lists(&world.core)[0].1.clone();
        let rows = ShownList::open(&world, &list);
        let fresh = to_field_values(&[("phone_number", "+447700900100"), ("firstname", "New")]);
        rows.views.grid.add_contact(&world.core, &Actor::user(None), rows.view, &fresh, None).expect("added");
        rows.delete_row("New");
        assert_eq!((rows.view_state().total, rows.view_state().deleted), (2, 0));
        rows.delete_row("Contact 0");
        let spec = ViewSpec { list, filter: None, text: None, sort: Vec::new(), has_deleted: false };
        let views = Arc::clone(&rows.views);
        let (view, _) = views.grid.open(&world.core, spec).expect("a view");
        let without = ShownList { world: &world, views, view };
        assert_eq!((without.view_state().total, without.view_state().deleted), (1, 0));
        without.delete_row("Contact 1");
        assert_eq!(without.view_state().total, 0, "gone at once");
    });
}

#[test]
fn an_undone_discard_leaves_the_conflict_as_it_was() {
    run_paused(async {
        let world = World::new(97);
        let there = world.create_remote_list("VIP", 3);
        world.pull().await;
        let list = World::read_lists(&world.core)[0].1.clone();
        let find_both = |core: &Core, list: &ListId| {
            let all = World::read_contacts(core, list);
            [0, 1].map(|at| all.iter().find(|(_, number, _)| *number == phone_number(at)).expect("there").0.clone())
        };
        let uids = find_both(&world.core, &list);
        rename_contact(&world.core, &uids[0], "Mine");
        rename_contact(&world.core, &uids[1], "Mine too");
        let [changed, deleted] = find_both(&world.service.core, &there);
        rename_contact(&world.service.core, &changed, "Theirs");
        contact::delete(&world.service.core, &Actor::interface(), &deleted).expect("deleted there");
        world.pull().await;
        let rows = ShownList::open(&world, &list);
        let find_id = |uid: &ContactId| {
            let find = |tx: &ReadTx| Ok::<_, Error>(ids::find_by_own_uid(tx, SyncedTable::Contacts, uid.as_str())?);
            world.core.read(find).expect("read").expect("known")
        };
        let known = uids.each_ref().map(find_id);
        let read_states = || {
            known.map(|id| {
                let read = |tx: &ReadTx| Ok::<_, Error>(changes::read_record::<i64>(tx, SyncedTable::Contacts, id)?);
                world.core.read(read).expect("read")
            })
        };
        let before = read_states();
        assert!(before[0].at_service.cells().is_some(), "{before:#?}");
        assert_eq!(before[1].at_service, ServiceState::Deleted);
        for name in ["Mine", "Mine too"] {
            let (_, _, cell) = rows.read_rows()[rows.find_row(name) as usize];
            assert_eq!(cell, CHANGED | IN_CONFLICT, "{name}");
        }
        let theirs = AgreedValue { field: "firstname".to_owned(), value: "Theirs".to_owned(), is_conflict: true };
        let shown = || rows.unsent_change(rows.find_row("Mine"));
        assert_eq!(shown(), Some(UnsentChange::Edited(vec![theirs.clone()])));

        let by = Actor::user(None);
        decide::discard_changes(&world.core, &by, &[RecordKeys::Contacts(known.to_vec())]).expect("discarded");
        let settled = read_states();
        for _ in 0..2 {
            rows.refresh_view();
            assert_eq!(rows.unsent_change(rows.find_row("Theirs")), None);
            history::undo(&world.core, &by).expect("undone");
            assert_eq!(read_states(), before);
            rows.refresh_view();
            assert_eq!(shown(), Some(UnsentChange::Edited(vec![theirs.clone()])));
            history::redo(&world.core, &by).expect("redone");
            assert_eq!(read_states(), settled);
        }
    });
}
