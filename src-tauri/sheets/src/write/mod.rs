//! Writes files of rows for other programs in forms that need more than lines of text. Rows are written one after
//! another, and nothing is held whole.

pub mod archive;
pub mod cards;
pub mod workbook;

use std::io::{Seek, Write};

/// A file that is being written and can be sought in.
pub trait SeekableTarget: Write + Seek {}

impl<T: Write + Seek> SeekableTarget for T {}
