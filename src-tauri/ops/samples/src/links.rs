//! Adds short links with tags, and clicks on them over the last ninety days.

use rand::{Rng, rngs::StdRng};
use roost_model::{
    id::LinkId,
    short_link::{CODE_LEN, Click, ShortLink},
    time::Timestamp,
};
use roost_ops::error::Result;
use roost_store::tables::{clicks, short_links};

use super::{DAY, SampleBuilder, people::one_of};

/// A domain reserved for examples, so that no sample link leads anywhere by mistake.
const BASE: &str = "https://go.example.com";
const DAYS: i64 = 90;

/// Title, path on the site, tags, age in days, number of clicks.
type SampleLink = (&'static str, &'static str, &'static [&'static str], i64, usize);

const LINKS: &[SampleLink] = &[
    ("Spring catalogue", "catalogue/spring", &["spring", "catalogue"], 88, 310),
    ("Spring catalogue, reminder", "catalogue/spring", &["spring", "reminder"], 74, 140),
    ("Newsletter sign-up", "newsletter", &["newsletter"], 200, 120),
    ("Opening hours", "hours", &["service"], 320, 85),
    ("Track a delivery", "delivery", &["service", "delivery"], 250, 260),
    ("Open day: programme", "open-day", &["event", "open-day"], 44, 190),
    ("Open day: how to find us", "open-day/map", &["event", "open-day"], 40, 75),
    ("VIP evening", "vip", &["vip", "event"], 30, 48),
    ("Free coffee voucher", "voucher/coffee", &["voucher"], 21, 165),
    ("Ten per cent off", "voucher/ten", &["voucher", "spring"], 60, 230),
    ("Win back: we miss you", "welcome-back", &["win-back"], 55, 38),
    ("Win back: last call", "welcome-back?last=1", &["win-back", "reminder"], 41, 12),
    ("Feedback after a visit", "feedback", &["service", "feedback"], 150, 96),
    ("Feedback after a delivery", "feedback?delivery=1", &["service", "feedback", "delivery"], 120, 54),
    ("Recipe of the week", "recipes", &["newsletter"], 80, 88),
    ("Gift cards", "gift-cards", &["catalogue"], 66, 40),
    ("Summer preview", "catalogue/summer", &["summer", "catalogue"], 5, 33),
    ("Click and collect", "collect", &["service"], 110, 61),
    ("Join the community", "community", &["whatsapp"], 100, 72),
    ("Job offers", "jobs", &["staff"], 15, 9),
    ("Staff handbook", "staff/handbook", &["staff"], 300, 0),
    ("Supplier portal", "suppliers", &[], 280, 4),
    ("Privacy notice", "privacy", &[], 400, 6),
    ("Unsubscribe", "unsubscribe", &["service"], 400, 27),
    ("Draft: autumn", "catalogue/autumn", &["autumn"], 1, 0),
];

/// Combinations of device, operating system and browser that exist together.
const VISITORS: &[(&str, &str, &str)] = &[
    ("mobile", "Android", "Chrome"),
    ("mobile", "Android", "Chrome"),
    ("mobile", "Android", "Samsung Internet"),
    ("mobile", "iOS", "Safari"),
    ("mobile", "iOS", "Safari"),
    ("tablet", "iPadOS", "Safari"),
    ("desktop", "Windows", "Edge"),
    ("desktop", "Windows", "Chrome"),
    ("desktop", "Windows", "Firefox"),
    ("desktop", "macOS", "Safari"),
    ("desktop", "Linux", "Firefox"),
];

/// Adds the links and their clicks, and returns how many of each were added.
pub(super) fn fill_links(maker: &SampleBuilder) -> Result<(u64, u64)> {
    let mut clicked = 0;
    let mut plans: Vec<(u64, &SampleLink)> = (200..).zip(LINKS).collect();
    // Insert the oldest link first, in the order in which a person would have created them.
    plans.sort_by_key(|(_, plan)| -plan.3);
    let ids = maker.part_ids(30);
    for (part, (title, path, tags, age, count)) in plans {
        maker.tx.check_cancelled()?;
        let mut chance = maker.part_rng(part);
        let created_at = maker.ago(*age, chance.random_range(8 * 3_600..18 * 3_600));
        let link = ShortLink {
            link_id: LinkId::new(ids.ksuid(created_at)),
            title: (*title).to_owned(),
            target_url: format!("https://www.example.com/{path}"),
            code: ids.code(CODE_LEN),
            base: Some(BASE.to_owned()),
            tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
            created_at,
            track_clicks: *count > 0 || *age < 7,
        };
        short_links::reserve_code(maker.tx, &link.code)?;
        short_links::insert(maker.tx, &link)?;
        if let Some((row, _)) = short_links::get(maker.tx, &link.link_id)? {
            let mut times: Vec<Timestamp> =
                (0..*count).map(|_| click_time(maker, &mut chance, created_at, *age)).collect();
            times.sort();
            for time in times {
                clicks::insert(maker.tx, row, &make_click(maker, &mut chance, &link, time))?;
                clicked += 1;
            }
        }
    }
    Ok((LINKS.len() as u64, clicked))
}

/// Returns the time of a click. Most clicks fall soon after the link was sent, or soon after the period shown begins.
fn click_time(maker: &SampleBuilder, chance: &mut StdRng, created_at: Timestamp, age: i64) -> Timestamp {
    let window = age.min(DAYS);
    let early = chance.random::<f64>().powi(3);
    let days = window - (early * window as f64) as i64;
    let hour = *one_of(chance, &[8, 9, 10, 11, 12, 12, 13, 14, 16, 17, 18, 18, 19, 19, 20, 21]);
    let time = maker.ago(days, hour * 3_600 + chance.random_range(0..3_600));
    time.max(Timestamp::from_unix(created_at.unix() + 60)).min(maker.now)
}

fn make_click(maker: &SampleBuilder, chance: &mut StdRng, link: &ShortLink, time: Timestamp) -> Click {
    let visitor = chance.random_bool(0.92).then(|| *one_of(chance, VISITORS));
    Click {
        link_id: link.link_id.clone(),
        title: link.title.clone(),
        short_link_url: link.short_url(BASE),
        target_url: link.target_url.clone(),
        recipient: chance.random_bool(0.6).then(|| one_of(chance, &maker.people).number.clone()),
        device: visitor.map(|(device, _, _)| device.to_owned()),
        operating_system: visitor.map(|(_, system, _)| system.to_owned()),
        browser: visitor.map(|(_, _, browser)| browser.to_owned()),
        campaign_uid: chance.random_bool(0.5).then(|| format!("campaign-{}", link.created_at.unix() / DAY)),
        time,
    }
}
