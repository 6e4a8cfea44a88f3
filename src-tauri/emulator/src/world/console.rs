//! The seam to the web console: its files and its commands, which the program above provides.

use std::{borrow::Cow, sync::Arc};

use serde_json::Value;

/// One file of the console's pages.
pub struct ConsoleAsset {
    pub bytes: Cow<'static, [u8]>,
    pub content_type: &'static str,
}

/// The console's files by path, without a leading slash. The empty path is the first page.
pub trait ConsoleAssets: Send + Sync + 'static {
    fn get(&self, path: &str) -> Option<ConsoleAsset>;
}

/// The response of a command.
#[derive(Debug, Clone, PartialEq)]
pub enum ConsoleResponse {
    Json(Value),
    /// Bytes in a format that the page knows.
    Bytes(Vec<u8>),
}

/// Runs the commands of the pages and reports changes to them.
pub trait ConsoleDispatcher: Send + Sync + 'static {
    /// Runs a command; this may block. An error is a status and the body of the response.
    fn dispatch_command(
        &self,
        name: &str,
        payload: Value,
        origin: Option<String>,
    ) -> Result<ConsoleResponse, (u16, Value)>;

    /// Calls `listener` with every change until it returns false.
    fn subscribe(&self, listener: Box<dyn FnMut(&Value) -> bool + Send>);
}

/// The files and commands of the web console.
#[derive(Clone)]
pub struct Console {
    pub assets: Arc<dyn ConsoleAssets>,
    pub dispatcher: Arc<dyn ConsoleDispatcher>,
}
