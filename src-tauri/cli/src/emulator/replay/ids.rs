//! Maps recorded IDs to new ones: learns them from responses, and replaces them in later requests.

use std::{borrow::Cow, collections::HashMap};

/// The number of letters and digits after the prefix of an ID.
const ID_LENGTH: usize = 27;

/// The recorded IDs and the new IDs that replace them.
#[derive(Debug, Default)]
pub(super) struct ReplayIds {
    now: HashMap<String, String>,
    then: HashMap<String, String>,
}

impl ReplayIds {
    /// Replaces each recorded ID in a text with its new ID.
    pub(super) fn replace_ids<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.now.is_empty() {
            return text.into();
        }
        let (mut out, mut rest, mut is_changed) = (String::with_capacity(text.len()), text, false);
        while !rest.is_empty() {
            let word = rest.find(|c: char| !is_id_char(c)).unwrap_or(rest.len());
            let (id, after) = rest.split_at(word);
            match self.now.get(id) {
                Some(now) => {
                    out.push_str(now);
                    is_changed = true;
                }
                None => out.push_str(id),
            }
            let gap = after.find(is_id_char).unwrap_or(after.len());
            out.push_str(&after[..gap]);
            rest = &after[gap..];
        }
        if is_changed { out.into() } else { text.into() }
    }

    /// Whether the two can be the same record: they are known as a pair, or both are unknown.
    pub(super) fn can_match(&self, then: &str, now: &str) -> bool {
        match (self.now.get(then), self.then.get(now)) {
            (Some(known), _) => known == now,
            (None, Some(_)) => false,
            (None, None) => true,
        }
    }

    pub(super) fn learn_pair(&mut self, then: &str, now: &str) {
        self.now.insert(then.to_owned(), now.to_owned());
        self.then.insert(now.to_owned(), then.to_owned());
    }
}

fn is_id_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Whether both are generated IDs of the same kind, such as `LST_` and 27 letters and digits.
pub(super) fn are_generated(then: &str, now: &str) -> bool {
    let prefix = |text: &str| {
        let (prefix, body) = text.split_once('_')?;
        let is_plain = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric());
        (is_plain(prefix) && is_plain(body) && body.len() == ID_LENGTH).then(|| prefix.to_owned())
    };
    prefix(then).is_some_and(|kind| prefix(now) == Some(kind))
}

/// Returns the code of a short link, which is generated too.
pub(super) fn link_code(url: &str) -> Option<&str> {
    let (_, code) = url.rsplit_once('/')?;
    (!code.is_empty() && code.bytes().all(|b| b.is_ascii_alphanumeric())).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "LST_36AbCdEfGhIjKlMnOpQrStUvWx1";
    const TWO: &str = "LST_36AbCdEfGhIjKlMnOpQrStUvWx2";

    #[test]
    fn ids_are_distinguished_from_other_words() {
        assert!(are_generated(ONE, TWO));
        for other in ["CON_36AbCdEfGhIjKlMnOpQrStUvWx1", "LST_short", "LST", "", "VIP customers"] {
            assert!(!are_generated(ONE, other) && !are_generated(other, ONE), "{other}");
        }
        assert_eq!(link_code("http://127.0.0.1:1/s/Ab3"), Some("Ab3"));
        assert_eq!(link_code("http://127.0.0.1:1/s/"), None);
    }

    #[test]
    fn a_recorded_id_becomes_the_new_one_wherever_it_stands_alone() {
        let mut ids = ReplayIds::default();
        ids.learn_pair(ONE, TWO);
        assert_eq!(ids.replace_ids(&format!("/a/{ONE}?b={ONE}&é={ONE}x")), format!("/a/{TWO}?b={TWO}&é={ONE}x"));
        assert!(matches!(ids.replace_ids("é nothing"), Cow::Borrowed("é nothing")));
        assert!(
            ids.can_match(ONE, TWO)
                && !ids.can_match(ONE, ONE)
                && !ids.can_match("other", TWO)
                && ids.can_match("a", "b")
        );
    }
}
