//! Addresses from the start options: where callers reach the server, and which pages may call it.

use std::{fmt, str::FromStr, sync::Arc};

use url::Url;

/// Where callers reach a server that listens elsewhere, such as behind a proxy or the port of a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    /// The URL, without a slash at the end.
    text: Arc<str>,
    pub(super) scheme: &'static str,
    pub(super) host: String,
    pub(super) port: u16,
}

/// An origin whose pages may call the server, as a browser writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageOrigin(String);

impl PublicUrl {
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl PageOrigin {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Reads a web address that consists only of scheme, host and port.
fn parse_origin(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let is_plain = url.username().is_empty() && url.password().is_none() && url.query().is_none();
    let has_no_path = url.fragment().is_none() && matches!(url.path(), "" | "/");
    let has_name = url.host_str().is_some_and(|host| !host.contains('*'));
    (matches!(url.scheme(), "http" | "https") && has_name && is_plain && has_no_path).then_some(url)
}

impl FromStr for PublicUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = parse_origin(text).and_then(|url| {
            let scheme = if url.scheme() == "https" { "https://" } else { "http://" };
            let text = url.origin().ascii_serialization().into();
            Some(Self { text, scheme, host: url.host_str()?.to_owned(), port: url.port_or_known_default()? })
        });
        parts.ok_or_else(|| "expected an address without a path, such as http://roost:4010".to_owned())
    }
}

impl FromStr for PageOrigin {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "*" {
            return Err(
                "* would let every page call this server; name each origin, such as http://localhost:5173".to_owned()
            );
        }
        let url = parse_origin(text).filter(|_| !text.ends_with('/'));
        let origin = url.map(|url| url.origin().ascii_serialization());
        origin.map(Self).ok_or_else(|| "expected an origin such as http://localhost:5173".to_owned())
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_and_an_origin_have_no_path() {
        for (text, want) in [
            ("http://roost:4010", "http://roost:4010"),
            ("HTTPS://Roost.Example:443/", "https://roost.example"),
            ("http://[::1]:8080", "http://[::1]:8080"),
        ] {
            assert_eq!(text.parse::<PublicUrl>().expect(text).as_str(), want);
        }
        assert_eq!("https://shop.example:443".parse::<PageOrigin>().expect("fine").as_str(), "https://shop.example");
        for bad in [
            "",
            "*",
            "null",
            "roost:4010",
            "ftp://roost",
            "http://",
            "http://a/b",
            "http://me@a",
            "http://a?x",
            "http://a#x",
            "file:///a",
            "http://*",
        ] {
            assert!(bad.parse::<PublicUrl>().is_err(), "{bad}");
            assert!(bad.parse::<PageOrigin>().is_err(), "{bad}");
        }
        assert!("http://a/".parse::<PageOrigin>().is_err(), "no browser writes that");
    }
}
