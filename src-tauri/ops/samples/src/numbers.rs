//! Lists phone numbers that are not in use: the ranges that regulators reserve for fiction.

/// A range of numbers with a common prefix, followed by a fixed number of digits.
#[derive(Debug, Clone, Copy)]
pub(super) struct NumberRange {
    pub prefix: &'static str,
    pub digits: usize,
}

impl NumberRange {
    const fn new(prefix: &'static str, digits: usize) -> Self {
        Self { prefix, digits }
    }

    pub(super) fn len(self) -> usize {
        10_usize.pow(self.digits as u32)
    }

    pub(super) fn nth_number(self, at: usize) -> String {
        format!("{}{at:0width$}", self.prefix, width = self.digits)
    }
}

pub(super) const GB_MOBILE: &[NumberRange] = &[NumberRange::new("+447700900", 3)];
pub(super) const GB_FIXED: &[NumberRange] = &[NumberRange::new("+441632960", 3)];
/// The numbers 555-0100 to 555-0199 of several area codes.
pub(super) const US: &[NumberRange] = &[
    NumberRange::new("+120255501", 2),
    NumberRange::new("+120655501", 2),
    NumberRange::new("+121255501", 2),
    NumberRange::new("+121355501", 2),
    NumberRange::new("+130355501", 2),
    NumberRange::new("+131255501", 2),
    NumberRange::new("+140455501", 2),
    NumberRange::new("+141555501", 2),
    NumberRange::new("+150355501", 2),
    NumberRange::new("+151255501", 2),
    NumberRange::new("+161755501", 2),
    NumberRange::new("+171355501", 2),
];
pub(super) const FR_FIXED: &[NumberRange] = &[NumberRange::new("+3319900", 4)];
pub(super) const DE_MOBILE: &[NumberRange] = &[NumberRange::new("+4917139200", 2), NumberRange::new("+49176040690", 2)];
pub(super) const DE_FIXED: &[NumberRange] = &[NumberRange::new("+493023125", 3)];
pub(super) const AU_MOBILE: &[NumberRange] = &[NumberRange::new("+6149157015", 1)];
pub(super) const AU_FIXED: &[NumberRange] = &[NumberRange::new("+6125550", 4)];
/// Further British ranges, used only for large crowds.
pub(super) const GB_MORE: &[NumberRange] = &[
    NumberRange::new("+441134960", 3),
    NumberRange::new("+441144960", 3),
    NumberRange::new("+441164960", 3),
    NumberRange::new("+441174960", 3),
    NumberRange::new("+441184960", 3),
    NumberRange::new("+441214960", 3),
    NumberRange::new("+441314960", 3),
    NumberRange::new("+441414960", 3),
    NumberRange::new("+441514960", 3),
    NumberRange::new("+441614960", 3),
    NumberRange::new("+441914980", 3),
    NumberRange::new("+442079460", 3),
    NumberRange::new("+442896496", 3),
    NumberRange::new("+442920180", 3),
];
pub(super) const FR_MORE: &[NumberRange] = &[
    NumberRange::new("+3326191", 4),
    NumberRange::new("+3335301", 4),
    NumberRange::new("+3346571", 4),
    NumberRange::new("+3353649", 4),
];
pub(super) const AU_MORE: &[NumberRange] = &[
    NumberRange::new("+6127010", 4),
    NumberRange::new("+6135550", 4),
    NumberRange::new("+6137010", 4),
    NumberRange::new("+6175550", 4),
    NumberRange::new("+6177010", 4),
    NumberRange::new("+6185550", 4),
    NumberRange::new("+6187010", 4),
];

/// The account's own numbers. They are at the upper end of a range whose lower end is used for contacts.
pub(super) const OWN: [&str; 3] = ["+447700900990", "+447700900991", "+447700900992"];
/// How many of the British mobile numbers are used for contacts.
pub(super) const GB_MOBILE_TAKEN: usize = 980;

/// Returns whether a number is in a range reserved for fiction.
#[cfg(test)]
pub(super) fn is_fiction(e164: &str) -> bool {
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
            .flat_map(|range| (0..range.len()).map(|at| range.nth_number(at)))
            // Check only samples of the long ranges: numbering plans change at round numbers.
            .chain(
                more.copied().flatten().flat_map(|range| (0..range.len()).step_by(99).map(|at| range.nth_number(at))),
            )
            .filter(|number| parse_international(number).is_none_or(|phone| phone.e164 != *number))
            .collect();
        assert_eq!(strange, Vec::<String>::new());
        assert!(OWN.iter().all(|number| is_fiction(number)));
    }
}
