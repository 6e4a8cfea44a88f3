//! A secret text that cannot be printed or serialised by accident, and is wiped from memory when it is dropped. A
//! stored key is bound to the origin for which it was entered, so that it is never sent to another one.

use zeroize::Zeroizing;

/// A key or passphrase.
///
/// It can be neither printed nor serialised by accident:
///
/// ```compile_fail,E0277
/// println!("{}", roost_sync::vault::Secret::new("a"));
/// ```
/// ```compile_fail,E0277
/// println!("{:?}", roost_sync::vault::Secret::new("a"));
/// ```
/// ```compile_fail,E0277
/// serde_json::to_string(&roost_sync::vault::Secret::new("a"));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<String>);

/// Keys up to this length are masked completely, because their last four characters would reveal too much.
const FULLY_MASKED_MAX: usize = 12;

impl Secret {
    /// Creates a secret without the surrounding spaces and line ends, which come from copying.
    pub fn new(text: impl Into<String>) -> Self {
        let text = Zeroizing::new(text.into());
        Self(Zeroizing::new(text.trim().to_owned()))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the text itself. Every use of this deserves a review.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns the form that a vault stores: the origin for which the key was entered, a line feed, and the key.
    pub fn bind_to_origin(&self, origin: &str) -> Self {
        Self(Zeroizing::new(format!("{origin}\n{}", self.expose())))
    }

    /// Returns the key of a stored secret if it was entered for this origin.
    pub fn key_for_origin(&self, origin: &str) -> Option<Self> {
        let (bound_origin, key) = self.0.split_once('\n')?;
        (bound_origin == origin).then(|| Self::new(key))
    }

    /// Returns the masked form for the UI: dots, and the last four characters of a long key.
    pub fn to_masked(&self) -> String {
        let count = self.0.chars().count();
        let shown = if count > FULLY_MASKED_MAX { 4 } else { 0 };
        format!("••••{}", self.0.chars().skip(count - shown).collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_key_is_returned_only_for_its_origin() {
        let kept = Secret::new("0123456789abcdef").bind_to_origin("https://api.example");
        assert_eq!(kept.key_for_origin("https://api.example").unwrap().expose(), "0123456789abcdef");
        for other in ["https://typo.example", "http://api.example", "https://api.example:444", ""] {
            assert!(kept.key_for_origin(other).is_none(), "{other}");
        }
        assert!(
            Secret::new("0123456789abcdef").key_for_origin("").is_none(),
            "a key without an origin is never returned"
        );
    }

    #[test]
    fn the_mask_hides_all_of_a_short_key_and_all_but_the_end_of_a_long_one() {
        assert_eq!(Secret::new(" 0123456789abcdef\n").to_masked(), "••••cdef");
        assert_eq!(Secret::new("0123456789ab").to_masked(), "••••");
        assert_eq!(Secret::new("").to_masked(), "••••");
        assert_eq!(Secret::new("\tkey \r\n").expose(), "key");
    }
}
