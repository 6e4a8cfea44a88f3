//! Tests what exported files contain and that importing them restores every value.

mod forms;
mod lists;
mod opt_outs;
mod round_trip;

use std::{io::Cursor, sync::Arc};

use roost_model::{id::ListId, time::Timestamp};

use super::{Export, Format, What, begin};
use crate::{
    By, Core, Ctx,
    contact::{self, FieldValues},
    ctx::Clock,
    custom_field, list,
};

const BASE: &str = "http://127.0.0.1:4010/s";

fn me() -> By {
    By::user(None)
}

fn account() -> Core {
    Core::in_memory(Ctx::seeded(Clock::fixed(Timestamp::from_unix(1_767_603_600)), 1)).unwrap()
}

fn list_of(core: &Core, name: &str, rows: &[&[(&str, &str)]]) -> ListId {
    let uid = list::create(core, &me(), name, list::UniqueNames::Off).unwrap().uid;
    let values = |row: &&[(&str, &str)]| -> FieldValues {
        row.iter().map(|(field, text)| ((*field).to_owned(), Some((*text).to_owned()))).collect()
    };
    fill(core, &uid, &rows.iter().map(values).collect::<Vec<_>>());
    uid
}

fn fill(core: &Core, list: &ListId, rows: &[FieldValues]) {
    assert_eq!(contact::paste(core, &me(), list, rows, Some("GB")).unwrap().faults, []);
}

fn define(core: &Core, labels: &[&str]) {
    for label in labels {
        custom_field::add(core, &me(), label).unwrap();
    }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn of(what: What, format: Format, columns: &[&str]) -> Export {
    let headings = names(columns);
    Export {
        what,
        format,
        columns: names(columns),
        headings,
        short_link_base: BASE.to_owned(),
        without_opted_out: false,
    }
}

fn written(core: &Core, export: &Export) -> Vec<u8> {
    let exporting = begin(core, export).unwrap();
    let mut out = Cursor::new(Vec::new());
    let rows = exporting.write(core, &Arc::default(), &mut out).unwrap();
    assert_eq!(rows, exporting.rows());
    out.into_inner()
}

fn told(core: &Core, export: &Export) -> String {
    String::from_utf8(written(core, export)).unwrap()
}
