//! Texts of rows: which bytes are which letters, what parts the cells, and the cells themselves.

pub mod decode;
pub mod delimited;
pub mod dialect;
pub mod encoding;

#[cfg(test)]
mod tests;
