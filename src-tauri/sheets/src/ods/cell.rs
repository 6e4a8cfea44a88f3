//! Reads one cell of a sheet: the text that it shows, or the value behind the text.

use crate::{
    block::remark::{RemarkKind, RemarkList, is_rounded},
    xlsx::{has_all_digits, plain_digits},
    xml::XmlTag,
};

/// The attributes that hold a value other than a number.
const VALUE_ATTRIBUTES: [&str; 4] =
    ["office:string-value", "office:date-value", "office:time-value", "office:boolean-value"];

/// A cell that is being read.
pub(super) struct OdsCell {
    pub text: String,
    /// The number behind the shown text.
    value: Option<String>,
    /// The text, date, time or boolean behind the shown text.
    stored: Option<String>,
    is_date: bool,
    pub repeats: usize,
    paragraphs: usize,
    pub in_paragraph: usize,
    /// Nesting depth of comments and pictures, which are not text of the cell.
    pub aside: usize,
    is_error: bool,
}

impl OdsCell {
    pub(super) fn from_tag(tag: &XmlTag) -> Self {
        let kind = tag.attribute("office:value-type");
        let is_number = matches!(kind.as_deref(), Some("float" | "currency" | "percentage"));
        let is_date = kind.as_deref() == Some("date");
        let is_error = tag.attribute("calcext:value-type").as_deref() == Some("error");
        Self {
            text: String::new(),
            value: tag.attribute("office:value").filter(|_| is_number).map(|value| plain_digits(&value).into_owned()),
            stored: VALUE_ATTRIBUTES.iter().find_map(|name| tag.attribute(name)),
            is_date,
            repeats: tag.number_attribute("table:number-columns-repeated").unwrap_or(1).clamp(1, 1 << 24) as usize,
            paragraphs: 0,
            in_paragraph: 0,
            aside: 0,
            is_error,
        }
    }

    pub(super) fn open_tag(&mut self, tag: &XmlTag) {
        match tag.name() {
            "annotation" | "shapes" | "frame" => self.aside += 1,
            _ if self.aside > 0 => {}
            "p" => {
                if self.paragraphs > 0 {
                    self.text.push('\n');
                }
                self.paragraphs += 1;
                self.in_paragraph += 1;
            }
            "s" => {
                let count = tag.number_attribute("text:c").unwrap_or(1).min(1 << 16) as usize;
                self.text.extend(std::iter::repeat_n(' ', count));
            }
            "tab" => self.text.push('\t'),
            "line-break" => self.text.push('\n'),
            _ => {}
        }
    }

    pub(super) fn close_tag(&mut self, name: &str) {
        match name {
            "annotation" | "shapes" | "frame" => self.aside = self.aside.saturating_sub(1),
            "p" if self.aside == 0 => self.in_paragraph = self.in_paragraph.saturating_sub(1),
            _ => {}
        }
    }

    /// Returns whether the cell shows an error. Some programs only indicate this by an empty value behind a text.
    pub(super) fn is_error(&self) -> bool {
        self.is_error || (self.stored.as_deref() == Some("") && !self.text.is_empty())
    }

    /// Returns what a person sees. If the cell is too narrow for a long number, returns the number.
    pub(super) fn into_text(self, remarks: &mut RemarkList) -> String {
        let is_short = self.text.contains("E+") || self.text.starts_with("##");
        let count = self.repeats as u64;
        // Some programs write only the value.
        if self.paragraphs == 0 && self.text.is_empty() {
            let stored = self.stored.map(|stored| if self.is_date { plain_date(&stored) } else { stored });
            return self.value.or(stored).unwrap_or_default();
        }
        if let Some(date) = self.stored.filter(|_| self.is_date) {
            let date = plain_date(&date);
            if date != self.text {
                remarks.add_many(RemarkKind::Date, "", count, || format!("{date} ({})", self.text));
            }
            return date;
        }
        match self.value {
            Some(value) if is_short && has_all_digits(&value) => {
                remarks.add_many(RemarkKind::Exact, "", count, || format!("{value} ({})", self.text));
                value
            }
            Some(value) if is_rounded(&value, &self.text) => {
                remarks.add_many(RemarkKind::Rounded, "", count, || format!("{} ({value})", self.text));
                self.text
            }
            _ => self.text,
        }
    }
}

/// Removes a midnight time from `1990-03-14T00:00:00`, and writes `1990-03-14T09:30:00` as `1990-03-14 09:30`.
fn plain_date(stored: &str) -> String {
    let Some((date, time)) = stored.split_once('T') else { return stored.to_owned() };
    if time.bytes().all(|byte| matches!(byte, b'0' | b':' | b'.')) {
        return date.to_owned();
    }
    format!("{date} {}", time.strip_suffix(":00").filter(|time| time.contains(':')).unwrap_or(time))
}
