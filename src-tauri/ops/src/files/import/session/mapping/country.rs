//! The country of the numbers of an import that have no country code.

use roost_model::phone::Region;

use super::super::{
    super::{
        columns::{ColumnFacts, Look, look},
        mapping::{OpenMapping, Piece},
        number::spelling::{international, plain_number, read_number},
        settle::COUNTRY,
    },
    told::MappingFault,
    unite::United,
};
use crate::{
    account::{Country, CountryBy, country, most_common},
    core::Core,
    error::Result,
};

/// The fewest numbers that say that they are of another country.
const DOUBTFUL_MIN: usize = 3;

/// The country that numbers are read in where the mapping names none.
#[derive(Debug, Clone, Copy)]
pub struct UsualCountry {
    pub country: Country,
    /// Most numbers without a country code are not numbers of it.
    is_doubtful: bool,
}

/// That of most numbers of the files that have a country code, or else that of the account; the other one where the first
/// does not have the numbers that are written without one.
pub fn usual_country(core: &Core, united: &United, mapping: &OpenMapping) -> Result<UsualCountry> {
    let columns = number_columns(united, mapping);
    let counted = columns.iter().flat_map(|facts| &facts.regions).map(|counted| (counted.text.clone(), counted.count));
    let of_files = most_common(counted).map(|region| Country { region, by: CountryBy::Given });
    let of_account = country(core)?;
    let first = of_files.unwrap_or(of_account);
    let fitting = [first, of_account].into_iter().find(|country| !is_doubtful(&columns, country.region));
    Ok(UsualCountry { country: fitting.unwrap_or(first), is_doubtful: fitting.is_none() })
}

fn number_columns<'u>(united: &'u United, mapping: &OpenMapping) -> Vec<&'u ColumnFacts> {
    let targets =
        mapping.targets.iter().filter(|target| matches!(target.field.as_str(), "phone_number" | "whatsapp_id"));
    let columns = targets.flat_map(|target| &target.pieces).filter_map(Piece::column);
    columns.filter_map(|column| united.columns.get(*column as usize)).collect()
}

fn is_doubtful(columns: &[&ColumnFacts], region: Region) -> bool {
    let texts = columns.iter().flat_map(|facts| &facts.samples).map(|text| plain_number(text));
    let nationals: Vec<_> = texts
        .filter(|text| look(text) == Look::Number && !text.trim().starts_with('+') && international(text).is_none())
        .collect();
    let unread = nationals.iter().filter(|text| read_number(text, region).is_none()).count();
    unread >= DOUBTFUL_MIN && unread * 2 > nationals.len()
}

impl UsualCountry {
    /// Asks for the country where neither the files nor the account know it, and no column does.
    pub fn question(&self, mapping: &OpenMapping) -> Option<MappingFault> {
        let is_known = mapping.region.is_some() || mapping.targets.iter().any(|target| target.field == COUNTRY);
        (self.is_doubtful && !is_known).then(|| MappingFault {
            path: "region".to_owned(),
            message: format!(
                "Most numbers without a country code are not numbers of {}. Say which country they are from.",
                self.country.region.code()
            ),
            about: Vec::new(),
        })
    }
}
