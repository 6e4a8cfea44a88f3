//! The pages of the web console, embedded in the binary.

use std::{borrow::Cow, io::Read as _, sync::OnceLock};

use flate2::read::DeflateDecoder;
use roost_emulator::{ConsoleAsset, ConsoleAssets};

include!(concat!(env!("OUT_DIR"), "/console_files.rs"));

const INDEX_PAGE: &str = "index.html";
const HTML_TYPE: &str = "text/html; charset=utf-8";

/// A file of the pages, as it was embedded.
struct PackedFile {
    name: &'static str,
    packed: &'static [u8],
    /// The unpacked file. It is unpacked once, because anybody may request it often. None means that it is damaged.
    unpacked: OnceLock<Option<Vec<u8>>>,
}

impl PackedFile {
    const fn new(name: &'static str, packed: &'static [u8]) -> Self {
        Self { name, packed, unpacked: OnceLock::new() }
    }

    fn unpacked_bytes(&'static self) -> Option<&'static [u8]> {
        let unpack = || {
            let mut bytes = Vec::new();
            DeflateDecoder::new(self.packed).read_to_end(&mut bytes).ok().map(|_| bytes)
        };
        self.unpacked.get_or_init(unpack).as_deref()
    }
}

/// The page of a binary that was built before the pages were.
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

/// The pages that the binary was built with.
pub(crate) struct ConsolePages;

impl ConsoleAssets for ConsolePages {
    fn get(&self, path: &str) -> Option<ConsoleAsset> {
        find_asset(&FILES, path)
    }
}

fn find_asset(files: &'static [PackedFile], path: &str) -> Option<ConsoleAsset> {
    let name = if path.is_empty() { INDEX_PAGE } else { path };
    match files.iter().find(|file| file.name == name) {
        Some(file) => {
            Some(ConsoleAsset { bytes: Cow::Borrowed(file.unpacked_bytes()?), content_type: content_type_of(name) })
        }
        None if name == INDEX_PAGE => {
            Some(ConsoleAsset { bytes: Cow::Borrowed(NOT_BUILT.as_bytes()), content_type: HTML_TYPE })
        }
        None => None,
    }
}

fn content_type_of(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => HTML_TYPE,
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

    /// Deflated by hand, each text as a stored block.
    static BUILT: [PackedFile; 2] = [
        PackedFile::new("assets/index.js", b"\x01\x02\0\xfd\xffjs"),
        PackedFile::new(INDEX_PAGE, b"\x01\x04\0\xfb\xffpage"),
    ];

    fn asset_text(asset: Option<ConsoleAsset>) -> String {
        String::from_utf8(asset.expect("found").bytes.into_owned()).expect("text")
    }

    #[test]
    fn the_first_page_has_two_names_and_its_files_their_types() {
        assert_eq!(asset_text(find_asset(&BUILT, "")), "page");
        assert_eq!(asset_text(find_asset(&BUILT, INDEX_PAGE)), "page");
        assert_eq!(
            find_asset(&BUILT, "assets/index.js").expect("found").content_type,
            "text/javascript; charset=utf-8"
        );
    }

    #[test]
    fn a_file_is_unpacked_once() {
        let place = || find_asset(&BUILT, INDEX_PAGE).expect("found").bytes.as_ptr();
        assert_eq!(place(), place());
    }

    #[test]
    fn nothing_but_the_pages_is_served() {
        for path in ["gone.js", "../Cargo.toml", "/etc/passwd", "assets", "assets/", "INDEX.HTML"] {
            assert!(find_asset(&BUILT, path).is_none(), "{path}");
        }
    }

    #[test]
    fn a_binary_without_pages_says_how_to_build_them() {
        assert!(asset_text(find_asset(&[], "")).contains("npm run build"));
        assert!(find_asset(&[], "assets/index.js").is_none());
    }

    #[test]
    fn what_the_first_page_loads_is_there() {
        let page = asset_text(ConsolePages.get(""));
        for (_, rest) in page.match_indices("=\"./").map(|(at, found)| page.split_at(at + found.len())) {
            let name = rest.split('"').next().unwrap_or_default();
            assert!(ConsolePages.get(name).is_some(), "{name}");
        }
    }
}
