//! The Unix socket: beside the port or instead of it, for its owner alone, and never in place of another file.

use std::{
    fs,
    io::Write as _,
    os::unix::{
        fs::{FileTypeExt as _, PermissionsExt as _},
        net::{UnixListener, UnixStream},
    },
    path::Path,
};

use roost_emulator::{StartError, TlsOptions, client::AdminClient};
use roost_tests::{Served, until};
use tempfile::TempDir;
use tokio::runtime::Builder;

use super::{LISTS, StreamConnection, ask_once, readable_setup, start_secured};

const GET: &str = "GET /contacts/v1/lists/ HTTP/1.1\r\nhost: localhost\r\nx-auth-key: a-key";

fn try_on(path: &Path) -> Result<Served, StartError> {
    let mut setup = readable_setup();
    setup.config.unix = Some(path.to_owned());
    setup.try_serve()
}

fn open_socket(path: &Path) -> UnixStream {
    UnixStream::connect(path).expect("a line")
}

#[test]
fn the_socket_answers_as_the_port_does() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("roost.sock");
    let api = try_on(&path).expect("a server");
    let (head, body) = ask_once(open_socket(&path), GET);
    assert!(head.starts_with("http/1.1 200 "), "{head}");
    assert_eq!(body, api.get(LISTS).body);
    for (host, status) in [("localhost", 200), ("127.0.0.1", 200), ("client.example", 421)] {
        let (head, _) = ask_once(open_socket(&path), &GET.replace("localhost", host));
        assert!(head.starts_with(&format!("http/1.1 {status} ")), "{host}: {head}");
    }
    let (head, _) = ask_once(open_socket(&path), &format!("{GET}\r\norigin: http://client.example"));
    assert!(head.starts_with("http/1.1 403 "), "{head}");
}

#[test]
fn it_is_its_owners_alone_and_goes_with_the_server() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("roost.sock");
    let api = try_on(&path).expect("a server");
    let about = fs::symlink_metadata(&path).expect("there");
    assert!(about.file_type().is_socket());
    assert_eq!(about.permissions().mode() & 0o777, 0o600);
    let left = || fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(left(), 1, "and nothing beside it");
    api.stop();
    assert_eq!(left(), 0);
    // Another file is at this path, which the server must not remove.
    let api = try_on(&path).expect("a server");
    fs::remove_file(&path).expect("removed");
    fs::write(&path, "kept").expect("written");
    api.stop();
    assert_eq!(fs::read_to_string(&path).expect("still there"), "kept");
}

#[test]
fn a_socket_left_behind_is_replaced_and_nothing_else_is() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("roost.sock");
    drop(UnixListener::bind(&path).expect("a socket"));
    assert!(path.exists(), "left behind");
    // A process that another test starts at this moment may hold it a little longer.
    until("nobody listens there", || UnixStream::connect(&path).is_err().then_some(()));
    let api = try_on(&path).expect("a server");
    assert!(ask_once(open_socket(&path), GET).0.starts_with("http/1.1 200 "));
    let why = try_on(&path).map(|_| ()).expect_err("it is in use").to_string();
    assert!(why.contains("in use, perhaps by another Roost"), "{why}");
    assert!(ask_once(open_socket(&path), GET).0.starts_with("http/1.1 200 "), "undisturbed");
    api.stop();
    let (file, away) = (folder.path().join("file"), folder.path().join("away/roost.sock"));
    fs::write(&file, "kept").expect("written");
    std::os::unix::fs::symlink(&file, folder.path().join("link")).expect("linked");
    for (path, words) in [
        (file.clone(), "is not a socket"),
        (folder.path().join("link"), "is not a socket"),
        (folder.path().to_owned(), "is not a socket"),
        (away, "away does not exist"),
        (folder.path().join("x".repeat(200)), "cannot listen on"),
    ] {
        let why = try_on(&path).map(|_| ()).expect_err("refused").to_string();
        assert!(why.contains(words) && why.contains(path.to_str().expect("text")), "{why}");
    }
    assert_eq!(fs::read_to_string(&file).expect("still there"), "kept");
}

#[test]
fn it_can_be_the_only_way_in() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("roost.sock");
    let begin = |unix: bool, tls: bool| {
        let mut setup = readable_setup();
        setup.config.no_port = true;
        setup.config.unix = unix.then(|| path.clone());
        setup.config.tls = tls.then_some(TlsOptions::Own { folder: None });
        setup.try_serve()
    };
    assert!(begin(false, false).map(|_| ()).expect_err("no way in").to_string().contains("--unix"));
    assert!(begin(true, true).map(|_| ()).expect_err("no TLS on it").to_string().contains("--tls"));
    let api = begin(true, false).expect("a server");
    assert_eq!(api.url(), "http://localhost");
    assert!(ask_once(open_socket(&path), GET).0.starts_with("http/1.1 200 "));
    let admin = AdminClient::new(&format!("unix:{}", path.display()), Some(api.token())).expect("an address");
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let worlds = runtime.block_on(async {
        admin.check_ready().await.expect("ready");
        admin.call("GET", "/worlds", None).await.expect("a response")
    });
    assert_eq!(worlds["items"][0]["base_url"], "http://localhost");
}

#[test]
fn beside_tls_it_speaks_plainly_and_http_2_as_well() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("roost.sock");
    let mut setup = readable_setup();
    setup.config.tls = Some(TlsOptions::Own { folder: None });
    setup.config.unix = Some(path.clone());
    let api = setup.serve();
    let (_, body) = ask_once(open_socket(&path), GET);
    assert_eq!(body, StreamConnection::connect_to(&api).get(LISTS).body);
    let open = {
        let path = path.clone();
        async move { tokio::net::UnixStream::connect(path).await.expect("a line") }
    };
    let streams = StreamConnection::connect_over("http://localhost", open);
    assert_eq!(streams.get(LISTS).body, body);
    drop(start_secured());
}

#[test]
fn faults_end_its_lines_too() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("roost.sock");
    let api = try_on(&path).expect("a server");
    for line in ["reset", "empty"] {
        let rule = serde_json::json!({ "effect": { "line": line }, "apply": { "first": 1 } });
        api.admin().post("/__admin/faults/rules", &rule).expect(201);
        let mut stream = open_socket(&path);
        stream.write_all(format!("{GET}\r\n\r\n").as_bytes()).expect("sent");
        let mut bytes = Vec::new();
        // Such a socket has a single kind of end, whichever was requested.
        std::io::Read::read_to_end(&mut stream, &mut bytes).expect("an end");
        assert!(bytes.is_empty(), "{line}");
    }
    until("it answers again", || ask_once(open_socket(&path), GET).0.starts_with("http/1.1 200 ").then_some(()));
}
