//! Decodes bytes into text, chunk by chunk, in a buffer that parsers look into.

use std::io::{self, Read};

use encoding_rs::{CoderResult, Decoder};
use memchr::memmem;

use super::encoding::Encoding;

/// Bytes that are read at a time. The first chunk is small, because most texts are short and many are only inspected.
const FIRST_CHUNK_BYTES: usize = 8 << 10;
const CHUNK_BYTES: usize = 256 << 10;

/// Decoded text with a position up to which it has been consumed. The rest stays when more is read.
pub(crate) struct TextBuffer<R> {
    source: R,
    decoder: Decoder,
    raw: Vec<u8>,
    text: String,
    taken: usize,
    is_at_end: bool,
    has_damage: bool,
    has_nul: bool,
}

impl<R: Read> TextBuffer<R> {
    /// Creates a buffer. The byte order mark must already be removed from the source.
    pub(crate) fn new(source: R, encoding: Encoding) -> Self {
        Self {
            source,
            decoder: encoding.decoder(),
            raw: vec![0; FIRST_CHUNK_BYTES],
            text: String::new(),
            taken: 0,
            is_at_end: false,
            has_damage: false,
            has_nul: false,
        }
    }

    /// Returns the text that has not been consumed.
    pub(crate) fn rest(&self) -> &str {
        &self.text[self.taken..]
    }

    /// Returns whether nothing follows [`rest`](Self::rest).
    pub(crate) fn is_at_end(&self) -> bool {
        self.is_at_end
    }

    /// Returns whether the buffer may hold characters that replace damaged bytes.
    pub(crate) fn has_damage(&self) -> bool {
        self.has_damage
    }

    /// Returns whether the buffer may hold NUL characters.
    pub(crate) fn has_nul(&self) -> bool {
        self.has_nul
    }

    pub(crate) fn consume(&mut self, bytes: usize) {
        self.taken += bytes;
    }

    /// Reads on, at least as much as is waiting, so that a long row costs only in proportion to its length.
    pub(crate) fn read_more(&mut self) -> io::Result<()> {
        self.text.drain(..self.taken);
        self.taken = 0;
        let kept = self.text.len();
        let wanted = kept + kept.max(1);
        while self.text.len() < wanted && !self.is_at_end {
            self.read_and_decode()?;
        }
        // A replacement character may also have been in the source.
        let is_damaged = |text: &str| memmem::find(text.as_bytes(), "\u{fffd}".as_bytes()).is_some();
        self.has_nul = memchr::memchr(0, self.text.as_bytes()).is_some();
        self.has_damage = (self.has_damage && is_damaged(&self.text[..kept])) || is_damaged(&self.text[kept..]);
        Ok(())
    }

    /// Counts the lines from here to the end. Returns `None` if the rest cannot be read or is longer than `most` bytes.
    pub(crate) fn count_rest(&mut self, most: usize) -> Option<u64> {
        let (mut lines, mut bytes, mut is_open) = (0, 0, false);
        loop {
            let rest = self.rest().as_bytes();
            lines += memchr::memchr_iter(b'\n', rest).count() as u64;
            is_open = rest.last().map_or(is_open, |last| *last != b'\n');
            bytes += rest.len();
            if bytes > most {
                return None;
            }
            self.taken = self.text.len();
            if self.is_at_end {
                return Some(lines + u64::from(is_open));
            }
            self.read_more().ok()?;
        }
    }

    fn read_and_decode(&mut self) -> io::Result<()> {
        let read = loop {
            match self.source.read(&mut self.raw) {
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        let is_last = read == 0;
        let is_short = read == self.raw.len() && read < CHUNK_BYTES;
        let mut from = 0;
        loop {
            self.text.reserve(self.decoder.max_utf8_buffer_length(read - from).unwrap_or(CHUNK_BYTES));
            let (result, used, _) = self.decoder.decode_to_string(&self.raw[from..read], &mut self.text, is_last);
            from += used;
            if result == CoderResult::InputEmpty {
                break;
            }
        }
        self.is_at_end = is_last;
        if is_short {
            self.raw.resize(read * 2, 0);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns one byte at a time.
    struct Drop<'a>(&'a [u8]);

    impl Read for Drop<'_> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            let Some((first, rest)) = self.0.split_first() else { return Ok(0) };
            buf[0] = *first;
            self.0 = rest;
            Ok(1)
        }
    }

    fn all<R: Read>(mut letters: TextBuffer<R>) -> String {
        let mut text = String::new();
        while !letters.is_at_end() {
            letters.read_more().unwrap();
            text.push_str(letters.rest());
            letters.consume(letters.rest().len());
        }
        text
    }

    #[test]
    fn letters_that_come_in_pieces_are_put_together() {
        let text = "Zoë 🐦 Łódź";
        assert_eq!(all(TextBuffer::new(Drop(text.as_bytes()), Encoding::UTF_8)), text);
        let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(all(TextBuffer::new(Drop(&wide), Encoding::parse("UTF-16BE").unwrap())), text);
    }

    #[test]
    fn damage_is_reported_and_unconsumed_text_stays() {
        let mut letters = TextBuffer::new(&b"ab\xffcd"[..], Encoding::UTF_8);
        letters.read_more().unwrap();
        assert!(letters.has_damage());
        letters.consume(2);
        letters.read_more().unwrap();
        assert_eq!((letters.rest(), letters.is_at_end()), ("\u{fffd}cd", true));
        letters.consume(letters.rest().len());
        letters.read_more().unwrap();
        assert!(!letters.has_damage() && letters.rest().is_empty());
    }
}
