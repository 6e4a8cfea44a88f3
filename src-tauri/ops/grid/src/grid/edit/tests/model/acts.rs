//! Models what acts change in people, in the simplest way.

use serde_json::{Value, json};

use super::world::{CITY, CellTexts, NAMES, Person, TITLE, ZIP, parse_number};
use crate::grid::PasteMode;

/// Texts that people type: words, numbers in several spellings, texts too long for some fields, and the empty text.
const TEXTS: [&str; 12] = [
    "",
    "a",
    "Ba a",
    " b  b ",
    "07700900010",
    "+44 7700 900011",
    "+447700900012",
    "12",
    "xxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "c",
    "A B",
];

pub(super) fn typed_text(n: u8) -> String {
    TEXTS[n as usize % TEXTS.len()].to_owned()
}

/// Returns a bulk act with its columns and the changes it makes to the selected rows. A removed person is not changed.
pub(super) fn bulk_act(
    kind: u8,
    a: u8,
    b: u8,
    rows: &[u64],
    people: &[Option<Person>],
) -> (Value, Vec<&'static str>, Vec<CellTexts>) {
    let at = a as usize % NAMES.len();
    let each = |make: &dyn Fn(usize, &Person) -> CellTexts| -> Vec<CellTexts> {
        let act_on = |(n, person): (usize, &Option<Person>)| person.as_ref().map(|person| make(n, person));
        people.iter().enumerate().map(|one| act_on(one).unwrap_or_default()).collect()
    };
    let one = |make: &dyn Fn(usize, &Person) -> Option<String>| {
        each(&|n, person| make(n, person).map(|text| (at, text)).into_iter().collect())
    };
    let written = |make: &dyn Fn(&str) -> String| {
        one(&|_, person| Some(person.shown_text(at)).filter(|text| !text.is_empty()).map(|text| make(&text)))
    };
    let replace = |find: &str, with: &str, regex: bool| json!({ "replace": { "find": find, "with": with, "regex": regex, "whole_cell": false, "case": true } });
    let (json, wants) = match kind % 15 {
        0 => (json!({ "set": typed_text(b) }), one(&|_, _| Some(typed_text(b)))),
        1 => (json!({ "clear": true }), one(&|_, _| Some(String::new()))),
        2 => (
            replace("a", "c$1", false),
            one(&|_, person| {
                Some(person.shown_text(at)).filter(|text| text.contains('a')).map(|text| text.replace('a', "c$1"))
            }),
        ),
        3 => (
            replace("([ab])b?", "<$1>", true),
            one(&|_, person| {
                let text = person.shown_text(at);
                let changed =
                    text.replace("ab", "\u{1}").replace("bb", "\u{2}").replace('a', "<a>").replace('b', "<b>");
                let changed = changed.replace('\u{1}', "<a>").replace('\u{2}', "<b>");
                text.contains(['a', 'b']).then_some(changed)
            }),
        ),
        4 => (json!({ "case": "upper" }), written(&str::to_uppercase)),
        5 => {
            let trimmed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            (json!({ "trim": true }), written(&trimmed))
        }
        6 => (
            json!({ "series": { "start": 8, "step": 3, "prefix": "", "pad": 2 } }),
            one(&|n, _| Some(format!("{:02}", 8 + 3 * n))),
        ),
        7 => (json!({ "fill_blanks": "above" }), filled_above(at, rows, people)),
        8 => (json!({ "fill": "down" }), filled_down(at, rows, people)),
        9 => (
            json!({ "copy": { "from": NAMES[b as usize % 5], "into": NAMES[at], "mode": "blanks" } }),
            one(&|_, person| person.shown_text(at).is_empty().then(|| person.shown_text(b as usize % 5))),
        ),
        10 => (
            json!({ "join": { "from": ["city", "zip"], "by": "-", "into": NAMES[at] } }),
            one(&|_, person| {
                let parts = [CITY, ZIP].map(|at| person.shown_text(at)).into_iter().filter(|text| !text.is_empty());
                let parts: Vec<String> = parts.collect();
                (!parts.is_empty()).then(|| parts.join("-"))
            }),
        ),
        11 => (json!({ "e164": { "region": "GB" } }), one(&|_, person| parse_number(&person.shown_text(at)))),
        12 => (
            json!({ "fill_blanks": { "text": typed_text(b) } }),
            one(&|_, person| person.shown_text(at).is_empty().then(|| typed_text(b))),
        ),
        13 => {
            let wants = each(&|_, person| [ZIP, TITLE].map(|at| (at, person.shown_text(CITY))).into());
            return (json!({ "fill": "right" }), vec!["city", "zip", "title"], wants);
        }
        _ => {
            let wants = each(&|_, person| {
                let city = person.shown_text(CITY);
                let mut parts = city.trim().splitn(2, ' ').map(|part| part.trim().to_owned());
                let places = [(ZIP, parts.next()), (TITLE, parts.next())].into_iter();
                places.filter_map(|(at, part)| Some((at, part.filter(|part| !part.is_empty())?))).collect()
            });
            return (json!({ "split": { "by": " ", "into": ["zip", "title"] } }), vec!["city"], wants);
        }
    };
    (json, vec![NAMES[at]], wants)
}

/// Returns whether each row begins a range of adjacent rows.
fn begin_ranges(rows: &[u64]) -> impl Iterator<Item = bool> + '_ {
    (0..rows.len()).map(|n| n == 0 || rows[n - 1] + 1 != rows[n])
}

fn filled_above(at: usize, rows: &[u64], people: &[Option<Person>]) -> Vec<CellTexts> {
    let mut above = String::new();
    let mut wants = Vec::new();
    for (is_first, person) in begin_ranges(rows).zip(people) {
        if is_first {
            above.clear();
        }
        let shown = person.as_ref().map(|person| person.shown_text(at));
        let is_filled = shown.as_ref().is_some_and(String::is_empty) && !above.is_empty();
        wants.push(is_filled.then(|| (at, above.clone())).into_iter().collect());
        above = shown.filter(|text| !text.is_empty()).unwrap_or(above);
    }
    wants
}

fn filled_down(at: usize, rows: &[u64], people: &[Option<Person>]) -> Vec<CellTexts> {
    let mut first = None;
    let mut wants = Vec::new();
    for (is_first, person) in begin_ranges(rows).zip(people) {
        if is_first {
            first = person.as_ref().map(|person| person.shown_text(at));
            wants.push(CellTexts::new());
        } else {
            wants.push(first.clone().filter(|_| person.is_some()).map(|text| (at, text)).into_iter().collect());
        }
    }
    wants
}

/// Returns a block of one to three lines of one to three cells each, chosen by some numbers.
pub(super) fn make_block(a: u64, b: u64, c: u8, d: u8) -> Vec<Vec<String>> {
    let height = 1 + a % 3;
    let cell = |line: u64, n: u64| {
        typed_text(c.wrapping_mul(1 + line as u8).wrapping_add(d.wrapping_mul(n as u8)).wrapping_add(n as u8))
    };
    (0..height).map(|line| (0..1 + (b + line) % 3).map(|n| cell(line, n)).collect()).collect()
}

/// The expected effect of a paste: which row of the view receives what, and the contents of the lines after the last
/// row.
pub(super) struct ExpectedPaste {
    pub over: Vec<(u64, CellTexts)>,
    pub new: Vec<CellTexts>,
}

/// Lays out a block as a spreadsheet does, or returns `None` if it does not fit.
pub(super) fn lay_out(
    block: &[Vec<String>],
    mode: PasteMode,
    row: u64,
    columns: &[usize],
    into: Option<&[u64]>,
    total: u64,
) -> Option<ExpectedPaste> {
    let width = block.iter().map(Vec::len).max()?;
    let mut lines = block.to_vec();
    if mode == PasteMode::Transposed {
        lines =
            (0..width).map(|n| block.iter().map(|line| line.get(n).cloned().unwrap_or_default()).collect()).collect();
    }
    let width = lines.iter().map(Vec::len).max()?;
    if width > columns.len() {
        return None;
    }
    let across = if into.is_some() && columns.len().is_multiple_of(width) { columns.len() } else { width };
    let cells = |n: usize| -> CellTexts {
        let line = &lines[n % lines.len()];
        let text = |text: &String| {
            if mode == PasteMode::E164 { parse_number(text).unwrap_or(text.clone()) } else { text.clone() }
        };
        (0..across).filter_map(|at| Some((columns[at], text(line.get(at % width)?)))).collect()
    };
    match into {
        Some(into) if into.len() > 1 => {
            if into.len() < lines.len() {
                return None;
            }
            let count = if into.len().is_multiple_of(lines.len()) { into.len() } else { lines.len() };
            Some(ExpectedPaste {
                over: into[..count].iter().enumerate().map(|(n, row)| (*row, cells(n))).collect(),
                new: vec![],
            })
        }
        _ => {
            let first = into.and_then(|into| into.first()).copied().unwrap_or(row).min(total);
            let over = (total - first).min(lines.len() as u64);
            Some(ExpectedPaste {
                over: (0..over).map(|n| (first + n, cells(n as usize))).collect(),
                new: (over as usize..lines.len()).map(cells).collect(),
            })
        }
    }
}
