//! Compares texts as people do: without regard to case, in any script. SQL calls these functions by name.

use std::sync::Arc;

use roost_model::{
    channel::Channel,
    filter::day_number,
    pattern::TextPattern,
    readiness::Readiness,
    time::date::{read_birthday, read_day},
};
use rusqlite::{Connection, functions::FunctionFlags, types::ValueRef};

/// Installs the functions `roost_folded(text)`, `roost_finds(words, digits, phone, whatsapp, text…)`, `roost_fits(how,
/// text, part)`, `roost_matches(pattern, case, text)`, `roost_number_fault(number, channel)`, `roost_day(text)` and
/// `roost_birthday(text)` on a connection.
pub(crate) fn install_functions(conn: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    conn.create_scalar_function("roost_folded", 1, flags, |ctx| {
        Ok(ctx.get_raw(0).as_str_or_null().ok().flatten().map(str::to_lowercase))
    })?;
    conn.create_scalar_function("roost_finds", -1, flags, |ctx| {
        let text = |at: usize| match ctx.get_raw(at) {
            ValueRef::Text(text) => Some(text),
            _ => None,
        };
        if let Some(digits) = text(1)
            && (2..4).filter_map(text).any(|number| contains_bytes(number, digits))
        {
            return Ok(true);
        }
        let words = text(0).unwrap_or_default();
        Ok((4..ctx.len()).filter_map(text).any(|text| contains_folded(text, words)))
    })?;
    conn.create_scalar_function("roost_fits", 3, flags, |ctx| {
        let (ValueRef::Text(text), ValueRef::Text(part)) = (ctx.get_raw(1), ctx.get_raw(2)) else { return Ok(false) };
        Ok(matches_part(ctx.get_raw(0).as_i64().unwrap_or_default(), text, part))
    })?;
    conn.create_scalar_function("roost_matches", 3, flags, |ctx| {
        let is_case_sensitive = ctx.get::<bool>(1)?;
        let pattern: Arc<TextPattern> = ctx.get_or_create_aux(0, |text| {
            TextPattern::new(text.as_str().unwrap_or_default(), is_case_sensitive).map_err(std::io::Error::other)
        })?;
        let ValueRef::Text(text) = ctx.get_raw(2) else { return Ok(false) };
        Ok(std::str::from_utf8(text).is_ok_and(|text| pattern.is_match(text)))
    })?;
    conn.create_scalar_function("roost_day", 1, flags, |ctx| {
        Ok(ctx.get_raw(0).as_str_or_null().ok().flatten().and_then(read_day).map(day_number))
    })?;
    conn.create_scalar_function("roost_birthday", 1, flags, |ctx| {
        Ok(ctx.get_raw(0).as_str_or_null().ok().flatten().and_then(read_birthday))
    })?;
    conn.create_scalar_function("roost_number_fault", 2, flags, |ctx| {
        let channel = Channel::parse(ctx.get_raw(1).as_str()?);
        let fault = ctx.get_raw(0).as_str_or_null()?.zip(channel);
        Ok(fault.and_then(|(number, channel)| Readiness::number_problem(number, channel)).map(Readiness::as_str))
    })
}

/// Comparisons of `roost_fits` between a text and a part in lower case.
pub(crate) mod fit {
    pub(crate) const IS: i64 = 0;
    pub(crate) const CONTAINS: i64 = 1;
    pub(crate) const STARTS: i64 = 2;
    pub(crate) const ENDS: i64 = 3;
    /// Added to another comparison to make it case-sensitive.
    pub(crate) const EXACTLY: i64 = 4;
}

fn matches_part(how: i64, text: &[u8], part: &[u8]) -> bool {
    match how - fit::EXACTLY {
        fit::IS => return text == part,
        fit::CONTAINS => return contains_bytes(text, part),
        fit::STARTS => return text.starts_with(part),
        fit::ENDS => return text.ends_with(part),
        _ => {}
    }
    if how == fit::CONTAINS {
        return contains_folded(text, part);
    }
    let folded;
    let text = if text.is_ascii() {
        text
    } else {
        folded = std::str::from_utf8(text).unwrap_or_default().to_lowercase();
        folded.as_bytes()
    };
    let same = |text: Option<&[u8]>| text.is_some_and(|text| text.eq_ignore_ascii_case(part));
    match how {
        fit::STARTS => same(text.get(..part.len())),
        fit::ENDS => same(text.len().checked_sub(part.len()).map(|from| &text[from..])),
        _ => same(Some(text)),
    }
}

/// Texts per call of `roost_finds`. More columns take more calls.
pub(crate) const TEXTS_PER_CALL: usize = 60;

fn contains_bytes(text: &[u8], part: &[u8]) -> bool {
    let Some((first, rest)) = part.split_first() else { return true };
    let Some(last) = text.len().checked_sub(part.len()) else { return false };
    (0..=last).any(|at| text[at] == *first && &text[at + 1..=at + rest.len()] == rest)
}

/// Returns whether `text` contains `part`, which is in lower case.
fn contains_folded(text: &[u8], part: &[u8]) -> bool {
    if !text.is_ascii() {
        return std::str::from_utf8(text).is_ok_and(|text| contains_bytes(text.to_lowercase().as_bytes(), part));
    }
    let Some((first, rest)) = part.split_first() else { return true };
    let Some(last) = text.len().checked_sub(part.len()) else { return false };
    (0..=last)
        .any(|at| text[at].to_ascii_lowercase() == *first && text[at + 1..=at + rest.len()].eq_ignore_ascii_case(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finds(text: &str, part: &str) -> bool {
        contains_folded(text.as_bytes(), part.to_lowercase().as_bytes())
    }

    #[test]
    fn parts_are_found_in_any_case_and_script() {
        for (text, part) in
            [("Ada Lovelace", "LOVE"), ("ÉCOLE", "école"), ("Straße", "RASSE"), ("x", ""), ("Ωmega", "ω")]
        {
            assert_eq!(finds(text, part), part != "RASSE", "{part} in {text}");
        }
        for (text, part) in [("Ada", "adas"), ("", "a"), ("e\u{301}", "é")] {
            assert!(!finds(text, part), "{part} in {text}");
        }
        for (how, text, part, is) in [
            (fit::IS, "École", "école", true),
            (fit::IS, "ADA", "ada", true),
            (fit::IS, "ADA ", "ada", false),
            (fit::STARTS, "Ada", "ad", true),
            (fit::STARTS, "Ada", "adal", false),
            (fit::ENDS, "ADA", "da", true),
            (fit::ENDS, "É", "é", true),
            (fit::ENDS, "a", "aa", false),
            (fit::CONTAINS, "", "", true),
            (fit::EXACTLY + fit::ENDS, "London", "\0", false),
            (fit::EXACTLY + fit::STARTS, "Ada", "a", false),
            (fit::EXACTLY + fit::CONTAINS, "Ada", "da", true),
        ] {
            assert_eq!(matches_part(how, text.as_bytes(), part.as_bytes()), is, "{how} {part} in {text}");
        }
        assert!(contains_bytes(b"+447700900123", b"900") && !contains_bytes(b"+4477", b"44778"));
    }
}
