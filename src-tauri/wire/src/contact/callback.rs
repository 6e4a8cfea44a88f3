//! The callback that is posted when a contact job has ended.

use roost_model::job::Job;
use schemars::JsonSchema;
use serde::Serialize;

use crate::paging::to_bytes;

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct JobEnded<'a> {
    #[schemars(extend("format" = "date-time"))]
    pub timestamp: String,
    pub results: JobResults,
    #[schemars(regex(pattern = r"^LST_[0-9A-Za-z]{27}$"))]
    pub list_id: &'a str,
    /// Name of the list when the job was queued.
    pub list_name: &'a str,
    pub correlation_id: Option<&'a str>,
}

/// Counts as texts. Contacts skipped as duplicates are in none of them.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct JobResults {
    pub total_contacts_failed: String,
    pub total_contacts_imported: String,
    pub total_contacts_merged: String,
}

/// Returns the body of a job's callback. Every attempt sends the same bytes.
pub fn job_ended_body(job: &Job) -> Vec<u8> {
    to_bytes(&JobEnded {
        timestamp: job.finished_at.unwrap_or(job.queued_at).to_iso(),
        results: JobResults {
            total_contacts_failed: job.totals.failed.to_string(),
            total_contacts_imported: job.totals.imported.to_string(),
            total_contacts_merged: job.totals.merged.to_string(),
        },
        list_id: job.list_id.as_str(),
        list_name: &job.list_name,
        correlation_id: job.correlation_id.as_deref(),
    })
}

#[cfg(test)]
mod tests {
    use roost_model::{
        contact::MergeType,
        id::ListId,
        job::{JobState, JobTotals},
        time::Timestamp,
    };

    use super::*;

    #[test]
    fn the_body_is_that_of_the_sample() {
        let time = Timestamp::parse_iso("2026-01-05T09:12:41Z");
        let job = Job {
            id: 1,
            list_id: ListId::parse("LST_36AbCdEfGhIjKlMnOpQrStUvWx1").expect("well formed"),
            list_name: "VIP".to_owned(),
            merge_type: MergeType::MergeByPhone,
            callback_url: None,
            correlation_id: Some("job-17".to_owned()),
            contacts: 2,
            state: JobState::Done,
            totals: JobTotals { imported: 1, merged: 1, skipped: 5, failed: 0 },
            queued_at: Timestamp::from_unix(0),
            finished_at: time,
        };
        let want = r#"{"timestamp":"2026-01-05T09:12:41Z","results":{"total_contacts_failed":"0","total_contacts_imported":"1","total_contacts_merged":"1"},"list_id":"LST_36AbCdEfGhIjKlMnOpQrStUvWx1","list_name":"VIP","correlation_id":"job-17"}"#;
        assert_eq!(String::from_utf8(job_ended_body(&job)).expect("text"), want);
        let silent = job_ended_body(&Job { correlation_id: None, ..job });
        assert!(String::from_utf8(silent).expect("text").ends_with(r#""correlation_id":null}"#));
    }
}
