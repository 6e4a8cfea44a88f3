//! The native menu bar, drawn as the page describes it. It belongs to the window, not to the page: a page that is loaded
//! again finds the bar as it was, and nothing flickers.

use std::{collections::HashMap, sync::Mutex};

use serde::Deserialize;
use tauri::{
    AppHandle, Emitter, EventTarget, Manager, Result, State, Window, WindowEvent, Wry,
    menu::{Menu, MenuEvent, MenuItem, PredefinedMenuItem, Submenu},
};

/// The event that tells a page which of its menu items was chosen.
const CHOSEN: &str = "menu";

/// One menu of the bar.
#[derive(Clone, PartialEq, Deserialize)]
pub struct MenuPart {
    title: String,
    /// `None` draws a line.
    items: Vec<Option<MenuEntry>>,
}

#[derive(Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct MenuEntry {
    id: String,
    title: String,
    accelerator: Option<String>,
    is_enabled: bool,
}

/// What the bar of each window shows, by the window's label.
#[derive(Default)]
pub struct MenuBars(Mutex<HashMap<String, Vec<MenuPart>>>);

/// Runs on the main thread, where GTK draws: the whole change is one step for whoever looks.
#[tauri::command]
pub fn draw_menu(window: Window, bars: State<'_, MenuBars>, parts: Vec<MenuPart>) -> Result<()> {
    let mut bars = bars.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let drawn = bars.entry(window.label().to_owned()).or_default();
    let Some(bar) = window.menu() else {
        let bar = Menu::new(&window)?;
        for part in &parts {
            bar.append(&submenu_of(&window, part)?)?;
        }
        window.set_menu(bar)?;
        *drawn = parts;
        return Ok(());
    };
    // Only what differs is replaced: a bar that is taken away as a whole leaves keys behind of which GTK complains.
    for (position, part) in parts.iter().enumerate() {
        while drawn.get(position).is_some_and(|old| !parts[position..].iter().any(|new| new.title == old.title)) {
            remove(&bar, drawn, position)?;
        }
        match drawn.get(position) {
            Some(old) if old == part => continue,
            Some(old) if old.title == part.title => remove(&bar, drawn, position)?,
            _ => {}
        }
        bar.insert(&submenu_of(&window, part)?, position)?;
        drawn.insert(position, part.clone());
    }
    while drawn.len() > parts.len() {
        remove(&bar, drawn, parts.len())?;
    }
    Ok(())
}

fn remove(bar: &Menu<Wry>, drawn: &mut Vec<MenuPart>, position: usize) -> Result<()> {
    bar.remove_at(position)?;
    drawn.remove(position);
    Ok(())
}

fn submenu_of(window: &Window, part: &MenuPart) -> Result<Submenu<Wry>> {
    let submenu = Submenu::new(window, &part.title, true)?;
    for entry in &part.items {
        match entry {
            Some(entry) => {
                // Every window hears of every item, so an item names its own.
                let id = format!("{}:{}", window.label(), entry.id);
                let key = entry.accelerator.as_deref();
                submenu.append(&MenuItem::with_id(window, id, &entry.title, entry.is_enabled, key)?)?;
            }
            None => submenu.append(&PredefinedMenuItem::separator(window)?)?,
        }
    }
    Ok(submenu)
}

/// Tells the page of the window whose item was chosen.
pub fn report_choice(tauri: &AppHandle, event: &MenuEvent) {
    if let Some((label, id)) = event.id().as_ref().split_once(':') {
        // Closed meanwhile: nobody to tell.
        let _ = tauri.emit_to(EventTarget::webview_window(label), CHOSEN, id);
    }
}

/// Another window may get the label of one that was closed.
pub fn forget_closed(window: &Window, event: &WindowEvent) {
    if matches!(event, WindowEvent::Destroyed) {
        let bars = window.state::<MenuBars>();
        bars.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).remove(window.label());
    }
}
