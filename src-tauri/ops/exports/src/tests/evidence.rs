//! Tests that evidence is chained and safe to open in a spreadsheet.

use roost_model::channel::Channel;
use roost_ops::opt_out::{self, NewOptOut};

use super::{
    super::{EventQuery, EvidenceFormat, write_evidence},
    sample_account, user,
};

fn phone_number(last: u32) -> String {
    format!("+44770090{last:04}")
}

fn new_opt_out(last: u32) -> NewOptOut {
    NewOptOut { number: phone_number(last), channels: vec![Channel::Sms], asset: None }
}

#[test]
fn evidence_is_chained_and_holds_no_formula() {
    let core = sample_account();
    let reason = "=HYPERLINK(\"http://x\"), \"twice\"";
    opt_out::add(&core, &user(), &[new_opt_out(1)], reason, None).unwrap();
    opt_out::add(&core, &user(), &[new_opt_out(2)], "They wrote to us", None).unwrap();
    let all = EventQuery::default();
    let csv = write_evidence(&core, &user(), &all, EvidenceFormat::Csv).unwrap();
    assert_eq!(csv.lines, 2);
    assert!(csv.text.lines().skip(1).all(|line| line.ends_with('Z') || line.contains("2026-01-05T09:00:00Z")));
    assert!(csv.text.contains(",+447700900001,") && csv.text.contains("\"'=HYPERLINK("), "{}", csv.text);
    assert!(csv.text.trim_end().ends_with(&csv.last_hash));
    let json = write_evidence(&core, &user(), &all, EvidenceFormat::Json).unwrap();
    assert_eq!(json.last_hash, csv.last_hash, "the chain is of the events, not of the form");
    let read: serde_json::Value = serde_json::from_str(&json.text).unwrap();
    assert_eq!((&read[0]["number"], &read[0]["reason"]), (&phone_number(1).into(), &reason.into()));
    let one = EventQuery { number: Some(phone_number(2)), ..EventQuery::default() };
    assert_eq!(write_evidence(&core, &user(), &one, EvidenceFormat::Csv).unwrap().lines, 1);
}
