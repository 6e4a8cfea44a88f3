//! Writes the UI's command types from the command list, or checks that they are current.

use std::fs;
use std::path::Path;

const WHERE: &str = "ui/src/api/generated.ts";

/// Returns whether the file matches the command list: after writing it, or, with `--check`, without writing it.
pub(crate) fn run(root: &Path, args: &[&str]) -> bool {
    let wanted = roost_app::typescript::render_module();
    let path = root.join(WHERE);
    let is_current = fs::read_to_string(&path).is_ok_and(|there| there == wanted);
    match args {
        ["--check"] => {
            if !is_current {
                eprintln!("{WHERE} is not what the command list says. Run `cargo xtask codegen` and commit the file.");
            }
            is_current
        }
        [] if is_current => true,
        [] => match fs::write(&path, wanted) {
            Ok(()) => {
                eprintln!("wrote {WHERE}");
                true
            }
            Err(why) => {
                eprintln!("cannot write {WHERE}: {why}");
                false
            }
        },
        _ => {
            eprintln!("usage: cargo xtask codegen [--check]");
            false
        }
    }
}
