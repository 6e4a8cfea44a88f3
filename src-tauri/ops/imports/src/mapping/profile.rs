//! Saved mappings, which people can share as files. They identify columns by name, never by position.

use roost_model::error::FieldError;
use serde::{Deserialize, Serialize};

use roost_spelling::normalize_name;

use super::{ConsentMapping, FieldTarget, Mapping, NumberLabel, OpenMapping, ValuePiece};
use roost_ops::error::{Error, Result};

const FORMAT_VERSION: u32 = 1;
/// The most bytes of a saved mapping.
pub const BYTES_MAX: usize = 1 << 20;

/// A mapping for every file that has the same columns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportProfile"))]
pub struct MappingProfile {
    pub roost_map: u32,
    pub name: String,
    /// The names of all columns of the file it was made for. A column without a name has its number: `#3`.
    pub columns: Vec<String>,
    pub mapping: Mapping<String>,
}

/// Returns the name of a column. A column without a name, or with the name of an earlier column, is identified by its
/// number.
fn column_reference(heads: &[String], column: u32) -> String {
    match heads.get(column as usize) {
        Some(head) if !normalize_name(head).is_empty() && find_column(heads, head) == Some(column) => head.clone(),
        _ => format!("#{}", column + 1),
    }
}

fn find_column(heads: &[String], name: &str) -> Option<u32> {
    if let Some(number) = name.strip_prefix('#').and_then(|number| number.parse::<u32>().ok()) {
        return number.checked_sub(1);
    }
    let wanted = normalize_name(name);
    heads.iter().position(|head| normalize_name(head) == wanted).map(|column| column as u32)
}

fn convert_columns<A, B, E>(
    mapping: &Mapping<A>,
    mut column: impl FnMut(&A) -> std::result::Result<B, E>,
) -> std::result::Result<Mapping<B>, E> {
    let opened = |pieces: &[ValuePiece<A>],
                  column: &mut dyn FnMut(&A) -> std::result::Result<B, E>|
     -> std::result::Result<Vec<ValuePiece<B>>, E> {
        let piece = |piece: &ValuePiece<A>| match piece {
            ValuePiece::Column { column: known, part } => {
                Ok(ValuePiece::Column { column: column(known)?, part: part.clone() })
            }
            ValuePiece::Constant { text } => Ok(ValuePiece::Constant { text: text.clone() }),
        };
        pieces.iter().map(piece).collect()
    };
    let mut targets = Vec::with_capacity(mapping.targets.len());
    for FieldTarget { field, new_field, pieces, pick, between, region, rule } in &mapping.targets {
        targets.push(FieldTarget {
            field: field.clone(),
            new_field: new_field.clone(),
            pieces: opened(pieces, &mut column)?,
            pick: *pick,
            between: between.clone(),
            region: region.clone(),
            rule: *rule,
        });
    }
    let mut consents = Vec::with_capacity(mapping.consents.len());
    for ConsentMapping { pieces, between, words, keeps, channels } in &mapping.consents {
        consents.push(ConsentMapping {
            pieces: opened(pieces, &mut column)?,
            between: between.clone(),
            words: words.clone(),
            keeps: keeps.clone(),
            channels: channels.clone(),
        });
    }
    // A column that is left out may be missing from the file.
    let left_out = mapping.left_out.iter().filter_map(|known| column(known).ok()).collect();
    let named = mapping.named.iter().filter_map(|known| column(known).ok()).collect();
    let labels = mapping.labels.iter().filter_map(|known| {
        Some(NumberLabel { column: column(&known.column).ok()?, label: column(&known.label).ok()? })
    });
    let labels = labels.collect();
    let Mapping { region, rule, match_by, twice, opted_out, date_order, opted_out_lists, ordinary_lists, .. } = mapping;
    Ok(Mapping {
        targets,
        region: region.clone(),
        rule: *rule,
        match_by: *match_by,
        twice: *twice,
        opted_out: *opted_out,
        date_order: *date_order,
        consents,
        left_out,
        named,
        labels,
        opted_out_lists: opted_out_lists.clone(),
        ordinary_lists: ordinary_lists.clone(),
    })
}

impl MappingProfile {
    pub fn from_mapping(name: &str, heads: &[String], mapping: &OpenMapping) -> Self {
        let named_column = |column: &u32| Ok::<_, std::convert::Infallible>(column_reference(heads, *column));
        let Ok(mapping) = convert_columns(mapping, named_column);
        let columns = (0..heads.len() as u32).map(|column| column_reference(heads, column)).collect();
        Self { roost_map: FORMAT_VERSION, name: name.to_owned(), columns, mapping }
    }

    /// Applies the mapping to a file with these columns. If the file has no column of a needed name, the error names
    /// it.
    pub fn to_open_mapping(&self, heads: &[String]) -> Result<OpenMapping> {
        convert_columns(&self.mapping, |name| {
            find_column(heads, name).ok_or_else(|| {
                FieldError::new("columns", format!("The file has no column “{name}”."), name.as_str()).into()
            })
        })
    }

    pub fn read(text: &str) -> Result<Self> {
        let refused = |message: String| Error::from(FieldError::new("profile", message, ""));
        if text.len() > BYTES_MAX {
            return Err(refused(format!("A mapping has at most {BYTES_MAX} bytes.")));
        }
        let profile: Self = serde_json::from_str(text).map_err(|why| match why.is_data() {
            true => refused(format!("This is not a saved mapping of columns: {why}.")),
            false => refused("This is not a saved mapping of columns.".to_owned()),
        })?;
        if profile.roost_map != FORMAT_VERSION {
            return Err(refused(format!(
                "This mapping is of form {}; this program knows form {FORMAT_VERSION}.",
                profile.roost_map
            )));
        }
        Ok(profile)
    }

    pub fn write(&self) -> Result<String> {
        let text = serde_json::to_string_pretty(self);
        text.map(|text| text + "\n").map_err(|why| Error::conflict(format!("The mapping cannot be written: {why}.")))
    }
}

#[cfg(test)]
mod tests {
    use roost_model::channel::Channel;

    use super::{super::PieceChoice, *};

    fn column_names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn sample_mapping() -> OpenMapping {
        let target = |field: &str, column| FieldTarget {
            between: " ".to_owned(),
            region: Some("GB".to_owned()),
            pick: PieceChoice::First,
            ..FieldTarget::new(
                field,
                vec![ValuePiece::Column { column, part: None }, ValuePiece::Constant { text: "x".to_owned() }],
            )
        };
        let consent = ConsentMapping {
            pieces: vec![ValuePiece::Column { column: 1, part: None }],
            between: String::new(),
            words: vec!["no".to_owned()],
            keeps: vec!["perhaps".to_owned()],
            channels: vec![Channel::Sms],
        };
        let targets = vec![target("phone_number", 1), target("city", 2)];
        Mapping { targets, consents: vec![consent], ..Mapping::default() }
    }

    #[test]
    fn a_profile_finds_columns_that_moved() {
        let profile = MappingProfile::from_mapping("Shop", &column_names(&["id", "Phone No.", ""]), &sample_mapping());
        assert_eq!(profile.columns, ["id", "Phone No.", "#3"]);
        let again = MappingProfile::read(&profile.write().unwrap()).unwrap();
        assert_eq!(again, profile);
        let opened = again.to_open_mapping(&column_names(&["phone_no", "new", "", "id"])).unwrap();
        let column = |at: usize| opened.targets[at].pieces[0].clone();
        assert_eq!(column(0), ValuePiece::Column { column: 0, part: None });
        assert_eq!(column(1), ValuePiece::Column { column: 2, part: None });
        assert_eq!(again.to_open_mapping(&column_names(&["id", "Phone No.", ""])).unwrap(), sample_mapping());
    }

    #[test]
    fn columns_with_the_same_name_are_distinguished() {
        let profile =
            MappingProfile::from_mapping("Shop", &column_names(&["Phone", "phone", "City"]), &sample_mapping());
        assert_eq!(profile.columns, ["Phone", "#2", "City"]);
        assert_eq!(profile.to_open_mapping(&column_names(&["Phone", "phone", "City"])).unwrap(), sample_mapping());
    }

    #[test]
    fn a_column_that_is_left_out_may_be_missing() {
        let left_out = OpenMapping { left_out: vec![0, 1], ..sample_mapping() };
        let profile = MappingProfile::from_mapping("Shop", &column_names(&["Note", "Phone", "City"]), &left_out);
        assert_eq!(profile.to_open_mapping(&column_names(&["City", "Phone"])).unwrap().left_out, [1]);
    }

    #[test]
    fn a_file_that_lacks_a_column_gets_an_error_with_its_name() {
        let profile = MappingProfile::from_mapping("Shop", &column_names(&["id", "Phone", "City"]), &sample_mapping());
        let refused = profile.to_open_mapping(&column_names(&["id", "City"])).unwrap_err();
        assert_eq!(refused.to_string(), "The file has no column “Phone”.");
    }

    #[test]
    fn an_invalid_profile_is_refused() {
        for text in ["", "{}", "[1]", "{\"roost_map\":2,\"name\":\"x\",\"columns\":[],\"mapping\":{\"targets\":[]}}"] {
            assert!(MappingProfile::read(text).is_err(), "{text}");
        }
        let known = "{\"roost_map\":1,\"name\":\"x\",\"columns\":[],\"mapping\":{\"targets\":[]}}";
        assert!(MappingProfile::read(known).is_ok());
        assert!(MappingProfile::read(&known.replace("\"name\"", "\"more\":1,\"name\"")).is_err());
    }
}
