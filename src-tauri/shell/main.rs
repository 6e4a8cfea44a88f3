//! The window. It opens an account and shows the page. They communicate through one command and one event for the
//! account, and one of each for the menu bar.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod commands;
mod desktop;
mod display;
mod events;
mod instance;
mod menu;
#[cfg(target_os = "linux")]
mod menu_keys;
mod reviving;
mod state;
mod window;

use std::{env, process::ExitCode};

use roost_app::{
    CommandLine, StartRequest,
    diagnostics::{crash, log},
    find_data_folder,
};
use tauri::RunEvent;

use crate::menu::MenuBars;

fn main() -> ExitCode {
    let data_folder = find_data_folder();
    crash::report_crashes(crash::WINDOW, data_folder.clone());
    // A missing session bus is not an error, because the lock on the account file protects the data.
    log::start_log("warn,tauri_plugin_single_instance=error", log::LogFormat::Text, data_folder.as_deref());
    match CommandLine::read(env::args_os().skip(1), &env::current_dir().unwrap_or_default()) {
        Ok(CommandLine::ToStart(start)) => match display::check() {
            Ok(()) => open_window(start),
            Err(why) => exit_with_error(&why),
        },
        Ok(CommandLine::ForHelp) => print_text(CommandLine::HELP),
        Ok(CommandLine::ForVersion) => print_text(concat!("roost-desktop ", env!("CARGO_PKG_VERSION"))),
        Err(why) => {
            eprintln!("roost-desktop: {why}.\n\n{}", CommandLine::HELP);
            2.into()
        }
    }
}

fn open_window(start: StartRequest) -> ExitCode {
    let builder = tauri::Builder::default()
        // The single-instance plugin comes first, so that a second start ends before it opens anything.
        .plugin(instance::instance_plugin())
        .plugin(tauri_plugin_dialog::init());
    // In safe mode, the window has its usual place, and the stored place stays as it is.
    let builder = if start.is_safe_mode { builder } else { builder.plugin(window::state_plugin()) };
    let built = builder
        .setup(|tauri| {
            state::open(tauri, start)?;
            events::forward_changes(tauri.handle());
            window::show_first(tauri.handle())?;
            Ok(())
        })
        .manage(MenuBars::default())
        .on_menu_event(|tauri, event| menu::report_choice(tauri, &event))
        .on_window_event(menu::forget_closed)
        .invoke_handler(tauri::generate_handler![commands::call, menu::draw_menu])
        .build(tauri_context());
    built.map_or_else(|why| exit_with_error(&why.to_string()), run_program)
}

/// Returns instead of exiting the process, so that the account is closed properly.
fn run_program(window: tauri::App) -> ExitCode {
    let status = window.run_return(|handle, event| match event {
        RunEvent::Exit => state::close(handle),
        #[cfg(target_os = "macos")]
        RunEvent::Opened { urls } => instance::open_addresses(handle, &urls),
        _ => {}
    });
    u8::try_from(status).map_or(ExitCode::FAILURE, ExitCode::from)
}

#[expect(clippy::disallowed_methods, reason = "Tauri's macro generates an exit for an invalid configuration")]
fn tauri_context() -> tauri::Context {
    tauri::generate_context!()
}

#[expect(clippy::print_stdout, reason = "the user requested this text on the command line")]
fn print_text(text: &str) -> ExitCode {
    println!("{text}");
    ExitCode::SUCCESS
}

fn exit_with_error(why: &str) -> ExitCode {
    eprintln!("Roost cannot open its window: {why}. Start it in a desktop session; without one, use `roost serve`.");
    ExitCode::FAILURE
}
