//! Tests the invariants, each with twenty-five thousand random cases; `make soak` tries millions by `ROOST_CASES`.
//!
//! A case is a tape of bytes, and everything in it is made by reading the tape. A failing case is therefore shrunk by
//! cutting and lowering bytes, and a tape of zeros is the simplest world. A property also counts the cases that were
//! relevant to it and fails if there are too few: a property whose subject never occurs proves nothing.
//!
//! | | Invariant | Property |
//! |---|---|---|
//! | 1 | determinism | `p01_equal_inputs_give_equal_plans_in_whatever_order_they_come` |
//! | 2 | convergence | `p02_after_push_and_pull_there_is_nothing_left_to_send` |
//! | 3 | no ping-pong | `p03_without_edits_nothing_is_ever_sent` |
//! | 4 | no invention | `p04_every_write_comes_from_a_change_made_here`, `p04_what_is_held_is_left_out` |
//! | 5 | no clobber | `p05_a_field_not_changed_here_is_never_in_a_body` |
//! | 6 | opt-outs never shrink | `p06_opt_outs_never_shrink_without_evidence` |
//! | 7 | scope of removals | `p07_a_removal_touches_only_what_was_named`; a channel is in each by its type |
//! | 8 | limits of a request | `p08_every_request_keeps_the_limits`, `p08_a_number_under_way_is_in_no_other_request` |
//! | 9 | fewest calls | `p09_no_plan_with_fewer_calls_has_the_same_effect` |
//! | 10 | order | `p10_the_order_holds_whatever_comes_first` |
//! | 11 | a conflict is alone | `p11_a_conflict_holds_its_own_row_and_nothing_else` |
//! | 12 | undo | `p12_the_compensating_plan_restores_what_can_be_expressed`; of single acts in `ops/tests/it/undo.rs` |
//! | 13 | coalescing | `a_row_that_is_changed_back_or_whose_deletion_is_undone_is_not_marked` in `sync/src/tests/unsent.rs` |
//! | 14 | algebra of the merge | `p14_merging_mirrors_and_an_unchanged_side_yields` |
//! | 15–20 | the whole engine | `tests/it/remote/sync`, against the emulator |

mod beside;
mod engine;
mod invariants;
mod limits;
mod undo;
mod world;

use std::panic::{AssertUnwindSafe, catch_unwind};

pub(crate) struct Tape {
    bytes: Vec<u8>,
    at: usize,
}

impl Tape {
    fn from_bytes(bytes: Vec<u8>) -> Self {
        Self { bytes, at: 0 }
    }

    pub(crate) fn zeros() -> Self {
        Self::from_bytes(Vec::new())
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        byte
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        if count < 2 { 0 } else { usize::from(self.byte()) % count }
    }

    /// Returns true in about one case of `of`, and never on a tape of zeros.
    pub(crate) fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) + 1 == bound
    }

    pub(crate) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

/// SplitMix64.
fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn case_count() -> u64 {
    std::env::var("ROOST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(25_000)
}

/// Says of a case for which the property holds whether it had anything of what the property is about.
pub(crate) trait PropertySubject {
    fn met_subject(self) -> bool;
}

impl PropertySubject for bool {
    fn met_subject(self) -> bool {
        self
    }
}

/// Every case is relevant.
impl PropertySubject for () {
    fn met_subject(self) -> bool {
        true
    }
}

/// One case in this many has to be relevant to its property. Otherwise the property would hold whatever the engine did.
const MIN_RELEVANT_SHARE: u64 = 100;

pub(crate) type PropertyResult<M> = Result<M, String>;

#[macro_export]
#[cfg(test)]
macro_rules! ensure {
    ($holds:expr, $($why:tt)+) => { if !$holds { return Err(format!($($why)+)); } };
}

fn try_property<M>(bytes: &[u8], property: &impl Fn(&mut Tape) -> PropertyResult<M>) -> PropertyResult<M> {
    let tried = catch_unwind(AssertUnwindSafe(|| property(&mut Tape::from_bytes(bytes.to_vec()))));
    tried.unwrap_or_else(|_| Err("panicked".to_owned()))
}

/// Tries a property on every case. A failing case is shrunk before it is reported.
pub(crate) fn assert_always<M: PropertySubject>(property: impl Fn(&mut Tape) -> PropertyResult<M>) {
    let mut met = 0;
    for case in 0..case_count() {
        let mut state = case;
        let length = 16 + next_random(&mut state) % 240;
        let mut bytes: Vec<u8> = Vec::with_capacity(264);
        while (bytes.len() as u64) < length {
            bytes.extend(next_random(&mut state).to_le_bytes());
        }
        match try_property(&bytes, &property) {
            Ok(is_about_it) => met += u64::from(is_about_it.met_subject()),
            Err(_) => {
                let small = shrink_case(bytes, &property);
                let Err(why) = try_property(&small, &property) else {
                    panic!("case {case} fails now and then: {small:?}")
                };
                panic!("case {case}, as {small:?}:\n{why}");
            }
        }
    }
    eprintln!("{met} of {} cases were about it", case_count());
    assert!(
        case_count() < 1_000 || met * MIN_RELEVANT_SHARE >= case_count(),
        "{met} of {} cases were about it",
        case_count()
    );
}

fn shrink_case<M>(mut bytes: Vec<u8>, property: &impl Fn(&mut Tape) -> PropertyResult<M>) -> Vec<u8> {
    let silent = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let mut progress = true;
    while progress {
        progress = false;
        for size in [64, 16, 4, 1] {
            let mut at = 0;
            while at < bytes.len() {
                let mut fewer = bytes.clone();
                fewer.drain(at..(at + size).min(bytes.len()));
                if try_property(&fewer, property).is_err() {
                    (bytes, progress) = (fewer, true);
                } else {
                    at += size;
                }
            }
        }
        for at in 0..bytes.len() {
            for lower in [0, bytes[at] / 2, bytes[at].saturating_sub(1)] {
                let mut less = bytes.clone();
                less[at] = lower;
                if lower < bytes[at] && try_property(&less, property).is_err() {
                    (bytes, progress) = (less, true);
                }
            }
        }
    }
    std::panic::set_hook(silent);
    bytes
}
