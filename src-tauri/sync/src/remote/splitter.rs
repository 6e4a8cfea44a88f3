//! Splits a response while it arrives: the elements of its long array one by one, and the text around them. Memory
//! holds one element and one piece, however long the response is.

use memchr::memchr2;

/// The most bytes of one element, and of the text around the elements.
const MAX_BYTES: usize = 1024 * 1024;

/// The keys of the top object whose arrays may be long.
const LONG_ARRAY_KEYS: [&[u8]; 2] = [b"\"items\"", b"\"validation_errors\""];

/// The reason for which a response cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnreadableResponse {
    TooLong,
    NotJson,
    /// The text ends before its last brace.
    CutOff,
}

/// Splits a response that arrives in pieces.
#[derive(Debug, Default)]
pub(super) struct ResponseSplitter {
    around: Vec<u8>,
    element: Vec<u8>,
    depth: u32,
    in_text: bool,
    escaped: bool,
    in_array: bool,
}

impl ResponseSplitter {
    /// Takes the next piece, and passes on every element that it completes.
    pub(super) fn feed(
        &mut self,
        piece: &[u8],
        mut take: impl FnMut(&[u8]) -> Result<(), UnreadableResponse>,
    ) -> Result<(), UnreadableResponse> {
        let (mut at, mut from) = (0, 0);
        while at < piece.len() {
            if self.escaped {
                (self.escaped, at) = (false, at + 1);
                continue;
            }
            if self.in_text {
                let Some(found) = memchr2(b'"', b'\\', &piece[at..]) else { break };
                at += found;
                if piece[at] == b'"' {
                    self.in_text = false
                } else {
                    self.escaped = true
                }
                at += 1;
                continue;
            }
            match piece[at] {
                b'"' => self.in_text = true,
                b'{' => self.depth += 1,
                b'[' => {
                    self.depth += 1;
                    if self.depth == 2 && !self.in_array {
                        append_bounded(&mut self.around, &piece[from..=at])?;
                        from = at + 1;
                        self.in_array = opens_long_array(&self.around);
                    }
                }
                b',' if self.in_array && self.depth == 2 => {
                    self.end_element(&piece[from..at], &mut take)?;
                    from = at + 1;
                }
                b']' if self.in_array && self.depth == 2 => {
                    self.end_element(&piece[from..at], &mut take)?;
                    from = at;
                    (self.in_array, self.depth) = (false, 1);
                }
                b'}' | b']' => self.depth = self.depth.checked_sub(1).ok_or(UnreadableResponse::NotJson)?,
                _ => {}
            }
            at += 1;
        }
        append_bounded(if self.in_array { &mut self.element } else { &mut self.around }, &piece[from..])
    }

    fn end_element(
        &mut self,
        rest: &[u8],
        take: &mut impl FnMut(&[u8]) -> Result<(), UnreadableResponse>,
    ) -> Result<(), UnreadableResponse> {
        let whole = if self.element.is_empty() {
            rest
        } else {
            append_bounded(&mut self.element, rest)?;
            &self.element
        };
        // An empty array has one element of spaces.
        if !whole.trim_ascii().is_empty() {
            take(whole)?;
        }
        self.element.clear();
        Ok(())
    }

    /// Returns the text around the elements, with an empty array in their place.
    pub(super) fn finish(self) -> Result<Vec<u8>, UnreadableResponse> {
        if self.depth > 0 || self.in_text { Err(UnreadableResponse::CutOff) } else { Ok(self.around) }
    }

    /// Returns the text so far, as an excerpt of an unreadable response.
    pub(super) fn text_so_far(&self) -> &[u8] {
        &self.around
    }
}

fn append_bounded(kept: &mut Vec<u8>, more: &[u8]) -> Result<(), UnreadableResponse> {
    if kept.len() + more.len() > MAX_BYTES {
        return Err(UnreadableResponse::TooLong);
    }
    kept.extend_from_slice(more);
    Ok(())
}

/// Returns whether the text ends with the `[` of one of the long arrays of the top object.
fn opens_long_array(around: &[u8]) -> bool {
    let before = around[..around.len() - 1].trim_ascii_end();
    let Some(key) = before.strip_suffix(b":").map(<[u8]>::trim_ascii_end) else { return false };
    let is = |long: &&[u8]| {
        key.strip_suffix(*long)
            .is_some_and(|rest| rest.trim_ascii_end().ends_with(b"{") || rest.trim_ascii_end().ends_with(b","))
    };
    LONG_ARRAY_KEYS.iter().any(is)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Splits the text in pieces of this many bytes.
    fn split_text(text: &str, size: usize) -> Result<(Vec<String>, String), UnreadableResponse> {
        let mut splitter = ResponseSplitter::default();
        let mut found = Vec::new();
        for piece in text.as_bytes().chunks(size) {
            splitter.feed(piece, |element| {
                found.push(String::from_utf8_lossy(element).trim().to_owned());
                Ok(())
            })?;
        }
        Ok((found, String::from_utf8_lossy(&splitter.finish()?).into_owned()))
    }

    #[test]
    fn elements_come_out_wherever_the_pieces_are_cut() {
        let cases: [(&str, &[&str], &str); 8] = [
            (
                r#"{"paging":{"items":[1,2]},"items" : [{"a":"},]\"["},{"items":[3]} ],"x":[{"items":[4]}]}"#,
                &[r#"{"a":"},]\"["}"#, r#"{"items":[3]}"#],
                r#"{"paging":{"items":[1,2]},"items" : [],"x":[{"items":[4]}]}"#,
            ),
            (r#"{"items":[]}"#, &[], r#"{"items":[]}"#),
            ("{\"items\":[ \n ],\"a\":1}", &[], r#"{"items":[],"a":1}"#),
            (r#"{"items":[1,"two",null]}"#, &["1", "\"two\"", "null"], r#"{"items":[]}"#),
            (
                r#"{"validation_errors":[{"a":1}],"code":"C"}"#,
                &[r#"{"a":1}"#],
                r#"{"validation_errors":[],"code":"C"}"#,
            ),
            (r#"{"uid":"LST_1","name":"\"items\":["}"#, &[], r#"{"uid":"LST_1","name":"\"items\":["}"#),
            (r#"{"\"items":[1]}"#, &[], r#"{"\"items":[1]}"#),
            ("", &[], ""),
        ];
        for (text, elements, around) in cases {
            for size in 1..=text.len().max(1) {
                let (found, rest) = split_text(text, size).expect(text);
                assert_eq!(
                    (found, rest.as_str()),
                    (elements.iter().map(|e| (*e).to_owned()).collect(), around),
                    "{size}"
                );
            }
        }
    }

    #[test]
    fn an_answer_that_breaks_off_is_never_a_shorter_answer() {
        let whole = r#"{"items":[{"a":"b"},{"c":"d"}],"paging":{"total_items":2}}"#;
        for end in 1..whole.len() {
            assert_eq!(split_text(&whole[..end], 7).map(|_| ()), Err(UnreadableResponse::CutOff), "{}", &whole[..end]);
        }
        assert!(split_text("}", 1).is_err());
    }

    #[test]
    fn no_element_and_nothing_around_them_grows_without_end() {
        let long = "x".repeat(MAX_BYTES);
        assert_eq!(split_text(&format!("{{\"a\":\"{long}\"}}"), 4096).map(|_| ()), Err(UnreadableResponse::TooLong));
        assert_eq!(
            split_text(&format!("{{\"items\":[\"{long}\"]}}"), 4096).map(|_| ()),
            Err(UnreadableResponse::TooLong)
        );
        let many = format!("{{\"items\":[{}1]}}", "{\"a\":\"b\"},".repeat(200_000));
        assert_eq!(split_text(&many, 4096).expect("many small ones").0.len(), 200_001);
    }
}
