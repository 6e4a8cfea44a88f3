//! The native menu bar, drawn as the page describes it. It belongs to the window and not to the page, so a reloaded
//! page finds it as it was and nothing flickers.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde::Deserialize;
use tauri::{
    AppHandle, Emitter, EventTarget, Manager, Result, State, Window, WindowEvent, Wry,
    menu::{Menu, MenuEvent, MenuItem, PredefinedMenuItem, Submenu},
};

#[cfg(target_os = "linux")]
use crate::menu_keys;

/// The event that tells a page which of its menu items the user chose.
const MENU_EVENT: &str = "menu";

/// A menu of the bar.
#[derive(Clone, PartialEq, Deserialize)]
pub(crate) struct MenuPart {
    title: String,
    /// `None` draws a separator.
    pub items: Vec<Option<MenuEntry>>,
}

#[derive(Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MenuEntry {
    id: String,
    title: String,
    accelerator: Option<String>,
    /// The key as the page writes it.
    pub keys: Option<String>,
    /// Whether a text field may need the key, so that no system binds it to the menu.
    is_key_for_page: bool,
    is_enabled: bool,
}

impl MenuEntry {
    /// Returns the accelerator to which the system binds the item. GTK would take the key away from the page, even from
    /// a text field, so there the menu only shows it.
    fn bound_accelerator(&self) -> Option<&str> {
        let is_bound = !cfg!(target_os = "linux") && !self.is_key_for_page;
        self.accelerator.as_deref().filter(|_| is_bound)
    }
}

/// The menus that each window shows, by the label of the window.
#[derive(Default)]
pub(crate) struct MenuBars(Mutex<HashMap<String, Vec<MenuPart>>>);

impl MenuBars {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Vec<MenuPart>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs on the main thread, where GTK draws, so that the user sees the whole change at once.
#[tauri::command]
pub(crate) fn draw_menu(window: Window, bars: State<'_, MenuBars>, parts: Vec<MenuPart>) -> Result<()> {
    let mut bars = bars.lock();
    let drawn = bars.entry(window.label().to_owned()).or_default();
    let bar = match window.menu() {
        Some(bar) => bar,
        None => {
            let empty = Menu::new(&window)?;
            window.set_menu(empty.clone())?;
            empty
        }
    };
    // Only changed menus are replaced, so that an open menu stays open if nothing in it changed.
    for (position, part) in parts.iter().enumerate() {
        while drawn.get(position).is_some_and(|old| !parts[position..].iter().any(|new| new.title == old.title)) {
            remove_menu(&bar, drawn, position)?;
        }
        match drawn.get(position) {
            Some(old) if old == part => continue,
            Some(old) if old.title == part.title => remove_menu(&bar, drawn, position)?,
            _ => {}
        }
        bar.insert(&build_submenu(&window, part)?, position)?;
        #[cfg(target_os = "linux")]
        menu_keys::show_keys(&window.default_vbox()?, position, part);
        drawn.insert(position, part.clone());
    }
    while drawn.len() > parts.len() {
        remove_menu(&bar, drawn, parts.len())?;
    }
    Ok(())
}

fn remove_menu(bar: &Menu<Wry>, drawn: &mut Vec<MenuPart>, position: usize) -> Result<()> {
    bar.remove_at(position)?;
    drawn.remove(position);
    Ok(())
}

fn build_submenu(window: &Window, part: &MenuPart) -> Result<Submenu<Wry>> {
    let submenu = Submenu::new(window, &part.title, true)?;
    for entry in &part.items {
        match entry {
            Some(entry) => {
                // Every window receives the event of every item, so the ID contains the label of the window.
                let id = format!("{}:{}", window.label(), entry.id);
                let key = entry.bound_accelerator();
                submenu.append(&MenuItem::with_id(window, id, &entry.title, entry.is_enabled, key)?)?;
            }
            None => submenu.append(&PredefinedMenuItem::separator(window)?)?,
        }
    }
    Ok(submenu)
}

/// Tells the page of the window in whose menu the user chose an item.
pub(crate) fn report_choice(tauri: &AppHandle, event: &MenuEvent) {
    if let Some((label, id)) = event.id().as_ref().split_once(':') {
        // If the window was closed meanwhile, no page needs the event.
        let _ = tauri.emit_to(EventTarget::webview_window(label), MENU_EVENT, id);
    }
}

/// Forgets the menus of a closed window, because another window may get its label.
pub(crate) fn forget_closed(window: &Window, event: &WindowEvent) {
    if matches!(event, WindowEvent::Destroyed) {
        window.state::<MenuBars>().lock().remove(window.label());
    }
}
