//! Decides whether the result of a reading can be trusted: pages change meanwhile, and an empty response does not
//! always mean an empty list.

/// The reliability of a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sight {
    /// A record that the reading does not show no longer exists.
    Whole,
    /// The records changed during the reading: those shown exist, and others may exist too.
    Drifting,
    /// So many records are missing at once that the user is asked first.
    Shrunk,
}

/// Judges a reading. `claimed` are the totals of the first and the last page, `believed` is the expected number.
pub fn judge(claimed: (u64, u64), distinct: u64, believed: u64) -> Sight {
    let lost = believed.saturating_sub(distinct);
    if claimed.0 != claimed.1 || claimed.0 != distinct {
        Sight::Drifting
    } else if (distinct == 0 && believed > 0) || is_much(lost, believed) {
        Sight::Shrunk
    } else {
        Sight::Whole
    }
}

/// Returns whether the user is asked before this many of `believed` records are removed: most of a few, or a fifth of
/// many.
pub fn is_much(lost: u64, believed: u64) -> bool {
    lost > 2 && lost * 2 > believed || lost > 10 && lost * 5 > believed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_reading_tells_what_is_gone() {
        assert_eq!(judge((3, 3), 3, 3), Sight::Whole);
        assert_eq!(judge((3, 4), 3, 3), Sight::Drifting, "it grew meanwhile");
        assert_eq!(judge((4, 4), 3, 3), Sight::Drifting, "one was passed over");
        assert_eq!(judge((0, 0), 0, 0), Sight::Whole);
        assert_eq!(judge((0, 0), 0, 1), Sight::Shrunk, "an empty answer");
        assert_eq!(judge((1_000, 1_000), 1_000, 1_100), Sight::Whole, "a tenth may go");
        assert_eq!(judge((399, 399), 399, 500), Sight::Shrunk, "more than a fifth");
        assert_eq!(judge((400, 400), 400, 500), Sight::Whole);
        assert_eq!(judge((2, 2), 2, 90), Sight::Shrunk, "short lists are guarded, too");
        assert_eq!(judge((70, 70), 70, 90), Sight::Shrunk);
        assert_eq!(judge((1, 1), 1, 3), Sight::Whole, "two may go");
        assert_eq!(judge((1, 1), 1, 4), Sight::Shrunk, "three of four");
    }
}
