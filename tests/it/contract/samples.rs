//! Replays the documented requests and checks their answers, one by one.

use roost_tests::{Answer, Expected, Receiver, Request, Served, Setup, expected::difference};
use serde_json::Value;

use super::causes::{CAUSES, SampleCause};

/// A documented answer or callback.
pub(crate) struct DocumentedSample {
    pub section: &'static str,
    /// Method, target and body of the request above the sample.
    pub request: Option<(String, String, Option<Value>)>,
    pub outcome: SampleBody,
}

pub(crate) enum SampleBody {
    Answer(Expected),
    /// The address and body of a callback.
    Callback(String, Value),
}

fn parse_json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Reads the copy of the samples.
pub(crate) fn read_samples() -> Vec<DocumentedSample> {
    let mut samples = Vec::new();
    let (mut section, mut request, mut callback) = ("", None, None);
    for line in include_str!("../../fixtures/wire-samples.txt").lines().filter(|line| !line.is_empty()) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "#" => (section, request) = (rest, None),
            "GET" | "POST" | "DELETE" => {
                let (target, body) =
                    rest.split_once(' ').map_or((rest, None), |(target, body)| (target, Some(parse_json(body))));
                request = Some((word.to_owned(), target.to_owned(), body));
            }
            "callback" => callback = rest.strip_prefix("POST ").map(str::to_owned),
            "body" => {
                let url = callback.take().expect("a body belongs to a callback");
                samples.push(DocumentedSample {
                    section,
                    request: request.clone(),
                    outcome: SampleBody::Callback(url, parse_json(rest)),
                });
            }
            status => {
                let body = (!rest.is_empty()).then(|| parse_json(rest));
                let status = status.parse().unwrap_or_else(|_| panic!("no sample: {line}"));
                samples.push(DocumentedSample {
                    section,
                    request: request.clone(),
                    outcome: SampleBody::Answer(Expected { status, body }),
                });
            }
        }
    }
    samples
}

impl DocumentedSample {
    /// Sends the request as it is documented.
    pub(crate) fn send_request(&self, api: &Served) -> Answer {
        let (method, target, body) = self.request.as_ref().expect("it stands under a request");
        let request = Request::new(method, target);
        api.send(match body {
            Some(body) => request.json(body),
            None => request,
        })
    }
}

/// Generated IDs and codes differ each time. If the answer to a creation has the form of the sample, the sample takes
/// its values.
fn with_created_ids(mut wanted: Expected, answer: &Answer) -> Expected {
    let (Some(body), 200) = (&mut wanted.body, answer.status) else { return wanted };
    let found = answer.json();
    for key in ["uid", "link_id", "short_link_url"] {
        let (Some(sample), Some(made)) = (body[key].as_str(), found[key].as_str()) else { continue };
        let split = sample.rfind(['_', '/']).map_or(0, |at| at + 1);
        let alike = made.len() == sample.len() && made[..split] == sample[..split];
        if alike && made[split..].bytes().all(|b| b.is_ascii_alphanumeric()) {
            body[key] = found[key].clone();
        }
    }
    wanted
}

fn replay_section(section: &str) {
    let samples: Vec<DocumentedSample> =
        read_samples().into_iter().filter(|sample| sample.section == section).collect();
    let (_, causes) = CAUSES.iter().find(|(of, _)| *of == section).unwrap_or_else(|| panic!("{section} has no causes"));
    assert_eq!(samples.len(), causes.len(), "every sample of {section} has its cause");
    for (sample, (world, ask)) in samples.iter().zip(*causes) {
        match (&sample.outcome, ask) {
            (SampleBody::Answer(wanted), SampleCause::AsWritten) => {
                let answer = sample.send_request(&world().serve());
                let is_creation = matches!(&sample.request, Some((method, ..)) if method == "POST");
                answer.is(&if is_creation { with_created_ids(wanted.clone(), &answer) } else { wanted.clone() });
            }
            (SampleBody::Answer(wanted), SampleCause::With(ask)) => ask(&world().serve()).is(wanted),
            (SampleBody::Callback(url, body), SampleCause::Callback) => replay_callback(sample, world(), url, body),
            (SampleBody::Callback(..), _) | (_, SampleCause::Callback) => {
                panic!("the cause does not match the kind of sample")
            }
        }
    }
}

/// Sends the request with the address of a test receiver, and compares the callback.
fn replay_callback(sample: &DocumentedSample, world: Setup, url: &str, body: &Value) {
    let (_, path) = url.split_once("://").and_then(|(_, rest)| rest.split_once('/')).expect("an address with a path");
    let (receiver, api) = (Receiver::start(), world.serve());
    let (_, target, request) = sample.request.as_ref().expect("a request above");
    let mut request = request.clone().expect("a body");
    assert_eq!(request["callback_url"], url);
    request["callback_url"] = receiver.url(&format!("/{path}")).into();
    api.post(target, &request).expect(200);
    let came = receiver.wait_for(1).swap_remove(0);
    assert_eq!((came.method.as_str(), came.target.as_str()), ("POST", format!("/{path}").as_str()));
    assert_eq!(difference(body, &came.json(), ""), None);
}

/// Proves: D4, D5, D15, D16, D17, D26, D134, D20.
#[test]
fn answers_of_any_family_are_those_of_the_samples() {
    replay_section("Any family");
}

/// Proves: D44, D45, D20.
#[test]
fn sender_answers_are_those_of_the_samples() {
    replay_section("Senders");
}

/// Proves: D49, D50, D55, D20.
#[test]
fn list_answers_are_those_of_the_samples() {
    replay_section("Lists");
}

/// Proves: D68, D69, D70, D88, D20.
#[test]
fn contact_answers_are_those_of_the_samples() {
    replay_section("Contacts");
}

/// Proves: D99, D102, D106, D108, D113, D20.
#[test]
fn opt_out_answers_are_those_of_the_samples() {
    replay_section("Opt-outs");
}

/// Proves: D117, D122, D125, D126, D20.
#[test]
fn short_link_answers_are_those_of_the_samples() {
    replay_section("Short links");
}

/// Proves: D20.
#[test]
fn no_sample_is_left_out() {
    let sections: Vec<&str> = CAUSES.iter().map(|(section, _)| *section).collect();
    assert_eq!(sections, ["Any family", "Senders", "Lists", "Contacts", "Opt-outs", "Short links"]);
    let samples = read_samples();
    assert!(samples.iter().all(|sample| sections.contains(&sample.section)));
    assert_eq!(samples.len(), CAUSES.iter().map(|(_, causes)| causes.len()).sum::<usize>());
    assert_eq!(samples.len(), 66);
    let mut requests: Vec<String> =
        samples.iter().filter_map(|sample| Some(format!("{:?}", sample.request.as_ref()?))).collect();
    requests.dedup();
    assert_eq!(requests.len(), 19, "documented requests");
}
