//! Decides which addresses may be called, in whatever form they are written.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The range to which an address belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressRange {
    Public,
    Loopback,
    Private,
    /// The address is never called. The text says what it is.
    Forbidden(&'static str),
}

/// Classifies an address. A form that contains an IPv4 address is classified by that address.
pub fn classify_address(ip: IpAddr) -> AddressRange {
    match ip {
        IpAddr::V4(v4) => classify_v4(v4),
        IpAddr::V6(v6) => classify_v6(v6),
    }
}

fn classify_v4(ip: Ipv4Addr) -> AddressRange {
    match ip.octets() {
        [127, ..] => AddressRange::Loopback,
        [10, ..] | [192, 168, ..] | [172, 16..=31, ..] => AddressRange::Private,
        [0, ..] => AddressRange::Forbidden("an unspecified address"),
        [169, 254, ..] => AddressRange::Forbidden("a link-local address"),
        [100, 64..=127, ..] => AddressRange::Forbidden("an address of a carrier's network"),
        [168, 63, 129, 16] | [192, 0, 0, _] => AddressRange::Forbidden("a metadata address"),
        [198, 18..=19, ..] => AddressRange::Forbidden("an address for measurements"),
        [224..=239, ..] => AddressRange::Forbidden("a multicast address"),
        [240..=255, ..] => AddressRange::Forbidden("a reserved address"),
        _ => AddressRange::Public,
    }
}

fn classify_v6(ip: Ipv6Addr) -> AddressRange {
    let s = ip.segments();
    let v4 = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        classify_v4(Ipv4Addr::new(a, b, c, d))
    };
    match s {
        [0, 0, 0, 0, 0, 0, 0, 1] => AddressRange::Loopback,
        [0, 0, 0, 0, 0, 0, 0, 0] => AddressRange::Forbidden("an unspecified address"),
        // Compatible, mapped and translated forms of IPv4.
        [0, 0, 0, 0, 0, 0, high, low] | [0, 0, 0, 0, 0, 0xffff, high, low] | [0, 0, 0, 0, 0xffff, 0, high, low] => {
            v4(high, low)
        }
        // NAT64, and its variant for use inside one network.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => v4(high, low),
        [0x64, 0xff9b, 1, ..] => AddressRange::Forbidden("a translated address of a local network"),
        // 6to4 and Teredo.
        [0x2002, high, low, ..] => v4(high, low),
        [0x2001, 0, ..] => AddressRange::Forbidden("a tunnelled address"),
        // ISATAP.
        [_, _, _, _, 0 | 0x200, 0x5efe, high, low] => v4(high, low),
        // Metadata services of AWS, Oracle Cloud and Google Cloud.
        [0xfd00, 0x0ec2 | 0x00c1, ..] | [0xfd20, 0x00ce, ..] => AddressRange::Forbidden("a metadata address"),
        [0xfc00..=0xfdff, ..] => AddressRange::Private,
        [0xfe80..=0xfebf, ..] => AddressRange::Forbidden("a link-local address"),
        [0xfec0..=0xfeff, ..] => AddressRange::Forbidden("a site-local address"),
        [0xff00..=0xffff, ..] => AddressRange::Forbidden("a multicast address"),
        _ => AddressRange::Public,
    }
}

/// The addresses that the caller allows.
#[derive(Debug, Clone, Default)]
pub struct AddressPolicy {
    /// Whether addresses of private networks may be called.
    pub private: bool,
    /// Addresses on which this process listens. They are never called, so that a request cannot make this process act
    /// on itself.
    pub own: Vec<SocketAddr>,
}

impl AddressPolicy {
    /// Returns whether this process listens on the address.
    pub fn is_own(&self, address: SocketAddr) -> bool {
        let is_loopback = classify_address(address.ip()) == AddressRange::Loopback;
        self.own.iter().any(|own| {
            own.port() == address.port() && (own.ip() == address.ip() || own.ip().is_unspecified() || is_loopback)
        })
    }

    /// Returns why an address may not be called, or `None` if it may.
    pub fn find_refusal(&self, address: SocketAddr) -> Option<String> {
        match classify_address(address.ip()) {
            AddressRange::Forbidden(what) => Some(format!("{} is {what}", address.ip())),
            AddressRange::Private if !self.private => {
                Some(format!("{} is an address of a private network", address.ip()))
            }
            _ if self.is_own(address) => Some(format!("{address} is this server itself")),
            AddressRange::Private | AddressRange::Public | AddressRange::Loopback => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(text: &str) -> AddressRange {
        classify_address(text.parse().expect(text))
    }

    #[test]
    fn metadata_is_recognised_in_every_spelling() {
        // The URL parser turns all of these spellings into one host.
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
            assert!(matches!(classify_address(ip), AddressRange::Forbidden(_)), "{host}");
        }
    }

    #[test]
    fn ranges_are_distinguished() {
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
            assert!(matches!(reach(text), AddressRange::Forbidden(_)), "{text}");
        }
        for text in ["127.0.0.1", "127.255.0.1", "::1", "::ffff:127.0.0.1", "::7f00:1", "2002:7f00:1::"] {
            assert_eq!(reach(text), AddressRange::Loopback, "{text}");
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
            assert_eq!(reach(text), AddressRange::Private, "{text}");
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
            assert_eq!(reach(text), AddressRange::Public, "{text}");
        }
    }

    #[test]
    fn private_addresses_need_permission_and_our_own_port_is_always_refused() {
        let address = |text: &str| text.parse::<SocketAddr>().expect(text);
        let strict = AddressPolicy { private: false, own: vec![address("127.0.0.1:4010")] };
        let open = AddressPolicy { private: true, ..strict.clone() };
        assert!(strict.find_refusal(address("10.0.0.1:80")).is_some());
        assert!(open.find_refusal(address("10.0.0.1:80")).is_none());
        assert!(open.find_refusal(address("169.254.169.254:80")).is_some());
        for own in ["127.0.0.1:4010", "127.9.9.9:4010", "[::1]:4010", "[::ffff:127.0.0.1]:4010"] {
            assert!(open.find_refusal(address(own)).is_some(), "{own}");
        }
        assert!(strict.find_refusal(address("127.0.0.1:4011")).is_none());
    }
}
