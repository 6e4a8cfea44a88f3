//! Reads delimited texts: detects the encoding and the dialect, and cuts the cells.

pub mod decode;
pub mod delimited;
pub mod dialect;
pub mod encoding;

#[cfg(test)]
mod tests;
