//! Builds the window's context: reads tauri.conf.json and the capabilities beside the shell.

use std::process::ExitCode;

fn main() -> ExitCode {
    println!("cargo:rerun-if-changed=src-tauri/shell/capabilities"); // a custom pattern is not watched by itself
    let built = tauri_build::try_build(
        tauri_build::Attributes::new()
            .app_manifest(tauri_build::AppManifest::new().commands(&["call", "draw_menu"]))
            .capabilities_path_pattern("./src-tauri/shell/capabilities/**/*"),
    );
    match built {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            println!("cargo:warning={why:#}");
            ExitCode::FAILURE
        }
    }
}
