//! Removes from a text what may be about a person: addresses, numbers, IDs, keys, paths and everything in quotes.

use serde_json::{Map, Value};

/// The placeholder for a removed value.
pub(super) const REMOVED: &str = "[removed]";
/// The fields whose texts are words of the program.
const WORD_FIELDS: [&str; 8] = ["method", "operation", "lane", "version", "check", "kind", "level", "format"];
/// The fields that name a file. They are logged in full, so that the reader can find the file.
const FILE_FIELDS: [&str; 3] = ["file", "path", "folder"];
const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
/// The fields that hold the text of an error. Other texts are not logged.
const ERROR_FIELDS: [&str; 6] = ["error", "why", "cause", "result", "next", "totals"];
/// The prefixes of the identifiers of records.
const ID_PREFIXES: [&str; 6] = ["LST_", "CON_", "ssd_", "shl_", "num_", "wbp_"];
/// A run of at least this many digits may be a phone number.
const NUMBER_DIGITS: usize = 7;
/// A run of at least this many letters and digits may be a key.
const KEY_LENGTH: usize = 16;
const TEXT_MAX: usize = 2_000;

/// What may be logged of the text of a field.
pub(super) enum FieldText {
    Verbatim,
    Redacted,
    Nothing,
}

impl FieldText {
    /// Only fields of our own crates are known.
    pub(super) fn for_field(target: &str, name: &str) -> Self {
        match name {
            "message" => Self::Redacted,
            _ if !is_own_target(target) => Self::Nothing,
            _ if WORD_FIELDS.contains(&name) || FILE_FIELDS.contains(&name) => Self::Verbatim,
            _ if ERROR_FIELDS.contains(&name) => Self::Redacted,
            _ => Self::Nothing,
        }
    }

    pub(super) fn apply(&self, text: &str) -> String {
        match self {
            Self::Verbatim => text.chars().filter(|c| !c.is_control()).take(TEXT_MAX).collect(),
            Self::Redacted => redact(text, true),
            Self::Nothing => REMOVED.to_owned(),
        }
    }
}

fn is_own_target(target: &str) -> bool {
    target.split("::").next().is_some_and(|name| name == "roost" || name.starts_with("roost_"))
}

/// Returns a line of a JSON log with nothing but numbers and words of the program, or nothing if the line is of another
/// program. The text of an error is left out; its number stays.
pub fn drop_log_values(line: &str) -> Option<String> {
    let Value::Object(line) = serde_json::from_str(line).ok()? else { return None };
    let text = |name: &str| line.get(name).and_then(Value::as_str);
    let target = text("target").filter(|target| is_own_target(target) && is_word(target))?;
    let mut out = Map::new();
    for name in ["time", "level"] {
        out.insert(name.to_owned(), text(name).filter(|text| is_word(text))?.into());
    }
    out.insert("target".to_owned(), target.into());
    out.insert("message".to_owned(), redact_text(text("message").unwrap_or_default()).into());
    for (name, value) in line.get("fields").and_then(Value::as_object).into_iter().flatten() {
        let kept = match value {
            Value::Number(_) | Value::Bool(_) => value.clone(),
            Value::String(text) if name == "method" && METHODS.contains(&text.as_str()) => value.clone(),
            Value::String(text) => match error_number(text) {
                Some(number) => format!("{REMOVED} (os error {number})").into(),
                None => REMOVED.into(),
            },
            _ => REMOVED.into(),
        };
        if name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') {
            out.insert(name.clone(), kept);
        }
    }
    serde_json::to_string(&out).ok()
}

/// Whether a text can be a word of the program, a time or a module.
fn is_word(text: &str) -> bool {
    text.len() <= 80 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_:.- ".contains(&byte))
}

fn error_number(text: &str) -> Option<u32> {
    text.split_once("(os error ")?.1.split_once(')')?.0.parse().ok()
}

/// Removes everything from a text that may be about a person. What it removes may be more than that.
pub(super) fn redact_text(text: &str) -> String {
    redact(text, false)
}

fn redact(text: &str, keeps_paths: bool) -> String {
    let cut: String = text.chars().take(TEXT_MAX).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let unquoted = replace_quoted(&cut);
    let words = unquoted.split(' ').collect::<Vec<_>>();
    let mut out: Vec<String> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let word = words[at];
        if keeps_paths && (is_path(word) || word.to_ascii_lowercase().contains(".roost")) {
            out.push(word.to_owned());
            at += 1;
            continue;
        }
        if is_path(word) {
            // A path may contain spaces. It ends before a colon, or with the text.
            let end = (at..words.len()).find(|at| words[*at].ends_with(':')).unwrap_or(words.len() - 1);
            out.push(if words[end].ends_with(':') { "[path]:" } else { "[path]" }.to_owned());
            at = end + 1;
            continue;
        }
        if word.to_ascii_lowercase().contains(".roost") {
            // The name of an account file may contain spaces, so everything before it may belong to it.
            out.clear();
            out.push(if word.ends_with(':') { "[path]:" } else { "[path]" }.to_owned());
        } else {
            out.push(redact_word(word));
        }
        at += 1;
    }
    replace_numbers(&out.join(" "))
}

/// Replaces everything between quotes. An apostrophe inside a word is not a quote.
fn replace_quoted(text: &str) -> String {
    const QUOTES: [(char, char); 6] = [('"', '"'), ('`', '`'), ('\'', '\''), ('“', '”'), ('‘', '’'), ('«', '»')];
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_within_word = out.ends_with(char::is_alphanumeric);
        let after = &rest[first.len_utf8()..];
        match QUOTES.iter().find(|(open, _)| *open == first) {
            Some((_, close)) if !(first == '\'' && is_within_word) => {
                out.push_str("[text]");
                rest = after.rfind(*close).map_or("", |end| &after[end + close.len_utf8()..]);
            }
            _ => {
                out.push(first);
                rest = after;
            }
        }
    }
    out
}

fn is_path(word: &str) -> bool {
    let word = word.trim_start_matches(['(', '[', '<', '=']);
    let word = word.split_once('=').map_or(word, |(_, value)| value);
    let bytes = word.as_bytes();
    word.len() > 1 && word.starts_with('/')
        || word.starts_with("~/")
        || word.starts_with("./")
        || word.starts_with("../")
        || word.starts_with("\\\\")
        || bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && b"\\/".contains(&bytes[2])
}

fn redact_word(word: &str) -> String {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
    if let Some((scheme, _)) = word.split_once("://") {
        let scheme: String = scheme.chars().rev().take_while(char::is_ascii_alphanumeric).collect();
        return format!("{}://[address]", scheme.chars().rev().collect::<String>());
    }
    if word.contains('@') {
        return "[address]".to_owned();
    }
    if let Some(prefix) = ID_PREFIXES.iter().find(|prefix| word.contains(**prefix)) {
        return format!("{prefix}[id]");
    }
    let is_of_key = |c: char| c.is_ascii_alphanumeric() || "_-.=+/~".contains(c);
    let has = |is_kind: fn(&char) -> bool| bare.chars().any(|c| is_kind(&c));
    if bare.chars().count() >= KEY_LENGTH
        && bare.chars().all(is_of_key)
        && has(char::is_ascii_digit)
        && has(char::is_ascii_alphabetic)
    {
        return "[key]".to_owned();
    }
    word.to_owned()
}

/// Replaces runs of digits that may be phone numbers, with the characters that people write within them.
fn replace_numbers(text: &str) -> String {
    let is_within = |c: char| c.is_numeric() || " +-.()/".contains(c);
    let mut out = String::new();
    let mut rest = text;
    while let Some(begin) = rest.find(|c: char| c.is_numeric() || c == '+' || c == '(') {
        out.push_str(&rest[..begin]);
        let run = &rest[begin..];
        let end = run.find(|c| !is_within(c)).unwrap_or(run.len());
        let whole = run[..end].trim_end_matches(|c: char| !c.is_numeric());
        if whole.chars().filter(|c| c.is_numeric()).count() >= NUMBER_DIGITS {
            out.push_str("[number]");
            rest = &run[whole.len()..];
        } else {
            // The run has at least its first character, which ends the search for this one.
            out.push_str(&run[..end]);
            rest = &run[end..];
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_about_a_person_is_removed() {
        for (text, wanted) in [
            ("the disk is full", "the disk is full"),
            ("it can't be read (os error 13)", "it can't be read (os error 13)"),
            ("mail to anna.example@example.com failed", "mail to [address] failed"),
            ("call +44 (0)7700 900-001 now", "call [number] now"),
            ("call 07700900001", "call [number]"),
            ("list \"Members of May\" is gone", "list [text] is gone"),
            ("list 'Members' and “Others” are gone", "list [text] and [text] are gone"),
            ("GET http://anna:key@host.example/a?b=c failed", "GET http://[address] failed"),
            ("LST_0ujsszwN8NRY24YaXiTIE2VWDTS is missing", "LST_[id] is missing"),
            ("key a-key-3141592653-xyz refused", "key [key] refused"),
            ("/data/Anna Smith/My Shop.roost: it is full", "[path]: it is full"),
            ("C:\\Users\\Anna Smith\\a.csv", "[path]"),
            ("My Shop.roost is open in another process", "[path] is open in another process"),
            ("job 12 of 345 is done", "job 12 of 345 is done"),
        ] {
            assert_eq!(redact_text(text), wanted, "{text}");
        }
        assert!(redact_text(&"x".repeat(9_000)).len() <= TEXT_MAX);
    }

    #[test]
    fn a_line_of_the_log_keeps_numbers_and_words_of_the_program() {
        let line = r#"{"time":"2026-01-05T09:00:00.000001Z","level":"WARN","target":"roost_store::db","message":"a copy of \"Shop\" failed","fields":{"count":3,"why":"/a/b.roost: no room (os error 28)","method":"GET","world":"shop"}}"#;
        let kept = drop_log_values(line).unwrap();
        for part in ["\"count\":3", "[removed] (os error 28)", "\"method\":\"GET\"", "a copy of [text] failed"] {
            assert!(kept.contains(part), "{part}: {kept}");
        }
        assert!(!kept.to_lowercase().contains("shop"), "{kept}");
        for foreign in ["a line", "[]", r#"{"time":"x","level":"WARN","target":"h2::codec","message":"m"}"#] {
            assert_eq!(drop_log_values(foreign), None, "{foreign}");
        }
    }
}
