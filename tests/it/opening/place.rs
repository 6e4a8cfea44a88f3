//! The account file of a running server: its other names, its lock, its path.

use std::{fs, path::PathBuf};

use roost_tests::{Client, Spawned};
use serde_json::json;

use super::{AccountFolder, CREATE, LISTS, command, error_line, wait_for_end};
use crate::whole::{assert_whole, list_names};

fn create_list(client: &Client, name: &str) -> u16 {
    client.post(CREATE, &json!({ "name": name })).status
}

/// The same file at another place of the file system, if the tests may mount one.
struct MountedFile(PathBuf);

impl Drop for MountedFile {
    fn drop(&mut self) {
        drop(std::process::Command::new("umount").arg(&self.0).status());
    }
}

fn bind_mount(place: &AccountFolder) -> Option<MountedFile> {
    let other = place.folder.path().join("x.roost");
    fs::write(&other, "").unwrap();
    let mut mount = std::process::Command::new("mount");
    let output = mount.arg("--bind").arg(&place.file).arg(&other).output().ok()?;
    if output.status.success() {
        return Some(MountedFile(other));
    }
    eprintln!("NOT RUN through a bind mount, only through a hard link: mounting needs more rights ({output:?})");
    None
}

#[test]
fn two_servers_on_two_names_of_one_account() {
    let place = AccountFolder::with_account();
    let mut first = place.start_server();
    let linked = place.folder.path().join("b.roost");
    fs::hard_link(&place.file, &linked).unwrap();
    let mounted = bind_mount(&place);
    let names = [Some(&linked), mounted.as_ref().map(|mounted| &mounted.0)];
    for name in names.into_iter().flatten() {
        for verb in ["serve", "status"] {
            let mut second = command([verb, "--db"]);
            second.arg(name);
            if verb == "serve" {
                second.args(["--port", "0"]);
            }
            let output = wait_for_end(second);
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert!(!output.status.success(), "{verb} {}", name.display());
            assert!(stderr.contains(&format!("is open in another process (process {})", first.pid())), "{stderr}");
        }
    }
    assert_eq!(create_list(&first.client(), "More"), 200);
    assert!(first.terminate().success());
    assert_whole(&place.file);
    assert_eq!(list_names(&place.file), ["VIP", "More"]);
}

#[test]
fn an_account_stays_held_while_its_lock_file_is_removed() {
    let place = AccountFolder::with_account();
    let mut first = place.start_server();
    fs::remove_file(place.folder.path().join("account.roost.lock")).unwrap();
    assert!(place.refusal_message().contains(&format!("process {}", first.pid())));
    assert_eq!(create_list(&first.client(), "More"), 200);
    assert!(first.terminate().success());
}

/// Tries each way in which a file loses its path. A write that was answered with 200 is in the file when it returns.
#[test]
fn writes_are_refused_while_the_account_file_is_not_in_its_place() {
    let place = AccountFolder::with_account();
    let mut served = place.start_server();
    let client = served.client();
    let away = place.folder.path().join("away");
    let mut made = vec!["VIP".to_owned()];
    for (round, replacement) in [None, Some(&b""[..]), Some(b"a picture of a bird")].into_iter().enumerate() {
        fs::rename(&place.file, &away).unwrap();
        if let Some(bytes) = replacement {
            fs::write(&place.file, bytes).unwrap();
        }
        let answer = client.post(CREATE, &json!({ "name": "Lost" })).expect(500).json();
        assert_eq!(answer["message"], "Internal server error occurred");
        client.post("/contacts/v1/lists/create", &json!({ "name": "" })).expect(400);
        assert_eq!(client.get(LISTS).items().len(), made.len());
        if let Some(bytes) = replacement {
            assert_eq!(fs::read(&place.file).unwrap(), bytes, "what is there now is not ours");
        }
        fs::rename(&away, &place.file).unwrap();
        made.push(format!("Round {round}"));
        assert_eq!(create_list(&client, &made[made.len() - 1]), 200);
    }
    let stderr = served.stderr();
    assert!(stderr.contains("was moved or deleted while") && stderr.contains("was replaced while"), "{stderr}");
    assert!(served.terminate().success());
    assert_whole(&place.file);
    assert_eq!(list_names(&place.file), made);
}

/// Half of the requests find no file. Writes that were acknowledged before the deletion are deleted with the file;
/// nothing else is lost.
#[test]
fn a_server_whose_file_was_deleted_creates_nothing_in_a_new_one() {
    let place = AccountFolder::with_account();
    let mut first = place.start_server();
    assert_eq!(create_list(&first.client(), "Before"), 200);
    for name in place.file_names() {
        fs::remove_file(place.folder.path().join(name)).unwrap();
    }
    let mut second = Spawned::start(["--limits", "off", "--db", place.file.to_str().unwrap()]);
    for round in 0..20 {
        assert_eq!(create_list(&first.client(), &format!("first {round}")), 500);
        assert_eq!(create_list(&second.client(), &format!("second {round}")), 200);
    }
    assert!(first.terminate().success());
    assert_eq!(create_list(&second.client(), "after"), 200);
    second.kill();
    assert_whole(&place.file);
    assert_eq!(list_names(&place.file).len(), 21);
}

#[test]
fn a_lock_file_of_another_program_is_not_written_to() {
    let place = AccountFolder::with_account();
    let file = place.folder.path().join("Cargo");
    let lock = place.folder.path().join("Cargo.lock");
    fs::copy(&place.file, &file).unwrap();
    fs::write(&lock, "# This file is automatically @generated by Cargo.\n").unwrap();
    let mut served = Spawned::start(["--limits", "off", "--db", file.to_str().unwrap()]);
    assert!(served.terminate().success());
    assert!(wait_for_end(command(["export", "--db", file.to_str().unwrap()])).status.success());
    assert_eq!(fs::read_to_string(&lock).unwrap(), "# This file is automatically @generated by Cargo.\n");

    let sym = place.folder.path().join("sym.roost");
    fs::copy(&place.file, &sym).unwrap();
    std::os::unix::fs::symlink(&lock, place.folder.path().join("sym.roost.lock")).unwrap();
    let message = error_line(&sym, wait_for_end(command(["export", "--db", sym.to_str().unwrap()])));
    assert!(message.contains("lock file"), "{message}");
    assert_eq!(fs::read_to_string(&lock).unwrap(), "# This file is automatically @generated by Cargo.\n");
}
