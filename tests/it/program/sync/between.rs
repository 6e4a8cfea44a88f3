//! A proxy between a client and a service that changes the client's requests, so that the service refuses some.

use std::{
    io::{self, BufRead, BufReader, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::Arc,
    thread,
};

type BendRequest = dyn Fn(&str) -> String + Send + Sync;

/// Starts the proxy and returns its address. It runs until the tests' process ends.
pub(super) fn start_proxy(service: SocketAddr, bend: impl Fn(&str) -> String + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let bend: Arc<BendRequest> = Arc::new(bend);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let bend = Arc::clone(&bend);
            // A client that hangs up early is not an error of the proxy.
            thread::spawn(move || drop(forward_connection(&stream, service, &*bend)));
        }
    });
    url
}

/// A request as the client sent it, except for its host and its length.
pub(super) struct ProxiedRequest {
    pub head: String,
    pub body: Vec<u8>,
}

impl ProxiedRequest {
    pub(super) fn read(from: &mut impl BufRead, service: SocketAddr) -> io::Result<Self> {
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            from.read_line(&mut line)?;
            let (name, value) = line.split_once(':').unwrap_or((line.trim(), ""));
            match name.to_ascii_lowercase().as_str() {
                "" => break,
                "content-length" => length = value.trim().parse().unwrap_or(0),
                "connection" => {}
                "host" => head += &format!("Host: {service}\r\n"),
                _ => head += &line,
            }
        }
        let mut body = vec![0; length];
        from.read_exact(&mut body)?;
        Ok(Self { head, body })
    }

    /// Sends it to the service and returns the response, then closes both connections.
    pub(super) fn forward(&self, service: SocketAddr, mut client: &TcpStream) -> io::Result<()> {
        let mut to = TcpStream::connect(service)?;
        write!(to, "{}Content-Length: {}\r\nConnection: close\r\n\r\n", self.head, self.body.len())?;
        to.write_all(&self.body)?;
        io::copy(&mut to, &mut client)?;
        Ok(())
    }
}

fn forward_connection(client: &TcpStream, service: SocketAddr, bend: &BendRequest) -> io::Result<()> {
    let mut request = ProxiedRequest::read(&mut BufReader::new(client), service)?;
    request.body = bend(&String::from_utf8_lossy(&request.body)).into_bytes();
    request.forward(service, client)
}
