//! Every command and every operation takes part in the histories of `tests/world`, or names the reason why it does not.

use std::collections::BTreeMap;

use roost_wire::operation::OPERATIONS;
use roost_world::PersonActKind::{self, *};

/// The role of a command in a history.
#[derive(Clone, Copy)]
enum CommandRole {
    /// The acts of the person that the command consists of.
    Acts(&'static [PersonActKind]),
    /// A run, which a step of a script begins.
    Run,
    /// The reason why it takes no part.
    Absent(&'static str),
}

use CommandRole::{Absent, Acts, Run};

const READS: CommandRole = Absent("It changes nothing.");
const HERE_ALONE: CommandRole = Absent("It concerns the window or this computer, not the records of the account.");
const PREPARES: CommandRole = Absent("It prepares an act, and changes no record of the account before that.");
const EMULATES: CommandRole = Absent("It plays the service, which the world does itself.");
const CONNECTS: CommandRole =
    Absent("It says which service the account belongs to, which stays the same in a history.");
const NOT_YET: CommandRole = Absent("The world knows no such act yet; tests of its own try it.");

const PARTS: &[(CommandRole, &[&str])] = &[
    (Acts(&[AddList]), &["list_create"]),
    (Acts(&[RenameList]), &["list_rename"]),
    (Acts(&[DeleteList]), &["list_delete", "list_delete_many"]),
    (Acts(&[AddList, AddContact]), &["list_duplicate", "list_split", "list_combine", "grid_new_list"]),
    (Acts(&[MoveContact, DeleteContact, DeleteList]), &["list_merge"]),
    (Acts(&[AddContact]), &["contact_paste", "grid_add", "grid_copy_to"]),
    (Acts(&[EditContact, ClearField, ChangeNumber]), &["contact_update", "grid_edit", "grid_act", "clean_apply"]),
    (Acts(&[EditContact, ClearField, ChangeNumber, AddContact]), &["grid_paste"]),
    (Acts(&[MoveContact]), &["grid_move"]),
    (Acts(&[DeleteContact]), &["grid_delete"]),
    (Acts(&[EditContact, DeleteContact]), &["duplicate_merge", "duplicate_merge_all"]),
    (Acts(&[ImportRows]), &["import_accept", "import_rejects_accept"]),
    (Acts(&[DeleteContact, EditContact]), &["import_revert"]),
    (Acts(&[AddOptOut]), &["opt_out_add", "opt_out_import", "grid_opt_out"]),
    (Acts(&[RemoveOptOut]), &["opt_out_remove"]),
    (Acts(&[AddLink]), &["short_link_create"]),
    (Acts(&[DeleteLink]), &["short_link_delete"]),
    (Acts(&[DeleteSender]), &["sender_delete"]),
    (Acts(&[Undo]), &["history_undo"]),
    (Acts(&[Redo]), &["history_redo"]),
    (Acts(&[RestoreContact, RestoreList, RestoreLink, RestoreSender]), &["trash_restore"]),
    (Acts(&[Discard, CancelRemoval]), &["changes_discard"]),
    (Acts(&[AnswerQuestion]), &["conflicts_answer", "conflicts_choose", "plan_choose"]),
    (Acts(&[Pause]), &["run_pause"]),
    (Acts(&[Resume]), &["run_resume"]),
    (Acts(&[CancelRun]), &["run_cancel"]),
    (Run, &["sync_pull", "plan_make", "run_start"]),
    (
        NOT_YET,
        &[
            // Held-back changes, rules instead of answers, and undoing a whole run.
            "changes_hold",
            "changes_hold_column",
            "conflicts_reopen",
            "conflicts_rule",
            "plan_hold",
            "run_undo",
            "refused_mend",
            "refused_resend",
            "sync_stop",
            // The fields of contacts.
            "custom_field_add",
            "custom_field_rename",
            "custom_field_order",
            "custom_field_remove",
            "field_clash_settle",
            // The undo history.
            "history_pass_over",
            "trash_purge",
            // The account as a whole.
            "account_restore_copy",
            "account_erase",
        ],
    ),
    (
        CONNECTS,
        &[
            "connection_save",
            "connection_forget",
            "connection_key_set",
            "connection_key_unlock",
            "connection_key_forget",
            "connection_test",
            "connection_probe",
        ],
    ),
    (
        EMULATES,
        &[
            "sender_request",
            "sender_approve",
            "sender_refuse",
            "asset_add",
            "asset_remove",
            "asset_keywords",
            "asset_enforce",
            "asset_inbound",
            "server_status",
            "server_start",
            "server_stop",
            "server_settings",
            "server_set",
            "server_record",
            "server_requests",
            "server_request",
            "server_operate",
            "server_clear",
        ],
    ),
    (
        HERE_ALONE,
        &[
            "account_list",
            "account_create",
            "account_open",
            "account_retry",
            "account_way_back",
            "account_restore",
            "account_start_empty",
            "account_close",
            "account_rename",
            "account_recolour",
            "account_set_country",
            "account_duplicate",
            "account_forget",
            "account_reveal",
            "account_pick",
            "account_back_up",
            "account_save_copy",
            "desktop_get",
            "desktop_notify",
            "desktop_new_window",
            "desktop_browse",
            "start_notice_get",
            "crash_report_reveal",
            "file_save",
            "preferences_get",
            "preferences_put",
            "ui_state_get",
            "ui_state_put",
            "task_cancel",
            "task_cancel_call",
            "list_pin",
            "list_note",
            "grid_view_save",
            "grid_view_rename",
            "grid_view_delete",
            "duplicate_skip",
            "clean_skip",
        ],
    ),
    (
        PREPARES,
        &[
            "duplicate_open",
            "duplicate_refresh",
            "duplicate_cancel",
            "duplicate_close",
            "clean_open",
            "clean_refresh",
            "clean_cancel",
            "clean_close",
            "grid_open",
            "grid_refresh",
            "grid_cancel",
            "grid_close",
            "import_pick",
            "import_open",
            "import_add",
            "import_upload",
            "import_cancel",
            "import_discard",
            "import_read",
            "import_source",
            "import_parts",
            "import_remove_file",
            "import_target",
            "import_map",
            "import_profile_save",
            "import_profile_use",
            "import_profile_remove",
            "import_profile_read",
            "import_rehearse",
            "import_mend",
            "import_rejects_mend",
            "import_rejects_discard",
            "opt_out_check",
            "opt_out_import_preview",
            "opt_out_import_file",
        ],
    ),
    (
        READS,
        &[
            "task_list",
            "overview_get",
            "overview_recent",
            "account_country",
            "account_copies",
            "account_check",
            "account_restore_preview",
            "account_held",
            "account_erase_preview",
            "search_everything",
            "list_page",
            "list_get",
            "list_facts",
            "list_readiness",
            "list_pins",
            "list_merge_preview",
            "list_split_preview",
            "list_combine_preview",
            "contact_page",
            "contact_get",
            "contact_fields",
            "contact_elsewhere",
            "contact_history",
            "contact_paste_preview",
            "number_read",
            "custom_field_all",
            "custom_field_uses",
            "duplicate_state",
            "duplicate_page",
            "duplicate_group",
            "clean_state",
            "clean_page",
            "clean_rows",
            "export_preview",
            "export_run",
            "export_part",
            "export_discard",
            "import_offered",
            "import_state",
            "import_waiting",
            "import_sample",
            "import_encodings",
            "import_columns",
            "import_profile_list",
            "import_profile_write",
            "import_rehearsal",
            "import_rows",
            "import_problem",
            "import_history",
            "import_past",
            "import_revert_preview",
            "import_rejects",
            "import_rejects_save",
            "import_rejects_file",
            "grid_state",
            "grid_window",
            "grid_locate",
            "grid_uid",
            "grid_summary",
            "grid_find",
            "grid_edge",
            "grid_find_count",
            "grid_problem",
            "grid_facets",
            "grid_copy",
            "grid_paste_preview",
            "grid_opt_out_preview",
            "grid_send_preview",
            "grid_drafts",
            "grid_view_list",
            "sender_page",
            "sender_history",
            "asset_all",
            "opt_out_page",
            "opt_out_states",
            "opt_out_lost",
            "opt_out_check_page",
            "opt_out_removal_preview",
            "opt_out_import_rows",
            "opt_out_timeline",
            "opt_out_evidence",
            "short_link_page",
            "short_link_get",
            "short_link_tags",
            "short_link_same_target",
            "short_link_clicks",
            "short_link_click_series",
            "job_page",
            "job_get",
            "job_outcomes",
            "activity_page",
            "history_standing",
            "trash_page",
            "connection_get",
            "sync_status",
            "sync_pulled",
            "field_clash_all",
            "sync_scopes",
            "changes_summary",
            "changes_count",
            "changes_rows",
            "conflicts_page",
            "plan_get",
            "plan_body",
            "plan_export",
            "run_list",
            "run_get",
            "run_attempts",
            "run_report",
            "run_undo_preview",
            "refused_page",
            "audit_page",
        ],
    ),
];

#[test]
fn every_command_takes_part_in_the_histories_or_says_why_it_does_not() {
    let mut parts = BTreeMap::new();
    for (part, commands) in PARTS {
        for command in *commands {
            assert!(parts.insert(*command, *part).is_none(), "{command} stands twice in PARTS");
        }
    }
    let new: Vec<&str> = roost_app::command_names().filter(|name| parts.remove(name).is_none()).collect();
    assert!(
        new.is_empty(),
        "{new:?}: add each new command to PARTS of tests/it/remote/histories.rs. If it changes records that the sync sends or \
         reads, name the person's acts that it is made of; where there is none yet, add a kind of act to \
         tests/world/src/kinds.rs and do it in src-tauri/sync/src/tests/histories/acts.rs. Otherwise say why it is not an act."
    );
    assert!(parts.is_empty(), "{:?}: there are no such commands; take them out of PARTS", parts.keys());
}

#[test]
fn every_kind_of_act_in_the_histories_is_performed_by_some_command() {
    let done: Vec<PersonActKind> = PARTS
        .iter()
        .filter_map(|(part, _)| match part {
            Acts(acts) => Some(*acts),
            Run | Absent(_) => None,
        })
        .flatten()
        .copied()
        .collect();
    let idle: Vec<_> = PersonActKind::ALL.iter().filter(|kind| !done.contains(kind)).collect();
    assert!(idle.is_empty(), "{idle:?}: name the commands that do this in PARTS of tests/it/remote/histories.rs");
    let silent = PARTS.iter().any(|(part, _)| matches!(part, Absent(why) if why.is_empty()));
    assert!(!silent, "a command that takes no part needs a reason");
}

/// The tests in `roost-sync` that play the histories count whether each of them is called.
#[test]
fn the_world_has_the_operations_of_the_interface() {
    let own: Vec<String> = OPERATIONS
        .iter()
        .map(|operation| format!("{} {}", format!("{:?}", operation.method).to_uppercase(), operation.path))
        .collect();
    assert_eq!(roost_world::OPERATIONS, own, "add a new operation to tests/world/src/service/routes.rs, in this order");
}
