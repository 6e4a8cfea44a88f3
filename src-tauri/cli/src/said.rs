//! What leaves the program for people and programs to read. Names of files, values of records and answers of servers
//! come from outside, so nothing in them may steer a terminal or reorder what it shows.

use std::io::{self, Write};

use serde::Serialize;

use crate::failure::Failure;

/// Whether a terminal takes the character for a command, or shows what stands around it in another order.
fn is_unsafe(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
        || matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(c, '\u{2028}' | '\u{2029}')
}

/// The text with a visible mark in the place of each character that a terminal must not see.
pub fn plain_text(text: &str) -> String {
    text.chars().map(|c| if is_unsafe(c) { '\u{fffd}' } else { c }).collect()
}

/// The same for a value that has to stay in its line.
pub fn plain_value(text: &str) -> String {
    plain_text(text).replace(char::is_control, "\u{fffd}")
}

/// The same, cut to `most` characters.
pub fn plain_line(text: &str, most: usize) -> String {
    let mut shown: String = plain_value(text).chars().take(most).collect();
    if text.chars().nth(most).is_some() {
        shown.pop();
        shown.push('…');
    }
    shown
}

/// Prints text for people on standard output.
pub fn say(text: &str) -> Result<(), Failure> {
    say_as_it_is(&plain_text(text))
}

/// Prints what this program made itself: a manual, a script for a shell.
pub fn say_as_it_is(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match written {
        // Whoever read it has read enough.
        Err(why) if why.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|why| Failure::new(format!("standard output cannot be written: {why}"))),
    }
}

pub fn say_json(answer: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(answer).map_err(Failure::new)?;
    say_as_it_is(&format!("{}\n", plain_json(&text)))
}

/// The same JSON. Such characters can only be inside of strings, where JSON has an escape for each.
pub fn plain_json(text: &str) -> String {
    let escape = |c: char| if is_unsafe(c) { format!("\\u{:04x}", c as u32) } else { c.to_string() };
    text.chars().map(escape).collect()
}

/// Prints one line on standard error. Without a standard error there is nobody to tell.
pub fn warn(text: &str) {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let _ = writeln!(io::stderr(), "roost: {}", plain_text(&line));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_steers_a_terminal() {
        let hostile = "a\u{1b}[31m\r\u{7}\u{9b}2J\u{202e}b\u{2066}c\u{200f}\u{2028}d\te\n";
        assert_eq!(
            plain_text(hostile),
            "a\u{fffd}[31m\u{fffd}\u{fffd}\u{fffd}2J\u{fffd}b\u{fffd}c\u{fffd}\u{fffd}d\te\n"
        );
        assert!(plain_line(hostile, 99).chars().all(|c| !c.is_control()));
        assert_eq!(plain_line("abcdef", 4), "abc…");
    }
}
