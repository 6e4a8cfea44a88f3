//! The window: opens the account in the user's data folder and shows the page, with one command and one event between them.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod commands;
mod events;
mod state;
mod window;

use std::process::ExitCode;

fn main() -> ExitCode {
    let ended = tauri::Builder::default()
        .setup(|tauri| {
            state::open(tauri)?;
            events::forward(tauri.handle());
            window::show(tauri)?;
            Ok(())
        })
        .invoke_handler(tauri::generate_handler![commands::call])
        .run(tauri::generate_context!());
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!(
                "Roost cannot open its window: {why}. Check that there is a display, and that WebKitGTK is installed."
            );
            ExitCode::FAILURE
        }
    }
}
