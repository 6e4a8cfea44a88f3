//! Which addresses may be called, whatever form they are written in.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// How far away an address is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    Public,
    Loopback,
    Private,
    /// Never called; the text says what it is.
    Forbidden(&'static str),
}

/// Tells what an address is. Forms that carry an IPv4 address are judged by that address.
pub fn classify(ip: IpAddr) -> Reach {
    match ip {
        IpAddr::V4(v4) => classify_v4(v4),
        IpAddr::V6(v6) => classify_v6(v6),
    }
}

fn classify_v4(ip: Ipv4Addr) -> Reach {
    match ip.octets() {
        [127, ..] => Reach::Loopback,
        [10, ..] | [192, 168, ..] | [172, 16..=31, ..] => Reach::Private,
        [0, ..] => Reach::Forbidden("an unspecified address"),
        [169, 254, ..] => Reach::Forbidden("a link-local address"),
        [100, 64..=127, ..] => Reach::Forbidden("an address of a carrier's network"),
        [168, 63, 129, 16] | [192, 0, 0, _] => Reach::Forbidden("a metadata address"),
        [198, 18..=19, ..] => Reach::Forbidden("an address for measurements"),
        [224..=239, ..] => Reach::Forbidden("a multicast address"),
        [240..=255, ..] => Reach::Forbidden("a reserved address"),
        _ => Reach::Public,
    }
}

fn classify_v6(ip: Ipv6Addr) -> Reach {
    let s = ip.segments();
    let v4 = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        classify_v4(Ipv4Addr::new(a, b, c, d))
    };
    match s {
        [0, 0, 0, 0, 0, 0, 0, 1] => Reach::Loopback,
        [0, 0, 0, 0, 0, 0, 0, 0] => Reach::Forbidden("an unspecified address"),
        // Compatible, mapped and translated forms of IPv4.
        [0, 0, 0, 0, 0, 0, high, low] | [0, 0, 0, 0, 0, 0xffff, high, low] | [0, 0, 0, 0, 0xffff, 0, high, low] => {
            v4(high, low)
        }
        // NAT64, then the same for use inside one network.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => v4(high, low),
        [0x64, 0xff9b, 1, ..] => Reach::Forbidden("a translated address of a local network"),
        // 6to4 and Teredo.
        [0x2002, high, low, ..] => v4(high, low),
        [0x2001, 0, ..] => Reach::Forbidden("a tunnelled address"),
        // ISATAP.
        [_, _, _, _, 0 | 0x200, 0x5efe, high, low] => v4(high, low),
        // Of AWS, Oracle Cloud and Google Cloud.
        [0xfd00, 0x0ec2 | 0x00c1, ..] | [0xfd20, 0x00ce, ..] => Reach::Forbidden("a metadata address"),
        [0xfc00..=0xfdff, ..] => Reach::Private,
        [0xfe80..=0xfebf, ..] => Reach::Forbidden("a link-local address"),
        [0xfec0..=0xfeff, ..] => Reach::Forbidden("a site-local address"),
        [0xff00..=0xffff, ..] => Reach::Forbidden("a multicast address"),
        _ => Reach::Public,
    }
}

/// What the caller allows.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// Whether addresses of private networks may be called.
    pub private: bool,
    /// Addresses this process listens on; never called, so that a request cannot make us act on ourselves.
    pub own: Vec<SocketAddr>,
}

impl Policy {
    /// Whether this process listens there.
    pub fn is_own(&self, address: SocketAddr) -> bool {
        let is_loopback = classify(address.ip()) == Reach::Loopback;
        self.own.iter().any(|own| {
            own.port() == address.port() && (own.ip() == address.ip() || own.ip().is_unspecified() || is_loopback)
        })
    }

    /// Why an address may not be called.
    pub fn refusal(&self, address: SocketAddr) -> Option<String> {
        match classify(address.ip()) {
            Reach::Forbidden(what) => Some(format!("{} is {what}", address.ip())),
            Reach::Private if !self.private => Some(format!("{} is an address of a private network", address.ip())),
            _ if self.is_own(address) => Some(format!("{address} is this server itself")),
            Reach::Private | Reach::Public | Reach::Loopback => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(text: &str) -> Reach {
        classify(text.parse().expect(text))
    }

    #[test]
    fn metadata_is_recognised_in_every_spelling() {
        // What the URL parser makes of the spellings of one host.
        for host in [
            "169.254.169.254",
            "2852039166",
            "0xA9FEA9FE",
            "0xa9.0xfe.0xa9.0xfe",
            "0251.0376.0251.0376",
            "169.254.43518",
            "169.16689662",
            "0251.254.0xa9.254",
            "169.254.169.254.",
            "\u{ff11}\u{ff16}\u{ff19}.254.169.254",
            "[::ffff:169.254.169.254]",
            "[::ffff:a9fe:a9fe]",
            "[::a9fe:a9fe]",
            "[64:ff9b::169.254.169.254]",
            "[2002:a9fe:a9fe::1]",
            "[::ffff:0:169.254.169.254]",
            "[fe80::5efe:169.254.169.254]",
        ] {
            let url = url::Url::parse(&format!("http://{host}/latest")).expect(host);
            let ip = match url.host().expect(host) {
                url::Host::Ipv4(ip) => IpAddr::V4(ip),
                url::Host::Ipv6(ip) => IpAddr::V6(ip),
                url::Host::Domain(name) => panic!("{host} was read as the name {name}"),
            };
            assert!(matches!(classify(ip), Reach::Forbidden(_)), "{host}");
        }
    }

    #[test]
    fn ranges_are_told_apart() {
        let forbidden = [
            "0.0.0.0",
            "0.1.2.3",
            "100.64.0.1",
            "100.127.255.255",
            "224.0.0.1",
            "255.255.255.255",
            "240.0.0.1",
            "192.0.0.192",
            "168.63.129.16",
            "100.100.100.200",
            "::",
            "fe80::1",
            "ff02::1",
            "fec0::1",
            "fd00:ec2::254",
            "fd20:ce::254",
            "fd00:c1::a9fe:a9fe",
            "2001::1",
            "64:ff9b:1::1",
            "2002:e000:1::",
        ];
        for text in forbidden {
            assert!(matches!(reach(text), Reach::Forbidden(_)), "{text}");
        }
        for text in ["127.0.0.1", "127.255.0.1", "::1", "::ffff:127.0.0.1", "::7f00:1", "2002:7f00:1::"] {
            assert_eq!(reach(text), Reach::Loopback, "{text}");
        }
        for text in [
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "fc00::1",
            "fdff::1",
            "::ffff:10.0.0.1",
            "64:ff9b::a00:1",
        ] {
            assert_eq!(reach(text), Reach::Private, "{text}");
        }
        for text in [
            "1.1.1.1",
            "172.32.0.1",
            "100.128.0.1",
            "192.169.0.1",
            "2606:4700::1111",
            "64:ff9b::101:101",
            "::ffff:8.8.8.8",
        ] {
            assert_eq!(reach(text), Reach::Public, "{text}");
        }
    }

    #[test]
    fn private_ranges_wait_for_leave_and_our_own_port_never_gets_it() {
        let address = |text: &str| text.parse::<SocketAddr>().expect(text);
        let strict = Policy { private: false, own: vec![address("127.0.0.1:4010")] };
        let open = Policy { private: true, ..strict.clone() };
        assert!(strict.refusal(address("10.0.0.1:80")).is_some());
        assert!(open.refusal(address("10.0.0.1:80")).is_none());
        assert!(open.refusal(address("169.254.169.254:80")).is_some());
        for own in ["127.0.0.1:4010", "127.9.9.9:4010", "[::1]:4010", "[::ffff:127.0.0.1]:4010"] {
            assert!(open.refusal(address(own)).is_some(), "{own}");
        }
        assert!(strict.refusal(address("127.0.0.1:4011")).is_none());
    }
}
