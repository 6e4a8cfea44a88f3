//! Models people as maps, and a view as the result of filtering and sorting them in memory.

use std::collections::BTreeMap;

use roost_model::page::SortOrder;
use serde_json::{Value, json};

use crate::grid::{ViewSpec, order, tests::GridAccount};

pub(super) const NAMES: [&str; 5] = ["phone_number", "whatsapp_id", "city", "zip", "title"];
const LIMITS: [usize; 5] = [0, 0, 128, 24, 30];
pub(super) const CITY: usize = 2;
pub(super) const ZIP: usize = 3;
pub(super) const TITLE: usize = 4;

/// Texts by the number of their column.
pub(super) type CellTexts = BTreeMap<usize, String>;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Person {
    pub uid: String,
    /// The second in which the person was created.
    pub made: i64,
    pub values: CellTexts,
    pub drafts: CellTexts,
}

/// People in the order of their creation.
pub(super) type People = Vec<Person>;

impl Person {
    pub(super) fn shown_text(&self, at: usize) -> String {
        self.drafts.get(&at).or(self.values.get(&at)).cloned().unwrap_or_default()
    }

    /// Returns the cell as the grid shows it. A draft is marked with a leading `!`.
    pub(super) fn marked_cell(&self, at: usize) -> String {
        match self.drafts.get(&at) {
            Some(text) => format!("!{text}"),
            None => self.stored_text(at).to_owned(),
        }
    }

    fn stored_text(&self, at: usize) -> &str {
        self.values.get(&at).map_or("", String::as_str)
    }

    /// Changes the person as if these texts were typed. An empty text empties the cell.
    pub(super) fn type_texts(&mut self, wants: &CellTexts) {
        let before = self.clone();
        for (at, text) in wants {
            if text.is_empty() {
                self.values.remove(at);
                self.drafts.remove(at);
            } else if before.values.get(at) == Some(text) {
                self.drafts.remove(at);
            } else if let Some(value) = apply_rule(*at, text) {
                self.values.insert(*at, value);
                self.drafts.remove(at);
            } else {
                self.drafts.insert(*at, text.clone());
            }
        }
        if self.has_number() {
            return;
        }
        for at in [0, 1] {
            if let Some(number) = before.values.get(&at) {
                self.values.insert(at, number.clone());
                if !before.drafts.contains_key(&at) {
                    self.drafts.insert(at, String::new());
                }
            }
        }
    }

    pub(super) fn has_number(&self) -> bool {
        self.values.contains_key(&0) || self.values.contains_key(&1)
    }
}

/// Returns the value that the rule of a field stores for a text that is not empty.
pub(super) fn apply_rule(at: usize, text: &str) -> Option<String> {
    if LIMITS[at] > 0 {
        return (text.chars().count() <= LIMITS[at]).then(|| text.to_owned());
    }
    parse_number(text)
}

/// Returns a number in E.164 form if it is in the range reserved for fiction.
pub(super) fn parse_number(text: &str) -> Option<String> {
    let bare: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let national = bare.strip_prefix('0').map(|rest| format!("+44{rest}")).unwrap_or(bare);
    national
        .strip_prefix("+44770090")
        .is_some_and(|rest| rest.len() == 4 && rest.bytes().all(|b| b.is_ascii_digit()))
        .then_some(national)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FilterChoice {
    Everybody,
    CityHas(&'static str),
    NoCity,
    Zip,
    Drafts,
    CityOrDrafts,
}

impl FilterChoice {
    pub(super) const ALL: [Self; 7] = [
        Self::Everybody,
        Self::CityHas("a"),
        Self::CityHas("b"),
        Self::NoCity,
        Self::Zip,
        Self::Drafts,
        Self::CityOrDrafts,
    ];

    fn fits(self, person: &Person) -> bool {
        let city_has = |part: &str| person.stored_text(CITY).to_lowercase().contains(part);
        match self {
            Self::Everybody => true,
            Self::CityHas(part) => city_has(part),
            Self::NoCity => person.stored_text(CITY).is_empty(),
            Self::Zip => !person.stored_text(ZIP).is_empty(),
            Self::Drafts => !person.drafts.is_empty(),
            Self::CityOrDrafts => city_has("a") || !person.drafts.is_empty(),
        }
    }

    fn json(self) -> Value {
        let city_has = |part: &str| json!({ "field": "city", "op": "contains", "value": part });
        match self {
            Self::Everybody => Value::Null,
            Self::CityHas(part) => city_has(part),
            Self::NoCity => json!({ "field": "city", "blank": true }),
            Self::Zip => json!({ "not": { "field": "zip", "blank": true } }),
            Self::Drafts => json!({ "draft": true }),
            Self::CityOrDrafts => json!({ "any": [city_has("a"), { "draft": true }] }),
        }
    }
}

const UP: SortOrder = SortOrder::Ascending;
const DOWN: SortOrder = SortOrder::Descending;
pub(super) const SORTS: [&[(usize, SortOrder)]; 4] = [&[], &[(CITY, UP)], &[(ZIP, DOWN)], &[(CITY, DOWN), (TITLE, UP)]];
/// Texts to search for in all columns.
pub(super) const TEXTS: [&str; 4] = ["", "", "A", "12"];

/// A view as the page knows it.
#[derive(Debug, Clone)]
pub(super) struct ModelView {
    pub which: FilterChoice,
    pub sort: &'static [(usize, SortOrder)],
    pub text: &'static str,
    /// The people of the rows. A person may have been removed meanwhile.
    pub uids: Vec<String>,
    /// Whether another page has changed the list since.
    pub is_stale: bool,
    pub generation: u32,
}

impl ModelView {
    pub(super) fn open(
        which: FilterChoice,
        sort: &'static [(usize, SortOrder)],
        text: &'static str,
        world: &People,
    ) -> Self {
        let mut seen = Self { which, sort, text, uids: Vec::new(), is_stale: false, generation: 0 };
        seen.refresh(world);
        seen
    }

    pub(super) fn fits(&self, person: &Person) -> bool {
        let part = self.text.to_lowercase();
        // Fewer than three digits are not searched for in numbers.
        let has = |at: &usize| person.stored_text(*at).to_lowercase().contains(&part);
        self.which.fits(person) && (part.is_empty() || [CITY, ZIP, TITLE].iter().any(has))
    }

    /// Orders people by the second of their creation, the newest first, and within a second by creation. Then applies
    /// the sort keys, with empty cells last.
    pub(super) fn refresh(&mut self, world: &People) {
        let mut found: Vec<&Person> = world.iter().filter(|person| self.fits(person)).collect();
        found.sort_by_key(|person| std::cmp::Reverse(person.made));
        let collator = order::new_collator().unwrap();
        for (at, order) in self.sort.iter().rev() {
            found.sort_by(|a, b| {
                let (a, b) = (a.stored_text(*at), b.stored_text(*at));
                match (a.is_empty(), b.is_empty(), order) {
                    (false, false, SortOrder::Ascending) => collator.compare(a, b),
                    (false, false, SortOrder::Descending) => collator.compare(b, a),
                    (a, b, _) => a.cmp(&b),
                }
            });
        }
        self.uids = found.into_iter().map(|person| person.uid.clone()).collect();
        self.is_stale = false;
        self.generation += 1;
    }

    pub(super) fn remove(&mut self, removed: &[String]) {
        let before = self.uids.len();
        self.uids.retain(|uid| !removed.contains(uid));
        self.generation += u32::from(self.uids.len() < before);
    }

    pub(super) fn spec(&self, account: &GridAccount) -> ViewSpec {
        let sort: Vec<(&str, SortOrder)> = self.sort.iter().map(|(at, order)| (NAMES[*at], *order)).collect();
        ViewSpec { text: Some(self.text.to_owned()), ..account.view_spec(self.which.json(), &sort) }
    }

    /// Returns the flags of a row and what its cells show. Whether the row has left the filter is known only while no
    /// other page has changed the list.
    pub(super) fn row(&self, uid: &str, world: &People) -> (u8, Vec<String>) {
        let Some(person) = world.iter().find(|person| person.uid == uid) else {
            return (1 << 4, vec![String::new(); NAMES.len() + 1]);
        };
        let is_twin = world.iter().any(|other| {
            other.uid != uid
                && [0, 1]
                    .iter()
                    .any(|at| !person.stored_text(*at).is_empty() && other.stored_text(*at) == person.stored_text(*at))
        });
        let has_left = !self.is_stale && !self.fits(person);
        let flags = u8::from(has_left) << 5 | u8::from(!person.drafts.is_empty()) << 6 | u8::from(is_twin) << 7;
        let cells = (0..NAMES.len()).map(|at| person.marked_cell(at));
        (flags, std::iter::once(person.uid.clone()).chain(cells).collect())
    }
}
