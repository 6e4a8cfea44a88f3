//! The verbs that turn an account into files and files into an account.

mod export;
mod import;

pub use self::{export::Export, import::Import};
