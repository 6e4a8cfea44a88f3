//! Lets a column of whole names, such as `Name`, fill the title, the first and the last name if no other column does.

use roost_model::contact::{Attribute, ContactField};

use roost_spelling::normalize_name;

use super::{CellPart, OpenMapping, TITLE_PART, ValuePiece};
use crate::mapping::columns::ColumnFacts;

/// Names of such a column, in the form in which names are compared: English first, then German, French, Spanish,
/// Italian, Dutch, Polish and Portuguese.
const FULL_NAME_WORDS: [&str; 38] = [
    "name",
    "full name",
    "fullname",
    "contact name",
    "contact",
    "display name",
    "person",
    "person name",
    "customer",
    "customer name",
    "client",
    "client name",
    "member",
    "member name",
    "your name",
    "voller name",
    "vollstandiger name",
    "vor und nachname",
    "kunde",
    "kundenname",
    "ansprechpartner",
    "nom complet",
    "nom et prenom",
    "prenom et nom",
    "client nom",
    "nombre completo",
    "nombre y apellidos",
    "cliente",
    "nome completo",
    "nome e cognome",
    "nominativo",
    "naam",
    "volledige naam",
    "klant",
    "klantnaam",
    "imie i nazwisko",
    "nazwa kontaktu",
    "nome do cliente",
];

const TITLE: ContactField = ContactField::Attribute(Attribute::Title);
const FIRST_NAME: ContactField = ContactField::Attribute(Attribute::Firstname);
const LAST_NAME: ContactField = ContactField::Attribute(Attribute::Lastname);

pub(super) fn is_full_name(head: &str) -> bool {
    FULL_NAME_WORDS.contains(&normalize_name(head).as_str())
}

impl OpenMapping {
    /// Makes columns of whole names fill the first and the last name, unless another column of the same file fills one
    /// of them. `files` lists the files of each column; it is empty if there is only one file.
    pub fn assign_full_names(&mut self, heads: &[String], facts: &[ColumnFacts], files: &[Vec<u32>]) {
        let has_heads = heads.iter().any(|head| !head.trim().is_empty());
        let by_contents =
            (!has_heads).then(|| find_by_contents(facts, |column| !self.uses_column(column as u32))).flatten();
        let named = (0..heads.len()).filter(|column| is_full_name(&heads[*column]));
        for column in named.chain(by_contents).collect::<Vec<_>>() {
            if !self.uses_column(column as u32) && !self.is_filled_beside(column, &[FIRST_NAME, LAST_NAME], files) {
                let has_title = facts.get(column).is_some_and(|facts| facts.has_titles)
                    && !self.is_filled_beside(column, &[TITLE], files);
                self.assign_full_name(column, facts, has_title);
            }
        }
    }

    /// Returns whether another column of the same file fills one of the fields.
    fn is_filled_beside(&self, column: usize, fields: &[ContactField], files: &[Vec<u32>]) -> bool {
        let are_apart = |other: u32| match (files.get(column), files.get(other as usize)) {
            (Some(one), Some(other)) => one.iter().all(|file| !other.contains(file)),
            _ => false,
        };
        let of_fields = self.targets.iter().filter(|target| fields.iter().any(|field| target.field == field.name()));
        of_fields.flat_map(|target| &target.pieces).filter_map(ValuePiece::column).any(|other| !are_apart(*other))
    }

    fn assign_full_name(&mut self, column: usize, facts: &[ColumnFacts], has_title: bool) {
        let is_last_first =
            facts.get(column).is_some_and(|facts| most_samples_match(facts, |name| name.contains(", ")));
        let (separator, first, last) = if is_last_first { (",", 2, 1) } else { (" ", 1, 2) };
        let title = has_title.then_some((TITLE, TITLE_PART));
        for (field, number) in title.into_iter().chain([(FIRST_NAME, first), (LAST_NAME, last)]) {
            let part = CellPart { separator: separator.to_owned(), number, and_rest: number == 2 };
            // If another column fills the field, it is in another file, so only one of the two has a value in a row.
            self.add_piece(&field.name(), ValuePiece::Column { column: column as u32, part: Some(part) });
        }
    }
}

/// Returns the column of whole names in a file without headings: its values are two to four capitalized words. If
/// several columns qualify, it returns none.
fn find_by_contents(facts: &[ColumnFacts], is_free: impl Fn(usize) -> bool) -> Option<usize> {
    let is_name = |text: &str| {
        let is_letter = |c: char| c.is_alphabetic() || matches!(c, '-' | '\'' | '’' | '.');
        let is_word = |word: &str| word.starts_with(char::is_uppercase) && word.chars().all(is_letter);
        (2..=4).contains(&text.split_whitespace().count()) && text.split_whitespace().all(is_word)
    };
    let mut found = (0..facts.len()).filter(|column| is_free(*column) && most_samples_match(&facts[*column], is_name));
    found.next().filter(|_| found.next().is_none())
}

fn most_samples_match(facts: &ColumnFacts, is_it: impl Fn(&str) -> bool) -> bool {
    let count = facts.samples.iter().filter(|sample| is_it(sample)).count();
    count > 0 && count * 5 >= facts.samples.len() * 4
}

#[cfg(test)]
mod tests {
    use roost_sheets::{RowBlock, RowFlags};
    use roost_spelling::person_name::find_title;

    use super::{
        super::{FieldTarget, cells::ValueSource},
        *,
    };

    fn fill_names(heads: &[&str], samples: &[&[&str]]) -> Vec<(String, Option<String>)> {
        let heads: Vec<String> = heads.iter().map(|head| (*head).to_owned()).collect();
        let facts: Vec<ColumnFacts> = samples
            .iter()
            .map(|samples| ColumnFacts {
                samples: samples.iter().map(|s| (*s).to_owned()).collect(),
                has_titles: samples.iter().any(|name| !find_title(name).is_empty()),
                ..ColumnFacts::default()
            })
            .collect();
        let mut mapping = OpenMapping::default();
        mapping.assign_full_names(&heads, &facts, &[]);
        let mut block = RowBlock::default();
        samples.iter().for_each(|samples| block.push_cell(samples[0]));
        block.end_row(1, RowFlags::default());
        let titled = mapping.titled_columns();
        let value = |target: &FieldTarget<u32>| {
            ValueSource::from_pieces(&target.pieces, target.pick, &target.between)
                .with_names(&titled)
                .read_value(&block.row(0))
                .map(Into::into)
        };
        mapping.targets.iter().map(|target| (target.field.clone(), value(target))).collect()
    }

    fn expected_names(first: &str, last: &str) -> Vec<(String, Option<String>)> {
        let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        vec![("firstname".to_owned(), text(first)), ("lastname".to_owned(), text(last))]
    }

    #[test]
    fn whole_names_are_taken_apart() {
        assert_eq!(fill_names(&["Name"], &[&["Ada King  Lovelace"]]), expected_names("Ada", "King Lovelace"));
        assert_eq!(fill_names(&["Full Name"], &[&["Lovelace, Ada", "Byron, G."]]), expected_names("Ada", "Lovelace"));
        assert_eq!(fill_names(&["Imię i nazwisko"], &[&["Ada"]]), expected_names("Ada", ""));
        assert_eq!(fill_names(&["Colour"], &[&["Ada Lovelace"]]), []);
    }

    #[test]
    fn a_title_in_front_of_a_name_fills_the_title() {
        let names = |title: &str, first: &str, last: &str| {
            let title = Some(title.to_owned()).filter(|title| !title.is_empty());
            let mut all = vec![("title".to_owned(), title)];
            all.extend(expected_names(first, last));
            all
        };
        for (name, title, first, last) in [
            ("Ms Guest Jones", "Ms", "Guest", "Jones"),
            ("Dr. Ada Lovelace", "Dr.", "Ada", "Lovelace"),
            ("Prof. Dr. Eva van der Berg", "Prof. Dr.", "Eva", "van der Berg"),
            ("Frau Stern", "Frau", "", "Stern"),
            ("Lovelace, Dr. Ada", "Dr.", "Ada", "Lovelace"),
            ("Dr. Lovelace, Ada", "Dr.", "Ada", "Lovelace"),
            ("Ada Lovelace", "", "Ada", "Lovelace"),
        ] {
            for others in ["Mr Bo Lee", "Lee, Dr. Bo"] {
                let samples: &[&str] = &[name, others, others, others, others];
                assert_eq!(fill_names(&["Name"], &[samples]), names(title, first, last), "{name} among {others}");
            }
        }
        let heads = ["Title", "Name"].map(str::to_owned);
        let facts = ColumnFacts { has_titles: true, ..ColumnFacts::default() };
        let mut mapping = OpenMapping::default();
        mapping.assign_field(0, &super::super::named_columns::NamedField::Known("title".to_owned()), &[]);
        mapping.assign_full_names(&heads, &[ColumnFacts::default(), facts], &[]);
        assert!(mapping.titled_columns().is_empty(), "the file has a column of titles");
    }

    #[test]
    fn full_names_of_one_file_combine_with_name_parts_of_another() {
        let heads = ["First name", "Name", "Full name"].map(str::to_owned);
        let mut mapping = OpenMapping::default();
        mapping.assign_field(0, &super::super::named_columns::NamedField::Known("firstname".to_owned()), &[]);
        mapping.assign_full_names(&heads, &[], &[vec![1], vec![2], vec![1]]);
        let pieces: Vec<usize> = mapping.targets.iter().map(|target| target.pieces.len()).collect();
        assert_eq!((pieces, mapping.uses_column(1), mapping.uses_column(2)), (vec![2, 1], true, false));
    }

    #[test]
    fn names_in_a_file_without_heads_are_known_by_their_looks() {
        assert_eq!(
            fill_names(&["", ""], &[&["12"], &["Ada Lovelace", "Zoë O'Brien"]]),
            expected_names("Ada", "Lovelace")
        );
        assert_eq!(fill_names(&[""], &[&["York"]]), [], "one word may be anything");
        assert_eq!(fill_names(&["", ""], &[&["New York"], &["Ada Lovelace"]]), [], "nobody knows which");
    }

    #[test]
    fn words_are_written_as_names_are_compared() {
        assert!(FULL_NAME_WORDS.iter().all(|word| normalize_name(word) == *word));
    }
}
