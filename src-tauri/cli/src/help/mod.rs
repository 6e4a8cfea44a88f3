//! Help for shells and readers: completions and manual pages, made from the same commands as everything else.

mod completions;
mod man;

pub use self::{completions::Completions, man::Man};
