//! Writes the result as a JUnit file, which build servers show.

use std::{fmt::Write as _, io, time::Duration};

use crate::{failure::CliFailure, outputs::OutputPath};

/// A requirement that holds, or the reason why it does not.
pub(crate) struct JunitCase {
    pub name: String,
    pub failure: Option<String>,
    pub took: Duration,
}

/// Writes the results of `roost <verb>`.
pub(crate) fn write_report(
    output: &OutputPath,
    force: bool,
    verb: &str,
    cases: &[JunitCase],
) -> Result<(), CliFailure> {
    output.write(force, |out| out.write_all(to_xml(verb, cases).as_bytes()) as io::Result<()>)
}

fn to_xml(verb: &str, cases: &[JunitCase]) -> String {
    let failures = cases.iter().filter(|case| case.failure.is_some()).count();
    let took: Duration = cases.iter().map(|case| case.took).sum();
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"roost {verb}\" tests=\"{}\" failures=\"{failures}\" time=\"{:.3}\">\n",
        cases.len(),
        took.as_secs_f64()
    );
    for case in cases {
        let (name, took) = (escape_attribute(&case.name), case.took.as_secs_f64());
        // Writing to a String never fails.
        let _ = write!(out, "<testcase classname=\"roost.{verb}\" name=\"{name}\" time=\"{took:.3}\"");
        let _ = match &case.failure {
            None => writeln!(out, "/>"),
            Some(why) => writeln!(out, "><failure message=\"{}\"/></testcase>", escape_attribute(why)),
        };
    }
    out + "</testsuite>\n</testsuites>\n"
}

/// Escapes a text as the value of an attribute.
fn escape_attribute(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_others_does_not_break_the_markup() {
        let cases = [
            JunitCase { name: "the command".to_owned(), failure: None, took: Duration::from_millis(1_500) },
            JunitCase {
                name: "requests".to_owned(),
                failure: Some("GET /x?a=\"<b>&\u{1b}\nnext".to_owned()),
                took: Duration::ZERO,
            },
        ];
        let written = to_xml("exec", &cases);
        assert!(written.contains("tests=\"2\" failures=\"1\" time=\"1.500\""), "{written}");
        assert!(
            written.contains("<testcase classname=\"roost.exec\" name=\"the command\" time=\"1.500\"/>"),
            "{written}"
        );
        assert!(written.contains("message=\"GET /x?a=&quot;&lt;b&gt;&amp;\u{fffd}&#10;next\""), "{written}");
    }
}
