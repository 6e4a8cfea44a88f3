//! Records one attempt of a callback while it is sent. Does nothing while the journal is off.

use std::time::Instant;

use roost_journal::{
    Direction, Exchange, Journal, JournalTime, RecordedBody, RecordedMessage, RefusalCause, RefusalCheck,
    elapsed_micros, mask,
};
use roost_outbound::{CallFailure, CallbackResponse, USER_AGENT};

use crate::world::{CallbackContent, World};

/// The record of one attempt of a callback.
pub(super) struct CallbackTrace {
    journal: Journal,
    begun: Instant,
    line: Exchange,
}

impl CallbackTrace {
    /// Returns None while the journal is off.
    pub(super) fn begin(world: &World, url: &str, content: &CallbackContent, attempt: u32, job: i64) -> Option<Self> {
        if !world.journal.is_on() {
            return None;
        }
        let headers = [("content-type", content.media.as_ref()), ("user-agent", USER_AGENT)];
        let (number, epoch) = world.journal.next_number();
        let line = Exchange {
            number,
            epoch,
            at: JournalTime::now(&world.core),
            real_at: JournalTime::real_now(&world.core),
            direction: Direction::Out,
            method: "POST".into(),
            target: mask::mask_target(url),
            operation: Some("callback".into()),
            request: RecordedMessage {
                headers: headers.into_iter().collect(),
                body: RecordedBody::from_beginning(content.body.as_bytes(), content.body.len() as u64),
            },
            attempt: Some(attempt),
            job: Some(job),
            step: world.core.last_step(),
            ..Exchange::default()
        };
        Some(Self { journal: world.journal.clone(), begun: Instant::now(), line })
    }

    /// Writes the line. `next` says in words what happens next.
    pub(super) fn finish(mut self, url: &str, sent: &Result<CallbackResponse, CallFailure>, next: &str) {
        match sent {
            Ok(answer) => {
                self.line.status = Some(answer.status);
                self.line.response.body = RecordedBody::from_beginning(&answer.body, answer.body.len() as u64);
                if !(200..300).contains(&answer.status) {
                    self.line.why = Some(RefusalCause::new(
                        RefusalCheck::Receiver,
                        format!("The receiver did not accept it. {next}"),
                    ));
                }
            }
            Err(failure) => {
                let message = failure.to_string().replace(url, &self.line.target);
                self.line.why =
                    Some(RefusalCause::new(RefusalCheck::Receiver, format!("{message}. {next}").replace("..", ".")));
            }
        }
        self.line.micros = elapsed_micros(self.begun);
        self.journal.push_line_in_order(self.line);
    }
}
