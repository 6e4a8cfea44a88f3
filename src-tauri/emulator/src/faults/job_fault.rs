//! The faults of jobs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "JobFaultKind")]
pub(crate) enum JobFault {
    /// All contacts fail.
    Fail,
    /// All contacts after this many fail.
    FailAfter(u32),
    /// The contacts with these numbers fail.
    FailNumbers(Vec<String>),
    /// The job waits until it is run by hand.
    NeverFinish,
    /// The callback comes twice.
    FinishTwice,
    /// The callback is sent before the data is visible.
    CallbackFirst,
    /// The callback never comes.
    LoseCallback,
    /// Nothing is stored, and no callback is sent.
    Drop,
}

impl JobFault {
    pub(crate) fn as_str(&self) -> &'static str {
        match self {
            Self::Fail => "fail",
            Self::FailAfter(_) => "fail_after",
            Self::FailNumbers(_) => "fail_numbers",
            Self::NeverFinish => "never_finish",
            Self::FinishTwice => "finish_twice",
            Self::CallbackFirst => "callback_first",
            Self::LoseCallback => "lose_callback",
            Self::Drop => "drop",
        }
    }
}
