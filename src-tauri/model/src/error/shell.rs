//! Text for commands that a person types into a shell.

use std::path::Path;

/// Quotes text so that a shell takes it literally, as one argument. Text that needs no quotes stays as it is.
pub fn quote_argument(text: &str) -> String {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"-_./:@%+,".contains(&b);
    if !text.is_empty() && text.bytes().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Quotes the path of a file.
pub fn quote_path(path: &Path) -> String {
    quote_argument(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_shell_would_change_is_quoted() {
        for (text, quoted) in [
            ("/srv/shop.roost", "/srv/shop.roost"),
            ("", "''"),
            ("my shop.roost", "'my shop.roost'"),
            ("Ada's $HOME.roost", r"'Ada'\''s $HOME.roost'"),
        ] {
            assert_eq!(quote_argument(text), quoted);
        }
    }
}
