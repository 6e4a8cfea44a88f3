//! Compiles a filter into SQL. Columns come from the closed list of fields and values are bound, so no typed text
//! becomes part of the SQL.

use std::fmt::Write;

use roost_model::{
    channel::Channel,
    contact::{Attribute, ContactField},
    filter::{Condition, DateRange, DateTest, DuplicateBy, Filter, OptedOutOf, Reach, TextOp},
    id::AssetId,
    readiness::Readiness,
    time::Timestamp,
};
use rusqlite::types::Value;

use super::super::view;
use crate::{
    error::Result,
    tables::lists::{self, ListRow, readiness},
    text::fit,
    tx::ReadTx,
};

/// A condition on `contacts AS c`, with the values of its `?1…`. The first value is the list.
#[derive(Debug, Clone)]
pub struct Sql {
    pub condition: String,
    pub values: Vec<Value>,
}

/// Compiles the condition for a list's contacts. It is `1` when every contact matches.
pub fn compile(
    tx: &ReadTx,
    list: ListRow,
    filter: Option<&Filter>,
    text: Option<&str>,
    custom: &[u32],
    now: Timestamp,
) -> Result<Sql> {
    let mut sql = Compiler { tx, now, values: vec![list.0.into()] };
    let mut parts = Vec::new();
    if let Some(filter) = filter {
        parts.push(sql.filter(filter)?);
    }
    if let Some(words) = text.map(str::trim).filter(|words| !words.is_empty()) {
        parts.push(view::finds(custom, sql.values.len() + 1));
        sql.values.extend(view::sought(words));
    }
    let condition = if parts.is_empty() { "1".to_owned() } else { parts.join(" AND ") };
    Ok(Sql { condition, values: sql.values })
}

struct Compiler<'t, 'c> {
    tx: &'t ReadTx<'c>,
    now: Timestamp,
    values: Vec<Value>,
}

fn column(field: ContactField) -> String {
    format!("c.{}", view::column(field))
}

impl Compiler<'_, '_> {
    /// Binds a value and returns its placeholder.
    fn bind(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        format!("?{}", self.values.len())
    }

    fn filter(&mut self, filter: &Filter) -> Result<String> {
        Ok(match filter {
            Filter::All(parts) => self.group(parts, " AND ")?,
            Filter::Any(parts) => self.group(parts, " OR ")?,
            Filter::Not(part) => format!("NOT {}", self.filter(part)?),
            Filter::Is(condition) => self.condition(condition)?,
        })
    }

    fn group(&mut self, parts: &[Filter], between: &str) -> Result<String> {
        if parts.is_empty() {
            return Ok("1".to_owned());
        }
        let parts: Vec<String> = parts.iter().map(|part| self.filter(part)).collect::<Result<_>>()?;
        Ok(format!("({})", parts.join(between)))
    }

    /// Compiles one condition. The SQL is always true or false and never null, so that `NOT` gives the opposite.
    fn condition(&mut self, condition: &Condition) -> Result<String> {
        Ok(match condition {
            Condition::Text { field, op, value, is_case_sensitive } => {
                self.text(*field, *op, value, *is_case_sensitive)
            }
            Condition::OneOf { field, values } => {
                let column = column(*field);
                let texts: Vec<String> = values.iter().flatten().cloned().map(|text| self.bind(text)).collect();
                let blank = if values.contains(&None) { format!(" OR {}", is_blank(&column)) } else { String::new() };
                format!("(coalesce({column} IN ({}), 0){blank})", texts.join(", "))
            }
            Condition::Blank { field, is } => negated(!is, &is_blank(&column(*field))),
            Condition::Time { field, op, span } => {
                let (first, last) = span.bounds(*op, self.now.unix());
                let (first, last) = (self.bind(first), self.bind(last));
                format!("coalesce(c.{} BETWEEN {first} AND {last}, 0)", field.as_str())
            }
            Condition::Date { field, test } => self.date(&column(*field), *test),
            Condition::OptedOut { of, reach, is } => negated(!is, &opted_out(*of, *reach)),
            Condition::InList { list, is } => match lists::row_of(self.tx, list)? {
                Some(list) => {
                    let list = self.bind(list.0);
                    let has = |column: &str| {
                        format!(
                            "EXISTS (SELECT 1 FROM main.contacts AS d WHERE d.list_id = {list} AND d.{column} = c.{column})"
                        )
                    };
                    negated(!is, &format!("({} OR {})", has("phone"), has("whatsapp")))
                }
                None => if *is { "0" } else { "1" }.to_owned(),
            },
            Condition::Draft { is } => {
                negated(!is, "EXISTS (SELECT 1 FROM main.drafts AS d WHERE d.contact_id = c.id)")
            }
            Condition::Duplicate { by, is } => negated(!is, &duplicate(*by)),
            Condition::Readiness { status, channel, asset, is } => {
                negated(!is, &self.readiness(*status, *channel, asset.as_ref()))
            }
        })
    }

    /// Compiles a date condition. A text that is not a date has neither a day nor a birthday.
    fn date(&mut self, column: &str, test: DateTest) -> String {
        match test.range(self.now.day()) {
            DateRange::Days(first, last) => {
                let (first, last) = (self.bind(first), self.bind(last));
                format!("coalesce(roost_day({column}) BETWEEN {first} AND {last}, 0)")
            }
            DateRange::Birthdays(ranges) => {
                let ranges: Vec<String> = ranges
                    .into_iter()
                    .map(|(first, last)| {
                        let (first, last) = (self.bind(i64::from(first)), self.bind(i64::from(last)));
                        format!("coalesce(roost_birthday({column}) BETWEEN {first} AND {last}, 0)")
                    })
                    .collect();
                format!("({})", ranges.join(" OR "))
            }
            DateRange::NotADate => format!("(NOT {} AND roost_day({column}) IS NULL)", is_blank(column)),
        }
    }

    /// Compiles a readiness condition. The order of the cases is that of [`Readiness::ALL`], and so that of the counts
    /// in `lists::readiness`.
    fn readiness(&mut self, wanted: Readiness, channel: Channel, asset: Option<&AssetId>) -> String {
        let (column, field) = (readiness::key_of(channel).column(), readiness::field_of(channel));
        let name = channel.as_str();
        let scope = match asset {
            Some(asset) => format!(" AND o.scope IN ('', {})", self.bind(asset.as_str().to_owned())),
            None => String::new(),
        };
        let has_draft = |contact: &str| {
            format!("EXISTS (SELECT 1 FROM main.drafts AS f WHERE f.contact_id = {contact}.id AND f.field = '{field}')")
        };
        format!(
            "(CASE
                 WHEN EXISTS (SELECT 1 FROM main.opt_outs AS o
                              WHERE o.number = c.{column} AND o.channel = '{name}'{scope}) THEN 'opted_out'
                 WHEN {} THEN 'invalid'
                 WHEN c.{column} IS NULL THEN 'no_number'
                 ELSE coalesce(roost_number_fault(c.{column}, '{name}'), CASE
                     WHEN EXISTS (SELECT 1 FROM main.contacts AS d
                                  WHERE d.list_id = c.list_id AND d.{column} = c.{column} AND d.id < c.id AND NOT {})
                     THEN 'duplicate' ELSE 'ready' END)
             END = '{}')",
            has_draft("c"),
            has_draft("d"),
            wanted.as_str()
        )
    }

    fn text(&mut self, field: ContactField, op: TextOp, value: &str, is_case_sensitive: bool) -> String {
        let column = column(field);
        let fits = if op.is_pattern() {
            format!("roost_matches({}, {}, {column})", self.bind(value.to_owned()), u8::from(is_case_sensitive))
        } else {
            let how = match op {
                TextOp::Is | TextOp::IsNot => fit::IS,
                TextOp::Starts => fit::STARTS,
                TextOp::Ends => fit::ENDS,
                _ => fit::CONTAINS,
            };
            let (how, part) =
                if is_case_sensitive { (how + fit::EXACTLY, value.to_owned()) } else { (how, value.to_lowercase()) };
            format!("roost_fits({how}, {column}, {})", self.bind(part))
        };
        negated(op.is_negation(), &fits)
    }
}

fn negated(is: bool, condition: &str) -> String {
    if is { format!("NOT {condition}") } else { condition.to_owned() }
}

fn is_blank(column: &str) -> String {
    format!("coalesce({column} = '', 1)")
}

fn opted_out(of: OptedOutOf, reach: Reach) -> String {
    let scope = match reach {
        Reach::Any => "",
        Reach::Account => " AND o.scope = ''",
        Reach::Asset => " AND o.scope <> ''",
    };
    let on = |column: &str, channel: &str| {
        format!(
            "EXISTS (SELECT 1 FROM main.opt_outs AS o WHERE o.number = c.{column} AND o.channel = '{channel}'{scope})"
        )
    };
    let (sms, whatsapp) = (on("phone", "SMS"), on("whatsapp", "WHATSAPP"));
    match of {
        OptedOutOf::Sms => sms,
        OptedOutOf::Whatsapp => whatsapp,
        OptedOutOf::Any => format!("({sms} OR {whatsapp})"),
    }
}

fn duplicate(by: DuplicateBy) -> String {
    let email = Attribute::EmailAddress.name();
    let column = match by {
        DuplicateBy::Phone => "phone",
        DuplicateBy::Whatsapp => "whatsapp",
        // No index covers email addresses, so they are counted once per query.
        DuplicateBy::Email => {
            let mut sql = String::new();
            let _ = write!(
                sql,
                "coalesce(roost_folded(c.{email}) IN (SELECT roost_folded({email}) FROM main.contacts
                     WHERE list_id = ?1 AND {email} <> '' GROUP BY 1 HAVING count(*) > 1), 0)"
            );
            return sql;
        }
    };
    format!(
        "EXISTS (SELECT 1 FROM main.contacts AS d WHERE d.list_id = c.list_id AND d.{column} = c.{column} AND d.id <> c.id)"
    )
}
