//! Tests of whole imports: the account becomes what the rehearsal says, and everything can be undone.

mod acts;
mod channels;
mod model;
mod rejects;

use std::{collections::BTreeSet, sync::Arc};

use roost_model::{channel::Channel, id::ListId, phone::Region, time::Timestamp};
use roost_sheets::{Block, RowFlags};
use roost_store::watch::Watch;
use serde_json::Value;

use super::{
    Accept, Accepted, Rehearsal, Rows, Spool, accept,
    mapping::{Consent, Mapping, OpenMapping, Piece, Rule, Target},
    rehearse,
};
use crate::{
    By, Core, Ctx,
    account::seed,
    ctx::Clock,
    error::Result,
    list,
    opt_out::{self, NewOptOut},
};

pub fn me() -> By {
    By::user(None)
}

/// An account in memory with one list.
pub struct World {
    pub core: Core,
    pub list: ListId,
}

pub const HEADS: [&str; 5] = ["phone", "whatsapp", "city", "title", "stop"];

impl World {
    pub fn new() -> Self {
        let ctx = Ctx::seeded(Clock::fixed(Timestamp::from_unix(1_767_603_600)), 1);
        let core = Core::in_memory(ctx).unwrap();
        let list = list::create(&core, &me(), "Everybody", list::UniqueNames::Off).unwrap().uid;
        Self { core, list }
    }

    /// Returns every list with its contacts, and every opt-out, as a seed.
    pub fn export(&self) -> Value {
        let mut out = Vec::new();
        seed::export(&self.core, "http://127.0.0.1:4010/s", &mut out).unwrap();
        serde_json::from_slice(&out).unwrap()
    }

    /// Returns the same without the opt-outs.
    pub fn substance(&self) -> Value {
        let mut export = self.export();
        export.as_object_mut().unwrap().remove("opt_outs").unwrap();
        export
    }

    pub fn contacts(&self) -> Vec<Value> {
        let lists = self.export()["lists"].as_array().unwrap().clone();
        let ours = lists.into_iter().find(|list| list["uid"] == self.list.as_str());
        ours.map(|list| list["contacts"].as_array().unwrap().clone()).unwrap_or_default()
    }

    pub fn opt_outs(&self) -> BTreeSet<String> {
        self.export()["opt_outs"].as_array().unwrap().iter().map(Value::to_string).collect()
    }

    pub fn opt_out(&self, number: &str) {
        let entry = NewOptOut { number: number.to_owned(), channels: vec![Channel::Sms], asset: None };
        opt_out::add(&self.core, &me(), &[entry], "asked for it", Some(Region::gb())).unwrap();
    }

    pub fn rehearse(&self, file: &File, mapping: &OpenMapping) -> Rehearsal {
        rehearse(&self.core, file.rows(), mapping, Some(&self.list), &Arc::new(Watch::default())).unwrap()
    }

    pub fn accept(&self, file: &File, rehearsal: &Rehearsal) -> Result<Accepted> {
        let typed_count = Some(rehearsal.told().opt_outs);
        let how = Accept { name: "people.csv", kind: "csv", new_list: None, typed_count, mark: None };
        accept(&self.core, &me(), file.rows(), rehearsal, &how)
    }

    pub fn import(&self, file: &File, mapping: &OpenMapping) -> Accepted {
        self.accept(file, &self.rehearse(file, mapping)).unwrap()
    }
}

/// The spooled rows of a file.
pub struct File {
    spool: Spool,
    heads: Vec<String>,
}

impl File {
    pub fn of<R: AsRef<[&'static str]>>(rows: &[R]) -> Self {
        Self::flagged(rows, RowFlags::default())
    }

    pub fn flagged<R: AsRef<[&'static str]>>(rows: &[R], flags: RowFlags) -> Self {
        let mut spool = Spool::in_memory();
        // Frames are small, so that tests use several of them.
        for part in rows.chunks(3) {
            let mut block = Block::default();
            for row in part {
                row.as_ref().iter().for_each(|cell| block.cell(cell));
                block.end_row(1, flags);
            }
            spool.push(&block).unwrap();
        }
        Self { spool, heads: HEADS.map(str::to_owned).to_vec() }
    }

    pub fn rows(&self) -> Rows<'_> {
        Rows { spool: &self.spool, heads: &self.heads, first: 0, opted_out: &[] }
    }
}

pub fn column(column: u32) -> Vec<Piece<u32>> {
    vec![Piece::Column { column, part: None }]
}

pub fn target(field: &str, from: u32, rule: Option<Rule>) -> Target<u32> {
    Target { rule, ..Target::new(field, column(from)) }
}

/// Returns a mapping in which each column fills its field and the last says who opted out.
pub fn mapping(rule: Rule) -> OpenMapping {
    let fields = ["phone_number", "whatsapp_id", "city", "title"];
    let targets = fields.iter().zip(0..).map(|(field, from)| target(field, from, None)).collect();
    let consent = Consent {
        pieces: column(4),
        between: String::new(),
        words: vec!["Stop".to_owned()],
        keeps: Vec::new(),
        channels: Channel::ALL.to_vec(),
    };
    Mapping { targets, rule, region: Some("GB".to_owned()), consents: vec![consent], ..Mapping::default() }
}
