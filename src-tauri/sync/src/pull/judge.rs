//! Decides whether the result of a reading can be trusted: pages change meanwhile, and an empty response does not
//! always mean an empty list.

/// The reliability of a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadingQuality {
    /// A record that the reading does not show no longer exists.
    Whole,
    /// The records changed during the reading: those shown exist, and others may exist too.
    Drifting,
    /// So many records are missing at once that the user is asked first.
    Shrunk,
}

/// Judges a reading. `claimed` are the totals of the first and the last page, `believed` is the expected number.
pub fn judge_reading(claimed: (u64, u64), distinct: u64, believed: u64) -> ReadingQuality {
    let lost = believed.saturating_sub(distinct);
    if claimed.0 != claimed.1 || claimed.0 != distinct {
        ReadingQuality::Drifting
    } else if (distinct == 0 && believed > 0) || is_large_loss(lost, believed) {
        ReadingQuality::Shrunk
    } else {
        ReadingQuality::Whole
    }
}

/// Returns whether the user is asked before this many of `believed` records are removed: most of a few, or a fifth of
/// many.
pub fn is_large_loss(lost: u64, believed: u64) -> bool {
    lost > 2 && lost * 2 > believed || lost > 10 && lost * 5 > believed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_complete_reading_shows_what_was_deleted() {
        assert_eq!(judge_reading((3, 3), 3, 3), ReadingQuality::Whole);
        assert_eq!(judge_reading((3, 4), 3, 3), ReadingQuality::Drifting, "it grew meanwhile");
        assert_eq!(judge_reading((4, 4), 3, 3), ReadingQuality::Drifting, "one was passed over");
        assert_eq!(judge_reading((0, 0), 0, 0), ReadingQuality::Whole);
        assert_eq!(judge_reading((0, 0), 0, 1), ReadingQuality::Shrunk, "an empty answer");
        assert_eq!(judge_reading((1_000, 1_000), 1_000, 1_100), ReadingQuality::Whole, "a tenth may go");
        assert_eq!(judge_reading((399, 399), 399, 500), ReadingQuality::Shrunk, "more than a fifth");
        assert_eq!(judge_reading((400, 400), 400, 500), ReadingQuality::Whole);
        assert_eq!(judge_reading((2, 2), 2, 90), ReadingQuality::Shrunk, "short lists are guarded, too");
        assert_eq!(judge_reading((70, 70), 70, 90), ReadingQuality::Shrunk);
        assert_eq!(judge_reading((1, 1), 1, 3), ReadingQuality::Whole, "two may go");
        assert_eq!(judge_reading((1, 1), 1, 4), ReadingQuality::Shrunk, "three of four");
    }
}
