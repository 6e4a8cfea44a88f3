//! Finds the differences of two responses by JSON pointer, except values that a server generates.

use std::collections::HashMap;

use serde_json::Value;

use super::ids::{ReplayIds, are_generated, link_code};

/// The most differences of one response that are listed, so that they do not fill the screen.
pub(super) const DIFFERENCES_MAX: usize = 100;

/// The differences that do not count.
#[derive(Debug, Default)]
pub(super) struct CompareRules {
    pub ignored: Vec<IgnoredPlace>,
    /// Whether generated values count too, because seed, clock and requests determine everything.
    pub is_exact: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum IgnoredPlace {
    /// A member of this name at any place.
    Name(String),
    /// A place and everything below it; `*` stands for any name or number.
    Pointer(Vec<String>),
}

impl std::str::FromStr for IgnoredPlace {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix('/') {
            Some(rest) => Ok(Self::Pointer(rest.split('/').map(str::to_owned).collect())),
            None if text.is_empty() || text.contains('/') => {
                Err("expected a name such as updated_at, or a pointer such as /items/*/name".to_owned())
            }
            None => Ok(Self::Name(text.to_owned())),
        }
    }
}

/// A place whose value differs; None where it has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BodyDifference {
    pub pointer: String,
    pub recorded: Option<Value>,
    pub now: Option<Value>,
}

/// The result of comparing one response.
#[derive(Debug, Default)]
pub(super) struct BodyComparison {
    /// The first differences, up to a limit.
    pub differences: Vec<BodyDifference>,
    pub count: usize,
    /// The recorded IDs with the new IDs that replace them.
    pub learnt: HashMap<String, String>,
}

/// Compares two bodies: as JSON if both are JSON, otherwise as text.
pub(super) fn compare_bodies(recorded: &str, now: &[u8], ids: &ReplayIds, rules: &CompareRules) -> BodyComparison {
    let mut comparer = BodyComparer { ids, rules, path: Vec::new(), found: BodyComparison::default() };
    match (serde_json::from_str::<Value>(recorded), serde_json::from_slice::<Value>(now)) {
        (Ok(recorded), Ok(now)) => comparer.compare_values(&recorded, &now),
        _ => {
            let now = String::from_utf8_lossy(now);
            if ids.replace_ids(recorded) != now {
                comparer.record_difference(Some(&Value::from(recorded)), Some(&Value::from(now.as_ref())));
            }
        }
    }
    comparer.found
}

struct BodyComparer<'a> {
    ids: &'a ReplayIds,
    rules: &'a CompareRules,
    path: Vec<String>,
    found: BodyComparison,
}

impl BodyComparer<'_> {
    fn record_difference(&mut self, recorded: Option<&Value>, now: Option<&Value>) {
        self.found.count += 1;
        if self.found.differences.len() < DIFFERENCES_MAX {
            let escaped = self.path.iter().map(|part| format!("/{}", part.replace('~', "~0").replace('/', "~1")));
            let pointer = escaped.collect();
            let (recorded, now) = (recorded.cloned(), now.cloned());
            self.found.differences.push(BodyDifference { pointer, recorded, now });
        }
    }

    fn is_ignored(&self) -> bool {
        self.rules.ignored.iter().any(|ignored| match ignored {
            IgnoredPlace::Name(name) => self.path.last() == Some(name),
            IgnoredPlace::Pointer(parts) => {
                parts.len() == self.path.len()
                    && parts.iter().zip(&self.path).all(|(wanted, part)| wanted == "*" || wanted == part)
            }
        })
    }

    fn descend(&mut self, name: String, look: impl FnOnce(&mut Self)) {
        self.path.push(name);
        if !self.is_ignored() {
            look(self);
        }
        self.path.pop();
    }

    fn compare_values(&mut self, recorded: &Value, now: &Value) {
        match (recorded, now) {
            (Value::Object(then), Value::Object(new)) => {
                for (name, recorded) in then {
                    self.descend(name.clone(), |comparer| match new.get(name) {
                        Some(now) => comparer.compare_values(recorded, now),
                        None => comparer.record_difference(Some(recorded), None),
                    });
                }
                for (name, now) in new.iter().filter(|(name, _)| !then.contains_key(*name)) {
                    self.descend(name.clone(), |comparer| comparer.record_difference(None, Some(now)));
                }
            }
            (Value::Array(then), Value::Array(new)) => {
                for at in 0..then.len().max(new.len()) {
                    self.descend(at.to_string(), |comparer| match (then.get(at), new.get(at)) {
                        (Some(recorded), Some(now)) => comparer.compare_values(recorded, now),
                        (recorded, now) => comparer.record_difference(recorded, now),
                    });
                }
            }
            (Value::String(then), Value::String(new)) => {
                if !self.is_same(then, new) {
                    self.record_difference(Some(recorded), Some(now));
                }
            }
            _ if recorded == now => {}
            _ => self.record_difference(Some(recorded), Some(now)),
        }
    }

    fn is_same(&mut self, then: &str, new: &str) -> bool {
        if self.rules.is_exact {
            return then == new;
        }
        let name = self.path.last().map_or("", String::as_str);
        if name == "trace_id" {
            return true;
        }
        if is_time_name(name) && is_time(then) && is_time(new) {
            return true;
        }
        if name == "short_link_url" {
            // The base of the URL differs too if another server created it.
            return link_code(then).zip(link_code(new)).map_or(then == new, |(then, new)| self.matches_id(then, new));
        }
        if are_generated(then, new) {
            return self.matches_id(then, new);
        }
        self.ids.replace_ids(then) == new
    }

    fn matches_id(&mut self, then: &str, new: &str) -> bool {
        if !self.ids.can_match(then, new) {
            return false;
        }
        match self.found.learnt.get(then) {
            Some(known) => known == new,
            None if self.found.learnt.values().any(|known| known == new) => false,
            None => {
                self.found.learnt.insert(then.to_owned(), new.to_owned());
                true
            }
        }
    }
}

/// Whether a member with this name holds a time that the server recorded.
fn is_time_name(name: &str) -> bool {
    name == "timestamp" || name.ends_with("_at") || name.ends_with("_time")
}

/// Whether a text is a time like `2026-01-05T09:00:00Z`, also with a space in the middle or with a fraction.
fn is_time(text: &str) -> bool {
    let form = "0000-00-00T00:00:00";
    text.len() >= form.len()
        && text.bytes().zip(form.bytes()).all(|(b, want)| match want {
            b'0' => b.is_ascii_digit(),
            b'T' => b == b'T' || b == b' ',
            want => b == want,
        })
        && text.bytes().skip(form.len()).all(|b| b.is_ascii_digit() || b".Z+-:".contains(&b))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ONE: &str = "LST_36AbCdEfGhIjKlMnOpQrStUvWx1";
    const TWO: &str = "LST_36AbCdEfGhIjKlMnOpQrStUvWx2";

    fn pointers(recorded: &Value, now: &Value, rules: &CompareRules) -> Vec<String> {
        let found = compare_bodies(&recorded.to_string(), now.to_string().as_bytes(), &ReplayIds::default(), rules);
        found.differences.into_iter().map(|difference| difference.pointer).collect()
    }

    #[test]
    fn each_difference_has_its_pointer() {
        let recorded = json!({ "a": [1, 2, { "b/c": 1 }], "d": null, "e": "x" });
        let now = json!({ "a": [1, 3, { "b/c": 2 }, 4], "d": null, "f": "x" });
        assert_eq!(pointers(&recorded, &now, &CompareRules::default()), ["/a/1", "/a/2/b~1c", "/a/3", "/e", "/f"]);
        let ignored = ["/a/*", "e", "/f"].map(|text| text.parse().expect("a rule")).to_vec();
        assert_eq!(pointers(&recorded, &now, &CompareRules { ignored, is_exact: false }), Vec::<String>::new());
        assert_eq!(pointers(&json!("1"), &json!(1), &CompareRules::default()), [""]);
        for text in ["", "a/b"] {
            text.parse::<IgnoredPlace>().expect_err(text);
        }
        let plain = compare_bodies("no JSON", b"none", &ReplayIds::default(), &CompareRules::default());
        assert_eq!(plain.count, 1);
    }

    #[test]
    fn newly_minted_values_may_differ_and_are_learnt() {
        let recorded = json!({
            "uid": ONE, "created_at": "2026-01-05T09:00:00Z", "updated_at": "2026-01-05 09:00:00",
            "error": { "timestamp": "2026-01-05T09:00:00.123456789Z", "trace_id": "a" },
            "short_link_url": "http://127.0.0.1:1/s/abcdef", "again": ONE,
        });
        let now = json!({
            "uid": TWO, "created_at": "2026-01-06T09:00:00Z", "updated_at": "2026-01-06 09:00:00",
            "error": { "timestamp": "2026-01-06T09:00:00.1Z", "trace_id": "b" },
            "short_link_url": "http://127.0.0.1:2/s/ghijkl", "again": TWO,
        });
        let found = compare_bodies(
            &recorded.to_string(),
            now.to_string().as_bytes(),
            &ReplayIds::default(),
            &CompareRules::default(),
        );
        assert_eq!(found.count, 0, "{:?}", found.differences);
        let learnt: HashMap<_, _> = [(ONE, TWO), ("abcdef", "ghijkl")].map(|(a, b)| (a.into(), b.into())).into();
        assert_eq!(found.learnt, learnt);
        let exact = CompareRules { is_exact: true, ..CompareRules::default() };
        assert_eq!(pointers(&recorded, &now, &exact).len(), 7);
        // A time in any other member is data of the user.
        let birthday = |day: u32| json!({ "born": format!("2026-01-0{day}T00:00:00Z") });
        assert_eq!(pointers(&birthday(1), &birthday(2), &CompareRules::default()), ["/born"]);
    }

    #[test]
    fn a_recorded_id_matches_exactly_one_new_id() {
        let two = |a: &str, b: &str| json!([a, b]);
        assert_eq!(pointers(&two(ONE, TWO), &two(TWO, ONE), &CompareRules::default()), Vec::<String>::new());
        assert_eq!(pointers(&two(ONE, ONE), &two(TWO, ONE), &CompareRules::default()), ["/1"]);
        assert_eq!(pointers(&two(ONE, TWO), &two(TWO, TWO), &CompareRules::default()), ["/1"]);
        let mut ids = ReplayIds::default();
        ids.learn_pair(ONE, TWO);
        let text = json!({ "message": format!("List {ONE} is gone.") }).to_string();
        let found = compare_bodies(&text, text.replace(ONE, TWO).as_bytes(), &ids, &CompareRules::default());
        assert_eq!(found.count, 0);
        assert_eq!(compare_bodies(&text, text.as_bytes(), &ids, &CompareRules::default()).count, 1);
    }
}
