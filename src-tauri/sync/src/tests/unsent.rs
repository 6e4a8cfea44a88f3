//! Tests that the rows of a list show changes until they are pushed.

use std::time::Duration;

use roost_model::{id::ListId, intervals::Intervals};
use roost_ops::{
    By,
    grid::{Spec, State, UnsentChange, ViewId},
    history,
};

use super::world::{World, rename, run, values};

const GONE: u8 = 1 << 4;
const CHANGED: u8 = 1 << 2;
const ADDED: u8 = 1 << 3;

/// A list as the window shows it.
struct Rows<'w> {
    world: &'w World,
    view: ViewId,
}

impl<'w> Rows<'w> {
    fn open(world: &'w World, list: &ListId) -> Self {
        let spec = Spec { list: list.clone(), filter: None, text: None, sort: Vec::new(), has_deleted: true };
        let (view, _) = world.core.grid().open(&world.core, spec).expect("a view");
        let rows = Self { world, view };
        rows.state();
        rows
    }

    fn state(&self) -> State {
        loop {
            let state = self.world.core.grid().state(&self.world.core, self.view, None, Duration::from_secs(5));
            match state.expect("a state") {
                state if !state.is_building => return state,
                _ => {}
            }
        }
    }

    fn refresh(&self) {
        self.world.core.grid().refresh(&self.world.core, self.view).expect("refreshed");
        self.state();
    }

    /// Returns the first names, the flags of their rows and the flags of their cells. Tests here use at most 255 rows
    /// with names of at most 255 bytes.
    fn read(&self) -> Vec<(String, u8, u8)> {
        let columns = ["firstname".to_owned()];
        let bytes = self.world.core.grid().window(&self.world.core, self.view, None, 0, 100, &columns).expect("rows");
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

    fn unsent(&self, row: u64) -> Option<UnsentChange> {
        self.world.core.grid().unsent_change(&self.world.core, self.view, row).expect("read")
    }

    fn row_of(&self, name: &str) -> u64 {
        self.read().iter().position(|(other, ..)| other == name).expect("a row") as u64
    }

    fn delete(&self, name: &str) -> i64 {
        let rows = Intervals::one(self.row_of(name));
        let (count, step) =
            self.world.core.grid().delete(&self.world.core, &By::user(None), self.view, None, &rows).expect("deleted");
        assert_eq!(count, 1);
        step.expect("a step")
    }
}

fn edited(from: &str) -> Option<UnsentChange> {
    Some(UnsentChange::Edited(vec![("firstname".into(), from.to_owned())]))
}

#[test]
fn edited_added_and_deleted_rows_are_marked_until_they_are_pushed() {
    run(async {
        let world = World::new(1);
        world.list_there("Guests", 4);
        world.pull().await;
        let list = World::lists(&world.core)[0].1.clone();
        let rows = Rows::open(&world, &list);
        assert!(rows.read().iter().all(|(_, row, cell)| (*row, *cell) == (0, 0)), "the service has all of it");

        let uid =
            World::contacts(&world.core, &list).into_iter().find(|(.., name)| name == "Contact 1").expect("one").0;
        rename(&world.core, &uid, "Ann");
        let fresh = values(&[("phone_number", "+447700900100"), ("firstname", "New")]);
        let grid = world.core.grid();
        grid.add(&world.core, &By::user(None), rows.view, &fresh, None).expect("added");
        let before = rows.row_of("Contact 2");
        rows.delete("Contact 2");

        let [ann, two, new] = ["Ann", "Contact 2", "New"].map(|name| rows.row_of(name));
        assert_eq!(two, before, "a deleted row stays where it was");
        let read = rows.read();
        assert_eq!(read[ann as usize], ("Ann".to_owned(), 0, CHANGED));
        assert_eq!(read[two as usize], ("Contact 2".to_owned(), GONE, CHANGED));
        assert_eq!(read[new as usize], ("New".to_owned(), 0, ADDED));
        assert_eq!(rows.unsent(ann), edited("Contact 1"));
        assert_eq!(rows.unsent(two), Some(UnsentChange::Deleted));
        assert_eq!(rows.unsent(new), Some(UnsentChange::Added));
        assert_eq!(rows.unsent(rows.row_of("Contact 0")), None);
        assert_eq!((rows.state().total, rows.state().deleted), (5, 1));

        rows.refresh();
        assert_eq!(rows.row_of("Contact 2"), 4, "once the rows are found anew, deleted ones stand at the end");
        assert_eq!((rows.state().total, rows.state().deleted), (5, 1));

        world.push().await;
        world.pull().await;
        rows.refresh();
        assert_eq!((rows.state().total, rows.state().deleted), (4, 0));
        assert!(rows.read().iter().all(|(_, row, cell)| (*row, *cell) == (0, 0)), "{:?}", rows.read());
    });
}

#[test]
fn a_row_that_is_changed_back_or_whose_deletion_is_undone_is_not_marked() {
    run(async {
        let world = World::new(2);
        world.list_there("Guests", 3);
        world.pull().await;
        let list = World::lists(&world.core)[0].1.clone();
        let rows = Rows::open(&world, &list);
        let uid =
            World::contacts(&world.core, &list).into_iter().find(|(.., name)| name == "Contact 1").expect("one").0;
        rename(&world.core, &uid, "Ann");
        rename(&world.core, &uid, "Contact 1");
        rows.delete("Contact 2");
        history::undo(&world.core, &By::user(None)).expect("undone");
        rows.refresh();
        assert_eq!((rows.state().total, rows.state().deleted), (3, 0));
        assert!(rows.read().iter().all(|(_, row, cell)| (*row, *cell) == (0, 0)), "{:?}", rows.read());
        // Deleting a deleted contact counts nothing twice.
        rows.delete("Contact 2");
        let all = Intervals::all(9);
        world.core.grid().delete(&world.core, &By::user(None), rows.view, None, &all).expect("deleted");
        assert_eq!((rows.state().total, rows.state().deleted), (3, 3));
    });
}

#[test]
fn rows_that_were_made_and_deleted_here_or_are_not_asked_for_do_not_stay() {
    run(async {
        let world = World::new(3);
        world.list_there("Guests", 2);
        world.pull().await;
        let list = World::lists(&world.core)[0].1.clone();
        let rows = Rows::open(&world, &list);
        let fresh = values(&[("phone_number", "+447700900100"), ("firstname", "New")]);
        world.core.grid().add(&world.core, &By::user(None), rows.view, &fresh, None).expect("added");
        rows.delete("New");
        assert_eq!((rows.state().total, rows.state().deleted), (2, 0));
        rows.delete("Contact 0");
        let spec = Spec { list, filter: None, text: None, sort: Vec::new(), has_deleted: false };
        let (view, _) = world.core.grid().open(&world.core, spec).expect("a view");
        let without = Rows { world: &world, view };
        assert_eq!((without.state().total, without.state().deleted), (1, 0));
        without.delete("Contact 1");
        assert_eq!(without.state().total, 0, "gone at once");
    });
}
