//! Saved mappings, which people can share as files. They identify columns by name, never by position.

use roost_model::error::Fault;
use serde::{Deserialize, Serialize};

use super::{Consent, Mapping, NumberLabel, OpenMapping, Piece, Target, heads::plain};
use crate::error::{Error, Result};

const FORM: u32 = 1;
/// Bytes of a saved mapping at most.
pub const BYTES_MAX: usize = 1 << 20;

/// A mapping for every file that has the same columns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportProfile"))]
pub struct Profile {
    pub roost_map: u32,
    pub name: String,
    /// The names of all columns of the file it was made for. A column without a name has its number: `#3`.
    pub columns: Vec<String>,
    pub mapping: Mapping<String>,
}

/// Returns the name of a column. A column without a name, or with the name of an earlier column, is identified by its
/// number.
fn named(heads: &[String], column: u32) -> String {
    match heads.get(column as usize) {
        Some(head) if !plain(head).is_empty() && found(heads, head) == Some(column) => head.clone(),
        _ => format!("#{}", column + 1),
    }
}

fn found(heads: &[String], name: &str) -> Option<u32> {
    if let Some(number) = name.strip_prefix('#').and_then(|number| number.parse::<u32>().ok()) {
        return number.checked_sub(1);
    }
    let wanted = plain(name);
    heads.iter().position(|head| plain(head) == wanted).map(|column| column as u32)
}

fn with_columns<A, B, E>(
    mapping: &Mapping<A>,
    mut column: impl FnMut(&A) -> std::result::Result<B, E>,
) -> std::result::Result<Mapping<B>, E> {
    let opened = |pieces: &[Piece<A>],
                  column: &mut dyn FnMut(&A) -> std::result::Result<B, E>|
     -> std::result::Result<Vec<Piece<B>>, E> {
        let piece = |piece: &Piece<A>| match piece {
            Piece::Column { column: of, part } => Ok(Piece::Column { column: column(of)?, part: part.clone() }),
            Piece::Constant { text } => Ok(Piece::Constant { text: text.clone() }),
        };
        pieces.iter().map(piece).collect()
    };
    let mut targets = Vec::with_capacity(mapping.targets.len());
    for Target { field, new_field, pieces, pick, between, region, rule } in &mapping.targets {
        targets.push(Target {
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
    for Consent { pieces, between, words, keeps, channels } in &mapping.consents {
        consents.push(Consent {
            pieces: opened(pieces, &mut column)?,
            between: between.clone(),
            words: words.clone(),
            keeps: keeps.clone(),
            channels: channels.clone(),
        });
    }
    // A column that is left out may be missing from the file.
    let left_out = mapping.left_out.iter().filter_map(|of| column(of).ok()).collect();
    let named = mapping.named.iter().filter_map(|of| column(of).ok()).collect();
    let labels = mapping
        .labels
        .iter()
        .filter_map(|of| Some(NumberLabel { column: column(&of.column).ok()?, label: column(&of.label).ok()? }));
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

impl Profile {
    pub fn of(name: &str, heads: &[String], mapping: &OpenMapping) -> Self {
        let named_column = |column: &u32| Ok::<_, std::convert::Infallible>(named(heads, *column));
        let Ok(mapping) = with_columns(mapping, named_column);
        let columns = (0..heads.len() as u32).map(|column| named(heads, column)).collect();
        Self { roost_map: FORM, name: name.to_owned(), columns, mapping }
    }

    /// Applies the mapping to a file with these columns. If the file has no column of a needed name, the error names
    /// it.
    pub fn open(&self, heads: &[String]) -> Result<OpenMapping> {
        with_columns(&self.mapping, |name| {
            found(heads, name)
                .ok_or_else(|| Fault::new("columns", format!("The file has no column “{name}”."), name.as_str()).into())
        })
    }

    pub fn read(text: &str) -> Result<Self> {
        let refused = |message: String| Error::from(Fault::new("profile", message, ""));
        if text.len() > BYTES_MAX {
            return Err(refused(format!("A mapping has at most {BYTES_MAX} bytes.")));
        }
        let profile: Self = serde_json::from_str(text).map_err(|why| match why.is_data() {
            true => refused(format!("This is not a saved mapping of columns: {why}.")),
            false => refused("This is not a saved mapping of columns.".to_owned()),
        })?;
        if profile.roost_map != FORM {
            return Err(refused(format!(
                "This mapping is of form {}; this program knows form {FORM}.",
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

    use super::{super::Pick, *};

    fn heads(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn mapping() -> OpenMapping {
        let target = |field: &str, column| Target {
            between: " ".to_owned(),
            region: Some("GB".to_owned()),
            pick: Pick::First,
            ..Target::new(field, vec![Piece::Column { column, part: None }, Piece::Constant { text: "x".to_owned() }])
        };
        let consent = Consent {
            pieces: vec![Piece::Column { column: 1, part: None }],
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
        let profile = Profile::of("Shop", &heads(&["id", "Phone No.", ""]), &mapping());
        assert_eq!(profile.columns, ["id", "Phone No.", "#3"]);
        let again = Profile::read(&profile.write().unwrap()).unwrap();
        assert_eq!(again, profile);
        let opened = again.open(&heads(&["phone_no", "new", "", "id"])).unwrap();
        let column = |at: usize| opened.targets[at].pieces[0].clone();
        assert_eq!(column(0), Piece::Column { column: 0, part: None });
        assert_eq!(column(1), Piece::Column { column: 2, part: None });
        assert_eq!(again.open(&heads(&["id", "Phone No.", ""])).unwrap(), mapping());
    }

    #[test]
    fn columns_of_one_name_are_told_apart() {
        let profile = Profile::of("Shop", &heads(&["Phone", "phone", "City"]), &mapping());
        assert_eq!(profile.columns, ["Phone", "#2", "City"]);
        assert_eq!(profile.open(&heads(&["Phone", "phone", "City"])).unwrap(), mapping());
    }

    #[test]
    fn a_column_that_is_left_out_may_be_missing() {
        let left_out = OpenMapping { left_out: vec![0, 1], ..mapping() };
        let profile = Profile::of("Shop", &heads(&["Note", "Phone", "City"]), &left_out);
        assert_eq!(profile.open(&heads(&["City", "Phone"])).unwrap().left_out, [1]);
    }

    #[test]
    fn a_file_without_a_column_is_told_its_name() {
        let profile = Profile::of("Shop", &heads(&["id", "Phone", "City"]), &mapping());
        let refused = profile.open(&heads(&["id", "City"])).unwrap_err();
        assert_eq!(refused.to_string(), "The file has no column “Phone”.");
    }

    #[test]
    fn what_is_no_profile_is_refused() {
        for text in ["", "{}", "[1]", "{\"roost_map\":2,\"name\":\"x\",\"columns\":[],\"mapping\":{\"targets\":[]}}"] {
            assert!(Profile::read(text).is_err(), "{text}");
        }
        let known = "{\"roost_map\":1,\"name\":\"x\",\"columns\":[],\"mapping\":{\"targets\":[]}}";
        assert!(Profile::read(known).is_ok());
        assert!(Profile::read(&known.replace("\"name\"", "\"more\":1,\"name\"")).is_err());
    }
}
