//! Runs the acts of the admin interface from within the process, without a socket and without a token.

use std::{
    io::{self, Write},
    sync::Arc,
};

use bytes::Bytes;
use roost_wire::RequestPath;

use super::{
    Ended, acted, admin_routes, meant,
    refused::Refused,
    route::{Act, Asked, Place, StreamAct, Whole},
    table,
};
use crate::{
    access::Scope,
    door::{CalledAt, Visit},
    world::{Held, Host, Pass},
};

/// The reason why an act was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Declined {
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
const MOST: usize = 8 * 1024 * 1024;

/// Runs the act of a method and a target (a path with its query) and returns the JSON of the response: nothing if there
/// is none, and a string for a text. Endless streams are only for callers from outside.
pub async fn operate(host: &Arc<Host>, method: &str, target: &str, body: Bytes) -> Result<Vec<u8>, Declined> {
    match operated(host, method, target, body).await {
        Ok(written) => Ok(written),
        Err(Ended::Refused(refused)) => Err(refused.declined()),
        Err(Ended::Closed) => {
            let told = "The world was reset or removed meanwhile.";
            Err(Refused::conflict("conflict", told, "Retry.").declined())
        }
    }
}

async fn operated(host: &Arc<Host>, method: &str, target: &str, body: Bytes) -> Result<Vec<u8>, Ended> {
    let (place, query) = target.split_once('?').unwrap_or((target, ""));
    let path = RequestPath::parse(place);
    let mut here = admin_routes().iter().filter(|route| route.method == method);
    let found = here.find_map(|route| path.match_template(route.path).map(|parameters| (route, parameters)));
    let (route, parameters) = found.ok_or_else(Refused::unknown_path)?;
    let mut parameters = parameters.into_iter();
    let named = if route.place == Place::Within { parameters.next() } else { None };
    let world = meant(host, host.worlds.default_world(), route.place, named, Some(Scope::Host))?;
    let _held = Held::new(world.clone());
    table::queries::check(route, query)?;
    let parameters = parameters.map(str::to_owned).collect();
    let asked = Asked {
        parameters,
        query: query.to_owned(),
        body: body.into(),
        last_event_id: None,
        called_at: CalledAt::default(),
    };
    match &route.act {
        Act::Json(act) => acted(route, act.clone(), world, asked).await,
        Act::Whole(act) => Ok(act(Whole { host: host.clone(), world, asked }).await?),
        Act::Stream(act) => Ok(text(*act, Visit::of_onlooker(Pass::enter(world).await), asked).await?),
        Act::Answers(_) => Err(Refused::unknown_path().into()),
    }
}

/// Runs an act with a long response and returns the text as a JSON string. Binary responses are refused.
async fn text(act: StreamAct, visit: Visit, asked: Asked) -> Result<Vec<u8>, Refused> {
    let made = tokio::task::spawn_blocking(move || {
        let mut page = Page(Vec::new());
        act(&visit, &asked, &mut page).map(|_| page.0)
    });
    let written = made.await.map_err(|_| Refused::internal())??;
    let text = String::from_utf8(written).map_err(|_| {
        Refused::bad_query(
            "This response is not text, so it cannot be shown \
         here. Fetch it with curl.",
        )
    })?;
    Ok(roost_wire::paging::to_bytes(&text))
}

/// A buffer that refuses more than [`MOST`] bytes.
struct Page(Vec<u8>);

impl Write for Page {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        if self.0.len() + piece.len() > MOST {
            return Err(io::Error::other("the response is larger than 8 MiB; fetch it with the curl command"));
        }
        self.0.extend_from_slice(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
