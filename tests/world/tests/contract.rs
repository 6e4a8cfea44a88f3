//! The service responds as the contract says, operation by operation.

#![allow(clippy::needless_pass_by_value)]

use roost_world::{OPERATIONS, ServiceReply, World, find_operation};
use serde_json::{Value, json};

struct ContractClient {
    world: World,
}

impl ContractClient {
    fn new() -> ContractClient {
        ContractClient { world: World::new(3) }
    }

    fn send(&mut self, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
        let headers = vec![("x-auth-key".to_owned(), "key".to_owned())];
        let text = body.map(|body| body.to_string());
        let reply: ServiceReply = self.world.send_request(method, path, &headers, text.as_deref()).expect("an answer");
        (reply.status, serde_json::from_str(&reply.body).unwrap_or(Value::Null))
    }

    fn get(&mut self, path: &str) -> (u16, Value) {
        self.send("GET", path, None)
    }

    fn post(&mut self, path: &str, body: Value) -> (u16, Value) {
        self.send("POST", path, Some(body))
    }

    fn create_list(&mut self, name: &str) -> String {
        let (status, body) = self.post("/contacts/v1/lists/create", json!({"name": name}));
        assert_eq!(status, 200);
        body["uid"].as_str().expect("a UID").to_owned()
    }

    fn create_contacts(&mut self, list: &str) -> Vec<Value> {
        let (_, body) = self.get(&format!("/contacts/v1/contacts/list/{list}"));
        body["items"].as_array().expect("items").clone()
    }

    fn queue_contacts(&mut self, list: &str, merge: &str, contacts: Value) {
        let body = json!({"list_id": list, "merge_type": merge, "contacts": contacts});
        let (status, answer) = self.post("/contacts/v1/contacts", body);
        assert_eq!((status, &answer["code"]), (200, &json!("SUCCESS_CNT_GEN_001")), "{answer}");
        self.world.wait(5_000);
    }

    fn create_opt_out(body: &Value) -> (String, String) {
        let first = &body["validation_errors"][0];
        (first["field"].as_str().unwrap_or("").to_owned(), first["message"].as_str().unwrap_or("").to_owned())
    }
}

fn uid_text(prefix: &str) -> String {
    format!("{prefix}36AbCdEfGhIjKlMnOpQrStUvWx1")
}

#[test]
fn every_operation_has_its_path() {
    for (at, operation) in OPERATIONS.iter().enumerate() {
        let (method, path) = operation.split_once(' ').expect("method and path");
        assert_eq!(find_operation(method, path), Some(at), "{operation}");
    }
}

#[test]
fn paths_methods_and_keys_are_checked_in_order() {
    let mut client = ContractClient::new();
    assert_eq!(client.get("/assets/v1/nothing").0, 404);
    let (status, body) = client.get(&format!("/contacts/v1/lists/{}", uid_text("LST_")));
    assert_eq!((status, &body["code"]), (405, &json!("ERR_CNT_REQ_003")));
    let reply = client.world.send_request("GET", "/assets/v1/senders/", &[], None).expect("an answer");
    assert_eq!(reply.status, 401);
    assert!(reply.body.contains("Unauthorized"));
}

#[test]
fn senders_are_queried_read_and_deleted() {
    let mut client = (0..50)
        .map(|seed| ContractClient { world: World::new(seed) })
        .find_map(|mut client| {
            let (_, body) = client.get("/assets/v1/senders/");
            (!body["items"].as_array()?.is_empty()).then_some(client)
        })
        .expect("a world with a sender");
    let (_, body) = client.get("/assets/v1/senders");
    let id = body["items"][0]["id"].as_str().expect("an id").to_owned();
    assert_eq!(client.get(&format!("/assets/v1/senders/{id}")).1["status"], json!("Verified"));
    let (status, body) = client.get("/assets/v1/senders/?page_size=101");
    assert_eq!(status, 400);
    assert_eq!(
        body["errors"][0],
        json!({"message": "must be less than or equal to 100", "field": "get_all_sms_senders.page_size"})
    );
    assert_eq!(client.send("DELETE", &format!("/assets/v1/senders/{id}"), None).0, 204);
    let (status, body) = client.send("DELETE", &format!("/assets/v1/senders/{id}"), None);
    assert_eq!((status, &body["errors"][0]["code"]), (404, &json!(3006)));
    assert_eq!(client.get("/assets/v1/senders/ssd_1").0, 404);
}

#[test]
fn lists_are_created_queried_and_deleted() {
    let mut client = ContractClient::new();
    let list = client.create_list("Alpha one");
    let (_, body) = client.get("/contacts/v1/lists/?name=ALPHA&sort_by=name&sort_order=ASC");
    assert_eq!(body["paging"], json!({"current_page": 1, "total_items": 1, "total_pages": 1}));
    assert_eq!(body["items"][0]["uid"], json!(list));
    let (status, body) = client.get("/contacts/v1/lists/?sort_order=desc&sort_by=age");
    assert_eq!(status, 400);
    assert_eq!(ContractClient::create_opt_out(&body), ("filter.sortBy".to_owned(), "sorting.by.generic".to_owned()));
    let (_, body) = client.get("/contacts/v1/lists/?page_size=x");
    assert_eq!(body["code"], json!("ERR_CNT_VAL_004"));
    assert_eq!(body["message"], json!("Invalid format for field 'page_size'. Expected format: int"));
    let (status, body) = client.post("/contacts/v1/lists/create", json!({"name": "x".repeat(121)}));
    assert_eq!((status, ContractClient::create_opt_out(&body).1.as_str()), (400, "Invalid list name"));
    assert_eq!(client.send("DELETE", &format!("/contacts/v1/lists/{list}"), None).0, 204);
    let (status, body) = client.send("DELETE", &format!("/contacts/v1/lists/{list}"), None);
    assert_eq!((status, &body["message"]), (400, &json!("List not found")));
    let (_, body) = client.send("DELETE", "/contacts/v1/lists/LST_1", None);
    assert_eq!(body["error"], json!("INVALID_UID_FORMAT"));
    assert_eq!(ContractClient::create_opt_out(&body).0, "deleteList.uid");
}

#[test]
fn contacts_are_created_by_a_job() {
    let mut client = ContractClient::new();
    let list = client.create_list("Jobs");
    let body = json!({"list_id": list, "merge_type": "skipDuplicates",
                      "contacts": [{"phone_number": "07700900001", "firstname": "Ada"}]});
    assert_eq!(client.post("/contacts/v1/contacts", body).0, 200);
    assert!(client.create_contacts(&list).is_empty(), "the request only queues the job");
    client.world.wait(5_000);
    let rows = client.create_contacts(&list);
    assert_eq!(rows[0]["phone_number"], json!("+447700900001"));
    assert_eq!(rows[0]["phone_region"], json!("GB"));
    assert_eq!(rows[0]["updated_at"], Value::Null);
    assert_eq!(rows[0]["created_at"].as_str().map(str::len), Some(19));
}

#[test]
fn merge_types_do_what_the_contract_says() {
    let mut client = ContractClient::new();
    let list = client.create_list("Merges");
    let phone = "+447700900001";
    client.queue_contacts(&list, "skipDuplicates", json!([{"phone_number": phone}, {"phone_number": phone}]));
    assert_eq!(client.create_contacts(&list).len(), 1);
    client.queue_contacts(&list, "skipDuplicates", json!([{"whatsapp_number": phone}, {"whatsapp_number": phone}]));
    assert_eq!(client.create_contacts(&list).len(), 3, "a WhatsApp number alone is never a duplicate");
    client.queue_contacts(&list, "allowDuplicates", json!([{"phone_number": phone}]));
    assert_eq!(client.create_contacts(&list).len(), 4);
    client.queue_contacts(&list, "mergeByPhoneNumberInList", json!([{"phone_number": phone, "city": "York"}]));
    let york = |rows: &[Value]| rows.iter().filter(|row| row["city"] == json!("York")).count();
    assert_eq!(york(&client.create_contacts(&list)), 2, "a merge hits all twins");
    client.queue_contacts(&list, "mergeByWhatsappIdInList", json!([{"whatsapp_number": phone, "city": "York"}]));
    assert_eq!(york(&client.create_contacts(&list)), 4);
    client.queue_contacts(&list, "mergeByPhoneNumberInList", json!([{"phone_number": "+447700900002"}]));
    assert_eq!(client.create_contacts(&list).len(), 5, "a merge without a match creates");
}

#[test]
fn contact_queries_search_select_and_page() {
    let mut client = ContractClient::new();
    let list = client.create_list("Query");
    client.queue_contacts(
        &list,
        "skipDuplicates",
        json!([{"phone_number": "+447700900001", "title": "Ms"}, {"phone_number": "+447700900002"}]),
    );
    let path = format!("/contacts/v1/contacts/list/{list}");
    let (_, body) = client.get(&format!("{path}?search=%2B447700900001&fields=uid,title"));
    assert_eq!(body["paging"]["total_items"], json!(1));
    assert_eq!(body["items"][0].as_object().map(serde_json::Map::len), Some(2));
    let (_, body) = client.get(&format!("{path}?search=+447700900002"));
    assert_eq!(body["paging"]["total_items"], json!(1), "an unencoded plus is repaired");
    let (_, body) = client.get(&format!("{path}?page_number=2&page_size=1"));
    assert_eq!(body["paging"], json!({"current_page": 2, "total_items": 2, "total_pages": 2}));
    let (status, body) = client.get(&format!("{path}?page_size=0&fields=uid,nickname"));
    assert_eq!(status, 400);
    assert_eq!(ContractClient::create_opt_out(&body), ("search.pageSize".to_owned(), "page.size.generic".to_owned()));
    assert_eq!(body["validation_errors"][1]["field"], json!("search.fields[1].<list element>"));
    let (_, body) = client.get(&format!("{path}?fields="));
    assert_eq!(body["message"], json!("Contact fields are missing from the request."));
    let (_, body) = client.get(&format!("/contacts/v1/contacts/list/{}", uid_text("LST_")));
    assert_eq!(body["message"], json!("List not found"));
    assert_eq!(ContractClient::create_opt_out(&client.get("/contacts/v1/contacts/list/abc").1).0, "search.listUid");
}

#[test]
fn a_bad_creation_request_queues_nothing() {
    let mut client = ContractClient::new();
    let list = client.create_list("Bad");
    let cases = [
        (
            json!([{"firstname": "Ada"}]),
            "createContacts.request.conCreateRequests[0]",
            "Either phone_number or whatsapp_number must be given.",
        ),
        (
            json!([{"phone_number": "+447700900001"}, {"phone_number": "+44770"}]),
            "createContacts.request.conCreateRequests[1]",
            "Invalid phone number.",
        ),
        (
            json!([{"phone_number": "+447700900001", "title": ""}]),
            "createContacts.request.conCreateRequests[0].title",
            "size must be between 1 and 30",
        ),
        (json!([]), "createContacts.request.conCreateRequests", "must not be empty"),
    ];
    for (contacts, field, message) in cases {
        let body = json!({"list_id": list, "merge_type": "skipDuplicates", "contacts": contacts});
        let (status, answer) = client.post("/contacts/v1/contacts", body);
        assert_eq!((status, ContractClient::create_opt_out(&answer)), (400, (field.to_owned(), message.to_owned())));
    }
    let body = json!({"list_id": list, "merge_type": "merge", "phone_region": "UK", "callback_url": "ftp://x", "contacts": [{"phone_number": "+447700900001"}]});
    let (_, answer) = client.post("/contacts/v1/contacts", body);
    assert_eq!(answer["validation_errors"].as_array().map(Vec::len), Some(3));
    let (_, answer) = client
        .post("/contacts/v1/contacts", json!({"list_id": "VIP", "merge_type": "skipDuplicates", "contacts": [{}]}));
    assert_eq!(answer["error"], json!("INVALID_UID_FORMAT"));
    let (_, answer) = client.post("/contacts/v1/contacts", json!({"list_id": list, "contacts": 1}));
    assert_eq!(answer["code"], json!("ERR_CNT_REQ_002"));
    client.world.wait(60_000);
    assert!(client.create_contacts(&list).is_empty());
}

#[test]
fn contacts_are_deleted() {
    let mut client = ContractClient::new();
    let list = client.create_list("Delete");
    client.queue_contacts(&list, "skipDuplicates", json!([{"phone_number": "+447700900001"}]));
    let contact = client.create_contacts(&list)[0]["uid"].as_str().expect("a UID").to_owned();
    assert_eq!(client.send("DELETE", &format!("/contacts/v1/contacts/{contact}"), None).0, 204);
    let (status, body) = client.send("DELETE", &format!("/contacts/v1/contacts/{contact}"), None);
    assert_eq!((status, &body["message"]), (400, &json!("Contact not found")));
    let (_, body) = client.send("DELETE", "/contacts/v1/contacts/CON_1", None);
    assert_eq!(ContractClient::create_opt_out(&body).0, "deleteContact.uid");
}

#[test]
fn opt_outs_are_created_one_at_a_time_and_replaced() {
    let mut client = ContractClient::new();
    let number = "+447700900555";
    let entry = json!({"optouts": [{"number": "447700900555", "channel": "sms"}, {"number": "+447700900556"}]});
    let (status, body) = client.post("/contacts/v1/optouts", entry.clone());
    assert_eq!((status, &body["total_submitted"], &body["items"][0]["number"]), (201, &json!(1), &json!(number)));
    client.world.wait(5_000);
    let path = "/contacts/v1/optouts?number=%2B447700900555";
    let first = client.get(path).1["items"][0]["opt_out_time"].clone();
    client.post("/contacts/v1/optouts", entry);
    let (_, body) = client.get(path);
    assert_eq!(body["paging"]["total_items"], json!(1), "the record is replaced");
    assert_ne!(body["items"][0]["opt_out_time"], first, "and its time moves");
    let (status, body) = client.post("/contacts/v1/optouts", json!({"optouts": [{"number": "07700900001"}]}));
    assert_eq!((status, &body["items"][0]["status"]), (201, &json!("failure")));
    let wrong = json!({"optouts": [{"number": number, "asset_id": uid_text("wbp_")}]});
    let (_, body) = client.post("/contacts/v1/optouts", wrong);
    assert_eq!(
        body["items"][0]["message"],
        json!("Channel mismatch: the specified asset does not match the requested channel")
    );
    let (status, body) = client.post("/contacts/v1/optouts", json!({"optouts": [{}]}));
    assert_eq!((status, ContractClient::create_opt_out(&body).0.as_str()), (400, "optOuts[0].number"));
}

#[test]
fn opt_out_queries_filter_and_refuse() {
    let mut client = ContractClient::new();
    client.post("/contacts/v1/optouts", json!({"optouts": [{"number": "+447700900555", "channel": "whatsapp"}]}));
    assert_eq!(client.get("/contacts/v1/optouts?number=447700900555&channel=SMS").1["paging"]["total_items"], json!(0));
    let (_, body) = client.get("/contacts/v1/optouts?number=447700900555&channel=whatsapp&opt_out_type=api_import");
    assert_eq!(body["paging"]["total_items"], json!(1));
    assert!(body["items"][0].get("inbound_asset_id").is_none());
    for (query, message) in [
        ("number=", "Invalid number. Supply a valid E.164 number, or a national number with country_code."),
        (
            "opt_out_type=Keyword",
            "Invalid opt_out_type. Allowed values: keyword, web_opt_out, account_import, api_import.",
        ),
        ("channel=fax", "Invalid channel. Must be SMS or WHATSAPP."),
    ] {
        let (status, body) = client.get(&format!("/contacts/v1/optouts?{query}"));
        assert_eq!((status, &body["message"], &body["trace_id"]), (400, &json!(message), &json!("no-trace-id")));
    }
    let (_, body) = client.get("/contacts/v1/optouts?start_time=2026-01-05");
    assert_eq!(body["code"], json!("ERR_CNT_VAL_004"));
    let (_, body) = client.get("/contacts/v1/optouts?page_size=1001&sort_order=desc");
    assert_eq!(ContractClient::create_opt_out(&body).0, "getOptOuts.pageSize");
}

#[test]
fn opt_out_removal_without_asset_removes_every_scope() {
    let mut client = ContractClient::new();
    let number = "+447700900555";
    for channel in ["SMS", "WHATSAPP"] {
        client.post("/contacts/v1/optouts", json!({"optouts": [{"number": number, "channel": channel}]}));
    }
    let remove = json!({"numbers": [number, number, "12"], "channel": "SMS"});
    let (status, body) = client.send("DELETE", "/contacts/v1/optouts", Some(remove));
    assert_eq!((status, &body["total_succeeded"], &body["total_failed"]), (200, &json!(1), &json!(2)));
    assert_eq!(body["items"][1]["message"], json!("Number not found on the SMS channel."));
    let path = "/contacts/v1/optouts?number=%2B447700900555";
    assert_eq!(client.get(path).1["paging"]["total_items"], json!(1));
    client.send("DELETE", "/contacts/v1/optouts", Some(json!({"numbers": [number], "asset_id": uid_text("wbp_")})));
    assert_eq!(client.get(path).1["paging"]["total_items"], json!(1), "the account-level record stays");
    client.send("DELETE", "/contacts/v1/optouts", Some(json!({"numbers": [number]})));
    assert_eq!(client.get(path).1["paging"]["total_items"], json!(0), "both channels without a channel");
    let (status, body) = client.send("DELETE", "/contacts/v1/optouts", Some(json!({"numbers": []})));
    assert_eq!((status, &body["error"]), (400, &json!("MISSING_REQUIRED_FIELD")));
}

#[test]
fn links_are_created_read_searched_and_deleted() {
    let mut client = ContractClient::new();
    let body = json!({"title": " Spring sale ", "target_url": "https://shop.example/s", "tags": ["spring", "spring"]});
    let (status, link) = client.post("/assets/v1/shortlink", body);
    assert_eq!((status, &link["title"], &link["tags"]), (200, &json!("Spring sale"), &json!(["spring"])));
    let id = link["link_id"].as_str().expect("an id").to_owned();
    assert_eq!(client.get(&format!("/assets/v1/shortlink/{id}")).1, link);
    let (_, body) = client.post("/assets/v1/shortlink/filter", json!({"filter": {"query": "sprng"}}));
    assert_eq!(body["items"][0], link);
    let (_, body) = client.post("/assets/v1/shortlink/filter", json!({"filter": {"tags": ["autumn"]}}));
    assert_eq!(body["paging"]["total_items"], json!(0));
    let (_, body) = client.post("/assets/v1/shortlink/filter", json!({"sort": {"sort_order": "UP"}}));
    assert_eq!(
        ContractClient::create_opt_out(&body),
        ("sort.sort_order".to_owned(), "Sort Order must be ASC or DESC".to_owned())
    );
    let (_, body) = client.post("/assets/v1/shortlink", json!({"title": " ", "target_url": "shop", "tags": ["a!b"]}));
    assert_eq!(body["validation_errors"].as_array().map(Vec::len), Some(3));
    assert_eq!(client.send("DELETE", &format!("/assets/v1/shortlink/{id}"), None).0, 204);
    let (status, body) = client.get(&format!("/assets/v1/shortlink/{id}"));
    assert_eq!((status, body.get("validation_errors")), (404, None));
    let (_, body) = client.send("DELETE", "/assets/v1/shortlink/abc", None);
    assert_eq!(ContractClient::create_opt_out(&body).0, "delete_short_link_by_id.id");
}
