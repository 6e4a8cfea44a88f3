//! Words what the user reads when the service refuses: what happened, in the service's own words where they help, and
//! what to do. The choice depends on status, code and field, never on the service's words.

use roost_outbound::CallFailure;
use roost_reconcile::{
    plan::Lane,
    response::{RefusalReason, ResponseMeaning, StopReason, is_read},
    row::SyncField,
};

use super::error::{ErrorCause, ErrorEntry, ErrorResponse, ServiceError};

/// Returns what an operation does, as part of a sentence.
fn activity_phrase(lane: Lane) -> &'static str {
    match lane {
        Lane::SendersQuery | Lane::SendersGet => "reading senders",
        Lane::SendersDelete => "deleting a sender",
        Lane::ListsQuery => "reading the lists",
        Lane::ListsCreate => "creating a list",
        Lane::ListsDelete => "deleting a list",
        Lane::ContactsQuery => "reading contacts",
        Lane::ContactsCreate => "sending contacts",
        Lane::ContactsDelete => "deleting a contact",
        Lane::OptOutsQuery => "reading opt-outs",
        Lane::OptOutsCreate => "adding an opt-out",
        Lane::OptOutsDelete => "removing opt-outs",
        Lane::ShortLinksCreate => "creating a short link",
        Lane::ShortLinksDelete => "deleting a short link",
        Lane::ShortLinksSearch | Lane::ShortLinksGet => "reading short links",
    }
}

/// Words an error for the user, with advice.
pub(super) fn describe_error(error: &ServiceError) -> String {
    let lane = error.lane;
    match &error.cause {
        ErrorCause::Refused(refused) => describe_refusal(lane, error.verdict, refused),
        ErrorCause::Failed(failure) => describe_failure(lane, error.verdict, failure),
        ErrorCause::ReadOnly => format!(
            "Nothing was sent: this connection is read-only. Switch off “Read-only” in the connection to allow {}.",
            activity_phrase(lane)
        ),
        ErrorCause::Unreadable => {
            describe_wrong_address(lane, "A server responds at this address, but not with the expected interface.")
        }
    }
}

fn describe_wrong_address(lane: Lane, what: &str) -> String {
    format!("{what} Check the base address of the connection and the path for {}.", activity_phrase(lane))
}

fn describe_failure(lane: Lane, verdict: ResponseMeaning, failure: &CallFailure) -> String {
    match failure {
        CallFailure::NoAddress(address) => describe_wrong_address(lane, &format!("'{address}' cannot be called.")),
        CallFailure::Refused(why) => format!(
            "Nothing was sent: {why}. Use https, or allow plain http for this connection if all of its way is your own."
        ),
        CallFailure::Unresolved(_) => {
            format!("Here, {failure}. Check the address of the connection, and that this computer is online.")
        }
        CallFailure::NoConnection(why) => format!(
            "The service cannot be reached: {why}. Check that this computer is online and the service runs; then \
             try again."
        ),
        CallFailure::NoCertificates(_) => format!(
            "Nothing was sent, because the service's identity cannot be verified: {failure}. Fix the certificates of this \
             computer, then try again."
        ),
        CallFailure::TimedOut(_) | CallFailure::Broken(_) => match verdict {
            ResponseMeaning::Uncertain => describe_unknown_fate(lane, &failure.to_string()),
            _ => format!("There was no complete response to {}: {failure}. Try again.", activity_phrase(lane)),
        },
    }
}

fn describe_unknown_fate(lane: Lane, why: &str) -> String {
    format!(
        "It is unknown whether {} succeeded: {why}. Roost checks that before anything is sent again.",
        activity_phrase(lane)
    )
}

fn describe_refusal(lane: Lane, verdict: ResponseMeaning, refused: &ErrorResponse) -> String {
    let doing = activity_phrase(lane);
    let trace = match refused.trace_id.as_deref() {
        None | Some("no-trace-id" | "") => String::new(),
        Some(trace) => format!(" and name the trace {trace}"),
    };
    match verdict {
        ResponseMeaning::Stop(StopReason::KeyRefused) => {
            "The service does not accept the key. Enter it again, or ask the service for a new one.".to_owned()
        }
        ResponseMeaning::Stop(StopReason::NotPermitted) => format!(
            "The key does not permit {doing} from this computer. Ask for the permission, or exclude such steps."
        ),
        ResponseMeaning::Stop(StopReason::WrongAddress) => describe_wrong_address(
            lane,
            &format!("The service has nothing for {doing} at this address ({}).", refused.status),
        ),
        ResponseMeaning::Stop(StopReason::Redirected) => {
            "The service redirects to another address, and Roost never sends a key there by itself. If the new \
             address belongs to the service, enter it in the connection."
                .to_owned()
        }
        ResponseMeaning::Throttled { .. } => {
            let asks = if refused.status == 429 { "asks for fewer requests" } else { "is busy" };
            let status = refused.status;
            format!(
                "The service {asks} ({status}), so {doing} has to wait. Try again in a few minutes. If anything was \
                 sent before, Roost first checks its result."
            )
        }
        ResponseMeaning::TooLarge => {
            "The request is larger than the service allows. Nothing was done; send it in two parts.".to_owned()
        }
        ResponseMeaning::Gone => {
            format!("There is nothing more for {doing}: the service does not have it. Pull, and it goes here too.")
        }
        ResponseMeaning::Uncertain => {
            describe_unknown_fate(lane, &format!("the service had an internal error ({})", refused.status))
        }
        ResponseMeaning::Again => format!(
            "The service had an internal error ({}) at {doing}. Try again later. If it keeps failing, ask its \
             support{trace}.",
            refused.status
        ),
        ResponseMeaning::Refused(RefusalReason::ListNotFound) => {
            "The list no longer exists at the service. Pull, then decide about the changes in it.".to_owned()
        }
        ResponseMeaning::Refused(RefusalReason::MalformedId) => format!(
            "The service knows no identifier of this form ({}). Pull again; if it stays, check that the connection \
             leads to the account this came from.",
            refused.service_words()
        ),
        ResponseMeaning::Refused(RefusalReason::Body) => format!(
            "The service cannot read the request of {doing}: the interface may have changed. Look for a newer Roost; \
             if there is none, ask the service's support{trace}."
        ),
        ResponseMeaning::Refused(RefusalReason::Rule) => describe_rules(lane, refused),
        ResponseMeaning::Refused(RefusalReason::Unknown) | ResponseMeaning::Done => format!(
            "The service refused {doing} for a reason Roost does not know: {} “{}”. Ask its support{trace}.",
            refused.status,
            refused.service_words()
        ),
    }
}

fn describe_rules(lane: Lane, refused: &ErrorResponse) -> String {
    if refused.entries.is_empty() {
        return describe_unplaced_rule(lane, &refused.service_words());
    }
    let mut sentences: Vec<String> = refused.entries.iter().map(|entry| describe_entry(lane, entry)).collect();
    // Ten thousand contacts may break the same rule.
    let mut known = std::collections::HashSet::new();
    sentences.retain(|sentence| known.insert(sentence.clone()));
    sentences.join(" ")
}

/// Words a broken rule whose field the service does not name.
fn describe_unplaced_rule(lane: Lane, words: &str) -> String {
    match lane {
        Lane::OptOutsQuery => {
            format!("The service does not take what was asked for: “{words}”. Correct number, type, channel or asset.")
        }
        Lane::OptOutsDelete => {
            format!("Channel and asset of the removal do not fit: “{words}”. Choose an asset of that channel.")
        }
        Lane::ContactsQuery => describe_unknown_fields(words),
        _ if is_read(lane) => {
            format!("The service does not take the question as Roost asks it: “{words}”. Look for a newer Roost.")
        }
        _ => format!("A value breaks a rule of the service: “{words}”. Correct it here, then make the plan again."),
    }
}

fn describe_unknown_fields(words: &str) -> String {
    format!(
        "The service does not have the fields that were asked for: “{words}”. Check the connection's capabilities \
         again, so that Roost asks for those there are."
    )
}

fn describe_entry(lane: Lane, entry: &ErrorEntry) -> String {
    let words = &entry.message;
    let newer = |what: &str| {
        format!("The service does not know the {what} Roost asks with: “{words}”. Look for a newer Roost.")
    };
    if let Some(contact) = entry.field.strip_prefix("createContacts.request.") {
        return match contact {
            "listUid" => format!("The request names no list: “{words}”. Pull, then make the plan again."),
            "phoneRegion" => {
                format!(
                    "The service does not know the region: “{words}”. Choose one of two capital letters, such as GB."
                )
            }
            "mergeType" => newer("way to merge"),
            "callbackUrl" => format!("“{words}” Enter an http or https address for callbacks, or none."),
            "conCreateRequests" => format!(
                "A request holds 1 to {} contacts: “{words}”. Make the plan again.",
                roost_model::contact::BATCH_MAX
            ),
            row => describe_contact_error(row.split_once("].").map(|(_, attribute)| attribute), words),
        };
    }
    match entry.field.rsplit('.').next().unwrap_or_default() {
        "page_number" | "pageNumber" | "page_size" | "pageSize" => format!(
            "The service refused this page: “{words}”. Check the connection's capabilities again, so that Roost asks \
             for pages of the size it allows."
        ),
        "sortOrder" | "sortBy" | "sort_order" | "sort_by" => newer("order"),
        "created_at_start" | "created_at_end" => newer("form of times"),
        field if field.starts_with("fields[") || field.starts_with('<') => describe_unknown_fields(words),
        "name" => format!(
            "The service refused the list's name: “{words}”. Give it 1 to {} characters, and not the name \
             of another list.",
            roost_model::list::NAME_MAX
        ),
        "number" => format!("“{words}”. Give the opt-out a number with its country code, such as +447700900001."),
        "numbers" | "optOuts" => format!("The request has no numbers: “{words}”. Make the plan again."),
        "title" => format!("The service refused the link's title: “{words}”. Give it 1 to 100 characters."),
        "target_url" => {
            format!("The service refused the link's target: “{words}”. Enter a whole http or https address.")
        }
        "tags" | "tags[]" => format!(
            "The service refused a tag of the link: “{words}”. Use at most 10 tags of 1 to 50 letters, digits, \
             blanks, - or _."
        ),
        _ => describe_unplaced_rule(lane, words),
    }
}

/// Returns the advice for one contact of a request.
pub(super) fn describe_contact_error(attribute: Option<&str>, words: &str) -> String {
    match attribute.map(|name| (name, SyncField::parse(name))) {
        None => format!(
            "“{words}” Give the contact a valid phone or WhatsApp number, with its country code (+447700900001)."
        ),
        Some((name, Some(field))) => {
            format!("{name} may have at most {} characters: “{words}”. Shorten it.", field.max_length())
        }
        Some((name, None)) => format!("{name}: “{words}”. Correct it, then send the contact again."),
    }
}

/// Returns the advice for entries of an opt-out request that failed for the same reason.
pub(super) fn describe_outcome(lane: Lane, numbers: &[&str], words: &str) -> String {
    format!("{}: {}", numbers.join(", "), outcome_advice(lane, words))
}

/// Returns the same advice without the numbers.
pub fn outcome_advice(lane: Lane, words: &str) -> String {
    match lane {
        Lane::OptOutsDelete => format!(
            "“{words}” Pull the opt-outs. If the opt-out no longer exists there, its removal disappears; \
             otherwise correct its number, channel or asset."
        ),
        _ => format!(
            "“{words}” Correct the number (as in +447700900001), or choose an asset of the opt-out's channel that the \
             account has."
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_advice_never_claims_that_a_busy_service_did_nothing() {
        let describe = |lane, status| {
            ServiceError::from_response(lane, ErrorResponse { status, ..ErrorResponse::default() }, None, false)
                .to_string()
        };
        let busy = describe(Lane::ListsQuery, 503);
        assert!(busy.starts_with("The service is busy (503), so reading the lists has to wait."), "{busy}");
        assert!(busy.contains("Roost first checks its result"), "{busy}");
        let throttled = describe(Lane::ContactsDelete, 429);
        assert!(
            throttled.starts_with("The service asks for fewer requests (429), so deleting a contact"),
            "{throttled}"
        );
        assert!(describe(Lane::ListsCreate, 503).starts_with("It is unknown whether creating a list succeeded"));
    }
}
