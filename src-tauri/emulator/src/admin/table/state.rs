//! Routes for the state of a world: reset, seed, import, snapshots, past states, and single records.

use super::{
    super::{
        account,
        route::{AdminRoute, RouteHead},
        state::{self, diff, export, past_state, record, snapshots},
    },
    fence_route,
};

pub(super) fn routes() -> Vec<AdminRoute> {
    vec![
        RouteHead("reset", "POST", "/__admin/reset", "Reset to the seed. Also removes fault rules, policies and receivers, clears the journal, and ends what is in \
             progress")
            .host_act(state::handle_reset)
            .with_queries(&["keep", "mode", "opt_outs"]),
        RouteHead("seed.put", "PUT", "/__admin/seed", "Replace the seed and reset to it, all or nothing. Settings, clock and ids stay")
            .host_act(state::put_seed)
            .with_request(account::export_schema)
            .with_queries(&["once", "opt_outs"]),
        RouteHead(
            "import",
            "POST",
            "/__admin/import",
            "Import a seed, an account file or a world, replacing or merging",
        )
        .host_act(export::import_account)
        .with_request(account::export_schema)
        .with_queries(&["format", "mode", "dry_run", "opt_outs", "keep_copy"]),
        fence_route(
            RouteHead("snapshots.take", "POST", "/__admin/snapshots", "Take a snapshot of the world")
                .body_act(201, snapshots::handle_take),
        ),
        RouteHead("snapshots.list", "GET", "/__admin/snapshots", "List snapshots")
            .json_act(snapshots::list_snapshots)
            .with_paging(),
        RouteHead("snapshots.remove", "DELETE", "/__admin/snapshots/{snapshot}", "Remove a snapshot")
            .json_act(snapshots::handle_removal),
        RouteHead(
            "snapshots.restore",
            "POST",
            "/__admin/snapshots/{snapshot}/restore",
            "Restore a snapshot with its fault rules, policies and receivers. The journal is cleared",
        )
        .host_act(snapshots::handle_restore)
        .with_queries(&["opt_outs"]),
        RouteHead(
            "snapshots.diff",
            "GET",
            "/__admin/snapshots/{snapshot}/diff/{other}",
            "Compare two states: snapshots, now, seed or @SEQ",
        )
        .json_act(diff::show_diff)
        .with_queries(&["limit", "ignore"]),
        RouteHead(
            "state.at",
            "GET",
            "/__admin/state",
            "Get the state at the time when a request was answered, as a seed",
        )
        .stream_act(account::export_schema, past_state::show_past_state)
        .with_queries(&["at"]),
        RouteHead("state.list", "GET", "/__admin/state/{resource}", "List records as they are stored")
            .json_act(record::list_records).with_paging()
            .with_queries(&["list_uid", "q"]),
        RouteHead(
            "state.make",
            "POST",
            "/__admin/state/{resource}",
            "Create a record, bypassing the interface's rules",
        )
        .body_act(201, record::create_record),
        RouteHead("state.get", "GET", "/__admin/state/{resource}/{key}", "Get a record as it is stored")
            .json_act(record::get_record),
        RouteHead(
            "state.change",
            "PATCH",
            "/__admin/state/{resource}/{key}",
            "Change fields of a record, or create it",
        )
        .body_act(200, record::change_record),
        RouteHead("state.remove", "DELETE", "/__admin/state/{resource}/{key}", "Remove a record")
            .json_act(record::remove_record),
        RouteHead(
            "state.steps",
            "GET",
            "/__admin/state/{resource}/{key}/steps",
            "List edits that can be undone or redone",
        )
        .json_act(record::list_steps)
        .with_paging(),
        RouteHead(
            "state.undo",
            "POST",
            "/__admin/state/{resource}/{key}/undo",
            "Undo an edit, unless the record has changed since",
        )
        .body_act(200, record::undo_step),
        RouteHead(
            "state.redo",
            "POST",
            "/__admin/state/{resource}/{key}/redo",
            "Redo an edit, unless the record has changed \
         since",
        )
        .body_act(200, record::redo_step),
    ]
}
