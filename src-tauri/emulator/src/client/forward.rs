//! Forwards the calls of a server's receiver to a program on this machine.

use roost_outbound::{CallFailure, CallbackClient, PostRequest};

use super::{ClientError, InterfaceClient};

/// Forwards calls to one address.
pub struct CallForwarder {
    outbound: CallbackClient,
    url: String,
}

/// Headers that the forwarded call sets itself.
const OWN_HEADERS: [&str; 7] =
    ["host", "content-type", "content-length", "transfer-encoding", "connection", "user-agent", "expect"];

impl CallForwarder {
    /// Returns `None` if the address belongs to another machine.
    pub fn new(url: &str) -> Result<Option<Self>, ClientError> {
        let is_here = InterfaceClient::new(url, "none")?.is_this_machine();
        Ok(is_here.then(|| Self { outbound: CallbackClient::default(), url: url.to_owned() }))
    }

    /// Posts a call once and returns the status of the response.
    pub async fn forward_call(&self, headers: &[(String, String)], body: &str) -> Result<u16, CallFailure> {
        let is_own = |name: &str| OWN_HEADERS.iter().any(|own| own.eq_ignore_ascii_case(name));
        let given = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        let content_type = given.map_or("application/json", |(_, value)| value.as_str());
        let headers: Vec<_> = headers.iter().filter(|(name, _)| !is_own(name)).cloned().collect();
        let post = PostRequest { body, content_type, headers: &headers, ..PostRequest::empty_json(&self.url) };
        self.outbound.post(post).await.result.map(|answer| answer.status)
    }
}
