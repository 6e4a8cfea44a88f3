//! Completions and manual pages, generated from the definitions of the commands.

mod completions;
mod man;

pub(crate) use self::{completions::CompletionsCommand, man::ManCommand};
