//! Chooses the country of the numbers of an import that have no country code.

use roost_model::phone::Region;

use roost_spelling::number::read_number;

use super::super::{
    super::{
        mapping::columns::{ColumnFacts, NATIONALS_MAX},
        mapping::{OpenMapping, ValuePiece},
        validate::COUNTRY_FIELD,
    },
    read_stage::CombinedFiles,
    reports::MappingFault,
};
use roost_ops::{
    account::{Country, CountryBy, most_common, read_country},
    core::Core,
    error::Result,
};

/// Numbers of another country at least before the country is in doubt.
const DOUBTFUL_MIN: usize = 3;

/// The country in which numbers are read if the mapping names none.
#[derive(Debug, Clone)]
pub(crate) struct UsualCountry {
    pub country: Country,
    /// The question that only a person can answer.
    doubt: Option<String>,
}

/// Chooses the usual country. The first choice is the country of the account if somebody chose it, or else that of most
/// numbers of the files with a country code, or else that of the account in any case. The other of these countries is
/// used if most numbers without a country code are invalid in the first one but not in the other.
pub(crate) fn find_usual_country(core: &Core, combined: &CombinedFiles, mapping: &OpenMapping) -> Result<UsualCountry> {
    let columns = number_columns(combined, mapping);
    let counted = columns.iter().flat_map(|facts| &facts.regions).map(|counted| (counted.text.clone(), counted.count));
    let of_files = most_common(counted).map(|region| Country { region, by: CountryBy::Given });
    let of_account = read_country(core)?;
    let nationals = NationalNumbers::from_columns(&columns);
    let is_chosen = of_account.by == CountryBy::Account;
    let first = of_files.filter(|_| !is_chosen).unwrap_or(of_account);
    let mut countries = [first, of_account].into_iter().chain(of_files);
    let fitting = countries.find(|country| !nationals.are_foreign_to(country.region));
    let usual = fitting.unwrap_or(first);
    let other = of_files.map(|country| country.region).filter(|other| {
        is_chosen
            && fitting == Some(of_account)
            && *other != usual.region
            && nationals.may_belong_to(*other, usual.region)
    });
    let doubt = match other {
        Some(other) => Some(nationals.ask_which(usual.region, other)),
        None => fitting.is_none().then(|| {
            format!(
                "Most numbers without a country code are not valid in {}. Choose their country.",
                usual.region.code()
            )
        }),
    };
    Ok(UsualCountry { country: usual, doubt })
}

fn number_columns<'u>(combined: &'u CombinedFiles, mapping: &OpenMapping) -> Vec<&'u ColumnFacts> {
    let targets =
        mapping.targets.iter().filter(|target| matches!(target.field.as_str(), "phone_number" | "whatsapp_id"));
    let columns = targets.flat_map(|target| &target.pieces).filter_map(ValuePiece::column);
    columns.filter_map(|column| combined.columns.get(*column as usize)).collect()
}

/// The numbers of the files that have no country code.
struct NationalNumbers {
    texts: Vec<String>,
    /// Whether there may be more numbers than these.
    are_the_first: bool,
}

impl NationalNumbers {
    fn from_columns(columns: &[&ColumnFacts]) -> Self {
        let texts: Vec<String> = columns.iter().flat_map(|facts| &facts.nationals).cloned().collect();
        Self { texts, are_the_first: columns.iter().any(|facts| facts.nationals.len() == NATIONALS_MAX) }
    }

    fn count_valid_in(&self, region: Region) -> usize {
        self.texts.iter().filter(|text| read_number(text, region).is_some()).count()
    }

    /// Returns whether most of the numbers are not valid in the country.
    fn are_foreign_to(&self, region: Region) -> bool {
        let unread = self.texts.len() - self.count_valid_in(region);
        unread >= DOUBTFUL_MIN && unread * 2 > self.texts.len()
    }

    /// Returns whether most of the numbers are valid in the country, and some of these are different or invalid in the
    /// usual one.
    fn may_belong_to(&self, region: Region, usual: Region) -> bool {
        let number = |text: &str, region| read_number(text, region).map(|phone| phone.e164);
        let differs = |text: &String| number(text, region).is_some_and(|read| number(text, usual) != Some(read));
        self.count_valid_in(region) * 2 > self.texts.len() && self.texts.iter().any(differs)
    }

    /// Asks for one of two countries and says what each choice means.
    fn ask_which(&self, account: Region, other: Region) -> String {
        let (count, read, otherwise) = (self.texts.len(), self.count_valid_in(account), self.count_valid_in(other));
        let (account, other) = (account.code(), other.code());
        let first = if self.are_the_first { "first " } else { "" };
        let numbers = if count == 1 { "number" } else { "numbers" };
        format!(
            "Most numbers with a country code are from {other}, and the country of the account is {account}. Of the \
             {first}{count} {numbers} without a country code, {read} can be read with {account}, {otherwise} with {other}. \
             Choose their country."
        )
    }
}

impl UsualCountry {
    /// Returns the question for the country, if neither the mapping nor a column of countries answers it.
    pub(crate) fn to_question(&self, mapping: &OpenMapping) -> Option<MappingFault> {
        let is_known = mapping.region.is_some() || mapping.targets.iter().any(|target| target.field == COUNTRY_FIELD);
        let message = self.doubt.clone().filter(|_| !is_known)?;
        Some(MappingFault { path: "region".to_owned(), message, about: Vec::new() })
    }
}
