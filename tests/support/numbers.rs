//! Many valid phone numbers, all from ranges that regulators reserve for fiction.

use roost_model::phone;

/// French numbers reserved for films and books: these prefixes and any four digits.
const FRENCH: [&str; 6] = ["+3319900", "+3326191", "+3335301", "+3346571", "+3353649", "+3363998"];

/// British numbers reserved for drama: these prefixes and any three digits.
const BRITISH: [&str; 19] = [
    "+441134960",
    "+441144960",
    "+441154960",
    "+441164960",
    "+441174960",
    "+441184960",
    "+441214960",
    "+441314960",
    "+441414960",
    "+441514960",
    "+441614960",
    "+441914980",
    "+442079460",
    "+442896496",
    "+442920180",
    "+441632960",
    "+447700900",
    "+448081570",
    "+443069990",
];

/// `555-0100` to `555-0199` of every North American area.
fn north_american() -> impl Iterator<Item = String> {
    (201..=989).flat_map(|area| (100..=199).map(move |line| format!("+1{area}5550{line}")))
}

/// `count` different numbers, always the same.
pub fn fiction(count: usize) -> Vec<String> {
    let french = FRENCH.into_iter().flat_map(|prefix| (0..10_000).map(move |n| format!("{prefix}{n:04}")));
    let british = BRITISH.into_iter().flat_map(|prefix| (0..1_000).map(move |n| format!("{prefix}{n:03}")));
    let numbers: Vec<String> = french
        .chain(british)
        .chain(north_american())
        .filter(|n| phone::parse_international(n).is_some())
        .take(count)
        .collect();
    assert_eq!(numbers.len(), count, "the ranges for fiction hold fewer valid numbers than wanted");
    numbers
}
