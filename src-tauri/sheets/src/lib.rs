//! Reads files of rows: bytes become rows of text, with the position of each row and of every error. The crate knows no
//! rule of the account and opens nothing by name, and its memory and time are bounded whatever the bytes are. [`write`]
//! writes such files.

mod block;
mod fault;
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
    block::{Block, FRAME_HEAD, FrameHead, Row, RowFlag, RowFlags},
    fault::{Fault, FaultKind, Place},
    limits::Limits,
    remark::{Remark, RemarkKind},
    source::{Input, Kind, Opened, Options, Rows, Sheet, Source, open},
    text::{
        dialect::{Dialect, DialectEvidence, DialectGuess},
        encoding::{Encoding, EncodingEvidence, EncodingGuess},
    },
};
