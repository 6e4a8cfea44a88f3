//! Compiles a filter into SQL. Columns come from the closed list of fields and values are bound, so no typed text
//! becomes part of the SQL.

use std::fmt::Write;

use roost_model::{
    channel::Channel,
    contact::{Attribute, ContactField},
    filter::{DateRange, DateTest, DuplicateBy, FilterCondition, FilterExpression, OptedOutOf, ReachFilter, TextOp},
    id::AssetId,
    readiness::Readiness,
    time::Timestamp,
};
use rusqlite::types::Value;

use super::super::list_view;
use crate::{
    error::Result,
    tables::lists::{self, ListRow, readiness},
    text_functions::fit,
    tx::ReadTx,
};

/// A condition on `contacts AS c`, with the values of its `?1…`. The first value is the list.
#[derive(Debug, Clone)]
pub struct FilterSql {
    pub condition: String,
    pub values: Vec<Value>,
}

/// Compiles the condition for a list's contacts. It is `1` when every contact matches.
pub fn compile_filter(
    tx: &ReadTx,
    list: ListRow,
    filter: Option<&FilterExpression>,
    text: Option<&str>,
    custom: &[u32],
    now: Timestamp,
) -> Result<FilterSql> {
    let mut sql = FilterCompiler { tx, now, values: vec![list.0.into()] };
    let mut parts = Vec::new();
    if let Some(filter) = filter {
        parts.push(sql.filter_sql(filter)?);
    }
    if let Some(words) = text.map(str::trim).filter(|words| !words.is_empty()) {
        parts.push(list_view::search_sql(custom, sql.values.len() + 1));
        sql.values.extend(list_view::search_values(words));
    }
    let condition = if parts.is_empty() { "1".to_owned() } else { parts.join(" AND ") };
    Ok(FilterSql { condition, values: sql.values })
}

struct FilterCompiler<'t, 'c> {
    tx: &'t ReadTx<'c>,
    now: Timestamp,
    values: Vec<Value>,
}

fn qualified_column(field: ContactField) -> String {
    format!("c.{}", list_view::column_name(field))
}

impl FilterCompiler<'_, '_> {
    /// Binds a value and returns its placeholder.
    fn bind_value(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        format!("?{}", self.values.len())
    }

    fn filter_sql(&mut self, filter: &FilterExpression) -> Result<String> {
        Ok(match filter {
            FilterExpression::All(parts) => self.group_sql(parts, " AND ")?,
            FilterExpression::Any(parts) => self.group_sql(parts, " OR ")?,
            FilterExpression::Not(part) => format!("NOT {}", self.filter_sql(part)?),
            FilterExpression::Is(condition) => self.condition_sql(condition)?,
        })
    }

    fn group_sql(&mut self, parts: &[FilterExpression], between: &str) -> Result<String> {
        if parts.is_empty() {
            return Ok("1".to_owned());
        }
        let parts: Vec<String> = parts.iter().map(|part| self.filter_sql(part)).collect::<Result<_>>()?;
        Ok(format!("({})", parts.join(between)))
    }

    /// Compiles one condition. The SQL is always true or false and never null, so that `NOT` gives the opposite.
    fn condition_sql(&mut self, condition: &FilterCondition) -> Result<String> {
        Ok(match condition {
            FilterCondition::Text { field, op, value, is_case_sensitive } => {
                self.text_sql(*field, *op, value, *is_case_sensitive)
            }
            FilterCondition::OneOf { field, values } => {
                let column = qualified_column(*field);
                let texts: Vec<String> = values.iter().flatten().cloned().map(|text| self.bind_value(text)).collect();
                let blank = if values.contains(&None) { format!(" OR {}", blank_sql(&column)) } else { String::new() };
                format!("(coalesce({column} IN ({}), 0){blank})", texts.join(", "))
            }
            FilterCondition::Blank { field, is } => negate_if(!is, &blank_sql(&qualified_column(*field))),
            FilterCondition::Time { field, op, span } => {
                let (first, last) = span.bounds(*op, self.now.unix());
                let (first, last) = (self.bind_value(first), self.bind_value(last));
                format!("coalesce(c.{} BETWEEN {first} AND {last}, 0)", field.as_str())
            }
            FilterCondition::Date { field, test } => self.date_sql(&qualified_column(*field), *test),
            FilterCondition::OptedOut { of, reach, is } => negate_if(!is, &opted_out_sql(*of, *reach)),
            FilterCondition::InList { list, is } => match lists::row_of(self.tx, list)? {
                Some(list) => {
                    let list = self.bind_value(list.0);
                    let has = |column: &str| {
                        format!(
                            "EXISTS (SELECT 1 FROM main.contacts AS d WHERE d.list_id = {list} AND d.{column} = c.{column})"
                        )
                    };
                    negate_if(!is, &format!("({} OR {})", has("phone"), has("whatsapp")))
                }
                None => if *is { "0" } else { "1" }.to_owned(),
            },
            FilterCondition::Draft { is } => {
                negate_if(!is, "EXISTS (SELECT 1 FROM main.drafts AS d WHERE d.contact_id = c.id)")
            }
            FilterCondition::Duplicate { by, is } => negate_if(!is, &duplicate_sql(*by)),
            FilterCondition::Readiness { status, channel, asset, is } => {
                negate_if(!is, &self.readiness_sql(*status, *channel, asset.as_ref()))
            }
        })
    }

    /// Compiles a date condition. A text that is not a date has neither a day nor a birthday.
    fn date_sql(&mut self, column: &str, test: DateTest) -> String {
        match test.range_on(self.now.day()) {
            DateRange::Days(first, last) => {
                let (first, last) = (self.bind_value(first), self.bind_value(last));
                format!("coalesce(roost_day({column}) BETWEEN {first} AND {last}, 0)")
            }
            DateRange::Birthdays(ranges) => {
                let ranges: Vec<String> = ranges
                    .into_iter()
                    .map(|(first, last)| {
                        let (first, last) = (self.bind_value(i64::from(first)), self.bind_value(i64::from(last)));
                        format!("coalesce(roost_birthday({column}) BETWEEN {first} AND {last}, 0)")
                    })
                    .collect();
                format!("({})", ranges.join(" OR "))
            }
            DateRange::NotADate => format!("(NOT {} AND roost_day({column}) IS NULL)", blank_sql(column)),
        }
    }

    /// Compiles a readiness condition. The order of the cases is that of [`Readiness::ALL`], and so that of the counts
    /// in `lists::readiness`.
    fn readiness_sql(&mut self, wanted: Readiness, channel: Channel, asset: Option<&AssetId>) -> String {
        let (column, field) = (readiness::match_key(channel).column(), readiness::number_field(channel));
        let name = channel.as_str();
        let scope = match asset {
            Some(asset) => format!(" AND o.scope IN ('', {})", self.bind_value(asset.as_str().to_owned())),
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

    fn text_sql(&mut self, field: ContactField, op: TextOp, value: &str, is_case_sensitive: bool) -> String {
        let column = qualified_column(field);
        let fits = if op.is_pattern() {
            format!("roost_matches({}, {}, {column})", self.bind_value(value.to_owned()), u8::from(is_case_sensitive))
        } else {
            let how = match op {
                TextOp::Is | TextOp::IsNot => fit::IS,
                TextOp::Starts => fit::STARTS,
                TextOp::Ends => fit::ENDS,
                _ => fit::CONTAINS,
            };
            let (how, part) =
                if is_case_sensitive { (how + fit::EXACTLY, value.to_owned()) } else { (how, value.to_lowercase()) };
            format!("roost_fits({how}, {column}, {})", self.bind_value(part))
        };
        negate_if(op.is_negation(), &fits)
    }
}

fn negate_if(is: bool, condition: &str) -> String {
    if is { format!("NOT {condition}") } else { condition.to_owned() }
}

fn blank_sql(column: &str) -> String {
    format!("coalesce({column} = '', 1)")
}

fn opted_out_sql(target: OptedOutOf, reach: ReachFilter) -> String {
    let scope = match reach {
        ReachFilter::Any => "",
        ReachFilter::Account => " AND o.scope = ''",
        ReachFilter::Asset => " AND o.scope <> ''",
    };
    let on = |column: &str, channel: &str| {
        format!(
            "EXISTS (SELECT 1 FROM main.opt_outs AS o WHERE o.number = c.{column} AND o.channel = '{channel}'{scope})"
        )
    };
    let (sms, whatsapp) = (on("phone", "SMS"), on("whatsapp", "WHATSAPP"));
    match target {
        OptedOutOf::Sms => sms,
        OptedOutOf::Whatsapp => whatsapp,
        OptedOutOf::Any => format!("({sms} OR {whatsapp})"),
    }
}

fn duplicate_sql(by: DuplicateBy) -> String {
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
