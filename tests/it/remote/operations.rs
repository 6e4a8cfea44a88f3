//! The sixteen operations, each performed and checked.

use roost_model::{
    channel::Channel,
    contact::{Attribute, MergeType},
    opt_out::OptOutType,
};
use roost_reconcile::{
    ContactRow,
    plan::{ContactItem, Lane},
    row::SyncField,
};
use roost_sync::remote::{
    AcceptedWrite, Client, ContactsParams, LinkBody, LinksParams, ListsParams, OptOutsParams, QueryOrder, ServiceCall,
};
use roost_tests::{Setup, seeds};
use serde_json::json;

use super::{PAGE, client_of, run_async};

async fn send_call(client: &Client, call: &ServiceCall) -> AcceptedWrite {
    client.wait_for_turn(call.lane).await.send(call).await.unwrap_or_else(|error| panic!("{call:?}: {error}"))
}

fn build_item(id: usize, name: &str) -> ContactItem {
    let send = ContactRow::default()
        .with_value(SyncField::Phone, &seeds::mobile(id))
        .with_value(SyncField::Attribute(Attribute::Firstname), name);
    ContactItem { id: id as i64, expect: send.clone(), send, clear: vec![], before: None }
}

#[test]
fn lists_and_their_contacts() {
    let api = Setup::new().serve();
    run_async(async {
        let client = client_of(&api);
        let made = send_call(&client, &ServiceCall::create_list("A & B")).await;
        let uid = made.uid().expect("the service returns it");
        let lists = client.query_lists(&ListsParams { name: Some("a & b"), page: PAGE }).await.expect("read");
        assert_eq!((lists.total, lists.items.len(), lists.items[0].uid.as_str()), (1, 1, uid));
        assert!(lists.items[0].created_at.is_some() && lists.items[0].created_at == lists.items[0].updated_at);

        let items: Vec<ContactItem> = (0..250).map(|n| build_item(n, "Given \"Ä\"")).collect();
        let queued =
            send_call(&client, &ServiceCall::create_contacts(uid, None, MergeType::SkipDuplicates, &items)).await;
        assert_eq!(queued.status, 200);
        api.settle();
        let page = client.query_contacts(uid, &ContactsParams::Page(PAGE)).await.expect("read");
        assert_eq!((page.total, page.pages, page.items.len()), (250, 3, 100));
        let found = client.query_contacts(uid, &ContactsParams::Number(&seeds::mobile(7))).await.expect("read");
        assert_eq!(found.items.len(), 1);
        assert_eq!((&found.items[0].row, found.items[0].phone_region.as_deref()), (&items[7].send, Some("GB")));
        assert!(found.items[0].created_at.is_some() && found.items[0].updated_at.is_none());

        let mut reading = client.stream_contacts(uid).await.expect("begun");
        let mut all = 0;
        while let Some(more) = reading.next().await.expect("goes on") {
            all += more.len();
        }
        assert_eq!((all, reading.totals()), (250, Some((250, 1))));
        drop(reading);

        assert_eq!(send_call(&client, &ServiceCall::delete_contact(&found.items[0].uid)).await.status, 204);
        assert_eq!(client.query_contacts(uid, &ContactsParams::Page(PAGE)).await.expect("read").total, 249);
        assert_eq!(send_call(&client, &ServiceCall::delete_list(uid)).await.status, 204);
        assert_eq!(client.query_lists(&ListsParams { name: None, page: PAGE }).await.expect("read").total, 0);
    });
}

#[test]
fn opt_outs_are_judged_entry_by_entry() {
    let asset = seeds::sms_asset("A", "+447700900100");
    let api = Setup::new().seed(json!({ "assets": [asset] })).serve();
    let asset = asset["id"].as_str().expect("an id");
    run_async(async {
        let client = client_of(&api);
        let (one, two) = (seeds::mobile(1), seeds::mobile(2));
        let made = send_call(&client, &ServiceCall::create_opt_out(&one, Channel::Sms, None)).await;
        assert!(made.outcomes[0].is_success() && made.outcomes[0].opt_out_time.is_some());
        assert!(
            send_call(&client, &ServiceCall::create_opt_out(&one, Channel::Sms, Some(asset))).await.outcomes[0]
                .is_success()
        );
        let failed = send_call(&client, &ServiceCall::create_opt_out("12", Channel::Sms, None)).await;
        assert_eq!((failed.status, failed.outcomes[0].is_success()), (201, false));

        let params = OptOutsParams {
            number: Some(&one),
            channel: Some(Channel::Sms),
            kind: Some(OptOutType::ApiImport),
            since: Some("2020-01-01T00:00:00Z"),
            order: QueryOrder::Rising,
            page: Some(PAGE),
        };
        let found = client.query_opt_outs(&params).await.expect("read");
        assert_eq!(found.items.len(), 2, "one for the account, one for the asset");
        assert_eq!(found.items.iter().filter(|opt_out| opt_out.is_account_level()).count(), 1);

        let deleted =
            send_call(&client, &ServiceCall::delete_opt_outs(&[one.clone(), two], Channel::Sms, Some(asset))).await;
        assert_eq!(deleted.outcomes.iter().map(|outcome| outcome.is_success()).collect::<Vec<_>>(), [true, false]);
        assert!(deleted.outcomes[1].advice(Lane::OptOutsDelete).contains("Pull the opt-outs"));
        assert_eq!(client.query_opt_outs(&params).await.expect("read").total, 1);
    });
}

#[test]
fn links_and_senders() {
    let sender = json!({ "id": seeds::id("ssd_", "A"), "name": "AcmeShop", "status": "Verified" });
    let api = Setup::new().seed(json!({ "senders": [sender] })).serve();
    run_async(async {
        let client = client_of(&api);
        let tags = ["spring".to_owned()];
        let made = LinkBody { title: "Spring", target_url: "https://shop.example/s", tags: &tags, track_clicks: false };
        let made = send_call(&client, &ServiceCall::create_link(&made)).await.link().expect("the record");
        assert_eq!((made.title.as_str(), made.tags.as_slice(), made.track_clicks), ("Spring", &tags[..], Some(false)));
        let params = LinksParams { text: Some("spring"), since: None, order: QueryOrder::Rising, page: PAGE };
        assert_eq!(client.search_links(&params).await.expect("read").items, std::slice::from_ref(&made));
        assert_eq!(client.get_link(&made.uid).await.expect("read"), Some(made.clone()));
        assert_eq!(send_call(&client, &ServiceCall::delete_link(&made.uid)).await.status, 204);
        assert_eq!(client.get_link(&made.uid).await.expect("read"), None);

        let senders = client.query_senders(PAGE).await.expect("read").items;
        assert_eq!((senders.len(), senders[0].status.as_str()), (1, "Verified"));
        assert_eq!(client.get_sender(&senders[0].uid).await.expect("read").as_ref(), senders.first());
        assert_eq!(send_call(&client, &ServiceCall::delete_sender(&senders[0].uid)).await.status, 204);
        assert_eq!(client.get_sender(&senders[0].uid).await.expect("read"), None);
    });
}
