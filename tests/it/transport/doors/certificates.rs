//! The server's own certificate authority. It is created once, for the names of this machine, with a key that only its
//! owner can read.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::Barrier,
    thread,
};

use roost_emulator::{StartError, TlsOptions};
use roost_tests::Served;
use tempfile::TempDir;

use super::{readable_setup, shake_hands, trusting_config};

fn try_on(folder: &Path, names: &[&str]) -> Result<Served, StartError> {
    let mut setup = readable_setup();
    setup.config.tls = Some(TlsOptions::Own { folder: Some(folder.to_owned()) });
    setup.config.allow_hosts = names.iter().map(|name| (*name).to_owned()).collect();
    setup.try_serve()
}

fn start_on(folder: &Path) -> Served {
    try_on(folder, &[]).expect("a server")
}

fn authority_place() -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("a folder");
    let inner = folder.path().join("data/tls");
    (folder, inner)
}

#[test]
fn an_authority_is_made_once_and_kept() {
    let (_kept, folder) = authority_place();
    let first = start_on(&folder).ca().to_owned();
    let (again, third) = (start_on(&folder), start_on(&folder));
    assert_eq!((again.ca(), third.ca()), (first.as_str(), first.as_str()));
    assert_eq!(fs::read_to_string(folder.join("ca.pem")).expect("the certificate"), first);
    shake_hands(again.address(), "localhost", &trusting_config(&first, &[])).expect("trusted ever since");
    fs::remove_file(folder.join("ca.pem")).expect("removed");
    assert_eq!(start_on(&folder).ca(), first);
    assert_eq!(fs::read_to_string(folder.join("ca.pem")).expect("written again"), first);
    let (_other, other) = authority_place();
    assert_ne!(start_on(&other).ca(), first);
}

#[test]
fn its_key_is_for_its_owner_alone() {
    let (_kept, folder) = authority_place();
    let api = start_on(&folder);
    let mode = |name: &str| fs::metadata(folder.join(name)).expect("there").permissions().mode() & 0o777;
    assert_eq!((mode("ca.key"), mode("ca.pem"), mode("")), (0o600, 0o644, 0o700));
    assert!(
        !api.ca().contains("PRIVATE") && !fs::read_to_string(folder.join("ca.pem")).expect("text").contains("PRIVATE")
    );
    let left: Vec<_> =
        fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
    fs::set_permissions(folder.join("ca.key"), fs::Permissions::from_mode(0o640)).expect("opened");
    let why = try_on(&folder, &[]).map(|_| ()).expect_err("others could read it").to_string();
    assert!(why.contains("ca.key") && why.contains("chmod 600"), "{why}");
}

#[test]
fn servers_that_begin_in_the_same_moment_share_one() {
    let (_kept, folder) = authority_place();
    let together = Barrier::new(6);
    let authorities: Vec<String> = thread::scope(|scope| {
        let begun: Vec<_> = (0..6)
            .map(|_| {
                scope.spawn(|| {
                    together.wait();
                    start_on(&folder).ca().to_owned()
                })
            })
            .collect();
        begun.into_iter().map(|each| each.join().expect("no panic")).collect()
    });
    assert!(authorities.iter().all(|ca| *ca == authorities[0]));
    assert_eq!(start_on(&folder).ca(), authorities[0]);
}

#[test]
fn it_signs_for_further_names_when_it_was_made_for_them() {
    let (_kept, folder) = authority_place();
    let api = try_on(&folder, &["roost.test", "192.0.2.7"]).expect("a server");
    let config = trusting_config(api.ca(), &[]);
    for name in ["roost.test", "192.0.2.7", "localhost", "a.localhost"] {
        shake_hands(api.address(), name, &config).unwrap_or_else(|why| panic!("{name}: {why}"));
    }
    let (_usual, usual) = authority_place();
    drop(start_on(&usual));
    let why = try_on(&usual, &["roost.test"]).map(|_| ()).expect_err("not made for it").to_string();
    assert!(why.contains("roost.test") && why.contains("--tls-dir") && why.contains("--tls-cert"), "{why}");
    let why = try_on(&usual, &["two words"]).map(|_| ()).expect_err("no name").to_string();
    assert!(why.contains("'two words'"), "{why}");
}

#[test]
fn what_is_wrong_with_it_is_reported() {
    let (_kept, folder) = authority_place();
    drop(start_on(&folder));
    let whole = fs::read_to_string(folder.join("ca.key")).expect("the key");
    let cases = ["", "not for logs", &whole[..whole.len() / 2], &whole.replace("CERTIFICATE", "NOTHING")];
    for text in cases {
        fs::write(folder.join("ca.key"), text).expect("written");
        let why = try_on(&folder, &[]).map(|_| ()).expect_err("spoilt").to_string();
        assert!(why.contains("ca.key") && !why.contains("not for logs"), "{why}");
    }
    let (_other, other) = authority_place();
    drop(start_on(&other));
    let theirs = fs::read_to_string(other.join("ca.key")).expect("the key");
    let at = |text: &str| text.find("-----BEGIN CERTIFICATE").expect("a certificate");
    fs::write(folder.join("ca.key"), format!("{}{}", &whole[..at(&whole)], &theirs[at(&theirs)..])).expect("written");
    let why = try_on(&folder, &[]).map(|_| ()).expect_err("another's certificate").to_string();
    assert!(why.contains(folder.to_str().expect("text")), "{why}");
    let file = TempDir::new().expect("a folder");
    fs::write(file.path().join("a"), "").expect("written");
    let why = try_on(&file.path().join("a/tls"), &[]).map(|_| ()).expect_err("no folder").to_string();
    assert!(why.contains("a/tls"), "{why}");
}

#[test]
fn it_vouches_for_nothing_but_this_machine() {
    let (_kept, folder) = authority_place();
    let api = start_on(&folder);
    let key = fs::read_to_string(folder.join("ca.key")).expect("the key");
    // An attacker has the key and signs for a public name.
    let mut params = rcgen::CertificateParams::default();
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(rcgen::DnType::OrganizationName, "Roost");
    params.distinguished_name.push(rcgen::DnType::CommonName, "Roost on this machine");
    let issuer = rcgen::Issuer::new(params, rcgen::KeyPair::from_pem(&key).expect("a key"));
    for (name, is_good) in [("client.example", false), ("b.localhost", true)] {
        let stolen = TempDir::new().expect("a folder");
        let leaf = rcgen::KeyPair::generate().expect("a key");
        let params = rcgen::CertificateParams::new([name.to_owned()]).expect("a name");
        let signed = params.signed_by(&leaf, &issuer).expect("signed");
        fs::write(stolen.path().join("cert"), signed.pem()).expect("written");
        fs::write(stolen.path().join("key"), leaf.serialize_pem()).expect("written");
        let mut setup = readable_setup();
        setup.config.tls = Some(TlsOptions::Given { cert: stolen.path().join("cert"), key: stolen.path().join("key") });
        let forger = setup.serve();
        let shaken = shake_hands(forger.address(), name, &trusting_config(api.ca(), &[]));
        assert_eq!(shaken.is_ok(), is_good, "{name}: {:?}", shaken.err());
    }
}
