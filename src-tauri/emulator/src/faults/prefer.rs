//! The header `Prefer: code=429, delay=800`, in which a caller asks for its own fault where the options permit it.

use axum::http::HeaderMap;

use super::{
    effect::{FaultEffect, LATENCY_MAX, Latency},
    rule::FaultRule,
};
use crate::settings::HumanDuration;

/// Reads the fault that a request prefers. Ignores unknown preferences and invalid values, as RFC 7240 requires.
pub(super) fn rule_from_headers(headers: &HeaderMap) -> Option<FaultRule> {
    let mut effect = FaultEffect::default();
    let texts = headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok());
    for preference in texts.flat_map(|text| text.split([',', ';'])) {
        let Some((name, value)) = preference.split_once('=') else { continue };
        let Ok(value) = value.trim().trim_matches('"').parse::<u64>() else { continue };
        match name.trim() {
            "code" => effect.status = u16::try_from(value).ok().filter(|code| (400..600).contains(code)),
            "delay" if value <= LATENCY_MAX.as_millis() => {
                effect.latency = Some(Latency::Fixed(HumanDuration::from_millis(value)))
            }
            _ => {}
        }
    }
    (effect != FaultEffect::default()).then(|| FaultRule { effect, ..FaultRule::default() })
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn codes_and_delays_are_read() {
        for (value, want) in [
            ("code=429", Some((Some(429), None))),
            ("code=503; delay=800", Some((Some(503), Some(800)))),
            ("return=minimal, delay=\"5\"", Some((None, Some(5)))),
            ("code=200", None),
            ("code=x, delay=-1", None),
            ("delay=600001", None),
            ("respond-async", None),
        ] {
            let headers = HeaderMap::from_iter([("prefer".parse().expect("a name"), HeaderValue::from_static(value))]);
            let found = rule_from_headers(&headers).map(|rule| {
                let wait = rule.effect.latency.map(|latency| match latency {
                    Latency::Fixed(wait) => wait.as_millis(),
                    other => panic!("{other:?}"),
                });
                (rule.effect.status, wait)
            });
            assert_eq!(found, want, "{value}");
        }
    }
}
