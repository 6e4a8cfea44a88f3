//! Writes the result as annotations of GitHub Actions: an error for each requirement that does not hold.

use super::junit::JunitCase;

/// Writes one workflow command a line; nothing if all requirements hold.
pub(crate) fn github_annotations(cases: &[JunitCase]) -> String {
    let failed = cases.iter().filter_map(|case| Some((case.name.as_str(), case.failure.as_deref()?)));
    let line = |(name, why): (&str, &str)| format!("::error title={}::{}\n", escape_property(name), escape_data(why));
    let lines: String = failed.map(line).collect();
    // The output of the command may have ended without a line end, and a workflow command must begin a line.
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

/// Escapes percent signs and line ends, which have a meaning in a workflow command.
fn escape_data(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '%' => out.push_str("%25"),
            '\r' => out.push_str("%0D"),
            '\n' => out.push_str("%0A"),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Escapes also the characters that end a property.
fn escape_property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_failed_case_becomes_an_error_annotation_and_nothing_else_is_written() {
        let case = |name: &str, failure: Option<&str>| JunitCase {
            name: name.to_owned(),
            failure: failure.map(str::to_owned),
            took: std::time::Duration::ZERO,
        };
        assert_eq!(github_annotations(&[case("the command", None)]), "");
        let annotations = github_annotations(&[
            case("the command", Some("it ended with 7")),
            case("fine", None),
            case("all: every one, done", Some("100%\n::error::GET /x\u{1b}[2J")),
        ]);
        let want = "\n::error title=the command::it ended with 7\n\
                    ::error title=all%3A every one%2C done::100%25%0A::error::GET /x\u{fffd}[2J\n";
        assert_eq!(annotations, want);
    }
}
