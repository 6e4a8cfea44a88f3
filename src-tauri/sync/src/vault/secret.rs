//! A text that is shown by nothing and wiped when it goes.

use zeroize::Zeroizing;

/// A key or passphrase.
///
/// It can be neither printed nor written by accident:
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

/// Ends of keys as short as this would tell too much.
const SHORT: usize = 12;

impl Secret {
    /// Blanks and line ends around it are none of it: they come from copying.
    pub fn new(text: impl Into<String>) -> Self {
        let text = Zeroizing::new(text.into());
        Self(Zeroizing::new(text.trim().to_owned()))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text itself. Every use of this is a place to look at.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// As it is kept: with the origin that it was entered for.
    pub fn bound_to(&self, origin: &str) -> Self {
        Self(Zeroizing::new(format!("{origin}\n{}", self.expose())))
    }

    /// The key of a kept secret, when it was entered for this origin.
    pub fn for_origin(&self, origin: &str) -> Option<Self> {
        let (bound, key) = self.0.split_once('\n')?;
        (bound == origin).then(|| Self::new(key))
    }

    /// As a page may show it: dots, and the last four characters of a long one.
    pub fn masked(&self) -> String {
        let count = self.0.chars().count();
        let shown = if count > SHORT { 4 } else { 0 };
        format!("••••{}", self.0.chars().skip(count - shown).collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_key_is_given_out_for_its_own_origin_alone() {
        let kept = Secret::new("0123456789abcdef").bound_to("https://api.example");
        assert_eq!(kept.for_origin("https://api.example").unwrap().expose(), "0123456789abcdef");
        for other in ["https://typo.example", "http://api.example", "https://api.example:444", ""] {
            assert!(kept.for_origin(other).is_none(), "{other}");
        }
        assert!(Secret::new("0123456789abcdef").for_origin("").is_none(), "nobody knows what it was entered for");
    }

    #[test]
    fn the_mask_hides_all_of_a_short_key_and_all_but_the_end_of_a_long_one() {
        assert_eq!(Secret::new(" 0123456789abcdef\n").masked(), "••••cdef");
        assert_eq!(Secret::new("0123456789ab").masked(), "••••");
        assert_eq!(Secret::new("").masked(), "••••");
        assert_eq!(Secret::new("\tkey \r\n").expose(), "key");
    }
}
