//! What the operator asks from within the process: the same acts, without a socket and without a token.

use std::{
    io::{self, Write},
    sync::Arc,
};

use bytes::Bytes;
use roost_wire::Path;

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

/// Why an act was not done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Declined {
    /// As a caller from outside would get it.
    pub status: u16,
    pub code: &'static str,
    pub message: String,
    /// What to do about it.
    pub hint: &'static str,
    /// Where in the body, as a JSON pointer.
    pub pointer: Option<String>,
}

/// As much of a text as a page can hold.
const MOST: usize = 8 * 1024 * 1024;

/// Does what a request to this method and target (a path, with its query) does, and answers its JSON: nothing where there
/// is none, and a text as JSON has it. What has no end is for callers from outside.
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
    let path = Path::parse(place);
    let mut here = admin_routes().iter().filter(|route| route.method == method);
    let found = here.find_map(|route| path.matches(route.path).map(|parameters| (route, parameters)));
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

/// A long answer, as far as it is a text that somebody can look at.
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
