//! Identifiers: a prefix for the kind, followed by 27 characters. They are created as KSUIDs, so that they sort by
//! time.

use serde::Serialize;

/// Characters after the prefix.
pub const BODY_LEN: usize = 27;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Number of values that five digits can have.
const FIVE_DIGITS: u64 = 62_u64.pow(5);
/// KSUID time begins at 2014-05-13T16:53:20Z.
const KSUID_EPOCH: i64 = 1_400_000_000;

/// A KSUID: four bytes of seconds and sixteen of randomness, written in base 62.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ksuid([u8; 20]);

impl Ksuid {
    pub fn new(unix_seconds: i64, random: [u8; 16]) -> Self {
        let seconds = (unix_seconds - KSUID_EPOCH).clamp(0, i64::from(u32::MAX)) as u32;
        let mut bytes = [0; 20];
        bytes[..4].copy_from_slice(&seconds.to_be_bytes());
        bytes[4..].copy_from_slice(&random);
        Self(bytes)
    }

    fn encode(self) -> [u8; BODY_LEN] {
        let mut words = [0u32; 5];
        for (word, chunk) in words.iter_mut().zip(self.0.chunks_exact(4)) {
            *word = chunk.iter().fold(0, |w, b| (w << 8) | u32::from(*b));
        }
        let mut out = [b'0'; BODY_LEN];
        // Each division yields five digits, because divisions take most of the time.
        for digits in out.rchunks_mut(5) {
            let mut rest = 0u64;
            for word in &mut words {
                let value = (rest << 32) | u64::from(*word);
                *word = (value / FIVE_DIGITS) as u32;
                rest = value % FIVE_DIGITS;
            }
            for slot in digits.iter_mut().rev() {
                *slot = ALPHABET[(rest % 62) as usize];
                rest /= 62;
            }
        }
        out
    }
}

/// The error for a text that is not an identifier of the expected kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{given}' is not a valid id: expected {wanted} and 27 letters or digits")]
pub struct MalformedId {
    pub given: String,
    pub wanted: &'static str,
}

fn well_formed(text: &str, prefix: &str) -> bool {
    text.strip_prefix(prefix)
        .is_some_and(|body| body.len() == BODY_LEN && body.bytes().all(|b| b.is_ascii_alphanumeric()))
}

fn assemble(prefix: &str, ksuid: Ksuid) -> String {
    let body = ksuid.encode();
    let mut text = String::with_capacity(prefix.len() + BODY_LEN);
    text.push_str(prefix);
    text.extend(body.iter().map(|b| char::from(*b)));
    text
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
        #[serde(transparent)]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
        pub struct $name(String);

        impl $name {
            pub const PREFIX: &'static str = $prefix;

            pub fn new(ksuid: Ksuid) -> Self {
                Self(assemble(Self::PREFIX, ksuid))
            }

            pub fn parse(text: &str) -> Result<Self, MalformedId> {
                if well_formed(text, Self::PREFIX) {
                    Ok(Self(text.to_owned()))
                } else {
                    Err(MalformedId { given: text.to_owned(), wanted: Self::PREFIX })
                }
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

ids! {
    /// A sender.
    SenderId = "ssd_";
    /// A contact list.
    ListId = "LST_";
    /// A contact of one list.
    ContactId = "CON_";
    /// A short link.
    LinkId = "shl_";
    /// A saved view of a list.
    ViewUid = "VEW_";
}

/// The id of an inbound asset. Its prefix identifies the channel.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct AssetId(String);

impl AssetId {
    pub fn new(channel: crate::channel::Channel, ksuid: Ksuid) -> Self {
        Self(assemble(channel.asset_prefix(), ksuid))
    }

    pub fn parse(text: &str) -> Result<Self, MalformedId> {
        use crate::channel::Channel;
        if well_formed(text, Channel::Sms.asset_prefix()) || well_formed(text, Channel::WhatsApp.asset_prefix()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(MalformedId { given: text.to_owned(), wanted: "num_ or wbp_" })
        }
    }

    pub fn channel(&self) -> crate::channel::Channel {
        use crate::channel::Channel;
        if self.0.starts_with(Channel::Sms.asset_prefix()) { Channel::Sms } else { Channel::WhatsApp }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for AssetId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_reference_ksuid_is_written_as_its_specification_shows() {
        // The reference example of the KSUID specification.
        let mut payload = [0; 16];
        for (i, byte) in payload.iter_mut().enumerate() {
            let hex = "B5A1CD34B5F99D1154FB6853345C9735";
            *byte = u8::from_str_radix(&hex[i * 2..i * 2 + 2], 16).expect("hex");
        }
        let id = ListId::new(Ksuid::new(1_400_000_000 + 107_608_047, payload));
        assert_eq!(id.as_str(), "LST_0ujtsYcgvSTl8PAuAdqWYSMnLOv");
    }

    #[test]
    fn other_kinds_lengths_and_characters_are_malformed() {
        let good = format!("LST_{}", "a".repeat(27));
        assert!(ListId::parse(&good).is_ok());
        for bad in [
            "",
            "LST_",
            "abc",
            "LST_1",
            &format!("lst_{}", "a".repeat(27)),
            &format!("LST_{}", "a".repeat(28)),
            &format!("LST_{}", "a".repeat(26)),
            &format!("CON_{}", "a".repeat(27)),
            &format!("LST_{}-", "a".repeat(26)),
            &format!("LST_{}é", "a".repeat(25)),
        ] {
            assert!(ListId::parse(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn text_order_is_byte_order(a in any::<(u32, [u8; 16])>(), b in any::<(u32, [u8; 16])>()) {
            let ksuid = |(s, r): (u32, [u8; 16])| Ksuid::new(KSUID_EPOCH + i64::from(s), r);
            let (a, b) = (ksuid(a), ksuid(b));
            prop_assert_eq!(a.cmp(&b), ContactId::new(a).cmp(&ContactId::new(b)));
            prop_assert!(ContactId::parse(ContactId::new(a).as_str()).is_ok());
        }
    }
}
