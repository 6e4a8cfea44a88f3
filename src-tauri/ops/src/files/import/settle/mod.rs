//! Rows become numbers and texts that may be stored, or the reason why not. Nothing is guessed.

mod reason;
mod telephones;

use std::{borrow::Cow, ops::Range};

use roost_model::{
    channel::Channel,
    contact::{Attribute, CUSTOM_MAX, ContactField},
    error::{Fault, has_length},
    phone::Region,
    time::Timestamp,
};
use roost_sheets::{Row, RowFlag};

pub use self::{
    reason::{Reason, RowFault},
    telephones::{NumberPlan, ReadIn, Spare, is_error},
};
use super::{
    mapping::{
        Consent, MatchBy, OpenMapping, Pick, Piece, Rule,
        cells::{Source, is_missing},
        consent::{BLANK, says},
        dates::{DateOrder, is_impossible_date, read_date, read_time},
    },
    number::PackedNumber,
};

/// The field that says in which country a person lives.
const COUNTRY: &str = "country";
/// Digits of a telephone.
const DIGITS_MIN: usize = 5;

/// The numbers of a row that may be stored. Its texts are looked at where they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Numbers {
    pub phone: PackedNumber,
    pub whatsapp: PackedNumber,
}

impl Numbers {
    /// The number that rows are compared by.
    pub fn key(&self, by: MatchBy) -> PackedNumber {
        match by {
            MatchBy::Phone => self.phone,
            MatchBy::Whatsapp => self.whatsapp,
        }
    }

    /// The number that a channel writes to.
    pub fn on(&self, channel: Channel) -> PackedNumber {
        match channel {
            Channel::Sms => self.phone,
            Channel::WhatsApp => self.whatsapp,
        }
    }
}

/// A mapping in the form that works: fields by what they are, regions read.
#[derive(Debug, Clone)]
pub struct Plan {
    pub phone: Option<NumberPlan>,
    pub whatsapp: Option<NumberPlan>,
    pub texts: Vec<TextPlan>,
    pub match_by: MatchBy,
    consents: Vec<ConsentPlan>,
    /// Rows of files in which everybody opted out.
    pub opted_out_rows: Vec<Range<u64>>,
}

#[derive(Debug, Clone)]
pub struct TextPlan {
    pub field: ContactField,
    source: Source,
    /// It is filled from numbers, by the first that is not this one.
    other_than: Option<NumberPlan>,
    /// It holds dates.
    is_date: bool,
    date_order: Option<DateOrder>,
    max: usize,
    pub rule: Rule,
}

#[derive(Debug, Clone)]
struct ConsentPlan {
    source: Source,
    /// In small letters.
    words: Vec<String>,
    channels: Vec<Channel>,
    date_order: Option<DateOrder>,
}

impl ConsentPlan {
    fn of(consent: &Consent<u32>, date_order: Option<DateOrder>) -> Self {
        Self {
            date_order,
            source: Source::of(&consent.pieces, Pick::All, &consent.between),
            words: consent.words.iter().map(|word| word.trim().to_lowercase()).collect(),
            channels: consent.channels.clone(),
        }
    }

    fn says_so(&self, row: &Row) -> bool {
        match self.source.value(row) {
            Some(text) => says(&self.words, &text),
            None => self.words.iter().any(|word| word == BLANK),
        }
    }
}

impl Plan {
    /// `region` is the usual one. Fields that are made on the way must have their numbers already.
    pub fn of(mapping: &OpenMapping, columns: usize, custom: &[u32], region: Region) -> Result<Self, Vec<Fault>> {
        let faults = mapping.check(columns, custom);
        if !faults.is_empty() {
            return Err(faults);
        }
        let region_of = |code: &Option<String>| code.as_deref().and_then(Region::parse);
        let file_region = region_of(&mapping.region).unwrap_or(region);
        let consents = mapping.consents.iter().map(|consent| ConsentPlan::of(consent, mapping.date_order)).collect();
        let country = mapping.targets.iter().find(|target| target.field == COUNTRY);
        let country = country.map(|target| Source::of(&target.pieces, target.pick, &target.between));
        let mut plan = Self {
            phone: None,
            whatsapp: None,
            texts: Vec::new(),
            match_by: mapping.match_by,
            consents,
            opted_out_rows: Vec::new(),
        };
        for target in mapping.targets.iter().filter(|target| target.new_field.is_none()) {
            let Some(field) = ContactField::parse(&target.field, |number| custom.contains(&number)) else { continue };
            let (source, rule) = (Source::of(&target.pieces, target.pick, &target.between), mapping.rule_of(target));
            let is_name = matches!(field, ContactField::Attribute(Attribute::Firstname | Attribute::Lastname));
            let source = if is_name { source.of_names() } else { source };
            let number = |source| NumberPlan {
                field,
                source,
                region: region_of(&target.region).unwrap_or(file_region),
                rule,
                labels: mapping.labels.clone(),
                // Somebody who gave a field a country of its own knows better than the rows.
                country: country.clone().filter(|_| target.region.is_none()),
            };
            match field {
                ContactField::PhoneNumber => plan.phone = Some(number(source)),
                ContactField::WhatsappId => plan.whatsapp = Some(number(source)),
                _ => plan.texts.push(TextPlan {
                    field,
                    source,
                    other_than: None,
                    is_date: field == ContactField::Attribute(Attribute::DateOfBirth),
                    date_order: mapping.date_order,
                    max: if let ContactField::Attribute(attribute) = field { attribute.max() } else { CUSTOM_MAX },
                    rule,
                }),
            }
        }
        for target in mapping.targets.iter().filter(|target| target.pick == Pick::Other) {
            let text = plan.texts.iter_mut().find(|text| text.field.name() == target.field);
            text.into_iter().for_each(|text| text.other_than.clone_from(&plan.phone));
        }
        Ok(plan)
    }

    /// The numbers of a row, when all of it may be stored.
    pub fn settle(&self, row: &Row) -> Result<Numbers, RowFault> {
        let of_row = |reason| RowFault { reason, field: None };
        for (flag, reason) in [
            (RowFlag::DamagedText, Reason::DamagedText),
            (RowFlag::Nul, Reason::Nul),
            (RowFlag::Malformed, Reason::Malformed),
        ] {
            if row.flags.has(flag) {
                return Err(of_row(reason));
            }
        }
        let settle = |plan: &Option<NumberPlan>| plan.as_ref().map_or(Ok(PackedNumber::NONE), |plan| plan.settle(row));
        let numbers = Numbers { phone: settle(&self.phone)?, whatsapp: settle(&self.whatsapp)? };
        if numbers.phone.is_none() && numbers.whatsapp.is_none() {
            let error = self.number_plans().find(|plan| plan.has_error(row));
            return Err(error.map_or(of_row(Reason::NoNumber), |plan| plan.fault(Reason::Spreadsheet)));
        }
        for text in &self.texts {
            match text.value(row) {
                // The error of a spreadsheet takes the place of one value, and never of a contact.
                Err(fault) if fault.reason != Reason::Spreadsheet => return Err(fault),
                _ => {}
            }
        }
        Ok(numbers)
    }

    fn number_plans(&self) -> impl Iterator<Item = &NumberPlan> {
        self.phone.iter().chain(&self.whatsapp)
    }

    /// The valid numbers of a row, whatever else is wrong with it.
    pub fn valid_numbers(&self, row: &Row) -> Numbers {
        let settle =
            |plan: &Option<NumberPlan>| plan.as_ref().and_then(|plan| plan.settle(row).ok()).unwrap_or_default();
        Numbers { phone: settle(&self.phone), whatsapp: settle(&self.whatsapp) }
    }

    /// What a field of an existing kind gets from a row: none where no target fills it.
    pub fn value_of(&self, field: ContactField, row: &Row) -> Option<Option<String>> {
        if let Some(plan) = self.number_plans().find(|plan| plan.field == field) {
            let number = plan.settle(row).unwrap_or_default();
            return Some(number.phone().map(|phone| phone.e164));
        }
        let text = self.texts.iter().find(|text| text.field == field)?;
        Some(text.value(row).unwrap_or_default().map(Cow::into_owned))
    }

    /// Whether the number of a row is taken from another spelling than that of its cell.
    pub fn is_respelled(&self, text: &str) -> bool {
        self.number_plans().any(|plan| plan.is_respelled(text))
    }

    /// Whether a number of the row is the error of a spreadsheet: what it was is unknown.
    pub fn has_error(&self, field: ContactField, row: &Row) -> bool {
        self.number_plans().any(|plan| plan.field == field && plan.has_error(row))
    }

    /// What is wrong with a row, in words that quote it.
    pub fn explain(&self, fault: &RowFault, row: &Row) -> String {
        let number = || self.number_plans().find(|plan| Some(plan.field) == fault.field);
        let text = || self.texts.iter().find(|text| Some(text.field) == fault.field);
        let kind = match fault.field {
            Some(ContactField::WhatsappId) => "WhatsApp number",
            _ => "phone number",
        };
        match (fault.reason, number(), text()) {
            (Reason::NotANumber, Some(plan), _) => format!("“{}” is not a valid {kind}.", plan.source_text(row)),
            (Reason::LostZero, Some(plan), _) => format!(
                "“{}” is not a valid {kind}; with a zero in front it would be. A spreadsheet may have removed the zero: format the column as text, or correct the number here.",
                plan.source_text(row)
            ),
            (Reason::Spreadsheet, Some(plan), _) => format!(
                "“{}” is what a spreadsheet left of a value. Format the column as text and save the file again.",
                plan.source_text(row)
            ),
            (Reason::TooLong, _, Some(plan)) => {
                let length = plan.source.value(row).map_or(0, |text| text.chars().count());
                format!("The {} has {length} characters; at most {} are allowed.", plan.field.name(), plan.max)
            }
            _ => fault.reason.message().to_owned(),
        }
    }

    /// Whether everybody in the file of this row opted out.
    pub fn is_opted_out_row(&self, row: u64) -> bool {
        self.opted_out_rows.iter().any(|rows| rows.contains(&row))
    }

    /// Numbers that a row opts out, whose number among all rows is `at`: all valid ones of it, each with the time where
    /// a value is one.
    pub fn opted_out(
        &self,
        at: u64,
        row: &Row,
        numbers: impl Fn() -> Numbers,
        mut visit: impl FnMut(PackedNumber, Channel, Option<Timestamp>),
    ) {
        let is_everybody = self.is_opted_out_row(at) || row.flags.has(RowFlag::OptedOut);
        let mut channels: Vec<(Channel, Option<Timestamp>)> = Vec::new();
        if is_everybody {
            channels.extend(Channel::ALL.map(|channel| (channel, None)));
        }
        for consent in self.consents.iter().filter(|consent| consent.says_so(row)) {
            let time = consent.source.value(row).and_then(|text| read_time(&text, consent.date_order));
            for channel in &consent.channels {
                match channels.iter_mut().find(|(known, _)| known == channel) {
                    Some((_, known)) => *known = [*known, time].into_iter().flatten().min(),
                    None => channels.push((*channel, time)),
                }
            }
        }
        if channels.is_empty() {
            return;
        }
        let numbers = numbers();
        for (channel, time) in channels {
            let number = numbers.on(channel);
            if !number.is_none() {
                visit(number, channel, time);
            }
            if channel == Channel::Sms {
                self.further_numbers(row, |other| {
                    if !other.is_same(number) {
                        visit(other, channel, time);
                    }
                });
            }
        }
    }
}

/// The error of a cell in a workbook. A text that looks like one is a text.
pub fn is_error_cell(row: &Row, text: &str) -> bool {
    row.flags.has(RowFlag::NoResult) && is_error(text)
}

impl TextPlan {
    /// The first telephone that is not the phone number of the row.
    fn other<'r, T>(&self, row: &Row<'r>, taken: impl Fn(&Piece<u32>, Cow<'r, str>) -> T) -> Option<T> {
        let phone = self.other_than.as_ref()?;
        let number = phone.settle(row).unwrap_or_default();
        // A text with a few digits is a number with more to it, such as an extension; any other is none.
        let is_other = |text: &str| match phone.number(text, row) {
            Some(other) => !other.is_same(number),
            None => text.bytes().filter(u8::is_ascii_digit).count() >= DIGITS_MIN,
        };
        phone.find(&self.source, row, |piece, text| is_other(&text).then(|| taken(piece, text)))
    }

    /// Whether a text says that there is no value, or is no day of the calendar where days belong.
    fn is_no_value(&self, text: &str) -> bool {
        is_missing(text) || (self.is_date && self.date_order != Some(DateOrder::AsWritten) && is_impossible_date(text))
    }

    /// Nothing when it is blank.
    pub fn value<'r>(&self, row: &Row<'r>) -> Result<Option<Cow<'r, str>>, RowFault> {
        let text = match self.other_than {
            Some(_) => self.other(row, |_, text| text),
            None => self.source.value(row),
        };
        let is_exact = row.flags.has(RowFlag::Exact);
        let Some(mut text) = text.filter(|text| is_exact || !self.is_no_value(text)) else { return Ok(None) };
        if self.is_date
            && !is_exact
            && let Cow::Owned(date) = read_date(&text, self.date_order)
        {
            text = Cow::Owned(date);
        }
        let reason = if is_error_cell(row, &text) {
            Reason::Spreadsheet
        } else if !has_length(&text, 1, self.max) {
            Reason::TooLong
        } else {
            return Ok(Some(text));
        };
        Err(RowFault { reason, field: Some(self.field) })
    }
}

#[cfg(test)]
mod tests {
    use roost_model::contact::Attribute;
    use roost_sheets::{Block, RowFlags};

    use super::{
        super::mapping::{Mapping, Part, Piece, Target},
        *,
    };

    fn plan(fields: &[&str], region: &str) -> Plan {
        let target = |(column, field): (usize, &&str)| {
            Target::new(*field, vec![Piece::Column { column: column as u32, part: None }])
        };
        let mapping = Mapping { targets: fields.iter().enumerate().map(target).collect(), ..Mapping::default() };
        Plan::of(&mapping, fields.len(), &[], Region::parse(region).unwrap()).unwrap()
    }

    fn settled(
        plan: &Plan,
        cells: &[&str],
        flag: Option<RowFlag>,
    ) -> Result<Vec<String>, (Reason, Option<ContactField>)> {
        let mut block = Block::default();
        cells.iter().for_each(|cell| block.cell(cell));
        let mut flags = RowFlags::default();
        flag.into_iter().for_each(|flag| flags.add(flag));
        block.end_row(1, flags);
        let numbers = plan.settle(&block.row(0)).map_err(|fault| (fault.reason, fault.field))?;
        Ok([numbers.phone, numbers.whatsapp].into_iter().filter_map(|n| Some(n.phone()?.e164)).collect())
    }

    #[test]
    fn numbers_of_any_spelling_are_settled() {
        let plan = plan(&["phone_number", "whatsapp_id", "firstname"], "GB");
        for cells in [["07700 900001", "", "Ada"], ["+44 (0)7700 900001", "", ""], ["'+447700900001", " ", ""]] {
            assert_eq!(settled(&plan, &cells, None), Ok(vec!["+447700900001".to_owned()]), "{cells:?}");
        }
        let both = settled(&plan, &["07700900001", "07700900002"], None);
        assert_eq!(both, Ok(vec!["+447700900001".to_owned(), "+447700900002".to_owned()]));
    }

    #[test]
    fn a_row_that_cannot_be_taken_says_why() {
        let plan = plan(&["phone_number", "whatsapp_id", "firstname"], "GB");
        let phone = Some(ContactField::PhoneNumber);
        let first = Some(ContactField::Attribute(Attribute::Firstname));
        let long = "x".repeat(51);
        for (cells, flag, want) in [
            (["", "", "Ada"], None, (Reason::NoNumber, None)),
            (["12", "", ""], None, (Reason::NotANumber, phone)),
            (["4.47E+11", "", ""], None, (Reason::Spreadsheet, phone)),
            (["####", "", ""], None, (Reason::Spreadsheet, phone)),
            (["x", "07700900002", ""], None, (Reason::NotANumber, phone)),
            (["07700900001", "nope", ""], None, (Reason::NotANumber, Some(ContactField::WhatsappId))),
            (["07700900001", "", long.as_str()], None, (Reason::TooLong, first)),
            (["07700900001", "", ""], Some(RowFlag::DamagedText), (Reason::DamagedText, None)),
            (["07700900001", "", ""], Some(RowFlag::Nul), (Reason::Nul, None)),
        ] {
            assert_eq!(settled(&plan, &cells, flag), Err(want), "{cells:?}");
        }
        assert!(settled(&plan, &["07700900001"], Some(RowFlag::StrayQuote)).is_ok(), "it is only odd");
    }

    #[test]
    fn a_national_number_is_read_in_the_country_of_its_row() {
        let plan = plan(&["phone_number", "country"], "GB");
        for (number, country, want) in [
            ("07700900001", "United Kingdom", "+447700900001"),
            ("07700900001", "", "+447700900001"),
            ("(202) 555-0101", "USA", "+12025550101"),
            ("+1 202 555 0101", "GB", "+12025550101"),
            // What is no number there is read as before.
            ("07700900001", "US", "+447700900001"),
            ("447700900001", "Deutschland", "+447700900001"),
            ("07700900001", "Europe", "+447700900001"),
        ] {
            assert_eq!(settled(&plan, &[number, country], None), Ok(vec![want.to_owned()]), "{number} {country}");
        }
    }

    #[test]
    fn a_number_is_judged_by_the_label_of_its_row() {
        let heads = ["Phone 1 - Label", "Phone 1 - Value", "Phone 2 - Label", "Phone 2 - Value"].map(str::to_owned);
        let column = |column: u32| Piece::Column { column, part: None };
        let phone = Target { pick: Pick::First, ..Target::new("phone_number", vec![column(1), column(3)]) };
        let mut mapping = Mapping { targets: vec![phone], ..Mapping::default() };
        mapping.take_labels(&heads);
        let plan = Plan::of(&mapping, 4, &[], Region::gb()).unwrap();
        for (cells, want) in [
            (["Home Fax", "07700900001", "Mobile", "07700900002"], Some("+447700900002")),
            (["Work", "07700900001", "* Mobile", "07700900002"], Some("+447700900002")),
            (["Work", "07700900001", "Home", "07700900002"], Some("+447700900001")),
            (["", "07700900001", "Pager", "07700900002"], Some("+447700900001")),
            (["Fax", "07700900001", "", ""], None),
        ] {
            let want = want.map(|number| vec![number.to_owned()]).ok_or((Reason::NoNumber, None));
            assert_eq!(settled(&plan, &cells, None), want, "{cells:?}");
        }
    }

    #[test]
    fn an_error_of_a_spreadsheet_takes_the_place_of_one_value() {
        let plan = plan(&["phone_number", "whatsapp_id", "firstname"], "GB");
        let row = |cells: [&str; 3], flag: Option<RowFlag>| {
            let mut block = Block::default();
            cells.iter().for_each(|cell| block.cell(cell));
            let mut flags = RowFlags::default();
            flag.into_iter().for_each(|flag| flags.add(flag));
            block.end_row(1, flags);
            block
        };
        let phone = Some(ContactField::PhoneNumber);
        for error in ["#REF!", "#N/A", "####"] {
            let one = Ok(vec!["+447700900001".to_owned()]);
            for flag in [None, Some(RowFlag::NoResult)] {
                assert_eq!(settled(&plan, &["07700900001", "", error], flag), one);
                assert_eq!(settled(&plan, &["07700900001", error, ""], flag), one);
                assert_eq!(settled(&plan, &[error, "07700900001", ""], flag), one);
                assert_eq!(settled(&plan, &[error, "", "Ada"], flag), Err((Reason::Spreadsheet, phone)));
                let block = row(["07700900001", "", error], flag);
                let name = plan.value_of(ContactField::Attribute(Attribute::Firstname), &block.row(0));
                assert_eq!(name, Some(flag.is_none().then(|| error.to_owned())), "a text stays a text");
            }
        }
    }

    /// Three telephones, of which the best fills the phone number, and the next the alternate number.
    fn telephones() -> Plan {
        let pieces = || (0..3).map(|column| Piece::Column { column, part: None }).collect::<Vec<_>>();
        let phone = Target { pick: Pick::First, ..Target::new("phone_number", pieces()) };
        let other = Target { pick: Pick::Other, ..Target::new("alternate_phone", pieces()) };
        let mapping = Mapping { targets: vec![phone, other], ..Mapping::default() };
        Plan::of(&mapping, 3, &[], Region::gb()).unwrap()
    }

    #[test]
    fn the_first_valid_telephone_is_taken_and_the_next_is_the_alternate_number() {
        let plan = telephones();
        let one = "+447700900001";
        for (cells, phone, alternate, spare) in [
            (["07700900001", "", ""], Ok(one), None, vec![]),
            (["", "07700900001", ""], Ok(one), None, vec![]),
            (["", "", "07700900001"], Ok(one), None, vec![]),
            (["n/a", "07700900001", ""], Ok(one), None, vec![(0, Spare::Invalid)]),
            (["020 7946 0001", "07700900001", ""], Ok(one), Some("020 7946 0001"), vec![]),
            (["020 7946 0001 ext 5", "", "07700900001"], Ok(one), Some("020 7946 0001 ext 5"), vec![]),
            (["#REF!", "07700900001", ""], Ok(one), None, vec![]),
            (["07700900001", "", "07700 900002"], Ok(one), Some("07700 900002"), vec![]),
            (["07700900001", "+44 7700 900001", "07700 900002"], Ok(one), Some("07700 900002"), vec![]),
            (["07700900001", "07700900003", "07700900002"], Ok(one), Some("07700900003"), vec![(2, Spare::Number)]),
            (["07700900001/07700900003", "", ""], Ok(one), Some("07700900003"), vec![]),
            (
                ["07700900001; 07700900003\n07700900002", "", ""],
                Ok(one),
                Some("07700900003"),
                vec![(0, Spare::PartOfCell)],
            ),
            (
                ["n/a", "07700 / 900 001", "x, 07700900003"],
                Ok(one),
                Some("07700900003"),
                vec![(0, Spare::Invalid), (2, Spare::PartOfCell)],
            ),
            (["07700900001 ::: 07700900003", "", ""], Ok(one), Some("07700900003"), vec![]),
            (
                ["07700900001", "07700900003", "x, 07700900002, 07700900004"],
                Ok(one),
                Some("07700900003"),
                vec![(2, Spare::Invalid)],
            ),
            (["", "n/a", ""], Err(Reason::NotANumber), None, vec![]),
            (["", "", ""], Err(Reason::NoNumber), None, vec![]),
        ] {
            let mut block = Block::default();
            cells.iter().for_each(|cell| block.cell(cell));
            block.end_row(1, RowFlags::default());
            let row = block.row(0);
            let numbers = plan.settle(&row).map_err(|fault| fault.reason);
            let found = numbers.map(|numbers| numbers.phone.phone().unwrap().e164);
            assert_eq!(found.as_deref().map_err(|reason| *reason), phone, "{cells:?}");
            if phone.is_ok() {
                let value = plan.texts[0].value(&row).unwrap_or_default();
                assert_eq!(value.as_deref(), alternate, "{cells:?}");
                let mut found = Vec::new();
                plan.spare_numbers(&row, |column, spare| found.push((column, spare)));
                assert_eq!(found, spare, "{cells:?}");
            }
        }
    }

    fn assert_numbers(plan: &Plan, cases: &[(&str, Option<&str>)]) {
        for (cell, want) in cases {
            let found = settled(plan, &[cell], None).ok().map(|found| found.concat());
            assert_eq!(found.as_deref(), *want, "{cell}");
        }
    }

    #[test]
    fn one_of_several_numbers_in_a_cell_is_taken() {
        let plan = plan(&["phone_number"], "GB");
        assert_numbers(
            &plan,
            &[
                ("07700 900001 / 020 7946 0001", Some("+447700900001")),
                ("n/a; 07700 900001", Some("+447700900001")),
                ("020 7946 0001; 07700 900001", Some("+447700900001")),
                ("020 7946 0001; 020 7946 0002", Some("+442079460001")),
                ("07700 900001 or none", None),
                ("12, 13", None),
            ],
        );
        let mut block = Block::default();
        block.cell("07700 900001 / 020 7946 0001");
        block.end_row(1, RowFlags::default());
        let mut found = Vec::new();
        plan.spare_numbers(&block.row(0), |column, spare| found.push((column, spare)));
        assert_eq!(found, [(0, Spare::PartOfCell)]);
    }

    #[test]
    fn numbers_with_words_around_them_are_taken() {
        assert_numbers(
            &plan(&["phone_number"], "GB"),
            &[
                ("07700 900001 ext 3", Some("+447700900001")),
                ("07700 900001 or 07700 900002", Some("+447700900001")),
                ("020 7946 0001 & 07700 900002", Some("+447700900002")),
                ("07700900001&07700900002", Some("+447700900001")),
                ("Ann: 07700 900001; Bo: 07700 900002", Some("+447700900001")),
                ("011 44 7700 900001", Some("+447700900001")),
                ("++44 7700 900001", Some("+447700900001")),
                ("447700900001@c.us", Some("+447700900001")),
                ("0113 496 0001", Some("+441134960001")),
                ("STOP 07700 900001", None),
                ("Tom & Jerry", None),
            ],
        );
    }

    #[test]
    fn what_says_that_there_is_no_value_fills_no_field() {
        let plan = plan(&["phone_number", "firstname", "date_of_birth"], "GB");
        let (first, born) = (Attribute::Firstname, Attribute::DateOfBirth);
        let value = |cells: [&str; 3], flag: Option<RowFlag>, attribute| {
            let mut block = Block::default();
            cells.iter().for_each(|cell| block.cell(cell));
            let mut flags = RowFlags::default();
            flag.into_iter().for_each(|flag| flags.add(flag));
            block.end_row(1, flags);
            plan.value_of(ContactField::Attribute(attribute), &block.row(0)).flatten()
        };
        let number = "07700900001";
        for text in ["nan", "NaN", "NaT", "<NA>", "NULL", "null", "\\N"] {
            assert_eq!(value([number, text, text], None, first), None, "{text}");
            assert_eq!(value([number, text, text], Some(RowFlag::Exact), first).as_deref(), Some(text));
            assert_eq!(settled(&plan, &[text, "Ada", ""], None), Err((Reason::NoNumber, None)), "{text}");
        }
        for text in ["0/0/00", "1950-02-30", "18295", "NaT"] {
            assert_eq!(value([number, "Ada", text], None, born), None, "{text}");
            assert_eq!(value([number, text, ""], None, first).is_some(), text != "NaT", "only where dates belong");
        }
        for name in ["Nan", "Null", "None"] {
            assert_eq!(value([number, name, ""], None, first).as_deref(), Some(name), "people are called so");
        }
    }

    #[test]
    fn a_whole_name_is_read_in_the_order_it_is_written_in() {
        for separator in [" ", ","] {
            let part = |number| Part { separator: separator.to_owned(), number, and_rest: number == 2 };
            let (first, last) = if separator == " " { (1, 2) } else { (2, 1) };
            let name =
                |field: &str, number| Target::new(field, vec![Piece::Column { column: 1, part: Some(part(number)) }]);
            let phone = Target::new("phone_number", vec![Piece::Column { column: 0, part: None }]);
            let targets = vec![phone, name("firstname", first), name("lastname", last)];
            let mapping = Mapping { targets, ..Mapping::default() };
            let plan = Plan::of(&mapping, 2, &[], Region::gb()).unwrap();
            for (whole, first, last) in [
                ("Ann Lee", "Ann", "Lee"),
                ("Lee, Ann", "Ann", "Lee"),
                ("Lee,Ann Marie", "Ann Marie", "Lee"),
                ("Ann", if separator == " " { "Ann" } else { "" }, if separator == " " { "" } else { "Ann" }),
            ] {
                let mut block = Block::default();
                ["07700900001", whole].iter().for_each(|cell| block.cell(cell));
                block.end_row(1, RowFlags::default());
                let value = |attribute| {
                    let value = plan.value_of(ContactField::Attribute(attribute), &block.row(0));
                    value.flatten().unwrap_or_default()
                };
                let found = (value(Attribute::Firstname), value(Attribute::Lastname));
                assert_eq!((found.0.as_str(), found.1.as_str()), (first, last), "{whole} at {separator:?}");
            }
        }
    }

    #[test]
    fn what_is_wrong_quotes_the_row() {
        let plan = plan(&["phone_number", "whatsapp_id", "firstname"], "IT");
        let long = "x".repeat(51);
        for (cells, want) in [
            (["12", "", ""], "“12” is not a valid phone number."),
            (["", "nope", ""], "“nope” is not a valid WhatsApp number."),
            (["669820001", "", ""], "“669820001” is not a valid phone number; with a zero in front it would be."),
            (["#REF!", "", ""], "“#REF!” is what a spreadsheet left of a value."),
            (["0669820001", "", long.as_str()], "The firstname has 51 characters; at most 50 are allowed."),
            (["", "", "Ada"], Reason::NoNumber.message()),
        ] {
            let mut block = Block::default();
            cells.iter().for_each(|cell| block.cell(cell));
            block.end_row(1, RowFlags::default());
            let row = block.row(0);
            let told = plan.explain(&plan.settle(&row).unwrap_err(), &row);
            assert!(told.starts_with(want), "{told}");
        }
    }

    #[test]
    fn words_of_consent_or_any_value_opt_out() {
        for (words, cell, want) in [
            (&["yes"][..], "Yes ", true),
            (&["yes"], "2026-01-07 10:00:00", false),
            (&["*"], "2026-01-07 10:00:00", true),
            (&["*"], " ", false),
        ] {
            let piece = |column| vec![Piece::Column { column, part: None }];
            let consent = Consent {
                pieces: piece(1),
                between: String::new(),
                words: words.iter().map(|word| (*word).to_owned()).collect(),
                channels: vec![Channel::Sms],
            };
            let targets = vec![Target::new("phone_number", piece(0))];
            let mapping = Mapping { targets, consents: vec![consent], ..Mapping::default() };
            let plan = Plan::of(&mapping, 2, &[], Region::gb()).unwrap();
            let mut block = Block::default();
            ["07700900001", cell].iter().for_each(|cell| block.cell(cell));
            block.end_row(1, RowFlags::default());
            let (row, mut found) = (block.row(0), Vec::new());
            plan.opted_out(0, &row, || plan.valid_numbers(&row), |number, _, _| found.push(number.digits()));
            assert_eq!(!found.is_empty(), want, "{words:?} {cell}");
        }
    }

    #[test]
    fn a_lost_zero_is_told_and_not_guessed() {
        let plan = plan(&["phone_number"], "IT");
        assert!(settled(&plan, &["06 6982 0001"], None).is_ok());
        assert_eq!(settled(&plan, &["669820001"], None), Err((Reason::LostZero, Some(ContactField::PhoneNumber))));
    }

    #[test]
    fn every_reason_has_words() {
        for reason in Reason::ALL {
            assert!(reason.message().ends_with('.') && reason.message().len() > 20);
        }
    }
}
