//! Invariant 19: the audit log explains the state of the service. Replayed on the earlier state, it gives the current
//! one.

use std::collections::{BTreeMap, BTreeSet};

use roost_model::page::PageRequest;
use roost_ops::{sender, short_link};
use roost_reconcile::{
    audit::{Chain, Digest, Entry},
    plan::StepKind,
};
use roost_store::tables::sync::{Place, audit, changes};
use roost_sync::gather;
use serde_json::Value;

use super::{
    edited,
    face::{contacts, lists, opt_outs},
    seeds,
    service::Faults,
    world::{World, dying, run},
};

/// The content of the service by its own IDs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct There {
    lists: BTreeMap<String, String>,
    /// By the IDs of the list and of the contact.
    contacts: BTreeMap<(String, String), String>,
    opt_outs: BTreeSet<String>,
    links: BTreeMap<String, String>,
    senders: BTreeSet<String>,
}

fn there(world: &World) -> There {
    let core = &world.service.core;
    let mut there = There::default();
    for (name, list) in lists(core) {
        let rows = contacts(core, &list).into_iter();
        there.contacts.extend(rows.map(|(uid, row)| ((list.to_string(), uid.to_string()), row.join(" "))));
        there.lists.insert(list.to_string(), name);
    }
    let page = PageRequest { number: 1, size: 100 };
    let links = short_link::search(core, &short_link::LinkQuery { page, ..Default::default() }).expect("links").items;
    there.links.extend(links.into_iter().map(|link| (link.link_id.to_string(), link.title)));
    let senders = sender::page(core, page).expect("senders").items;
    there.senders.extend(senders.into_iter().map(|sender| sender.id.to_string()));
    there.opt_outs.extend(opt_outs(core).into_iter().map(|one| format!("{} {}", one.number, one.channel.as_str())));
    there
}

/// The lists here for the list IDs at the service, as they were before the run and as the run created them.
type Names = BTreeMap<i64, String>;

fn names(world: &World) -> Names {
    let all = world.core.read(|tx| {
        let mut names = Names::new();
        for id in 1..100 {
            let known = changes::one::<i64>(tx, Place::Lists, id)?;
            names.extend(known.uid.filter(|_| known.base.is_some()).map(|uid| (id, uid)));
        }
        Ok(names)
    });
    all.expect("read")
}

/// Applies an audit entry. `made` is the list here that the step of the entry created.
fn replay(told: &mut There, names: &mut Names, made: Option<i64>, body: &Value) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let cell = |row: &Value, name: &str| text(&row["cells"][name]);
    let uid = text(&body["uid"]);
    let list = body["list"].as_i64().and_then(|list| names.get(&list)).cloned().unwrap_or_default();
    for row in body["rows"].as_array().into_iter().flatten() {
        let cells = ["phone_number", "whatsapp_number", "firstname", "lastname"].map(|name| cell(row, name));
        told.contacts.insert((list.clone(), text(&row["uid"])), cells.join(" "));
    }
    for row in body["gone"].as_array().into_iter().flatten() {
        told.contacts.retain(|(_, contact), _| *contact != text(&row["uid"]));
    }
    let opt_out = text(&body["opt_out"]).trim().to_owned();
    match body["operation"].as_str().unwrap_or_default() {
        "lists.create" => {
            names.extend(made.map(|list| (list, uid.clone())));
            told.lists.insert(uid, text(&body["name"]));
        }
        "lists.delete" => {
            told.contacts.retain(|(list, _), _| *list != uid);
            told.lists.remove(&uid);
        }
        "optouts.create" => drop(told.opt_outs.insert(opt_out)),
        "optouts.delete" => drop(told.opt_outs.remove(&opt_out)),
        "shortlinks.create" => drop(told.links.insert(uid, cell(body, "title"))),
        "shortlinks.delete" => drop(told.links.remove(&uid)),
        "senders.delete" => drop(told.senders.remove(&uid)),
        _ => {}
    }
}

#[test]
fn the_record_replayed_on_what_was_there_gives_what_is_there() {
    for seed in seeds(30) {
        run(async {
            let (mut world, mut dice) = edited(seed).await;
            let (mut told, mut names) = (there(&world), names(&world));
            if seed % 2 == 1 {
                world.service.faults(Faults { unheard: 4, broken: 6, job_delay: 8, ..Faults::default() });
            }
            let id = world.begin().await;
            if seed % 3 == 0 {
                dying(world.go(id), 1 + dice.below(80)).await;
                world.restart().await;
            }
            let _ = world.go(id).await;
            world.service.faults(Faults::default());
            world.restart().await;
            world.end().await;
            world.service.settle().await;
            let entries = world.core.read(|tx| Ok(audit::behind(tx, 0, None, 10_000)?)).expect("read");
            let steps = world.core.read(|tx| Ok(gather::steps(tx, id)?)).expect("read");
            let mut chain = Chain::default();
            for entry in &entries {
                let parse = |hex: &str| Digest::parse(hex).expect("a digest");
                let (before, seal) = (parse(&entry.before), parse(&entry.seal));
                chain.check(&Entry { seq: entry.seq, body: entry.body.clone(), before, seal }).expect("unbroken");
                let body: Value = serde_json::from_str(&entry.body).expect("JSON");
                let step = steps.iter().find(|(step, _)| body["step"] == step.id).map(|(step, _)| &step.kind);
                let made = if let Some(StepKind::ListCreate { list, .. }) = step { Some(*list) } else { None };
                replay(&mut told, &mut names, made, &body);
            }
            assert_eq!(told, there(&world), "seed {seed}: {entries:#?}");
        });
    }
}
