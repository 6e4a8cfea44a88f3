//! Shows keys in the menus of GTK without binding them. GTK asks its accelerators before the page, so a bound `Ctrl+Z`
//! would undo the account's last step while the user types in a text field. The page handles every key itself.

use gtk::{
    AccelLabel, Menu, MenuBar, MenuItem,
    gdk::{ModifierType, keys::Key},
    prelude::*,
};

use crate::menu::MenuPart;

/// Shows the keys of the menu at a position of the bar, which is a child of the window's box.
pub(crate) fn show_keys(window: &gtk::Box, position: usize, part: &MenuPart) {
    let bar = window.children().into_iter().find_map(|child| child.downcast::<MenuBar>().ok());
    let title = bar.and_then(|bar| bar.children().into_iter().nth(position)?.downcast::<MenuItem>().ok());
    let Some(menu) = title.and_then(|title| title.submenu()?.downcast::<Menu>().ok()) else { return };
    for (item, entry) in menu.children().into_iter().zip(&part.items) {
        let Some(accelerator) = entry.as_ref().and_then(|entry| entry.accelerator.as_deref()) else { continue };
        let item = item.downcast::<MenuItem>().ok();
        if let Some(label) = item.and_then(|item| item.child()?.downcast::<AccelLabel>().ok()) {
            let (key, modifiers) = to_gtk_key(accelerator);
            label.set_accel(*key, modifiers);
        }
    }
}

/// Returns the key of an accelerator such as `CmdOrCtrl+Shift+Z`.
fn to_gtk_key(accelerator: &str) -> (Key, ModifierType) {
    let (modifiers, key) = accelerator.rsplit_once('+').unwrap_or(("", accelerator));
    let modifiers = modifiers.split('+').map(|name| match name {
        "CmdOrCtrl" => ModifierType::CONTROL_MASK,
        "Shift" => ModifierType::SHIFT_MASK,
        "Alt" => ModifierType::MOD1_MASK,
        _ => ModifierType::empty(),
    });
    let mut characters = key.chars();
    let key = match (characters.next(), characters.next()) {
        // The key that types `+` is named by the character that it types without Shift.
        (Some('='), None) => Key::from_unicode('+'),
        (Some(character), None) => Key::from_unicode(character.to_ascii_lowercase()),
        _ => Key::from_name(match key {
            "Enter" => "Return",
            "Backspace" => "BackSpace",
            "Space" => "space",
            named => named,
        }),
    };
    (key, modifiers.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_accelerator_of_the_page_is_the_key_that_gtk_shows() {
        let keys = [
            ("CmdOrCtrl+Z", "z", ModifierType::CONTROL_MASK),
            ("CmdOrCtrl+Shift+Z", "z", ModifierType::CONTROL_MASK | ModifierType::SHIFT_MASK),
            ("Alt+Down", "Down", ModifierType::MOD1_MASK),
            ("Shift+F2", "F2", ModifierType::SHIFT_MASK),
            ("CmdOrCtrl+=", "plus", ModifierType::CONTROL_MASK),
            ("CmdOrCtrl+\\", "backslash", ModifierType::CONTROL_MASK),
            ("CmdOrCtrl+Enter", "Return", ModifierType::CONTROL_MASK),
            ("CmdOrCtrl+Backspace", "BackSpace", ModifierType::CONTROL_MASK),
            ("Delete", "Delete", ModifierType::empty()),
            ("Escape", "Escape", ModifierType::empty()),
            ("Q", "q", ModifierType::empty()),
        ];
        for (accelerator, name, modifiers) in keys {
            assert_eq!(to_gtk_key(accelerator), (Key::from_name(name), modifiers), "{accelerator}");
        }
    }
}
