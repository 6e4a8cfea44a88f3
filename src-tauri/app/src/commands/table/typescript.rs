//! Generates the TypeScript module with the command list, from the Rust types that the commands use.

use std::{any::TypeId, collections::BTreeMap};

use ts_rs::{Config, TS, TypeVisitor};

use crate::{changes::ChangeEvent, error::CommandError};

const HEAD: &str = "// Written by `cargo xtask codegen` from src-tauri/app/src/commands/table; do not edit.\n";

/// Returns the full text of `ui/src/api/generated.ts`.
pub fn render_module() -> String {
    // Serde writes every integer as a JSON number, which the page reads as `number`.
    let config = Config::new().with_large_int("number");
    let mut page = ModuleBuilder {
        types: TypeCollector { config, ..Default::default() },
        commands: String::new(),
        writes: String::new(),
    };
    page.collect_types::<CommandError>();
    page.collect_types::<ChangeEvent>();
    super::declare_commands(&mut page);
    let mut text = String::from(HEAD);
    for declared in page.types.declared.values() {
        text.push_str(&format!("\nexport {declared}\n"));
    }
    text.push_str(&format!("\nexport interface Commands {{\n{}}}\n", page.commands));
    text.push_str("\n/** The commands that change records of the account for their caller. */\n");
    let writes = page.writes;
    text.push_str(&format!(
        "export const WRITE_COMMANDS: ReadonlySet<string> = new Set<keyof Commands>([\n{writes}])\n"
    ));
    text
}

pub(crate) struct ModuleBuilder {
    types: TypeCollector,
    commands: String,
    /// The names of the commands that change records, each on its line.
    writes: String,
}

#[derive(Default)]
struct TypeCollector {
    config: Config,
    /// Ordered by name, so that the text does not depend on the order of the command list.
    declared: BTreeMap<String, String>,
    seen: Vec<TypeId>,
}

impl ModuleBuilder {
    pub(crate) fn command<Request: TS + 'static, Answer: TS + 'static>(
        &mut self,
        name: &str,
        is_write: bool,
        doc: &str,
    ) {
        self.collect_types::<Request>();
        self.collect_types::<Answer>();
        let (request, answer) = (Request::name(&self.types.config), Answer::name(&self.types.config));
        let doc = doc.trim();
        self.commands.push_str(&format!("  /** {doc} */\n  {name}: {{ request: {request}; response: {answer} }}\n"));
        if is_write {
            self.writes.push_str(&format!("  '{name}',\n"));
        }
    }

    fn collect_types<T: TS + 'static>(&mut self) {
        self.types.visit::<T>();
    }
}

impl TypeVisitor for TypeCollector {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        let id = TypeId::of::<T>();
        if self.seen.contains(&id) {
            return;
        }
        self.seen.push(id);
        // Only our own types have a path. Numbers, texts and arrays are built into TypeScript.
        if T::output_path().is_some() {
            self.declared.insert(T::ident(&self.config), T::decl(&self.config));
        }
        T::visit_dependencies(self);
        T::visit_generics(self);
    }
}

#[cfg(test)]
mod tests {
    use super::render_module;
    use crate::command_names;

    #[test]
    fn the_module_names_every_command_and_declares_every_type_it_uses() {
        let text = render_module();
        for name in command_names() {
            assert!(text.contains(&format!("  {name}: {{ request: ")), "{name}");
        }
        for declared in [
            "ErrorCode",
            "CommandError",
            "FieldFault",
            "ChangeEvent",
            "Noun",
            "ActorKind",
            "List",
            "ListId",
            "Timestamp",
        ] {
            assert_eq!(text.matches(&format!("export type {declared} =")).count(), 1, "{declared}");
        }
    }
}
