//! Stores the state that the pages of an account restore. It is neither a record nor part of the undo history.

use roost_model::error::{FieldError, has_length, size_message};
use roost_store::tables::settings;

use crate::{core::Core, error::Result};

/// The limits of what pages store: characters of a key, bytes of a value, and keys in one account.
pub const UI_KEY_MAX: usize = 100;
pub const UI_VALUE_MAX: usize = 64 << 10;
pub const UI_KEYS_MAX: u64 = 1_000;

/// Returns what pages stored under these keys as JSON texts. Keys without a value are left out.
pub fn read_ui_state(core: &Core, keys: &[String]) -> Result<Vec<(String, String)>> {
    core.read(|tx| {
        let mut found = Vec::with_capacity(keys.len());
        for key in keys {
            if let Some(value) = settings::ui_state(tx, key)? {
                found.push((key.clone(), value));
            }
        }
        Ok(found)
    })
}

/// Stores a JSON text for a page, or removes the key. This is neither a step nor a reported change, because only the
/// page uses it.
pub fn put_ui_state(core: &Core, key: &str, value: Option<&str>) -> Result<()> {
    if !has_length(key, 1, UI_KEY_MAX) || key.chars().any(char::is_control) {
        return Err(FieldError::new("key", size_message(1, UI_KEY_MAX), key).into());
    }
    if value.is_some_and(|text| text.len() > UI_VALUE_MAX) {
        let message = format!("must not be longer than {UI_VALUE_MAX} bytes as JSON");
        return Err(FieldError::new("value", message, serde_json::Value::Null).into());
    }
    core.write_quietly(|tx| {
        if value.is_some() && settings::count_other_ui_states(tx, key)? >= UI_KEYS_MAX {
            return Err(FieldError::new("key", format!("there are {UI_KEYS_MAX} keys already"), key).into());
        }
        Ok(settings::set_ui_state(tx, key, value)?)
    })
}
