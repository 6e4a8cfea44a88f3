//! A request of which only the beginning has been sent.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
};

const INTERIM: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// A server reads it and waits for the rest of its body.
#[derive(Debug)]
pub struct PartialRequest {
    stream: TcpStream,
    rest: Vec<u8>,
}

impl PartialRequest {
    /// Begins to create a list, and returns when the server has asked for the body: no other sign proves that the
    /// server has begun with this request.
    ///
    /// # Panics
    ///
    /// When the server does not ask for the body.
    pub fn create_list(server: SocketAddr, name: &str) -> Self {
        let body = serde_json::json!({ "name": name }).to_string().into_bytes();
        let mut stream = TcpStream::connect(server).expect("a connection");
        write!(
            stream,
            "POST /contacts/v1/lists/create HTTP/1.1\r\nhost: localhost\r\nx-auth-key: k\r\n\
             expect: 100-continue\r\ncontent-length: {}\r\n\r\n",
            body.len()
        )
        .expect("a head");
        let mut interim = vec![0; INTERIM.len()];
        stream.read_exact(&mut interim).expect("an interim answer");
        assert_eq!(interim, INTERIM);
        let (first, rest) = body.split_at(body.len() / 2);
        stream.write_all(first).expect("half of the body");
        Self { stream, rest: rest.to_vec() }
    }

    /// Sends the rest, and gives the whole answer.
    ///
    /// # Panics
    ///
    /// When the server closes the connection before it has answered.
    pub fn complete(mut self) -> String {
        self.stream.write_all(&self.rest).expect("the rest of the body");
        let mut answer = String::new();
        self.stream.read_to_string(&mut answer).expect("an answer");
        answer
    }
}
