//! Listening: on loopback only, unless two flags ask for more.

use std::{
    fs,
    net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, UdpSocket},
};

use roost_emulator::StartError;
use roost_tests::{Client, Setup, http::refuses_connections};

/// Returns an address by which other machines know this one, if there is one. Nothing is sent.
fn outer_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind(("0.0.0.0", 0)).ok()?;
    socket.connect(("192.0.2.1", 9)).ok()?;
    Some(socket.local_addr().ok()?.ip()).filter(|ip| !ip.is_loopback() && !ip.is_unspecified())
}

/// Proves: D1, G3_2_1, G3_2_12.
#[test]
fn nobody_gets_in_by_an_address_that_is_not_loopback() {
    let api = Setup::new().serve();
    let port = api.address().port();
    assert!(api.address().ip().is_loopback());
    // A server that listens on every address would also answer here.
    assert!(refuses_connections(SocketAddr::from((Ipv4Addr::new(127, 0, 0, 2), port))));
    if let Some(outer) = outer_address() {
        assert!(refuses_connections(SocketAddr::new(outer, port)), "{outer}:{port} answers");
    }
    let listening = |table: &str| {
        let text = fs::read_to_string(table).unwrap_or_default();
        let own = format!(":{port:04X}");
        let lines = text.lines().filter_map(|line| line.split_whitespace().nth(1).zip(line.split_whitespace().nth(3)));
        lines
            .filter(|(local, state)| local.ends_with(&own) && *state == "0A")
            .map(|(local, _)| local.to_owned())
            .collect::<Vec<_>>()
    };
    for local in [listening("/proc/net/tcp"), listening("/proc/net/tcp6")].concat() {
        let loopback = ["0100007F:", "00000000000000000000000001000000:"];
        assert!(loopback.iter().any(|ip| local.starts_with(ip)), "listens on {local}");
    }
}

/// Proves: G3_2_1.
#[test]
fn the_reported_address_is_the_one_of_the_socket() {
    let api = Setup::new().serve();
    assert_ne!(api.address().port(), 0);
    assert_eq!(api.url(), format!("http://{}", api.address()));
    let mut setup = Setup::new();
    setup.config.bind = Some(Ipv4Addr::new(127, 0, 0, 3).into());
    let api = setup.serve();
    assert_eq!(api.url(), format!("http://127.0.0.3:{}", api.address().port()));
    api.get("/contacts/v1/lists/").expect(200);
}

/// Proves: G3_2_1.
#[test]
fn a_wide_bind_needs_two_flags_and_keys() {
    let wide = |is_reachable: bool, setup: Setup| {
        let mut setup = setup;
        setup.config.bind = Some(Ipv4Addr::UNSPECIFIED.into());
        setup.config.is_reachable = is_reachable;
        setup.try_serve()
    };
    assert!(matches!(wide(false, Setup::new()), Err(StartError::Reachable(_))));
    assert!(matches!(
        wide(false, Setup::new().set("auth", "keys").set("auth.keys", "a-key")),
        Err(StartError::Reachable(_))
    ));
    for auth in ["any", "off", "keys"] {
        assert!(matches!(wide(true, Setup::new().set("auth", auth)), Err(StartError::NeedsKeys(_))), "{auth}");
    }
    assert!(wide(true, Setup::new().set("auth", "keys").set("auth.keys", "a-key")).is_ok());
}

/// Proves: G3_2_1.
#[test]
fn a_wide_bind_still_knows_its_own_names_only() {
    let mut setup = Setup::new().set("auth", "keys").set("auth.keys", "a-key");
    setup.config.bind = Some(Ipv4Addr::UNSPECIFIED.into());
    setup.config.is_reachable = true;
    let api = setup.serve();
    let port = api.address().port();
    let near = Client::new(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    near.get("/contacts/v1/lists/").expect(200);
    near.with_key("x").get("/contacts/v1/lists/").expect(401);
    near.with("host", format!("evil.example:{port}")).get("/contacts/v1/lists/").expect(421);
}

/// Proves: G3_2_1.
#[test]
fn a_taken_port_is_reported() {
    let taken = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let port = taken.local_addr().expect("an address").port();
    let mut setup = Setup::new();
    setup.config.port = port;
    let Err(error) = setup.try_serve() else { panic!("{port} was taken") };
    assert!(matches!(error, StartError::PortTaken(address) if address.port() == port), "{error}");
    assert!(error.to_string().contains("--port"), "it says what to do: {error}");
}
