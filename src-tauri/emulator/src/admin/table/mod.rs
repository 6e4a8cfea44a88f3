//! The one table of admin routes. The router, the document and the tests of the gate are built from it.

mod account;
mod clock;
mod faults;
mod host;
mod journal;
pub(super) mod queries;
mod state;
mod work;

use std::sync::{Arc, LazyLock};

use super::{
    error::AdminError,
    route::{AdminAct, AdminRoute},
};

/// Returns every route of the admin interface.
pub fn admin_routes() -> &'static [AdminRoute] {
    static ROUTES: LazyLock<Vec<AdminRoute>> = LazyLock::new(|| {
        let mut routes: Vec<_> = [
            host::routes(),
            state::routes(),
            account::routes(),
            work::routes(),
            clock::routes(),
            faults::routes(),
            journal::routes(),
        ]
        .into_iter()
        .flatten()
        .collect();
        // Every route of a world exists twice: for the world of the token, and for a named one.
        let within: Vec<_> = routes.iter().filter_map(AdminRoute::for_named_world).collect();
        routes.extend(within);
        routes
    });
    &ROUTES
}

/// Fences a route that changes state outside the account, where no fence of the database refuses a handle of an earlier
/// epoch.
fn fence_route(route: AdminRoute) -> AdminRoute {
    let act = match route.act {
        AdminAct::Json(act) => AdminAct::Json(Arc::new(move |visit, request| {
            // A late request gets no response at all, so this error is never sent.
            visit.pass().run_in_epoch(|| act(visit, request)).unwrap_or_else(|| Err(AdminError::internal()))
        })),
        other => other,
    };
    AdminRoute { act, ..route }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use roost_journal::query::operator_names;

    use super::*;

    #[test]
    fn the_journal_knows_every_route() {
        let routes: BTreeSet<_> = admin_routes().iter().map(|route| route.name.to_owned()).collect();
        assert_eq!(operator_names().collect::<BTreeSet<_>>(), routes);
    }

    #[test]
    fn names_and_places_are_unique_and_only_health_is_open() {
        let routes = admin_routes();
        assert_eq!(routes.iter().map(|r| r.name).collect::<BTreeSet<_>>().len(), routes.len());
        assert_eq!(routes.iter().map(|r| (r.method, r.path)).collect::<BTreeSet<_>>().len(), routes.len());
        let open: Vec<_> = routes.iter().filter(|r| r.is_open()).map(|r| r.path).collect();
        assert_eq!(open, ["/livez", "/__admin/livez", "/readyz", "/__admin/readyz"]);
    }
}
