//! Packs a valid number into eight bytes, because millions of them stay in memory between rehearsal and import.

use roost_model::phone::Phone;

/// The digits and the region of a number; zero means no number. Two numbers are the same if their
/// [`digits`](Self::digits) are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct PackedNumber(u64);

/// Bits of the region. E.164 has at most fifteen digits, which fit into fifty bits above them.
const REGION_BITS: u32 = 10;
/// The region of numbers that belong to no country.
const WORLD: u64 = 26 * 26;
/// The length of the longest number: a plus and fifteen digits.
pub const TEXT_MAX: usize = 16;

impl PackedNumber {
    pub const NONE: Self = Self(0);

    /// Packs a number; returns `None` if it does not have the form in which numbers are stored.
    pub fn from_phone(phone: &Phone) -> Option<Self> {
        let number = Self::parse_digits(&phone.e164)?;
        let region = match phone.region.as_bytes() {
            b"001" => WORLD,
            [a @ b'A'..=b'Z', b @ b'A'..=b'Z'] => u64::from(a - b'A') * 26 + u64::from(b - b'A'),
            _ => return None,
        };
        Some(Self(number << REGION_BITS | region))
    }

    /// Parses the digits of a stored number; returns `None` for any other text.
    pub fn parse_digits(e164: &str) -> Option<u64> {
        let digits = e164.strip_prefix('+')?;
        if digits.is_empty() || digits.len() > 15 || digits.starts_with('0') {
            return None;
        }
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
    }

    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Returns the digits, by which numbers are compared.
    pub fn digits(self) -> u64 {
        self.0 >> REGION_BITS
    }

    pub fn is_same(self, other: Self) -> bool {
        self.digits() == other.digits()
    }

    /// Writes the number as `+447700900001` without an allocation.
    pub fn write_e164(self, buf: &mut [u8; TEXT_MAX]) -> &str {
        let mut left = self.digits();
        let mut at = TEXT_MAX;
        while left > 0 && at > 1 {
            at -= 1;
            buf[at] = b'0' + (left % 10) as u8;
            left /= 10;
        }
        at -= 1;
        buf[at] = b'+';
        std::str::from_utf8(&buf[at..]).unwrap_or_default()
    }

    pub fn write_region(self, buf: &mut [u8; 3]) -> &str {
        let region = self.0 & ((1 << REGION_BITS) - 1);
        if region == WORLD {
            return "001";
        }
        buf[0] = b'A' + (region / 26 % 26) as u8;
        buf[1] = b'A' + (region % 26) as u8;
        std::str::from_utf8(&buf[..2]).unwrap_or_default()
    }

    pub fn to_phone(self) -> Option<Phone> {
        if self.is_none() {
            return None;
        }
        let e164 = self.write_e164(&mut [0; TEXT_MAX]).to_owned();
        Some(Phone { e164, region: self.write_region(&mut [0; 3]).to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample_phone(e164: &str, region: &str) -> Phone {
        Phone { e164: e164.to_owned(), region: region.to_owned() }
    }

    proptest! {
        #[test]
        fn a_number_comes_back_as_it_was(digits in "[1-9][0-9]{0,14}", region in "[A-Z]{2}|001") {
            let given = sample_phone(&format!("+{digits}"), &region);
            prop_assert_eq!(PackedNumber::from_phone(&given).and_then(PackedNumber::to_phone), Some(given));
        }
    }

    #[test]
    fn an_invalid_stored_number_is_refused() {
        for (e164, region) in [
            ("447700900001", "GB"),
            ("+", "GB"),
            ("+0447", "GB"),
            ("+1234567890123456", "GB"),
            ("+44x", "GB"),
            ("+44", "gb"),
        ] {
            assert_eq!(PackedNumber::from_phone(&sample_phone(e164, region)), None, "{e164} {region}");
        }
        assert!(PackedNumber::NONE.is_none() && PackedNumber::NONE.to_phone().is_none());
    }

    #[test]
    fn the_same_digits_are_the_same_number() {
        let digits =
            |region| PackedNumber::from_phone(&sample_phone("+447911123456", region)).map(PackedNumber::digits);
        assert_eq!(digits("GB"), digits("JE"));
    }
}
