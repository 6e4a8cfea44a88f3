//! Computes digests and chains the record of every effect on the service: each entry seals the one before it.

use std::{collections::BTreeMap, io};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest as _, Sha256};

/// A SHA-256 digest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Digest([u8; 32]);

impl Digest {
    pub fn to_hex(self) -> String {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let digit = |nibble: u8| char::from(HEX[usize::from(nibble)]);
        self.0.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
    }

    pub fn parse(hex: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        if hex.len() != 64 || !hex.is_ascii() {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(hex.as_bytes().chunks_exact(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(Self(bytes))
    }
}

impl std::fmt::Debug for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.to_hex()[..12])
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_hex())
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let hex = String::deserialize(deserializer)?;
        Self::parse(&hex).ok_or_else(|| de::Error::custom("no digest"))
    }
}

struct Sha256Writer(Sha256);

impl io::Write for Sha256Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Digests values one after the other, so that they need not be in memory together.
pub struct JsonDigester(io::BufWriter<Sha256Writer>);

impl Default for JsonDigester {
    fn default() -> Self {
        Self(io::BufWriter::with_capacity(4096, Sha256Writer(Sha256::new())))
    }
}

impl JsonDigester {
    pub fn add(&mut self, value: &impl Serialize) {
        // Writing to the hash cannot fail and every value of this crate serialises; if one did not, the plan would only
        // look stale.
        let written = serde_json::to_writer(&mut self.0, value);
        debug_assert!(written.is_ok(), "{written:?}");
    }

    pub fn finish(self) -> Digest {
        match self.0.into_inner() {
            Ok(Sha256Writer(hash)) => Digest(hash.finalize().into()),
            Err(_) => Digest::default(),
        }
    }
}

/// Returns the digest of the value's JSON. Values of this crate are serialised in one fixed order, so equal values have
/// equal digests.
pub fn digest_json(value: &impl Serialize) -> Digest {
    let mut digester = JsonDigester::default();
    digester.add(value);
    digester.finish()
}

/// An entry of the audit record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedEntry {
    pub seq: u64,
    /// The JSON, exactly as it was written.
    pub body: String,
    pub before: Digest,
    pub seal: Digest,
}

/// Computes the seal of an entry, which covers its number, its body and the seal before it.
fn compute_seal(seq: u64, body: &str, before: Digest) -> Digest {
    let mut hash = Sha256::new();
    hash.update(before.0);
    hash.update(seq.to_be_bytes());
    hash.update(body.as_bytes());
    Digest(hash.finalize().into())
}

impl SealedEntry {
    /// Creates the entry that follows `last`. The first entry follows none.
    pub fn create_after(last: Option<&Self>, body: String) -> Self {
        let (seq, before) = last.map_or((1, Digest::default()), |last| (last.seq + 1, last.seal));
        Self { seq, seal: compute_seal(seq, &body, before), body, before }
    }
}

/// The body of an entry that says that everything held about a number was erased. It never holds the number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErasureRecord {
    pub operation: String,
    pub at: String,
    pub salt: String,
    /// The salted digest of the number.
    pub digest: Digest,
    /// Rows that were deleted or emptied, by table.
    pub erased: BTreeMap<String, u64>,
    /// Rows about something else in which the number was replaced, by table.
    pub replaced: BTreeMap<String, u64>,
    /// The opt-outs that stay in force.
    pub opt_outs_kept: u64,
    /// Earlier entries whose bodies were shortened.
    pub shortened: Vec<ShortenedEntry>,
}

/// An entry whose body is shorter than when it was sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShortenedEntry {
    pub seq: u64,
    /// The digest of the new body.
    pub digest: Digest,
}

/// How often a number is digested. There are few enough numbers to try them all, so each trial has to cost something.
const NUMBER_ROUNDS: u32 = 20_000;

impl ErasureRecord {
    pub const OPERATION: &'static str = "erase";
    const UNDONE: &'static str = "erase_undone";

    /// Digests a number so that somebody who knows it can find the record, and nobody else learns it easily.
    pub fn digest_number(salt: &str, number: &str) -> Digest {
        let mut digest = digest_text(&format!("{salt} {number}"));
        for _ in 0..NUMBER_ROUNDS {
            digest = Digest(Sha256::digest(digest.0).into());
        }
        digest
    }

    pub fn is_about(&self, number: &str) -> bool {
        self.digest == Self::digest_number(&self.salt, number)
    }

    /// Parses the body of an entry, or returns `None` if the entry is about something else.
    pub fn parse(body: &str) -> Option<Self> {
        let record: Self = serde_json::from_str(body).ok()?;
        [Self::OPERATION, Self::UNDONE].contains(&record.operation.as_str()).then_some(record)
    }

    pub fn to_json(&self) -> String {
        // Numbers and texts can always be written as JSON.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Returns whether a restore brought the data back.
    pub fn is_undone(&self) -> bool {
        self.operation == Self::UNDONE
    }

    /// Returns the record for an account that holds the data again. Its other entries are not those that were shortened.
    pub fn mark_undone(self) -> Self {
        Self { operation: Self::UNDONE.to_owned(), shortened: Vec::new(), ..self }
    }
}

/// Returns the digest of a text as it is.
pub fn digest_text(text: &str) -> Digest {
    Digest(Sha256::digest(text.as_bytes()).into())
}

/// The entry at which an audit record no longer matches its seals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BrokenSeal {
    pub seq: u64,
}

/// Checks the entries of an audit record one after the other, holding one at a time.
#[derive(Debug, Default)]
pub struct AuditChain {
    last: Option<(u64, Digest)>,
}

impl AuditChain {
    /// Checks that the entry follows the last one and that its seals match.
    pub fn check_next(&mut self, entry: &SealedEntry) -> Result<(), BrokenSeal> {
        let (seq, before) = self.last.map_or((1, Digest::default()), |(seq, seal)| (seq + 1, seal));
        if entry.seq != seq || entry.before != before || entry.seal != compute_seal(seq, &entry.body, before) {
            return Err(BrokenSeal { seq });
        }
        self.last = Some((entry.seq, entry.seal));
        Ok(())
    }

    /// Does the same for an entry whose body was shortened by an erasure: its own seal no longer matches, but those of its
    /// neighbours do, and the record of the erasure has the digest of the new body.
    pub fn check_shortened(&mut self, entry: &SealedEntry, digest: Digest) -> Result<(), BrokenSeal> {
        let (seq, before) = self.last.map_or((1, Digest::default()), |(seq, seal)| (seq + 1, seal));
        if entry.seq != seq || entry.before != before || digest_text(&entry.body) != digest {
            return Err(BrokenSeal { seq });
        }
        self.last = Some((entry.seq, entry.seal));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build_chain(bodies: &[&str]) -> Vec<SealedEntry> {
        let mut entries: Vec<SealedEntry> = Vec::new();
        for body in bodies {
            let next = SealedEntry::create_after(entries.last(), (*body).to_owned());
            entries.push(next);
        }
        entries
    }

    fn check_chain(entries: &[SealedEntry]) -> Result<Digest, BrokenSeal> {
        let mut chain = AuditChain::default();
        entries.iter().try_for_each(|entry| chain.check_next(entry))?;
        Ok(chain.last.map_or_else(Digest::default, |(_, seal)| seal))
    }

    #[test]
    fn a_record_that_was_touched_is_broken_where_it_was_touched() {
        let good = build_chain(&["a", "b", "c", "d"]);
        let head = check_chain(&good).expect("whole");
        assert_eq!(head, good[3].seal);
        let mut altered = good.clone();
        altered[1].body = "B".to_owned();
        assert_eq!(check_chain(&altered), Err(BrokenSeal { seq: 2 }));
        let mut resealed = good.clone();
        resealed[1] = SealedEntry::create_after(Some(&good[0]), "B".to_owned());
        assert_eq!(check_chain(&resealed), Err(BrokenSeal { seq: 3 }));
        let mut without = good.clone();
        without.remove(2);
        assert_eq!(check_chain(&without), Err(BrokenSeal { seq: 3 }));
        let mut swapped = good.clone();
        swapped.swap(0, 1);
        assert_eq!(check_chain(&swapped), Err(BrokenSeal { seq: 1 }));
        assert_ne!(check_chain(&good[..3]), Ok(head), "a cut at the end shows in the head");
    }

    #[test]
    fn an_entry_that_an_erasure_shortened_is_whole_and_any_other_text_is_not() {
        let mut entries = build_chain(&["a", "about Ada", "c"]);
        entries[1].body = "about".to_owned();
        let check = |entries: &[SealedEntry], body: &str| {
            let mut chain = AuditChain::default();
            chain.check_next(&entries[0])?;
            chain.check_shortened(&entries[1], digest_text(body))?;
            chain.check_next(&entries[2])
        };
        assert_eq!(check(&entries, "about"), Ok(()));
        assert_eq!(check(&entries, "about Eve"), Err(BrokenSeal { seq: 2 }));
        entries[1].seal = Digest::default();
        assert_eq!(check(&entries, "about"), Err(BrokenSeal { seq: 3 }));
    }

    #[test]
    fn a_number_is_found_by_its_digest_and_no_other_is() {
        let digest = ErasureRecord::digest_number("salt", "+447700900001");
        assert_eq!(digest, ErasureRecord::digest_number("salt", "+447700900001"));
        assert_ne!(digest, ErasureRecord::digest_number("salt", "+447700900002"));
        assert_ne!(digest, ErasureRecord::digest_number("other", "+447700900001"));
        assert_eq!(ErasureRecord::parse(r#"{"run":1,"step":2,"operation":"contacts.create"}"#), None);
    }

    #[test]
    fn a_digest_is_a_plain_sha_256_and_is_parsed_from_its_hex_form() {
        // The SHA-256 of the three bytes `"a"`, quotes included.
        let digest = digest_json(&"a");
        assert_eq!(digest.to_hex(), "ac8d8342bbb2362d13f0a559a3621bb407011368895164b628a54f7fc33fc43c");
        assert_eq!(Digest::parse(&digest.to_hex()), Some(digest));
        assert_eq!(Digest::parse("ac"), None);
    }
}
