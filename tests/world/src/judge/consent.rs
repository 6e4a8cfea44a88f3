//! Judges opt-outs by who stated them, what the engine had read, and what it removed.

use std::collections::HashMap;

use super::Violation;
use crate::account::AccountState;
use crate::service::{OptOutRecord, OptOutScope, RequestOrigin, Service};

/// A record at the service, from its creation to its end.
#[derive(Clone, Debug)]
struct RecordInstance {
    record: OptOutRecord,
    made: u64,
    by_engine: bool,
    /// The moment and the call at which an answer last showed the record.
    first_delivered: u64,
    delivered_call: u64,
    ended: u64,
    /// The facts, if the engine removed the record without justification.
    unjustified: Option<String>,
    removed_there: bool,
}

/// A removal that the person confirmed.
#[derive(Clone, Debug)]
pub(crate) struct ConfirmedRemoval {
    pub moment: u64,
    pub key: String,
    pub number: String,
    pub channel: String,
    pub asset: Option<String>,
    pub all_scopes: bool,
    pub active: bool,
    /// Whether an undo or an answer may have withdrawn it.
    pub loose: bool,
}

/// An opt-out that the person or an import stated.
#[derive(Clone, Debug)]
pub(crate) struct StatedOptOut {
    pub moment: u64,
    pub number: String,
    pub channel: String,
    pub asset: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct OptOutHistory {
    instances: Vec<RecordInstance>,
    pub removals: Vec<ConfirmedRemoval>,
    pub stops: Vec<StatedOptOut>,
    /// The call that last read a number, by number and channel ("" for both).
    number_reads: HashMap<(String, String), u64>,
    sweep_reads: HashMap<String, u64>,
}

fn covers_scope(asset: Option<&str>, all_scopes: bool, scope: &OptOutScope) -> bool {
    all_scopes
        || match (asset, scope) {
            (None, OptOutScope::Account | OptOutScope::Unknown) => true,
            (Some(uid), OptOutScope::Asset(own)) => uid == own,
            _ => false,
        }
}

impl OptOutHistory {
    pub(crate) fn on_created(&mut self, moment: u64, record: OptOutRecord, origin: Option<RequestOrigin>) {
        let certain = origin.is_some_and(|origin| origin.certain);
        self.instances.push(RecordInstance {
            record,
            made: moment,
            by_engine: origin.is_some(),
            first_delivered: if certain { moment } else { 0 },
            delivered_call: 0,
            ended: 0,
            unjustified: None,
            removed_there: false,
        });
    }

    fn position(&self, sequence: u64) -> Option<usize> {
        self.instances.iter().position(|instance| instance.record.sequence == sequence)
    }

    pub(crate) fn on_replaced(&mut self, moment: u64, sequence: u64) {
        let found = self.position(sequence);
        if let Some(instance) = found.and_then(|index| self.instances.get_mut(index)) {
            instance.ended = moment;
        }
    }

    pub(crate) fn on_removed(&mut self, moment: u64, sequence: u64, origin: Option<RequestOrigin>) {
        let Some(index) = self.position(sequence) else {
            return;
        };
        let fault = origin.and_then(|origin| {
            let instance = self.instances.get(index)?;
            (!self.is_removal_justified(instance, origin)).then(|| self.removal_facts(instance, origin))
        });
        if let Some(instance) = self.instances.get_mut(index) {
            instance.ended = moment;
            instance.removed_there = origin.is_none();
            instance.unjustified = fault;
        }
    }

    /// Returns the last call whose answer had to show every record of the number.
    fn last_read(&self, number: &str, channel: &str) -> u64 {
        let of_number = ["", channel]
            .into_iter()
            .filter_map(|channel| self.number_reads.get(&(number.to_owned(), channel.to_owned())).copied());
        let sweeps = ["", channel].into_iter().filter_map(|channel| self.sweep_reads.get(channel).copied());
        of_number.chain(sweeps).max().unwrap_or(0)
    }

    fn is_removal_justified(&self, removed: &RecordInstance, origin: RequestOrigin) -> bool {
        let number = removed.record.number.as_deref().unwrap_or("");
        let channel = &removed.record.channel;
        let read = self.last_read(number, channel);
        // The record was created after the last read, which was at most one call earlier.
        let raced = removed.delivered_call < read && origin.call.saturating_sub(read) <= 2;
        self.removals.iter().any(|removal| {
            if !removal.active || removal.number != number || removal.channel != *channel {
                return false;
            }
            let named = covers_scope(removal.asset.as_deref(), removal.all_scopes, &removed.record.scope);
            // Records with the same kind and second cannot be distinguished.
            let seen = self.instances.iter().any(|other| {
                other.record.number == removed.record.number
                    && other.record.channel == *channel
                    && other.record.scope == removed.record.scope
                    && other.record.kind == removed.record.kind
                    && other.record.time.div_euclid(1000) == removed.record.time.div_euclid(1000)
                    && other.first_delivered != 0
                    && other.first_delivered < removal.moment
            });
            let own = removed.by_engine
                && self
                    .stops
                    .iter()
                    .any(|stop| stop.number == number && stop.channel == *channel && stop.moment < removal.moment);
            (named && (seen || own)) || raced
        })
    }

    fn removal_facts(&self, removed: &RecordInstance, origin: RequestOrigin) -> String {
        let number = removed.record.number.as_deref().unwrap_or("");
        let confirmed: Vec<String> = self
            .removals
            .iter()
            .filter(|removal| removal.number == number)
            .map(|removal| format!("{} on {} (active: {})", removal.moment, removal.channel, removal.active))
            .collect();
        format!(
            "Call {} removed a {} record made at {} ({:?}), first read at {}, last read at call {}. \
             The number was last read at call {}. Removals confirmed: [{}].",
            origin.call,
            removed.record.kind,
            removed.made,
            removed.record.scope,
            removed.first_delivered,
            removed.delivered_call,
            self.last_read(number, &removed.record.channel),
            confirmed.join(", ")
        )
    }

    pub(crate) fn on_read(
        &mut self,
        moment: u64,
        call: u64,
        number: Option<&str>,
        channel: Option<&str>,
        shown: &[u64],
        covers: bool,
    ) {
        for instance in &mut self.instances {
            if shown.contains(&instance.record.sequence) {
                if instance.first_delivered == 0 {
                    instance.first_delivered = moment;
                }
                instance.delivered_call = call;
            }
        }
        if covers {
            let channel = channel.unwrap_or("").to_owned();
            match number {
                Some(number) => {
                    self.number_reads.insert((number.to_owned(), channel), call);
                }
                None => {
                    self.sweep_reads.insert(channel, call);
                }
            }
        }
    }

    pub(crate) fn state_opt_out(&mut self, moment: u64, number: &str, channel: &str, asset: Option<&str>) {
        for removal in &mut self.removals {
            if removal.number == number && removal.channel == channel {
                // An opt-out of another scope may or may not end the removal.
                removal.loose = true;
                removal.active &= !(removal.all_scopes || removal.asset.as_deref() == asset);
            }
        }
        self.stops.push(StatedOptOut {
            moment,
            number: number.to_owned(),
            channel: channel.to_owned(),
            asset: asset.map(str::to_owned),
        });
    }

    pub(crate) fn cancel_removals(&mut self, number: &str, channel: &str, asset: Option<&str>) {
        for removal in &mut self.removals {
            if removal.number == number
                && removal.channel == channel
                && (removal.all_scopes || removal.asset.as_deref() == asset)
            {
                removal.active = false;
            }
        }
    }

    /// Called after an undo, a redo or a discard, which may withdraw a removal, but no opt-out.
    pub fn mark_uncertain(&mut self) {
        for removal in &mut self.removals {
            removal.loose = true;
        }
    }

    /// Called after an answer. The removals in question may have been confirmed again.
    pub(crate) fn confirm_again(&mut self, moment: u64, subjects: &[String]) {
        let mut again = Vec::new();
        for removal in &mut self.removals {
            if subjects.contains(&removal.key) || subjects.contains(&removal.number) {
                removal.loose = true;
                again.push(ConfirmedRemoval { moment, active: true, ..removal.clone() });
            }
        }
        self.removals.extend(again);
    }

    pub(crate) fn judge(&self, account: &AccountState, service: &Service, out: &mut Vec<Violation>) {
        self.judge_removed_records(service, out);
        self.judge_opt_outs(account, service, out);
        self.judge_removals(account, out);
        self.judge_report(account, service, out);
    }

    fn judge_removed_records(&self, service: &Service, out: &mut Vec<Violation>) {
        for instance in &self.instances {
            let Some(facts) = &instance.unjustified else {
                continue;
            };
            let again = service.opt_outs.iter().any(|record| {
                record.number == instance.record.number
                    && record.channel == instance.record.channel
                    && (record.scope == instance.record.scope || record.scope == OptOutScope::Account)
            });
            if !again {
                let number = instance.record.number.as_deref().unwrap_or("");
                let subject = format!("{number} {}", instance.record.channel);
                out.push(Violation::new("consent.removed", &subject, facts));
            }
        }
    }

    fn judge_opt_outs(&self, account: &AccountState, service: &Service, out: &mut Vec<Violation>) {
        for stop in &self.stops {
            let taken_back = self.removals.iter().any(|removal| {
                removal.moment > stop.moment
                    && (removal.active || removal.loose)
                    && removal.number == stop.number
                    && removal.channel == stop.channel
            });
            let removed_there = self.instances.iter().any(|instance| {
                instance.removed_there
                    && instance.ended > stop.moment
                    && instance.record.number.as_deref() == Some(stop.number.as_str())
                    && instance.record.channel == stop.channel
            });
            let exists = service.opt_outs.iter().any(|record| {
                record.number.as_deref() == Some(stop.number.as_str())
                    && record.channel == stop.channel
                    && (record.scope == OptOutScope::Account
                        || covers_scope(stop.asset.as_deref(), false, &record.scope))
            });
            if !taken_back && !removed_there && !exists && !is_questioned(account, &[&stop.number]) {
                out.push(Violation::new(
                    "consent.missing",
                    &format!("{} {}", stop.number, stop.channel),
                    &format!(
                        "The person opted the number out at {} (asset {:?}); the service has no such record.",
                        stop.moment, stop.asset
                    ),
                ));
            }
        }
    }

    /// Returns the removals that the person confirmed before `began`, that did not come about, and that the account does
    /// not show as waiting.
    pub(crate) fn judge_push(&self, account: &AccountState, began: u64) -> Vec<Violation> {
        let is_waiting = |removal: &ConfirmedRemoval| {
            let is_one = |text: &String| *text == removal.number || *text == removal.key;
            account.opt_outs.iter().any(|row| {
                row.values.get("removal").is_some_and(|text| text == "pending")
                    && row.values.get("number") == Some(&removal.number)
                    && row.values.get("channel") == Some(&removal.channel)
            }) || account.pending.iter().any(|work| is_one(&work.subject))
                || account.unsent.iter().any(|change| change.subjects.iter().any(is_one))
        };
        let mut out = Vec::new();
        self.judge_removals_if(account, &mut out, |removal| removal.moment < began && !is_waiting(removal));
        out
    }

    fn judge_removals(&self, account: &AccountState, out: &mut Vec<Violation>) {
        self.judge_removals_if(account, out, |_| true);
    }

    fn judge_removals_if(
        &self,
        account: &AccountState,
        out: &mut Vec<Violation>,
        is_due: impl Fn(&ConfirmedRemoval) -> bool,
    ) {
        for removal in self.removals.iter().filter(|removal| removal.active && !removal.loose && is_due(removal)) {
            let of_number = |instance: &&RecordInstance| {
                instance.record.number.as_deref() == Some(removal.number.as_str())
                    && instance.record.channel == removal.channel
            };
            let still = self.instances.iter().filter(of_number).find(|instance| {
                instance.ended == 0
                    && instance.first_delivered != 0
                    && instance.first_delivered < removal.moment
                    && covers_scope(removal.asset.as_deref(), removal.all_scopes, &instance.record.scope)
            });
            let newer = self
                .instances
                .iter()
                .filter(of_number)
                .any(|instance| instance.first_delivered == 0 || instance.first_delivered >= removal.moment);
            if still.is_some() && !newer && !is_questioned(account, &[&removal.number, &removal.key]) {
                out.push(Violation::new(
                    "consent.not-removed",
                    &format!("{} {}", removal.number, removal.channel),
                    &format!(
                        "The person confirmed the removal at {}; the record is still there and no question stands.",
                        removal.moment
                    ),
                ));
            }
        }
    }

    /// Returns the opt-outs that the service had before `began` and that a pull since then did not bring. Numbers whose
    /// removal the person confirmed are judged at the end only.
    pub(crate) fn judge_pull(&self, account: &AccountState, service: &Service, began: u64) -> Vec<Violation> {
        let is_unwanted =
            |record: &OptOutRecord| self.removals.iter().any(|removal| record.number.as_ref() == Some(&removal.number));
        let was_there = |record: &OptOutRecord| {
            self.position(record.sequence).and_then(|at| self.instances.get(at)).is_some_and(|one| one.made < began)
        };
        let known = service.opt_outs.iter().filter(|record| was_there(record) && !is_unwanted(record));
        known.filter_map(|record| judge_record(record, account)).collect()
    }

    fn judge_report(&self, account: &AccountState, service: &Service, out: &mut Vec<Violation>) {
        out.extend(service.opt_outs.iter().filter_map(|record| judge_record(record, account)));
        for row in &account.opt_outs {
            let Some(number) = row.values.get("number").filter(|number| !number.is_empty()) else {
                continue;
            };
            let ever = self.instances.iter().any(|instance| instance.record.number.as_ref() == Some(number))
                || self.stops.iter().any(|stop| stop.number == *number);
            if !ever {
                out.push(Violation::new(
                    "consent.invented",
                    number,
                    "The account reports an opt-out that nobody said for this number.",
                ));
            }
        }
    }
}

/// Returns a violation if the account ignores a record of the service.
fn judge_record(record: &OptOutRecord, account: &AccountState) -> Option<Violation> {
    let number = record.number.as_ref()?;
    let known_channel = record.channel == "SMS" || record.channel == "WHATSAPP";
    let reported = account.opt_outs.iter().any(|row| {
        row.values.get("number") == Some(number)
            && (!known_channel || row.values.get("channel") == Some(&record.channel))
    });
    let asset_only = matches!(record.scope, OptOutScope::Asset(_));
    let reachable = account
        .reachable
        .iter()
        .any(|(channel, other)| other == number && (!known_channel || *channel == record.channel));
    let facts = format!(
        "The service has a {} record for {number} on {} ({:?}); the account {}.",
        record.kind,
        record.channel,
        record.scope,
        if reported { "counts the number as reachable" } else { "does not report it" }
    );
    let subject = format!("{number} {}", record.channel);
    if reachable && !asset_only {
        Some(Violation::new("consent.reachable", &subject, &facts))
    } else if !reported && !is_questioned(account, &[number]) {
        Some(Violation::new("consent.unreported", &subject, &facts))
    } else {
        None
    }
}

/// Returns whether a question is open about one of the subjects.
pub(crate) fn is_questioned(account: &AccountState, subjects: &[&str]) -> bool {
    account.questions.iter().any(|question| {
        !question.reason.is_empty() && question.subjects.iter().any(|own| subjects.contains(&own.as_str()))
    })
}
