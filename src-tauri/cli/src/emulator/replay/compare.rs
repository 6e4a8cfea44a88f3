//! Finds the differences of two responses by JSON pointer, except values that a server generates.

use std::collections::HashMap;

use serde_json::Value;

use super::ids::{Ids, are_minted, code};

/// The most differences of one response that are listed, so that they do not fill the screen.
pub const MOST: usize = 100;

/// The differences that do not count.
#[derive(Debug, Default)]
pub struct Rules {
    pub ignored: Vec<Ignored>,
    /// Whether generated values count too, because seed, clock and requests determine everything.
    pub is_exact: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ignored {
    /// A member of this name at any place.
    Name(String),
    /// A place and everything below it; `*` stands for any name or number.
    Pointer(Vec<String>),
}

impl std::str::FromStr for Ignored {
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
pub struct Difference {
    pub pointer: String,
    pub recorded: Option<Value>,
    pub now: Option<Value>,
}

/// The result of comparing one response.
#[derive(Debug, Default)]
pub struct Compared {
    /// The first differences, up to a limit.
    pub differences: Vec<Difference>,
    pub count: usize,
    /// The recorded IDs with the new IDs that replace them.
    pub learnt: HashMap<String, String>,
}

/// Compares two bodies: as JSON if both are JSON, otherwise as text.
pub fn compare(recorded: &str, now: &[u8], ids: &Ids, rules: &Rules) -> Compared {
    let mut walk = Walk { ids, rules, path: Vec::new(), found: Compared::default() };
    match (serde_json::from_str::<Value>(recorded), serde_json::from_slice::<Value>(now)) {
        (Ok(recorded), Ok(now)) => walk.values(&recorded, &now),
        _ => {
            let now = String::from_utf8_lossy(now);
            if ids.carry(recorded) != now {
                walk.differ(Some(&Value::from(recorded)), Some(&Value::from(now.as_ref())));
            }
        }
    }
    walk.found
}

struct Walk<'a> {
    ids: &'a Ids,
    rules: &'a Rules,
    path: Vec<String>,
    found: Compared,
}

impl Walk<'_> {
    fn differ(&mut self, recorded: Option<&Value>, now: Option<&Value>) {
        self.found.count += 1;
        if self.found.differences.len() < MOST {
            let escaped = self.path.iter().map(|part| format!("/{}", part.replace('~', "~0").replace('/', "~1")));
            let pointer = escaped.collect();
            let (recorded, now) = (recorded.cloned(), now.cloned());
            self.found.differences.push(Difference { pointer, recorded, now });
        }
    }

    fn is_ignored(&self) -> bool {
        self.rules.ignored.iter().any(|ignored| match ignored {
            Ignored::Name(name) => self.path.last() == Some(name),
            Ignored::Pointer(parts) => {
                parts.len() == self.path.len()
                    && parts.iter().zip(&self.path).all(|(wanted, part)| wanted == "*" || wanted == part)
            }
        })
    }

    fn inside(&mut self, name: String, look: impl FnOnce(&mut Self)) {
        self.path.push(name);
        if !self.is_ignored() {
            look(self);
        }
        self.path.pop();
    }

    fn values(&mut self, recorded: &Value, now: &Value) {
        match (recorded, now) {
            (Value::Object(then), Value::Object(new)) => {
                for (name, recorded) in then {
                    self.inside(name.clone(), |walk| match new.get(name) {
                        Some(now) => walk.values(recorded, now),
                        None => walk.differ(Some(recorded), None),
                    });
                }
                for (name, now) in new.iter().filter(|(name, _)| !then.contains_key(*name)) {
                    self.inside(name.clone(), |walk| walk.differ(None, Some(now)));
                }
            }
            (Value::Array(then), Value::Array(new)) => {
                for at in 0..then.len().max(new.len()) {
                    self.inside(at.to_string(), |walk| match (then.get(at), new.get(at)) {
                        (Some(recorded), Some(now)) => walk.values(recorded, now),
                        (recorded, now) => walk.differ(recorded, now),
                    });
                }
            }
            (Value::String(then), Value::String(new)) => {
                if !self.is_same(then, new) {
                    self.differ(Some(recorded), Some(now));
                }
            }
            _ if recorded == now => {}
            _ => self.differ(Some(recorded), Some(now)),
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
            return code(then).zip(code(new)).map_or(then == new, |(then, new)| self.stands_for(then, new));
        }
        if are_minted(then, new) {
            return self.stands_for(then, new);
        }
        self.ids.carry(then) == new
    }

    fn stands_for(&mut self, then: &str, new: &str) -> bool {
        if !self.ids.may_be(then, new) {
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

    fn pointers(recorded: &Value, now: &Value, rules: &Rules) -> Vec<String> {
        let found = compare(&recorded.to_string(), now.to_string().as_bytes(), &Ids::default(), rules);
        found.differences.into_iter().map(|difference| difference.pointer).collect()
    }

    #[test]
    fn what_differs_is_told_by_its_pointer() {
        let recorded = json!({ "a": [1, 2, { "b/c": 1 }], "d": null, "e": "x" });
        let now = json!({ "a": [1, 3, { "b/c": 2 }, 4], "d": null, "f": "x" });
        assert_eq!(pointers(&recorded, &now, &Rules::default()), ["/a/1", "/a/2/b~1c", "/a/3", "/e", "/f"]);
        let ignored = ["/a/*", "e", "/f"].map(|text| text.parse().expect("a rule")).to_vec();
        assert_eq!(pointers(&recorded, &now, &Rules { ignored, is_exact: false }), Vec::<String>::new());
        assert_eq!(pointers(&json!("1"), &json!(1), &Rules::default()), [""]);
        for text in ["", "a/b"] {
            text.parse::<Ignored>().expect_err(text);
        }
        let plain = compare("no JSON", b"none", &Ids::default(), &Rules::default());
        assert_eq!(plain.count, 1);
    }

    #[test]
    fn what_is_minted_anew_may_differ_and_is_learnt() {
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
        let found = compare(&recorded.to_string(), now.to_string().as_bytes(), &Ids::default(), &Rules::default());
        assert_eq!(found.count, 0, "{:?}", found.differences);
        let learnt: HashMap<_, _> = [(ONE, TWO), ("abcdef", "ghijkl")].map(|(a, b)| (a.into(), b.into())).into();
        assert_eq!(found.learnt, learnt);
        let exact = Rules { is_exact: true, ..Rules::default() };
        assert_eq!(pointers(&recorded, &now, &exact).len(), 7);
        // A time in any other member is data of the user.
        let birthday = |day: u32| json!({ "born": format!("2026-01-0{day}T00:00:00Z") });
        assert_eq!(pointers(&birthday(1), &birthday(2), &Rules::default()), ["/born"]);
    }

    #[test]
    fn an_id_stands_for_one_other_alone() {
        let two = |a: &str, b: &str| json!([a, b]);
        assert_eq!(pointers(&two(ONE, TWO), &two(TWO, ONE), &Rules::default()), Vec::<String>::new());
        assert_eq!(pointers(&two(ONE, ONE), &two(TWO, ONE), &Rules::default()), ["/1"]);
        assert_eq!(pointers(&two(ONE, TWO), &two(TWO, TWO), &Rules::default()), ["/1"]);
        let mut ids = Ids::default();
        ids.learn(ONE, TWO);
        let text = json!({ "message": format!("List {ONE} is gone.") }).to_string();
        let found = compare(&text, text.replace(ONE, TWO).as_bytes(), &ids, &Rules::default());
        assert_eq!(found.count, 0);
        assert_eq!(compare(&text, text.as_bytes(), &ids, &Rules::default()).count, 1);
    }
}
