//! Tests that importing an exported file restores every value and every opt-out.

mod opt_outs;
mod round_trip;

use std::{io::Cursor, sync::Arc};

use roost_model::{id::ListId, phone::Region, time::Timestamp};
use roost_store::tables::{contacts::ContactInserter, custom_fields, lists};

use roost_exports::{ExportRequest, ExportScope, FileFormat, prepare_export};
use roost_ops::{
    Actor, Core, Ctx,
    contact::{self, FieldValues, fields},
    ctx::Clock,
    custom_field,
    error::Error,
    list,
};

const BASE: &str = "http://127.0.0.1:4010/s";

fn user() -> Actor {
    Actor::user(None)
}

fn sample_account() -> Core {
    Core::in_memory(Ctx::seeded(Clock::fixed(Timestamp::from_unix(1_767_603_600)), 1)).unwrap()
}

fn create_list(core: &Core, name: &str, rows: &[&[(&str, &str)]]) -> ListId {
    let uid = list::create(core, &user(), name, list::UniqueNames::Off).unwrap().uid;
    let values = |row: &&[(&str, &str)]| -> FieldValues {
        row.iter().map(|(field, text)| ((*field).to_owned(), Some((*text).to_owned()))).collect()
    };
    add_rows(core, &uid, &rows.iter().map(values).collect::<Vec<_>>());
    uid
}

/// Adds contacts as the service stores them: any text may be an e-mail address.
fn add_rows(core: &Core, list: &ListId, rows: &[FieldValues]) {
    let added = core.write(&user(), |tx| {
        let row = lists::row_of(tx, list)?.unwrap();
        let custom = custom_fields::defined_numbers(tx)?;
        let mut inserter = ContactInserter::new(tx, row, &custom)?;
        for values in rows {
            let mut values = values.clone();
            let email = values.remove("email_address");
            let mut checked = fields::check_values(&values, &custom, |_| Region::gb())?;
            checked.extend(email.map(|text| (fields::EMAIL, text)));
            inserter.insert(&contact::build_checked_contact(core, list, &checked, &custom)?)?;
        }
        Ok::<_, Error>(lists::touch(tx, row, core.ctx().now(), rows.len() as i64)?)
    });
    added.unwrap();
}

fn add_custom_fields(core: &Core, labels: &[&str]) {
    for label in labels {
        custom_field::add(core, &user(), label).unwrap();
    }
}

fn to_strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn request_for(what: ExportScope, format: FileFormat, columns: &[&str]) -> ExportRequest {
    let headings = to_strings(columns);
    ExportRequest {
        scope: what,
        format,
        columns: to_strings(columns),
        headings,
        short_link_base: BASE.to_owned(),
        without_opted_out: false,
    }
}

fn export_bytes(core: &Core, export: &ExportRequest) -> Vec<u8> {
    let exporting = prepare_export(core, export).unwrap();
    let mut out = Cursor::new(Vec::new());
    let rows = exporting.write(core, &Arc::default(), &mut out).unwrap();
    assert_eq!(rows, exporting.row_count());
    out.into_inner()
}

fn export_text(core: &Core, export: &ExportRequest) -> String {
    String::from_utf8(export_bytes(core, export)).unwrap()
}
