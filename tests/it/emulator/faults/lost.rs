//! The fault that reveals double creation: the request takes effect, but its answer is lost.

use roost_emulator::RefusalCheck;
use roost_tests::Served;
use roost_wire::{OPERATIONS, OperationId};
use serde_json::{Value, json};

use super::{
    add_rule, last_exchange, read_until_end, send_on_connection, send_operation, start_recording, start_server,
};

fn is_write(id: OperationId) -> bool {
    match id {
        OperationId::SendersDelete
        | OperationId::ListsCreate
        | OperationId::ListsDelete
        | OperationId::ContactsCreate
        | OperationId::ContactsDelete
        | OperationId::OptOutsCreate
        | OperationId::OptOutsDelete
        | OperationId::ShortLinksCreate
        | OperationId::ShortLinksDelete => true,
        OperationId::SendersQuery
        | OperationId::SendersGet
        | OperationId::ListsQuery
        | OperationId::ContactsQuery
        | OperationId::OptOutsQuery
        | OperationId::ShortLinksGet
        | OperationId::ShortLinksSearch => false,
    }
}

fn write_operations() -> impl Iterator<Item = (&'static str, OperationId)> {
    OPERATIONS.iter().filter(|operation| is_write(operation.id)).map(|operation| (operation.name, operation.id))
}

/// Returns the whole account once no job or callback waits.
fn read_account(api: &Served) -> Value {
    api.settle();
    api.admin().get("/__admin/export").ok()
}

/// Loses the answer to each writing operation and passes the account before and after to `check`.
fn lose_answers(commit: &str, mut check: impl FnMut(&str, &Value, &Value)) {
    for (name, id) in write_operations() {
        let api = start_server();
        let before = read_account(&api);
        add_rule(&api, &json!({ "match": { "operation": name }, "effect": { "line": "empty" }, "commit": commit }));
        let (bytes, ended) = read_until_end(send_on_connection(&api, id));
        assert_eq!((bytes.len(), ended.is_ok()), (0, true), "{name}: {}", String::from_utf8_lossy(&bytes));
        check(name, &before, &read_account(&api));
    }
}

#[test]
fn a_lost_answer_is_stored() {
    let mut tried = 0;
    lose_answers("after", |name, before, after| {
        assert_ne!(before, after, "{name} was not carried out");
        tried += 1;
    });
    assert_eq!(tried, 9);
}

#[test]
fn a_response_lost_before_the_commit_is_not_stored() {
    lose_answers("before", |name, before, after| assert_eq!(before, after, "{name} was carried out"));
}

#[test]
fn an_error_after_the_commit_is_stored_too() {
    for (name, id) in write_operations() {
        let api = start_server();
        let before = read_account(&api);
        add_rule(&api, &json!({ "match": { "operation": name }, "effect": { "status": 502 }, "commit": "after" }));
        send_operation(&api, id).expect(502);
        assert_ne!(before, read_account(&api), "{name} was not carried out");
    }
}

#[test]
fn the_line_of_a_lost_answer_says_what_was_done() {
    let (api, journal) = start_recording();
    for (commit, words) in [("after", "was carried out"), ("before", "was not carried out")] {
        let rule = json!({ "effect": { "line": "empty" }, "commit": commit });
        api.admin().put("/__admin/faults/rules/loses", &rule).expect(200);
        let (bytes, _) = read_until_end(send_on_connection(&api, OperationId::ListsCreate));
        assert!(bytes.is_empty());
        let line = last_exchange(&journal);
        let why = line.why.as_ref().expect("a reason");
        assert_eq!((line.rule.as_deref(), line.status, why.check), (Some("loses"), None, RefusalCheck::Fault));
        assert!(why.words.contains("loses") && why.words.contains(words), "{}", why.words);
        journal.clear();
    }
}
