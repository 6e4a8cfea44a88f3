//! Offline changes are sent and arrive at the service. Refused records are fixed in place.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    thread,
};

use roost_model::{
    channel::Channel,
    list::ListSort,
    opt_out::{AssetFields, OptOutType},
    page::{PageRequest, SortOrder},
    sender::Sender,
    short_link::LinkParts,
};
use roost_ops::{
    Actor, list,
    opt_out::{self, OptOutEntry, OptOutQuery},
    sender,
    short_link::{self, LinkQuery},
};
use serde_json::{Value, json};

use super::*;

impl SyncWorld {
    pub(super) fn make_plan(&self) -> Value {
        self.call("plan_make", json!({}))
    }

    /// Sends a plan with every gate confirmed and returns the run.
    fn send_plan(&self, plan: &Value) -> Value {
        let run = self.call("run_start", json!({ "plan": plan["id"], "typed": typed_texts(plan) }))["run"].clone();
        assert_eq!(self.wait_until_idle()["failed"], Value::Null);
        self.call("run_get", json!({ "run": run }))
    }

    fn plan_kinds(plan: &Value) -> Vec<&str> {
        plan["steps"].as_array().unwrap().iter().map(|step| step["kind"].as_str().unwrap()).collect()
    }

    /// Returns the number and channel of every opt-out at the service.
    fn service_opt_outs(&self) -> Vec<(String, Channel)> {
        let page = opt_out::read_page(&self.there, &read_opt_outs()).unwrap();
        let mut all: Vec<_> = page.items.into_iter().map(|one| (one.number, one.channel)).collect();
        all.sort();
        all
    }

    fn add_service_opt_out(&self, at: u32, channel: Channel) {
        let number = to_number(at);
        let entry = OptOutEntry { number: &number, channel: Some(channel.as_str()), asset_id: None };
        opt_out::create(&self.there, &Actor::interface(), &[entry], OptOutType::ApiImport).unwrap();
    }

    fn service_links(&self) -> Vec<String> {
        let found = short_link::search(&self.there, &LinkQuery::default()).unwrap();
        let mut titles: Vec<_> = found.items.into_iter().map(|link| link.title).collect();
        titles.sort();
        titles
    }

    fn service_sender(&self, name: &str) -> Sender {
        let requested = sender::request(&self.there, &Actor::interface(), name).unwrap();
        sender::approve(&self.there, &Actor::operator(), &requested.id).unwrap()
    }
}

fn read_opt_outs() -> OptOutQuery {
    OptOutQuery {
        number: None,
        kind: None,
        channel: None,
        asset: None,
        inbound_number: None,
        from: None,
        to: None,
        order: SortOrder::Ascending,
        page: PageRequest { number: 1, size: 100 },
        fields: AssetFields::Keyword,
    }
}

fn add_link(title: &str) -> LinkParts {
    LinkParts {
        title: title.to_owned(),
        target_url: "https://shop.example/".to_owned(),
        tags: Vec::new(),
        track_clicks: false,
    }
}

/// Returns the status of every local short address, by the title of the link.
fn address_statuses(world: &SyncWorld) -> Vec<(String, String)> {
    let page = json!({
        "query": null, "tags": [], "from": null, "to": null, "order": "ASC", "page_number": 1, "page_size": 50,
    });
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let mut found: Vec<_> = world.call("short_link_page", page)["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (text(&item["title"]), text(&item["address_status"])))
        .collect();
    found.sort();
    found
}

fn read_statuses(wanted: &[(&str, &str)]) -> Vec<(String, String)> {
    wanted.iter().map(|&(title, status)| (title.to_owned(), status.to_owned())).collect()
}

#[test]
fn a_short_address_is_final_once_the_service_has_the_link() {
    let world = new_world();
    let new = |title: &str| {
        let link = json!({ "title": title, "target_url": "https://shop.example/", "tags": [], "track_clicks": true });
        world.call("short_link_create", json!({ "links": [link] }))["links"][0].clone()
    };
    assert_eq!(new("Before")["address_status"], "this_computer", "without a service nobody else can open it");
    short_link::create(&world.there, &Actor::interface(), add_link("There")).unwrap();
    world.connect();
    world.pull();
    let fresh = new("Fresh");
    assert_eq!(fresh["address_status"], "unsent");
    assert_eq!(world.call("short_link_get", json!({ "uid": fresh["link_id"] }))["address_status"], "unsent");
    let wanted = [("Before", "unsent"), ("Fresh", "unsent"), ("There", "final")];
    assert_eq!(address_statuses(&world), read_statuses(&wanted));

    world.send_plan(&world.make_plan());
    assert_eq!(address_statuses(&world), read_statuses(&wanted.map(|(title, _)| (title, "final"))));
    let sent = world.call("short_link_get", json!({ "uid": fresh["link_id"] }));
    assert_ne!(sent["short_url"], fresh["short_url"], "the service gave it an address of its own");
}

#[test]
fn opt_outs_links_and_senders_that_were_changed_offline_arrive() {
    let world = new_world();
    world.connect();
    world.add_service_opt_out(1, Channel::Sms);
    for title in ["Stays", "Goes"] {
        short_link::create(&world.there, &Actor::interface(), add_link(title)).unwrap();
    }
    let removed = world.service_sender("SHOP");
    let stays = world.service_sender("OTHER");
    world.pull();

    let entry = json!({ "number": to_number(2), "channels": ["SMS", "WHATSAPP"], "asset": null });
    let added = world.call("opt_out_add", json!({ "entries": [entry], "reason": "asked for it", "region": null }));
    assert_eq!(added["added"], 2, "{added}");
    let new = json!({ "title": "New", "target_url": "https://shop.example/new", "tags": ["a"], "track_clicks": true });
    world.call("short_link_create", json!({ "links": [new] }));
    let found = short_link::search(&world.core, &LinkQuery::default()).unwrap().items;
    let goes = found.iter().find(|link| link.title == "Goes").unwrap();
    world.call("short_link_delete", json!({ "uids": [goes.link_id.as_str()] }));
    world.call("sender_delete", json!({ "id": removed.id.as_str(), "typed_name": "SHOP" }));

    let plan = world.make_plan();
    assert_eq!(
        SyncWorld::plan_kinds(&plan),
        ["opt_out_create", "opt_out_create", "link_delete", "link_create", "sender_delete"],
        "opt-outs go first"
    );
    assert_eq!(typed_texts(&plan), [json!("SHOP")]);
    assert_eq!(world.service_opt_outs().len(), 1, "nothing was sent yet");
    let run = world.send_plan(&plan);
    assert_eq!((&run["state"], &run["counts"]["verified"]), (&json!("done"), &json!(5)), "{run}");
    let wanted = [(to_number(1), Channel::Sms), (to_number(2), Channel::Sms), (to_number(2), Channel::WhatsApp)];
    assert_eq!(world.service_opt_outs(), wanted);
    assert_eq!(world.service_links(), ["New", "Stays"]);
    let senders = sender::read_page(&world.there, PageRequest { number: 1, size: 50 }).unwrap().items;
    assert_eq!(senders.iter().map(|one| &one.id).collect::<Vec<_>>(), [&stays.id]);
    assert_eq!(world.status()["changes"], 0);
    // Another pull finds nothing new, and the next plan is empty.
    assert_eq!(world.pull()["other_changes"], json!([]));
    assert_eq!(SyncWorld::plan_kinds(&world.make_plan()), [""; 0]);
}

#[test]
fn each_removal_of_an_opt_out_is_confirmed_by_itself_and_goes_last() {
    let world = new_world();
    world.connect();
    let list = world.create_service_list("Members", 1);
    for channel in Channel::ALL {
        world.add_service_opt_out(1, channel);
    }
    world.add_service_opt_out(2, Channel::Sms);
    world.pull();
    world.rename_contact(&world.list_contacts(&list)[0]["uid"], "Edited");
    for (numbers, channel) in [(1, "SMS"), (1, "WHATSAPP")] {
        let unwanted = json!({ "numbers": { "numbers": [to_number(numbers)], "channel": channel, "asset": null, "region": null } });
        let seen = world.call("opt_out_removal_preview", json!({ "what": unwanted }));
        assert_eq!(seen["count"], 1, "{seen}");
        let why = "asked for it on the phone";
        let remove = json!({ "what": unwanted, "expected_count": 1, "stamp": seen["stamp"], "reason": why });
        world.call("opt_out_remove", remove);
    }
    let plan = world.make_plan();
    assert_eq!(SyncWorld::plan_kinds(&plan), ["contacts_update", "opt_out_delete", "opt_out_delete"]);
    let gates = plan["gates"].as_array().unwrap();
    assert!(gates.len() == 2 && gates.iter().all(|gate| gate["gate"] == "opt_out_removal"), "{gates:?}");
    let words = typed_texts(&plan);
    for typed in [&[][..], &words[..1]] {
        let error = world.request("run_start", json!({ "plan": plan["id"], "typed": typed })).unwrap_err();
        assert_eq!(error.details[0].path, "typed", "one word is not two: {error}");
    }
    assert_eq!(world.service_opt_outs().len(), 3);
    assert_eq!(world.send_plan(&plan)["state"], "done");
    assert_eq!(world.service_opt_outs(), [(to_number(2), Channel::Sms)]);
    assert_eq!(SyncWorld::plan_kinds(&world.make_plan()), [""; 0]);
}

#[test]
fn a_renamed_list_shows_its_price_and_is_recreated_if_that_is_chosen() {
    let world = new_world();
    world.connect();
    let list = world.create_service_list("Members", 120);
    world.pull();
    world.call("list_rename", json!({ "uid": list, "name": "Friends" }));
    let plan = world.make_plan();
    assert_eq!(SyncWorld::plan_kinds(&plan), [""; 0], "a list cannot be renamed there");
    let blocked = &plan["blocked"][0];
    assert_eq!((&blocked["obstacle"], &blocked["title"]), (&json!("rename"), &json!("Friends")), "{plan}");
    let price = |choice: &str| {
        let choices = blocked["choices"].as_array().unwrap();
        choices.iter().find(|one| one["choice"] == choice).map(|one| one["calls"].clone())
    };
    assert_eq!(price("alias"), Some(json!(0)), "{blocked}");

    let choose = json!({ "key": blocked["key"], "choice": "recreate", "alike": false });
    let plan = world.call("plan_choose", choose);
    assert_eq!(SyncWorld::plan_kinds(&plan), ["list_create", "contacts_upload", "list_delete"]);
    // The plan creates a list, uploads its contacts in one request and deletes the old list. Two pages then confirm
    // that the contacts arrived.
    assert_eq!((&plan["writes"], typed_texts(&plan)), (&json!(3), vec![json!("Members")]));
    let calls = plan["writes"].as_u64().unwrap() + plan["reads"].as_u64().unwrap();
    assert_eq!(price("recreate"), Some(json!(calls)), "the same price as before the choice");
    assert_eq!(world.send_plan(&plan)["state"], "done");
    let page = PageRequest { number: 1, size: 50 };
    let query = list::ListQuery { name: None, sort: ListSort::Name, order: SortOrder::Ascending, page };
    let lists = list::read_page(&world.there, &query).unwrap().items;
    assert_eq!((lists.len(), lists[0].name.as_str(), lists[0].contact_count), (1, "Friends", 120));
    assert_eq!(world.list_contacts(&list).len(), 120, "here it is the same list");
    assert_eq!(SyncWorld::plan_kinds(&world.make_plan()), [""; 0]);
}

/// Starts a proxy before the service. It replaces a number in each request by one that the service refuses.
fn bend_requests(service: &str, number: &'static str) -> String {
    let service = service.trim_start_matches("http://").to_owned();
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let service = service.clone();
            // A client that hangs up early is not an error of the proxy.
            thread::spawn(move || drop(pass_request(&client, &service, number)));
        }
    });
    url
}

/// Forwards one request and its response, then closes both connections.
fn pass_request(mut client: &TcpStream, service: &str, number: &str) -> io::Result<()> {
    let mut from = BufReader::new(client);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        from.read_line(&mut line)?;
        let (name, value) = line.split_once(':').unwrap_or((line.trim(), ""));
        match name.to_ascii_lowercase().as_str() {
            "" => break,
            "content-length" => length = value.trim().parse().unwrap_or(0),
            "connection" => {}
            "host" => head += &format!("Host: {service}\r\n"),
            _ => head += &line,
        }
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    let body = String::from_utf8_lossy(&body).replace(number, "1");
    let mut to = TcpStream::connect(service)?;
    write!(to, "{head}Content-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())?;
    io::copy(&mut to, &mut client)?;
    Ok(())
}

#[test]
fn a_refused_row_is_corrected_where_it_is_shown_and_sent_again() {
    let world = new_world();
    world.connect();
    let list = world.create_service_list("Members", 1);
    world.pull();
    const BAD: &str = "+447700900802";
    world.call("connection_save", save_request(&bend_requests(world.server.url(), BAD)));
    // The key belonged to the other address, so it must be entered again.
    world.call("connection_key_set", json!({ "key": KEY, "keep": "keyring", "passphrase": null }));
    let rows = json!([
        { "phone_number": "+447700900801", "firstname": "Good" },
        { "phone_number": BAD, "firstname": "Bad" },
    ]);
    world.call("contact_paste", json!({ "list": list, "contacts": rows, "region": null }));
    // Another address may have another account, so a pull must compare the two first.
    world.pull();
    let plan = world.make_plan();
    let run = world.send_plan(&plan);
    assert_eq!((&run["state"], &run["refused"]), (&json!("done"), &json!(1)), "{run}");
    assert_eq!(world.status()["refused"], 1);
    let refused = world.call("refused_page", json!({ "from": 0, "count": 10 }));
    let row = &refused["rows"][0];
    assert_eq!((&refused["total"], &row["title"], &row["is_mended"]), (&json!(1), &json!("Bad"), &json!(false)));
    let fault = &row["faults"][0];
    assert!(
        ["message", "advice"].iter().all(|name| fault[name].as_str().is_some_and(|name| !name.is_empty())),
        "{row}"
    );
    // While the row is unchanged, it is not planned again.
    assert_eq!(SyncWorld::plan_kinds(&world.make_plan()), [""; 0]);

    let resend = || world.call("refused_resend", json!({ "keys": [row["key"]] }));
    assert_eq!(resend()["count"], 1);
    let plan = world.make_plan();
    assert_eq!(SyncWorld::plan_kinds(&plan), ["contacts_create"], "sent as it is, it is refused again");
    world.send_plan(&plan);
    assert_eq!(world.status()["refused"], 1);

    let mend = |field: &str, value: &str| {
        world.call("refused_mend", json!({ "key": row["key"], "field": field, "value": value }));
    };
    mend("phone_number", "+447700900804");
    mend("firstname", "Mended");
    let mended = world.call("refused_page", json!({ "from": 0, "count": 10 }));
    assert_eq!(mended["rows"][0]["is_mended"], true);
    let plan = world.make_plan();
    assert_eq!((SyncWorld::plan_kinds(&plan), &plan["steps"][0]["rows"]), (vec!["contacts_create"], &json!(1)));
    assert_eq!(world.send_plan(&plan)["counts"]["verified"], 1);
    assert_eq!(world.call("refused_page", json!({ "from": 0, "count": 10 }))["total"], 0);
    let query = contact::ContactQuery { list, search: None, page: None };
    let mut there = Vec::new();
    contact::visit_contacts(&world.there, &query, &mut |part| {
        if let contact::QueryPart::Contact(one) = part {
            there.extend(one.attribute(roost_model::contact::Attribute::Firstname).map(str::to_owned));
        }
        std::ops::ControlFlow::Continue(())
    })
    .unwrap();
    there.sort();
    assert_eq!(there, ["Contact 0", "Good", "Mended"]);
}
