//! Commands that change cells of a view: typing, pasting, and bulk acts.

use roost_grid::{
    grid as act,
    grid::{BulkAct, CellDraft, CellEdit, EditSummary, GridPasteSummary, PasteMode, UnsentChange, ViewId},
};
use roost_ops::Actor;
use serde::{Deserialize, Serialize};

use super::GridRows;
use crate::{accounts::App, error::CommandError, reading::check_count};

/// The maximum number of blocks that a user can select one by one.
const BLOCKS_MAX: usize = 10_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridEdit {
    pub view: u64,
    /// The generation in which the page saw the rows. If the rows have other numbers by now, nothing is done. Null
    /// skips this check.
    pub generation: Option<u32>,
    /// At most 10,000. If a cell is named twice, the last text counts.
    pub cells: Vec<CellEdit>,
    /// The region of numbers without a country code. Null means that of the contact's own number, or of the account.
    pub region: Option<String>,
}

/// Some columns of some rows.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridBlock {
    pub rows: GridRows,
    pub columns: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridAct {
    pub view: u64,
    pub generation: Option<u32>,
    pub rows: GridRows,
    pub columns: Vec<String>,
    /// Further blocks. They are changed after the first one, in the same step.
    #[cfg_attr(feature = "ts", ts(optional))]
    pub more: Option<Vec<GridBlock>>,
    pub act: BulkAct,
    /// True reports the effect without changing anything.
    #[serde(default)]
    pub preview: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridPaste {
    pub view: u64,
    pub generation: Option<u32>,
    /// The row that receives the first line. Lines beyond the last row of the view become new contacts.
    pub at: u64,
    /// The columns from the focus on, in the order of the screen. With `into`, the selected columns.
    pub columns: Vec<String>,
    /// Lines of cells. A short line leaves the remaining cells unchanged. At most 1,000,000 cells.
    pub rows: Vec<Vec<String>>,
    /// The selected rows, at least as many as there are lines. One line fills all of them, and so does a block that
    /// fits a whole number of times. Null if one row is selected or if the block is larger than the selection.
    pub into: Option<GridRows>,
    pub mode: PasteMode,
    /// The region of numbers without a country code. Null means that of the contact's own number, or of the account.
    pub region: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridDraftsGet {
    pub view: u64,
    pub row: u64,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridDrafts {
    pub drafts: Vec<CellDraft>,
    /// Null if the service has the same row, or if there is no service.
    pub unsent: Option<UnsentChange>,
}

pub(crate) fn edit(app: &App, by: &Actor, request: GridEdit) -> Result<EditSummary, CommandError> {
    let account = app.account()?;
    let GridEdit { view, generation, cells, region } = request;
    Ok(account.grid().edit_cells(&account.core, by, ViewId(view), generation, &cells, region.as_deref())?)
}

pub(crate) fn act(app: &App, by: &Actor, request: GridAct) -> Result<EditSummary, CommandError> {
    let account = app.account()?;
    let GridAct { view, generation, rows, columns, more, act, preview } = request;
    let more = more.unwrap_or_default();
    check_count("more", more.len(), BLOCKS_MAX)?;
    let block = |rows, columns| act::CellSelection { view: ViewId(view), generation, rows, columns };
    let mut blocks = vec![block(&rows.0, &columns[..])];
    blocks.extend(more.iter().map(|more| block(&more.rows.0, &more.columns[..])));
    if !preview {
        return Ok(account.grid().apply_act_to_all(&account.core, by, &blocks, &act)?);
    }
    let previews = blocks.into_iter().map(|block| account.grid().preview_act(&account.core, by, block, &act));
    Ok(EditSummary::sum(previews.collect::<Result<Vec<_>, _>>()?))
}

fn to_paste(request: &GridPaste) -> act::PasteRequest<'_> {
    act::PasteRequest {
        view: ViewId(request.view),
        generation: request.generation,
        row: request.at,
        columns: &request.columns,
        block: &request.rows,
        into: request.into.as_ref().map(|rows| &rows.0),
        mode: request.mode,
        region: request.region.as_deref(),
    }
}

pub(crate) fn paste(app: &App, by: &Actor, request: GridPaste) -> Result<GridPasteSummary, CommandError> {
    let account = app.account()?;
    Ok(account.grid().paste(&account.core, by, &to_paste(&request))?)
}

pub(crate) fn paste_preview(app: &App, by: &Actor, request: GridPaste) -> Result<GridPasteSummary, CommandError> {
    let account = app.account()?;
    Ok(account.grid().preview_paste(&account.core, by, &to_paste(&request))?)
}

pub(crate) fn drafts(app: &App, _: &Actor, request: GridDraftsGet) -> Result<GridDrafts, CommandError> {
    let account = app.account()?;
    let drafts = account.grid().read_drafts(&account.core, ViewId(request.view), request.row)?;
    let unsent = account.grid().find_unsent_change(&account.core, ViewId(request.view), request.row)?;
    Ok(GridDrafts { drafts, unsent })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use roost_model::error::ErrorCode;
    use roost_ops::{Core, Ctx};
    use serde_json::{Value, json};

    use crate::{accounts::App, error::CommandError};

    struct GridPage {
        app: App,
        list: Value,
        view: Value,
    }

    impl GridPage {
        fn open() -> Self {
            let app = App::with_core(Core::in_memory(Ctx::system()).unwrap(), Path::new(":memory:"));
            let list = app.dispatch("list_create", json!({ "name": "Everybody" }), None).unwrap()["uid"].take();
            let contact = |last: u8| json!({ "phone_number": format!("+44770090000{last}"), "city": "London" });
            let contacts: Vec<_> = (1..4).map(contact).collect();
            let paste = json!({ "list": list, "contacts": contacts, "region": null });
            app.dispatch("contact_paste", paste, None).unwrap();
            let open = json!({ "list": list, "filter": null, "text": null, "sort": [] });
            let view = app.dispatch("grid_open", open, None).unwrap()["view"].take();
            let page = Self { app, list, view };
            while page.call("grid_state", json!({ "generation": 0, "wait_ms": 1_000 })).unwrap()["is_building"] == true
            {
            }
            page
        }

        fn call(&self, name: &str, mut request: Value) -> Result<Value, CommandError> {
            request["view"] = self.view.clone();
            self.app.dispatch(name, request, None)
        }
    }

    #[test]
    fn cells_are_typed_pasted_and_changed_in_bulk() {
        let page = GridPage::open();
        let cells =
            json!([{ "row": 0, "field": "city", "text": "Rome" }, { "row": 1, "field": "phone_number", "text": "1" }]);
        let summary = page.call("grid_edit", json!({ "generation": 1, "cells": cells, "region": null })).unwrap();
        assert_eq!((&summary["changed"], &summary["drafts"], &summary["rows"]), (&json!(1), &json!(1), &json!(2)));
        assert_eq!(
            summary["faults"],
            json!([{ "row": 1, "field": "phone_number", "message": "Invalid phone number." }])
        );
        assert!(summary["step"].is_i64());
        let drafts = page.call("grid_drafts", json!({ "row": 1 })).unwrap();
        assert_eq!(drafts["drafts"][0]["text"], "1");

        let replace = json!({ "find": "london", "with": "Oslo", "regex": false, "whole_cell": true, "case": false });
        let act = json!({ "generation": 1, "rows": [[0, 3]], "columns": ["city"], "act": { "replace": replace } });
        let mut preview = act.clone();
        preview["preview"] = json!(true);
        let seen = page.call("grid_act", preview).unwrap();
        assert_eq!((&seen["matched"], &seen["changed"], &seen["step"]), (&json!(2), &json!(2), &Value::Null));
        let first = json!({ "row": 1, "field": "city", "before": "London", "after": "Oslo", "fault": null });
        assert_eq!(seen["sample"][0], first);
        assert_eq!(page.call("grid_act", act).unwrap()["changed"], 2);
        for act in [
            json!({ "set": "x" }),
            json!({ "clear": true }),
            json!({ "case": "sentence" }),
            json!({ "trim": true }),
            json!({ "e164": { "region": "GB" } }),
            json!({ "split": { "by": " ", "into": ["firstname"] } }),
            json!({ "join": { "from": ["city"], "by": " ", "into": "zip" } }),
            json!({ "extract": { "regex": "x", "into": "zip" } }),
            json!({ "copy": { "from": "city", "into": "zip", "mode": "blanks" } }),
            json!({ "series": { "start": 1, "step": 1, "prefix": "", "pad": 0 } }),
            json!({ "fill_blanks": "above" }),
            json!({ "fill_blanks": { "text": "above" } }),
            json!({ "fill": "down" }),
        ] {
            let request =
                json!({ "generation": null, "rows": [[0, 3]], "columns": ["city"], "act": act, "preview": true });
            page.call("grid_act", request).unwrap();
        }

        let paste = json!({
            "generation": 1, "at": 2, "columns": ["phone_number", "city"], "into": null, "mode": "plain", "region": null,
            "rows": [["07700900001", "Bern"], ["07700900009", "Wien"], ["", "x"]],
        });
        let seen = page.call("grid_paste_preview", paste.clone()).unwrap();
        let summary = page.call("grid_paste", paste).unwrap();
        assert_eq!(
            (&summary["added"], &summary["first_added"], &summary["left_out"]),
            (&json!(1), &json!(3), &json!(1))
        );
        assert_eq!(
            (&seen["added"], &seen["changed"], &seen["refused"]),
            (&summary["added"], &summary["changed"], &summary["refused"])
        );
        assert_eq!(summary["refused"][0]["line"], 2);

        let jump = json!({ "generation": null, "row": 0, "column": "phone_number", "direction": "down" });
        assert_eq!(page.call("grid_edge", jump).unwrap(), json!({ "row": 3 }));
        let jump = json!({ "generation": 1, "row": 3, "column": "title", "direction": "up" });
        assert_eq!(page.call("grid_edge", jump).unwrap(), json!({ "row": 0 }));

        let stale = json!({ "generation": 9, "cells": [{ "row": 0, "field": "city", "text": null }], "region": null });
        assert_eq!(page.call("grid_edit", stale).unwrap_err().code, ErrorCode::Conflict);
    }

    #[test]
    fn rows_are_added_deleted_sent_and_kept() {
        let page = GridPage::open();
        let values = json!({ "phone_number": "+447700900020" });
        assert_eq!(page.call("grid_add", json!({ "values": values, "region": null })).unwrap()["row"], 3);
        let made = page.call("grid_new_list", json!({ "generation": 1, "rows": [[0, 2]], "name": "Two" })).unwrap();
        assert_eq!(made["added"], 2);
        let to = &made["list"]["uid"];
        let send = json!({ "generation": 1, "rows": [[0, 1]], "list": to, "duplicates": "skip" });
        let copied = page.call("grid_copy_to", send.clone()).unwrap();
        assert_eq!((&copied["skipped"], &copied["step"]), (&json!(1), &Value::Null));
        let mut send = send;
        send["duplicates"] = json!("merge");
        assert_eq!(page.call("grid_move", send).unwrap()["merged"], 1);
        let out =
            json!({ "generation": null, "rows": [[0, 9]], "channels": ["SMS"], "asset": null, "reason": "Asked" });
        let request = json!({ "generation": null, "rows": [[0, 9]] });
        assert_eq!(page.call("grid_opt_out_preview", request).unwrap()["numbers"], 3);
        assert_eq!(page.call("grid_opt_out", out).unwrap()["added"], 3);
        let state = page.call("grid_state", json!({ "generation": null, "wait_ms": null })).unwrap();
        assert_eq!((&state["total"], &state["is_stale"]), (&json!(3), &json!(false)));
        let deleted = json!({ "generation": state["generation"], "rows": [[1, 3]] });
        assert_eq!(page.call("grid_delete", deleted).unwrap()["count"], 2);

        let save = json!({ "list": page.list, "name": "Mine", "spec": { "text": "a" } });
        let mut saved = page.app.dispatch("grid_view_save", save, None).unwrap();
        let uid = saved["uid"].take();
        page.app.dispatch("grid_view_rename", json!({ "uid": uid, "name": "Ours" }), None).unwrap();
        let views = || page.app.dispatch("grid_view_list", json!({ "list": page.list }), None).unwrap();
        assert_eq!(views()["views"][0], json!({ "uid": uid, "name": "Ours", "spec": { "text": "a" } }));
        page.app.dispatch("grid_view_delete", json!({ "uid": uid }), None).unwrap();
        assert_eq!(views()["views"], json!([]));
    }
}
