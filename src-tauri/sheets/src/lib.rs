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
    block::{BlockRow, FRAME_HEAD, FrameHead, RowBlock, RowFlag, RowFlags},
    error::{FilePosition, SheetError, SheetErrorKind},
    limits::ReadLimits,
    remark::{Remark, RemarkKind},
    source::{FileSheet, FileSource, OpenedSheet, ReadOptions, RowReader, SeekableInput, SourceFormat, open},
    text::{
        dialect::{Dialect, DialectEvidence, DialectGuess},
        encoding::{Encoding, EncodingEvidence, EncodingGuess},
    },
};
