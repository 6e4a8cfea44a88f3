//! Network failures, and responses that do not conform to the interface.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use bytes::Bytes;
use futures_util::stream;
use roost_model::channel::Channel;
use roost_reconcile::{
    answer::{Refusal, Stop, Verdict},
    pace::Rate,
    plan::Lane,
};
use roost_sync::remote::{
    Call, Carried, Client, ContactsAsked, Error, Failure, Line, List, ListsAsked, Paths, Remote, Reply, Request, Retry,
};
use roost_tests::{Receiver, Setup, receiver, seeds};
use serde_json::json;

use super::{PAGE, client, client_at, run, settings};
use crate::rest::LIST;

type Told = Result<(u16, Option<&'static str>, Vec<Result<&'static str, ()>>), fn() -> Failure>;

/// A remote that returns prepared answers one after another and counts its calls.
#[derive(Default)]
struct Canned {
    answers: Mutex<Vec<Told>>,
    asked: Mutex<Vec<Instant>>,
}

impl Remote for Canned {
    fn carry(&self, _: Request) -> Carried<'_> {
        self.asked.lock().expect("free").push(Instant::now());
        let told = self.answers.lock().expect("free").remove(0);
        Box::pin(async move {
            let (status, retry_after, pieces) = told.map_err(|make| make())?;
            let piece = |piece: Result<&'static str, ()>| match piece {
                Ok(text) => Ok(Bytes::from_static(text.as_bytes())),
                Err(()) => Err(Failure::Broken("cut".to_owned())),
            };
            let body = Box::pin(stream::iter(pieces.into_iter().map(piece)));
            Ok(Reply { status, retry_after: retry_after.map(str::to_owned), date: None, body })
        })
    }
}

fn canned(answers: Vec<Told>) -> (Client, Arc<Canned>) {
    canned_at(Rate::new(1_000, 1), answers)
}

fn canned_at(rate: Rate, answers: Vec<Told>) -> (Client, Arc<Canned>) {
    let canned = Arc::new(Canned { answers: Mutex::new(answers), asked: Mutex::default() });
    let mut settings = settings("https://api.example");
    settings.rate = rate;
    (Client::new(canned.clone(), settings), canned)
}

fn says(status: u16, body: &'static str) -> Told {
    Ok((status, None, vec![Ok(body)]))
}

const LISTS: &str =
    r#"{"items":[{"uid":"LST_1","name":"A"},{"uid":"LST_1","name":"A"}],"paging":{"total_items":1,"total_pages":1}}"#;

fn lists() -> Call {
    Call::lists(&ListsAsked { name: None, page: PAGE })
}

async fn written(client: &Client, call: &Call) -> Error {
    match client.turn(call.lane).await.send(call).await {
        Ok(done) => panic!("{done:?}"),
        Err(error) => error,
    }
}

#[test]
fn reads_are_tried_again_and_half_an_answer_is_none() {
    run(async {
        let cut = || Ok((200, None, vec![Ok(&LISTS[..40]), Err(())]));
        let (client, canned) = canned(vec![says(502, "<html>"), cut(), says(200, LISTS)]);
        let page = client.lists(&ListsAsked { name: None, page: PAGE }).await.expect("the third answer");
        assert_eq!((page.total, page.items.len()), (1, 1), "doubles count once");
        let asked = canned.asked.lock().expect("free").clone();
        assert!(asked[1] - asked[0] >= Duration::from_secs(1) && asked[2] - asked[1] >= Duration::from_secs(2));
    });
    run(async {
        let short = || Ok((200, None, vec![Ok(&LISTS[..60])]));
        let (client, _) = canned(vec![short()]);
        let error = client.page_once::<List>(&lists()).await.expect_err("it ends too early");
        assert_eq!(error.verdict, Verdict::Again, "{error}");
        assert!(!error.is_permanent());
    });
}

#[test]
fn a_read_that_is_tried_again_says_so_until_it_has_come() {
    run(async {
        let answers = vec![says(503, ""), Err(|| Failure::Broken("cut".to_owned())), says(200, LISTS)];
        let (client, _) = canned(answers);
        let seen = Mutex::new(Vec::new());
        let read = async {
            let page = client.page::<List>(&lists()).await.expect("comes in the end");
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
        let expected = [(1, Some(503)), (2, None)].map(|(number, status)| Some(Retry { number, status }));
        assert_eq!(*seen.lock().expect("free"), expected);
    });
}

#[test]
fn a_write_is_sent_once_and_its_fate_is_told() {
    let create = Call::create_list("A");
    let fates: [(Told, Verdict, &str); 5] = [
        (says(500, ""), Verdict::Uncertain, "Nobody knows whether creating a list was done"),
        (Err(|| Failure::TimedOut(Duration::from_secs(30))), Verdict::Uncertain, "Roost looks it up"),
        (Err(|| Failure::Broken("x".to_owned())), Verdict::Uncertain, "Roost looks it up"),
        (Err(|| Failure::NoConnection("x".to_owned())), Verdict::Again, "Check that this computer is online"),
        (
            Ok((429, Some("7"), vec![])),
            Verdict::Throttled { retry_after: Some(7) },
            "so creating a list has to wait. Try again in a few minutes.",
        ),
    ];
    for (told, verdict, words) in fates {
        run(async {
            let (client, canned) = canned(vec![told]);
            let error = written(&client, &create).await;
            assert_eq!(error.verdict, verdict);
            assert!(error.to_string().contains(words), "{error}");
            assert!(!error.is_permanent());
            assert_eq!(canned.asked.lock().expect("free").len(), 1);
        });
    }
}

#[test]
fn a_success_whose_words_are_lost_is_uncertain_but_for_one_that_says_nothing() {
    run(async {
        let cut = || Ok((201, None, vec![Ok(r#"{"uid":"LST"#), Err(())]));
        let (client, _) = canned(vec![cut(), cut(), says(204, "")]);
        let list = Call::create_list("A");
        assert_eq!(written(&client, &list).await.verdict, Verdict::Uncertain);
        let opt_out = Call::create_opt_out("+447700900001", Channel::Sms, None);
        assert_eq!(written(&client, &opt_out).await.verdict, Verdict::Uncertain);
        let gone = Call::delete_list("LST_1");
        assert_eq!(client.turn(gone.lane).await.send(&gone).await.expect("gone").status, 204);
    });
}

#[test]
fn answers_of_any_shape_are_survived() {
    let html = "<html><body>Bad   gateway</body></html>";
    let stop = Verdict::Stop;
    let cases: [(Lane, Told, Verdict, &str); 13] = [
        (Lane::ListsQuery, says(200, html), stop(Stop::WrongAddress), "not as the interface does"),
        (Lane::ListsQuery, says(200, "[]"), stop(Stop::WrongAddress), "not as the interface does"),
        (Lane::ListsQuery, says(200, "{}"), stop(Stop::WrongAddress), "not as the interface does"),
        (Lane::ListsCreate, says(302, ""), stop(Stop::Redirected), "a key never follows"),
        (Lane::ListsCreate, says(404, html), stop(Stop::WrongAddress), "path of lists.create"),
        (Lane::ListsCreate, says(401, ""), stop(Stop::KeyRefused), "Enter it again"),
        (Lane::ListsCreate, says(413, "too much"), Verdict::TooLarge, "in two parts"),
        (Lane::ListsCreate, says(418, html), Verdict::Refused(Refusal::Unknown), "418 “Bad gateway”"),
        (
            Lane::ListsCreate,
            says(
                400,
                r#"{"code":"ERR_AST_GEN_001","error":"GENERIC_ERROR","message":"An error occurred","trace_id":"7f"}"#,
            ),
            Verdict::Refused(Refusal::Unknown),
            "name the trace 7f",
        ),
        (
            Lane::ListsCreate,
            says(
                400,
                r#"{"code":"ERR_AST_REQ_001","error":"MISSING_PARAMETER","message":"x","trace_id":"no-trace-id"}"#,
            ),
            Verdict::Refused(Refusal::Body),
            "ask the service's support.",
        ),
        (
            Lane::ListsCreate,
            says(400, r#"{"code":"ERR_AST_VAL_004","error":"INVALID_PARAMETER_TYPE","message":"x","status":"odd"}"#),
            Verdict::Refused(Refusal::Rule),
            "breaks a rule",
        ),
        (
            Lane::ListsCreate,
            says(400, r#"{"trace_id":"1","errors":[{"message":"odd","code":3006,"new":[]}]}"#),
            Verdict::Refused(Refusal::Unknown),
            "odd",
        ),
        (Lane::ListsCreate, says(500, r#"{"error":{"deep":[1,2]}}"#), Verdict::Uncertain, "Nobody knows"),
    ];
    for (lane, told, verdict, words) in cases {
        run(async {
            let (client, _) = canned(vec![told]);
            let error = match lane {
                Lane::ListsQuery => client.page_once::<List>(&lists()).await.expect_err("no list"),
                _ => written(&client, &Call::create_list("A")).await,
            };
            assert_eq!(error.verdict, verdict, "{error}");
            assert!(error.to_string().contains(words) && !error.to_string().contains("<html>"), "{error}");
        });
    }
}

#[test]
fn a_strange_refusal_after_a_burst_means_slower() {
    run(async {
        let mut answers: Vec<Told> = (0..5).map(|_| says(204, "")).collect();
        answers.push(says(403, "slow down"));
        // The rate is so low that a busy machine adds no pause between the calls.
        let (client, _) = canned_at(Rate::new(3, 1), answers);
        let call = Call::delete_contact("CON_1");
        for _ in 0..5 {
            client.turn(call.lane).await.send(&call).await.expect("deleted");
        }
        assert_eq!(written(&client, &call).await.verdict, Verdict::Throttled { retry_after: None });
    });
}

#[test]
fn a_redirect_is_not_followed_and_silence_ends_in_doubt() {
    let other = Receiver::start();
    let first =
        Receiver::replying([receiver::Reply::Redirect(other.url("/contacts/v1/lists/create")), receiver::Reply::Close]);
    run(async {
        let client = client_at(&first.url(""));
        let call = Call::create_list("A");
        assert_eq!(written(&client, &call).await.verdict, Verdict::Stop(Stop::Redirected));
        assert_eq!(written(&client, &call).await.verdict, Verdict::Uncertain, "closed without a word");
        assert!(other.received().is_empty());
        let came = first.received();
        assert!(came.iter().all(|request| request.header("x-auth-key") == Some(super::KEY)), "{}", came.len());
    });
}

#[test]
fn a_key_goes_in_the_open_to_nobody_but_this_machine() {
    run(async {
        let client = client_at("http://192.0.2.1:9");
        let error = written(&client, &Call::create_list("A")).await;
        assert!(error.is_permanent() && error.verdict == Verdict::Again, "{error}");
        assert!(error.to_string().contains("Use https"), "{error}");
        let error = written(&client_at("http://127.0.0.1:1"), &Call::create_list("A")).await;
        assert!(!error.is_permanent() && error.to_string().contains("cannot be reached"), "{error}");
    });
}

#[test]
fn a_connection_for_reading_alone_sends_nothing_else() {
    run(async {
        let service = Receiver::start();
        let mut settings = settings(&service.url(""));
        settings.read_only = true;
        let client = Client::new(Arc::new(Line::new(false)), settings);
        let error = written(&client, &Call::create_list("A")).await;
        assert!(error.is_permanent() && error.to_string().contains("for reading alone"), "{error}");
        assert!(service.received().is_empty());
    });
}

#[test]
fn paths_may_be_elsewhere() {
    run(async {
        let service = Receiver::start();
        let mut settings = settings(&service.url("/base/"));
        settings.paths = Paths::new([("lists.delete", "/v9/gone/{list_uid}")]).expect("it fits");
        let client = Client::new(Arc::new(Line::new(false)), settings);
        let call = Call::delete_list("LST_1");
        // The receiver answers 200, which does not prove a deletion.
        assert_eq!(written(&client, &call).await.verdict, Verdict::Gone);
        let came = service.received();
        assert_eq!((came[0].method.as_str(), came[0].target.as_str()), ("DELETE", "/base/v9/gone/LST_1"));
        assert_eq!(came[0].header("content-type"), Some("application/json"));
    });
}

#[test]
fn a_turn_that_is_given_back_frees_its_place() {
    let api = Setup::new().seed(json!({ "lists": [seeds::filled_list(LIST, "A", 3)] })).serve();
    run(async {
        let client = client(&api);
        drop(client.turn(Lane::ContactsQuery).await);
        let mut reading = client.all_contacts(LIST).await.expect("begun");
        assert_eq!(reading.next().await.expect("goes on").map(|more| more.len()), Some(3));
        let other = async { client.contacts(LIST, &ContactsAsked::Page(PAGE)).await.map(|page| page.total) };
        let (other, ()) = tokio::join!(other, async {
            tokio::task::yield_now().await;
            drop(reading);
        });
        assert_eq!(other.expect("after the first"), 3);
    });
}
