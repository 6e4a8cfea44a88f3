//! Refuses query parameters that a route does not have, because an ignored one may have been essential.

use roost_wire::QueryString;

use super::super::{error::AdminError, route::AdminRoute};

use crate::settings::nearest_name;

const PAGING: [&str; 2] = ["page_number", "page_size"];

/// Returns the query parameters that a route accepts.
fn known_parameters(route: &AdminRoute) -> Vec<&'static str> {
    let paging = if route.is_paged { PAGING.as_slice() } else { &[] };
    route.queries.iter().chain(paging).copied().collect()
}

/// Refuses unknown and repeated parameters.
pub(crate) fn check_query(route: &AdminRoute, query: &str) -> Result<(), AdminError> {
    let known = known_parameters(route);
    let query = QueryString::parse(query);
    for (at, name) in query.names().enumerate() {
        if !known.contains(&name) {
            let hint = match (nearest_name(name, known.iter().copied()), known.is_empty()) {
                (Some(near), _) => format!("Did you mean '{near}'?"),
                (None, true) => "This route takes no parameters.".to_owned(),
                (None, false) => format!("Parameters: {}.", known.join(", ")),
            };
            return Err(AdminError::bad_query(format!("Unknown parameter '{name}'. {hint}")));
        }
        if query.names().take(at).any(|before| before == name) {
            return Err(AdminError::bad_query(format!("Parameter '{name}' is given twice.")));
        }
    }
    Ok(())
}
