//! Creates worlds, resets and replaces them, and removes them.

mod create;
mod expiry;
mod protection;
mod reset;

pub(crate) use self::{
    create::{CreateWorldError, NewWorld, WorldSource, change_settings, create_world, remove_world},
    expiry::remove_expired_worlds,
    protection::{BackupCopy, check_image_removal, check_removed_count, count_removed_opt_outs},
    reset::{
        Replacement, ResetError, ResetMode, ResetReport, replace_account, replace_world, reset_world, restore_snapshot,
    },
};
