//! Files of rows for other programs: the forms that are more than lines of text. Rows become bytes one after the other,
//! and nothing is held whole.

pub mod card;
pub mod xlsx;

use std::io::{Seek, Write};

/// A file that is being made: what was written may be gone back to.
pub trait Target: Write + Seek {}

impl<T: Write + Seek> Target for T {}
