//! Templates for bodies of callbacks that differ from the documented one. A template is sent as written, with values
//! in place of their names.

use std::borrow::Cow;

use axum::http::HeaderValue;
use roost_model::{job::Job, time::Timestamp};
use roost_ops::callback::Callback;
use roost_wire::contact::job_ended_body;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

use crate::settings::nearest_name;

/// Replaces the documented body. `{{name}}` inserts a value. `body`, `timestamp`, `results`,
/// `results.total_contacts_imported` (and `_merged`, `_failed`), `list_id`, `list_name` and `correlation_id` are those
/// of the documented body. `job.id`, `job.contacts`, `job.imported`, `job.merged`, `job.skipped`, `job.failed`,
/// `job.queued_at` and `job.finished_at` describe the job, with counts as numbers. `callback.id` and `callback.try`
/// identify the attempt. `{{name:text}}` inserts the value as a text. At most 64 KiB and 100 values.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", rename_all_fields = "snake_case", deny_unknown_fields)]
#[schemars(rename = "CallbackTemplate")]
pub(crate) enum CallbackTemplate {
    /// The documented body.
    #[default]
    None,
    /// Any JSON, sent byte for byte. A text that is only `{{name}}` becomes the value with its type.
    Json(#[schemars(with = "Value")] RawJson),
    /// Any text, JSON or not. Values are inserted unchanged.
    Text {
        body: String,
        #[serde(default = "plain")]
        content_type: String,
    },
}

/// JSON exactly as it was written.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct RawJson(Box<RawValue>);

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

fn plain() -> String {
    "text/plain; charset=utf-8".to_owned()
}

const JSON_TYPE: &str = "application/json";
const LENGTH_MAX: usize = 64 * 1024;
/// The limit keeps a short template from making a long body.
const VALUES_MAX: usize = 100;

const VALUE_NAMES: [&str; 19] = [
    "body",
    "timestamp",
    "results",
    "results.total_contacts_failed",
    "results.total_contacts_imported",
    "results.total_contacts_merged",
    "list_id",
    "list_name",
    "correlation_id",
    "job.id",
    "job.contacts",
    "job.imported",
    "job.merged",
    "job.skipped",
    "job.failed",
    "job.queued_at",
    "job.finished_at",
    "callback.id",
    "callback.try",
];

/// The content of one attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallbackContent {
    pub body: String,
    pub media: Cow<'static, str>,
}

impl CallbackContent {
    /// Returns the documented body.
    pub(crate) fn from_job(job: &Job) -> Self {
        Self { body: String::from_utf8_lossy(&job_ended_body(job)).into_owned(), media: JSON_TYPE.into() }
    }
}

impl CallbackTemplate {
    /// Refuses templates that cannot be sent.
    pub(crate) fn check(&self) -> Result<(), String> {
        let text = match self {
            Self::None => return Ok(()),
            Self::Json(json) => json.0.get(),
            Self::Text { body, content_type } => {
                if content_type.is_empty() || HeaderValue::try_from(content_type).is_err() {
                    return Err("content_type: not a valid header value.".to_owned());
                }
                body
            }
        };
        let (pieces, _) = split_template(text)?;
        if text.len() > LENGTH_MAX || pieces.len() > VALUES_MAX {
            return Err(format!("template: expected at most {LENGTH_MAX} bytes and {VALUES_MAX} values."));
        }
        match pieces.iter().find(|piece| !VALUE_NAMES.contains(&piece.name)) {
            None => Ok(()),
            Some(TemplateValue { name, .. }) => Err(match nearest_name(name, VALUE_NAMES.into_iter()) {
                Some(near) => format!("template: unknown value '{name}'. Did you mean '{near}'?"),
                None => format!("template: unknown value '{name}'. Values: {}.", VALUE_NAMES.join(", ")),
            }),
        }
    }

    /// Returns the content of the attempt with this number.
    pub(crate) fn render(&self, callback: &Callback, number: u32) -> CallbackContent {
        let value = |name: &str| read_value(name, callback, number);
        match self {
            Self::None => CallbackContent::from_job(&callback.job),
            Self::Json(json) => CallbackContent { body: render_json(json.0.get(), value), media: JSON_TYPE.into() },
            Self::Text { body, content_type } => {
                CallbackContent { body: render_text(body, value), media: content_type.clone().into() }
            }
        }
    }
}

struct TemplateValue<'t> {
    /// The text before the value.
    before: &'t str,
    name: &'t str,
    is_text: bool,
}

/// Splits a template into its values and the text after the last one.
fn split_template(mut rest: &str) -> Result<(Vec<TemplateValue<'_>>, &str), String> {
    let mut pieces = Vec::new();
    while let Some((before, behind)) = rest.split_once("{{") {
        let (name, after) = behind.split_once("}}").ok_or("template: a '{{' has no '}}'.")?;
        let (name, is_text) = name.trim().strip_suffix(":text").map_or((name.trim(), false), |name| (name, true));
        pieces.push(TemplateValue { before, name, is_text });
        rest = after;
    }
    Ok((pieces, rest))
}

/// Renders a template of JSON. In JSON `{{` occurs only inside strings, so a quotation mark on either side belongs to
/// the string.
fn render_json(template: &str, value: impl Fn(&str) -> String) -> String {
    let Ok((pieces, tail)) = split_template(template) else { return template.to_owned() };
    let (mut out, mut closes) = (String::with_capacity(template.len()), 0);
    for (at, piece) in pieces.iter().enumerate() {
        out.push_str(&piece.before[closes..]);
        closes = 0;
        let after = pieces.get(at + 1).map_or(tail, |next| next.before);
        let is_whole = opens_string(piece.before) && after.strip_prefix('"').is_some_and(|rest| !is_field_name(rest));
        let value = value(piece.name);
        if is_whole && !piece.is_text {
            out.pop();
            out.push_str(&value);
            closes = 1;
        } else {
            let quoted = Value::from(unquote_json(value)).to_string();
            out.push_str(&quoted[1..quoted.len() - 1]);
        }
    }
    out.push_str(&tail[closes..]);
    out
}

/// Whether a string begins at the end of this text.
fn opens_string(before: &str) -> bool {
    before.strip_suffix('"').is_some_and(|rest| (rest.len() - rest.trim_end_matches('\\').len()) % 2 == 0)
}

/// Whether the string that ends before this text is the name of a field.
fn is_field_name(after: &str) -> bool {
    after.trim_start().starts_with(':')
}

fn render_text(template: &str, value: impl Fn(&str) -> String) -> String {
    let Ok((pieces, tail)) = split_template(template) else { return template.to_owned() };
    let filled = pieces.iter().map(|piece| format!("{}{}", piece.before, unquote_json(value(piece.name))));
    filled.chain([tail.to_owned()]).collect()
}

/// Returns the text of a JSON string, and every other value as its JSON.
fn unquote_json(value: String) -> String {
    serde_json::from_str::<String>(&value).unwrap_or(value)
}

/// Returns a value as JSON.
fn read_value(name: &str, callback: &Callback, number: u32) -> String {
    let job = &callback.job;
    let value: Value = match name {
        "body" => return CallbackContent::from_job(job).body,
        "job.id" => job.id.into(),
        "job.contacts" => job.contacts.into(),
        "job.imported" => job.totals.imported.into(),
        "job.merged" => job.totals.merged.into(),
        "job.skipped" => job.totals.skipped.into(),
        "job.failed" => job.totals.failed.into(),
        "job.queued_at" => job.queued_at.to_iso().into(),
        "job.finished_at" => job.finished_at.map(Timestamp::to_iso).into(),
        "callback.id" => callback.id.into(),
        "callback.try" => number.into(),
        documented => {
            let body: Value = serde_json::from_slice(&job_ended_body(job)).unwrap_or_default();
            body.pointer(&format!("/{}", documented.replace('.', "/"))).cloned().unwrap_or_default()
        }
    };
    value.to_string()
}

#[cfg(test)]
mod tests {
    use roost_model::{
        contact::MergeType,
        id::ListId,
        job::{JobState, JobTotals},
    };
    use roost_ops::callback::CallbackState;

    use super::*;

    fn make_callback() -> Callback {
        let job = Job {
            id: 7,
            list_id: ListId::parse("LST_36AbCdEfGhIjKlMnOpQrStUvWx1").expect("well formed"),
            list_name: "\"VIP\" {{list_id}}".to_owned(),
            merge_type: MergeType::MergeByPhone,
            callback_url: None,
            correlation_id: None,
            contacts: 2,
            state: JobState::Done,
            totals: JobTotals { imported: 1, merged: 1, skipped: 5, failed: 0 },
            queued_at: Timestamp::from_unix(0),
            finished_at: Some(Timestamp::from_unix(60)),
        };
        Callback { id: 3, job, state: CallbackState::Waiting, next_at: None, attempts: 1 }
    }

    fn render_template(template: &str) -> String {
        let template: CallbackTemplate = serde_json::from_str(template).expect("a template");
        template.check().expect("one that can be");
        template.render(&make_callback(), 2).body
    }

    #[test]
    fn json_is_sent_as_it_is_written_and_values_keep_their_types() {
        for (template, want) in [
            (r#"{ "z":1.0,"a" : "{{job.imported}}", "a":1e2 }"#, r#"{ "z":1.0,"a" : 1, "a":1e2 }"#),
            (r#"["{{ job.imported }}","{{job.imported:text}}","n = {{job.imported}}"]"#, r#"[1,"1","n = 1"]"#),
            (r#"["{{correlation_id}}","{{correlation_id:text}}"]"#, r#"[null,"null"]"#),
            (r#"{"{{job.id}}":"{{callback.try}}","x{{job.id}}" : true}"#, r#"{"7":2,"x7" : true}"#),
            (r#"{"{{list_name}}" : "{{list_name}}"}"#, r#"{"\"VIP\" {{list_id}}" : "\"VIP\" {{list_id}}"}"#),
            (r#"["\"{{job.id}}\"","\\","{{job.id}}{{job.id}}","{{job.id}}"]"#, r#"["\"7\"","\\","77",7]"#),
            (r#""{{results.total_contacts_merged}}""#, r#""1""#),
            (r#""\u007b{job.id}}""#, r#""\u007b{job.id}}""#),
            ("[]", "[]"),
        ] {
            assert_eq!(render_template(&format!(r#"{{"json":{template}}}"#)), want, "{template}");
        }
        let wrapped = render_template(r#"{"json":{"event":"done","data":"{{body}}"}}"#);
        assert_eq!(
            wrapped,
            format!(r#"{{"event":"done","data":{}}}"#, CallbackContent::from_job(&make_callback().job).body)
        );
    }

    #[test]
    fn a_text_takes_values_as_they_are() {
        let template =
            CallbackTemplate::Text { body: "{\"n\": {{job.merged}}, {{list_name}}".to_owned(), content_type: plain() };
        let content = template.render(&make_callback(), 1);
        assert_eq!(content.body, "{\"n\": 1, \"VIP\" {{list_id}}");
        assert_eq!(content.media, "text/plain; charset=utf-8");
        assert_eq!(CallbackTemplate::None.render(&make_callback(), 1), CallbackContent::from_job(&make_callback().job));
    }

    #[test]
    fn every_name_has_a_value_and_the_whole_documented_body_has_names() {
        let mut named = make_callback();
        named.job.correlation_id = Some("job-17".to_owned());
        for name in VALUE_NAMES {
            assert_ne!(read_value(name, &named, 1), "null", "{name}");
        }
        let body: Value = serde_json::from_str(&CallbackContent::from_job(&named.job).body).expect("JSON");
        let fields = |value: &Value| {
            value.as_object().map(|value| value.keys().cloned().collect::<Vec<_>>()).unwrap_or_default()
        };
        for field in fields(&body) {
            let below = fields(&body[&field]).into_iter().map(|name| format!("{field}.{name}"));
            assert!(below.chain([field.clone()]).all(|name| VALUE_NAMES.contains(&name.as_str())), "{field}");
        }
    }

    #[test]
    fn what_cannot_be_sent_is_refused() {
        for (template, want) in [
            (r#"{"json":"{{list_idd}}"}"#, "Did you mean 'list_id'?"),
            (r#"{"json":["{{x"]}"#, "has no '}}'"),
            (r#"{"json":{"a":{"b":"{{x"}}}"#, "unknown value"),
            (r#"{"text":{"body":"{{}}"}}"#, "Values: body, "),
            (r#"{"text":{"body":"","content_type":"a\nb"}}"#, "content_type"),
            (r#"{"text":{"body":"","content_type":""}}"#, "content_type"),
        ] {
            let read: CallbackTemplate = serde_json::from_str(template).expect(template);
            assert!(read.check().expect_err(template).contains(want), "{template}: {:?}", read.check());
        }
        for long in ["x".repeat(LENGTH_MAX + 1), "{{body}}".repeat(VALUES_MAX + 1)] {
            assert!(CallbackTemplate::Text { body: long, content_type: plain() }.check().is_err());
        }
    }
}
