//! `roost man`: writes the manual, one page for each command.

use std::{fs, io};

use clap::{Args, Command, CommandFactory, builder::BoolishValueParser};
use clap_mangen::Man as Page;
use roost_model::error::ErrorCode;

use crate::{
    RoostCli,
    failure::CliFailure,
    outputs::{OutputPath, OwnPath},
    terminal::print_raw,
};

#[derive(Args)]
pub(crate) struct ManCommand {
    /// The folder for all pages, created if it does not exist. Without it, the first page goes to standard output.
    folder: Option<OwnPath>,
    /// Overwrite existing pages.
    #[arg(long, env = "ROOST_MAN_FORCE", value_parser = BoolishValueParser::new(), requires = "folder")]
    force: bool,
}

impl ManCommand {
    pub(crate) fn run(self) -> Result<u8, CliFailure> {
        let pages = build_pages()?;
        let Some(folder) = self.folder else {
            let first = pages.first().map(|(_, text)| text.as_str());
            return print_raw(first.unwrap_or_default()).map(|()| 0);
        };
        let folder = folder.as_ref();
        fs::create_dir_all(folder).map_err(|why| {
            let why = match why.kind() {
                io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => "is not a folder".to_owned(),
                _ => format!("cannot be written: {why}"),
            };
            CliFailure::new(format!("{} {why}. Choose another folder.", folder.display()))
        })?;
        if let Some((name, _)) = pages.iter().find(|(name, _)| !self.force && folder.join(name).exists()) {
            let line = format!(
                "{} already has {name}. Choose another folder, or overwrite its pages with --force.",
                folder.display()
            );
            return Err(CliFailure::new(line).with_code(ErrorCode::Conflict));
        }
        for (name, text) in &pages {
            let page = OutputPath::from(folder.join(name));
            page.write(self.force, |out| out.write_all(text.as_bytes()) as io::Result<()>)?;
        }
        Ok(0)
    }
}

/// Returns `roost.1` and a page for each command below it.
fn build_pages() -> Result<Vec<(String, String)>, CliFailure> {
    let mut roost = RoostCli::command().disable_help_subcommand(true);
    roost.build();
    let mut pages = Vec::new();
    add_page(&roost, "roost", &mut pages)?;
    Ok(pages)
}

fn add_page(command: &Command, name: &str, pages: &mut Vec<(String, String)>) -> Result<(), CliFailure> {
    let mut text = Vec::new();
    let mut described = command.clone().display_name(name);
    // The page would list every option before the arguments, without values.
    let usage = described.render_usage().to_string().trim_start_matches("Usage:").trim().to_owned();
    Page::new(described.override_usage(usage)).render(&mut text).map_err(CliFailure::new)?;
    pages.push((format!("{name}.1"), String::from_utf8(text).map_err(CliFailure::new)?));
    command.get_subcommands().try_for_each(|below| add_page(below, &format!("{name}-{}", below.get_name()), pages))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visit_commands(command: &Command, see: &mut impl FnMut(&Command)) {
        see(command);
        command.get_subcommands().for_each(|below| visit_commands(below, see));
    }

    #[test]
    fn every_flag_has_a_variable() {
        let mut roost = RoostCli::command();
        roost.build();
        let mut flags = 0;
        visit_commands(&roost, &mut |command| {
            for flag in command.get_arguments().filter(|argument| argument.get_long().is_some()) {
                let long = flag.get_long().unwrap_or_default();
                if matches!(long, "help" | "version") {
                    continue;
                }
                flags += 1;
                // Each setting has its own variable.
                let of_settings =
                    long == "set" && flag.get_help().is_some_and(|help| help.to_string().contains("ROOST_SET_"));
                let has_one = flag.get_env().is_some_and(|name| name.to_string_lossy().starts_with("ROOST_"));
                assert!(has_one || of_settings, "--{long} of {} has no variable", command.get_name());
            }
        });
        assert!(flags > 40, "{flags}");
    }

    #[test]
    fn every_command_has_a_page_that_lists_its_flags() {
        let pages = build_pages().expect("pages");
        let mut roost = RoostCli::command();
        roost.build();
        for command in roost.get_subcommands().filter(|command| command.get_name() != "help") {
            let name = format!("roost-{}.1", command.get_name());
            let (_, text) = pages.iter().find(|(page, _)| *page == name).unwrap_or_else(|| panic!("no {name}"));
            for flag in command.get_arguments().filter_map(clap::Arg::get_long) {
                assert!(text.contains(&flag.replace('-', "\\-")), "{name} does not list --{flag}");
            }
        }
        let (_, push) = pages.iter().find(|(page, _)| page == "roost-push.1").expect("a page");
        assert!(push.contains("[OPTIONS] \\-\\-db <FILE>"), "{push}");
        assert!(!pages.iter().any(|(name, _)| name.contains("help")));
    }
}
