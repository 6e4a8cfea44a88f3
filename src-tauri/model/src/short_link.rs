//! Short links: the rules of their parts, the fuzzy search over titles and tags, and the clicks on them.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;
use url::{Host, Url};

use crate::{
    error::{FieldError, has_length, size_message},
    id::LinkId,
    page::{PageRequest, SortOrder},
    time::{TimeBound, Timestamp},
};

pub const TITLE_MAX: usize = 100;
pub const TAG_MAX: usize = 50;
pub const TAGS_MAX: usize = 10;
pub const URL_MAX: usize = 2_048;
pub const CODE_LEN: usize = 6;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ShortLink {
    pub link_id: LinkId,
    pub title: String,
    pub target_url: String,
    /// The part of the short URL after the base.
    pub code: String,
    /// Base of the short URL if it is not the server's own.
    pub base: Option<String>,
    pub tags: Vec<String>,
    pub created_at: Timestamp,
    pub track_clicks: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkQuery {
    /// Words that must each be found in the title or a tag, with at most one typing error.
    pub query: Option<String>,
    /// Tags that the link must all have, exactly.
    pub tags: Vec<String>,
    pub from: Option<TimeBound>,
    pub to: Option<TimeBound>,
    pub order: SortOrder,
    pub page: PageRequest,
}

impl Default for LinkQuery {
    fn default() -> Self {
        Self {
            query: None,
            tags: Vec::new(),
            from: None,
            to: None,
            order: SortOrder::Descending,
            page: PageRequest { number: 1, size: 25 },
        }
    }
}

impl ShortLink {
    pub fn short_url(&self, default_base: &str) -> String {
        format!("{}/{}", self.base.as_deref().unwrap_or(default_base), self.code)
    }
}

/// A click, which is recorded each time a tracked link is opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Click {
    pub link_id: LinkId,
    /// Title, short URL and target at the time of the click.
    pub title: String,
    pub short_link_url: String,
    pub target_url: String,
    pub recipient: Option<String>,
    pub device: Option<String>,
    pub browser: Option<String>,
    pub operating_system: Option<String>,
    pub campaign_uid: Option<String>,
    pub time: Timestamp,
}

/// The parts of a link that may be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkParts {
    pub title: String,
    pub target_url: String,
    pub tags: Vec<String>,
    pub track_clicks: bool,
}

/// Returns whether `text` is an absolute http or https address with a host.
pub fn is_web_address(text: &str) -> bool {
    has_length(text, 1, URL_MAX)
        && !text.chars().any(|c| c.is_control() || c.is_whitespace())
        && Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
        && has_double_slash(text)
}

/// The URL parser accepts `http:host`, but an absolute address has two slashes.
fn has_double_slash(text: &str) -> bool {
    text.split_once(':').is_some_and(|(_, rest)| rest.starts_with("//") && !rest.starts_with("///"))
}

/// Returns whether an address refers to the computer that opens it.
pub fn is_local_address(address: &str) -> bool {
    match Url::parse(address).as_ref().map(Url::host) {
        Ok(Some(Host::Domain(name))) => name == "localhost" || name.ends_with(".localhost"),
        Ok(Some(Host::Ipv4(ip))) => ip.is_loopback() || ip.is_unspecified(),
        Ok(Some(Host::Ipv6(ip))) => ip.is_loopback() || ip.is_unspecified(),
        _ => false,
    }
}

fn is_tag(text: &str) -> bool {
    has_length(text, 1, TAG_MAX) && text.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
}

/// Checks the parts of a new link. Every error is returned, in the order title, target, tags.
pub fn check_parts(
    title: Option<&str>,
    target_url: Option<&str>,
    tags: &[String],
    track_clicks: bool,
) -> Result<LinkParts, Vec<FieldError>> {
    let mut faults = Vec::new();
    let trimmed_title = title.unwrap_or_default().trim();
    if trimmed_title.is_empty() {
        faults.push(FieldError::new("title", "must not be blank", title.map_or(Value::Null, Value::from)));
    } else if !has_length(trimmed_title, 1, TITLE_MAX) {
        faults.push(FieldError::new("title", size_message(1, TITLE_MAX), title));
    }
    let trimmed_target = target_url.unwrap_or_default().trim();
    if !is_web_address(trimmed_target) {
        faults.push(FieldError::new("target_url", "Invalid URL.", target_url.map_or(Value::Null, Value::from)));
    }
    let mut distinct: Vec<String> = Vec::with_capacity(tags.len());
    for tag in tags {
        let trimmed = tag.trim();
        if !is_tag(trimmed) {
            faults.push(FieldError::new("tags[]", "Invalid tag.", tag.as_str()));
        } else if !distinct.iter().any(|k| k == trimmed) {
            distinct.push(trimmed.to_owned());
        }
    }
    if distinct.len() > TAGS_MAX {
        faults.push(FieldError::new("tags", size_message(0, TAGS_MAX), tags.to_vec()));
    }
    if faults.is_empty() {
        Ok(LinkParts {
            title: trimmed_title.to_owned(),
            target_url: trimmed_target.to_owned(),
            tags: distinct,
            track_clicks,
        })
    } else {
        Err(faults)
    }
}

/// The words of a search in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchWords(Vec<(String, Vec<char>)>);

impl SearchWords {
    pub fn from_query(query: &str) -> Self {
        let words = query.split_whitespace().map(str::to_lowercase);
        Self(words.map(|word| (word.clone(), word.chars().collect())).collect())
    }

    /// Returns whether every word occurs in the title or in one tag. Longer words may have one typing error.
    pub fn match_link(&self, title: &str, tags: &[String]) -> bool {
        self.match_title_or(title, &self.find_in_tags(tags))
    }

    /// Returns for each word whether a tag contains it. The result can be reused, because many links have the same
    /// tags.
    pub fn find_in_tags(&self, tags: &[String]) -> Vec<bool> {
        let tags: Vec<String> = tags.iter().map(|tag| tag.to_lowercase()).collect();
        self.0.iter().map(|(word, letters)| tags.iter().any(|tag| word_matches(word, letters, tag))).collect()
    }

    /// Returns whether the title contains every word that the tags do not.
    pub fn match_title_or(&self, title: &str, found: &[bool]) -> bool {
        let mut title = Cow::Borrowed(title);
        if title.bytes().any(|byte| byte.is_ascii_uppercase() || !byte.is_ascii()) {
            title = Cow::Owned(title.to_lowercase());
        }
        self.0.iter().zip(found).all(|((word, letters), found)| *found || word_matches(word, letters, &title))
    }
}

fn word_matches(word: &str, letters: &[char], text: &str) -> bool {
    text.contains(word)
        || (letters.len() >= 4
            && text.split(|c: char| !c.is_alphanumeric()).any(|other| within_one_edit(letters, other)))
}

/// Returns whether `other` differs by at most one character inserted, deleted, replaced or swapped with its neighbour.
fn within_one_edit(a: &[char], other: &str) -> bool {
    // A character has at most four bytes, and one may be missing.
    if other.len() + 1 < a.len() || other.len() > 4 * (a.len() + 1) {
        return false;
    }
    let same_start = a.iter().copied().zip(other.chars()).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[same_start..], other.chars().skip(same_start));
    let length = b.clone().count();
    let is_rest = |a: &[char], skipped: usize| a.iter().copied().eq(b.clone().skip(skipped));
    let first_two = || (b.clone().next(), b.clone().nth(1));
    match (a.len(), length) {
        (0, 0) => true,
        (x, y) if x == y => {
            is_rest(&a[1..], 1) || (x >= 2 && first_two() == (Some(a[1]), Some(a[0])) && is_rest(&a[2..], 2))
        }
        (x, y) if x == y + 1 => is_rest(&a[1..], 0),
        (x, y) if y == x + 1 => is_rest(a, 1),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn parts_are_trimmed_and_every_fault_is_reported() {
        let tags = vec![" spring ".to_owned(), "spring".to_owned(), "Été_1".to_owned()];
        let parts = check_parts(Some(" Spring "), Some(" https://shop.example/s "), &tags, true).expect("fine");
        assert_eq!((parts.title.as_str(), parts.tags.len()), ("Spring", 2));
        let faults = check_parts(None, Some("shop"), &["a!b".to_owned(), String::new()], true).expect_err("faulty");
        let paths: Vec<_> = faults.iter().map(|f| f.path.as_str()).collect();
        assert_eq!(paths, ["title", "target_url", "tags[]", "tags[]"]);
    }

    #[test]
    fn addresses_are_absolute_and_of_the_web() {
        for good in ["http://a", "https://shop.example/s?q=1#x", "HTTPS://shop.example", "http://127.0.0.1:4010/x"] {
            assert!(is_web_address(good), "{good}");
        }
        for bad in [
            "",
            "shop",
            "ftp://client.example",
            "http:",
            "http://",
            "http:shop.example",
            "//shop.example",
            "https:///x",
            "http://shop.example/a b",
            "javascript:alert(1)",
        ] {
            assert!(!is_web_address(bad), "{bad}");
        }
        assert!(!is_web_address(&format!("https://shop.example/{}", "a".repeat(2_048))));
    }

    #[test]
    fn an_address_of_the_loopback_leads_to_this_computer() {
        for url in ["http://127.0.0.1:4010/s", "http://localhost/s", "https://shop.localhost:8443", "http://[::1]:80/s"]
        {
            assert!(is_local_address(url), "{url}");
        }
        for elsewhere in
            ["https://sl.example", "http://192.168.0.4:4010/s", "https://localhost.example/s", "sl.example"]
        {
            assert!(!is_local_address(elsewhere), "{elsewhere}");
        }
    }

    #[test]
    fn search_forgives_one_slip_in_longer_words() {
        let tags = vec!["summer sale".to_owned()];
        for hit in ["spr", "SPRING", "sprng", "sprinng", "sprang", "psring", "spring sumer", "pring off"] {
            assert!(SearchWords::from_query(hit).match_link("Spring-Offer", &tags), "{hit}");
        }
        for miss in ["sprg", "xyz", "sale winter", "spn"] {
            assert!(!SearchWords::from_query(miss).match_link("Spring-Offer", &tags), "{miss}");
        }
    }

    fn one_edit(a: &str, b: &str) -> bool {
        within_one_edit(&a.chars().collect::<Vec<_>>(), b)
    }

    proptest! {
        #[test]
        fn one_edit_is_symmetric_and_never_more(a in "[ab]{0,6}", b in "[ab]{0,6}") {
            prop_assert_eq!(one_edit(&a, &b), one_edit(&b, &a));
            if one_edit(&a, &b) {
                prop_assert!(a.len().abs_diff(b.len()) <= 1);
            }
            prop_assert!(one_edit(&a, &a));
        }

        #[test]
        fn deleting_any_character_is_one_edit(a in "[a-z]{4,8}", at in 0usize..4) {
            let mut b = a.clone();
            b.remove(at);
            prop_assert!(one_edit(&a, &b));
        }
    }
}
