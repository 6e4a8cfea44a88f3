//! Numbers of nobody: the ranges that regulators keep for fiction.

/// A run of numbers: what all begin with, and how many digits follow.
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
/// 555-0100 to 555-0199 in each area.
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

/// The account's own: beyond those of its contacts, which come from the lower end.
pub const OWN: [&str; 3] = ["+447700900990", "+447700900991", "+447700900992"];
/// How many of the British mobile numbers are contacts'.
pub const GB_MOBILE_TAKEN: usize = 980;

/// Whether a number is nobody's.
#[cfg(test)]
pub fn is_fiction(e164: &str) -> bool {
    [GB_MOBILE, GB_FIXED, US, FR_FIXED, DE_MOBILE, DE_FIXED, AU_MOBILE, AU_FIXED].iter().copied().flatten().any(
        |range| {
            e164.strip_prefix(range.prefix)
                .is_some_and(|rest| rest.len() == range.digits && rest.bytes().all(|b| b.is_ascii_digit()))
        },
    )
}

#[cfg(test)]
mod tests {
    use roost_model::phone::parse_international;

    use super::*;

    #[test]
    fn every_range_is_of_numbers_that_can_be_messaged() {
        let all = [GB_MOBILE, GB_FIXED, US, FR_FIXED, DE_MOBILE, DE_FIXED, AU_MOBILE, AU_FIXED];
        let strange: Vec<String> = all
            .iter()
            .copied()
            .flatten()
            .flat_map(|range| (0..range.len()).map(|at| range.number(at)))
            .filter(|number| parse_international(number).is_none_or(|phone| phone.e164 != *number))
            .collect();
        assert_eq!(strange, Vec::<String>::new());
        assert!(OWN.iter().all(|number| is_fiction(number)));
    }
}
