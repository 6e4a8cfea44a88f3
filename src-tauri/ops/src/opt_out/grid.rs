//! Shows opt-outs to people: the grid and its search by part of a number, the badges, and single records in readable
//! form.

use std::collections::HashMap;

use roost_model::{
    asset::Asset,
    channel::Channel,
    id::AssetId,
    opt_out::{InboundAsset, OptOut, OptOutRecordScope, OptOutType},
    page::Page,
    phone,
    time::Timestamp,
};
use roost_store::{
    change_log::ActorKind,
    tables::{assets, opt_outs},
    tx::ReadTx,
};
use serde::Serialize;

pub use roost_store::tables::opt_outs::grid::{NumberPart, OptOutGridQuery, ScopeKind};

use crate::{core::Core, error::Result};

/// A record with the numbers that its ids stand for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct OptOutRecord {
    /// The number in E.164 form.
    pub number: String,
    pub region: Option<String>,
    pub channel: Channel,
    pub scope: OptOutRecordScope,
    /// The number of the asset to which the record applies.
    pub scope_number: Option<String>,
    pub kind: OptOutType,
    pub inbound: Option<InboundAsset>,
    pub time: Timestamp,
}

/// A record in the grid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct OptOutItem {
    #[serde(flatten)]
    #[cfg_attr(feature = "ts", ts(flatten))]
    pub record: OptOutRecord,
    /// The source of the latest change, and its reason.
    pub source: Option<ActorKind>,
    pub reason: Option<String>,
    /// The number of lists that contain the number.
    pub lists: u64,
}

/// The state of a number on one channel.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChannelState {
    /// Whether the number is opted out of everything that the account sends.
    pub is_account: bool,
    /// The assets of which the number is opted out.
    pub assets: Vec<InboundAsset>,
    /// The time of the account's record, or else of the newest record.
    pub since: Option<Timestamp>,
}

impl ChannelState {
    pub fn is_allowed(&self) -> bool {
        !self.is_account && self.assets.is_empty()
    }

    fn add_record(&mut self, record: &OptOut, numbers: &AssetNumbers) {
        match &record.scope {
            OptOutRecordScope::Account => {
                self.is_account = true;
                self.since = Some(record.time);
            }
            OptOutRecordScope::Asset(id) => {
                self.assets.push(InboundAsset { asset_id: id.clone(), number: numbers.of_record(record) });
                if !self.is_account {
                    self.since = self.since.max(Some(record.time));
                }
            }
        }
    }
}

/// The state of a number on both channels.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct OptOutStates {
    /// The number in E.164 form.
    pub number: String,
    pub sms: ChannelState,
    pub whatsapp: ChannelState,
}

impl OptOutStates {
    pub fn is_allowed(&self) -> bool {
        self.sms.is_allowed() && self.whatsapp.is_allowed()
    }
}

/// The numbers of the assets, read once for each result. A record's own copy of the number comes first, because its
/// asset may have been removed.
pub struct AssetNumbers(HashMap<AssetId, String>);

impl AssetNumbers {
    pub fn read(tx: &ReadTx) -> Result<Self> {
        Ok(Self(assets::read_all(tx)?.into_iter().map(|Asset { id, number, .. }| (id, number)).collect()))
    }

    pub fn of_record(&self, record: &OptOut) -> Option<String> {
        self.scope_number(&record.scope, record.inbound.as_ref())
    }

    /// Returns the number of the asset that a scope names.
    pub fn scope_number(&self, scope: &OptOutRecordScope, inbound: Option<&InboundAsset>) -> Option<String> {
        let OptOutRecordScope::Asset(id) = scope else { return None };
        inbound
            .filter(|inbound| inbound.asset_id == *id)
            .and_then(|inbound| inbound.number.clone())
            .or_else(|| self.0.get(id).cloned())
    }

    /// Returns the asset with this id or this number.
    pub fn find_asset(&self, channel: Option<Channel>, text: &str) -> Option<(AssetId, String)> {
        let bare = |number: &str| phone::without_separators(number).trim_start_matches('+').to_owned();
        let wanted = bare(text);
        self.0
            .iter()
            .filter(|(id, _)| channel.is_none_or(|channel| id.channel() == channel))
            .find(|(id, number)| id.as_str() == text || bare(number) == wanted)
            .map(|(id, number)| (id.clone(), number.clone()))
    }

    pub fn get(&self, id: &AssetId) -> Option<&String> {
        self.0.get(id)
    }
}

pub(super) fn to_record(record: OptOut, numbers: &AssetNumbers) -> OptOutRecord {
    let scope_number = numbers.of_record(&record);
    let OptOut { number, channel, scope, kind, inbound, time } = record;
    let region = phone::parse_international(&number).map(|phone| phone.region);
    OptOutRecord { number, region, channel, scope, scope_number, kind, inbound, time }
}

/// Returns a record with the numbers that its ids stand for.
pub fn describe_record(core: &Core, record: OptOut) -> Result<OptOutRecord> {
    core.read(|tx| Ok(to_record(record, &AssetNumbers::read(tx)?)))
}

/// Parses part of a number in any spelling. An empty text is no filter.
pub fn parse_number_part(raw: &str) -> Option<NumberPart> {
    let text = phone::without_separators(&raw.trim().replace("(0)", ""));
    if text.is_empty() {
        return None;
    }
    let abroad = text.strip_prefix('+').or_else(|| text.strip_prefix("00"));
    let digits = abroad.unwrap_or(&text);
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Some(NumberPart::Impossible);
    }
    Some(match abroad {
        Some(digits) => NumberPart::Start(format!("+{digits}")),
        // A leading zero is not part of the stored form, but a single zero may be any digit of a number.
        None => {
            NumberPart::Within(digits.strip_prefix('0').filter(|rest| !rest.is_empty()).unwrap_or(digits).to_owned())
        }
    })
}

pub fn read_grid(core: &Core, query: &OptOutGridQuery) -> Result<Page<OptOutItem>> {
    core.read(|tx| {
        let found = opt_outs::grid::read_page(tx, query)?;
        let numbers = AssetNumbers::read(tx)?;
        let shown: Vec<&str> = found.items.iter().map(|record| record.number.as_str()).collect();
        let in_lists = opt_outs::grid::count_lists_with(tx, &shown)?;
        let items = found.items.into_iter().map(|record| {
            let (source, reason) = opt_outs::grid::read_origin(tx, &record)?.unzip();
            let lists = in_lists.get(&record.number).copied().unwrap_or_default();
            Ok(OptOutItem { record: to_record(record, &numbers), source, reason: reason.flatten(), lists })
        });
        Ok(Page { items: items.collect::<Result<_>>()?, total_items: found.total_items })
    })
}

/// Returns the states of these numbers, given in E.164 form. Numbers without any opt-out are left out.
pub fn read_states(core: &Core, numbers: &[String]) -> Result<Vec<OptOutStates>> {
    core.read(|tx| {
        let assets = AssetNumbers::read(tx)?;
        let mut states = Vec::new();
        for number in numbers {
            let state = read_state(tx, number, &assets)?;
            if !state.is_allowed() {
                states.push(state);
            }
        }
        Ok(states)
    })
}

pub(super) fn read_state(tx: &ReadTx, number: &str, assets: &AssetNumbers) -> Result<OptOutStates> {
    let mut state = OptOutStates { number: number.to_owned(), ..OptOutStates::default() };
    for record in opt_outs::read_by_number(tx, number)? {
        let channel = match record.channel {
            Channel::Sms => &mut state.sms,
            Channel::WhatsApp => &mut state.whatsapp,
        };
        channel.add_record(&record, assets);
    }
    Ok(state)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn part_of_a_number_is_found_in_any_spelling() {
        let start = |digits: &str| Some(NumberPart::Start(digits.to_owned()));
        let within = |digits: &str| Some(NumberPart::Within(digits.to_owned()));
        for (raw, part) in [
            ("+44 7700", start("+447700")),
            ("0044 7700", start("+447700")),
            ("+44 (0)7700-9", start("+4477009")),
            ("07700 900", within("7700900")),
            ("900.001", within("900001")),
            ("0", within("0")),
            ("  ", None),
            ("Ada", Some(NumberPart::Impossible)),
            ("+44x", Some(NumberPart::Impossible)),
        ] {
            assert_eq!(parse_number_part(raw), part, "{raw}");
        }
    }
}
