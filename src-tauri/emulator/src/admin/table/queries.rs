//! Refuses query parameters that a route does not have, because an ignored one may have been essential.

use roost_wire::QueryString;

use super::super::{
    refused::{Refused, nearest},
    route::AdminRoute,
};

const PAGING: [&str; 2] = ["page_number", "page_size"];

/// Returns the query parameters that a route accepts.
fn known(route: &AdminRoute) -> Vec<&'static str> {
    let paging = if route.is_paged { PAGING.as_slice() } else { &[] };
    route.queries.iter().chain(paging).copied().collect()
}

/// Refuses unknown and repeated parameters.
pub fn check(route: &AdminRoute, query: &str) -> Result<(), Refused> {
    let known = known(route);
    let query = QueryString::parse(query);
    for (at, name) in query.names().enumerate() {
        if !known.contains(&name) {
            let told = match (nearest(name, known.iter().copied()), known.is_empty()) {
                (Some(near), _) => format!("Did you mean '{near}'?"),
                (None, true) => "This route takes no parameters.".to_owned(),
                (None, false) => format!("Parameters: {}.", known.join(", ")),
            };
            return Err(Refused::bad_query(format!("Unknown parameter '{name}'. {told}")));
        }
        if query.names().take(at).any(|before| before == name) {
            return Err(Refused::bad_query(format!("Parameter '{name}' is given twice.")));
        }
    }
    Ok(())
}
