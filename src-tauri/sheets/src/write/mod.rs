//! Writes files of rows for other programs in forms that need more than lines of text. Rows are written one after
//! another, and nothing is held whole.

pub mod card;
pub mod xlsx;

use std::io::{Seek, Write};

/// A file that is being written and can be sought in.
pub trait Target: Write + Seek {}

impl<T: Write + Seek> Target for T {}
