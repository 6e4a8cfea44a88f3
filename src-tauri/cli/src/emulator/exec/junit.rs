//! The verdict as a JUnit file, which build servers show.

use std::{fmt::Write as _, io};

use crate::{failure::Failure, outputs::OutputPath};

/// One thing that holds, or why it does not.
pub struct Case {
    pub name: &'static str,
    pub failure: Option<String>,
}

pub fn write(output: &OutputPath, force: bool, cases: &[Case]) -> Result<(), Failure> {
    output.write(force, |out| out.write_all(text(cases).as_bytes()) as io::Result<()>)
}

fn text(cases: &[Case]) -> String {
    let failures = cases.iter().filter(|case| case.failure.is_some()).count();
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"roost exec\" tests=\"{}\" failures=\"{failures}\">\n",
        cases.len()
    );
    for case in cases {
        // Writing into memory does not fail.
        let _ = match &case.failure {
            None => writeln!(out, "<testcase classname=\"roost.exec\" name=\"{}\"/>", plain(case.name)),
            Some(why) => writeln!(
                out,
                "<testcase classname=\"roost.exec\" name=\"{}\"><failure message=\"{}\"/></testcase>",
                plain(case.name),
                plain(why)
            ),
        };
    }
    out + "</testsuite>\n</testsuites>\n"
}

/// A text as an attribute's value.
fn plain(text: &str) -> String {
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
    fn what_others_wrote_breaks_no_markup() {
        let cases = [
            Case { name: "the command", failure: None },
            Case { name: "requests", failure: Some("GET /x?a=\"<b>&\u{1b}\nnext".to_owned()) },
        ];
        let written = text(&cases);
        assert!(written.contains("tests=\"2\" failures=\"1\""), "{written}");
        assert!(written.contains("<testcase classname=\"roost.exec\" name=\"the command\"/>"), "{written}");
        assert!(written.contains("message=\"GET /x?a=&quot;&lt;b&gt;&amp;\u{fffd}&#10;next\""), "{written}");
    }
}
