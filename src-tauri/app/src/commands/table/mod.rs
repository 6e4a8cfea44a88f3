//! THE command list: every command of the UI, once. The router, the names and the UI's types are derived from it.

use std::sync::Arc;

use roost_model::error::ErrorCode;
use roost_ops::Actor;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{CommandResponse, Outgoing};
use crate::{accounts::App, error::CommandError};

/// A command of the UI.
struct Command {
    name: &'static str,
    act: fn(&App, &Actor, Value) -> Result<CommandResponse, CommandError>,
    #[cfg(feature = "ts")]
    declare: fn(&mut typescript::ModuleBuilder),
}

/// Declares commands in the form `read name(Request) -> Response = function;`, where the function is `fn(&App, &Actor,
/// Request) -> Result<Response, CommandError>`. A `write` command changes records of the account for its caller; a `read`
/// command changes at most a session, a setting or a plan. `Bytes` are sent as they are, every other response as JSON.
macro_rules! commands {
    ($($(#[doc = $doc:literal])+ $access:ident $name:ident($request:ty) -> $answer:ty = $act:path;)+) => {
        pub(super) const COMMANDS: &[super::Command] = &[$(super::Command {
            name: stringify!($name),
            act: |app, by, payload| {
                let request: $request = super::read(stringify!($name), payload)?;
                let answer: $answer = $act(app, by, request)?;
                super::Outgoing::outgoing(answer)
            },
            #[cfg(feature = "ts")]
            declare: |page| page.command::<$request, $answer>(stringify!($name), is_write!($access), concat!($($doc),+)),
        }),+];
    };
}

#[cfg(feature = "ts")]
macro_rules! is_write {
    (read) => {
        false
    };
    (write) => {
        true
    };
}

mod account;
mod clean;
mod contact;
mod files;
mod grid;
mod list;
mod operator;
mod opt_out;
mod page;
mod past;
mod server;
mod short_link;
mod sync;
#[cfg(feature = "ts")]
pub mod typescript;

const ALL_COMMANDS: [&[Command]; 13] = [
    account::COMMANDS,
    page::COMMANDS,
    list::COMMANDS,
    contact::COMMANDS,
    grid::COMMANDS,
    clean::COMMANDS,
    files::COMMANDS,
    server::COMMANDS,
    sync::COMMANDS,
    opt_out::COMMANDS,
    short_link::COMMANDS,
    operator::COMMANDS,
    past::COMMANDS,
];

fn all_commands() -> impl Iterator<Item = &'static Command> {
    ALL_COMMANDS.into_iter().flatten()
}

/// Returns the names of all commands.
pub fn command_names() -> impl Iterator<Item = &'static str> {
    all_commands().map(|command| command.name)
}

impl App {
    /// Runs a command of the list whose response is JSON.
    pub fn dispatch(&self, name: &str, payload: Value, origin: Option<String>) -> Result<Value, CommandError> {
        match self.run_command(name, payload, origin)? {
            CommandResponse::Json(answer) => Ok(answer),
            CommandResponse::Bytes(_) => {
                Err(CommandError::new(ErrorCode::Unsupported, format!("{name} answers bytes.")))
            }
        }
    }

    /// Runs a command of the list. The call blocks, so an asynchronous caller runs it on a thread that may wait.
    pub fn run_command(
        &self,
        name: &str,
        payload: Value,
        origin: Option<String>,
    ) -> Result<CommandResponse, CommandError> {
        let way = self.tasks().register(name, origin.as_deref(), self.now());
        let by = Actor::user(origin).with_watch(Arc::clone(&way.watch));
        run_command(self, name, payload, &by)
    }
}

fn run_command(app: &App, name: &str, payload: Value, by: &Actor) -> Result<CommandResponse, CommandError> {
    match all_commands().find(|command| command.name == name) {
        Some(command) => (command.act)(app, by, payload),
        None => Err(CommandError::unknown_command(name)),
    }
}

/// Declares every command with its types on `page`.
#[cfg(feature = "ts")]
pub(crate) fn declare_commands(page: &mut typescript::ModuleBuilder) {
    all_commands().for_each(|command| (command.declare)(page));
}

fn read<T: DeserializeOwned>(name: &str, payload: Value) -> Result<T, CommandError> {
    serde_json::from_value(payload).map_err(|why| CommandError::malformed(name, &why))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use roost_ops::{Core, Ctx};
    use serde_json::json;

    use super::*;

    fn app() -> App {
        App::with_core(Core::in_memory(Ctx::system()).unwrap(), Path::new(":memory:"))
    }

    #[test]
    fn every_command_is_routed_and_refuses_a_request_of_another_form() {
        let app = app();
        for name in command_names() {
            let error = app.dispatch(name, json!({ "no such field": 1 }), None).unwrap_err();
            assert_eq!(error.code, ErrorCode::Invalid, "{name}");
            assert!(error.message.contains(name), "{}", error.message);
        }
    }

    #[test]
    fn an_unknown_command_says_what_to_do() {
        let error = app().dispatch("list_explode", json!({}), None).unwrap_err();
        assert_eq!(error.code, ErrorCode::UnknownCommand);
        assert!(error.message.contains("Reload the page"));
    }

    #[test]
    fn names_are_noun_and_verb_and_occur_once() {
        let mut seen = std::collections::BTreeSet::new();
        for name in command_names() {
            assert!(name.contains('_') && seen.insert(name), "{name}");
        }
    }
}
