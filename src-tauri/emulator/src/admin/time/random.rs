//! Reads and changes the seed and the style of a world's IDs.

use roost_ops::ctx::ids::IdStyle;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{error::AdminError, route::AdminRequest};
use crate::{door::WorldVisit, work::AdvanceError, world::AccountOwnership};

/// How ids are made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RandomChange {
    seed: Option<u64>,
    ids: Option<IdStyle>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Random", deny_unknown_fields)]
pub(crate) struct RandomStatus {
    /// The same seed and the same requests from the same start give the same ids. Null: ids are random.
    seed: Option<u64>,
    ids: IdStyle,
    /// Requests so far that may have changed something. Ids follow from the seed and this count.
    acts: u64,
}

pub(crate) fn get_random(visit: &WorldVisit, _: &AdminRequest) -> Result<RandomStatus, AdminError> {
    let core = visit.core();
    let ids = core.ctx().ids();
    Ok(RandomStatus { seed: ids.seed(), ids: ids.style(), acts: ids.acts() })
}

pub(crate) fn change_random(
    visit: &WorldVisit,
    request: &AdminRequest,
    change: RandomChange,
) -> Result<RandomStatus, AdminError> {
    if visit.world().ownership == AccountOwnership::Lent {
        return Err(AdvanceError::NotOwn.into());
    }
    if change.seed.is_none() && change.ids.is_none() {
        return Err(AdminError::invalid(r#"Give "seed", "ids" or both."#));
    }
    visit.core().ctx().ids().set_seed_and_style(change.seed, change.ids);
    get_random(visit, request)
}
