//! Network failures, and responses that do not conform to the interface.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use bytes::Bytes;
use futures_util::stream;
use roost_model::channel::Channel;
use roost_reconcile::{
    pace::CallRate,
    plan::Lane,
    response::{RefusalReason, ResponseMeaning, StopReason},
};
use roost_sync::remote::{
    CallFailure, Client, ContactsParams, ListsParams, OperationPaths, RemoteList, ReplyFuture, RetryStatus,
    ServiceCall, ServiceClient, ServiceError, ServiceRequest, ServiceResponse, ServiceTransport,
};
use roost_tests::{Receiver, Setup, receiver, seeds};
use serde_json::json;

use super::{PAGE, client_at, client_of, client_settings, run_async};
use crate::rest::LIST;

type CannedAnswer = Result<(u16, Option<&'static str>, Vec<Result<&'static str, ()>>), fn() -> CallFailure>;

/// A remote that returns prepared answers one after another and counts its calls.
#[derive(Default)]
struct CannedRemote {
    answers: Mutex<Vec<CannedAnswer>>,
    asked: Mutex<Vec<Instant>>,
}

impl ServiceTransport for CannedRemote {
    fn carry_request(&self, _: ServiceRequest) -> ReplyFuture<'_> {
        self.asked.lock().expect("free").push(Instant::now());
        let canned = self.answers.lock().expect("free").remove(0);
        Box::pin(async move {
            let (status, retry_after, pieces) = canned.map_err(|make| make())?;
            let piece = |piece: Result<&'static str, ()>| match piece {
                Ok(text) => Ok(Bytes::from_static(text.as_bytes())),
                Err(()) => Err(CallFailure::Broken("cut".to_owned())),
            };
            let body = Box::pin(stream::iter(pieces.into_iter().map(piece)));
            Ok(ServiceResponse { status, retry_after: retry_after.map(str::to_owned), date: None, body })
        })
    }
}

fn canned_client(answers: Vec<CannedAnswer>) -> (Client, Arc<CannedRemote>) {
    canned_at(CallRate::new(1_000, 1), answers)
}

fn canned_at(rate: CallRate, answers: Vec<CannedAnswer>) -> (Client, Arc<CannedRemote>) {
    let canned = Arc::new(CannedRemote { answers: Mutex::new(answers), asked: Mutex::default() });
    let mut settings = client_settings("https://api.example");
    settings.rate = rate;
    (Client::new(canned.clone(), settings), canned)
}

fn answer_with(status: u16, body: &'static str) -> CannedAnswer {
    Ok((status, None, vec![Ok(body)]))
}

const LISTS: &str =
    r#"{"items":[{"uid":"LST_1","name":"A"},{"uid":"LST_1","name":"A"}],"paging":{"total_items":1,"total_pages":1}}"#;

fn query_lists() -> ServiceCall {
    ServiceCall::query_lists(&ListsParams { name: None, page: PAGE })
}

async fn written_error(client: &Client, call: &ServiceCall) -> ServiceError {
    match client.wait_for_turn(call.lane).await.send(call).await {
        Ok(done) => panic!("{done:?}"),
        Err(error) => error,
    }
}

#[test]
fn a_read_is_repeated_after_a_gateway_error_and_after_a_truncated_response() {
    run_async(async {
        let cut = || Ok((200, None, vec![Ok(&LISTS[..40]), Err(())]));
        let (client, canned) = canned_client(vec![answer_with(502, "<html>"), cut(), answer_with(200, LISTS)]);
        let page = client.query_lists(&ListsParams { name: None, page: PAGE }).await.expect("the third answer");
        assert_eq!((page.total, page.items.len()), (1, 1), "doubles count once");
        let times = canned.asked.lock().expect("free").clone();
        assert!(times[1] - times[0] >= Duration::from_secs(1) && times[2] - times[1] >= Duration::from_secs(2));
    });
    run_async(async {
        let short = || Ok((200, None, vec![Ok(&LISTS[..60])]));
        let (client, _) = canned_client(vec![short()]);
        let error = client.read_page_once::<RemoteList>(&query_lists()).await.expect_err("it ends too early");
        assert_eq!(error.verdict, ResponseMeaning::Again, "{error}");
        assert!(!error.is_permanent());
    });
}

#[test]
fn a_read_that_is_tried_again_says_so_until_it_has_come() {
    run_async(async {
        let answers =
            vec![answer_with(503, ""), Err(|| CallFailure::Broken("cut".to_owned())), answer_with(200, LISTS)];
        let (client, _) = canned_client(answers);
        let seen = Mutex::new(Vec::new());
        let read = async {
            let page = client.read_page::<RemoteList>(&query_lists()).await.expect("comes in the end");
            assert_eq!((page.items.len(), client.retry()), (1, None), "nothing is tried again any more");
        };
        let look = async {
            loop {
                let retry = client.retry();
                {
                    let mut seen = seen.lock().expect("free");
                    if retry.is_some() && seen.last() != Some(&retry) {
                        seen.push(retry);
                    }
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::select! {
            () = read => {}
            () = look => {}
        }
        let expected = [(1, Some(503)), (2, None)].map(|(number, status)| Some(RetryStatus { number, status }));
        assert_eq!(*seen.lock().expect("free"), expected);
    });
}

#[test]
fn a_write_is_sent_once_and_its_outcome_is_reported() {
    let create = ServiceCall::create_list("A");
    let fates: [(CannedAnswer, ResponseMeaning, &str); 5] = [
        (answer_with(500, ""), ResponseMeaning::Uncertain, "It is unknown whether creating a list succeeded"),
        (Err(|| CallFailure::TimedOut(Duration::from_secs(30))), ResponseMeaning::Uncertain, "Roost checks that"),
        (Err(|| CallFailure::Broken("x".to_owned())), ResponseMeaning::Uncertain, "Roost checks that"),
        (
            Err(|| CallFailure::NoConnection("x".to_owned())),
            ResponseMeaning::Again,
            "Check that this computer is online",
        ),
        (
            Ok((429, Some("7"), vec![])),
            ResponseMeaning::Throttled { retry_after: Some(7) },
            "so creating a list has to wait. Try again in a few minutes.",
        ),
    ];
    for (answer, verdict, words) in fates {
        run_async(async {
            let (client, canned) = canned_client(vec![answer]);
            let error = written_error(&client, &create).await;
            assert_eq!(error.verdict, verdict);
            assert!(error.to_string().contains(words), "{error}");
            assert!(!error.is_permanent());
            assert_eq!(canned.asked.lock().expect("free").len(), 1);
        });
    }
}

#[test]
fn a_success_with_a_truncated_body_is_uncertain_and_one_that_needs_no_body_is_not() {
    run_async(async {
        let cut = || Ok((201, None, vec![Ok(r#"{"uid":"LST"#), Err(())]));
        let (client, _) = canned_client(vec![cut(), cut(), answer_with(204, "")]);
        let list = ServiceCall::create_list("A");
        assert_eq!(written_error(&client, &list).await.verdict, ResponseMeaning::Uncertain);
        let opt_out = ServiceCall::create_opt_out("+447700900001", Channel::Sms, None);
        assert_eq!(written_error(&client, &opt_out).await.verdict, ResponseMeaning::Uncertain);
        let deletion = ServiceCall::delete_list("LST_1");
        assert_eq!(client.wait_for_turn(deletion.lane).await.send(&deletion).await.expect("gone").status, 204);
    });
}

#[test]
fn answers_of_any_shape_are_survived() {
    let html = "<html><body>Bad   gateway</body></html>";
    let stop = ResponseMeaning::Stop;
    let cases: [(Lane, CannedAnswer, ResponseMeaning, &str); 13] = [
        (Lane::ListsQuery, answer_with(200, html), stop(StopReason::WrongAddress), "not with the expected interface"),
        (Lane::ListsQuery, answer_with(200, "[]"), stop(StopReason::WrongAddress), "not with the expected interface"),
        (Lane::ListsQuery, answer_with(200, "{}"), stop(StopReason::WrongAddress), "not with the expected interface"),
        (Lane::ListsCreate, answer_with(302, ""), stop(StopReason::Redirected), "never sends a key there"),
        (Lane::ListsCreate, answer_with(404, html), stop(StopReason::WrongAddress), "path for creating a list"),
        (Lane::ListsCreate, answer_with(401, ""), stop(StopReason::KeyRefused), "Enter it again"),
        (Lane::ListsCreate, answer_with(413, "too much"), ResponseMeaning::TooLarge, "in two parts"),
        (
            Lane::ListsCreate,
            answer_with(418, html),
            ResponseMeaning::Refused(RefusalReason::Unknown),
            "418 “Bad gateway”",
        ),
        (
            Lane::ListsCreate,
            answer_with(
                400,
                r#"{"code":"ERR_AST_GEN_001","error":"GENERIC_ERROR","message":"An error occurred","trace_id":"7f"}"#,
            ),
            ResponseMeaning::Refused(RefusalReason::Unknown),
            "name the trace 7f",
        ),
        (
            Lane::ListsCreate,
            answer_with(
                400,
                r#"{"code":"ERR_AST_REQ_001","error":"MISSING_PARAMETER","message":"x","trace_id":"no-trace-id"}"#,
            ),
            ResponseMeaning::Refused(RefusalReason::Body),
            "ask the service's support.",
        ),
        (
            Lane::ListsCreate,
            answer_with(
                400,
                r#"{"code":"ERR_AST_VAL_004","error":"INVALID_PARAMETER_TYPE","message":"x","status":"odd"}"#,
            ),
            ResponseMeaning::Refused(RefusalReason::Rule),
            "breaks a rule",
        ),
        (
            Lane::ListsCreate,
            answer_with(400, r#"{"trace_id":"1","errors":[{"message":"odd","code":3006,"new":[]}]}"#),
            ResponseMeaning::Refused(RefusalReason::Unknown),
            "odd",
        ),
        (
            Lane::ListsCreate,
            answer_with(500, r#"{"error":{"deep":[1,2]}}"#),
            ResponseMeaning::Uncertain,
            "It is unknown",
        ),
    ];
    for (lane, canned, verdict, words) in cases {
        run_async(async {
            let (client, _) = canned_client(vec![canned]);
            let error = match lane {
                Lane::ListsQuery => client.read_page_once::<RemoteList>(&query_lists()).await.expect_err("no list"),
                _ => written_error(&client, &ServiceCall::create_list("A")).await,
            };
            assert_eq!(error.verdict, verdict, "{error}");
            assert!(error.to_string().contains(words) && !error.to_string().contains("<html>"), "{error}");
        });
    }
}

#[test]
fn an_unexpected_refusal_after_a_burst_is_treated_as_throttling() {
    run_async(async {
        let mut answers: Vec<CannedAnswer> = (0..5).map(|_| answer_with(204, "")).collect();
        answers.push(answer_with(403, "slow down"));
        // The rate is so low that a busy machine adds no pause between the calls.
        let (client, _) = canned_at(CallRate::new(3, 1), answers);
        let call = ServiceCall::delete_contact("CON_1");
        for _ in 0..5 {
            client.wait_for_turn(call.lane).await.send(&call).await.expect("deleted");
        }
        assert_eq!(written_error(&client, &call).await.verdict, ResponseMeaning::Throttled { retry_after: None });
    });
}

#[test]
fn a_redirect_is_not_followed_and_silence_ends_in_doubt() {
    let other = Receiver::start();
    let first =
        Receiver::replying([receiver::Reply::Redirect(other.url("/contacts/v1/lists/create")), receiver::Reply::Close]);
    run_async(async {
        let client = client_at(&first.url(""));
        let call = ServiceCall::create_list("A");
        assert_eq!(written_error(&client, &call).await.verdict, ResponseMeaning::Stop(StopReason::Redirected));
        assert_eq!(written_error(&client, &call).await.verdict, ResponseMeaning::Uncertain, "closed without a word");
        assert!(other.received().is_empty());
        let came = first.received();
        assert!(came.iter().all(|request| request.header("x-auth-key") == Some(super::KEY)), "{}", came.len());
    });
}

#[test]
fn a_key_goes_in_the_open_to_nobody_but_this_machine() {
    run_async(async {
        let client = client_at("http://192.0.2.1:9");
        let error = written_error(&client, &ServiceCall::create_list("A")).await;
        assert!(error.is_permanent() && error.verdict == ResponseMeaning::Again, "{error}");
        assert!(error.to_string().contains("Use https"), "{error}");
        let error = written_error(&client_at("http://127.0.0.1:1"), &ServiceCall::create_list("A")).await;
        assert!(!error.is_permanent() && error.to_string().contains("cannot be reached"), "{error}");
        assert!(!error.to_string().contains("os error"), "{error}");
    });
}

#[test]
fn a_connection_for_reading_alone_sends_nothing_else() {
    run_async(async {
        let service = Receiver::start();
        let mut settings = client_settings(&service.url(""));
        settings.read_only = true;
        let client = Client::new(Arc::new(ServiceClient::new(false)), settings);
        let error = written_error(&client, &ServiceCall::create_list("A")).await;
        assert!(error.is_permanent() && error.to_string().contains("is read-only"), "{error}");
        assert!(service.received().is_empty());
    });
}

#[test]
fn a_changed_path_of_an_operation_is_called() {
    run_async(async {
        let service = Receiver::start();
        let mut settings = client_settings(&service.url("/base/"));
        settings.paths = OperationPaths::new([("lists.delete", "/v9/gone/{list_uid}")]).expect("it fits");
        let client = Client::new(Arc::new(ServiceClient::new(false)), settings);
        let call = ServiceCall::delete_list("LST_1");
        // The receiver answers 200, which does not prove a deletion.
        assert_eq!(written_error(&client, &call).await.verdict, ResponseMeaning::Gone);
        let came = service.received();
        assert_eq!((came[0].method.as_str(), came[0].target.as_str()), ("DELETE", "/base/v9/gone/LST_1"));
        assert_eq!(came[0].header("content-type"), Some("application/json"));
    });
}

#[test]
fn a_dropped_turn_frees_its_place_for_the_next_call() {
    let api = Setup::new().seed(json!({ "lists": [seeds::filled_list(LIST, "A", 3)] })).serve();
    run_async(async {
        let client = client_of(&api);
        drop(client.wait_for_turn(Lane::ContactsQuery).await);
        let mut reading = client.stream_contacts(LIST).await.expect("begun");
        assert_eq!(reading.next().await.expect("goes on").map(|more| more.len()), Some(3));
        let other = async { client.query_contacts(LIST, &ContactsParams::Page(PAGE)).await.map(|page| page.total) };
        let (other, ()) = tokio::join!(other, async {
            tokio::task::yield_now().await;
            drop(reading);
        });
        assert_eq!(other.expect("after the first"), 3);
    });
}
