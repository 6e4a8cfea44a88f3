//! Reads the JSON of a body, so that an error names its value by a JSON pointer and says in plain words what was expected
//! there.

use std::{fmt, marker::PhantomData, vec};

use serde::{
    Deserialize, Deserializer,
    de::{
        DeserializeOwned, DeserializeSeed, Error as _, IntoDeserializer, MapAccess, SeqAccess, Unexpected, Visitor,
        value::MapAccessDeserializer,
    },
    forward_to_deserialize_any,
};
use serde_json::{Number, value::RawValue};

use super::{AdminError, BodyValueError, pointer};

/// The most keys of a pointer, so that a body cannot exhaust the stack.
const KEYS_MAX: usize = 127;
/// How `serde_json` asks for the text of a value in place of the value.
const RAW_VALUE: &str = "$serde_json::private::RawValue";
const OBJECT: &str = "an object";
const NAMED_VALUE: &str = "an object of the name and its value, such as {\"fixed\": \"2s\"}";

/// Reads a body.
pub(in crate::admin) fn read_body<T: DeserializeOwned>(body: &[u8]) -> Result<T, AdminError> {
    let raw: &RawValue = serde_json::from_slice(body).map_err(|why| AdminError::bad_json(body, &why))?;
    JsonNode { raw, pointer: String::new() }.read(PhantomData).map_err(AdminError::from)
}

/// A value of the body, or the key of one.
#[derive(Clone)]
struct JsonNode<'de> {
    raw: &'de RawValue,
    pointer: String,
}

impl<'de> JsonNode<'de> {
    fn read<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, BodyValueError> {
        let pointer = self.pointer.clone();
        let read = match pointer.matches('/').count() {
            ..=KEYS_MAX => seed.deserialize(self),
            _ => Err(BodyValueError::custom(format!("More than {KEYS_MAX} objects and lists within each other"))),
        };
        read.map_err(|error| error.at(&pointer))
    }

    /// Parses the text, in which only the values of texts and numbers are still unchecked.
    fn parse<T: Deserialize<'de>>(&self, problem: &str) -> Result<T, BodyValueError> {
        serde_json::from_str(self.raw.get()).map_err(|_| BodyValueError::custom(problem))
    }

    fn parse_text(&self) -> Result<String, BodyValueError> {
        self.parse("Invalid JSON: the text contains half of a surrogate pair")
    }

    fn child(&self, key: &str, raw: &'de RawValue) -> Self {
        Self { raw, pointer: format!("{}{}", self.pointer, pointer::from_keys([key])) }
    }

    /// Returns the members of an object in their order, also those with the same key.
    fn members(&self) -> Result<JsonMembers<'de>, BodyValueError> {
        let members = self.raw.deserialize_map(MembersVisitor).map_err(BodyValueError::custom)?;
        Ok(JsonMembers { object: self.clone(), rest: members.into_iter(), value: None })
    }

    fn visit_variant<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BodyValueError> {
        match self.raw.get().as_bytes()[0] {
            b'"' => visitor.visit_enum(self.parse_text()?.into_deserializer()),
            b'{' => match self.members()? {
                members if members.rest.len() == 1 => visitor.visit_enum(MapAccessDeserializer::new(members)),
                _ => Err(BodyValueError::invalid_type(Unexpected::Map, &OBJECT)),
            },
            _ => self.deserialize_any(visitor),
        }
    }
}

/// Members of an object that are not read yet.
struct JsonMembers<'de> {
    object: JsonNode<'de>,
    rest: vec::IntoIter<(&'de RawValue, &'de RawValue)>,
    /// The value of the key that was read last.
    value: Option<JsonNode<'de>>,
}

impl<'de> MapAccess<'de> for JsonMembers<'de> {
    type Error = BodyValueError;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, BodyValueError> {
        let Some((key, value)) = self.rest.next() else { return Ok(None) };
        let name: String = JsonNode { raw: key, ..self.object.clone() }.parse_text()?;
        self.value = Some(self.object.child(&name, value));
        self.object.child(&name, key).read(seed).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, BodyValueError> {
        self.value.take().ok_or_else(|| BodyValueError::custom("A value without a key"))?.read(seed)
    }
}

/// Items of a list that are not read yet.
struct JsonItems<I>(I);

impl<'de, I: Iterator<Item = JsonNode<'de>>> SeqAccess<'de> for JsonItems<I> {
    type Error = BodyValueError;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, BodyValueError> {
        self.0.next().map(|node| node.read(seed)).transpose()
    }
}

/// Reads values of types whose names in errors are those of the program, and describes them for people instead.
macro_rules! read_described {
    ($($method:ident: $expected:literal,)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BodyValueError> {
            self.deserialize_any(visitor).map_err(|error| error.expecting($expected))
        }
    )*};
}

impl<'de> Deserializer<'de> for JsonNode<'de> {
    type Error = BodyValueError;

    read_described! {
        deserialize_bool: "true or false",
        deserialize_i8: "an integer",
        deserialize_i16: "an integer",
        deserialize_i32: "an integer",
        deserialize_i64: "an integer",
        deserialize_u8: "a non-negative integer",
        deserialize_u16: "a non-negative integer",
        deserialize_u32: "a non-negative integer",
        deserialize_u64: "a non-negative integer",
        deserialize_f32: "a number",
        deserialize_f64: "a number",
        deserialize_string: "a text",
        deserialize_seq: "a list",
    }

    forward_to_deserialize_any! { char str bytes byte_buf unit_struct tuple tuple_struct identifier }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BodyValueError> {
        match self.raw.get().as_bytes()[0] {
            b'{' => visitor.visit_map(self.members()?),
            b'[' => {
                let items: Vec<&RawValue> = self.parse("Invalid JSON")?;
                let nodes = items.into_iter().enumerate().map(|(at, raw)| self.child(&at.to_string(), raw));
                visitor.visit_seq(JsonItems(nodes))
            }
            b'"' => visitor.visit_string(self.parse_text()?),
            b't' => visitor.visit_bool(true),
            b'f' => visitor.visit_bool(false),
            b'n' => visitor.visit_unit(),
            _ => {
                let number: Number = self.parse("Invalid JSON: the number is too large")?;
                match (number.as_u64(), number.as_i64()) {
                    (Some(number), _) => visitor.visit_u64(number),
                    (None, Some(number)) => visitor.visit_i64(number),
                    (None, None) => visitor.visit_f64(number.as_f64().unwrap_or_default()),
                }
            }
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BodyValueError> {
        let read = match self.raw.get().starts_with('[') {
            // The visitor of a derived type would take its fields from a list.
            true => Err(BodyValueError::invalid_type(Unexpected::Seq, &OBJECT)),
            false => self.deserialize_any(visitor),
        };
        read.map_err(|error| error.expecting(OBJECT))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, BodyValueError> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, BodyValueError> {
        let expected = match self.raw.get().starts_with('"') {
            true => NAMED_VALUE.to_owned(),
            false => format!("one of {}", known.join(", ")),
        };
        self.visit_variant(visitor).map_err(|error| error.expecting(&expected))
    }

    fn deserialize_unit<V: Visitor<'de>>(self, _: V) -> Result<V::Value, BodyValueError> {
        // Only the value of a name that takes none is read so.
        Err(BodyValueError::custom("Expected the name alone, as a text"))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BodyValueError> {
        match self.raw.get() {
            "null" => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, BodyValueError> {
        match name {
            RAW_VALUE => self.raw.deserialize_newtype_struct(name, visitor).map_err(BodyValueError::custom),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BodyValueError> {
        visitor.visit_unit()
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Vec<(&'de RawValue, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(OBJECT)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = object.next_entry()? {
            members.push(member);
        }
        Ok(members)
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, num::NonZeroU64};

    use serde_json::Value;

    use super::*;
    use crate::settings::HumanDuration;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only read into")]
    struct Order {
        name: String,
        count: Option<u32>,
        shift: Option<i8>,
        weight: Option<f64>,
        on: Option<bool>,
        every: Option<NonZeroU64>,
        after: Option<HumanDuration>,
        parts: Option<Vec<Part>>,
        label: Option<Label>,
        extra: Option<Extra>,
        other: Option<Value>,
        text: Option<Box<RawValue>>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    #[expect(dead_code, reason = "only read into")]
    enum Part {
        Whole,
        Exact(u8),
        Between { min: u8, max: u8 },
    }

    #[derive(Debug, Deserialize)]
    #[serde(untagged, expecting = "write a number or a text")]
    #[expect(dead_code, reason = "only read into")]
    enum Label {
        Number(u64),
        Text(String),
    }

    #[derive(Debug, Deserialize)]
    #[serde(tag = "kind")]
    #[expect(dead_code, reason = "only read into")]
    enum Extra {
        Counted {
            count: u8,
            #[serde(flatten)]
            rest: BTreeMap<String, Value>,
        },
    }

    #[test]
    fn a_body_is_read_as_serde_json_reads_it() {
        for body in [
            r#" { "name" : "\u00e9\"x" } "#,
            r#"{"name":"","count":null,"shift":-5,"weight":1,"on":true,"every":18446744073709551615,"after":"2s"}"#,
            r#"{"name":"","weight":-2.5e-3,"on":false,"parts":["whole",{"exact":7},{"between":{"max":2,"min":1}}]}"#,
            r#"{"name":"","label":5,"extra":{"count":1,"kind":"Counted","a~b":[{}],"c":null}}"#,
            r#"{"name":"","label":"x","parts":[],"other":{"a":[-1,0.5,"x",null,[]],"a":2},"text":{"b": 1.00,"a":[ ]}}"#,
        ] {
            let expected: Order = serde_json::from_str(body).expect(body);
            let read: Order = read_body(body.as_bytes()).expect(body);
            assert_eq!(format!("{read:?}"), format!("{expected:?}"));
        }
    }

    fn expect_refusal(body: &[u8]) -> (String, String) {
        let refused = read_body::<Order>(body).expect_err("a refusal").into_refusal();
        (refused.pointer.expect("a pointer"), refused.message)
    }

    #[test]
    fn a_wrong_value_is_refused_with_its_pointer_and_what_was_expected() {
        for (body, pointer, message) in [
            ("{}", "", "Missing field 'name'."),
            (r#"{"parts":[{"exact":1},{"between":{"min":1}}]}"#, "/parts/1/between", "Missing field 'max'."),
            (r#"{"name":"","name":""}"#, "/name", "Duplicate field 'name'."),
            (
                r#"{"parts":[{"between":{"mix":1}}]}"#,
                "/parts/0/between/mix",
                "Unknown field 'mix'. Did you mean 'min'? Fields: min, max.",
            ),
            (r#"{"parts":["zzz"]}"#, "/parts/0", "Unknown value 'zzz'. Values: whole, exact, between."),
            (
                r#"{"parts":[{"exakt":1}]}"#,
                "/parts/0/exakt",
                "Unknown value 'exakt'. Did you mean 'exact'? Values: whole, exact, between.",
            ),
            (r#"{"parts":[7]}"#, "/parts/0", "Expected one of whole, exact, between, got 7."),
            (r#"{"parts":[{"whole":7}]}"#, "/parts/0/whole", "Expected the name alone, as a text."),
            (r#"{"parts":[{}]}"#, "/parts/0", "Expected one of whole, exact, between, got an object."),
            (
                r#"{"parts":["exact"]}"#,
                "/parts/0",
                "Expected an object of the name and its value, such as {\"fixed\": \"2s\"}, got only its name.",
            ),
            (r#"{"parts":[{"exact":-1}]}"#, "/parts/0/exact", "Expected a non-negative integer, got -1."),
            (r#"{"parts":{}}"#, "/parts", "Expected a list, got an object."),
            (r#"{"parts":[{"between":[1,2]}]}"#, "/parts/0/between", "Expected an object, got a list."),
            ("[]", "", "Expected an object, got a list."),
            (r#"{"name":7}"#, "/name", "Expected a text, got 7."),
            (r#"{"name":null}"#, "/name", "Expected a text, got null."),
            (
                r#"{"count":"many, expected `x`"}"#,
                "/count",
                "Expected a non-negative integer, got \"many, expected `x`\".",
            ),
            (r#"{"shift":1.5}"#, "/shift", "Expected an integer, got 1.5."),
            (r#"{"weight":true}"#, "/weight", "Expected a number, got true."),
            (r#"{"on":{}}"#, "/on", "Expected true or false, got an object."),
            (r#"{"every":0}"#, "/every", "Expected a positive integer, got 0."),
            (r#"{"after":5}"#, "/after", "Expected a duration such as \"10s\", got 5."),
            (r#"{"label":[]}"#, "/label", "write a number or a text."),
            (r#"{"name":"\ud800"}"#, "/name", "Invalid JSON: the text contains half of a surrogate pair."),
            (r#"{"weight":1e999}"#, "/weight", "Invalid JSON: the number is too large."),
        ] {
            assert_eq!(expect_refusal(body.as_bytes()), (pointer.to_owned(), message.to_owned()), "{body}");
        }
    }

    #[test]
    fn a_body_that_is_not_json_is_refused_with_the_position() {
        for (body, pointer, message) in [
            (&b"{\"name\":\"x\""[..], "/name", "Invalid JSON: the body ends too early (line 1, column 11)."),
            (b"{\"name\":\"x\",}", "", "Invalid JSON at '}' (line 1, column 13)."),
            (b"{\"name\":\n\xc3\xa9}", "/name", "Invalid JSON at '\u{e9}' (line 2, column 1)."),
            (b"{\"name\":\"x\"} {", "", "Invalid JSON at '{' (line 1, column 14)."),
            (b"{\"name\":\"\xff\"}", "/name", "Invalid JSON at '\u{fffd}' (line 1, column 10)."),
        ] {
            assert_eq!(expect_refusal(body), (pointer.to_owned(), message.to_owned()));
        }
    }

    #[test]
    fn a_body_that_is_nested_too_deeply_is_refused() {
        let nest = |lists: usize| format!("{}{}", "[".repeat(lists), "]".repeat(lists));
        assert!(read_body::<Value>(nest(KEYS_MAX + 1).as_bytes()).is_ok());
        let refused = read_body::<Value>(nest(KEYS_MAX + 2).as_bytes()).expect_err("a refusal").into_refusal();
        assert_eq!(refused.message, "More than 127 objects and lists within each other.");
    }
}
