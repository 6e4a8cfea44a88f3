//! A minimal client that keeps a connection busy, so that the server is the bottleneck.

use std::{
    error::Error,
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// The answers per second, and the time within which 99 % of them arrived.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LoadFigures {
    pub per_second: f64,
    pub p99_ms: f64,
}

pub(crate) fn get_request(address: &str, path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nX-AUTH-KEY: bench\r\n\r\n").into_bytes()
}

pub(crate) fn post_request(address: &str, path: &str, body: &str) -> Vec<u8> {
    format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nX-AUTH-KEY: bench\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// Returns a request of the operator.
pub(crate) fn operator_request(address: &str, token: &str, path: &str, body: &str) -> Vec<u8> {
    format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

pub(crate) struct BenchConnection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl BenchConnection {
    pub(crate) async fn open(address: &str) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(256 * 1024) })
    }

    /// Sends one request and reads its whole response: status and body.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> Result<(u16, &[u8]), Box<dyn Error + Send + Sync>> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        let head_end = loop {
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                return Err("the server closed the connection".into());
            }
            if let Some(at) = self.buffer.windows(4).position(|w| w == b"\r\n\r\n") {
                break at + 4;
            }
        };
        let head = std::str::from_utf8(&self.buffer[..head_end])?;
        let status: u16 = head.get(9..12).ok_or("no status")?.parse()?;
        let length: usize = head
            .lines()
            .find_map(|line| line.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("content-length")))
            .ok_or("no content-length")?
            .1
            .trim()
            .parse()?;
        while self.buffer.len() < head_end + length {
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                return Err("the answer was cut off".into());
            }
        }
        Ok((status, &self.buffer[head_end..head_end + length]))
    }
}

/// Whether a server may answer from its cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CachePolicy {
    TheSame,
    /// Each request differs in a parameter without meaning, so no cached response matches.
    Anew,
}

/// Reads a path on `connections` connections for `time`.
pub(crate) async fn measure_load(
    address: &str,
    path: &str,
    asking: CachePolicy,
    connections: usize,
    time: Duration,
) -> Result<LoadFigures, Box<dyn Error + Send + Sync>> {
    let sign = if path.contains('?') { '&' } else { '?' };
    let (own, path) = (address.to_owned(), path.to_owned());
    let request = move |worker: usize, n: usize| match asking {
        CachePolicy::TheSame => get_request(&own, &path),
        CachePolicy::Anew => get_request(&own, &format!("{path}{sign}n={worker}.{n}")),
    };
    measure_requests(address, request, connections, time).await
}

/// Sends the requests that `request` makes for each connection and number, on `connections` connections for `time`.
pub(crate) async fn measure_requests(
    address: &str,
    request: impl Fn(usize, usize) -> Vec<u8> + Clone + Send + 'static,
    connections: usize,
    time: Duration,
) -> Result<LoadFigures, Box<dyn Error + Send + Sync>> {
    let begin = Instant::now();
    let workers: Vec<_> = (0..connections)
        .map(|worker| {
            let (address, request) = (address.to_owned(), request.clone());
            tokio::spawn(async move {
                let mut connection = BenchConnection::open(&address).await?;
                let mut times = Vec::new();
                while begin.elapsed() < time {
                    let request = request(worker, times.len());
                    let sent = Instant::now();
                    let (status, _) = connection.exchange(&request).await?;
                    if status != 200 {
                        return Err(format!("status {status}").into());
                    }
                    times.push(sent.elapsed().as_secs_f64() * 1_000.0);
                }
                Ok::<_, Box<dyn Error + Send + Sync>>(times)
            })
        })
        .collect();
    let mut times = Vec::new();
    for worker in workers {
        times.extend(worker.await??);
    }
    let seconds = begin.elapsed().as_secs_f64();
    times.sort_by(f64::total_cmp);
    let p99_ms = times.get(times.len() * 99 / 100).copied().unwrap_or(f64::NAN);
    Ok(LoadFigures { per_second: times.len() as f64 / seconds, p99_ms })
}

/// Sends `wanted` requests, or as many as fit in `most`, and returns their number.
pub(crate) async fn count_answers(
    address: &str,
    path: &str,
    connections: u64,
    wanted: u64,
    most: Duration,
) -> Result<u64, Box<dyn Error + Send + Sync>> {
    let begin = Instant::now();
    let workers: Vec<_> = (0..connections)
        .map(|_| {
            let (address, request) = (address.to_owned(), get_request(address, path));
            tokio::spawn(async move {
                let mut connection = BenchConnection::open(&address).await?;
                let mut done = 0;
                while done < wanted / connections && begin.elapsed() < most {
                    let (status, _) = connection.exchange(&request).await?;
                    if status != 200 {
                        return Err(format!("status {status}").into());
                    }
                    done += 1;
                }
                Ok::<_, Box<dyn Error + Send + Sync>>(done)
            })
        })
        .collect();
    let mut done = 0;
    for worker in workers {
        done += worker.await??;
    }
    Ok(done)
}
