//! Recognizes countries as people write them in an address: by code, or by name in several languages.

use std::{collections::HashMap, sync::LazyLock};

use roost_model::phone::Region;

use crate::normalize_name;

/// The countries, one a line: the code, then the names in the form in which names are compared, separated by commas.
const COUNTRIES: &str = include_str!("countries.txt");

static REGIONS: LazyLock<HashMap<&str, Region>> = LazyLock::new(|| {
    let lines = COUNTRIES.lines().filter_map(|line| line.split_once(' '));
    let known = lines.filter_map(|(code, names)| Some((Region::parse(code)?, names)));
    known.flat_map(|(region, names)| names.split(", ").map(move |name| (name, region))).collect()
});

/// Returns the region of a country; `None` if the text is not a country, or the country has no telephone numbers.
pub fn find_region(text: &str) -> Option<Region> {
    let text = text.trim();
    if text.len() == 2 && text.is_ascii() {
        let code = text.to_ascii_uppercase();
        return Region::parse(if code == "UK" { "GB" } else { &code });
    }
    REGIONS.get(text).or_else(|| REGIONS.get(normalize_name(text).as_str())).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn countries_are_known_by_code_and_name() {
        for (text, want) in [
            ("GB", "GB"),
            ("uk", "GB"),
            ("United Kingdom", "GB"),
            ("United States of America", "US"),
            ("U.S.A.", "US"),
            ("Deutschland", "DE"),
            ("España", "ES"),
            (" Polska ", "PL"),
            ("Czech Republic", "CZ"),
            ("Côte d’Ivoire", "CI"),
            ("日本", "JP"),
        ] {
            assert_eq!(find_region(text).map(Region::code).as_deref(), Some(want), "{text}");
        }
        for text in ["", "Europe", "XX", "York", "12"] {
            assert_eq!(find_region(text), None, "{text}");
        }
    }

    #[test]
    fn names_are_written_as_names_are_compared() {
        for name in COUNTRIES.lines().flat_map(|line| line.split_once(' ').map_or("", |(_, names)| names).split(", ")) {
            assert_eq!(normalize_name(name), name);
        }
    }
}
