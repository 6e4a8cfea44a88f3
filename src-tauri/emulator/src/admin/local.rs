//! Runs the acts of the admin interface from within the process, without a socket and without a token.

use std::{
    io::{self, Write},
    sync::Arc,
};

use bytes::Bytes;
use roost_wire::RequestPath;

use super::{
    ActFailure, admin_routes,
    error::AdminError,
    resolve_world,
    route::{AdminAct, AdminRequest, HostRequest, RouteSubject, StreamAct},
    rules::warnings::ChangeWarnings,
    run_json_act, table,
};
use crate::{
    access::TokenScope,
    door::{CalledAt, WorldVisit},
    world::{Host, UseGuard, WorldPass},
};

/// The reason why an act was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct AdminRefusal {
    /// The status that a caller from outside would receive.
    pub status: u16,
    pub code: &'static str,
    pub message: String,
    /// What to do about it.
    pub hint: &'static str,
    /// The place in the body, as a JSON pointer.
    pub pointer: Option<String>,
}

/// The longest text that a page can show.
const MAX_TEXT: usize = 8 * 1024 * 1024;

/// Runs the act of a method and a target (a path with its query) and returns the JSON of the response: nothing if there
/// is none, and a string for a text. Endless streams are only for callers from outside.
pub(crate) async fn run_local_request(
    host: &Arc<Host>,
    method: &str,
    target: &str,
    body: Bytes,
) -> Result<Vec<u8>, AdminRefusal> {
    match route_local_request(host, method, target, body).await {
        Ok(written) => Ok(written),
        Err(ActFailure::Refused(refused)) => Err(refused.into_refusal()),
        Err(ActFailure::Closed) => {
            let message = "The world was reset or removed meanwhile.";
            Err(AdminError::conflict("conflict", message, "Retry.").into_refusal())
        }
    }
}

async fn route_local_request(host: &Arc<Host>, method: &str, target: &str, body: Bytes) -> Result<Vec<u8>, ActFailure> {
    let (place, query) = target.split_once('?').unwrap_or((target, ""));
    let path = RequestPath::parse(place);
    let mut candidates = admin_routes().iter().filter(|route| route.method == method);
    let found = candidates.find_map(|route| path.match_template(route.path).map(|parameters| (route, parameters)));
    let (route, parameters) = found.ok_or_else(AdminError::unknown_path)?;
    let mut parameters = parameters.into_iter();
    let named = if route.subject == RouteSubject::NamedWorld { parameters.next() } else { None };
    let world = resolve_world(host, host.worlds.default_world(), route.subject, named, Some(TokenScope::Host))?;
    let _held = UseGuard::new(world.clone());
    table::queries::check_query(route, query)?;
    let parameters = parameters.map(str::to_owned).collect();
    let request = AdminRequest {
        parameters,
        query: query.to_owned(),
        body: body.into(),
        last_event_id: None,
        called_at: CalledAt::default(),
        warnings: ChangeWarnings::default(),
    };
    match &route.act {
        AdminAct::Json(act) => run_json_act(route, act.clone(), world, request).await,
        AdminAct::Host(act) => Ok(act(HostRequest { host: host.clone(), world, request }).await?),
        AdminAct::Stream(act) => {
            Ok(read_text_response(*act, WorldVisit::for_reading(WorldPass::enter(world).await), request).await?)
        }
        AdminAct::Response(_) => Err(AdminError::unknown_path().into()),
    }
}

/// Runs an act with a long response and returns the text as a JSON string. Binary responses are refused.
async fn read_text_response(act: StreamAct, visit: WorldVisit, request: AdminRequest) -> Result<Vec<u8>, AdminError> {
    let work = tokio::task::spawn_blocking(move || {
        let mut page = BoundedText(Vec::new());
        act(&visit, &request, &mut page).map(|_| page.0)
    });
    let written = work.await.map_err(|_| AdminError::internal())??;
    let text = String::from_utf8(written).map_err(|_| {
        AdminError::bad_query(
            "This response is not text, so it cannot be shown \
         here. Fetch it with curl.",
        )
    })?;
    Ok(roost_wire::paging::to_bytes(&text))
}

/// A buffer that refuses more than [`MAX_TEXT`] bytes.
struct BoundedText(Vec<u8>);

impl Write for BoundedText {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        if self.0.len() + piece.len() > MAX_TEXT {
            return Err(io::Error::other("the response is larger than 8 MiB; fetch it with the curl command"));
        }
        self.0.extend_from_slice(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
