//! Reads delimited texts: detects the encoding and the dialect, and cuts the cells.

pub(crate) mod decode;
pub(crate) mod delimited;
pub(crate) mod dialect;
pub(crate) mod encoding;

#[cfg(test)]
mod tests;
