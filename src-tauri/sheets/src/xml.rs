//! Reads the markup of workbooks as a stream of small pieces, none of them larger than allowed.

use std::{
    borrow::Cow,
    io::{self, BufRead, Read},
    ops::Deref,
};

use quick_xml::{
    Error as XmlError, Reader, XmlVersion,
    events::{BytesEnd, BytesRef, BytesStart, Event, attributes::Attribute},
};

use crate::{
    error::{SheetError, SheetErrorKind},
    limits::ReadLimits,
};

/// Limits the number of bytes that one piece may read.
struct MeteredReader<R> {
    inner: R,
    left: usize,
    is_over: bool,
}

impl<R: BufRead> Read for MeteredReader<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let buffered = self.fill_buf()?;
        let count = buffered.len().min(buf.len());
        buf[..count].copy_from_slice(&buffered[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl<R: BufRead> BufRead for MeteredReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.left == 0 {
            self.is_over = true;
            return Err(io::Error::other("a piece of markup is too long"));
        }
        let buffered = self.inner.fill_buf()?;
        Ok(&buffered[..buffered.len().min(self.left)])
    }

    fn consume(&mut self, count: usize) {
        self.left = self.left.saturating_sub(count);
        self.inner.consume(count);
    }
}

/// Reads one part of a workbook.
pub(crate) struct XmlReader<R: BufRead> {
    reader: Reader<MeteredReader<R>>,
    buf: Vec<u8>,
    part: String,
    depth: usize,
    limits: ReadLimits,
}

/// The next piece of a part.
pub(crate) enum XmlPiece<'x> {
    Open(XmlTag<'x>),
    Close(EndTag<'x>),
    Text(Cow<'x, str>),
    /// A piece without meaning, such as a comment.
    Other,
    End,
}

/// An end tag. It dereferences to its name without the prefix.
pub(crate) struct EndTag<'x>(BytesEnd<'x>);

impl Deref for EndTag<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        local_name(self.0.name().0)
    }
}

pub(crate) struct XmlTag<'x>(BytesStart<'x>);

impl XmlTag<'_> {
    /// Returns the name without its prefix.
    pub(crate) fn name(&self) -> &str {
        local_name(self.0.name().0)
    }

    /// Returns an attribute by its name as written, including the prefix.
    pub(crate) fn attribute(&self, name: &str) -> Option<String> {
        self.attribute_ref(name).map(Cow::into_owned)
    }

    /// Returns an attribute without copying it.
    pub(crate) fn attribute_ref(&self, name: &str) -> Option<Cow<'_, str>> {
        self.attributes().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Iterates over all attributes by their names as written.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
        let mut attributes = self.0.attributes();
        attributes.with_checks(false);
        attributes.flatten().map(|attribute| (attribute.key.0, attribute_text(attribute)))
    }

    /// Returns the first attribute of this name with any prefix, because programs choose their own prefixes.
    pub(crate) fn attribute_of_any_prefix(&self, name: &str) -> Option<String> {
        let mut attributes = self.0.attributes();
        let is_it = |key: &str| key.split_once(':').is_some_and(|(_, local)| local == name);
        let found = attributes.with_checks(false).flatten().find(|attribute| is_it(attribute.key.as_ref()))?;
        Some(attribute_text(found).into_owned())
    }

    pub(crate) fn number_attribute(&self, name: &str) -> Option<u64> {
        self.attribute_ref(name)?.trim().parse().ok()
    }
}

fn attribute_text(attribute: Attribute<'_>) -> Cow<'_, str> {
    attribute.normalized_value(XmlVersion::Implicit1_0).unwrap_or(attribute.value)
}

fn local_name(name: &str) -> &str {
    // A search for long texts would be slower for such short ones.
    name.bytes().rposition(|byte| byte == b':').map_or(name, |at| &name[at + 1..])
}

impl<R: BufRead> XmlReader<R> {
    pub(crate) fn new(source: R, part: &str, limits: ReadLimits) -> Self {
        let mut reader = Reader::from_reader(MeteredReader { inner: source, left: 0, is_over: false });
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.allow_dangling_amp = true;
        Self { reader, buf: Vec::new(), part: part.to_owned(), depth: 0, limits }
    }

    pub(crate) fn next(&mut self) -> Result<XmlPiece<'_>, SheetError> {
        self.buf.clear();
        self.reader.get_mut().left = self.limits.row_bytes;
        let event = match self.reader.read_event_into(&mut self.buf) {
            Ok(event) => event,
            Err(why) => {
                let is_over = self.reader.get_ref().is_over;
                return Err(to_error(why, is_over, &self.part, &self.limits));
            }
        };
        Ok(match event {
            Event::Start(tag) => {
                self.depth += 1;
                if self.depth > self.limits.depth {
                    return Err(SheetError::in_part(&self.part, SheetErrorKind::TooDeep(self.limits.depth)));
                }
                XmlPiece::Open(XmlTag(tag))
            }
            Event::End(tag) => {
                self.depth = self.depth.saturating_sub(1);
                XmlPiece::Close(EndTag(tag))
            }
            Event::Text(text) => XmlPiece::Text(text.xml10_content()),
            Event::CData(text) => XmlPiece::Text(text.xml10_content()),
            Event::GeneralRef(reference) => XmlPiece::Text(Cow::Owned(resolve_entity(&reference))),
            Event::DocType(_) => {
                let words = "it declares a document type, which is invalid in a workbook".to_owned();
                return Err(SheetError::in_part(&self.part, SheetErrorKind::Damaged(words)));
            }
            Event::Eof if self.depth > 0 => {
                let words = "it ends too early".to_owned();
                return Err(SheetError::in_part(&self.part, SheetErrorKind::Damaged(words)));
            }
            Event::Eof => XmlPiece::End,
            Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => XmlPiece::Other,
        })
    }
}

/// Resolves only the entities that every document knows. Nothing is fetched or expanded.
fn resolve_entity(reference: &BytesRef) -> String {
    if let Ok(Some(c)) = reference.resolve_char_ref() {
        return c.to_string();
    }
    match &**reference {
        "lt" => "<".to_owned(),
        "gt" => ">".to_owned(),
        "amp" => "&".to_owned(),
        "quot" => "\"".to_owned(),
        "apos" => "'".to_owned(),
        other => format!("&{other};"),
    }
}

fn to_error(why: XmlError, is_over: bool, part: &str, limits: &ReadLimits) -> SheetError {
    let kind = match why {
        XmlError::Io(_) if is_over => SheetErrorKind::MarkupTooLong(limits.row_bytes),
        XmlError::Io(why) => match std::sync::Arc::try_unwrap(why) {
            Ok(why) => why.into(),
            Err(shared) => SheetErrorKind::Damaged(shared.to_string()),
        },
        other => SheetErrorKind::Damaged(other.to_string()),
    };
    SheetError::in_part(part, kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show_pieces(text: &str, limits: ReadLimits) -> Result<String, SheetErrorKind> {
        let mut xml = XmlReader::new(text.as_bytes(), "part.xml", limits);
        let mut show_pieces = String::new();
        loop {
            match xml.next().map_err(|fault| fault.kind)? {
                XmlPiece::Open(tag) => {
                    show_pieces.push_str(&format!("<{} {:?}>", tag.name(), tag.attribute("x:a")));
                }
                XmlPiece::Close(name) => show_pieces.push_str(&format!("</{}>", &*name)),
                XmlPiece::Text(text) => show_pieces.push_str(&text),
                XmlPiece::Other => {}
                XmlPiece::End => return Ok(show_pieces),
            }
        }
    }

    #[test]
    fn pieces_come_in_order() {
        let text = "<?xml version=\"1.0\"?><x:t x:a=\"1&lt;2\"><!-- c -->A &amp; B&#10;&#x41;<![CDATA[<c>]]>&unknown;<e/></x:t>";
        assert_eq!(
            show_pieces(text, ReadLimits::STANDARD).unwrap(),
            "<t Some(\"1<2\")>A & B\nA<c>&unknown;<e None></e></t>"
        );
    }

    #[test]
    fn markup_that_is_too_long_too_deep_or_truncated_is_reported() {
        let small = ReadLimits { row_bytes: 100, depth: 5, ..ReadLimits::STANDARD };
        let long = format!("<t>{}</t>", "x".repeat(1 << 20));
        assert!(matches!(show_pieces(&long, small), Err(SheetErrorKind::MarkupTooLong(100))));
        assert!(matches!(show_pieces(&"<t>".repeat(10), small), Err(SheetErrorKind::TooDeep(5))));
        assert!(matches!(show_pieces("<t><a></a>", small), Err(SheetErrorKind::Damaged(_))));
        assert!(matches!(show_pieces("<t></a>", small), Err(SheetErrorKind::Damaged(_))));
        let bomb = "<!DOCTYPE t [<!ENTITY a \"aaaa\">]><t>&a;</t>";
        assert!(matches!(show_pieces(bomb, small), Err(SheetErrorKind::Damaged(_))));
    }
}
