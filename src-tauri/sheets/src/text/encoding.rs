//! Detects the encoding of a text, and the evidence for it.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{ISO_2022_JP, MACINTOSH, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::error::{SheetError, SheetErrorKind};

/// Most bytes that are examined.
pub(crate) const SAMPLE_BYTES: usize = 1 << 20;
/// Most words that are shown as evidence.
const WORDS_MAX: usize = 6;
/// Most characters of a shown word.
const WORD_MAX: usize = 24;

/// A character encoding, known by its name on the web.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoding(&'static encoding_rs::Encoding);

impl Encoding {
    pub const UTF_8: Self = Self(UTF_8);

    /// Lists the encodings that people meet, the likely ones first, for a list to choose from.
    pub fn list_known() -> impl Iterator<Item = Self> {
        ENCODING_NAMES.iter().filter_map(|name| Self::parse(name))
    }

    /// Parses any name or alias that the web knows, such as `latin1`, `cp1250` or `UTF-8`.
    pub fn parse(name: &str) -> Option<Self> {
        encoding_rs::Encoding::for_label_no_replacement(name.as_bytes()).map(Self)
    }

    pub fn name(self) -> &'static str {
        self.0.name()
    }

    pub(crate) fn decoder(self) -> encoding_rs::Decoder {
        self.0.new_decoder_without_bom_handling()
    }

    /// Returns whether a character takes sixteen bits.
    pub(crate) fn is_wide(self) -> bool {
        self.0 == UTF_16LE || self.0 == UTF_16BE
    }

    /// Decodes the beginning of a text, whose last character may be cut.
    pub(crate) fn decode_start(self, sample: &[u8]) -> String {
        let mut text = String::with_capacity(sample.len());
        let mut decoder = self.decoder();
        text.reserve(decoder.max_utf8_buffer_length(sample.len()).unwrap_or_default());
        // The part that does not fit or is cut is not needed.
        let _ = decoder.decode_to_string(sample, &mut text, false);
        text
    }

    /// Returns the byte order mark of this encoding.
    pub(crate) fn byte_order_mark(self) -> &'static [u8] {
        match self.0 {
            e if e == UTF_8 => b"\xef\xbb\xbf",
            e if e == UTF_16LE => b"\xff\xfe",
            e if e == UTF_16BE => b"\xfe\xff",
            _ => b"",
        }
    }
}

const ENCODING_NAMES: &[&str] = &[
    "UTF-8",
    "windows-1252",
    "UTF-16LE",
    "UTF-16BE",
    "windows-1250",
    "windows-1251",
    "windows-1253",
    "windows-1254",
    "windows-1255",
    "windows-1256",
    "windows-1257",
    "windows-1258",
    "ISO-8859-2",
    "ISO-8859-3",
    "ISO-8859-4",
    "ISO-8859-5",
    "ISO-8859-6",
    "ISO-8859-7",
    "ISO-8859-8",
    "ISO-8859-10",
    "ISO-8859-13",
    "ISO-8859-14",
    "ISO-8859-15",
    "ISO-8859-16",
    "macintosh",
    "x-mac-cyrillic",
    "IBM866",
    "KOI8-R",
    "KOI8-U",
    "windows-874",
    "Shift_JIS",
    "EUC-JP",
    "ISO-2022-JP",
    "EUC-KR",
    "Big5",
    "GBK",
    "gb18030",
];

impl Serialize for Encoding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Encoding {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::parse(&name).ok_or_else(|| de::Error::custom(format!("there is no encoding called “{name}”")))
    }
}

/// The evidence for an encoding, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportEncodingEvidence"))]
pub enum EncodingEvidence {
    /// The text begins with the byte order mark of this encoding.
    Mark,
    /// All of its characters beyond ASCII are well formed, which hardly happens by chance.
    WellFormed,
    /// Every second byte is zero, as in texts with sixteen bits per character.
    Zeros,
    /// The sample is ASCII, which is the same in nearly all encodings.
    Ascii,
    /// The frequencies of byte sequences match those of languages.
    Likely,
}

/// A detected encoding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportEncodingGuess"))]
pub struct EncodingGuess {
    #[cfg_attr(feature = "ts", ts(type = "string"))]
    pub encoding: Encoding,
    pub by: EncodingEvidence,
    /// Words with characters beyond ASCII as they look in this encoding, so that a person sees at once whether it is
    /// right.
    pub words: Vec<String>,
}

/// Examines the beginning of a text. `is_whole` means that nothing follows.
pub(crate) fn detect_encoding(sample: &[u8], is_whole: bool) -> Result<EncodingGuess, SheetError> {
    let (encoding, by) = find_encoding(sample, is_whole)?;
    let words = if by == EncodingEvidence::Ascii { Vec::new() } else { sample_words(sample, encoding) };
    Ok(EncodingGuess { encoding, by, words })
}

fn find_encoding(sample: &[u8], is_whole: bool) -> Result<(Encoding, EncodingEvidence), SheetError> {
    if sample.starts_with(b"\xff\xfe\0\0") || sample.starts_with(b"\0\0\xfe\xff") {
        return Err(SheetError::for_file(SheetErrorKind::Utf32));
    }
    for encoding in [UTF_8, UTF_16LE, UTF_16BE].map(Encoding) {
        if sample.starts_with(encoding.byte_order_mark()) {
            return Ok((encoding, EncodingEvidence::Mark));
        }
    }
    if let Some(encoding) = detect_utf16(sample) {
        return Ok((encoding, EncodingEvidence::Zeros));
    }
    if sample.is_ascii() && has_escapes(sample) {
        let (_, has_errors) = ISO_2022_JP.decode_without_bom_handling(sample);
        if has_errors && is_whole {
            return Err(SheetError::for_file(SheetErrorKind::Escapes));
        }
        return Ok((Encoding(ISO_2022_JP), EncodingEvidence::WellFormed));
    }
    if sample.is_ascii() {
        return Ok((Encoding::UTF_8, EncodingEvidence::Ascii));
    }
    let is_well_formed = match std::str::from_utf8(sample) {
        Ok(_) => true,
        // The last character may be cut.
        Err(why) => !is_whole && why.error_len().is_none(),
    };
    if is_well_formed {
        return Ok((Encoding::UTF_8, EncodingEvidence::WellFormed));
    }
    if is_mostly_well_formed(sample) {
        return Ok((Encoding::UTF_8, EncodingEvidence::Likely));
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sample, is_whole);
    let encoding = Encoding(detector.guess(None, Utf8Detection::Deny));
    if encoding == Encoding(WINDOWS_1252) && is_macintosh(sample) {
        return Ok((Encoding(MACINTOSH), EncodingEvidence::Likely));
    }
    // A text with a character that does not exist in the guessed encoding has another one.
    let fits = encoding.0.decode_without_bom_handling_and_without_replacement(sample).is_some();
    Ok((if fits || !is_whole { encoding } else { Encoding(WINDOWS_1252) }, EncodingEvidence::Likely))
}

/// Returns whether a text is from an old Macintosh: it ends lines with a carriage return alone, and has small letters
/// where windows-1252 has symbols.
fn is_macintosh(sample: &[u8]) -> bool {
    if sample.contains(&b'\n') || !sample.contains(&b'\r') {
        return false;
    }
    let odd = |encoding: &'static encoding_rs::Encoding| {
        let (text, _) = encoding.decode_without_bom_handling(sample);
        let mut before = ' ';
        text.chars()
            .filter(|c| {
                let is_within = before.is_ascii_alphabetic();
                before = *c;
                is_within && !c.is_ascii() && !c.is_lowercase()
            })
            .count()
    };
    odd(MACINTOSH) < odd(WINDOWS_1252)
}

/// Returns whether escape sequences announce characters of several bytes, as in East Asian encodings of seven bits.
fn has_escapes(sample: &[u8]) -> bool {
    memchr::memmem::find(sample, b"\x1b$").is_some()
}

/// Returns whether damaged characters are few among more valid ones. Such a text is damaged UTF-8, because characters
/// of another encoding are hardly ever well formed by chance.
fn is_mostly_well_formed(sample: &[u8]) -> bool {
    let (mut good, mut bad) = (0_usize, 0_usize);
    for chunk in sample.utf8_chunks() {
        good += chunk.valid().bytes().filter(|byte| *byte >= 0xc0).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    good >= 3 && bad * 3 <= good
}

/// Detects sixteen-bit encodings. Their texts have a zero byte in most letters of Western languages, and in all digits
/// and line ends.
fn detect_utf16(sample: &[u8]) -> Option<Encoding> {
    let pairs = sample.len() / 2;
    if pairs < 2 {
        return None;
    }
    let zeros_at = |odd: usize| sample.iter().skip(odd).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (zeros_at(0), zeros_at(1));
    let (many, few) = (pairs.div_ceil(8), pairs / 100);
    match (even, odd) {
        _ if odd >= many && even <= few => Some(Encoding(UTF_16LE)),
        _ if even >= many && odd <= few => Some(Encoding(UTF_16BE)),
        _ => None,
    }
}

fn sample_words(sample: &[u8], encoding: Encoding) -> Vec<String> {
    let body = sample.strip_prefix(encoding.byte_order_mark()).unwrap_or(sample);
    let (text, _) = encoding.0.decode_without_bom_handling(&body[..body.len().min(SAMPLE_BYTES / 4)]);
    let mut found: Vec<String> = Vec::new();
    // A symbol beside letters is shown with them: in another encoding it may be a letter.
    for word in text.split(|c: char| c.is_whitespace() || (c.is_ascii() && !c.is_alphanumeric())) {
        if !word.is_ascii()
            && word.contains(|c: char| c.is_alphabetic() || c == '\u{fffd}')
            && !found.iter().any(|known| known == word)
        {
            found.push(word.chars().take(WORD_MAX).collect());
            if found.len() == WORDS_MAX {
                break;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(sample: &[u8]) -> (&'static str, EncodingEvidence) {
        let guess = detect_encoding(sample, true).unwrap();
        (guess.encoding.name(), guess.by)
    }

    #[test]
    fn a_byte_order_mark_decides_the_encoding() {
        assert_eq!(found(b"\xef\xbb\xbfa,b"), ("UTF-8", EncodingEvidence::Mark));
        assert_eq!(found(b"\xff\xfea\0,\0"), ("UTF-16LE", EncodingEvidence::Mark));
        assert_eq!(found(b"\xfe\xff\0a\0,"), ("UTF-16BE", EncodingEvidence::Mark));
        assert!(matches!(detect_encoding(b"\xff\xfe\0\0a\0\0\0", true).unwrap_err().kind, SheetErrorKind::Utf32));
    }

    #[test]
    fn texts_without_a_mark_are_recognized_by_their_bytes() {
        assert_eq!(found(b"name,number\n"), ("UTF-8", EncodingEvidence::Ascii));
        assert_eq!(found("name;Zoë\n".as_bytes()), ("UTF-8", EncodingEvidence::WellFormed));
        let wide: Vec<u8> = "name;Zoë\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(found(&wide), ("UTF-16LE", EncodingEvidence::Zeros));
        let wide: Vec<u8> = "Имя;Номер\nАнна;1\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(found(&wide), ("UTF-16BE", EncodingEvidence::Zeros));
    }

    #[test]
    fn legacy_encodings_are_recognized_by_their_languages() {
        let western = "Vorname;Straße\nJürgen;Königstraße 5\nZoë;Größere Gasse\n";
        let (bytes, _, _) = WINDOWS_1252.encode(western);
        let guess = detect_encoding(&bytes, true).unwrap();
        assert_eq!((guess.encoding.name(), guess.by), ("windows-1252", EncodingEvidence::Likely));
        assert!(guess.words.contains(&"Königstraße".to_owned()), "{:?}", guess.words);
        let polish = "Imię;Miasto\nŁukasz;Świętochłowice\nWięcej;Żółć\nGrażyna;Łódź\n";
        let (bytes, _, _) = encoding_rs::WINDOWS_1250.encode(polish);
        assert_eq!(found(&bytes).0, "windows-1250");
        let russian = "Имя;Город\nАнна;Санкт-Петербург\nИван;Екатеринбург\n";
        let (bytes, _, _) = encoding_rs::WINDOWS_1251.encode(russian);
        assert_eq!(found(&bytes).0, "windows-1251");
    }

    #[test]
    fn a_cut_letter_at_the_end_of_a_sample_is_not_damage() {
        let text = "name;Zoë".as_bytes();
        let cut = &text[..text.len() - 1];
        assert_eq!(detect_encoding(cut, false).unwrap().by, EncodingEvidence::WellFormed);
        assert_ne!(detect_encoding(cut, true).unwrap().by, EncodingEvidence::WellFormed);
    }

    #[test]
    fn one_damaged_letter_among_many_does_not_change_the_encoding() {
        for lines in [20, 1] {
            let mut text = "Zoë;Königstraße;Größe\n".repeat(lines).into_bytes();
            text.extend_from_slice(b"Z\xe9;x\n");
            assert_eq!(found(&text), ("UTF-8", EncodingEvidence::Likely));
        }
        // By chance, `Ã¤` can occur in a text of another encoding.
        let (bytes, _, _) = WINDOWS_1252.encode("Stück;Straße;SÃ¤o;Größe;Müller\n");
        assert_eq!(found(&bytes).0, "windows-1252");
    }

    #[test]
    fn letters_that_are_announced_by_escapes_are_read_or_refused() {
        let (bytes, _, has_errors) = ISO_2022_JP.encode("名;番\n");
        assert!(!has_errors && bytes.contains(&0x1b));
        assert_eq!(found(&bytes), ("ISO-2022-JP", EncodingEvidence::WellFormed));
        assert!(matches!(detect_encoding(b"\x1b$)C\x0e0!\x0f;x\n", true).unwrap_err().kind, SheetErrorKind::Escapes));
    }

    #[test]
    fn every_encoding_of_the_list_is_known_by_its_name() {
        assert_eq!(Encoding::list_known().count(), ENCODING_NAMES.len());
        assert!(Encoding::list_known().all(|encoding| Encoding::parse(encoding.name()) == Some(encoding)));
        assert_eq!(Encoding::parse("latin1").map(Encoding::name), Some("windows-1252"));
        assert_eq!(Encoding::parse("klingon"), None);
    }
}
