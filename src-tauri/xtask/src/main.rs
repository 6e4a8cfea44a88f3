//! The chores of the repository, called as `cargo xtask <chore>`.

#[cfg(feature = "codegen")]
mod codegen;
mod dependencies;
mod features;
mod new_migration;
mod tidy;

use std::env;
use std::path::{Path, PathBuf};
#[cfg(not(feature = "codegen"))]
use std::process::Command;
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask <chore>
  tidy [--all]            check the measures of the house (and, with --all, that generated files are up to date,
                          for which the core is compiled)
  counts                  count lines of production code, names of one word and renaming re-exports
  dependencies            check the licences, bans and sources of all dependencies by .deny.toml
  features                check that programs built alone have the features that the tests have
  codegen [--check]       write the UI's command types (or say whether they are up to date)
  new-migration <what>    create the next migration, and freeze the ones before it";

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["tidy"] => to_exit_code(tidy::run(&repository_root())),
        ["tidy", "--all"] => to_exit_code(tidy::run(&repository_root()) && codegen(&["--check"])),
        ["counts"] => to_exit_code(tidy::counts::run(&repository_root())),
        ["dependencies"] => to_exit_code(dependencies::run(&repository_root())),
        ["features"] => to_exit_code(features::run(&repository_root())),
        ["codegen", rest @ ..] => to_exit_code(codegen(rest)),
        ["new-migration", what] => to_exit_code(new_migration::run(&repository_root(), what)),
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// Converts the result of a chore, which has printed its own errors, to an exit code.
fn to_exit_code(went_well: bool) -> ExitCode {
    if went_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns the top of the repository, two folders above this crate.
fn repository_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

#[cfg(feature = "codegen")]
fn codegen(args: &[&str]) -> bool {
    codegen::run(&repository_root(), args)
}

/// Runs `cargo xtask` again with the core, because this build lacks it. Only this chore pays for compiling it.
#[cfg(not(feature = "codegen"))]
fn codegen(args: &[&str]) -> bool {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let again = Command::new(cargo)
        .current_dir(repository_root())
        .args(["run", "--quiet", "--package", "xtask", "--features", "codegen", "--", "codegen"])
        .args(args)
        .status();
    match again {
        Ok(status) => status.success(),
        Err(why) => {
            eprintln!("cargo xtask codegen: cannot start cargo: {why}");
            false
        }
    }
}
