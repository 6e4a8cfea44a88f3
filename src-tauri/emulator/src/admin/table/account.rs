//! Routes that do what the service's own web application does.

use super::super::{
    account::{self, asset, custom_field, link, opt_out, sender},
    route::{AdminRoute, At},
};

pub fn routes() -> Vec<AdminRoute> {
    vec![
        At("senders.list", "GET", "/__admin/senders", "List senders, newest first").pages(sender::list),
        At("senders.request", "POST", "/__admin/senders", "Request a sender").takes(201, sender::request),
        At("senders.approve", "POST", "/__admin/senders/{sender_id}/approve", "Approve a sender").does(sender::approve),
        At("senders.refuse", "POST", "/__admin/senders/{sender_id}/refuse", "Reject a pending sender")
            .removes(sender::refuse),
        At("senders.remove", "DELETE", "/__admin/senders/{sender_id}", "Remove a sender").removes(sender::remove),
        At("assets.list", "GET", "/__admin/assets", "List inbound assets").looks(asset::list).paged(),
        At("assets.add", "POST", "/__admin/assets", "Add an inbound asset").takes(201, asset::add),
        At("assets.change", "PATCH", "/__admin/assets/{asset_id}", "Change an asset's options")
            .takes(200, asset::change),
        At("assets.remove", "DELETE", "/__admin/assets/{asset_id}", "Remove an asset. Its opt-outs stay")
            .removes(asset::remove),
        At("custom_fields.list", "GET", "/__admin/custom_fields", "List custom fields")
            .looks(custom_field::list)
            .paged(),
        At("custom_fields.add", "POST", "/__admin/custom_fields", "Add a custom field").takes(201, custom_field::add),
        At("custom_fields.rename", "PATCH", "/__admin/custom_fields/{number}", "Rename a custom field")
            .takes(200, custom_field::rename),
        At("custom_fields.remove", "DELETE", "/__admin/custom_fields/{number}", "Remove a custom field and its values")
            .removes(custom_field::remove),
        At("inbound_messages.receive", "POST", "/__admin/inbound_messages", "Send a recipient's reply to an asset")
            .takes(200, opt_out::inbound),
        At("web_opt_outs.receive", "POST", "/__admin/web_opt_outs", "Opt a recipient out on a web form")
            .takes(201, opt_out::web_form),
        At("opt_out_imports.run", "POST", "/__admin/opt_out_imports", "Import opt-outs row by row")
            .takes(200, opt_out::import),
        At("clicks.list", "GET", "/__admin/short_links/{link_id}/clicks", "List clicks on a short link, newest first")
            .pages(link::clicks),
        At("clicks.add", "POST", "/__admin/short_links/{link_id}/clicks", "Record a click").takes(201, link::add_click),
        At("lists.rename", "PATCH", "/__admin/lists/{list_uid}", "Rename a list").takes(200, account::rename_list),
    ]
}
