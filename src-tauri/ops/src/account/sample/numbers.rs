//! Lists phone numbers that are not in use: the ranges that regulators reserve for fiction.

/// A range of numbers with a common prefix, followed by a fixed number of digits.
#[derive(Debug, Clone, Copy)]
pub struct Range {
    pub prefix: &'static str,
    pub digits: usize,
}

impl Range {
    const fn of(prefix: &'static str, digits: usize) -> Self {
        Self { prefix, digits }
    }

    pub fn len(self) -> usize {
        10_usize.pow(self.digits as u32)
    }

    pub fn number(self, at: usize) -> String {
        format!("{}{at:0width$}", self.prefix, width = self.digits)
    }
}

pub const GB_MOBILE: &[Range] = &[Range::of("+447700900", 3)];
pub const GB_FIXED: &[Range] = &[Range::of("+441632960", 3)];
/// The numbers 555-0100 to 555-0199 of several area codes.
pub const US: &[Range] = &[
    Range::of("+120255501", 2),
    Range::of("+120655501", 2),
    Range::of("+121255501", 2),
    Range::of("+121355501", 2),
    Range::of("+130355501", 2),
    Range::of("+131255501", 2),
    Range::of("+140455501", 2),
    Range::of("+141555501", 2),
    Range::of("+150355501", 2),
    Range::of("+151255501", 2),
    Range::of("+161755501", 2),
    Range::of("+171355501", 2),
];
pub const FR_FIXED: &[Range] = &[Range::of("+3319900", 4)];
pub const DE_MOBILE: &[Range] = &[Range::of("+4917139200", 2), Range::of("+49176040690", 2)];
pub const DE_FIXED: &[Range] = &[Range::of("+493023125", 3)];
pub const AU_MOBILE: &[Range] = &[Range::of("+6149157015", 1)];
pub const AU_FIXED: &[Range] = &[Range::of("+6125550", 4)];
/// Further British ranges, used only for large crowds.
pub const GB_MORE: &[Range] = &[
    Range::of("+441134960", 3),
    Range::of("+441144960", 3),
    Range::of("+441164960", 3),
    Range::of("+441174960", 3),
    Range::of("+441184960", 3),
    Range::of("+441214960", 3),
    Range::of("+441314960", 3),
    Range::of("+441414960", 3),
    Range::of("+441514960", 3),
    Range::of("+441614960", 3),
    Range::of("+441914980", 3),
    Range::of("+442079460", 3),
    Range::of("+442896496", 3),
    Range::of("+442920180", 3),
];
pub const FR_MORE: &[Range] =
    &[Range::of("+3326191", 4), Range::of("+3335301", 4), Range::of("+3346571", 4), Range::of("+3353649", 4)];
pub const AU_MORE: &[Range] = &[
    Range::of("+6127010", 4),
    Range::of("+6135550", 4),
    Range::of("+6137010", 4),
    Range::of("+6175550", 4),
    Range::of("+6177010", 4),
    Range::of("+6185550", 4),
    Range::of("+6187010", 4),
];

/// The account's own numbers. They are at the upper end of a range whose lower end is used for contacts.
pub const OWN: [&str; 3] = ["+447700900990", "+447700900991", "+447700900992"];
/// How many of the British mobile numbers are used for contacts.
pub const GB_MOBILE_TAKEN: usize = 980;

/// Returns whether a number is in a range reserved for fiction.
#[cfg(test)]
pub fn is_fiction(e164: &str) -> bool {
    let few = [GB_MOBILE, GB_FIXED, US, FR_FIXED, DE_MOBILE, DE_FIXED, AU_MOBILE, AU_FIXED];
    few.iter().chain(&[GB_MORE, FR_MORE, AU_MORE]).copied().flatten().any(|range| {
        e164.strip_prefix(range.prefix)
            .is_some_and(|rest| rest.len() == range.digits && rest.bytes().all(|b| b.is_ascii_digit()))
    })
}

#[cfg(test)]
mod tests {
    use roost_model::phone::parse_international;

    use super::*;

    #[test]
    fn every_range_is_of_numbers_that_can_be_messaged() {
        let all = [GB_MOBILE, GB_FIXED, US, FR_FIXED, DE_MOBILE, DE_FIXED, AU_MOBILE, AU_FIXED].iter();
        let more = [GB_MORE, FR_MORE, AU_MORE].iter();
        let strange: Vec<String> = all
            .copied()
            .flatten()
            .flat_map(|range| (0..range.len()).map(|at| range.number(at)))
            // Check only samples of the long ranges: numbering plans change at round numbers.
            .chain(more.copied().flatten().flat_map(|range| (0..range.len()).step_by(99).map(|at| range.number(at))))
            .filter(|number| parse_international(number).is_none_or(|phone| phone.e164 != *number))
            .collect();
        assert_eq!(strange, Vec::<String>::new());
        assert!(OWN.iter().all(|number| is_fiction(number)));
    }
}
