//! Compares phone numbers with Google's metadata and with a second library.

use std::{collections::BTreeMap, fmt::Write as _};

use roost_model::phone::{Region, parse_contact_number, parse_international};
use roost_tests::snapshot;

/// A line of the fixture.
struct PhoneCase {
    region: &'static str,
    input: &'static str,
    /// The number in E.164 form, or nothing if it is invalid.
    expected: Option<&'static str>,
}

fn read_cases() -> Vec<PhoneCase> {
    let text = include_str!("../fixtures/phones.tsv");
    let cases: Vec<PhoneCase> = text
        .lines()
        .map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            let [region, input, expected] = columns[..] else { panic!("three columns: {line}") };
            PhoneCase { region, input, expected: Some(expected).filter(|e| !e.is_empty()) }
        })
        .collect();
    assert_eq!(cases.len(), 13_324, "no case was left out");
    cases
}

/// Returns whether a number is in a range that counts as valid although the metadata says otherwise.
fn is_fiction(e164: &str) -> bool {
    ["+447700900", "+441632960"].iter().any(|range| e164.len() == 13 && e164.starts_with(range))
}

/// Returns whether a text has only characters that we accept in a number. Google's library also reads letters and wide
/// digits.
fn is_writable(input: &str) -> bool {
    let is_separator = |c: char| " \u{a0}\t()-./".contains(c) || ('\u{2010}'..='\u{2015}').contains(&c);
    let plain: String = input.trim().chars().filter(|c| !is_separator(*c)).collect();
    plain.strip_prefix('+').unwrap_or(&plain).bytes().all(|b| b.is_ascii_digit())
}

/// Numbers that Google's library accepts and we refuse for their characters.
const OTHER_CHARACTERS: [&str; 5] =
    ["1-800-FLOWERS", "＋447400123456", "＋４４７４００１２３４５６", "＋447400123456", "+447400123456;"];

/// Proves: D37, D38, D40, D41.
#[test]
fn every_case_of_the_metadata_agrees() {
    let mut wrong = Vec::new();
    let mut refused = Vec::new();
    for PhoneCase { region, input, expected } in read_cases() {
        let expected = expected.filter(|_| {
            let writable = is_writable(input);
            if !writable {
                refused.push(input);
            }
            writable
        });
        let Some(known) = Region::parse(region) else {
            wrong.push(format!("{region} is not a region"));
            continue;
        };
        let found = parse_contact_number(input, known).map(|phone| phone.e164);
        if found.as_deref() != expected && !found.as_deref().is_some_and(is_fiction) {
            wrong.push(format!("{region} {input}: {found:?} instead of {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} cases: {}", wrong.len(), wrong.join("\n"));
    assert_eq!(refused, OTHER_CHARACTERS);
}

/// Proves: D39.
#[test]
fn international_cases_agree_without_a_region_and_without_a_plus() {
    let mut looked_at = 0;
    for PhoneCase { input, expected, .. } in read_cases() {
        if !input.starts_with('+') || !is_writable(input) {
            continue;
        }
        looked_at += 1;
        for form in [input, &input[1..]] {
            assert_eq!(parse_international(form).map(|phone| phone.e164).as_deref(), expected, "{form}");
        }
    }
    assert!(looked_at > 1_000, "{looked_at} cases begin with a plus");
}

/// Proves: D40, D41.
#[test]
fn numbers_reserved_for_fiction_are_valid_and_british() {
    for (country, first) in [("+44", 7_700_900_000_u64), ("+44", 1_632_960_000)] {
        for number in first..first + 1_000 {
            let e164 = format!("{country}{number}");
            let phone = parse_international(&e164).unwrap_or_else(|| panic!("{e164} is valid"));
            assert_eq!((phone.e164.as_str(), phone.region.as_str()), (e164.as_str(), "GB"));
            let national = parse_contact_number(&format!("0{number}"), Region::gb()).expect("the national form too");
            assert_eq!(national, phone);
        }
        // Assigned ranges begin beside them. For those the metadata decides.
        for beside in [first - 1, first + 1_000] {
            let raw = format!("{country}{beside}");
            let judged = second_opinion("GB", &raw);
            assert_eq!(parse_international(&raw).map(|phone| phone.e164), judged, "{raw}");
        }
    }
}

fn second_opinion(region: &str, raw: &str) -> Option<String> {
    let region = region.parse().ok();
    let number = phonenumber::parse(region, raw).ok().filter(phonenumber::is_valid)?;
    Some(number.format().mode(phonenumber::Mode::E164).to_string())
}

/// Proves: D40.
#[test]
fn a_second_library_disagrees_only_where_it_is_known_to() {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    let mut lines = String::new();
    let mut cases = read_cases();
    // The other library caches the patterns of a few countries only.
    cases.sort_by_key(|case| case.region);
    for PhoneCase { region, input, .. } in cases {
        let ours = Region::parse(region).and_then(|region| parse_contact_number(input, region)).map(|phone| phone.e164);
        let theirs = second_opinion(region, input);
        if ours == theirs {
            continue;
        }
        let kind = match (&ours, &theirs) {
            (Some(_), None) => "refused by the other",
            (None, Some(_)) => "accepted by the other",
            _ => "read differently",
        };
        *kinds.entry(kind).or_default() += 1;
        let shown = |number: Option<String>| number.unwrap_or_else(|| "invalid".to_owned());
        writeln!(lines, "{region}\t{input}\t{}\t{}", shown(ours), shown(theirs)).expect("into memory");
    }
    let counts: String = kinds.iter().map(|(kind, count)| format!("# {kind}: {count}\n")).collect();
    let head = "# region, input, ours, the other library's\n";
    snapshot::is("phones-second-opinion.tsv", &format!("{head}{counts}{lines}"));
}
