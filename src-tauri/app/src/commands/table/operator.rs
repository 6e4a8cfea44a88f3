//! Senders, and the assets that messages come in on.

use crate::commands::operator::{asset, sender};

commands! {
    /// One page of the senders.
    sender_page(sender::SenderPage) -> sender::SenderPageAnswer = sender::page;
    /// Asks for a sender.
    sender_request(sender::SenderRequest) -> roost_model::sender::Sender = sender::request;
    /// Approves a pending sender.
    sender_approve(sender::SenderKey) -> roost_model::sender::Sender = sender::approve;
    /// Refuses a pending sender: it goes.
    sender_refuse(sender::SenderKey) -> sender::SenderDone = sender::refuse;
    /// Deletes a sender whose name was typed.
    sender_delete(sender::SenderDelete) -> sender::SenderDone = sender::delete;
    /// Every change of a sender, also of one that is gone.
    sender_history(sender::SenderHistoryGet) -> sender::SenderHistory = sender::history;
    /// The inbound assets, each with its opt-outs.
    asset_all(asset::AssetAll) -> asset::AssetAllAnswer = asset::all;
    /// Adds an inbound asset; a long SMS number brings its sender along.
    asset_add(asset::AssetAdd) -> asset::AssetAdded = asset::add;
    /// Removes an asset whose number was typed; its opt-outs stay.
    asset_remove(asset::AssetRemove) -> asset::AssetRemoved = asset::remove;
    /// Sets the keywords that an asset listens for.
    asset_keywords(asset::AssetKeywords) -> roost_model::asset::Asset = asset::keywords;
    /// Whether keywords on an asset opt out of the whole account.
    asset_enforce(asset::AssetEnforce) -> roost_model::asset::Asset = asset::enforce;
    /// Plays a message that comes in on an asset.
    asset_inbound(asset::AssetInbound) -> asset::AssetInboundAnswer = asset::inbound;
}
