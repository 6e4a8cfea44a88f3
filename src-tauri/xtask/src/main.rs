//! The chores of the repository, called as `cargo xtask <chore>`.

mod new_migration;
mod tidy;

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "usage: cargo xtask <chore>
  tidy                    check the measures of the house
  codegen [--check]       write the UI's command types (or say whether they are up to date)
  new-migration <what>    create the next migration, and freeze the ones before it";

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["tidy"] => tidy::run(&root()),
        ["codegen", rest @ ..] => codegen(rest),
        ["new-migration", what] => new_migration::run(&root(), what),
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// The top of the repository, two folders above this crate.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

// The module `codegen` and the body of this function: `codegen::run(&root(), args)` once the module is there.
#[cfg(feature = "codegen")]
fn codegen(_args: &[&str]) -> ExitCode {
    eprintln!("cargo xtask codegen: the module src-tauri/xtask/src/codegen.rs is not there yet");
    ExitCode::FAILURE
}

/// Built without the core: start again with it, so that only this chore pays for compiling it.
#[cfg(not(feature = "codegen"))]
fn codegen(args: &[&str]) -> ExitCode {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let again = Command::new(cargo)
        .current_dir(root())
        .args(["run", "--quiet", "--package", "xtask", "--features", "codegen", "--", "codegen"])
        .args(args)
        .status();
    match again {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("cargo xtask codegen: cannot start cargo: {why}");
            ExitCode::FAILURE
        }
    }
}
