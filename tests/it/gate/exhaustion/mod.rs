//! Exhaustion. Each resource that callers may hold is pushed to ten times its bound, while other callers must still get
//! answers.

mod attacks;

use std::{
    fs,
    io::{self, ErrorKind, Read, Write},
    net::{SocketAddr, TcpStream},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use roost_tests::{Client, Spawned, spawned::binary};
use rustls::ClientConfig;
use serde_json::json;

use super::{holding::memory_mib, mixed_load::soak_time};
use crate::transport::doors::{shake_hands, trusting_config};

const CONNECTIONS: usize = 128;
const BODY_BYTES: usize = 80 << 20;
const ANSWER_BYTES: usize = 24 << 20;
const QUERY_BYTES: usize = 32 << 20;
const WORLDS: usize = 50;
/// The memory that a server may use beyond its initial use.
const MEMORY_MIB: u64 = 200;
/// The minimum number of response times.
const LEAST: usize = 20;
/// The time within which the server gives up waiting work.
const REST: Duration = Duration::from_secs(5);
/// The time that other callers wait for an answer before the test fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// The duration of an attack, and the limits for other callers meanwhile.
#[derive(Clone, Copy)]
struct AttackTerms {
    /// The time in which allocator, caches and threads reach their final size.
    warms: Duration,
    lasts: Duration,
    /// The share of answers that must arrive in time.
    percent: usize,
    health: Duration,
    write: Duration,
    /// The memory that the server may keep beyond a fifth of its earlier use.
    grace_mib: u64,
}

/// The terms for a busy machine and a server that has not done anything yet.
const SHORT: AttackTerms = AttackTerms {
    warms: Duration::ZERO,
    lasts: Duration::from_secs(1),
    percent: 50,
    health: Duration::from_secs(2),
    write: Duration::from_secs(2),
    grace_mib: 40,
};
const LONG: AttackTerms = AttackTerms {
    warms: Duration::from_secs(10),
    lasts: Duration::from_secs(60),
    percent: 99,
    health: Duration::from_millis(100),
    write: Duration::from_secs(1),
    grace_mib: 0,
};

type Attack = fn(&AttackTarget, &AttackState);

const ATTACKS: [(&str, Attack); 10] = [
    ("readers", attacks::attack_with_readers),
    ("bodies", attacks::attack_with_bodies),
    ("heads", attacks::attack_with_heads),
    ("handshakes", attacks::attack_with_handshakes),
    ("streams", attacks::attack_with_streams),
    ("unread", attacks::attack_with_unread_answers),
    ("worlds", attacks::attack_with_worlds),
    ("callbacks", attacks::attack_with_callbacks),
    ("connections", attacks::attack_with_connections),
    ("queries", attacks::attack_with_queries),
];

/// Proves: G3_2_8.
#[test]
fn others_get_answers_while_readers_do_not_read() {
    assert_withstands("readers", attacks::attack_with_readers);
}

/// Proves: G3_2_8.
#[test]
fn others_get_answers_while_bodies_do_not_end() {
    assert_withstands("bodies", attacks::attack_with_bodies);
}

/// Proves: G3_2_8.
#[test]
fn others_get_answers_while_heads_do_not_end() {
    assert_withstands("heads", attacks::attack_with_heads);
}

/// Proves: G3_2_8.
#[test]
fn others_get_answers_while_handshakes_do_not_end() {
    assert_withstands("handshakes", attacks::attack_with_handshakes);
}

/// Proves: G3_2_8.
#[test]
fn others_get_answers_while_streams_are_opened() {
    assert_withstands("streams", attacks::attack_with_streams);
}

/// Proves: G3_2_8.
#[test]
fn others_get_answers_while_open_paths_are_asked_for_and_not_read() {
    assert_withstands("unread", attacks::attack_with_unread_answers);
}

/// Proves: G3_2_8.
#[test]
fn others_get_answers_while_worlds_are_made() {
    assert_withstands("worlds", attacks::attack_with_worlds);
}

/// Proves: G3_2_8.
#[test]
fn others_get_answers_while_callbacks_get_no_answer() {
    assert_withstands("callbacks", attacks::attack_with_callbacks);
}

/// Proves: G3_2_8.
#[test]
fn others_get_answers_while_connections_are_held() {
    assert_withstands("connections", attacks::attack_with_connections);
}

/// Proves: G3_2_8.
#[test]
fn others_get_answers_while_the_journal_is_queried() {
    assert_withstands("queries", attacks::attack_with_queries);
}

#[test]
#[ignore = "make soak runs it"]
fn every_bound_holds_for_a_minute() {
    let terms = AttackTerms { lasts: soak_time(LONG.lasts), ..LONG };
    let (figures, faults): (String, Vec<Vec<String>>) =
        ATTACKS.iter().map(|(name, attack)| measure_attack(name, *attack, terms)).unzip();
    let target = binary().parent().and_then(Path::parent).expect("a folder").join("exhaustion.txt");
    fs::write(target, figures).expect("written");
    assert_eq!(faults.concat(), [""; 0]);
}

/// The state of a running attack.
#[derive(Default)]
struct AttackState {
    is_near: AtomicBool,
    /// How often every bound was exceeded so far.
    waves: AtomicUsize,
}

impl AttackState {
    fn is_near(&self) -> bool {
        self.is_near.load(Ordering::Acquire)
    }

    /// Holds everything for a while or until the end.
    fn hold_until_end(&self, most: Duration) {
        self.waves.fetch_add(1, Ordering::AcqRel);
        self.pause_until_end(most);
    }

    fn pause_until_end(&self, most: Duration) {
        let begun = Instant::now();
        while begun.elapsed() < most && !self.is_near() {
            thread::sleep(Duration::from_millis(10).min(most));
        }
    }
}

/// Ends an attack when it is dropped.
struct OnDrop<'e>(&'e AttackState);

impl Drop for OnDrop<'_> {
    fn drop(&mut self) {
        self.0.is_near.store(true, Ordering::Release);
    }
}

struct AttackTarget {
    server: Spawned,
    address: SocketAddr,
    tls: Option<Arc<ClientConfig>>,
}

impl AttackTarget {
    fn start(attack: &str) -> Self {
        let bounds = [
            ("connections", CONNECTIONS),
            ("body-bytes", BODY_BYTES),
            ("answer-bytes", ANSWER_BYTES),
            ("query-bytes", QUERY_BYTES),
            ("worlds", WORLDS),
        ];
        let mut args: Vec<String> = ["--limits", "off", "--journal", "on"].map(str::to_owned).to_vec();
        for (name, most) in bounds {
            args.extend(["--bound".to_owned(), format!("{name}={most}")]);
        }
        let folder = tempfile::TempDir::new().expect("a folder");
        if attack == "handshakes" {
            args.extend(["--tls".to_owned(), "self".to_owned(), "--tls-dir".to_owned()]);
            args.push(folder.path().to_str().expect("text").to_owned());
        }
        if attack == "queries" {
            // A journal that has dropped requests refuses to count them, which takes no time.
            args.extend(["--journal-lines", "100000"].map(str::to_owned));
        }
        let server = Spawned::start(args);
        let url = server.url().trim_end_matches('/').to_owned();
        let address = url.rsplit('/').next().and_then(|host| host.parse().ok()).expect("an address");
        let tls = server.ready()["ca"]
            .as_str()
            .map(|path| trusting_config(&fs::read_to_string(path).expect("an authority"), &[b"http/1.1"]));
        Self { server, address, tls }
    }

    /// Sends a request on its own connection and returns the status. If the connection is closed before the answer, it
    /// is opened again. If the answer says to retry later, the request is repeated. Both count as waiting.
    fn send_once(&self, head: &str, body: &str) -> u16 {
        let begun = Instant::now();
        loop {
            match self.ask_once(head, body) {
                Ok(503) | Err(_) if begun.elapsed() < PATIENCE => thread::sleep(Duration::from_millis(5)),
                Ok(status) => return status,
                Err(why) => panic!("no answer to {head}: {why}"),
            }
        }
    }

    fn ask_once(&self, head: &str, body: &str) -> io::Result<u16> {
        let length = body.len();
        let request = format!(
            "{head} HTTP/1.1\r\nhost: localhost\r\nx-auth-key: k\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\nconnection: close\r\n\r\n{body}"
        );
        match &self.tls {
            Some(config) => exchange_on(shake_hands(self.address, "localhost", config)?, &request),
            None => {
                let line = TcpStream::connect(self.address)?;
                line.set_read_timeout(Some(PATIENCE))?;
                exchange_on(line, &request)
            }
        }
    }

    fn new_client(&self) -> Client {
        Client::new(self.address).with_token(self.server.admin_token())
    }

    fn open(&self) -> Option<TcpStream> {
        let line = TcpStream::connect_timeout(&self.address, Duration::from_secs(1)).ok()?;
        line.set_nonblocking(true).ok()?;
        Some(line)
    }

    fn memory_mib(&self) -> u64 {
        memory_mib(&self.server, "VmRSS:")
    }
}

fn exchange_on(mut line: impl Read + Write, request: &str) -> io::Result<u16> {
    line.write_all(request.as_bytes())?;
    let mut start = [0; 12];
    line.read_exact(&mut start)?;
    let status = std::str::from_utf8(&start[9..]).ok().and_then(|status| status.parse().ok());
    status.ok_or_else(|| io::Error::new(ErrorKind::InvalidData, String::from_utf8_lossy(&start).into_owned()))
}

/// The waiting times of other callers, and the highest memory use.
#[derive(Default)]
struct AttackFigures {
    health: Vec<Duration>,
    write: Vec<Duration>,
    memory: u64,
}

/// Returns the time that this share of the times does not exceed.
fn time_percentile(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    times[(times.len() * percent / 100).min(times.len() - 1)]
}

/// Returns the figures and the limits that they break.
fn measure_attack(name: &str, attack: Attack, terms: AttackTerms) -> (String, Vec<String>) {
    let target = AttackTarget::start(name);
    if name == "readers" {
        attacks::fill_list(&target);
    }
    for n in 0..20 {
        assert_eq!(create_list(&target, &format!("Before {n}")), 200);
    }
    let cold = target.memory_mib();
    if !terms.warms.is_zero() {
        press_during(&target, name, attack, terms.warms);
        thread::sleep(REST);
    }
    let before = target.memory_mib();
    let AttackFigures { mut health, mut write, memory } = press_during(&target, name, attack, terms.lasts);
    let most = before + before / 5 + terms.grace_mib;
    let after = wait_for_memory(&target, most);
    let [in_time, longest] =
        [terms.percent, 100].map(|share_of| [&mut health, &mut write].map(|all| time_percentile(all, share_of)));
    let AttackTerms { percent, .. } = terms;
    let line = format!(
        "{name}: {} times, health and write within {in_time:?} in {percent} %, {longest:?} at most; \
         {cold} MiB, {before} when warm, {memory} at most, {after} after it\n",
        health.len()
    );
    io::stderr().write_all(line.as_bytes()).expect("written");
    let checks = [
        (in_time[0] <= terms.health, format!("{name}: a health check took {:?}", in_time[0])),
        (in_time[1] <= terms.write, format!("{name}: a write took {:?}", in_time[1])),
        (memory <= cold + MEMORY_MIB, format!("{name}: {memory} MiB, {cold} at first")),
        (after <= most, format!("{name}: {after} MiB after it, {before} before")),
    ];
    (line, checks.into_iter().filter(|(holds, _)| !holds).map(|(_, fault)| fault).collect())
}

fn assert_withstands(name: &str, attack: Attack) {
    let (_, faults) = measure_attack(name, attack, SHORT);
    assert_eq!(faults, [""; 0]);
}

/// Sends requests as other callers do during an attack.
fn press_during(target: &AttackTarget, name: &str, attack: Attack, lasts: Duration) -> AttackFigures {
    let end = AttackState::default();
    thread::scope(|scope| {
        let attacker = scope.spawn(|| attack(target, &end));
        // This also ends the attack when one of the checks below fails.
        let ends = OnDrop(&end);
        let mut figures = AttackFigures::default();
        let (mut count, begun) = (0, Instant::now());
        let is_enough = |count| count >= LEAST && end.waves.load(Ordering::Acquire) > 0 && begun.elapsed() >= lasts;
        while !is_enough(count) && !attacker.is_finished() {
            figures.health.push(time_of(|| {
                assert_eq!(target.send_once("GET /livez", ""), 200, "{name}: a health check");
            }));
            figures.write.push(time_of(|| {
                assert_eq!(create_list(target, &format!("List {count}")), 200, "{name}: a write");
            }));
            figures.memory = figures.memory.max(target.memory_mib());
            count += 1;
            thread::sleep(Duration::from_millis(20));
        }
        drop(ends);
        attacker.join().expect("the attack ends");
        figures
    })
}

/// Waits until the memory use falls to the limit, for a bounded time, and returns it.
fn wait_for_memory(target: &AttackTarget, most: u64) -> u64 {
    let begun = Instant::now();
    while target.memory_mib() > most && begun.elapsed() < Duration::from_secs(30) {
        thread::sleep(Duration::from_millis(100));
    }
    target.memory_mib()
}

fn time_of(act: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    act();
    begun.elapsed()
}

fn create_list(target: &AttackTarget, name: &str) -> u16 {
    target.send_once("POST /contacts/v1/lists/create", &json!({ "name": name }).to_string())
}
