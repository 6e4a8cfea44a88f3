//! A sample account to try everything on: realistic in shape, made by rule, the same for the same seed and clock.
//!
//! Nobody in it exists. Every phone number is from a range that a regulator keeps for fiction, every address is at a
//! domain or in a postal area that nobody has.

mod crowd;
mod links;
mod lists;
mod numbers;
mod opt_outs;
mod people;
mod service;

use rand::{SeedableRng, rngs::StdRng};
use roost_model::time::Timestamp;
use roost_store::{
    change_log::{Action, Change, Noun},
    tables::steps::Act,
    tx::WriteTx,
};

pub use self::crowd::{Crowd, write as write_crowd};
use self::people::Person;
use crate::{
    core::{By, Core},
    ctx::{Clock, Ctx},
    error::Result,
};

const DAY: i64 = 86_400;
/// Rows that a progress bar is made for.
const ROWS: u64 = 10_000;

/// What every part of the sample is made from.
struct Maker<'a> {
    tx: &'a WriteTx<'a>,
    now: Timestamp,
    seed: u64,
    people: Vec<Person>,
}

impl Maker<'_> {
    /// Chance for one part: what is added to another part later does not change this one.
    fn chance(&self, part: u64) -> StdRng {
        StdRng::seed_from_u64(self.seed.wrapping_mul(1_000_003).wrapping_add(part))
    }

    /// Ids for one part, in the order of their times.
    fn ids(&self, part: u64) -> Ctx {
        Ctx::seeded(Clock::fixed(self.now), self.seed.wrapping_mul(1_000_033).wrapping_add(part))
    }

    /// A moment `days` ago, at a second of the day between `from` and `to` o'clock.
    fn ago(&self, days: i64, second: i64) -> Timestamp {
        ago(self.now, days, second)
    }
}

fn ago(now: Timestamp, days: i64, second: i64) -> Timestamp {
    let midnight = now.unix() - now.unix().rem_euclid(DAY);
    Timestamp::from_unix((midnight - days * DAY + second).min(now.unix()))
}

/// Fills an account that was made just now, in one transaction. Nobody takes it back: before it there was nothing.
pub fn fill(core: &Core, by: &By, seed: u64) -> Result<()> {
    core.write_unrecorded(by, |tx| {
        tx.expect_rows(ROWS);
        tx.act(Act::new("sample_fill"));
        let mut chance = StdRng::seed_from_u64(seed);
        let maker = Maker { tx, now: core.ctx().now(), seed, people: people::all(&mut chance) };
        let fields = service::fill_custom_fields(&maker)?;
        let senders = service::fill_senders(&maker)?;
        let assets = service::fill_assets(&maker)?;
        let (lists, contacts) = lists::fill(&maker, &fields)?;
        let opt_outs = opt_outs::fill(&maker, &assets)?;
        let (links, clicks) = links::fill(&maker)?;
        let made = [
            (Noun::CustomField, fields.len() as u64),
            (Noun::Sender, senders),
            (Noun::Asset, assets.len() as u64),
            (Noun::List, lists),
            (Noun::Contact, contacts),
            (Noun::OptOut, opt_outs),
            (Noun::ShortLink, links),
            (Noun::Click, clicks),
        ];
        for (noun, count) in made {
            tx.log(Change::many(noun, Action::Created, "sample", count));
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use serde_json::Value;

    use super::{numbers::is_fiction, *};
    use crate::{
        account::{overview, seed},
        short_link,
    };

    const BASE: &str = "http://127.0.0.1:4010/s";

    fn at(now: i64) -> Core {
        Core::in_memory(Ctx::seeded(Clock::fixed(Timestamp::from_unix(now)), now as u64)).unwrap()
    }

    fn filled(now: i64, seed: u64) -> Core {
        let core = at(now);
        fill(&core, &By::user(None), seed).unwrap();
        core
    }

    fn export(core: &Core) -> Vec<u8> {
        let mut text = Vec::new();
        seed::export(core, BASE, &mut text).unwrap();
        text
    }

    #[test]
    fn the_same_seed_and_clock_give_the_same_bytes_and_another_seed_gives_others() {
        let now = 1_767_600_000;
        let (one, two) = (filled(now, 1), filled(now, 1));
        let first = export(&one);
        assert!(first == export(&two));
        assert!(first != export(&filled(now, 2)));
        let all = |core: &Core| -> Vec<Value> {
            let page = roost_model::page::PageRequest { number: 1, size: 1_000 };
            let (order, tags) = (roost_model::page::SortOrder::Ascending, Vec::new());
            let query = short_link::LinkQuery { query: None, tags, from: None, to: None, order, page };
            let links = short_link::search(core, &query).unwrap().items;
            links
                .iter()
                .map(|l| serde_json::to_value(short_link::clicks(core, &l.link_id, page).unwrap().items).unwrap())
                .collect()
        };
        assert!(all(&one) == all(&two));
    }

    /// Reading a seed file checks every rule of the model.
    #[test]
    fn everything_in_it_keeps_the_rules() {
        let (core, copy) = (filled(1_767_600_000, 7), at(1_767_600_000));
        let text = export(&core);
        seed::apply(&copy, &By::operator(), &text, BASE).unwrap();
        assert!(export(&copy) == text);
    }

    fn numbers(value: &Value, found: &mut Vec<String>) {
        const KEYS: [&str; 5] = ["phone_number", "whatsapp_id", "number", "inbound_number", "alternate_phone"];
        match value {
            Value::Object(map) => {
                for (key, inner) in map {
                    match inner.as_str().filter(|_| KEYS.contains(&key.as_str())) {
                        Some(number) => found.push(number.to_owned()),
                        None => numbers(inner, found),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| numbers(item, found)),
            _ => {}
        }
    }

    #[test]
    fn every_number_is_kept_for_fiction_and_every_address_is_an_example() {
        let text = export(&filled(1_767_600_000, 1));
        let value: Value = serde_json::from_slice(&text).unwrap();
        let mut found = Vec::new();
        numbers(&value, &mut found);
        assert!(found.len() > 5_000, "{}", found.len());
        let strange: BTreeSet<&String> = found.iter().filter(|number| !is_fiction(number)).collect();
        assert_eq!(strange, BTreeSet::new());
        let text = String::from_utf8(text).unwrap();
        for part in text.split('@').skip(1) {
            assert!(
                ["example.com", "example.org", "example.net"].iter().any(|own| part.starts_with(own)),
                "{part:.40}"
            );
        }
    }

    #[test]
    fn there_is_enough_of_everything_to_try_it_on() {
        let core = filled(1_767_600_000, 1);
        let counts = overview::get(&core).unwrap();
        assert_eq!((counts.lists, counts.assets, counts.senders, counts.custom_fields), (12, 3, 6, 6));
        assert_eq!((counts.opt_outs, counts.short_links), (150, 25));
        assert!((5_000..6_000).contains(&counts.contacts), "{}", counts.contacts);
        let value: Value = serde_json::from_slice(&export(&core)).unwrap();
        let mut kinds: BTreeMap<String, u32> = BTreeMap::new();
        for record in value["opt_outs"].as_array().unwrap() {
            let told = [&record["opt_out_type"], &record["channel"], &record["account_level_opt_out"]];
            *kinds.entry(told.map(Value::to_string).join(" ")).or_default() += 1;
        }
        assert!(kinds.len() >= 10, "{kinds:?}");
        let newsletter = &value["lists"][0]["contacts"].as_array().unwrap();
        let unique: BTreeSet<_> = newsletter.iter().map(|contact| contact["phone_number"].to_string()).collect();
        assert_eq!((newsletter.len(), unique.len()), (2_500, 2_470), "some stand there twice");
    }

    #[test]
    fn times_are_in_the_past_and_a_cancelled_sample_leaves_nothing() {
        let text = String::from_utf8(export(&filled(1_767_600_000, 3))).unwrap();
        let now = Timestamp::from_unix(1_767_600_000).iso();
        let times = text.split('"').filter(|text| text.len() == 20 && text.ends_with('Z') && text.starts_with("20"));
        assert!(times.clone().count() > 100);
        assert_eq!(times.filter(|time| **time > *now).count(), 0);
        let (core, watch) = (at(1_767_600_000), std::sync::Arc::new(crate::Watch::default()));
        watch.cancel();
        fill(&core, &By::user(None).watched(watch), 1).unwrap_err();
        assert_eq!(overview::get(&core).unwrap().lists, 0);
    }
}
