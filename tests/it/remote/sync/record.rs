//! Invariant 19: the audit log explains the state of the service. Replayed on the earlier state, it gives the current
//! one.

use std::collections::{BTreeMap, BTreeSet};

use roost_model::page::PageRequest;
use roost_ops::{sender, short_link};
use roost_reconcile::{
    audit::{AuditChain, Digest, SealedEntry},
    plan::StepKind,
};
use roost_store::tables::sync::{SyncedTable, audit, changes};
use roost_sync::gather;
use serde_json::Value;

use super::{
    edited_world,
    face::{opt_outs, read_contacts, read_lists},
    service::NetworkFaults,
    test_seeds,
    world::{SimulatedWorld, kill_after, run_simulated},
};

/// The content of the service by its own IDs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct ServiceContent {
    lists: BTreeMap<String, String>,
    /// By the IDs of the list and of the contact.
    contacts: BTreeMap<(String, String), String>,
    opt_outs: BTreeSet<String>,
    links: BTreeMap<String, String>,
    senders: BTreeSet<String>,
}

fn service_content(world: &SimulatedWorld) -> ServiceContent {
    let core = &world.service.core;
    let mut there = ServiceContent::default();
    for (name, list) in read_lists(core) {
        let rows = read_contacts(core, &list).into_iter();
        there.contacts.extend(rows.map(|(uid, row)| ((list.to_string(), uid.to_string()), row.join(" "))));
        there.lists.insert(list.to_string(), name);
    }
    let page = PageRequest { number: 1, size: 100 };
    let links = short_link::search(core, &short_link::LinkQuery { page, ..Default::default() }).expect("links").items;
    there.links.extend(links.into_iter().map(|link| (link.link_id.to_string(), link.title)));
    let senders = sender::read_page(core, page).expect("senders").items;
    there.senders.extend(senders.into_iter().map(|sender| sender.id.to_string()));
    there.opt_outs.extend(opt_outs(core).into_iter().map(|one| format!("{} {}", one.number, one.channel.as_str())));
    there
}

/// The lists here for the list IDs at the service, as they were before the run and as the run created them.
type ListNames = BTreeMap<i64, String>;

fn list_names(world: &SimulatedWorld) -> ListNames {
    let all = world.core.read(|tx| {
        let mut names = ListNames::new();
        for id in 1..100 {
            let known = changes::read_record::<i64>(tx, SyncedTable::Lists, id)?;
            names.extend(known.uid.filter(|_| known.base.is_some()).map(|uid| (id, uid)));
        }
        Ok(names)
    });
    all.expect("read")
}

/// Applies an audit entry. `made` is the list here that the step of the entry created.
fn replay_entry(content: &mut ServiceContent, names: &mut ListNames, made: Option<i64>, body: &Value) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let cell = |row: &Value, name: &str| text(&row["cells"][name]);
    let uid = text(&body["uid"]);
    let list = body["list"].as_i64().and_then(|list| names.get(&list)).cloned().unwrap_or_default();
    for row in body["rows"].as_array().into_iter().flatten() {
        let cells = ["phone_number", "whatsapp_number", "firstname", "lastname"].map(|name| cell(row, name));
        content.contacts.insert((list.clone(), text(&row["uid"])), cells.join(" "));
    }
    for row in body["gone"].as_array().into_iter().flatten() {
        content.contacts.retain(|(_, contact), _| *contact != text(&row["uid"]));
    }
    let opt_out = text(&body["opt_out"]).trim().to_owned();
    match body["operation"].as_str().unwrap_or_default() {
        "lists.create" => {
            names.extend(made.map(|list| (list, uid.clone())));
            content.lists.insert(uid, text(&body["name"]));
        }
        "lists.delete" => {
            content.contacts.retain(|(list, _), _| *list != uid);
            content.lists.remove(&uid);
        }
        "optouts.create" => drop(content.opt_outs.insert(opt_out)),
        "optouts.delete" => drop(content.opt_outs.remove(&opt_out)),
        "shortlinks.create" => drop(content.links.insert(uid, cell(body, "title"))),
        "shortlinks.delete" => drop(content.links.remove(&uid)),
        "senders.delete" => drop(content.senders.remove(&uid)),
        _ => {}
    }
}

#[test]
fn replaying_the_record_on_the_earlier_state_gives_the_present_state_of_the_service() {
    for seed in test_seeds(30) {
        run_simulated(async {
            let (mut world, mut dice) = edited_world(seed).await;
            let (mut content, mut names) = (service_content(&world), list_names(&world));
            if seed % 2 == 1 {
                world.service.set_faults(NetworkFaults {
                    unheard: 4,
                    broken: 6,
                    job_delay: 8,
                    ..NetworkFaults::default()
                });
            }
            let id = world.begin_run().await;
            if seed % 3 == 0 {
                kill_after(world.continue_run(id), 1 + dice.draw_below(80)).await;
                world.restart().await;
            }
            let _ = world.continue_run(id).await;
            world.service.set_faults(NetworkFaults::default());
            world.restart().await;
            world.end_run().await;
            world.service.wait_until_idle().await;
            let entries = world.core.read(|tx| Ok(audit::read_after(tx, 0, None, 10_000)?)).expect("read");
            let steps = world.core.read(|tx| Ok(gather::read_steps(tx, id)?)).expect("read");
            let mut chain = AuditChain::default();
            for entry in &entries {
                let parse = |hex: &str| Digest::parse(hex).expect("a digest");
                let (before, seal) = (parse(&entry.before), parse(&entry.seal));
                chain
                    .check_next(&SealedEntry { seq: entry.seq, body: entry.body.clone(), before, seal })
                    .expect("unbroken");
                let body: Value = serde_json::from_str(&entry.body).expect("JSON");
                let step = steps.iter().find(|(step, _)| body["step"] == step.id).map(|(step, _)| &step.kind);
                let made = if let Some(StepKind::ListCreate { list, .. }) = step { Some(*list) } else { None };
                replay_entry(&mut content, &mut names, made, &body);
            }
            assert_eq!(content, service_content(&world), "seed {seed}: {entries:#?}");
        });
    }
}
