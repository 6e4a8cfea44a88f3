//! The commands on senders and on inbound assets.

use crate::commands::operator::{asset, sender};

commands! {
    /// Returns one page of the senders.
    sender_page(sender::SenderPage) -> sender::SenderPageAnswer = sender::page;
    /// Requests a sender.
    sender_request(sender::SenderRequest) -> roost_model::sender::Sender = sender::request;
    /// Approves a pending sender.
    sender_approve(sender::SenderKey) -> roost_model::sender::Sender = sender::approve;
    /// Refuses a pending sender, which deletes it.
    sender_refuse(sender::SenderKey) -> sender::SenderDone = sender::refuse;
    /// Deletes a sender whose name the user typed.
    sender_delete(sender::SenderDelete) -> sender::SenderDone = sender::delete;
    /// Returns every change of a sender, even of a deleted one.
    sender_history(sender::SenderHistoryGet) -> sender::SenderHistory = sender::history;
    /// Returns the inbound assets, each with its opt-outs.
    asset_all(asset::AssetAll) -> asset::AssetAllAnswer = asset::all;
    /// Adds an inbound asset. A long SMS number also creates its sender.
    asset_add(asset::AssetAdd) -> asset::AssetAdded = asset::add;
    /// Removes an asset whose number the user typed. Its opt-outs stay.
    asset_remove(asset::AssetRemove) -> asset::AssetRemoved = asset::remove;
    /// Sets the keywords of an asset.
    asset_keywords(asset::AssetKeywords) -> roost_model::asset::Asset = asset::keywords;
    /// Sets whether keywords on an asset opt out of the whole account.
    asset_enforce(asset::AssetEnforce) -> roost_model::asset::Asset = asset::enforce;
    /// Simulates a message that an asset receives.
    asset_inbound(asset::AssetInbound) -> asset::AssetInboundAnswer = asset::inbound;
}
