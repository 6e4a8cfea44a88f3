//! Files of rows: bytes become rows of text, with the place of each and of every fault. No rule of the account is here,
//! nothing is opened by name, and memory and time are bounded whatever the bytes are. The way back is in [`write`].

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
