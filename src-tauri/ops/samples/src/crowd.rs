//! Writes a seed file with any number of contacts. The contacts are generated while the file is written, and the same
//! options give the same file.

use std::io::Write;

use rand::{Rng, SeedableRng, rngs::StdRng};
use roost_model::{
    contact::{ATTRIBUTES, Contact},
    custom_field::CustomField,
    id::{ContactId, ListId},
    phone::parse_international,
    time::Timestamp,
};
use roost_ops::{
    ctx::{Clock, Ctx},
    error::Result,
    seed::{SeedFormat, SeedWriter, contact_to_json},
};
use serde_json::{Map, json};

use super::{
    DAY,
    lists::{custom_values, list_names, set_attributes},
    people,
    service::FIELDS,
};

/// The options of a generated crowd. No number occurs twice until every number has been used once; then the numbers
/// repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrowdOptions {
    pub contacts: u64,
    /// The lists over which the contacts are spread evenly; at least one.
    pub lists: u32,
    pub seed: u64,
}

/// 2026-01-05T09:00:00Z. The time is fixed so that the same options give the same bytes.
const NOW: i64 = 1_767_603_600;
/// The age of the first contact of each list in seconds.
const AGE: i64 = 365 * DAY;
/// The distance between two consecutive numbers in the sequence, so that neighbours come from all ranges.
const STRIDE: u64 = 61_681;

/// Writes a seed file. The memory used does not grow with the number of contacts.
pub fn write_crowd(options: CrowdOptions, out: &mut dyn Write) -> Result<()> {
    let mut out = SeedWriter::new(SeedFormat::Json, out);
    let fields: Vec<u32> = (1..).take(FIELDS.len()).collect();
    out.begin_part("custom_fields")?;
    let labelled = fields.iter().zip(FIELDS);
    out.write_records(labelled.map(|(number, label)| json!(CustomField { number: *number, label: label.to_owned() })))?;
    out.begin_part("lists")?;
    let now = Timestamp::from_unix(NOW);
    let ids = Ctx::seeded(Clock::fixed(now), options.seed);
    let mut chance = StdRng::seed_from_u64(options.seed);
    let mut places = NumberSequence::new(&mut chance);
    let lists = u64::from(options.lists.max(1));
    let mut called = list_names().cycle();
    for list in 0..lists {
        let begun = Timestamp::from_unix(NOW - AGE);
        let uid = ListId::new(ids.ksuid(begun));
        let round = list / list_names().count() as u64 + 1;
        let name = called.next().unwrap_or("List");
        let name = if round == 1 { name.to_owned() } else { format!("{name} {round}") };
        let size = options.contacts / lists + u64::from(list < options.contacts % lists);
        let last = if size == 0 { begun } else { creation_time(size - 1, size) };
        out.begin_list(&json!({ "uid": uid, "name": name, "created_at": begun, "updated_at": last }), uid.as_str())?;
        for at in 0..size {
            let created_at = creation_time(at, size);
            let person = people::make_person_at(&mut chance, places.next());
            let number = parse_international(&person.number);
            let mut made = Contact {
                uid: ContactId::new(ids.ksuid(created_at)),
                list: uid.clone(),
                phone: number.clone(),
                whatsapp: number.filter(|_| person.has_whatsapp),
                attributes: [const { None }; ATTRIBUTES],
                custom: custom_values(now, &mut chance, created_at),
                created_at,
                updated_at: None,
            };
            set_attributes(&mut made, &person);
            out.write_contact(&contact_to_json(&made, &fields))?;
        }
        out.end_list()?;
    }
    out.finish(&Map::new(), None)
}

/// Returns the creation time of the contact at position `at` of `of`. The contacts are spread evenly over the whole
/// period.
fn creation_time(at: u64, of: u64) -> Timestamp {
    let share = (AGE as u128 * u128::from(at) / u128::from(of)) as i64;
    Timestamp::from_unix(NOW - AGE + share)
}

/// A sequence of positions that visits every number once before it repeats.
struct NumberSequence {
    at: u64,
    most: u64,
}

impl NumberSequence {
    fn new(chance: &mut StdRng) -> Self {
        let most = people::count_numbers() as u64;
        Self { at: chance.random_range(0..most), most }
    }

    fn next(&mut self) -> usize {
        self.at = (self.at + STRIDE) % self.most;
        self.at as usize
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use roost_ops::{Actor, Core, overview, seed};
    use serde_json::Value;

    use super::{super::numbers::is_fiction, *};

    fn make_crowd(contacts: u64, lists: u32, seed: u64) -> Vec<u8> {
        let mut text = Vec::new();
        write_crowd(CrowdOptions { contacts, lists, seed }, &mut text).unwrap();
        text
    }

    #[test]
    fn the_same_request_gives_the_same_bytes_and_another_seed_gives_others() {
        let text = make_crowd(300, 4, 7);
        assert!(text == make_crowd(300, 4, 7));
        assert!(text != make_crowd(300, 4, 8));
    }

    #[test]
    fn it_is_a_seed_that_keeps_the_rules() {
        let base = "http://127.0.0.1:4010/s";
        for (contacts, lists) in [(0, 1), (2, 3), (1_501, 14)] {
            let core = Core::in_memory(Ctx::seeded(Clock::fixed(Timestamp::from_unix(NOW)), 1)).unwrap();
            let text = make_crowd(contacts, lists, 7);
            seed::apply(&core, &Actor::operator(), &text, base).unwrap();
            let counts = overview::get(&core).unwrap();
            assert_eq!((counts.lists, counts.contacts), (u64::from(lists), contacts));
        }
    }

    #[test]
    fn phone_numbers_are_unique_and_all_numbers_are_reserved_for_fiction() {
        let value: Value = serde_json::from_slice(&make_crowd(3_000, 1, 7)).unwrap();
        let contacts = value["lists"][0]["contacts"].as_array().unwrap();
        let number = |name: &str| contacts.iter().filter_map(|contact| contact[name].as_str()).collect::<BTreeSet<_>>();
        let phones = number("phone_number");
        assert_eq!((contacts.len(), phones.len()), (3_000, 3_000));
        assert!(number("whatsapp_id").is_subset(&phones) && !number("whatsapp_id").is_empty());
        let all = phones.union(&number("alternate_phone")).copied().collect::<BTreeSet<_>>();
        assert_eq!(all.iter().filter(|number| !is_fiction(number)).collect::<Vec<_>>(), Vec::<&&str>::new());
    }

    #[test]
    fn every_number_is_used_once_before_any_number_is_repeated() {
        let mut places = NumberSequence::new(&mut StdRng::seed_from_u64(1));
        let most = people::count_numbers();
        assert!(most > 100_000, "{most}");
        let mut seen = vec![false; most];
        (0..most).for_each(|_| seen[places.next()] = true);
        assert!(seen.into_iter().all(|seen| seen));
    }
}
