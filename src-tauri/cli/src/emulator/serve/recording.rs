//! `--journal` and what belongs to it: which requests are recorded, and how much of them is kept.

use clap::{Args, builder::BoolishValueParser};
use roost_emulator::{Journal, JournalLimits};

use super::OnOff;

#[derive(Args)]
pub(super) struct Recording {
    /// Whether to record requests in the journal. Default: off, but on with --console and for exec.
    #[arg(long, env = "ROOST_JOURNAL")]
    journal: Option<OnOff>,
    /// Record calls of the admin interface as well, in the journal of the default world. Those that match no route are
    /// always recorded.
    #[arg(long, env = "ROOST_JOURNAL_ADMIN", value_parser = BoolishValueParser::new())]
    journal_admin: bool,
    /// The most requests to store. Default: 1000. The oldest are removed first.
    #[arg(long, env = "ROOST_JOURNAL_LINES", value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    journal_lines: Option<u32>,
    /// The most memory for them, for example 64MiB. Default: 16MiB.
    #[arg(long, env = "ROOST_JOURNAL_BYTES", value_name = "SIZE", value_parser = parse_size)]
    journal_bytes: Option<usize>,
}

impl Recording {
    /// Turns recording on unless an option sets it.
    pub(super) fn begin(&mut self) {
        self.journal.get_or_insert(OnOff::On);
    }

    /// Returns `None` if no option sets it.
    pub(super) fn is_on(&self) -> Option<bool> {
        self.journal.map(|journal| journal == OnOff::On)
    }

    pub(super) fn put_into(&self, journal: &Journal) {
        let usual = JournalLimits::default();
        journal.set_admin_recording(self.journal_admin);
        journal.set_limits(JournalLimits {
            lines: self.journal_lines.and_then(|lines| usize::try_from(lines).ok()).unwrap_or(usual.lines),
            bytes: self.journal_bytes.unwrap_or(usual.bytes),
        });
    }
}

/// The least memory for recorded requests, which holds a few of them.
const JOURNAL_BYTES_MIN: usize = 4096;

/// Reads `64MiB`, `512KiB`, `1GiB` or bytes.
fn parse_size(text: &str) -> Result<usize, String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let one: usize = match unit {
        "" | "B" => 1,
        "KiB" => 1024,
        "MiB" => 1024 * 1024,
        "GiB" => 1024 * 1024 * 1024,
        _ => 0,
    };
    let bytes = number.parse::<usize>().ok().and_then(|number| number.checked_mul(one));
    bytes
        .filter(|bytes| *bytes >= JOURNAL_BYTES_MIN)
        .ok_or_else(|| "expected a size of at least 4KiB, such as 64MiB, 512KiB or 100000".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_read_with_its_unit() {
        for (text, bytes) in
            [("64MiB", 67_108_864), ("512KiB", 524_288), ("1GiB", 1_073_741_824), ("4096", 4_096), ("9000B", 9_000)]
        {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for text in ["", "0", "5", "4095", "3KiB", "MiB", "64 MiB", "64MB", "-1", "1.5MiB", "99999999999999999999"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }
}
