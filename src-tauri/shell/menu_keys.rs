//! Shows keys in the menus of GTK without binding them. GTK asks its accelerators before the page, so a bound `Ctrl+Z`
//! would undo the account's last step while the user types in a text field. The page handles every key itself. The keys
//! are written as everywhere in the page: GTK would write `Shift+Ctrl+K` and `Ctrl+Backslash`.

use gtk::{Label, Menu, MenuBar, MenuItem, Orientation, prelude::*};

use crate::menu::MenuPart;

/// The least space between a title and its key, in pixels.
const GAP: i32 = 24;

/// Shows the keys of the menu at a position of the bar, which is a child of the window's box.
pub(crate) fn show_keys(window: &gtk::Box, position: usize, part: &MenuPart) {
    let bar = window.children().into_iter().find_map(|child| child.downcast::<MenuBar>().ok());
    let title = bar.and_then(|bar| bar.children().into_iter().nth(position)?.downcast::<MenuItem>().ok());
    let Some(menu) = title.and_then(|title| title.submenu()?.downcast::<Menu>().ok()) else { return };
    for (item, entry) in menu.children().into_iter().zip(&part.items) {
        let Some(keys) = entry.as_ref().and_then(|entry| entry.keys.as_deref()) else { continue };
        let Ok(item) = item.downcast::<MenuItem>() else { continue };
        if let Some(title) = item.child().and_then(|child| child.downcast::<Label>().ok()) {
            show_key(&item, &title, keys);
        }
    }
}

/// Puts a key behind the title of an item. The title stays the first label, from which screen readers name the item.
fn show_key(item: &MenuItem, title: &Label, keys: &str) {
    let key = Label::new(Some(keys));
    key.style_context().add_class("dim-label");
    let line = gtk::Box::new(Orientation::Horizontal, GAP);
    item.remove(title);
    line.pack_start(title, true, true, 0);
    line.pack_end(&key, false, false, 0);
    item.add(&line);
    line.show_all();
}
