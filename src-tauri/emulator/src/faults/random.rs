//! Random numbers that depend only on a seed and a count, so that a run repeats on any machine and with any release.

/// A SplitMix64 generator.
#[derive(Debug, Clone)]
pub(crate) struct SeededRandom(u64);

impl SeededRandom {
    /// Returns the numbers of the `count`th event of a seed.
    pub(crate) fn for_event(seed: u64, count: u64) -> Self {
        let mut draw = Self(seed ^ count.wrapping_mul(0xD134_2543_DE82_EF95));
        draw.next();
        draw
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 up to but not including 1.
    #[expect(clippy::cast_precision_loss, reason = "an f64 represents 53 bits exactly")]
    pub(crate) fn next_unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a number from 0 up to but not including `most`.
    pub(crate) fn next_below(&mut self, most: u64) -> u64 {
        u64::try_from((u128::from(self.next()) * u128::from(most)) >> 64).unwrap_or(0)
    }

    /// Returns a number from a normal distribution with mean 0 and standard deviation 1.
    pub(crate) fn next_normal(&mut self) -> f64 {
        let (a, b) = (1.0 - self.next_unit(), self.next_unit());
        (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_repeat_and_spread() {
        let first: Vec<u64> = (0..4).map(|n| SeededRandom::for_event(7, n).next()).collect();
        assert_eq!(first, (0..4).map(|n| SeededRandom::for_event(7, n).next()).collect::<Vec<_>>());
        assert_ne!(first, (0..4).map(|n| SeededRandom::for_event(8, n).next()).collect::<Vec<_>>());
        let hits = (0..10_000).filter(|n| SeededRandom::for_event(3, *n).next_unit() < 0.3).count();
        assert!((2_800..3_200).contains(&hits), "{hits}");
        let mut draw = SeededRandom::for_event(1, 1);
        let below: Vec<u64> = (0..1_000).map(|_| draw.next_below(10)).collect();
        assert!((0..10).all(|n| below.contains(&n)) && below.iter().all(|n| *n < 10));
        let mean = (0..10_000).map(|_| draw.next_normal()).sum::<f64>() / 10_000.0;
        assert!(mean.abs() < 0.05, "{mean}");
    }
}
