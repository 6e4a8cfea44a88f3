//! What the program says about itself when something is wrong: the doctor of accounts, bundles, logs, reports of crashes.

mod bundles;
mod checkups;
mod logs;
mod reports;
mod servers;

use roost_tests::leaks::Secret;

/// A text that must not be found, in whatever spelling.
struct Marker {
    secret: Secret,
    /// In lower case, without what a name of a file or an address would lack.
    folded: String,
    /// The last digits of a number, which every spelling of it has.
    digits: Option<String>,
}

impl Marker {
    fn new(text: &str) -> Self {
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        let is_number = digits.len() >= 9 && text.chars().all(|c| c.is_ascii_digit() || "+ ()-".contains(c));
        Self {
            secret: Secret::new(text),
            folded: fold(text),
            digits: is_number.then(|| digits[digits.len() - 9..].to_owned()),
        }
    }

    #[track_caller]
    fn is_absent_from(&self, what: &str, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        assert_eq!(self.secret.seen_in(bytes), None, "{} in {what}: {text}", self.folded);
        match &self.digits {
            Some(digits) => {
                let within = |c: char| c.is_ascii_digit() || " -.()+".contains(c);
                let runs = text.split(|c| !within(c)).map(|run| run.replace(|c: char| !c.is_ascii_digit(), ""));
                assert!(runs.into_iter().all(|run| !run.contains(digits.as_str())), "{digits} in {what}: {text}");
            }
            None => assert!(!fold(&text).contains(&self.folded), "{} in {what}: {text}", self.folded),
        }
    }
}

/// Leaves letters and digits, in lower case.
fn fold(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[test]
fn a_marker_is_found_in_every_spelling() {
    let finds = |marker: &str, text: &str| {
        let marker = Marker::new(marker);
        std::panic::catch_unwind(|| marker.is_absent_from("a text", text.as_bytes())).is_err()
    };
    for text in ["MARKED members", "marked-members.csv", "a%2FMarkedMembers", "bWFya2VkIG1lbWJlcnM="] {
        assert!(finds("marked members", text), "{text}");
    }
    for text in ["+447700900123", "07700 900123", "0044 (0)7700-900123", "tel:447700900123"] {
        assert!(finds("+447700900123", text), "{text}");
    }
    assert!(!finds("marked members", "members") && !finds("+447700900123", "+447700900124"));
}
