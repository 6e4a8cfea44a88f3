//! `roost fixtures gen`: generates seed files of any size.

use std::fs;

use roost_tests::Spawned;
use tempfile::TempDir;

use crate::program::{refusal_message, run_program};

fn made_seed(args: &[&str]) -> Vec<u8> {
    let output = run_program(&[&["fixtures", "gen"], args].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

#[test]
fn fixtures_are_a_seed_and_the_same_again() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("seed.json").to_string_lossy().into_owned();
    let options = ["--contacts", "500", "--seed", "7", "--lists", "3"];
    let text = made_seed(&options);
    assert!(made_seed(&[options.as_slice(), &["-o", &file]].concat()).is_empty());
    assert!(fs::read(&file).expect("a file") == text, "the same options, the same bytes");
    assert!(made_seed(&["--contacts", "500", "--seed", "8", "--lists", "3"]) != text);
    let message = refusal_message(&run_program(&["fixtures", "gen", "--out", &file]));
    assert!(message.contains("--force"), "{message}");
    assert!(made_seed(&["--contacts", "0", "--out", &file, "--force"]).is_empty());
    assert!(fs::read(&file).expect("a file").len() < text.len());
    fs::write(&file, &text).expect("a file");
    let server = Spawned::start(["--seed", &file]);
    let client = server.client();
    let count = |uid: &String| client.get(format!("/contacts/v1/contacts/list/{uid}")).items().len();
    let counts: Vec<usize> = client.get("/contacts/v1/lists/").column("uid").iter().map(count).collect();
    assert_eq!((counts.len(), counts.iter().sum::<usize>()), (3, 500), "{counts:?}");
    assert!(refusal_message(&run_program(&["fixtures", "gen", "--lists", "0"])).contains("--lists"));
    let message = refusal_message(&run_program(&["fixtures", "gen", "--contacts", "99999999999"]));
    assert!(message.contains("--contacts") && message.contains("10000000"), "{message}");
    assert!(refusal_message(&run_program(&["fixtures"])).contains("--help"));
}
