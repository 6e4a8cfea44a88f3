//! The profile that loses callbacks.

use serde_json::{Value, json};

use crate::emulator::callbacks::{build_contacts, create_receiver, frozen_setup, request_contacts, wait_until_settled};

#[test]
fn a_profile_loses_callbacks_and_says_so() {
    let count = 60;
    let run = || {
        let api = frozen_setup().serve();
        let admin = api.admin();
        admin.patch("/__admin/random", &json!({ "seed": 7 })).expect(200);
        admin.put("/__admin/faults/profile", &json!({ "name": "lossy-callbacks" })).expect(200);
        for n in 0..count {
            request_contacts(&api, &create_receiver(&api, "inbox"), &format!("job-{n}"), &build_contacts([n]));
        }
        wait_until_settled(&api);
        let ledger = admin.get("/__admin/callbacks?page_size=100").items();
        assert_eq!(ledger.len(), count);
        let dropped: Vec<Value> = ledger.iter().filter(|one| one["reason"] == "dropped").cloned().collect();
        for one in &dropped {
            let error = one["attempts"][0]["error"].as_str().unwrap_or_default();
            assert!(error.contains("profile lossy-callbacks"), "{one}");
            assert_eq!((&one["state"], &one["attempts"][0]["error_class"]), (&json!("given_up"), &json!("dropped")));
        }
        let came = admin.get("/__admin/hooks/inbox").ok()["came"].as_u64().expect("a number") as usize;
        let twice =
            ledger.iter().filter(|one| one["attempts"].as_array().is_some_and(|tries| tries.len() == 2)).count();
        assert_eq!(came, count - dropped.len() + twice, "the others came, some of them twice");
        assert!((1..count / 2).contains(&dropped.len()), "{}", dropped.len());
        // Removing the profile ends the losses.
        admin.put("/__admin/faults/profile", &json!({ "name": null })).expect(200);
        request_contacts(&api, &create_receiver(&api, "after"), "after", &build_contacts([0]));
        wait_until_settled(&api);
        assert_eq!(admin.get("/__admin/hooks/after").ok()["came"], 1);
        dropped.into_iter().map(|one| one["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(run(), run(), "the same world loses the same ones");
}
