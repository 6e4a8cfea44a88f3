//! Masks secrets before anything is recorded: in headers by their names, in queries by their parameters.

use std::{
    hash::{BuildHasher, RandomState},
    sync::LazyLock,
};

use super::exchange::{HEADER_MAX, RecordedHeaders};

/// A header or parameter holds a secret if its name contains one of these words.
const SECRET_WORDS: [&str; 8] = ["auth", "key", "token", "secret", "cookie", "password", "credential", "signature"];

pub fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_WORDS.iter().any(|word| name.contains(word))
}

/// Returns the headers with secrets masked. Their names are in lower case.
pub fn mask_headers<'h>(headers: impl Iterator<Item = (&'h str, &'h [u8])>) -> RecordedHeaders {
    let mut masked = RecordedHeaders::default();
    for (name, value) in headers {
        let text = String::from_utf8_lossy(value);
        let is_secret = SECRET_WORDS.iter().any(|word| name.contains(word));
        masked.push(
            name,
            |all| {
                if is_secret { all.push_str(&mask_with_scheme(&text)) } else { push_truncated(&text, all) }
            },
        );
    }
    masked
}

/// Returns the key of a request, masked, and its fingerprint.
pub fn mask_key(key: &[u8]) -> (String, u64) {
    let key = String::from_utf8_lossy(key);
    let key = key.trim();
    (mask_with_scheme(key), fingerprint_secret(key))
}

/// Returns the fingerprint of a secret, to compare two without storing either. It differs between processes.
pub(crate) fn fingerprint_secret(secret: &str) -> u64 {
    static SEED: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    SEED.hash_one(secret)
}

/// Masks a secret: shows its first four characters, but never more than half of it.
pub fn masked_prefix(secret: &str) -> String {
    secret.chars().take(4.min(secret.chars().count() / 2)).chain(std::iter::once('…')).collect()
}

/// Masks a secret but shows its scheme: `Bearer abcd…`.
fn mask_with_scheme(text: &str) -> String {
    match text.split_once(' ') {
        Some((scheme @ ("Bearer" | "bearer" | "Basic" | "basic" | "Digest"), secret)) => {
            format!("{scheme} {}", masked_prefix(secret.trim()))
        }
        _ if text.is_empty() => String::new(),
        _ => masked_prefix(text),
    }
}

fn push_truncated(text: &str, into: &mut String) {
    if text.len() <= HEADER_MAX {
        return into.push_str(text);
    }
    into.extend(text.chars().take(HEADER_MAX).chain(['…']));
}

/// Masks the secrets in a path with query, or in a whole address.
pub fn mask_target(target: &str) -> String {
    let (place, query) = match target.split_once('?') {
        Some((place, query)) => (place, Some(query)),
        None => (target, None),
    };
    let mut masked = mask_password(place);
    if let Some(query) = query {
        masked.push('?');
        let pairs: Vec<String> = query.split('&').map(mask_parameter).collect();
        masked.push_str(&pairs.join("&"));
    }
    masked
}

fn mask_parameter(pair: &str) -> String {
    match pair.split_once('=') {
        Some((name, value)) if is_secret(name) && !value.is_empty() => format!("{name}={}", masked_prefix(value)),
        _ => pair.to_owned(),
    }
}

/// Masks the password of an address: `https://me:…@host/path`.
fn mask_password(place: &str) -> String {
    let Some((scheme, rest)) = place.split_once("://") else { return place.to_owned() };
    let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    match authority.rsplit_once('@').map(|(user, host)| (user.split_once(':').map_or(user, |(name, _)| name), host)) {
        Some((name, host)) => format!("{scheme}://{name}:…@{host}{path}"),
        None => place.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known_by_the_names_of_their_headers() {
        let given = [
            ("x-auth-key", "opensesame-opensesame"),
            ("x-auth-key", "second-key"),
            ("authorization", "Bearer 0123456789abcdef"),
            ("cookie", "session=opensesame"),
            ("x-api-token", "abc"),
            ("accept", "application/json"),
        ];
        let masked = mask_headers(given.into_iter().map(|(name, value)| (name, value.as_bytes())));
        let values: Vec<_> = masked.iter().map(|(_, value)| value).collect();
        assert_eq!(values, ["open…", "seco…", "Bearer 0123…", "sess…", "a…", "application/json"]);
        assert_eq!(mask_key(b" opensesame "), ("open…".to_owned(), fingerprint_secret("opensesame")));
    }

    #[test]
    fn secrets_in_addresses_are_masked_and_the_rest_is_kept() {
        for (given, want) in [
            ("/contacts/v1/lists/?name=VIP&page_size=5", "/contacts/v1/lists/?name=VIP&page_size=5"),
            ("/x?api_key=opensesame&a=1&Token=abcdefgh", "/x?api_key=open…&a=1&Token=abcd…"),
            ("https://me:opensesame@client.example/hook?a=1", "https://me:…@client.example/hook?a=1"),
            ("http://client.example", "http://client.example"),
            ("/x?", "/x?"),
        ] {
            assert_eq!(mask_target(given), want);
        }
    }

    #[test]
    fn a_long_header_is_cut() {
        let value = "x".repeat(HEADER_MAX + 1);
        let masked = mask_headers([("x-long", value.as_bytes())].into_iter());
        assert_eq!(masked.values_of("x-long").next().expect("it").chars().count(), HEADER_MAX + 1);
    }
}
