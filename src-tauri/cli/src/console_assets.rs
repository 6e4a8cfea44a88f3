//! The pages of the web console, carried inside the binary.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    io::Read as _,
    sync::{Mutex, PoisonError},
};

use flate2::read::DeflateDecoder;
use roost_emulator::{ConsoleAsset, ConsoleAssets};

include!(concat!(env!("OUT_DIR"), "/console_files.rs"));

const INDEX: &str = "index.html";
const HTML: &str = "text/html; charset=utf-8";

/// Shown when the binary was built before the pages were.
const NOT_BUILT: &str = r#"<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Roost</title></head>
  <body>
    <h1>The pages are not in this binary</h1>
    <p>The REST interface works. For the pages, build them and then the binary:</p>
    <pre>cd ui
npm ci
npm run build
cd ..
cargo build -p roost-cli</pre>
  </body>
</html>
"#;

/// What the binary was built with.
pub struct Pages;

impl ConsoleAssets for Pages {
    fn get(&self, path: &str) -> Option<ConsoleAsset> {
        find(FILES, path)
    }
}

fn find(files: &[(&str, &'static [u8])], path: &str) -> Option<ConsoleAsset> {
    let name = if path.is_empty() { INDEX } else { path };
    match files.iter().find(|(there, _)| *there == name) {
        Some((_, packed)) => {
            Some(ConsoleAsset { bytes: Cow::Borrowed(unpack(packed)?), content_type: content_type(name) })
        }
        None if name == INDEX => Some(ConsoleAsset { bytes: Cow::Borrowed(NOT_BUILT.as_bytes()), content_type: HTML }),
        None => None,
    }
}

/// Files that were asked for, by what they are packed in. Anybody may ask, so each is unpacked once and stays.
static UNPACKED: Mutex<BTreeMap<&'static [u8], &'static [u8]>> = Mutex::new(BTreeMap::new());

fn unpack(packed: &'static [u8]) -> Option<&'static [u8]> {
    let mut unpacked = UNPACKED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(bytes) = unpacked.get(packed) {
        return Some(bytes);
    }
    let mut bytes = Vec::new();
    DeflateDecoder::new(packed).read_to_end(&mut bytes).ok()?;
    let bytes = Vec::leak(bytes);
    unpacked.insert(packed, bytes);
    Some(bytes)
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => HTML,
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Deflated by hand: a stored block of each text.
    const BUILT: &[(&str, &[u8])] = &[("assets/index.js", b"\x01\x02\0\xfd\xffjs"), (INDEX, b"\x01\x04\0\xfb\xffpage")];

    fn text(asset: Option<ConsoleAsset>) -> String {
        String::from_utf8(asset.expect("found").bytes.into_owned()).expect("text")
    }

    #[test]
    fn the_first_page_has_two_names_and_its_files_their_types() {
        assert_eq!(text(find(BUILT, "")), "page");
        assert_eq!(text(find(BUILT, INDEX)), "page");
        assert_eq!(find(BUILT, "assets/index.js").expect("found").content_type, "text/javascript; charset=utf-8");
    }

    #[test]
    fn a_file_is_unpacked_once() {
        let place = || find(BUILT, INDEX).expect("found").bytes.as_ptr();
        assert_eq!(place(), place());
    }

    #[test]
    fn nothing_but_the_pages_is_served() {
        for path in ["gone.js", "../Cargo.toml", "/etc/passwd", "assets", "assets/", "INDEX.HTML"] {
            assert!(find(BUILT, path).is_none(), "{path}");
        }
    }

    #[test]
    fn a_binary_without_pages_says_how_to_build_them() {
        assert!(text(find(&[], "")).contains("npm run build"));
        assert!(find(&[], "assets/index.js").is_none());
    }

    #[test]
    fn what_the_first_page_loads_is_there() {
        let page = text(Pages.get(""));
        for (_, rest) in page.match_indices("=\"./").map(|(at, found)| page.split_at(at + found.len())) {
            let name = rest.split('"').next().unwrap_or_default();
            assert!(Pages.get(name).is_some(), "{name}");
        }
    }
}
