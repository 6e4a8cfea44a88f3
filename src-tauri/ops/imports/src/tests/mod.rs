//! Tests of whole imports: the account becomes what the rehearsal says, and everything can be undone.

mod acts;
mod channels;
mod exports;
mod model;
mod rejects;
pub(crate) mod test_core;

use std::{collections::BTreeSet, sync::Arc};

use roost_model::{channel::Channel, id::ListId, phone::Region, time::Timestamp};
use roost_sheets::{RowBlock, RowFlags};
use roost_store::watch::Watch;
use serde_json::Value;

use self::test_core::TestCore;
use super::{
    AcceptOptions, AcceptedImport, Rehearsal, Spool, SpooledRows, accept_rehearsal,
    mapping::{ConsentMapping, FieldTarget, Mapping, OpenMapping, OverwriteRule, ValuePiece},
    rehearse_rows,
};
use roost_ops::{
    Actor, Ctx,
    account::seed,
    contact,
    ctx::Clock,
    error::Result,
    list,
    opt_out::{self, NewOptOut},
};

pub(crate) fn user() -> Actor {
    Actor::user(None)
}

/// An account in memory with one list.
pub(crate) struct TestAccount {
    pub core: TestCore,
    pub list: ListId,
}

pub(crate) const HEADS: [&str; 5] = ["phone", "whatsapp", "city", "title", "stop"];

impl TestAccount {
    pub(crate) fn new() -> Self {
        let ctx = Ctx::seeded(Clock::fixed(Timestamp::from_unix(1_767_603_600)), 1);
        let core = TestCore::in_memory(ctx);
        let list = list::create(&core, &user(), "Everybody", list::UniqueNames::Off).unwrap().uid;
        Self { core, list }
    }

    /// Returns every list with its contacts, and every opt-out, as a seed.
    pub(crate) fn export_seed(&self) -> Value {
        let mut out = Vec::new();
        seed::export(&self.core, "http://127.0.0.1:4010/s", &mut out).unwrap();
        serde_json::from_slice(&out).unwrap()
    }

    /// Returns the same without the opt-outs.
    pub(crate) fn export_without_opt_outs(&self) -> Value {
        let mut export = self.export_seed();
        export.as_object_mut().unwrap().remove("opt_outs").unwrap();
        export
    }

    pub(crate) fn contacts(&self) -> Vec<Value> {
        let lists = self.export_seed()["lists"].as_array().unwrap().clone();
        let ours = lists.into_iter().find(|list| list["uid"] == self.list.as_str());
        ours.map(|list| list["contacts"].as_array().unwrap().clone()).unwrap_or_default()
    }

    pub(crate) fn opt_outs(&self) -> BTreeSet<String> {
        self.export_seed()["opt_outs"].as_array().unwrap().iter().map(Value::to_string).collect()
    }

    pub(crate) fn add_opt_out(&self, number: &str) {
        let entry = NewOptOut { number: number.to_owned(), channels: vec![Channel::Sms], asset: None };
        opt_out::add(&self.core, &user(), &[entry], "asked for it", Some(Region::gb())).unwrap();
    }

    pub(crate) fn rehearse_file(&self, file: &SpooledFile, mapping: &OpenMapping) -> Rehearsal {
        rehearse_rows(&self.core, file.spooled_rows(), mapping, Some(&self.list), &Arc::new(Watch::default())).unwrap()
    }

    pub(crate) fn accept_file(&self, file: &SpooledFile, rehearsal: &Rehearsal) -> Result<AcceptedImport> {
        let typed_count = Some(rehearsal.summary().opt_outs);
        let how = AcceptOptions { name: "people.csv", kind: "csv", new_list: None, typed_count, mark: None };
        accept_rehearsal(&self.core, &user(), file.spooled_rows(), rehearsal, &how)
    }

    pub(crate) fn import_file(&self, file: &SpooledFile, mapping: &OpenMapping) -> AcceptedImport {
        self.accept_file(file, &self.rehearse_file(file, mapping)).unwrap()
    }
}

/// The spooled rows of a file.
pub(crate) struct SpooledFile {
    spool: Spool,
    heads: Vec<String>,
}

impl SpooledFile {
    pub(crate) fn from_rows<R: AsRef<[&'static str]>>(rows: &[R]) -> Self {
        Self::with_flags(rows, RowFlags::default())
    }

    pub(crate) fn with_flags<R: AsRef<[&'static str]>>(rows: &[R], flags: RowFlags) -> Self {
        let mut spool = Spool::in_memory();
        // Frames are small, so that tests use several of them.
        for part in rows.chunks(3) {
            let mut block = RowBlock::default();
            for row in part {
                row.as_ref().iter().for_each(|cell| block.push_cell(cell));
                block.end_row(1, flags);
            }
            spool.push(&block).unwrap();
        }
        Self { spool, heads: HEADS.map(str::to_owned).to_vec() }
    }

    pub(crate) fn spooled_rows(&self) -> SpooledRows<'_> {
        SpooledRows { spool: &self.spool, heads: &self.heads, first_value_row: 0, opted_out: &[] }
    }
}

pub(crate) fn column_pieces(column: u32) -> Vec<ValuePiece<u32>> {
    vec![ValuePiece::Column { column, part: None }]
}

pub(crate) fn field_target(field: &str, from: u32, rule: Option<OverwriteRule>) -> FieldTarget<u32> {
    FieldTarget { rule, ..FieldTarget::new(field, column_pieces(from)) }
}

/// Returns a mapping in which each column fills its field and the last says who opted out.
pub(crate) fn sample_mapping(rule: OverwriteRule) -> OpenMapping {
    let fields = ["phone_number", "whatsapp_id", "city", "title"];
    let targets = fields.iter().zip(0..).map(|(field, from)| field_target(field, from, None)).collect();
    let consent = ConsentMapping {
        pieces: column_pieces(4),
        between: String::new(),
        words: vec!["Stop".to_owned()],
        keeps: Vec::new(),
        channels: Channel::ALL.to_vec(),
    };
    Mapping { targets, rule, region: Some("GB".to_owned()), consents: vec![consent], ..Mapping::default() }
}
