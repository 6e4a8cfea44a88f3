//! The error of a command as the UI receives it: a code to act on, a message for the user, and the errors by field.

use roost_model::error::{ErrorCode, FieldError};
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Serialize, thiserror::Error)]
#[error("{message}")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CommandError {
    pub code: ErrorCode,
    pub message: String,
    pub details: Vec<FieldError>,
}

impl CommandError {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: Vec::new() }
    }

    pub(crate) fn unknown_command(name: &str) -> Self {
        Self::new(
            ErrorCode::UnknownCommand,
            format!(
                "The command {name} was not found. The page and the program have different versions. Reload the page."
            ),
        )
    }

    pub(crate) fn no_account() -> Self {
        Self::new(ErrorCode::NoAccount, "No account is open. Open one, or create a new one.")
    }

    /// Reports a request that does not have the form of the command's request type.
    pub(crate) fn malformed(command: &str, why: &serde_json::Error) -> Self {
        Self::new(ErrorCode::Invalid, format!("The request of {command} cannot be read: {why}"))
    }

    pub(crate) fn invalid(faults: Vec<FieldError>) -> Self {
        let message = faults.iter().map(|fault| fault.message.as_str()).collect::<Vec<_>>().join(" ");
        Self { code: ErrorCode::Invalid, message, details: faults }
    }

    /// Reports a defect of the program. The cause goes to the log only.
    pub fn internal(cause: &(dyn std::error::Error + 'static)) -> Self {
        tracing::error!(error = cause, "a command failed");
        Self::new(ErrorCode::Internal, "Roost failed because of an internal error. Its log has the cause.")
    }

    /// Reports why an account cannot be opened. The full cause is shown, because the user owns the file.
    pub(crate) fn opening(error: roost_ops::Error) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

impl From<FieldError> for CommandError {
    fn from(fault: FieldError) -> Self {
        Self::invalid(vec![fault])
    }
}

impl From<roost_ops::Error> for CommandError {
    fn from(error: roost_ops::Error) -> Self {
        let code = error.code();
        match (error, code) {
            (error, ErrorCode::Internal) => Self::internal(&error),
            (roost_ops::Error::Invalid { faults }, _) => Self::invalid(faults),
            (
                error @ (roost_ops::Error::NotFound { .. }
                | roost_ops::Error::Conflict { .. }
                | roost_ops::Error::Store(_)),
                _,
            ) => Self::new(code, error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use roost_ops::{Noun, StoreError};

    use super::*;

    #[test]
    fn faults_keep_their_fields() {
        let faults = vec![FieldError::new("name", "Invalid list name", ""), FieldError::new("size", "too big", 7)];
        let error = CommandError::from(roost_ops::Error::Invalid { faults });
        assert_eq!(
            serde_json::to_value(&error).unwrap(),
            serde_json::json!({
                "code": "invalid",
                "message": "Invalid list name too big",
                "details": [
                    { "path": "name", "message": "Invalid list name", "rejected": "" },
                    { "path": "size", "message": "too big", "rejected": 7 },
                ],
            })
        );
    }

    #[test]
    fn a_fault_of_the_program_never_shows_its_cause() {
        let io = std::io::Error::other("secret cause");
        let error =
            CommandError::from(roost_ops::Error::Store(StoreError::Io { path: PathBuf::from("x"), source: io }));
        assert_eq!(error.code, ErrorCode::Internal);
        assert!(!error.message.contains("secret"), "{}", error.message);
    }

    #[test]
    fn errors_that_the_person_can_fix_are_reported_in_full() {
        let error = CommandError::from(roost_ops::Error::NotFound { noun: Noun::List, uid: "LST_1".into() });
        assert_eq!((error.code, error.message.as_str()), (ErrorCode::NotFound, "There is no list LST_1."));
    }
}
