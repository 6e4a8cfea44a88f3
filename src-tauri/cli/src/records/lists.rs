//! `roost lists`: lists the lists of an account.

use std::{fmt::Write as _, path::PathBuf};

use clap::{Args, builder::BoolishValueParser};
use roost_model::{list::ListSort, page::SortOrder};
use roost_ops::list::{self, ListQuery};

use super::read_all;
use crate::{
    failure::CliFailure,
    terminal::{count_with_noun, plain_value, print_json, print_text},
};

#[derive(Args)]
pub(crate) struct ListsCommand {
    /// The account file.
    #[arg(long, env = "ROOST_DB", value_name = "FILE")]
    db: PathBuf,
    /// Part of the name, in any case.
    #[arg(long, env = "ROOST_LISTS_NAME", value_name = "TEXT")]
    name: Option<String>,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl ListsCommand {
    pub(crate) fn run(self) -> Result<(), CliFailure> {
        let query =
            |page| ListQuery { name: self.name.clone(), sort: ListSort::Name, order: SortOrder::Ascending, page };
        let lists = read_all(&self.db, |core, page| list::read_page(core, &query(page)))?;
        if self.json {
            return print_json(&lists);
        }
        let mut text = String::new();
        for list in &lists {
            let contacts = count_with_noun(list.contact_count, "contact");
            let _ = writeln!(text, "{}  {}, {contacts}", list.uid, plain_value(&list.name));
        }
        print_text(match (lists.is_empty(), &self.name) {
            (false, _) => &text,
            (true, Some(_)) => "No list matches.\n",
            (true, None) => "The account has no lists.\n",
        })
    }
}
