//! The gate before every route: which hosts a request may name, and which pages may send it.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, HeaderName, Method, Uri, header};
use roost_outbound::localhost_label;

/// The gate of a server: the host names and the port that it answers to.
#[derive(Debug, Clone)]
pub struct Gate {
    port: u16,
    /// The scheme of this server's own origins and the default port of that scheme.
    scheme: (&'static str, u16),
    hosts: Vec<String>,
}

/// The reason why the gate refuses a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// The request names another host, for example because somebody pointed that name at this machine.
    Host,
    /// The request comes from a page of another origin.
    Page,
}

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

impl Gate {
    pub fn new(bound: SocketAddr, allowed: &[String], is_secure: bool) -> Self {
        let mut hosts = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned()];
        hosts.push(match bound.ip() {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        });
        hosts.extend(allowed.iter().map(|host| host.to_ascii_lowercase()));
        let scheme = if is_secure { ("https://", 443) } else { ("http://", 80) };
        Self { port: bound.port(), scheme, hosts }
    }

    /// Checks whether a request may enter. Returns the label before `.localhost` in the requested host name if it is a
    /// single word and not a name of the server itself.
    pub fn check<'h>(&self, method: &Method, uri: &Uri, headers: &'h HeaderMap) -> Result<Option<&'h str>, Stopped> {
        let mut hosts = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else { return Err(Stopped::Host) };
        let named = uri.authority().is_none_or(|authority| self.is_ours(authority.as_str()));
        let host = host.to_str().ok().filter(|host| named && self.is_ours(host)).ok_or(Stopped::Host)?;
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let may_ask = match (origins.next(), headers.get(FETCH_SITE)) {
            (Some(origin), _) => {
                origins.next().is_none() && origin.to_str().is_ok_and(|origin| self.is_our_origin(origin, host))
            }
            (None, None) => true,
            (None, Some(site)) => match site.as_bytes() {
                b"same-origin" => true,
                // The user typed the address. Such a request may read, but not write.
                b"none" => matches!(*method, Method::GET | Method::HEAD),
                _ => false,
            },
        };
        if may_ask { Ok(self.label(host)) } else { Err(Stopped::Page) }
    }

    fn label<'h>(&self, host: &'h str) -> Option<&'h str> {
        let (name, _) = split_port(host);
        let is_own = self.hosts.iter().any(|own| own.eq_ignore_ascii_case(name));
        localhost_label(name).filter(|label| !is_own && !label.contains('.'))
    }

    /// Returns whether `host[:port]` names this server. The port may be missing.
    fn is_ours(&self, host: &str) -> bool {
        let (name, port) = split_port(host);
        self.knows(name) && port.is_none_or(|port| parse_port(port) == Some(self.port))
    }

    fn knows(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        localhost_label(&name).is_some_and(|labels| labels.split('.').all(is_label)) || self.hosts.contains(&name)
    }

    /// Returns whether the origin is the requested host. A page may call only the host it came from, because each world
    /// has names of its own.
    fn is_our_origin(&self, origin: &str, asked: &str) -> bool {
        let (scheme, usual) = self.scheme;
        let Some(host) = origin.strip_prefix(scheme) else { return false };
        let (name, port) = split_port(host);
        name.eq_ignore_ascii_case(split_port(asked).0)
            && self.knows(name)
            && port.map_or(Some(usual), parse_port) == Some(self.port)
    }
}

/// Returns whether a person followed a link on another page. The browser then shows the response, and no script can
/// read it.
pub fn is_followed(method: &Method, headers: &HeaderMap) -> bool {
    let is = |name, value: &str| headers.get(name).is_some_and(|found| found == value);
    *method == Method::GET
        && is(FETCH_MODE, "navigate")
        && is(FETCH_DEST, "document")
        && !headers.contains_key(header::ORIGIN)
}

/// Returns whether the text is a single label of a host name.
fn is_label(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

/// Parses a port. Only digits are allowed, because a number may carry a sign and a port may not.
fn parse_port(text: &str) -> Option<u16> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?
}

fn split_port(host: &str) -> (&str, Option<&str>) {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => (name, Some(port)),
        _ => (host, None),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn check(method: Method, uri: &str, headers: &[(&'static str, &str)]) -> Option<Stopped> {
        let gate = Gate::new("127.0.0.1:4010".parse().expect("an address"), &["roost.test".to_owned()], false);
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_str(value).expect("a value"));
        }
        gate.check(&method, &uri.parse().expect("a uri"), &map).err()
    }

    #[test]
    fn only_our_own_names_are_answered() {
        for good in [
            "localhost",
            "LOCALHOST:4010",
            "127.0.0.1",
            "127.0.0.1:4010",
            "[::1]:4010",
            "[::1]",
            "a.b.localhost:4010",
            "Roost.test",
        ] {
            assert_eq!(check(Method::GET, "/x", &[("host", good)]), None, "{good}");
        }
        for bad in [
            "",
            "evil.example",
            "evil.example:4010",
            "localhost:4011",
            "localhost:",
            "localhost.",
            ".localhost",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "[::1",
            "0.0.0.0:4010",
            "localhost:04010x",
            "user@localhost",
            "evil.example#.localhost",
            "a..localhost",
            "a%2e.localhost",
            "localhost:+4010",
            "localhost:-4010",
            "localhost: 4010",
        ] {
            assert_eq!(check(Method::GET, "/x", &[("host", bad)]), Some(Stopped::Host), "{bad}");
        }
        assert_eq!(check(Method::GET, "/x", &[]), Some(Stopped::Host));
        assert_eq!(check(Method::GET, "/x", &[("host", "localhost"), ("host", "localhost")]), Some(Stopped::Host));
        assert_eq!(check(Method::GET, "http://evil.example/x", &[("host", "localhost")]), Some(Stopped::Host));
    }

    #[test]
    fn a_page_behind_tls_has_another_origin() {
        let gate = Gate::new("127.0.0.1:4010".parse().expect("an address"), &[], true);
        for (origin, is_ours) in [
            ("https://localhost:4010", true),
            ("http://localhost:4010", false),
            ("https://localhost", false),
            ("https://localhost:4011", false),
        ] {
            let headers = HeaderMap::from_iter([
                (header::HOST, HeaderValue::from_static("localhost:4010")),
                (header::ORIGIN, HeaderValue::from_static(origin)),
            ]);
            assert_eq!(gate.check(&Method::POST, &Uri::from_static("/x"), &headers).is_ok(), is_ours, "{origin}");
        }
    }

    #[test]
    fn one_word_before_localhost_may_name_a_world() {
        let gate = Gate::new("127.0.0.1:4010".parse().expect("an address"), &["own.localhost".to_owned()], false);
        for (host, label) in [
            ("a.localhost:4010", Some("a")),
            ("w-1.LOCALHOST", Some("w-1")),
            ("localhost", None),
            ("a.b.localhost", None),
            ("own.localhost", None),
            ("127.0.0.1:4010", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert("host", HeaderValue::from_str(host).expect("a value"));
            assert_eq!(gate.check(&Method::GET, &Uri::from_static("/x"), &headers), Ok(label), "{host}");
        }
    }

    #[test]
    fn pages_of_others_may_not_ask() {
        let from = |method: Method, headers: &[(&'static str, &str)]| {
            let mut all = vec![("host", "localhost:4010")];
            all.extend_from_slice(headers);
            check(method, "/x", &all)
        };
        let names = ["localhost", "127.0.0.1", "[::1]", "x.localhost", "y.localhost"];
        for (page, asked) in names.iter().flat_map(|page| names.map(|asked| (*page, asked))) {
            let origin = format!("http://{page}:4010");
            for host in [format!("{asked}:4010"), asked.to_uppercase()] {
                let stopped = check(Method::POST, "/x", &[("host", &host), ("origin", &origin)]);
                assert_eq!(stopped.is_none(), page == asked, "{page} asks {host}");
            }
        }
        for bad in [
            "null",
            "",
            "http://localhost",
            "http://localhost:3000",
            "https://localhost:4010",
            "http://evil.example",
            "http://localhost:4010.evil.example",
            "file://",
            "http://localhost:4010/",
            "http://localhost:+4010",
            "http://evil.example#.localhost:4010",
        ] {
            assert_eq!(from(Method::GET, &[("origin", bad)]), Some(Stopped::Page), "{bad}");
        }
        for (site, get, post) in [
            ("same-origin", true, true),
            ("none", true, false),
            ("same-site", false, false),
            ("cross-site", false, false),
            ("x", false, false),
        ] {
            assert_eq!(from(Method::GET, &[("sec-fetch-site", site)]).is_none(), get, "GET {site}");
            assert_eq!(from(Method::POST, &[("sec-fetch-site", site)]).is_none(), post, "POST {site}");
        }
        assert_eq!(from(Method::POST, &[]), None, "programs send neither");
    }
}
