//! Determines the country of an account. Phone numbers without a country code are read as numbers of this country.

use std::collections::BTreeMap;

use roost_model::{error::FieldError, phone::Region};
use roost_store::{
    tables::{contacts::list_view, settings},
    tx::ReadTx,
};
use serde::Serialize;

use super::profile;
use roost_spelling::number::{international_region, read_number};

use crate::{
    core::{Actor, Core},
    ctx::Ctx,
    error::Result,
};

pub(super) const COUNTRY: &str = "account.country";

/// The way in which the country was determined, the most certain first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum CountryBy {
    /// The user chose it for the account.
    Account,
    /// Most of the given numbers that have a country code belong to it.
    Given,
    /// Most numbers in the account belong to it.
    Numbers,
    /// The region settings of this computer name it.
    Computer,
    /// Nothing is known, so the default country applies.
    Default,
}

impl CountryBy {
    /// Returns the words for a sentence such as "read as numbers in GB, …".
    pub fn describe(self) -> &'static str {
        match self {
            Self::Account => "the country of the account",
            Self::Given => "the country of most numbers with a country code",
            Self::Numbers => "the country of most numbers in the account",
            Self::Computer => "the country that this computer is set to",
            Self::Default => "because the account has no country yet",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Country {
    pub region: Region,
    pub by: CountryBy,
}

/// Returns the country that applies to numbers without a country code.
pub fn country_in(tx: &ReadTx, ctx: &Ctx) -> Result<Country> {
    let known = |by| move |region| Country { region, by };
    let read = |code: Option<String>| code.as_deref().and_then(Region::parse);
    if let Some(country) = read(settings::get(tx, COUNTRY)?).map(known(CountryBy::Account)) {
        return Ok(country);
    }
    if let Some(country) = read(list_view::most_common_region(tx)?).map(known(CountryBy::Numbers)) {
        return Ok(country);
    }
    let computer = ctx.computer_region().map(known(CountryBy::Computer));
    Ok(computer.unwrap_or_else(|| known(CountryBy::Default)(Region::gb())))
}

pub fn read_country(core: &Core) -> Result<Country> {
    core.read(|tx| country_in(tx, core.ctx()))
}

/// Returns the country of numbers that were given together: the country of most of those with a country code, or else
/// the country of the account. A country that the user chose for the account gives way only if none of the other numbers
/// is valid in it.
pub fn infer_country(core: &Core, numbers: &[String]) -> Result<Country> {
    let of_account = read_country(core)?;
    let (mut regions, mut nationals) = (Vec::new(), Vec::new());
    for number in numbers {
        match international_region(number) {
            Some(region) => regions.push((region, 1)),
            None => nationals.push(number),
        }
    }
    let Some(region) = most_common(regions).filter(|region| *region != of_account.region) else {
        return Ok(of_account);
    };
    let given = Country { region, by: CountryBy::Given };
    if of_account.by != CountryBy::Account {
        return Ok(given);
    }
    let read_in = |number: &str, region: Region| read_number(number, region).map(|phone| phone.e164);
    let mut usual = of_account;
    for number in nationals {
        match (read_in(number, of_account.region), read_in(number, region)) {
            (here, there) if here == there => {}
            (Some(_), _) => return Ok(of_account),
            (None, _) => usual = given,
        }
    }
    Ok(usual)
}

/// Returns the region with the highest total count.
pub fn most_common(counts: impl IntoIterator<Item = (String, u32)>) -> Option<Region> {
    let mut sums = BTreeMap::<String, u64>::new();
    for (region, count) in counts {
        *sums.entry(region).or_default() += u64::from(count);
    }
    let most = sums.into_iter().rev().max_by_key(|(_, count)| *count)?;
    Region::parse(&most.0)
}

/// Parses a country code in upper or lower case.
pub fn parse_country(code: &str) -> std::result::Result<Region, FieldError> {
    Region::parse(&code.trim().to_uppercase()).ok_or_else(|| {
        FieldError::new("country", format!("“{code}” is not a country code. Use two letters, such as GB."), code)
    })
}

/// Sets the country of the account.
pub fn set_country(core: &Core, by: &Actor, country: Region) -> Result<()> {
    let code = country.code();
    profile::set_setting(core, by, "account_country", COUNTRY, &code, &code)
}

/// Sets the country of a new account. This is not a step of the undo history, because there is no earlier state to
/// return to.
pub fn set_initial_country(core: &Core, country: Region) -> Result<()> {
    core.write_quietly(|tx| Ok(settings::set(tx, COUNTRY, &country.code())?))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use roost_model::{id::ListId, page::PageRequest, phone, time::Timestamp};

    use super::*;
    use crate::{
        contact::{self, ContactCard, ContactFilter, FieldValues, TableQuery},
        ctx::Clock,
        history,
        list::{self, UniqueNames},
    };

    fn account(computer: Option<&str>) -> Core {
        let ctx = Ctx::seeded(Clock::fixed(Timestamp::from_unix(1_767_603_600)), 1);
        let region = computer.and_then(Region::parse);
        Core::in_memory(match region {
            Some(region) => ctx.in_region(region),
            None => ctx,
        })
        .unwrap()
    }

    fn by() -> Actor {
        Actor::user(None)
    }

    fn new_list(core: &Core) -> ListId {
        list::create(core, &by(), "Guests", UniqueNames::Off).unwrap().uid
    }

    fn values(field: &str, text: &str) -> FieldValues {
        [(field.to_owned(), Some(text.to_owned()))].into()
    }

    fn cards(core: &Core, list: &ListId) -> Vec<ContactCard> {
        let page = PageRequest { number: 1, size: 1_000 };
        contact::read_table_page(
            core,
            &TableQuery { list: list.clone(), which: ContactFilter::default(), sort: None, page },
        )
        .unwrap()
        .items
    }

    fn add(core: &Core, numbers: impl IntoIterator<Item = String>) {
        let rows: Vec<_> = numbers.into_iter().map(|number| values("phone_number", &number)).collect();
        assert_eq!(contact::paste(core, &by(), &new_list(core), &rows, None).unwrap().faults, []);
    }

    fn known_country(core: &Core) -> (String, CountryBy) {
        let Country { region, by } = read_country(core).unwrap();
        (region.code(), by)
    }

    #[test]
    fn the_chosen_country_comes_before_the_numbers_and_these_before_the_computer() {
        let core = account(None);
        assert_eq!(known_country(&core), ("GB".to_owned(), CountryBy::Default));
        let core = account(Some("DE"));
        assert_eq!(known_country(&core), ("DE".to_owned(), CountryBy::Computer));
        // The most frequent numbers are not the newest ones.
        add(&core, (0..20).map(|n| format!("+1202555{:04}", 100 + n)));
        add(&core, (0..9).map(|n| format!("+44770090000{n}")));
        assert_eq!(known_country(&core), ("US".to_owned(), CountryBy::Numbers));
        set_country(&core, &by(), Region::gb()).unwrap();
        assert_eq!(known_country(&core), ("GB".to_owned(), CountryBy::Account));
        history::undo(&core, &by()).unwrap();
        assert_eq!(known_country(&core), ("US".to_owned(), CountryBy::Numbers));
    }

    #[test]
    fn most_numbers_of_a_large_account_decide() {
        let core = account(None);
        add(&core, (0..3_000).map(|n| format!("+1202555{:04}", 100 + n % 100)));
        add(&core, (0..2_000).map(|n| format!("+447700900{:03}", n % 1_000)));
        assert_eq!(known_country(&core), ("US".to_owned(), CountryBy::Numbers));
        add(&core, (0..2_000).map(|n| format!("+447700900{:03}", n % 1_000)));
        assert_eq!(known_country(&core), ("GB".to_owned(), CountryBy::Numbers));
    }

    #[test]
    fn numbers_that_came_together_have_the_country_of_most_of_them() {
        let core = account(Some("DE"));
        let find_country = |numbers: &[&str]| {
            let numbers: Vec<String> = numbers.iter().map(|number| (*number).to_owned()).collect();
            let Country { region, by } = infer_country(&core, &numbers).unwrap();
            (region.code(), by)
        };
        assert_eq!(find_country(&["07700 900001", "ask"]), ("DE".to_owned(), CountryBy::Computer));
        let mixed = ["+44 7700 900001", "+1 202 555 0123", "07700 900002", "+447700900003"];
        assert_eq!(find_country(&mixed), ("GB".to_owned(), CountryBy::Given));
    }

    #[test]
    fn a_chosen_country_gives_way_only_if_no_number_without_a_country_code_is_valid_in_it() {
        let core = account(None);
        set_country(&core, &by(), Region::gb()).unwrap();
        let find_country = |numbers: &[&str]| {
            let numbers: Vec<String> = numbers.iter().map(|number| (*number).to_owned()).collect();
            infer_country(&core, &numbers).unwrap().region.code()
        };
        let (american, other) = ("+1 202 555 0123", "+1 202 555 0124");
        assert_eq!(find_country(&["07700 900002", american, other]), "GB");
        assert_eq!(find_country(&[american, other]), "GB", "no number needs a country");
        assert_eq!(find_country(&["(202) 555-0199", american]), "US");
        assert_eq!(find_country(&["(202) 555-0199", "07700 900002", american]), "GB");
        assert_eq!(find_country(&["0044 7700 900002", "Ada", american]), "GB", "these are the same in both");
    }

    #[test]
    fn a_country_is_two_letters() {
        assert_eq!(parse_country(" gb ").unwrap(), Region::gb());
        for code in ["", "UK", "GBR", "001", "Britain"] {
            assert_eq!(parse_country(code).unwrap_err().path, "country", "{code}");
        }
    }

    /// Returns one of the numbers reserved for fiction, in one of ten spellings.
    fn spell_number(n: u32) -> String {
        let last = format!("{n:03}");
        match n % 10 {
            0 => format!("+44 7700 900{last}"),
            1 => format!("07700 900{last}"),
            2 => format!("0044 (0)7700-900{last}"),
            3 => format!("+447700900{last}"),
            4 => format!("447700900{last}"),
            5 => format!("(07700) 900 {last}"),
            6 => format!("07700-900-{last}"),
            7 => format!("7700900{last}"),
            8 => format!("+44 (0)7700 900{last}"),
            _ => format!("'07700.900.{last}"),
        }
    }

    #[test]
    fn numbers_in_ten_spellings_are_pasted_in_the_country_of_the_account() {
        let core = account(None);
        let list = new_list(&core);
        let rows: Vec<FieldValues> = (0..300).map(|n| values("phone_number", &spell_number(n))).collect();
        set_country(&core, &by(), Region::parse("US").unwrap()).unwrap();
        let refused = contact::preview_paste(&core, &list, &rows, None).unwrap().0.faults.len();
        assert!(refused > 100, "no national number of another country is taken: {refused}");
        let (all, _) = contact::preview_paste(&core, &list, &rows, Some("GB")).unwrap();
        assert_eq!((all.added, all.faults), (300, vec![]), "the country of this paste");
        set_country(&core, &by(), Region::gb()).unwrap();
        let pasted = contact::paste(&core, &by(), &list, &rows, None).unwrap();
        assert_eq!((pasted.added, pasted.faults), (300, vec![]));
        let stored: BTreeSet<String> =
            cards(&core, &list).into_iter().map(|card| card.values["phone_number"].clone()).collect();
        assert_eq!(stored, (0..300).map(|n| format!("+447700900{n:03}")).collect());
    }

    #[test]
    fn a_number_of_a_contact_is_read_in_the_country_of_the_account_before_that_of_the_contact() {
        let core = account(None);
        let list = new_list(&core);
        set_country(&core, &by(), Region::gb()).unwrap();
        let card = contact::add(&core, &by(), &list, &values("phone_number", "+1 202 555 0123"), None).unwrap();
        let set = |text: &str| {
            let read = contact::read_number(&core, text, None, Some(&card.uid)).unwrap();
            let after = contact::update(&core, &by(), &card.uid, &values("whatsapp_id", text), None).unwrap();
            let stored = after.card.values["whatsapp_id"].clone();
            assert!(
                matches!(read.reading, phone::TypedNumber::Valid(written) if written.phone.e164 == stored),
                "{text}"
            );
            stored
        };
        assert_eq!(set("07700 900123"), "+447700900123");
        assert_eq!(set("(202) 555-0199"), "+12025550199", "no British number");
    }
}
