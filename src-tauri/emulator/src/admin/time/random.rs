//! Reads and changes the seed and the style of a world's IDs.

use roost_ops::ctx::ids;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{refused::Refused, route::Asked};
use crate::{
    door::Visit,
    world::{Account, NotAdvanced},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "IdStyle")]
pub enum Style {
    /// Same form as the service's: the second of creation, then random digits.
    Random,
    /// Counted up and easy to read. They contain no time.
    Sequence,
    /// Derived from the seed and the request only, independent of the clock.
    Hash,
}

impl From<Style> for ids::IdStyle {
    fn from(style: Style) -> Self {
        match style {
            Style::Random => Self::Random,
            Style::Sequence => Self::Sequence,
            Style::Hash => Self::Hash,
        }
    }
}

impl From<ids::IdStyle> for Style {
    fn from(style: ids::IdStyle) -> Self {
        match style {
            ids::IdStyle::Random => Self::Random,
            ids::IdStyle::Sequence => Self::Sequence,
            ids::IdStyle::Hash => Self::Hash,
        }
    }
}

/// How ids are made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomWish {
    seed: Option<u64>,
    ids: Option<Style>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Random", deny_unknown_fields)]
pub struct Shown {
    /// The same seed and the same requests from the same start give the same ids. Null: ids are random.
    seed: Option<u64>,
    ids: Style,
    /// Requests so far that may have changed something. Ids follow from the seed and this count.
    acts: u64,
}

pub fn get(visit: &Visit, _: &Asked) -> Result<Shown, Refused> {
    let core = visit.core();
    let ids = core.ctx().ids();
    Ok(Shown { seed: ids.seed(), ids: ids.style().into(), acts: ids.acts() })
}

pub fn change(visit: &Visit, asked: &Asked, wish: RandomWish) -> Result<Shown, Refused> {
    if visit.world().account == Account::Lent {
        return Err(NotAdvanced::NotOwn.into());
    }
    if wish.seed.is_none() && wish.ids.is_none() {
        return Err(Refused::invalid(r#"Give "seed", "ids" or both."#));
    }
    visit.core().ctx().ids().set_seed_and_style(wish.seed, wish.ids.map(Into::into));
    get(visit, asked)
}
