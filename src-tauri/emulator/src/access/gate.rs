//! The gate before every route: which hosts a request may name, and which pages may send it.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};
use roost_outbound::localhost_label;

use super::{PageOrigin, PublicUrl};

/// The gate of a server: which hosts, ports and web pages it accepts.
#[derive(Debug, Clone)]
pub(crate) struct Gate {
    /// The origin that the server listens on, and the public one.
    places: Vec<ListenerOrigin>,
    hosts: Vec<String>,
    /// Other origins whose pages may send requests.
    pages: Vec<PageOrigin>,
}

/// The scheme of this server's own origins, the default port of that scheme, and its port.
#[derive(Debug, Clone, Copy)]
struct ListenerOrigin {
    scheme: &'static str,
    usual: u16,
    port: u16,
}

impl ListenerOrigin {
    fn new(scheme: &'static str, port: u16) -> Self {
        Self { scheme, usual: if scheme == HTTPS { 443 } else { 80 }, port }
    }
}

const HTTP: &str = "http://";
const HTTPS: &str = "https://";

/// The reason why the gate refuses a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GateRefusal {
    /// The request names another host, for example because somebody pointed that name at this machine.
    Host,
    /// The request comes from a page of another origin.
    Page,
}

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

impl Gate {
    pub(crate) fn new(bound: SocketAddr, allowed: &[String], is_secure: bool) -> Self {
        let mut hosts = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned()];
        hosts.push(match bound.ip() {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        });
        hosts.extend(allowed.iter().map(|host| host.to_ascii_lowercase()));
        let place = ListenerOrigin::new(if is_secure { HTTPS } else { HTTP }, bound.port());
        Self { places: vec![place], hosts, pages: Vec::new() }
    }

    /// Adds the public address at which callers also reach the server.
    pub(crate) fn reached_at(mut self, public: Option<&PublicUrl>) -> Self {
        if let Some(public) = public {
            self.places.push(ListenerOrigin::new(public.scheme, public.port));
            self.hosts.push(public.host.clone());
        }
        self
    }

    /// Allows requests from pages of these origins.
    pub(crate) fn open_to(self, pages: Vec<PageOrigin>) -> Self {
        Self { pages, ..self }
    }

    /// Returns the origin of the page that sent the request, if it is another origin and allowed.
    pub(crate) fn page<'h>(&self, headers: &'h HeaderMap) -> Option<&'h HeaderValue> {
        if self.pages.is_empty() {
            return None;
        }
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let (Some(origin), None) = (origins.next(), origins.next()) else { return None };
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let is_listed = |text: &str| self.pages.iter().any(|page| page.as_str() == text);
        let text = origin.to_str().ok()?;
        (is_listed(text) && !self.is_own_origin(text, host)).then_some(origin)
    }

    /// Returns the address that a request was sent to, if it differs from `own` and its host is one of the server's
    /// names. The host name of a world does not count, because it only serves calls of that world.
    pub(crate) fn address(&self, headers: &HeaderMap, own: &str) -> Option<String> {
        let host = headers.get(header::HOST)?.to_str().ok()?.to_ascii_lowercase();
        let (name, port) = split_port(&host);
        let is_listed = self.hosts.iter().any(|known| known == name);
        if !self.is_own_host(&host) || !is_listed && name != "localhost" {
            return None;
        }
        let ListenerOrigin { scheme, usual, port: own_port } = *self.places.first()?;
        let port = port.map_or(Some(own_port), parse_port)?;
        let (own_name, Some(_)) = split_port(own.strip_prefix(scheme).unwrap_or(own)) else {
            // A server without a port has no address but its socket.
            return None;
        };
        match (name == own_name && port == own_port, port == usual) {
            (true, _) => None,
            (false, true) => Some(format!("{scheme}{name}")),
            (false, false) => Some(format!("{scheme}{name}:{port}")),
        }
    }

    /// Decides whether a request is admitted. Returns the part of the host name before `.localhost`, if it is a single
    /// label and not a name of the server itself.
    pub(crate) fn check<'h>(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &'h HeaderMap,
    ) -> Result<Option<&'h str>, GateRefusal> {
        let mut hosts = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else { return Err(GateRefusal::Host) };
        let named = uri.authority().is_none_or(|authority| self.is_own_host(authority.as_str()));
        let host = host.to_str().ok().filter(|host| named && self.is_own_host(host)).ok_or(GateRefusal::Host)?;
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let may_ask = match (origins.next(), headers.get(FETCH_SITE)) {
            (Some(origin), _) => {
                origins.next().is_none() && origin.to_str().is_ok_and(|origin| self.is_own_origin(origin, host))
                    || self.page(headers).is_some()
            }
            (None, None) => true,
            (None, Some(site)) => match site.as_bytes() {
                b"same-origin" => true,
                // Typed into the address bar. This may read, but not change anything.
                b"none" => matches!(*method, Method::GET | Method::HEAD),
                _ => false,
            },
        };
        if may_ask { Ok(self.world_label(host)) } else { Err(GateRefusal::Page) }
    }

    fn world_label<'h>(&self, host: &'h str) -> Option<&'h str> {
        let (name, _) = split_port(host);
        let is_own = self.hosts.iter().any(|own| own.eq_ignore_ascii_case(name));
        localhost_label(name).filter(|label| !is_own && !label.contains('.'))
    }

    /// Returns whether `host[:port]` names this server. Without a port, only the name counts.
    fn is_own_host(&self, host: &str) -> bool {
        let (name, port) = split_port(host);
        let has_port = |port| self.places.iter().any(|place| Some(place.port) == port);
        self.knows_name(name) && port.is_none_or(|port| has_port(parse_port(port)))
    }

    fn knows_name(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        localhost_label(&name).is_some_and(|labels| labels.split('.').all(is_label)) || self.hosts.contains(&name)
    }

    /// Returns whether the origin is the requested host. A page may call only that host, because each world has its own
    /// host names.
    fn is_own_origin(&self, origin: &str, requested_host: &str) -> bool {
        let is_of = |place: &ListenerOrigin| {
            let Some(host) = origin.strip_prefix(place.scheme) else { return false };
            let (name, port) = split_port(host);
            name.eq_ignore_ascii_case(split_port(requested_host).0)
                && self.knows_name(name)
                && port.map_or(Some(place.usual), parse_port) == Some(place.port)
        };
        self.places.iter().any(is_of)
    }
}

/// Returns whether a person followed a link on another page. The browser then shows the response, and no script can
/// read it.
pub(crate) fn is_link_navigation(method: &Method, headers: &HeaderMap) -> bool {
    let is = |name, value: &str| headers.get(name).is_some_and(|found| found == value);
    *method == Method::GET
        && is(FETCH_MODE, "navigate")
        && is(FETCH_DEST, "document")
        && !headers.contains_key(header::ORIGIN)
}

/// Returns whether a text is one label of a host name.
fn is_label(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

/// Reads a port. Only digits are valid, because a port has no sign.
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

    fn check_request(method: Method, uri: &str, headers: &[(&'static str, &str)]) -> Option<GateRefusal> {
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
            assert_eq!(check_request(Method::GET, "/x", &[("host", good)]), None, "{good}");
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
            assert_eq!(check_request(Method::GET, "/x", &[("host", bad)]), Some(GateRefusal::Host), "{bad}");
        }
        assert_eq!(check_request(Method::GET, "/x", &[]), Some(GateRefusal::Host));
        assert_eq!(
            check_request(Method::GET, "/x", &[("host", "localhost"), ("host", "localhost")]),
            Some(GateRefusal::Host)
        );
        assert_eq!(
            check_request(Method::GET, "http://evil.example/x", &[("host", "localhost")]),
            Some(GateRefusal::Host)
        );
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
    fn the_public_address_is_ours_with_its_own_scheme_and_port() {
        let public: PublicUrl = "https://ci.example".parse().expect("an address");
        let gate = Gate::new("127.0.0.1:4010".parse().expect("an address"), &[], false).reached_at(Some(&public));
        for (host, origin, is_let_in) in [
            ("ci.example", Some("https://ci.example"), true),
            ("ci.example:443", Some("https://ci.example"), true),
            ("ci.example", None, true),
            ("ci.example", Some("http://ci.example"), false),
            ("ci.example", Some("https://evil.example"), false),
            ("ci.example:8443", None, false),
            ("127.0.0.1:4010", Some("http://127.0.0.1:4010"), true),
            ("evil.example", None, false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert("host", HeaderValue::from_str(host).expect("a value"));
            if let Some(origin) = origin {
                headers.insert("origin", HeaderValue::from_str(origin).expect("a value"));
            }
            let let_in = gate.check(&Method::POST, &Uri::from_static("/x"), &headers);
            assert_eq!(let_in.is_ok(), is_let_in, "{host} {origin:?}");
        }
    }

    #[test]
    fn the_requested_address_is_known_and_no_other_is() {
        let own = "http://127.0.0.1:4010";
        let gate = Gate::new("127.0.0.1:4010".parse().expect("an address"), &["Roost".to_owned()], false);
        for (host, want) in [
            ("127.0.0.1:4010", None),
            ("127.0.0.1", None),
            ("roost:4010", Some("http://roost:4010")),
            ("ROOST", Some("http://roost:4010")),
            ("localhost:4010", Some("http://localhost:4010")),
            ("[::1]:4010", Some("http://[::1]:4010")),
            ("a.localhost:4010", None),
            ("evil.example:4010", None),
            ("roost:4011", None),
        ] {
            let headers = HeaderMap::from_iter([(header::HOST, HeaderValue::from_str(host).expect("a value"))]);
            assert_eq!(gate.address(&headers, own).as_deref(), want, "{host}");
        }
    }

    #[test]
    fn only_pages_of_listed_origins_may_send_requests() {
        let page = "http://localhost:5173".parse().expect("an origin");
        let gate = Gate::new("127.0.0.1:4010".parse().expect("an address"), &[], false).open_to(vec![page]);
        for (origin, site, is_let_in) in [
            (Some("http://localhost:5173"), Some("same-site"), true),
            (Some("http://localhost:5173"), None, true),
            (Some("http://localhost:5174"), None, false),
            (Some("https://localhost:5173"), None, false),
            (Some("null"), None, false),
            (None, Some("same-site"), false),
        ] {
            let mut headers = HeaderMap::from_iter([(header::HOST, HeaderValue::from_static("127.0.0.1:4010"))]);
            for (name, value) in [("origin", origin), ("sec-fetch-site", site)] {
                if let Some(value) = value {
                    headers.insert(name, HeaderValue::from_str(value).expect("a value"));
                }
            }
            let let_in = gate.check(&Method::POST, &Uri::from_static("/x"), &headers);
            assert_eq!(let_in.is_ok(), is_let_in, "{origin:?} {site:?}");
            assert_eq!(gate.page(&headers).is_some(), is_let_in, "{origin:?} {site:?}");
        }
        let own = HeaderMap::from_iter([
            (header::HOST, HeaderValue::from_static("127.0.0.1:4010")),
            (header::ORIGIN, HeaderValue::from_static("http://127.0.0.1:4010")),
        ]);
        assert_eq!(gate.page(&own), None, "pages of the server itself are not of another origin");
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
    fn pages_of_other_origins_may_not_send_requests() {
        let from = |method: Method, headers: &[(&'static str, &str)]| {
            let mut all = vec![("host", "localhost:4010")];
            all.extend_from_slice(headers);
            check_request(method, "/x", &all)
        };
        let names = ["localhost", "127.0.0.1", "[::1]", "x.localhost", "y.localhost"];
        for (page, host_name) in names.iter().flat_map(|page| names.map(|host_name| (*page, host_name))) {
            let origin = format!("http://{page}:4010");
            for host in [format!("{host_name}:4010"), host_name.to_uppercase()] {
                let stopped = check_request(Method::POST, "/x", &[("host", &host), ("origin", &origin)]);
                assert_eq!(stopped.is_none(), page == host_name, "{page} asks {host}");
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
            assert_eq!(from(Method::GET, &[("origin", bad)]), Some(GateRefusal::Page), "{bad}");
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
