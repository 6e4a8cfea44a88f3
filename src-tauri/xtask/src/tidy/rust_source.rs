//! Implements just enough of Rust's grammar to separate code from comments, strings and test modules.

/// Replaces comments and the contents of strings by spaces. Lines and bytes keep their positions.
pub(super) fn code_only(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'/' if bytes.get(at + 1) == Some(&b'/') => Some(line_end(bytes, at)),
            b'/' if bytes.get(at + 1) == Some(&b'*') => Some(block_comment_end(bytes, at)),
            b'"' => Some(string_end(bytes, at)),
            b'r' if !is_word(bytes, at.wrapping_sub(1)) || starts_byte_string(bytes, at) => raw_string_end(bytes, at),
            b'\'' => char_end(bytes, at),
            _ => None,
        };
        let Some(end) = end else {
            at += 1;
            continue;
        };
        for byte in &mut out[at..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at = end;
    }
    // Only whole comments and strings were replaced, byte by byte, so the result is valid UTF-8.
    String::from_utf8_lossy(&out).into_owned()
}

/// Replaces every block under `#[cfg(test)]` by spaces as well.
pub(super) fn production_code(source: &str) -> String {
    let mut code = code_only(source).into_bytes();
    let marker = b"#[cfg(test)]";
    let mut from = 0;
    while let Some(found) = find_word(&code, marker, from) {
        let end = item_end(&code, found + marker.len());
        for byte in &mut code[found..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        from = end;
    }
    String::from_utf8_lossy(&code).into_owned()
}

/// Counts the lines outside test blocks.
pub(super) fn production_lines(source: &str) -> usize {
    let code = code_only(source).into_bytes();
    let marker = b"#[cfg(test)]";
    let mut of_tests = 0;
    let mut from = 0;
    while let Some(found) = find_word(&code, marker, from) {
        from = item_end(&code, found + marker.len());
        of_tests += code[found..from].iter().filter(|byte| **byte == b'\n').count() + 1;
    }
    source.lines().count().saturating_sub(of_tests)
}

fn find_word(text: &[u8], what: &[u8], from: usize) -> Option<usize> {
    text.get(from..)?.windows(what.len()).position(|window| window == what).map(|at| at + from)
}

/// Returns the position after the `;` or the closing brace of the item that begins here.
fn item_end(code: &[u8], from: usize) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in code.iter().enumerate().skip(from) {
        match byte {
            b';' if depth == 0 => return at + 1,
            b'{' => depth += 1,
            b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    code.len()
}

fn is_word(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

fn starts_byte_string(bytes: &[u8], at: usize) -> bool {
    at > 0 && bytes[at - 1] == b'b' && !is_word(bytes, at.wrapping_sub(2))
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    bytes[from..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| from + length)
}

fn block_comment_end(bytes: &[u8], from: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = from;
    while at < bytes.len() {
        if bytes[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if bytes[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    bytes.len()
}

fn string_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn raw_string_end(bytes: &[u8], from: usize) -> Option<usize> {
    let hashes = bytes[from + 1..].iter().take_while(|byte| **byte == b'#').count();
    if bytes.get(from + 1 + hashes) != Some(&b'"') {
        return None;
    }
    let mut closing = vec![b'"'];
    closing.resize(hashes + 1, b'#');
    Some(find_word(bytes, &closing, from + 2 + hashes).map_or(bytes.len(), |at| at + closing.len()))
}

/// Returns the position after a character literal, or nothing if the quote begins a lifetime.
fn char_end(bytes: &[u8], from: usize) -> Option<usize> {
    if bytes.get(from + 1) == Some(&b'\\') {
        let closing = bytes.iter().take(from + 14).skip(from + 3).position(|byte| *byte == b'\'')?;
        return Some(from + 3 + closing + 1);
    }
    let length = bytes.iter().take(from + 6).skip(from + 2).position(|byte| *byte == b'\'')? + 1;
    let inside = std::str::from_utf8(&bytes[from + 1..from + 1 + length]).ok()?;
    (inside.chars().count() == 1).then_some(from + length + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_blanked_and_code_is_kept() {
        let source = "a(); // b()\n/* c /* d */ e */ f(\"g \\\" h\", r#\"i\" j\"#, br\"k\", '\"', '\\'', 'l'); fn m<'n>(o: &'n str) {}";
        let code = code_only(source);
        assert_eq!(code.len(), source.len());
        for gone in ["b()", "c", "d", "g", "h", "i\"", "j", "\"", "k"] {
            assert!(!code.contains(gone), "{gone} stayed in {code}");
        }
        for kept in ["a();", "f(", "fn m<'n>(o: &'n str) {}"] {
            assert!(code.contains(kept), "{kept} went from {code}");
        }
    }

    #[test]
    fn test_blocks_are_no_production_code() {
        let source =
            "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() { \"}\"; }\n}\n#[cfg(test)]\nuse c::d;\nfn e() {}\n";
        let code = production_code(source);
        assert!(code.contains("fn a") && code.contains("fn e"));
        assert!(!code.contains("fn b") && !code.contains("use c"));
        assert_eq!(production_lines(source), 2);
    }
}
