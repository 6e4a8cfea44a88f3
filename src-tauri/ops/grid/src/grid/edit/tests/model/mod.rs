//! Tests random edits, pastes, bulk acts, additions, deletions, filters, orders, refreshes, undo and redo against a
//! list of maps. After each of them, everything that the view shows is compared.

mod acts;
mod world;

use proptest::{collection::vec, prelude::*, test_runner::Config};
use roost_model::{
    id::{ContactId, ListId},
    intervals::RowIntervals,
    page::SortOrder,
};

use self::{
    acts::{bulk_act, lay_out, make_block, typed_text},
    world::{CITY, CellTexts, FilterChoice, ModelView, NAMES, People, Person, SORTS, TEXTS, apply_rule},
};
use super::{apply_act, edit_cells, to_columns};
use roost_ops::{contact, history, list};

use crate::grid::{
    PasteMode, PasteRequest, ViewId,
    tests::{GridAccount, contact_values, me, read_window},
};

/// One random move: its kind, and numbers that choose what it applies to.
type GridMove = (u8, u64, u64, u8, u8);

type ViewChoice = (FilterChoice, &'static [(usize, SortOrder)], &'static str);

const MODES: [PasteMode; 4] = [PasteMode::Plain, PasteMode::BlanksOnly, PasteMode::Transposed, PasteMode::E164];

struct GridPlay {
    account: GridAccount,
    other: ListId,
    view: ViewId,
    world: People,
    seen: ModelView,
    done: Vec<People>,
    undone: Vec<People>,
}

impl GridPlay {
    /// Starts with six people, two of them with a draft.
    fn new((which, sort, text): ViewChoice) -> Self {
        let account = GridAccount::new();
        let other = list::create(&account.core, &me(), "Others", list::UniqueNames::Off).unwrap().uid;
        let mut world = People::new();
        for number in 0..6_u32 {
            account.core.ctx().advance(1);
            let city = ["a", "b", "A B", ""][number as usize % 4];
            let given: Vec<(&str, &str)> = [("city", city)].into_iter().filter(|(_, city)| !city.is_empty()).collect();
            let uid = account.add_contact(number, &given).to_string();
            let values = [(0, format!("+44770090{number:04}")), (CITY, city.to_owned())];
            let values = values.into_iter().filter(|(_, text)| !text.is_empty()).collect();
            let made = account.core.ctx().now().unix();
            world.push(Person { uid, made, values, drafts: CellTexts::new() });
        }
        let all = account.open_view(ModelView::open(FilterChoice::Everybody, SORTS[0], "", &world).spec(&account));
        let long = "x".repeat(30);
        edit_cells(&account, all, &[(0, "whatsapp_id", "no"), (1, "zip", &long)]).unwrap();
        world[5].drafts.insert(1, "no".to_owned());
        world[4].drafts.insert(3, long);
        account.core.grid().close(all);
        let seen = ModelView::open(which, sort, text, &world);
        let view = account.open_view(seen.spec(&account));
        Self { account, other, view, world, seen, done: Vec::new(), undone: Vec::new() }
    }

    /// Returns the rows of the view to which a move applies, with their people. A removed person is `None`.
    fn choose_rows(&self, a: u64, b: u64) -> (RowIntervals, Vec<u64>, Vec<Option<Person>>) {
        let total = self.seen.uids.len() as u64;
        let from = a % (total + 1);
        let mut pairs = vec![(from, (from + 1 + b % 4).min(total))];
        if b.is_multiple_of(3) && from > 1 {
            pairs.push((0, 1));
        }
        let rows = RowIntervals::new(pairs).unwrap();
        let numbers: Vec<u64> = rows.rows().collect();
        let person = |uid: &String| self.world.iter().find(|person| person.uid == *uid).cloned();
        let people = numbers.iter().map(|row| person(&self.seen.uids[*row as usize])).collect();
        (rows, numbers, people)
    }

    fn expect_change(&mut self, step: Option<i64>, after: People) -> Result<(), TestCaseError> {
        prop_assert_eq!(step.is_some(), after != self.world, "a step where something changed");
        if step.is_some() {
            self.done.push(std::mem::replace(&mut self.world, after));
            self.undone.clear();
        }
        Ok(())
    }

    /// Returns the world after these texts are typed into rows of the view.
    fn after_typing<'c>(&self, wants: impl IntoIterator<Item = (u64, &'c CellTexts)>) -> People {
        let mut after = self.world.clone();
        for (row, wants) in wants {
            let uid = &self.seen.uids[row as usize];
            if let Some(person) = after.iter_mut().find(|person| person.uid == *uid) {
                person.type_texts(wants);
            }
        }
        after
    }

    fn refresh(&mut self) {
        self.seen.refresh(&self.world);
        self.account.refresh(self.view);
    }

    fn play_move(&mut self, (what, a, b, c, d): GridMove) -> Result<(), TestCaseError> {
        self.account.core.ctx().advance(1);
        let (rows, numbers, people) = self.choose_rows(a, b);
        match what % 16 {
            0 | 1 if !numbers.is_empty() => {
                let texts = [(c as usize % 5, typed_text(d)), (d as usize % 5, typed_text(c))];
                let given: Vec<(u64, &str, &str)> = numbers
                    .iter()
                    .flat_map(|row| texts.iter().map(|(at, text)| (*row, NAMES[*at], text.as_str())))
                    .collect();
                let step = edit_cells(&self.account, self.view, &given).unwrap().step;
                let wants: CellTexts = texts.into_iter().collect();
                let after = self.after_typing(numbers.iter().map(|row| (*row, &wants)));
                self.expect_change(step, after)?;
            }
            2..=4 => {
                let (json, names, wants) = bulk_act(c, d, c.wrapping_add(d), &numbers, &people);
                let step = apply_act(&self.account, self.view, &rows, &names, json).unwrap().step;
                let after = self.after_typing(numbers.iter().copied().zip(&wants));
                self.expect_change(step, after)?;
            }
            5..=7 => self.paste_block(a, b, c, d, &rows)?,
            8 => {
                let (count, step) =
                    self.account.core.grid().delete_rows(&self.account.core, &me(), self.view, None, &rows).unwrap();
                prop_assert_eq!(count as usize, people.iter().flatten().count());
                // Rows whose people were already removed disappear too.
                let removed: Vec<String> = numbers.iter().map(|row| self.seen.uids[*row as usize].clone()).collect();
                self.expect_removal(step, &removed)?;
            }
            9 => {
                let (core, source) = (&self.account.core, (self.view, None));
                let keep = contact::DuplicatePolicy::Keep;
                let sent = core.grid().move_rows(core, &me(), source, &rows, &self.other, keep).unwrap();
                let removed: Vec<String> = people.into_iter().flatten().map(|person| person.uid).collect();
                self.expect_removal(sent.step, &removed)?;
            }
            10 => {
                let number = 100 + u32::from(c);
                let given = contact_values(&[("zip", "z")], number);
                let core = &self.account.core;
                let (card, row) = core.grid().add_contact(core, &me(), self.view, &given, None).unwrap();
                prop_assert_eq!(row as usize, self.seen.uids.len());
                let values = [(0, format!("+44770090{number:04}")), (3, "z".to_owned())].into();
                let mut after = self.world.clone();
                let made = self.account.core.ctx().now().unix();
                after.push(Person { uid: card.uid.to_string(), made, values, drafts: CellTexts::new() });
                self.seen.uids.push(card.uid.to_string());
                self.expect_change(Some(0), after)?;
            }
            11 | 12 => {
                if let Some(before) = self.done.pop() {
                    history::undo(&self.account.core, &me()).unwrap();
                    self.undone.push(std::mem::replace(&mut self.world, before));
                    self.others_changed(b);
                }
            }
            13 => {
                if let Some(after) = self.undone.pop() {
                    history::redo(&self.account.core, &me()).unwrap();
                    self.done.push(std::mem::replace(&mut self.world, after));
                    self.others_changed(b);
                }
            }
            14 => {
                if let Some(Some(person)) = people.first() {
                    // Another page makes this change without the view.
                    let city = format!("a{}", self.done.len());
                    let mut after = self.world.clone();
                    let same = after.iter_mut().find(|other| other.uid == person.uid).unwrap();
                    if same.values.get(&CITY) != Some(&city) {
                        same.type_texts(&[(CITY, city.clone())].into());
                        self.account.set_field(&ContactId::parse(&person.uid).unwrap(), "city", Some(&city));
                        self.expect_change(Some(0), after)?;
                        self.others_changed(b);
                    }
                }
            }
            15 if c.is_multiple_of(3) => self.refresh(),
            _ => {
                self.account.core.grid().close(self.view);
                let which = FilterChoice::ALL[c as usize % FilterChoice::ALL.len()];
                let (sort, text) = (SORTS[d as usize % SORTS.len()], TEXTS[b as usize % TEXTS.len()]);
                self.seen = ModelView::open(which, sort, text, &self.world);
                self.view = self.account.open_view(self.seen.spec(&self.account));
            }
        }
        Ok(())
    }

    /// Marks the view as changed by another page, and refreshes it at once or later.
    fn others_changed(&mut self, b: u64) {
        self.seen.is_stale = true;
        if b.is_multiple_of(2) {
            self.refresh();
        }
    }

    fn expect_removal(&mut self, step: Option<i64>, removed: &[String]) -> Result<(), TestCaseError> {
        let after = self.world.iter().filter(|person| !removed.contains(&person.uid)).cloned().collect();
        if step.is_some() {
            self.seen.remove(removed);
        }
        self.expect_change(step, after)
    }

    /// Lines after the last row become new people if they contain a number.
    fn paste_block(&mut self, a: u64, b: u64, c: u8, d: u8, rows: &RowIntervals) -> Result<(), TestCaseError> {
        let mode = MODES[d as usize % MODES.len()];
        let lines = make_block(a, b, c, d);
        let from = c as usize % 4;
        let places: Vec<usize> = (from..NAMES.len().min(from + 1 + d as usize % 4)).collect();
        let names: Vec<&str> = places.iter().map(|at| NAMES[*at]).collect();
        let total = self.seen.uids.len() as u64;
        let into = c.is_multiple_of(3).then_some(rows);
        let numbers: Option<Vec<u64>> = into.map(|into| into.rows().collect());
        let row = b.wrapping_mul(7) % (total + 1);
        let wanted = PasteRequest {
            view: self.view,
            generation: Some(self.seen.generation),
            row,
            columns: &to_columns(&names),
            block: &lines,
            into,
            mode,
            region: Some("GB"),
        };
        let pasted = self.account.core.grid().paste(&self.account.core, &me(), &wanted);
        let laid = lay_out(&lines, mode, row, &places, numbers.as_deref(), total);
        prop_assert_eq!(pasted.is_ok(), laid.is_some(), "{:?}", pasted);
        let (Ok(pasted), Some(mut laid)) = (pasted, laid) else { return Ok(()) };
        if mode == PasteMode::BlanksOnly {
            for (row, cells) in &mut laid.over {
                let uid = &self.seen.uids[*row as usize];
                let person = self.world.iter().find(|person| person.uid == *uid);
                cells.retain(|at, _| person.is_some_and(|person| person.shown_text(*at).is_empty()));
            }
        }
        let mut after = self.after_typing(laid.over.iter().map(|(row, cells)| (*row, cells)));
        let mut added = 0;
        let shown = self.read_view().1;
        for line in laid.new {
            let mut person = Person { made: self.account.core.ctx().now().unix(), ..Person::default() };
            for (at, text) in line.into_iter().filter(|(_, text)| !text.is_empty()) {
                match apply_rule(at, &text) {
                    Some(value) => person.values.insert(at, value),
                    None => person.drafts.insert(at, text),
                };
            }
            if person.has_number() {
                let row = self.seen.uids.len();
                prop_assert!(added > 0 || pasted.first_added == Some(row as u64));
                prop_assert!(row < shown.len(), "line {} of the block is shown", added);
                person.uid = shown[row].1[0].clone();
                self.seen.uids.push(person.uid.clone());
                after.push(person);
                added += 1;
            }
        }
        prop_assert_eq!(pasted.added, added);
        self.expect_change(pasted.step, after)
    }

    /// Returns the generation, and the flags and cells of every row, as a page decodes them.
    fn read_view(&self) -> (u32, Vec<(u8, Vec<String>)>) {
        let mut names = vec!["uid"];
        names.extend(NAMES);
        let core = &self.account.core;
        let window =
            read_window(&core.grid().read_window(core, self.view, None, 0, 1_000, &to_columns(&names)).unwrap());
        let cell = |row: usize, column: usize| {
            let text = window.columns[column][row].clone().unwrap_or_default();
            if window.cells[column][row] & 2 > 0 { format!("!{text}") } else { text }
        };
        let row = |row: usize| (window.flags[row], (0..names.len()).map(|column| cell(row, column)).collect());
        (window.generation, (0..window.flags.len()).map(row).collect())
    }

    fn compare_view(&self) -> Result<(), TestCaseError> {
        let (generation, mut shown) = self.read_view();
        if self.seen.is_stale {
            shown.iter_mut().for_each(|(flags, _)| *flags &= !(1 << 5));
        }
        let expected: Vec<(u8, Vec<String>)> =
            self.seen.uids.iter().map(|uid| self.seen.row(uid, &self.world)).collect();
        prop_assert_eq!(shown, expected);
        let state = self.account.read_status(self.view);
        let status = (state.total as usize, state.is_exact, state.is_stale, state.fault, state.generation, generation);
        let (total, seen) = (self.seen.uids.len(), self.seen.generation);
        prop_assert_eq!(status, (total, true, self.seen.is_stale, None, seen, seen));
        let count = list::get(&self.account.core, &self.account.list).unwrap().contact_count;
        prop_assert_eq!(count as usize, self.world.len(), "the list's own count");
        Ok(())
    }

    /// Compares all people, as in a view that was just opened.
    fn compare_all(&mut self) -> Result<(), TestCaseError> {
        self.account.core.grid().close(self.view);
        self.seen = ModelView::open(FilterChoice::Everybody, SORTS[0], "", &self.world);
        self.view = self.account.open_view(self.seen.spec(&self.account));
        self.compare_view()
    }
}

fn any_view() -> impl Strategy<Value = ViewChoice> {
    (prop::sample::select(&FilterChoice::ALL), prop::sample::select(&SORTS), prop::sample::select(&TEXTS))
}

proptest! {
    #![proptest_config(Config { cases: 96, failure_persistence: None, ..Config::default() })]

    #[test]
    fn the_grid_agrees_with_a_simple_model_after_any_acts_and_their_undo_and_redo(
        view in any_view(),
        moves in vec((any::<u8>(), 0..20_u64, 0..20_u64, any::<u8>(), any::<u8>()), 1..28)
    ) {
        let mut play = GridPlay::new(view);
        for one in moves {
            play.play_move(one)?;
            play.compare_view()?;
        }
        // Undo everything, and then redo everything.
        let (last, count) = (play.world.clone(), play.done.len());
        while let Some(before) = play.done.pop() {
            history::undo(&play.account.core, &me()).unwrap();
            play.world = before;
        }
        play.compare_all()?;
        for _ in 0..count {
            history::redo(&play.account.core, &me()).unwrap();
        }
        play.world = last;
        play.compare_all()?;
        prop_assert_eq!(play.account.core.integrity().unwrap(), "ok");
        for person in &play.world {
            let card = contact::get(&play.account.core, &ContactId::parse(&person.uid).unwrap()).unwrap();
            prop_assert_eq!(card.values.get("phone_number"), person.values.get(&0));
        }
    }
}
