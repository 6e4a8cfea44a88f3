//! Reads files of rows: bytes become rows of text, with the position of each row and of every error. The crate knows no
//! rule of the account and opens nothing by name, and its memory and time are bounded whatever the bytes are. [`write`]
//! writes such files.

mod block;
mod error;
mod format;
pub mod head;
mod json;
mod limits;
mod ods;
mod packed;
mod source;
mod text;
mod vcard;
pub mod write;
mod xlsx;
mod xml;

pub use self::{
    block::{
        BlockRow, FRAME_HEAD_BYTES, FrameHead, RowBlock, RowFlag, RowFlags, RowReader,
        remark::{Remark, RemarkKind},
    },
    error::{FilePosition, SheetError, SheetErrorKind},
    format::{FileSheet, OpenedSheet, ReadOptions, SourceFormat},
    limits::ReadLimits,
    packed::{FileSource, SeekableInput},
    source::open,
    text::{
        dialect::{Dialect, DialectEvidence, DialectGuess},
        encoding::{Encoding, EncodingEvidence, EncodingGuess},
    },
};
