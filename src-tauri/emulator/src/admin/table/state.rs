//! Routes for the whole state of a world.

use super::{
    super::{
        account,
        route::{AdminRoute, At},
        state::{self, diff, export, moment, record, snapshots},
    },
    beside,
};

pub fn routes() -> Vec<AdminRoute> {
    vec![
        At("reset", "POST", "/__admin/reset", "Reset to the seed. Work in progress ends without a response")
            .awaits(200, state::go_back)
            .queries(&["keep", "mode", "opt_outs"]),
        At("seed.put", "PUT", "/__admin/seed", "Replace the seed and reset to it, all or nothing")
            .awaits(200, state::seed)
            .reads(account::export_schema)
            .queries(&["once", "opt_outs"]),
        At("import", "POST", "/__admin/import", "Import a seed, an account file or a world, replacing or merging")
            .awaits(200, export::import)
            .reads(account::export_schema)
            .queries(&["format", "mode", "dry_run", "opt_outs", "keep_copy"]),
        beside(
            At("snapshots.take", "POST", "/__admin/snapshots", "Take a snapshot of the world")
                .takes(201, snapshots::take),
        ),
        At("snapshots.list", "GET", "/__admin/snapshots", "List snapshots").looks(snapshots::list).paged(),
        At("snapshots.remove", "DELETE", "/__admin/snapshots/{snapshot}", "Remove a snapshot")
            .removes(snapshots::remove),
        At(
            "snapshots.restore",
            "POST",
            "/__admin/snapshots/{snapshot}/restore",
            "Restore a snapshot, including jobs \
         and callbacks",
        )
        .awaits(200, snapshots::restore)
        .queries(&["opt_outs"]),
        At(
            "snapshots.diff",
            "GET",
            "/__admin/snapshots/{snapshot}/diff/{other}",
            "Compare two states: snapshots, now, seed or @SEQ",
        )
        .looks(diff::show)
        .queries(&["limit", "ignore"]),
        At("state.at", "GET", "/__admin/state", "Get the state at the time when a request was answered, as a seed")
            .streams(account::export_schema, moment::show)
            .queries(&["at"]),
        At("state.list", "GET", "/__admin/state/{resource}", "List records as they are stored")
            .pages(record::list)
            .queries(&["list_uid", "q"]),
        At("state.make", "POST", "/__admin/state/{resource}", "Create a record, bypassing the interface's rules")
            .takes(201, record::make),
        At("state.get", "GET", "/__admin/state/{resource}/{key}", "Get a record as it is stored").looks(record::get),
        At("state.change", "PATCH", "/__admin/state/{resource}/{key}", "Change fields of a record, or create it")
            .takes(200, record::change),
        At("state.remove", "DELETE", "/__admin/state/{resource}/{key}", "Remove a record").removes(record::remove),
        At("state.steps", "GET", "/__admin/state/{resource}/{key}/steps", "List edits that can be undone or redone")
            .looks(record::steps)
            .paged(),
        At(
            "state.undo",
            "POST",
            "/__admin/state/{resource}/{key}/undo",
            "Undo an edit, unless the record has changed since",
        )
        .takes(200, record::undo),
        At(
            "state.redo",
            "POST",
            "/__admin/state/{resource}/{key}/redo",
            "Redo an edit, unless the record has changed \
         since",
        )
        .takes(200, record::redo),
    ]
}
