//! The policy by which the jobs of a world proceed: at once by default; later, in parts or never to test a client.

use roost_model::{id::ListId, time::DueTime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{faults::JobFault, settings::HumanDuration};

/// Durations are on the world's clock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
#[schemars(rename = "JobPolicy")]
pub(crate) struct JobPolicy {
    pub progress: JobProgress,
    /// With `after`: how long a job waits.
    pub after: HumanDuration,
    /// With `polls`: the job runs at this query of its list's contacts, before the query is answered.
    pub polls: u32,
    /// With `rate`: contacts processed per second.
    pub per_second: u32,
    /// Faults for new jobs. The first one that matches applies to a job, and no other.
    pub faults: Vec<JobFaultRule>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "JobProgress")]
pub(crate) enum JobProgress {
    #[default]
    Immediate,
    After,
    /// Only when it is run or stepped.
    Manual,
    Polls,
    Rate,
}

roost_model::variant_names! {
    pub(crate) JobProgress {
        Immediate = "immediate", After = "after", Manual = "manual", Polls = "polls", Rate = "rate",
    }
}

/// A fault, and the jobs it applies to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "JobFault")]
pub(crate) struct JobFaultRule {
    pub fault: JobFault,
    /// At most this many jobs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list_id: Option<String>,
}

impl Default for JobPolicy {
    fn default() -> Self {
        Self {
            progress: JobProgress::default(),
            after: HumanDuration::default(),
            polls: 1,
            per_second: 500,
            faults: Vec::new(),
        }
    }
}

const FAULTS_MAX: usize = 100;

impl JobPolicy {
    /// Refuses invalid values.
    pub(crate) fn check(&self) -> Result<(), String> {
        for (name, count) in [("polls", self.polls), ("per_second", self.per_second)] {
            if count == 0 {
                return Err(format!("{name}: expected at least 1, got 0."));
            }
        }
        if self.faults.len() > FAULTS_MAX {
            return Err(format!("faults: expected at most {FAULTS_MAX}."));
        }
        for (index, JobFaultRule { fault, list_id, .. }) in self.faults.iter().enumerate() {
            if list_id.as_deref().is_some_and(|id| ListId::parse(id).is_err()) {
                return Err(format!("faults[{index}].list_id: not a valid list id."));
            }
            if let JobFault::FailNumbers(numbers) = fault
                && let Some(number) = numbers.iter().find(|number| !is_number(number))
            {
                return Err(format!(
                    "faults[{index}].fault.fail_numbers: '{number}' is not a valid number. Use E.164, for example \
                 +447700900001."
                ));
            }
        }
        Ok(())
    }

    /// Returns the fields that were set and that this way to proceed does not use.
    pub(crate) fn idle_fields(&self) -> impl Iterator<Item = &'static str> + use<> {
        let usual = Self::default();
        let fields = [
            ("after", JobProgress::After, self.after != usual.after),
            ("polls", JobProgress::Polls, self.polls != usual.polls),
            ("per_second", JobProgress::Rate, self.per_second != usual.per_second),
        ];
        let progress = self.progress;
        fields
            .into_iter()
            .filter(move |(_, progress_mode, is_set)| *is_set && *progress_mode != progress)
            .map(|(name, ..)| name)
    }

    /// Returns when a job that was queued at this time runs by itself, or None if it does not.
    pub(crate) fn due_at(&self, queued_at: DueTime) -> Option<DueTime> {
        match self.progress {
            JobProgress::Immediate | JobProgress::Rate => Some(queued_at),
            JobProgress::After => Some(queued_at.add_delay(self.after.0)),
            JobProgress::Manual | JobProgress::Polls => None,
        }
    }
}

fn is_number(text: &str) -> bool {
    let digits = text.trim_start_matches('+');
    (1..=20).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read_policy(given: Value) -> Result<JobPolicy, String> {
        let policy: JobPolicy = serde_json::from_value(given).map_err(|why| why.to_string())?;
        policy.check().map(|()| policy)
    }

    #[test]
    fn an_invalid_job_policy_is_refused() {
        for given in [
            json!({ "progress": "later" }),
            json!({ "polls": 0 }),
            json!({ "per_second": 0 }),
            json!({ "faults": [{ "fault": "explode" }] }),
            json!({ "faults": [{ "fault": { "fail_numbers": ["07700x"] } }] }),
            json!({ "faults": [{ "fault": "fail", "list_id": "LST_1" }] }),
            json!({ "faults": [{ "fault": "fail", "frist": 1 }] }),
            json!({ "faults": [{}] }),
        ] {
            assert!(read_policy(given.clone()).is_err(), "{given}");
        }
    }

    #[test]
    fn what_was_read_is_written_the_same() {
        let given = json!({
            "progress": "rate", "after": "0ms", "polls": 2, "per_second": 50,
            "faults": [
                { "fault": { "fail_after": 3 }, "first": 1 },
                { "fault": { "fail_numbers": ["+447700900001"] }, "correlation_id": "job-17" },
                { "fault": "never_finish" },
            ],
        });
        assert_eq!(serde_json::to_value(read_policy(given.clone()).expect("a policy")).expect("written"), given);
    }

    #[test]
    fn a_job_is_due_as_its_policy_says() {
        let at_millis = |millis: i64| DueTime::from_nanos(millis * 1_000_000);
        for (given, due) in [
            (json!({}), Some(100_900)),
            (json!({ "progress": "after", "after": "2s" }), Some(102_900)),
            (json!({ "progress": "after", "after": "250ms" }), Some(101_150)),
            (json!({ "progress": "manual" }), None),
            (json!({ "progress": "polls" }), None),
            (json!({ "progress": "rate" }), Some(100_900)),
        ] {
            assert_eq!(
                read_policy(given.clone()).expect("a policy").due_at(at_millis(100_900)),
                due.map(at_millis),
                "{given}"
            );
        }
    }
}
