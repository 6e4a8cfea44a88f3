//! The country of numbers without a country code, which is detected or asked for once.

use std::fmt::Write;

use roost_model::phone::Region;

use super::*;
use roost_ops::account::{self, CountryBy};

use crate::ledger::LedgerItem;

fn united_states() -> Region {
    Region::parse("US").unwrap()
}

impl SessionFixture {
    fn in_country(country: Region) -> Self {
        let world = Self::new();
        account::set_country(&world.core, &user(), country).unwrap();
        world
    }

    fn rehearse_numbers(&self, import: u64) -> crate::rehearse::ImportSummary {
        self.core.imports().rehearse(&self.core, import).unwrap();
        assert_eq!(self.wait_until_settled(import).fault, None);
        self.core.imports().describe_rehearsal(&self.core, import).unwrap().summary
    }
}

/// Returns a table of numbers, each in the spelling for its row.
fn number_table(count: u32, spelled: impl Fn(u32) -> String) -> ImportSource {
    let mut table = "Mobile,First name\n".to_owned();
    for n in 0..count {
        let _ = writeln!(table, "{},Guest {n}", spelled(n));
    }
    text_source("guests.csv", &table)
}

#[test]
fn most_numbers_with_a_country_code_say_where_the_others_are_from() {
    let world = SessionFixture::in_country(united_states());
    let spelled = |n: u32| match n {
        0..127 => format!("+44 7700 900{n:03}"),
        n if n % 3 == 0 => format!("07700 900{n:03}"),
        n if n % 3 == 1 => format!("(07700) 900-{n:03}"),
        n => format!("7700900{n:03}"),
    };
    let import = world.open_import(vec![number_table(300, spelled)]);
    world.wait_until_settled(import);
    let table = world.describe_table(import);
    assert_eq!((table.usual_region.as_str(), table.usual_region_by), ("GB", CountryBy::Given));
    assert_eq!((table.mapping.region, table.faults), (None, vec![]), "nothing is asked");
    let rehearsal = world.rehearse_numbers(import);
    assert_eq!((rehearsal.counts.new, rehearsal.counts.invalid), (300, 0));
}

#[test]
fn numbers_of_another_country_are_asked_about_once_and_then_taken() {
    let world = SessionFixture::in_country(Region::gb());
    let import = world.open_import(vec![number_table(100, |n| format!("(202) 555-01{n:02}"))]);
    world.wait_until_settled(import);
    let table = world.describe_table(import);
    let paths: Vec<&str> = table.faults.iter().map(|fault| fault.path.as_str()).collect();
    assert_eq!(paths, ["region"]);
    assert!(table.faults[0].message.contains("not valid in GB"), "{:?}", table.faults);
    let refused = world.core.imports().rehearse(&world.core, import).unwrap_err().to_string();
    assert!(refused.contains("Choose their country"), "{refused}");
    let mapping = crate::mapping::OpenMapping { region: Some("US".to_owned()), ..table.mapping };
    assert_eq!(world.core.imports().set_mapping(&world.core, import, mapping).unwrap().faults, []);
    assert_eq!(world.rehearse_numbers(import).counts.new, 100);
}

#[test]
fn the_ledger_says_if_the_country_of_the_account_was_used_for_a_file_without_one() {
    let world = SessionFixture::in_country(united_states());
    let import = world.open_import(vec![number_table(100, |n| format!("202555{:04}", 100 + n))]);
    world.wait_until_settled(import);
    assert_eq!(world.describe_table(import).faults, []);
    let rehearsal = world.rehearse_numbers(import);
    assert_eq!(rehearsal.counts.new, 100);
    let entries = &rehearsal.ledger.entries;
    let national = entries.iter().find(|entry| entry.what == LedgerItem::NationalNumber).unwrap();
    assert_eq!(
        national.reason,
        "They do not begin with + or 00 and were read as numbers in US, the country of the account."
    );
}

#[test]
fn the_country_of_the_account_is_used_if_only_a_few_numbers_have_another_country_code() {
    let world = SessionFixture::in_country(Region::gb());
    let spelled = |n: u32| if n < 2 { format!("+1 202 555 01{n:02}") } else { format!("07700 900{n:03}") };
    let import = world.open_import(vec![number_table(40, spelled)]);
    world.wait_until_settled(import);
    let table = world.describe_table(import);
    assert_eq!((table.usual_region.as_str(), table.usual_region_by), ("GB", CountryBy::Account));
    assert_eq!(world.rehearse_numbers(import).counts.new, 40);
}

#[test]
fn the_numbers_of_the_next_file_override_a_country_that_was_chosen_before() {
    let world = SessionFixture::in_country(Region::gb());
    let take = |source: ImportSource, country: Option<&str>| {
        let import = world.open_import(vec![source]);
        world.wait_until_settled(import);
        let mut mapping = world.describe_table(import).mapping;
        let was = mapping.region.clone();
        if country.is_some() {
            mapping.region = country.map(str::to_owned);
            world.core.imports().set_mapping(&world.core, import, mapping).unwrap();
        }
        world.rehearse_numbers(import);
        world.core.imports().accept(&world.core, &user(), import, None).unwrap();
        assert!(world.wait_until_settled(import).accepted.is_some());
        was
    };
    assert_eq!(take(number_table(5, |n| format!("202555010{n}")), Some("US")), None);
    assert_eq!(take(number_table(5, |n| format!("202555011{n}")), None).as_deref(), Some("US"), "the same columns");
    assert_eq!(take(number_table(5, |n| format!("+44770090000{n}")), None), None);
}

#[test]
fn the_country_of_the_account_stays_whatever_country_most_numbers_with_a_code_have() {
    let world = SessionFixture::in_country(Region::gb());
    let spelled = |n: u32| if n < 12 { format!("+1 202 555 01{n:02}") } else { format!("07700 900{n:03}") };
    let import = world.open_import(vec![number_table(21, spelled)]);
    world.wait_until_settled(import);
    let table = world.describe_table(import);
    assert_eq!((table.usual_region.as_str(), table.usual_region_by), ("GB", CountryBy::Account));
    assert_eq!(table.faults, []);
    let rehearsal = world.rehearse_numbers(import);
    assert_eq!((rehearsal.counts.new, rehearsal.counts.invalid), (21, 0));
}

#[test]
fn countries_that_read_the_numbers_alike_are_not_asked_about() {
    let world = SessionFixture::in_country(united_states());
    // These numbers are dialled in the same way in the United States and in Canada.
    let spelled = |n: u32| if n < 12 { format!("+1 416 555 01{n:02}") } else { format!("202 555 01{n:02}") };
    let import = world.open_import(vec![number_table(14, spelled)]);
    world.wait_until_settled(import);
    let table = world.describe_table(import);
    assert_eq!((table.usual_region.as_str(), table.faults), ("US", vec![]));
    assert_eq!(world.rehearse_numbers(import).counts.new, 14);
}

#[test]
fn a_few_numbers_that_only_the_other_country_has_are_asked_about() {
    let world = SessionFixture::in_country(Region::gb());
    let spelled = |n: u32| if n < 12 { format!("+1 202 555 01{n:02}") } else { format!("(202) 555-01{n:02}") };
    let import = world.open_import(vec![number_table(14, spelled)]);
    world.wait_until_settled(import);
    let table = world.describe_table(import);
    let [question] = table.faults.as_slice() else { panic!("{:?}", table.faults) };
    assert!(question.message.contains("0 can be read with GB, 2 with US."), "{}", question.message);
    let mapping = crate::mapping::OpenMapping { region: Some("US".to_owned()), ..table.mapping };
    assert_eq!(world.core.imports().set_mapping(&world.core, import, mapping).unwrap().faults, []);
    assert_eq!(world.rehearse_numbers(import).counts.new, 14);
}
