//! Writes the formats of a seed file: JSON, YAML, and lines of JSON with one record each. Records are written one at a
//! time, so the memory used does not grow with the account.

use std::io::Write;

use serde_json::{Map, Value, json};

use crate::error::{Error, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SeedFormat {
    #[default]
    Json,
    Yaml,
    /// Lines such as `{"resource":"senders",…}`; each contact names its list.
    Lines,
}

/// Writes a seed file part by part.
pub struct SeedWriter<'w> {
    form: SeedFormat,
    out: &'w mut dyn Write,
    part: &'static str,
    is_first: bool,
    /// The list whose contacts are being written, and whether any contact was written yet.
    list: Option<(String, bool)>,
}

impl<'w> SeedWriter<'w> {
    pub fn new(form: SeedFormat, out: &'w mut dyn Write) -> Self {
        Self { form, out, part: "", is_first: true, list: None }
    }

    fn write_text(&mut self, text: &str) -> Result<()> {
        self.out
            .write_all(text.as_bytes())
            .map_err(|error| Error::conflict(format!("The export could not be written: {error}")))
    }

    /// Begins the part with the records of this name.
    pub fn begin_part(&mut self, name: &'static str) -> Result<()> {
        match (self.form, self.part) {
            (SeedFormat::Json, "") => self.write_text(&format!("{{\n\"{name}\": ["))?,
            (SeedFormat::Json, _) => self.write_text(&format!("],\n\"{name}\": ["))?,
            (SeedFormat::Yaml, before) => self.end_empty(before)?,
            (SeedFormat::Lines, _) => {}
        }
        (self.part, self.is_first) = (name, true);
        Ok(())
    }

    /// Writes an empty part of YAML. The name of a part is otherwise written with its first record.
    fn end_empty(&mut self, part: &str) -> Result<()> {
        if part.is_empty() || !self.is_first { Ok(()) } else { self.write_text(&format!("{part}: []\n")) }
    }

    pub fn write_records(&mut self, mut records: impl Iterator<Item = Value>) -> Result<()> {
        records.try_for_each(|record| self.write_record(&record))
    }

    pub fn write_record(&mut self, record: &Value) -> Result<()> {
        self.begin_record(record)?;
        if self.form == SeedFormat::Json { self.write_text(&record.to_string()) } else { Ok(()) }
    }

    /// Writes the separator before a record. Every format but JSON writes the record here too.
    fn begin_record(&mut self, record: &Value) -> Result<()> {
        let (part, is_first) = (self.part, std::mem::take(&mut self.is_first));
        match self.form {
            SeedFormat::Json => self.write_text(if is_first { "\n" } else { ",\n" }),
            SeedFormat::Yaml => {
                if is_first {
                    self.write_text(&format!("{part}:\n"))?;
                }
                self.write_text(&to_yaml_item(record, ""))
            }
            SeedFormat::Lines => self.write_text(&to_json_line(part, None, record)),
        }
    }

    /// Writes a list without its contacts, which follow.
    pub fn begin_list(&mut self, head: &Value, uid: &str) -> Result<()> {
        self.begin_record(head)?;
        if self.form == SeedFormat::Json {
            self.write_text(head.to_string().trim_end_matches('}'))?;
            self.write_text(",\"contacts\":[")?;
        }
        self.list = Some((uid.to_owned(), false));
        Ok(())
    }

    pub fn write_contact(&mut self, contact: &Value) -> Result<()> {
        let Some((uid, has_some)) = self.list.take() else { return Ok(()) };
        match self.form {
            SeedFormat::Json => {
                self.write_text(if has_some { ",\n" } else { "\n" })?;
                self.write_text(&contact.to_string())?;
            }
            SeedFormat::Yaml => {
                if !has_some {
                    self.write_text("  contacts:\n")?;
                }
                self.write_text(&to_yaml_item(contact, "  "))?;
            }
            SeedFormat::Lines => self.write_text(&to_json_line("contacts", Some(&uid), contact))?,
        }
        self.list = Some((uid, true));
        Ok(())
    }

    pub fn end_list(&mut self) -> Result<()> {
        self.list = None;
        if self.form == SeedFormat::Json { self.write_text("]}") } else { Ok(()) }
    }

    /// Finishes the file with what is used up, if anything is, and with the base of the server's own short URLs.
    pub fn finish(mut self, used_up: &Map<String, Value>, default_base: Option<&str>) -> Result<()> {
        let (value, base) = (Value::from(used_up.clone()), default_base.map(Value::from));
        match self.form {
            SeedFormat::Json => {
                self.write_text("]")?;
                if !used_up.is_empty() {
                    self.write_text(&format!(",\n\"used_up\": {value}"))?;
                }
                if let Some(base) = base {
                    self.write_text(&format!(",\n\"short_link_base\": {base}"))?;
                }
                self.write_text("\n}\n")
            }
            SeedFormat::Yaml => {
                self.end_empty(self.part)?;
                if !used_up.is_empty() {
                    self.write_text("used_up:\n")?;
                    used_up.iter().try_for_each(|(name, value)| {
                        self.write_text(&format!("  {name}: {}\n", quote_value(value)))
                    })?;
                }
                base.map_or(Ok(()), |base| self.write_text(&format!("short_link_base: {}\n", quote_value(&base))))
            }
            SeedFormat::Lines => {
                if !used_up.is_empty() {
                    self.write_text(&to_json_line("used_up", None, &value))?;
                }
                base.map_or(Ok(()), |base| {
                    self.write_text(&to_json_line("account", None, &json!({ "short_link_base": base })))
                })
            }
        }
    }
}

/// Returns a record as an item of a YAML block sequence.
fn to_yaml_item(record: &Value, indent: &str) -> String {
    let mut text = String::new();
    let mut lead = "- ";
    for (name, value) in record.as_object().into_iter().flatten() {
        text.push_str(&format!("{indent}{lead}{name}: {}\n", quote_value(value)));
        lead = "  ";
    }
    text
}

/// Returns a value as JSON, which is valid YAML, with the characters escaped that YAML does not allow.
fn quote_value(value: &Value) -> String {
    let mut text = String::new();
    for c in value.to_string().chars() {
        match c {
            '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                text.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => text.push(c),
        }
    }
    text
}

fn to_json_line(resource: &str, list: Option<&str>, record: &Value) -> String {
    let list = list.map(|uid| format!(",\"list_uid\":\"{uid}\"")).unwrap_or_default();
    let record = record.to_string();
    let rest = record.trim_start_matches('{');
    let comma = if rest == "}" { "" } else { "," };
    format!("{{\"resource\":\"{resource}\"{list}{comma}{rest}\n")
}
