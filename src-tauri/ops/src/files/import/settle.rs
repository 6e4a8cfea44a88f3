//! Rows become numbers and texts that may be stored, or the reason why not. Nothing is guessed.

use std::borrow::Cow;

use roost_model::{
    channel::Channel,
    contact::{CUSTOM_MAX, ContactField},
    error::{Fault, has_length},
    phone::{self, Region},
};
use roost_sheets::{Row, RowFlag};
use serde::{Deserialize, Serialize};

use super::{
    columns,
    mapping::{Consent, MatchBy, OpenMapping, Rule, cells::Source},
    number::{PackedNumber, spelling::plain_number},
};

/// Why a row cannot be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportReason"))]
#[repr(u8)]
pub enum Reason {
    /// Neither number is there.
    NoNumber = 1,
    NotANumber,
    /// A spreadsheet shortened the number, or shows an error in place of a value: what it was is gone.
    Spreadsheet,
    /// With a zero in front it would be a number: a spreadsheet seems to have cut it off.
    LostZero,
    TooLong,
    /// Bytes that are no letters in the encoding of the file.
    DamagedText,
    /// A NUL character.
    Nul,
    /// A part of the row was not understood.
    Malformed,
}

impl Reason {
    pub const ALL: [Self; 8] = [
        Self::NoNumber,
        Self::NotANumber,
        Self::Spreadsheet,
        Self::LostZero,
        Self::TooLong,
        Self::DamagedText,
        Self::Nul,
        Self::Malformed,
    ];

    pub fn message(self) -> &'static str {
        match self {
            Self::NoNumber => "There is neither a phone number nor a WhatsApp number in this row.",
            Self::NotANumber => "This is no valid number.",
            Self::Spreadsheet => {
                "A spreadsheet shortened this value or could not compute it, and what it was is gone. Format the column as text and save the file again."
            }
            Self::LostZero => {
                "This is no valid number, but it would be one with a zero in front. A spreadsheet may have cut it off: format the column as text, or mend the number here."
            }
            Self::TooLong => "This is longer than the field allows.",
            Self::DamagedText => {
                "This row holds bytes that are no letters in the encoding of the file. Choose another encoding, or mend it here."
            }
            Self::Nul => "This row holds a NUL character, which no text has.",
            Self::Malformed => "A part of this row was not understood.",
        }
    }
}

/// A reason, and the field it is about; none when it is about the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowFault {
    pub reason: Reason,
    pub field: Option<ContactField>,
}

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
}

#[derive(Debug, Clone)]
pub struct NumberPlan {
    pub field: ContactField,
    source: Source,
    region: Region,
    pub rule: Rule,
}

#[derive(Debug, Clone)]
pub struct TextPlan {
    pub field: ContactField,
    source: Source,
    max: usize,
    pub rule: Rule,
}

#[derive(Debug, Clone)]
struct ConsentPlan {
    source: Source,
    /// In small letters.
    words: Vec<String>,
    channels: Vec<Channel>,
}

impl ConsentPlan {
    fn of(consent: &Consent<u32>) -> Self {
        Self {
            source: Source::of(&consent.pieces, &consent.between),
            words: consent.words.iter().map(|word| word.trim().to_lowercase()).collect(),
            channels: consent.channels.clone(),
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
        let consents = mapping.consents.iter().map(ConsentPlan::of).collect();
        let mut plan = Self { phone: None, whatsapp: None, texts: Vec::new(), match_by: mapping.match_by, consents };
        for target in mapping.targets.iter().filter(|target| target.new_field.is_none()) {
            let Some(field) = ContactField::parse(&target.field, |number| custom.contains(&number)) else { continue };
            let (source, rule) = (Source::of(&target.pieces, &target.between), mapping.rule_of(target));
            let number =
                |source| NumberPlan { field, source, region: region_of(&target.region).unwrap_or(file_region), rule };
            match field {
                ContactField::PhoneNumber => plan.phone = Some(number(source)),
                ContactField::WhatsappId => plan.whatsapp = Some(number(source)),
                ContactField::Attribute(attribute) => {
                    plan.texts.push(TextPlan { field, source, max: attribute.max(), rule });
                }
                _ => plan.texts.push(TextPlan { field, source, max: CUSTOM_MAX, rule }),
            }
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
            return Err(of_row(Reason::NoNumber));
        }
        for text in &self.texts {
            text.value(row)?;
        }
        Ok(numbers)
    }

    /// Numbers that a settled row opts out.
    pub fn opted_out(&self, row: &Row, numbers: &Numbers, mut visit: impl FnMut(PackedNumber, Channel)) {
        for consent in &self.consents {
            let says_so =
                consent.source.value(row).is_some_and(|text| consent.words.contains(&text.trim().to_lowercase()));
            for channel in consent.channels.iter().filter(|_| says_so) {
                let number = numbers.on(*channel);
                if !number.is_none() {
                    visit(number, *channel);
                }
            }
        }
    }
}

impl NumberPlan {
    fn settle(&self, row: &Row) -> Result<PackedNumber, RowFault> {
        let Some(text) = self.source.value(row) else { return Ok(PackedNumber::NONE) };
        let text = plain_number(&text);
        let settled = phone::parse_contact_number(&text, self.region);
        settled
            .as_ref()
            .and_then(PackedNumber::of)
            .ok_or_else(|| RowFault { reason: why_no_number(&text, self.region), field: Some(self.field) })
    }
}

/// What became of a number that is none.
fn why_no_number(text: &str, region: Region) -> Reason {
    if columns::is_shortened(text) || is_error(text) {
        return Reason::Spreadsheet;
    }
    let is_bare = text.starts_with(|c: char| ('1'..='9').contains(&c));
    if is_bare && phone::parse_contact_number(&format!("0{text}"), region).is_some() {
        return Reason::LostZero;
    }
    Reason::NotANumber
}

/// What spreadsheets show where they have no value.
fn is_error(text: &str) -> bool {
    const ERRORS: [&str; 8] = ["#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!"];
    ERRORS.contains(&text) || (text.len() > 1 && text.bytes().all(|byte| byte == b'#'))
}

impl TextPlan {
    /// Nothing when it is blank.
    pub fn value<'r>(&self, row: &Row<'r>) -> Result<Option<Cow<'r, str>>, RowFault> {
        let Some(text) = self.source.value(row) else { return Ok(None) };
        let reason = if is_error(&text) {
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
        super::mapping::{Mapping, Piece, Target},
        *,
    };

    fn plan(fields: &[&str], region: &str) -> Plan {
        let target = |(column, field): (usize, &&str)| Target {
            field: (*field).to_owned(),
            new_field: None,
            pieces: vec![Piece::Column { column: column as u32, part: None }],
            between: String::new(),
            region: None,
            rule: None,
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
            (["07700900001", "", "#REF!"], None, (Reason::Spreadsheet, first)),
            (["07700900001", "", ""], Some(RowFlag::DamagedText), (Reason::DamagedText, None)),
            (["07700900001", "", ""], Some(RowFlag::Nul), (Reason::Nul, None)),
        ] {
            assert_eq!(settled(&plan, &cells, flag), Err(want), "{cells:?}");
        }
        assert!(settled(&plan, &["07700900001"], Some(RowFlag::StrayQuote)).is_ok(), "it is only odd");
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
