//! A small seeded generator of pseudo-random numbers (splitmix64).

/// The source of every random choice. The same seed gives the same numbers on
/// every machine.
#[derive(Clone, Debug)]
pub struct Dice {
    state: u64,
}

impl Dice {
    /// Starts a generator from a seed.
    pub fn new(seed: u64) -> Dice {
        Dice { state: seed ^ 0x9E37_79B9_7F4A_7C15 }
    }

    /// Draws the next 64 bits.
    pub fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Draws a number below `end`; 0 when `end` is 0.
    pub fn draw_below(&mut self, end: usize) -> usize {
        if end == 0 {
            return 0;
        }
        usize::try_from(self.draw() % (end as u64)).unwrap_or(0)
    }

    /// Draws a small number below `end`.
    pub fn draw_small(&mut self, end: u16) -> u16 {
        u16::try_from(self.draw() % u64::from(end.max(1))).unwrap_or(0)
    }

    /// True in `percent` of 100 draws.
    pub fn draw_chance(&mut self, percent: u32) -> bool {
        self.draw() % 100 < u64::from(percent)
    }

    /// Picks one of the items; `None` when there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.draw_below(items.len()))
    }
}
