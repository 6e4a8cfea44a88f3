//! Several servers behind HAProxy, by the configuration among the recipes: each world is on one of them, whichever way it
//! is named, and the end of a server takes its own worlds alone.

use std::{
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use roost_tests::{Client, Spawned, until};
use serde_json::{Value, json};

const RECIPE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../src-tauri/emulator/clients/recipes/haproxy.cfg");
const TOKEN: &str = "a-token-of-all-servers";
const SERVERS: [&str; 3] = ["a", "b", "c"];
const WORLDS: usize = 300;
/// Callers at the same time.
const CALLERS: usize = 6;
const LISTS: &str = "/contacts/v1/lists/";

/// HAProxy; killed when dropped.
struct Proxy {
    child: Child,
    address: SocketAddr,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // It may have ended already; then there is nobody to kill.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn haproxy() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    let mut found = folders.map(|folder| folder.join("haproxy")).filter(|program| program.is_file());
    found.next().expect("haproxy is installed: make setup")
}

fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").and_then(|port| port.local_addr()).expect("a port")
}

impl Proxy {
    fn start(address: SocketAddr, servers: &[Spawned]) -> Self {
        let mut command = Command::new(haproxy());
        command.args(["-db", "-f"]).arg(Path::new(RECIPE)).env("ROOST_FLEET", address.to_string());
        for (name, server) in SERVERS.iter().zip(servers) {
            command.env(format!("ROOST_{}", name.to_uppercase()), server.address().to_string());
        }
        let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let proxy = Self { child: command.spawn().expect("HAProxy can be started"), address };
        until("HAProxy answers", || {
            let request = roost_tests::Request::get("/readyz");
            proxy.client().try_send(&request).ok().filter(|answer| answer.status == 200).map(drop)
        });
        proxy
    }

    fn client(&self) -> Client {
        Client::new(self.address)
    }

    fn admin(&self) -> Client {
        self.client().with_token(TOKEN)
    }
}

struct World {
    id: String,
    key: String,
    path: String,
}

impl World {
    fn make(proxy: &Proxy, options: &Value) -> Self {
        let made = proxy.admin().post("/__admin/worlds", options).expect(201).json();
        let text = |name: &str| made[name].as_str().expect("a text").to_owned();
        let (id, public) = (text("id"), format!("http://{}", proxy.address));
        assert_eq!(text("base_url"), format!("{public}/w/{id}"), "addresses lead through the proxy");
        Self { path: format!("/w/{id}"), key: text("api_key"), id }
    }

    fn server(&self) -> &str {
        self.id.split('-').next().expect("a prefix")
    }

    /// Callers of the world by its path, its host name and its key, and the path before that of an operation.
    fn ways(&self, proxy: &Proxy) -> [(Client, &str); 3] {
        let client = proxy.client();
        [
            (client.with_key("any"), &self.path),
            (client.with_key("any").with("host", format!("{}.localhost:{}", self.id, proxy.address.port())), ""),
            (client.with_key(&self.key), ""),
        ]
    }
}

/// Does something for each, several at a time.
fn for_each<T: Sync>(all: &[T], act: impl Fn(usize, &T) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..CALLERS {
            scope.spawn(|| {
                while let Some((at, one)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, all.get(at)?)))
                {
                    act(at, one);
                }
            });
        }
    });
}

#[test]
fn a_fleet_pins_its_worlds_and_loses_those_of_a_server_that_is_killed() {
    let public = free_address();
    let mut servers = SERVERS.map(|name| {
        let url = format!("http://{public}");
        let flags = ["--world-prefix", name, "--public-url", &url, "--limits", "off"];
        let started = Spawned::try_start_with(flags, &[("ROOST_ADMIN_TOKEN", TOKEN)]);
        started.unwrap_or_else(|(status, stderr)| panic!("{status}: {stderr}"))
    });
    let proxy = Proxy::start(public, &servers);

    let numbers: Vec<usize> = (0..WORLDS).collect();
    let made = std::sync::Mutex::new(Vec::new());
    for_each(&numbers, |_, number| {
        // Without a name, with one, and with one that says which server.
        let options = match number % 3 {
            0 => json!({}),
            1 => json!({ "name": format!("test-{number}") }),
            _ => json!({ "name": format!("{}-{number}", SERVERS[number / 3 % 3]) }),
        };
        let world = World::make(&proxy, &options);
        if let Some(name) = options["name"].as_str() {
            assert!(world.id.ends_with(name), "{} for {name}", world.id);
        }
        made.lock().expect("no panic").push(world);
    });
    let worlds = made.into_inner().expect("no panic");
    let count = |server: &str| worlds.iter().filter(|world| world.server() == server).count();
    assert!(SERVERS.iter().all(|server| count(server) > WORLDS / 10), "{:?}", SERVERS.map(count));

    // Each world is written to in one way and read in all of them.
    for_each(&worlds, |at, world| {
        let ways = world.ways(&proxy);
        let (client, path) = &ways[at % 3];
        client.post(format!("{path}/contacts/v1/lists/create"), &json!({ "name": world.id })).expect(200);
        for (client, path) in &ways {
            assert_eq!(client.get(format!("{path}{LISTS}")).column("name"), [world.id.as_str()]);
        }
        let shown = proxy.admin().get(format!("/__admin/worlds/{}", world.id)).ok();
        assert_eq!(shown["id"], json!(world.id));
    });

    servers[1].kill();
    let lost = AtomicUsize::new(0);
    for_each(&worlds, |at, world| {
        let (client, path) = &world.ways(&proxy)[at % 3];
        let answer = client.get(format!("{path}{LISTS}"));
        if world.server() != "b" {
            return assert_eq!(answer.column("name"), [world.id.as_str()], "the others go on");
        }
        assert_eq!((answer.status, &answer.json()["error"]["code"]), (503, &json!("world_lost")), "{}", answer.shown());
        let message = answer.json()["error"]["message"].to_string();
        assert!(message.contains(&world.id), "{message}");
        lost.fetch_add(1, Ordering::Relaxed);
    });
    assert_eq!(lost.into_inner(), count("b"));
    // New worlds are made on the servers that are left.
    for_each(&[(); 12], |_, ()| {
        let world = World::make(&proxy, &json!({}));
        assert_ne!(world.server(), "b");
        let (client, path) = &world.ways(&proxy)[0];
        assert_eq!(client.get(format!("{path}{LISTS}")).items(), [Value::Null; 0]);
    });
    let named = proxy.admin().post("/__admin/worlds", &json!({ "name": "b-again" }));
    assert_eq!(named.status, 503, "{}", named.shown());

    // A request that names no world, or an unknown one, gets an error that says so.
    let nowhere = proxy.client().with_key("any").get(LISTS);
    assert_eq!((nowhere.status, &nowhere.json()["error"]["code"]), (404, &json!("no_world")));
    let never = proxy.client().with_key("any").get(format!("/w/a-never{LISTS}"));
    assert_eq!((never.status, &never.json()["error"]["code"]), (404, &json!("unknown_world")));
    let other = proxy.client().with("host", "evil.example").get("/w/a-never/contacts/v1/lists/");
    assert_eq!(other.status, 421, "the gate judges what the proxy passes on");
}
