//! Recognizes files that hold no table by their beginning, and gives advice for each.

use crate::error::UnsupportedFormat;

const SAVE_TABLE: &str = "Open it and save the table in it as CSV or XLSX";
const EXPORT_TABLE: &str = "Export the table from the program that made it, as CSV or XLSX";
const SEED: UnsupportedFormat = UnsupportedFormat {
    name: "a seed of a Roost account",
    advice: "It fills a new account (roost serve --seed) or a running server (roost seed, or roost import --server)",
};
/// The keys of a seed file. One of them is its first key.
const SEED_KEYS: [&str; 7] = ["senders", "assets", "custom_fields", "lists", "opt_outs", "short_links", "used_up"];
const NOT_AN_IMAGE: &str = "A picture cannot be read; save the table itself as CSV or XLSX";

const fn image_format(name: &'static str) -> Option<UnsupportedFormat> {
    Some(UnsupportedFormat { name, advice: NOT_AN_IMAGE })
}

/// Recognizes a format by the first bytes.
pub(crate) fn from_bytes(start: &[u8]) -> Option<UnsupportedFormat> {
    match start {
        [b'%', b'P', b'D', b'F', ..] => Some(UnsupportedFormat { name: "a PDF document", advice: EXPORT_TABLE }),
        [0x89, b'P', b'N', b'G', ..] => image_format("a PNG image"),
        [0xff, 0xd8, 0xff, ..] => image_format("a JPEG image"),
        [b'G', b'I', b'F', b'8', ..] => image_format("a GIF image"),
        [b'I', b'I', b'*', 0, ..] | [b'M', b'M', 0, b'*', ..] => image_format("a TIFF image"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => image_format("a WebP image"),
        [_, _, _, _, b'f', b't', b'y', b'p', b'h', b'e', ..] => image_format("a HEIC image"),
        [b'S', b'Q', b'L', b'i', b't', b'e', b' ', b'f', ..] => {
            Some(UnsupportedFormat { name: "a database", advice: EXPORT_TABLE })
        }
        _ => None,
    }
}

/// Recognizes a format by the beginning of a text.
pub(crate) fn from_text(text: &str) -> Option<UnsupportedFormat> {
    let text = text.trim_start();
    let begins = |start: &str| text.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start));
    if begins("{\\rtf") {
        return Some(UnsupportedFormat { name: "an RTF document", advice: SAVE_TABLE });
    }
    if begins("<svg") {
        return image_format("an SVG image");
    }
    let is_page = ["<!doctype html", "<html", "<head", "<body", "<table", "<meta", "<div"].into_iter().any(begins);
    let is_markup = begins("<?xml") || begins("<!--");
    if is_seed(text) {
        return Some(SEED);
    }
    let head = text.get(..2_000).unwrap_or(text).to_ascii_lowercase();
    if is_page || (is_markup && head.contains("<html")) {
        return Some(UnsupportedFormat { name: "a web page", advice: SAVE_TABLE });
    }
    if is_markup && head.contains("<svg") {
        return image_format("an SVG image");
    }
    begins("<?xml").then_some(UnsupportedFormat { name: "an XML file", advice: SAVE_TABLE })
}

/// Returns whether a text begins as JSON or YAML whose first key is one of a seed file. `lists` without contacts may be
/// a list of records of another program.
fn is_seed(text: &str) -> bool {
    let is_comment = |line: &&str| line.trim().is_empty() || line.starts_with('#') || *line == "---";
    let (key, value) = match text.strip_prefix('{') {
        Some(rest) => {
            let Some((key, value)) = rest.trim_start().strip_prefix('"').and_then(|rest| rest.split_once('"')) else {
                return false;
            };
            let Some(value) = value.trim_start().strip_prefix(':') else { return false };
            (key, value.trim_start().starts_with(['[', '{']))
        }
        None => {
            let line = text.lines().find(|line| !is_comment(line)).unwrap_or_default();
            let Some((key, value)) = line.split_once(':') else { return false };
            (key, matches!(value.trim(), "" | "[]" | "{}"))
        }
    };
    let is_of_seed = key != "lists" || ["contacts", "[]"].iter().any(|part| text.contains(part));
    value && SEED_KEYS.contains(&key) && is_of_seed
}

/// Recognizes a format by the files of an archive.
pub(crate) fn from_archive(names: &[String]) -> Option<UnsupportedFormat> {
    let has = |name: &str| names.iter().any(|other| other == name);
    if has("word/document.xml") {
        return Some(UnsupportedFormat { name: "a Word document", advice: SAVE_TABLE });
    }
    has("ppt/presentation.xml").then_some(UnsupportedFormat { name: "a presentation", advice: SAVE_TABLE })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_known_by_its_first_key() {
        for key in SEED_KEYS {
            for text in [
                format!("{{\n\"{key}\": [{{\"name\":\"A\",\"contacts\":[]}}]}}"),
                format!("# Mine\n---\n{key}:\n  - name: A\n    contacts: []\n"),
            ] {
                assert_eq!(from_text(&text), Some(SEED), "{text}");
            }
            for text in [format!("{key},b\n"), format!("{{\"{key}\":1}}"), format!("{key}: 7\n")] {
                assert_eq!(from_text(&text), None, "{text}");
            }
        }
        assert_eq!(from_text("{\"lists\":[{\"phone\":\"+447700900001\"}]}"), None);
    }

    #[test]
    fn tables_are_supported() {
        for text in ["name,phone\n", "<name>;<phone>\n", "{\"a\":1}", "BEGIN:VCARD", "%;a\n", "GIF;x\n", ""] {
            assert_eq!(from_text(text), None, "{text}");
        }
        for bytes in [b"PDF,PNG\n".as_slice(), b"II;MM\n", b"RIFF,a,b,c,WEBP", b"", b"\xef\xbb\xbfa,b"] {
            assert_eq!(from_bytes(bytes), None);
        }
    }
}
