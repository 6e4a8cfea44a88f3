//! The first page of a file: whether it begins as an account does, and whether its header can be true.

/// The first bytes of every SQLite database.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// What the header of every account says. The first migration writes it.
const APPLICATION_ID: [u8; 4] = *b"Roos";
/// The table of the schema's steps, as the first page names it.
const STEPS: &[u8] = b"refinery_schema_history";
/// The most that is read of a file to know whose it is.
pub const PAGE: u64 = 4_096;

/// Whose file it is, by its first page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Nothing is in it yet.
    Empty,
    /// It carries the application id of Roost.
    Roost,
    /// A database without tables, or with the table of schema steps: a first start that was cut off leaves one, and so
    /// does many another program.
    Unsigned,
    Foreign,
}

pub fn origin(head: &[u8]) -> Origin {
    if head.is_empty() {
        return Origin::Empty;
    }
    let (Some(pages), Some(id)) = (head.get(28..32), head.get(68..72).filter(|_| head.starts_with(MAGIC))) else {
        return Origin::Foreign;
    };
    let has_steps = || head.windows(STEPS.len()).any(|part| part == STEPS);
    match id {
        _ if id == APPLICATION_ID => Origin::Roost,
        [0, 0, 0, 0] if *pages <= [0, 0, 0, 1][..] || has_steps() => Origin::Unsigned,
        _ => Origin::Foreign,
    }
}

/// Whether no database has this header, as <https://sqlite.org/fileformat.html> describes it. SQLite takes some of these
/// values for a file that it cannot write, or for a newer format of its own.
pub fn is_impossible(head: &[u8]) -> bool {
    let byte = |at: usize| head.get(at).copied().unwrap_or_default();
    let number = |at: usize| u32::from_be_bytes([byte(at), byte(at + 1), byte(at + 2), byte(at + 3)]);
    let page = match u16::from_be_bytes([byte(16), byte(17)]) {
        1 => 65_536,
        size => u32::from(size),
    };
    head.len() < 100
        || !page.is_power_of_two()
        || page < 512
        || !(1..=2).contains(&byte(18))
        || !(1..=2).contains(&byte(19))
        || (byte(21), byte(22), byte(23)) != (64, 32, 32)
        || number(44) > 4
        || number(56) > 3
}
