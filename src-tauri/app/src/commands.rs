//! THE command list: every act of the UI, once. The router, the names and the UI's types are all made from it.

mod account;
mod list;
mod overview;

use roost_ops::By;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{accounts::App, error::CommandError};

/// `name(Request) -> Answer = act;` where the act is `fn(&App, &By, Request) -> Result<Answer, CommandError>`.
macro_rules! commands {
    ($($(#[doc = $doc:literal])+ $name:ident($request:ty) -> $answer:ty = $act:path;)+) => {
        /// The names of all commands.
        pub const NAMES: &[&str] = &[$(stringify!($name)),+];

        pub(crate) fn route(app: &App, name: &str, payload: Value, by: &By) -> Result<Value, CommandError> {
            match name {
                $(stringify!($name) => {
                    let request: $request = read(name, payload)?;
                    let answer: $answer = $act(app, by, request)?;
                    write(&answer)
                })+
                unknown => Err(CommandError::unknown_command(unknown)),
            }
        }

        /// Tells `page` every command with its types.
        #[cfg(feature = "ts")]
        pub(crate) fn declare(page: &mut crate::typescript::Page) {
            $(page.command::<$request, $answer>(stringify!($name), concat!($($doc),+));)+
        }
    };
}

commands! {
    /// Opens the account once more after what kept it closed was cured.
    account_open(account::AccountOpen) -> account::Account = account::open;
    /// The account and how much of everything it holds.
    overview_get(overview::OverviewGet) -> overview::Overview = overview::get;
    /// One page of the contact lists.
    list_page(list::ListPage) -> list::ListPageAnswer = list::page;
    /// Makes an empty contact list.
    list_create(list::ListCreate) -> roost_model::list::List = list::create;
}

fn read<T: DeserializeOwned>(name: &str, payload: Value) -> Result<T, CommandError> {
    serde_json::from_value(payload).map_err(|why| CommandError::malformed(name, &why))
}

fn write<T: Serialize>(answer: &T) -> Result<Value, CommandError> {
    serde_json::to_value(answer).map_err(|why| CommandError::internal(&why))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use roost_model::error::ErrorCode;
    use roost_ops::{Core, Ctx};
    use serde_json::json;

    use super::*;

    fn app() -> App {
        App::over(Core::in_memory(Ctx::system()).unwrap(), Path::new(":memory:"))
    }

    #[test]
    fn every_command_is_routed_and_refuses_a_request_of_another_form() {
        let app = app();
        for name in NAMES {
            let told = app.dispatch(name, json!({ "no such field": 1 }), None).unwrap_err();
            assert_eq!(told.code, ErrorCode::Invalid, "{name}");
            assert!(told.message.contains(name), "{}", told.message);
        }
    }

    #[test]
    fn an_unknown_command_says_what_to_do() {
        let told = app().dispatch("list_explode", json!({}), None).unwrap_err();
        assert_eq!(told.code, ErrorCode::UnknownCommand);
        assert!(told.message.contains("reload"));
    }

    #[test]
    fn names_are_noun_and_verb_and_stand_once() {
        let mut seen = std::collections::BTreeSet::new();
        for name in NAMES {
            assert!(name.contains('_') && seen.insert(name), "{name}");
        }
    }
}
