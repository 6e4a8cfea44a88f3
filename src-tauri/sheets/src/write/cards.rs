//! Writes vCards of the versions 3 and 4, property by property.

/// The version of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CardVersion {
    /// Most programs read this version.
    V3,
    /// The newest version.
    #[default]
    V4,
}

/// The value of `PRODID` that marks cards which this program exported.
pub const PRODUCT: &str = "-//Roost//Contacts//EN";
/// The prefix of properties that say whether a person opted out of a channel. The name of the channel follows.
pub const OPTED_OUT_OF: &str = "X-ROOST-OPTED-OUT-";
/// The parameter that repeats a value byte by byte in hexadecimal digits, where vCards cannot express it.
pub const EXACT: &str = "X-ROOST-EXACT";
/// Most bytes of a line before it is folded.
const LINE_BYTES_MAX: usize = 75;

/// Appends cards to `out`.
pub struct CardWriter<'o> {
    out: &'o mut Vec<u8>,
    /// Where the present line begins.
    start: usize,
}

impl<'o> CardWriter<'o> {
    pub fn new(out: &'o mut Vec<u8>) -> Self {
        let start = out.len();
        Self { out, start }
    }

    pub fn begin_card(&mut self, version: CardVersion) {
        self.write_line("BEGIN:VCARD");
        self.write_line(match version {
            CardVersion::V3 => "VERSION:3.0",
            CardVersion::V4 => "VERSION:4.0",
        });
        self.write_line(&format!("PRODID:{PRODUCT}"));
    }

    pub fn end_card(&mut self) {
        self.write_line("END:VCARD");
    }

    /// Writes a property with one text. `name` includes the parameters: `TEL;TYPE=cell`.
    pub fn write_text(&mut self, name: &str, text: &str) {
        self.write_parts(name, &[text]);
    }

    /// Writes a property whose value has several parts, in their order.
    pub fn write_parts(&mut self, name: &str, parts: &[&str]) {
        self.write_raw(name);
        if parts.iter().any(|part| part.contains(is_changed)) {
            self.write_raw(&format!(";{EXACT}={}", to_hex(parts)));
        }
        for (at, part) in parts.iter().enumerate() {
            self.write_raw(if at == 0 { ":" } else { ";" });
            self.write_escaped(part);
        }
        self.end_line();
    }

    fn write_line(&mut self, text: &str) {
        self.write_raw(text);
        self.end_line();
    }

    fn end_line(&mut self) {
        self.out.extend_from_slice(b"\r\n");
        self.start = self.out.len();
    }

    fn write_raw(&mut self, text: &str) {
        text.chars().for_each(|c| self.write_char(c));
    }

    /// Writes escaped text. Every line end becomes `\n`, and control characters that vCards do not allow are left out.
    fn write_escaped(&mut self, text: &str) {
        let mut letters = text.chars().peekable();
        while let Some(c) = letters.next() {
            match c {
                '\\' | ',' | ';' => {
                    self.write_char('\\');
                    self.write_char(c);
                }
                '\r' if letters.peek() == Some(&'\n') => {}
                '\r' | '\n' => self.write_raw("\\n"),
                c if is_changed(c) => {}
                c => self.write_char(c),
            }
        }
    }

    /// Writes a character. A full line continues in the next one after a space, and no character is split.
    fn write_char(&mut self, c: char) {
        if self.out.len() - self.start + c.len_utf8() > LINE_BYTES_MAX {
            self.end_line();
            self.out.push(b' ');
        }
        self.out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

/// Returns whether a character is lost in the escaped text, because it is replaced or left out.
fn is_changed(c: char) -> bool {
    c.is_ascii_control() && !matches!(c, '\n' | '\t' | '\u{7f}')
}

/// Returns all bytes of a value in hexadecimal digits, including the separators of its parts.
fn to_hex(parts: &[&str]) -> String {
    let escape = |part: &&str| part.replace('\\', "\\\\").replace(',', "\\,").replace(';', "\\;");
    let value = parts.iter().map(escape).collect::<Vec<_>>().join(";");
    value.bytes().map(|byte| format!("{byte:02X}")).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::{collection::vec, prelude::*};

    use super::*;
    use crate::{ReadOptions, RowBlock, open};

    fn read(bytes: &[u8]) -> Vec<Vec<(String, String)>> {
        let mut opened = open(Box::new(Cursor::new(bytes.to_vec())), &ReadOptions::default()).unwrap();
        let mut block = RowBlock::default();
        while opened.rows.fill_block(&mut block).unwrap() {}
        let columns = opened.rows.columns().unwrap().to_vec();
        let named = |row: crate::BlockRow| {
            let cells = columns.iter().zip(row.cells()).filter(|(_, cell)| !cell.is_empty());
            cells.map(|(column, cell)| (column.clone(), cell.to_owned())).collect()
        };
        block.rows().map(named).collect()
    }

    #[test]
    fn a_card_is_as_other_programs_read_it() {
        let mut out = Vec::new();
        let mut cards = CardWriter::new(&mut out);
        cards.begin_card(CardVersion::V4);
        cards.write_parts("N", &["O;Brien", "Ada,\nMay", "", "Ms", ""]);
        cards.write_text("TEL;TYPE=cell", "+447700900001");
        cards.write_text("NOTE", &"é\\".repeat(30));
        cards.end_card();
        let text = String::from_utf8(out).unwrap();
        assert!(text.starts_with(
            "BEGIN:VCARD\r\nVERSION:4.0\r\nPRODID:-//Roost//Contacts//EN\r\nN:O\\;Brien;Ada\\,\\nMay;;Ms;\r\nTEL;TYPE=cell:+447700900001\r\n"
        ));
        assert!(text.ends_with("\r\nEND:VCARD\r\n"));
        assert!(text.split("\r\n").all(|line| line.len() <= LINE_BYTES_MAX), "{text}");
        let all = read(text.as_bytes());
        let value =
            |name: &str| all[0].iter().find(|(column, _)| column == name).map(|(_, text)| text.clone()).unwrap();
        assert_eq!((value("Last name"), value("First name")), ("O;Brien".to_owned(), "Ada,\nMay".to_owned()));
        assert_eq!(value("Note"), "é\\".repeat(30));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn whatever_cards_hold_is_read_back_as_it_was(
            texts in vec("[\\\\,;:\"'=\n\r\t\u{1}\u{1b}\u{7f}\u{85} é😀שBEGIN:a-c-]{1,90}", 1..6), is_old: bool
        ) {
            let mut out = Vec::new();
            let mut cards = CardWriter::new(&mut out);
            for text in &texts {
                cards.begin_card(if is_old { CardVersion::V3 } else { CardVersion::V4 });
                cards.write_parts("N", &["x", text, "", "", ""]);
                cards.write_text("NOTE", text);
                cards.end_card();
            }
            let want: Vec<Vec<(String, String)>> = texts
                .iter()
                .map(|text| [("Last name", "x"), ("First name", text.as_str()), ("Note", text.as_str())])
                .map(|pairs| pairs.map(|(a, b)| (a.to_owned(), b.to_owned())).to_vec())
                .collect();
            prop_assert_eq!(read(&out), want);
        }
    }
}
