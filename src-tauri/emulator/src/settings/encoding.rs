//! Writes bytes and keyed values of a world as JSON.

/// Bytes as a text if they are valid UTF-8, otherwise as hexadecimal digits.
pub(crate) mod written_bytes {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum EncodedBytes {
        Text(String),
        Hex(String),
    }

    pub(crate) fn serialize<S: Serializer>(bytes: impl AsRef<[u8]>, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes = bytes.as_ref();
        let written = match std::str::from_utf8(bytes) {
            Ok(text) => EncodedBytes::Text(text.to_owned()),
            Err(_) => EncodedBytes::Hex(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
        };
        written.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>, T: From<Vec<u8>>>(deserializer: D) -> Result<T, D::Error> {
        let bytes = match EncodedBytes::deserialize(deserializer)? {
            EncodedBytes::Text(text) => text.into_bytes(),
            EncodedBytes::Hex(digits) => {
                let byte =
                    |pair: &[u8]| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok());
                let bytes: Option<Vec<u8>> = digits.as_bytes().chunks(2).map(byte).collect();
                bytes.ok_or_else(|| de::Error::custom("these are not hexadecimal digits"))?
            }
        };
        Ok(T::from(bytes))
    }
}

/// A map whose keys are not texts, as a list of pairs.
pub(crate) mod written_pairs {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer, K: Serialize, V: Serialize>(
        map: &BTreeMap<K, V>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(map)
    }

    pub(crate) fn deserialize<'de, D, K, V>(deserializer: D) -> Result<BTreeMap<K, V>, D::Error>
    where
        D: Deserializer<'de>,
        K: Deserialize<'de> + Ord,
        V: Deserialize<'de>,
    {
        Ok(Vec::<(K, V)>::deserialize(deserializer)?.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct TestBytes(#[serde(with = "super::written_bytes")] Vec<u8>);

    #[test]
    fn any_bytes_come_back() {
        for bytes in [b"".to_vec(), b"{\"a\":1}".to_vec(), vec![0, 159, 146, 150], (0..=255).collect()] {
            let written = serde_json::to_string(&TestBytes(bytes.clone())).expect("written");
            assert_eq!(serde_json::from_str::<TestBytes>(&written).expect("read").0, bytes, "{written}");
        }
        for wrong in [r#"{"hex":"zz"}"#, r#"{"base":"00"}"#] {
            assert!(serde_json::from_str::<TestBytes>(wrong).is_err(), "{wrong}");
        }
    }
}
