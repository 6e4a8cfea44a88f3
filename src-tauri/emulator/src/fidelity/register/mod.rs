//! The register of behaviours: one row for each decision about the emulator, grouped by noun.

mod contacts;
mod lists;
mod model;
mod opt_outs;
mod short_links;
mod transport;

use super::Behaviour;

/// Builds rows from: number, name, mark, the operations concerned, the setting that changes the behaviour, whether the
/// header names it, and what the emulator does.
macro_rules! rows {
    ($($number:literal $name:literal $mark:ident $(/ $detail:ident)? [$($subject:literal),+]
        $(set $setting:literal)? $(+ $header:ident)? : $does:literal;)*) => {
        pub(super) const ROWS: &[$crate::fidelity::Behaviour] = &[$($crate::fidelity::Behaviour {
            decision: $number,
            name: $name,
            mark: $crate::fidelity::FidelityMark::$mark,
            detail: rows!(@option $($crate::fidelity::FidelityMark::$detail)?),
            subjects: &[$($subject),+],
            setting: rows!(@option $($setting)?),
            is_in_header: rows!(@flag $($header)?),
            does: $does,
        }),*];
    };
    (@option) => { None };
    (@option $value:expr) => { Some($value) };
    (@flag) => { false };
    (@flag header) => { true };
}
pub(super) use rows;

/// Returns all rows of the register.
pub fn all_behaviours() -> impl Iterator<Item = &'static Behaviour> {
    let by_noun = [transport::ROWS, lists::ROWS, contacts::ROWS, opt_outs::ROWS, short_links::ROWS, model::ROWS];
    by_noun.into_iter().flatten()
}

/// Decisions that do not concern the emulator, and why.
pub const OTHER_DECISIONS: [(u16, &str); 6] = [
    (135, "How a client recognises success. The emulator does not serve it."),
    (136, "How a client recognises failure. The emulator does not serve it."),
    (137, "What a client treats as already removed. The emulator does not serve it."),
    (138, "How a client waits and retries. The emulator does not serve it."),
    (139, "How a client reads lists. The emulator does not serve it."),
    (140, "How a client receives callbacks. The emulator does not serve it."),
];
