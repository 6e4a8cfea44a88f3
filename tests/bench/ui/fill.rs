//! Generates the account on which the window is measured. A seed and jobs fill it as the interface would, and its
//! history is written directly to the file.

use std::{borrow::Cow, error::Error, path::Path};

use roost_model::{
    contact::{ATTRIBUTES, Attribute, MergeType, ValidContact},
    id::ListId,
    phone::Phone,
};
use roost_ops::{
    Actor, Core, Ctx,
    job::{self, NewJob},
    seed,
};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::numbers;

pub(super) const LISTS: usize = 100;
pub(super) const CONTACTS: usize = 200_000;
/// The size of the first list, which is the large one.
pub(super) const LARGE: usize = 100_000;
pub(super) const OPT_OUTS: usize = 50_000;
pub(super) const LINKS: usize = 10_000;
/// An empty account beside it.
pub(super) const SMALL: &str = "small.roost";
/// The numbers of the contacts. Some are in several lists, and some are in the large list twice.
const NUMBERS: usize = 110_000;
const TWICE_FROM: usize = 98_000;
const A_JOB: usize = 10_000;

const FIRST: [&str; 12] =
    ["Anna", "Marcel", "Chloe", "Daniel", "Elena", "Farid", "Grace", "Hannah", "Ivan", "Joanna", "Karim", "Élodie"];
const LAST: [&str; 10] =
    ["Miller", "Schneider", "Dubois", "Rossi", "Novak", "Jansen", "Silva", "Tanaka", "O'Brien", "Ferrari"];
const CITIES: [&str; 8] = ["London", "Lyon", "Leeds", "Paris", "Boston", "Chicago", "Bristol", "Nantes"];
const WORDS: [&str; 9] = ["spring", "sale", "voucher", "event", "newsletter", "delivery", "club", "winter", "survey"];

pub(super) fn account_numbers() -> Vec<String> {
    numbers::fiction(NUMBERS)
}

pub(super) fn make_id(prefix: &str, number: usize) -> String {
    format!("{prefix}_{number:027}")
}

/// Generates the file and closes it.
pub(super) fn make_account(path: &Path, numbers: &[String]) -> Result<(), Box<dyn Error>> {
    let core = Core::open(path, Ctx::system())?;
    seed::apply(&core, &Actor::operator(), seed_of_few(numbers).to_string().as_bytes(), "https://go.example.com")?;
    for list in 0..LISTS {
        let (first, last) = contact_range(list);
        for at in (first..last).step_by(A_JOB) {
            let contacts = (at..last.min(at + A_JOB)).map(|n| build_contact(numbers, list, n)).collect();
            let new = NewJob {
                list: ListId::parse(&make_id("LST", list))?,
                merge_type: MergeType::AllowDuplicates,
                callback_url: Some("https://shop.example/hook"),
                correlation_id: None,
                contacts,
            };
            job::enqueue(&core, &Actor::interface(), new)?;
            job::run_next(&core)?;
        }
    }
    drop(core);
    drop(Core::open(&path.with_file_name(SMALL), Ctx::system())?);
    Ok(Connection::open(path)?.execute_batch(PAST)?)
}

/// Returns the range of contacts in a list.
fn contact_range(list: usize) -> (usize, usize) {
    let small = (CONTACTS - LARGE).div_ceil(LISTS - 1);
    match list {
        0 => (0, LARGE),
        n => (LARGE + (n - 1) * small, CONTACTS.min(LARGE + n * small)),
    }
}

fn build_contact(numbers: &[String], list: usize, n: usize) -> ValidContact<'static> {
    let among = if list == 0 { TWICE_FROM } else { numbers.len() };
    let number = &numbers[n % among];
    let phone = Phone { e164: number.clone(), region: region_of(number).to_owned() };
    let mut attributes = [const { None }; ATTRIBUTES];
    let mut say = |attribute: Attribute, text: String| attributes[attribute as usize] = Some(Cow::Owned(text));
    say(Attribute::Firstname, FIRST[n % FIRST.len()].to_owned());
    say(Attribute::Lastname, format!("{} {}", LAST[n / FIRST.len() % LAST.len()], n % 977));
    say(Attribute::City, CITIES[n / 7 % CITIES.len()].to_owned());
    say(Attribute::Country, "United Kingdom".to_owned());
    say(Attribute::EmailAddress, format!("person.{n}@example.com"));
    say(Attribute::Address1, format!("{} Station Road", n % 300));
    if n.is_multiple_of(3) {
        say(Attribute::CompanyName, format!("Company {}", n % 4_001));
    }
    let custom = vec![
        (1, Cow::Borrowed(["gold", "silver", "bronze"][n % 3])),
        (2, Cow::Owned((n * 7_919 % CONTACTS).to_string())),
        (3, Cow::Borrowed(WORDS[n % WORDS.len()])),
    ];
    ValidContact { whatsapp: (n.is_multiple_of(3)).then(|| phone.clone()), phone: Some(phone), attributes, custom }
}

fn region_of(number: &str) -> &'static str {
    match number.as_bytes().get(1) {
        Some(b'3') => "FR",
        Some(b'4') => "GB",
        _ => "US",
    }
}

/// Returns the seed with all records that are few.
fn seed_of_few(numbers: &[String]) -> Value {
    let senders: Vec<_> = (0..300).map(|n| json!({ "id": make_id("ssd", n), "name": format!("Shop{n}") })).collect();
    let assets: Vec<_> = (0..20)
        .map(|n| {
            let (prefix, channel) = if n % 2 == 0 { ("num", "SMS") } else { ("wbp", "WHATSAPP") };
            json!({ "id": make_id(prefix, n), "channel": channel, "number": numbers[NUMBERS - 1 - n] })
        })
        .collect();
    let lists: Vec<_> =
        (0..LISTS).map(|n| json!({ "uid": make_id("LST", n), "name": format!("List {} {n}", WORDS[n % 9]) })).collect();
    let opt_outs: Vec<_> = (0..OPT_OUTS)
        .map(|n| {
            let time = format!("2025-{:02}-{:02}T{:02}:00:00Z", n % 12 + 1, n % 28 + 1, n % 24);
            let number = &numbers[n * 2];
            match n % 5 {
                0 => json!({ "number": number, "opt_out_type": "keyword", "inbound_asset_id": make_id("num", n % 10 * 2),
                             "account_level_opt_out": false, "opt_out_time": time }),
                1 => json!({ "number": number, "channel": "WHATSAPP", "opt_out_type": "web_opt_out", "opt_out_time": time }),
                _ => json!({ "number": number, "channel": "SMS", "opt_out_time": time }),
            }
        })
        .collect();
    let links: Vec<_> = (0..LINKS)
        .map(|n| {
            let (one, two) = (WORDS[n % 9], WORDS[n / 9 % 9]);
            json!({ "link_id": make_id("shl", n), "title": format!("{one} {two} {n}"), "tags": [one, two, format!("week-{}", n % 52)],
                    "target_url": format!("https://shop.example.com/{one}/{}", n % 5_000),
                    "created_at": format!("2025-{:02}-{:02}T{:02}:{:02}:00Z", n % 12 + 1, n % 28 + 1, n % 24, n % 60) })
        })
        .collect();
    let fields = ["Tier", "Points", "Interest", "Shop", "Birthday month", "Language"];
    json!({ "senders": senders, "assets": assets, "custom_fields": fields, "lists": lists, "opt_outs": opt_outs, "short_links": links })
}

/// The jobs, attempts, clicks and steps of a long history. The first link is opened most often.
const PAST: &str = "
BEGIN;
UPDATE callbacks SET state = 'delivered', attempts = 2, next_at = NULL;
INSERT INTO callback_attempts (callback_id, number, started_at, finished_at, status)
    SELECT id, number, 1760000000 + number, 1760000001 + number, CASE number WHEN 1 THEN 500 ELSE 200 END
    FROM callbacks, (SELECT 1 AS number UNION SELECT 2);
WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 3000)
INSERT INTO jobs (list_uid, list_name, merge_type, contact_count, state, imported, queued_at, finished_at)
    SELECT 'LST_000000000000000000000000001', 'List sale 1', 'skipDuplicates', 1, 'done', 1, 1750000000 + n, 1750000001 + n FROM n;
WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 99999)
INSERT INTO clicks (link_id, title, short_link_url, target_url, recipient, device, browser, operating_system, time)
    SELECT CASE n % 5 WHEN 0 THEN 1 ELSE n % 9999 + 2 END, 'A link', 'https://go.example.com/aaaaaa', 'https://shop.example.com/spring/1',
        '+3319900' || printf('%04d', n % 10000), iif(n % 3, 'mobile', 'desktop'), iif(n % 5, 'Chrome', 'Firefox'), iif(n % 7, 'Android', 'Windows'),
        unixepoch('now') - 31000000 + n * 310
    FROM n;
WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 20000)
INSERT INTO steps (at, source, act, subject, uid, count, state)
    SELECT 1755000000 + n, 'interface', iif(n % 4, 'list_updated', 'opt_out_created'), 'List ' || (n % 100), 'LST_' || printf('%027d', n % 100), 1, 'note' FROM n;
INSERT INTO changes (at, source, noun, action, uid, count, step)
    SELECT at, source, iif(id % 4, 'list', 'opt_out'), 'updated', uid, 1, id FROM steps WHERE act IN ('list_updated', 'opt_out_created');
COMMIT;
";
