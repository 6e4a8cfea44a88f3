//! Questions are counted, listed and answered without a window, and nothing that did not arrive ends with 0.

use serde_json::json;

use super::{Place, rename_there, service, there};

#[test]
fn a_question_is_counted_until_it_is_answered_by_its_key() {
    let api = service(2);
    let place = Place::pulled(&api);
    assert_eq!(place.done(0, &["conflicts"]), "There are no questions.\n");
    place.rename(0, "Mine");
    rename_there(&api, 0, "Theirs");
    for pull in ["finds it", "finds nothing new"] {
        let said = place.done(3, &["pull"]);
        assert!(said.contains("; 1 question.\n"), "{pull}: {said}");
    }
    let said = place.done(3, &["conflicts"]);
    let key = said.split_whitespace().next().expect("a key").to_owned();
    assert!(key.starts_with("contact:") && said.contains("firstname: here Mine, there Theirs"), "{said}");
    assert_eq!(place.json(3, &["conflicts", "--json"])[0]["answer_key"], json!(key));
    assert!(place.fails(2, &["answer", "contact:999", "mine"]).contains("There is no question contact:999."));
    assert!(place.fails(2, &["answer", &key, "let-go"]).contains("does not fit"));
    assert_eq!(place.done(0, &["answer", &key, "mine"]), "Answered. 0 questions left.\n");
    place.done(0, &["push", "--yes"]);
    assert_eq!(there(&api)[0].1, "Mine");
    assert_eq!(place.done(0, &["conflicts"]), "There are no questions.\n");
}

#[test]
fn a_step_that_was_refused_is_no_success() {
    let api = service(40);
    let place = Place::pulled(&api);
    place.delete(0..1);
    rename_there(&api, 0, "Changed after the pull");
    let said = place.done(5, &["push", "--yes"]);
    assert!(said.contains("refused with their step") && said.contains("was not deleted"), "{said}");
    assert_eq!(there(&api).len(), 40);
}
