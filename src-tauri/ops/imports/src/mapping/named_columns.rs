//! Finds columns and fields by names that a person typed, so that a script can describe a file without opening it.

use roost_model::{contact::ContactField, custom_field::CustomField, error::FieldError};

use roost_spelling::normalize_name;

use super::{
    ConsentMapping, FieldTarget, OpenMapping, PieceChoice, ValuePiece, consent::usual_words,
    field_words::FIELD_WORDS as FIELDS,
};
use roost_ops::{
    contact::fields,
    error::{Error, Result},
};

use crate::mapping::columns::ColumnFacts;

/// The text between two columns that fill one field.
const TEXT_BETWEEN: &str = " ";
/// The prefix of a field that the import creates: `new:Shoe size`.
const NEW_PREFIX: &str = "new:";

/// A field of contacts, or the label of a field to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamedField {
    Known(String),
    New(String),
}

/// Returns the columns with a name, or the one with a number: `#3`.
pub fn find_columns(heads: &[String], name: &str) -> Result<Vec<u32>> {
    let number = name.trim().strip_prefix('#').and_then(|number| number.parse::<usize>().ok());
    if let Some(number) = number.filter(|number| (1..=heads.len()).contains(number)) {
        return Ok(vec![number as u32 - 1]);
    }
    let wanted = normalize_name(name);
    let named = heads.iter().enumerate().filter(|(_, head)| !wanted.is_empty() && normalize_name(head) == wanted);
    let found: Vec<u32> = named.map(|(at, _)| at as u32).collect();
    if found.is_empty() {
        let known: Vec<String> = heads.iter().enumerate().map(|(at, head)| column_label(head, at)).collect();
        let message = format!("Unknown column “{name}”. The columns are: {}.", known.join(", "));
        return Err(FieldError::new("column", message, name).into());
    }
    Ok(found)
}

/// Returns the only column with a name or a number.
pub fn find_column(heads: &[String], name: &str) -> Result<u32> {
    match find_columns(heads, name)?.as_slice() {
        [one] => Ok(*one),
        several => {
            let numbers: Vec<String> = several.iter().map(|column| format!("#{}", column + 1)).collect();
            let message = format!(
                "{} columns are called “{name}”. Name the one you mean: {}.",
                several.len(),
                numbers.join(", ")
            );
            Err(FieldError::new("column", message, name).into())
        }
    }
}

fn column_label(head: &str, at: usize) -> String {
    if head.trim().is_empty() { format!("#{}", at + 1) } else { head.trim().to_owned() }
}

/// Finds a field by its name, by the label of a custom field, or by a usual name of a column: `phone`.
pub fn parse_field(text: &str, custom: &[CustomField]) -> Result<NamedField> {
    let text = text.trim();
    if let Some(label) = text.strip_prefix(NEW_PREFIX) {
        return Ok(NamedField::New(label.trim().to_owned()));
    }
    let known = ContactField::parse(text, |number| custom.iter().any(|field| field.number == number));
    if let Some(field) = known.filter(|field| fields::is_settable(*field)) {
        return Ok(NamedField::Known(field.name().into_owned()));
    }
    let wanted = normalize_name(text);
    let labelled = custom.iter().find(|field| normalize_name(&field.label) == wanted);
    let worded = || FIELDS.iter().find(|(_, words)| words.contains(&wanted.as_str())).map(|(field, _)| *field);
    let found = labelled.map(|field| ContactField::Custom(field.number)).or_else(worded);
    let field = found.ok_or_else(|| {
        let usual = FIELDS.iter().map(|(field, _)| field.name().into_owned());
        let own = custom.iter().map(|field| format!("field_{} ({})", field.number, field.label));
        let known = usual.chain(own).collect::<Vec<_>>().join(", ");
        let message = format!("Unknown field “{text}”. The fields are: {known}; or new:LABEL for a new custom field.");
        Error::from(FieldError::new("field", message, text))
    })?;
    Ok(NamedField::Known(field.name().into_owned()))
}

impl OpenMapping {
    /// Makes a column fill a field and nothing else. Columns that filled the field before are removed from it, unless
    /// all of them are in `named`.
    pub fn assign_field(&mut self, column: u32, field: &NamedField, named: &[u32]) {
        self.release_column(column);
        self.named.push(column);
        let is_it = |target: &FieldTarget<u32>| match field {
            NamedField::Known(name) => target.new_field.is_none() && target.field == *name,
            NamedField::New(label) => target.new_field.as_ref() == Some(label),
        };
        let piece = ValuePiece::Column { column, part: None };
        if let Some(target) = self.targets.iter_mut().find(|target| is_it(target)) {
            let is_said = target.pieces.iter().all(|piece| piece.column().is_some_and(|column| named.contains(column)));
            if is_said {
                target.pieces.push(piece);
                // Several telephones are tried one after the other; texts are combined.
                let is_number = matches!(target.field.as_str(), "phone_number" | "whatsapp_id");
                target.pick = if is_number { PieceChoice::First } else { PieceChoice::All };
                target.between = if is_number { String::new() } else { TEXT_BETWEEN.to_owned() };
            } else {
                target.pieces = vec![piece];
                target.pick = PieceChoice::All;
            }
            return;
        }
        let (name, new_field) = match field {
            NamedField::Known(name) => (name.clone(), None),
            NamedField::New(label) => (String::new(), Some(label.clone())),
        };
        self.targets.push(FieldTarget { new_field, ..FieldTarget::new(name, vec![piece]) });
    }

    /// Makes a column say who opted out. `words` are the values that do; if there are none, the usual ones are. `keeps`
    /// are values that do not. The column still fills its field: `07700 900001 (STOP)`, `Ann Lee (STOP)`.
    pub fn assign_consent(
        &mut self,
        name: &str,
        column: u32,
        words: Vec<String>,
        keeps: Vec<String>,
        facts: &ColumnFacts,
    ) {
        self.forget_consents(column);
        self.consents.push(ConsentMapping {
            pieces: vec![ValuePiece::Column { column, part: None }],
            between: String::new(),
            words: if words.is_empty() { usual_words(name, facts) } else { words },
            keeps,
            channels: roost_model::channel::Channel::ALL.to_vec(),
        });
    }

    pub fn leave_out(&mut self, column: u32) {
        self.release_column(column);
        self.left_out.push(column);
    }

    /// Removes a column from every part of the mapping.
    fn release_column(&mut self, column: u32) {
        self.forget_consents(column);
        self.targets.retain_mut(|target| remove_from_pieces(&mut target.pieces, column));
        self.named.retain(|other| *other != column);
    }

    /// Removes a column from the opt-out columns and from those that are left out.
    fn forget_consents(&mut self, column: u32) {
        self.consents.retain_mut(|consent| remove_from_pieces(&mut consent.pieces, column));
        self.left_out.retain(|other| *other != column);
    }
}

/// Removes a column from `pieces`. Returns whether another column is left in them or nothing was removed.
fn remove_from_pieces(pieces: &mut Vec<ValuePiece<u32>>, column: u32) -> bool {
    let before = pieces.len();
    pieces.retain(|piece| piece.column() != Some(&column));
    pieces.len() == before || pieces.iter().any(|piece| piece.column().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column_names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn columns_are_found_by_name_or_number() {
        let heads = column_names(&["Mobile", "", "Phone no.", "mobile"]);
        assert_eq!(find_column(&heads, "phone_no").unwrap(), 2);
        assert_eq!(find_column(&heads, "#2").unwrap(), 1);
        assert_eq!(find_columns(&heads, "MOBILE").unwrap(), [0, 3]);
        let error = |name| find_column(&heads, name).unwrap_err().to_string();
        assert_eq!(error("Mobile"), "2 columns are called “Mobile”. Name the one you mean: #1, #4.");
        assert_eq!(error("Fax"), "Unknown column “Fax”. The columns are: Mobile, #2, Phone no., mobile.");
    }

    #[test]
    fn fields_are_found_by_what_people_call_them() {
        let custom = [CustomField { number: 4, label: "Shoe size".to_owned() }];
        let known = |text| parse_field(text, &custom).unwrap();
        for (text, want) in
            [("phone", "phone_number"), ("Vorname", "firstname"), ("shoe size", "field_4"), ("city", "city")]
        {
            assert_eq!(known(text), NamedField::Known(want.to_owned()));
        }
        assert_eq!(known("new:Colour"), NamedField::New("Colour".to_owned()));
        let error = parse_field("nme", &custom).unwrap_err().to_string();
        assert!(
            error.contains("“nme”") && error.contains("lastname") && error.contains("field_4 (Shoe size)"),
            "{error}"
        );
        assert!(parse_field("created_at", &custom).is_err());
    }

    #[test]
    fn a_column_that_is_named_fills_its_field_alone() {
        let field = |name: &str| NamedField::Known(name.to_owned());
        let mut mapping = OpenMapping::default();
        mapping.assign_field(0, &field("phone_number"), &[]);
        mapping.assign_field(1, &field("phone_number"), &[1]);
        assert_eq!((mapping.targets.len(), mapping.uses_column(0), mapping.uses_column(1)), (1, false, true));
        mapping.assign_field(2, &field("phone_number"), &[1, 2]);
        assert_eq!((mapping.targets[0].pieces.len(), mapping.targets[0].pick), (2, PieceChoice::First));
        mapping.leave_out(2);
        mapping.assign_field(3, &field("address_1"), &[]);
        mapping.assign_field(4, &field("address_1"), &[3, 4]);
        assert_eq!((mapping.targets[1].pick, mapping.targets[1].between.as_str()), (PieceChoice::All, " "));
        mapping.targets.pop();
        mapping.assign_field(1, &field("city"), &[]);
        assert_eq!((mapping.targets.len(), mapping.targets[0].field.as_str()), (1, "city"));
        assert_eq!(mapping.left_out, [2]);
    }

    #[test]
    fn a_column_that_says_who_opted_out_fills_its_field_as_before() {
        let facts = ColumnFacts { samples: column_names(&["Ann Lee (STOP)", "Bo Ray"]), ..ColumnFacts::default() };
        for field in ["firstname", "city", "phone_number"] {
            let mut mapping = OpenMapping::default();
            mapping.assign_field(0, &NamedField::Known(field.to_owned()), &[]);
            mapping.assign_consent("Name", 0, vec!["stop".to_owned()], Vec::new(), &facts);
            assert_eq!((mapping.targets.len(), mapping.consents.len()), (1, 1), "{field}");
        }
    }
}
