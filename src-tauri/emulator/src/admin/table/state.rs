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
        At("reset", "POST", "/__admin/reset", "Back to the seed; what is under way ends without an answer")
            .awaits(200, state::go_back)
            .queries(&["keep", "mode", "opt_outs"]),
        At("seed.put", "PUT", "/__admin/seed", "Another seed: all of it or nothing, and what reset goes back to")
            .awaits(200, state::seed)
            .reads(account::export_schema)
            .queries(&["once", "opt_outs"]),
        At(
            "import",
            "POST",
            "/__admin/import",
            "A seed, an account file or a world, in the place of what is there or merged into it",
        )
        .awaits(200, export::import)
        .reads(account::export_schema)
        .queries(&["format", "mode", "dry_run", "opt_outs", "keep_copy"]),
        beside(
            At("snapshots.take", "POST", "/__admin/snapshots", "Keep what the world is like under a name")
                .takes(201, snapshots::take),
        ),
        At("snapshots.list", "GET", "/__admin/snapshots", "Snapshots by name").looks(snapshots::list).paged(),
        At("snapshots.remove", "DELETE", "/__admin/snapshots/{snapshot}", "Forget a snapshot")
            .removes(snapshots::remove),
        At("snapshots.restore", "POST", "/__admin/snapshots/{snapshot}/restore", "Back to a snapshot, jobs and all")
            .awaits(200, snapshots::restore)
            .queries(&["opt_outs"]),
        At(
            "snapshots.diff",
            "GET",
            "/__admin/snapshots/{snapshot}/diff/{other}",
            "What differs; also now, seed and @SEQ",
        )
        .looks(diff::show)
        .queries(&["limit", "ignore"]),
        At("state.at", "GET", "/__admin/state", "The state as it was when a request was answered, as a seed")
            .streams(account::export_schema, moment::show)
            .queries(&["at"]),
        At("state.list", "GET", "/__admin/state/{resource}", "Records as they are stored")
            .pages(record::list)
            .queries(&["list_uid", "q"]),
        At("state.make", "POST", "/__admin/state/{resource}", "Make a record past the rules of the interface")
            .takes(201, record::make),
        At("state.get", "GET", "/__admin/state/{resource}/{key}", "A record as it is stored").looks(record::get),
        At("state.change", "PATCH", "/__admin/state/{resource}/{key}", "Change fields of a record, or make the record")
            .takes(200, record::change),
        At("state.remove", "DELETE", "/__admin/state/{resource}/{key}", "Remove a record").removes(record::remove),
        At(
            "state.steps",
            "GET",
            "/__admin/state/{resource}/{key}/steps",
            "What the operator did to a record and can be taken back",
        )
        .looks(record::steps)
        .paged(),
        At(
            "state.undo",
            "POST",
            "/__admin/state/{resource}/{key}/undo",
            "Take a step of the operator back, if the record is as it was left",
        )
        .takes(200, record::undo),
        At("state.redo", "POST", "/__admin/state/{resource}/{key}/redo", "Do again what was taken back, likewise")
            .takes(200, record::redo),
    ]
}
