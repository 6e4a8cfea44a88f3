//! The one list of the operator's routes: from it come the router, the document and the tests of the gate.

use std::sync::LazyLock;

use super::{
    account, asset, custom_field, document, job, link, opt_out, route::AdminRoute, route::At, sender, settings,
};

pub fn admin_routes() -> &'static [AdminRoute] {
    static ROUTES: LazyLock<Vec<AdminRoute>> = LazyLock::new(|| {
        vec![
            At("livez", "GET", "/__admin/livez", "Whether the process lives").shows(account::alive),
            At("readyz", "GET", "/__admin/readyz", "Whether requests are answered").shows(account::ready),
            At("openapi", "GET", "/__admin/openapi.json", "This document").shows(document::show),
            At("info", "GET", "/__admin/info", "What runs here and what it holds").looks(account::info),
            At("settings.get", "GET", "/__admin/settings", "The settings in force").looks(settings::get),
            At("settings.put", "PUT", "/__admin/settings", "Change settings by name, all or none")
                .takes(200, settings::put),
            At("export", "GET", "/__admin/export", "The whole account as a seed file")
                .streams(account::export_schema, account::export),
            At("senders.list", "GET", "/__admin/senders", "Senders, newest first").pages(sender::list),
            At("senders.request", "POST", "/__admin/senders", "Request a sender").takes(201, sender::request),
            At("senders.approve", "POST", "/__admin/senders/{sender_id}/approve", "Approve a sender")
                .does(sender::approve),
            At("senders.refuse", "POST", "/__admin/senders/{sender_id}/refuse", "Refuse a pending sender")
                .removes(sender::refuse),
            At("senders.remove", "DELETE", "/__admin/senders/{sender_id}", "Remove a sender").removes(sender::remove),
            At("assets.list", "GET", "/__admin/assets", "Inbound assets").looks(asset::list),
            At("assets.add", "POST", "/__admin/assets", "Add an inbound asset").takes(201, asset::add),
            At("assets.change", "PATCH", "/__admin/assets/{asset_id}", "Change an asset's options")
                .takes(200, asset::change),
            At("assets.remove", "DELETE", "/__admin/assets/{asset_id}", "Remove an asset; its opt-outs stay")
                .removes(asset::remove),
            At("custom_fields.list", "GET", "/__admin/custom-fields", "Custom fields").looks(custom_field::list),
            At("custom_fields.add", "POST", "/__admin/custom-fields", "Add a custom field")
                .takes(201, custom_field::add),
            At("custom_fields.rename", "PATCH", "/__admin/custom-fields/{number}", "Rename a custom field")
                .takes(200, custom_field::rename),
            At(
                "custom_fields.remove",
                "DELETE",
                "/__admin/custom-fields/{number}",
                "Remove a custom field and its values",
            )
            .removes(custom_field::remove),
            At("inbound_messages.receive", "POST", "/__admin/inbound-messages", "A recipient replies to an asset")
                .takes(200, opt_out::inbound),
            At("web_opt_outs.receive", "POST", "/__admin/web-opt-outs", "A recipient opts out on a web form")
                .takes(201, opt_out::web_form),
            At(
                "opt_out_imports.run",
                "POST",
                "/__admin/opt-out-imports",
                "Import opt-outs into the account, row by row",
            )
            .takes(200, opt_out::import),
            At("clicks.list", "GET", "/__admin/short-links/{link_id}/clicks", "Clicks on a short link, newest first")
                .pages(link::clicks),
            At("clicks.add", "POST", "/__admin/short-links/{link_id}/clicks", "Record a click")
                .takes(201, link::add_click),
            At("lists.rename", "PATCH", "/__admin/lists/{list_uid}", "Rename a list").takes(200, account::rename_list),
            At("jobs.list", "GET", "/__admin/jobs", "Contact jobs, newest first").pages(job::list),
            At("jobs.get", "GET", "/__admin/jobs/{job_id}", "A contact job").looks(job::get),
            At("jobs.outcomes", "GET", "/__admin/jobs/{job_id}/outcomes", "What became of each contact of a job")
                .looks(job::outcomes),
            At("callbacks.list", "GET", "/__admin/callbacks", "Callbacks with every attempt, newest first")
                .pages(job::callbacks),
        ]
    });
    &ROUTES
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_and_places_are_unique_and_only_three_are_open() {
        let routes = admin_routes();
        assert_eq!(routes.iter().map(|r| r.name).collect::<BTreeSet<_>>().len(), routes.len());
        assert_eq!(routes.iter().map(|r| (r.method, r.path)).collect::<BTreeSet<_>>().len(), routes.len());
        let open: Vec<_> = routes.iter().filter(|r| r.is_open()).map(|r| r.path).collect();
        assert_eq!(open, ["/__admin/livez", "/__admin/readyz", "/__admin/openapi.json"]);
    }
}
