//! The window: opens the account in the user's data folder and shows the page, with one command and one event between them.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod commands;
mod events;
mod state;
mod window;

use std::{env, io, process::ExitCode};

use tauri::RunEvent;
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    let wanted = EnvFilter::try_from_env("ROOST_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(wanted).with_writer(io::stderr).init();
    // The toolkit would panic.
    if cfg!(target_os = "linux") && ["DISPLAY", "WAYLAND_DISPLAY"].iter().all(|name| env::var_os(name).is_none()) {
        return give_up("there is no display (DISPLAY and WAYLAND_DISPLAY are not set)");
    }
    let built = tauri::Builder::default()
        .setup(|tauri| {
            state::open(tauri)?;
            events::forward(tauri.handle());
            window::show(tauri)?;
            Ok(())
        })
        .invoke_handler(tauri::generate_handler![commands::call])
        .build(context());
    match built {
        Ok(window) => run(window),
        Err(why) => give_up(&why.to_string()),
    }
}

/// Returns instead of leaving the process, so that the account is closed in good order.
fn run(window: tauri::App) -> ExitCode {
    let status = window.run_return(|handle, event| {
        if let RunEvent::Exit = event {
            state::close(handle);
        }
    });
    u8::try_from(status).map_or(ExitCode::FAILURE, ExitCode::from)
}

#[expect(clippy::disallowed_methods, reason = "Tauri's macro writes an exit for its own damaged configuration")]
fn context() -> tauri::Context {
    tauri::generate_context!()
}

fn give_up(why: &str) -> ExitCode {
    eprintln!("Roost cannot open its window: {why}. Start it in a desktop session; without one, use `roost serve`.");
    ExitCode::FAILURE
}
