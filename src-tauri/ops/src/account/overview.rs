//! How much of everything an account holds.

pub use roost_store::tables::counts::Counts;

use crate::{core::Core, error::Result};

pub fn get(core: &Core) -> Result<Counts> {
    core.read(|tx| Ok(roost_store::tables::counts::get(tx)?))
}
