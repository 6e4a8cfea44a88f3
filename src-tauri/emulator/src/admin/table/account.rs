//! Routes that do what the service's own web application does.

use super::super::{
    account::{self, asset, custom_field, link, opt_out, sender},
    route::{AdminRoute, RouteHead},
};

pub(super) fn routes() -> Vec<AdminRoute> {
    vec![
        RouteHead("senders.list", "GET", "/__admin/senders", "List senders, newest first")
            .json_act(sender::list_senders)
            .with_paging(),
        RouteHead("senders.request", "POST", "/__admin/senders", "Request a sender")
            .body_act(201, sender::request_sender),
        RouteHead("senders.approve", "POST", "/__admin/senders/{sender_id}/approve", "Approve a sender")
            .json_act(sender::approve_sender),
        RouteHead("senders.refuse", "POST", "/__admin/senders/{sender_id}/refuse", "Reject a pending sender")
            .json_act(sender::refuse_sender),
        RouteHead("senders.remove", "DELETE", "/__admin/senders/{sender_id}", "Remove a sender")
            .json_act(sender::remove_sender),
        RouteHead("assets.list", "GET", "/__admin/assets", "List inbound assets")
            .json_act(asset::list_assets)
            .with_paging(),
        RouteHead("assets.add", "POST", "/__admin/assets", "Add an inbound asset").body_act(201, asset::add_asset),
        RouteHead("assets.change", "PATCH", "/__admin/assets/{asset_id}", "Change an asset's options")
            .body_act(200, asset::change_asset),
        RouteHead("assets.remove", "DELETE", "/__admin/assets/{asset_id}", "Remove an asset. Its opt-outs stay")
            .json_act(asset::remove_asset),
        RouteHead("custom_fields.list", "GET", "/__admin/custom_fields", "List custom fields")
            .json_act(custom_field::list_custom_fields)
            .with_paging(),
        RouteHead("custom_fields.add", "POST", "/__admin/custom_fields", "Add a custom field")
            .body_act(201, custom_field::add_custom_field),
        RouteHead("custom_fields.rename", "PATCH", "/__admin/custom_fields/{number}", "Rename a custom field")
            .body_act(200, custom_field::rename_custom_field),
        RouteHead(
            "custom_fields.remove",
            "DELETE",
            "/__admin/custom_fields/{number}",
            "Remove a custom field and its values",
        )
        .json_act(custom_field::remove_custom_field),
        RouteHead(
            "inbound_messages.receive",
            "POST",
            "/__admin/inbound_messages",
            "Send a recipient's reply to an asset",
        )
        .body_act(200, opt_out::receive_message),
        RouteHead("web_opt_outs.receive", "POST", "/__admin/web_opt_outs", "Opt a recipient out on a web form")
            .body_act(201, opt_out::receive_web_form),
        RouteHead("opt_out_imports.run", "POST", "/__admin/opt_out_imports", "Import opt-outs row by row")
            .body_act(200, opt_out::import_opt_outs),
        RouteHead(
            "clicks.list",
            "GET",
            "/__admin/short_links/{link_id}/clicks",
            "List clicks on a short link, newest first",
        )
        .json_act(link::list_clicks)
        .with_paging(),
        RouteHead("clicks.add", "POST", "/__admin/short_links/{link_id}/clicks", "Record a click")
            .body_act(201, link::add_click),
        RouteHead("lists.rename", "PATCH", "/__admin/lists/{list_uid}", "Rename a list")
            .body_act(200, account::rename_list),
    ]
}
