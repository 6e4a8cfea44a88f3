//! Reads files of rows: bytes become rows of text, with the position of each row and of every error. The crate knows no
//! rule of the account and opens nothing by name, and its memory and time are bounded whatever the bytes are. [`write`]
//! writes such files.

mod block;
mod error;
pub mod head;
mod json;
mod limits;
mod ods;
mod packed;
mod remark;
mod source;
mod text;
mod vcard;
pub mod write;
mod xlsx;
mod xml;

pub use self::{
    block::{RowBlock, FRAME_HEAD, FrameHead, BlockRow, RowFlag, RowFlags},
    error::{SheetError, SheetErrorKind, FilePosition},
    limits::ReadLimits,
    remark::{Remark, RemarkKind},
    source::{SeekableInput, SourceFormat, OpenedSheet, ReadOptions, RowReader, FileSheet, FileSource, open},
    text::{
        dialect::{Dialect, DialectEvidence, DialectGuess},
        encoding::{Encoding, EncodingEvidence, EncodingGuess},
    },
};
