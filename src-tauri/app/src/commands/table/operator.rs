//! The commands on senders and on inbound assets.

use crate::{
    commands::{
        Done, Nothing,
        operator::{asset, sender},
    },
    reading::PageResponse,
};

commands! {
    /// Returns one page of the senders.
    read sender_page(sender::SenderPage) -> PageResponse<roost_model::sender::Sender> = sender::page;
    /// Requests a sender.
    write sender_request(sender::SenderRequest) -> roost_model::sender::Sender = sender::request;
    /// Approves a pending sender.
    write sender_approve(sender::SenderKey) -> roost_model::sender::Sender = sender::approve;
    /// Refuses a pending sender, which deletes it.
    write sender_refuse(sender::SenderKey) -> Done = sender::refuse;
    /// Deletes a sender whose name the user typed.
    write sender_delete(sender::SenderDelete) -> Done = sender::delete;
    /// Returns every change of a sender, even of a deleted one.
    read sender_history(sender::SenderHistoryGet) -> roost_ops::sender::SenderHistory = sender::history;
    /// Returns the inbound assets, each with its opt-outs.
    read asset_all(Nothing) -> asset::AssetAllAnswer = asset::all;
    /// Adds an inbound asset. A long SMS number also creates its sender.
    write asset_add(asset::AssetAdd) -> asset::AssetAdded = asset::add;
    /// Removes an asset whose number the user typed. Its opt-outs stay.
    write asset_remove(asset::AssetRemove) -> roost_ops::asset::AssetRemoved = asset::remove;
    /// Sets the keywords of an asset.
    write asset_keywords(asset::AssetKeywords) -> roost_model::asset::Asset = asset::keywords;
    /// Sets whether keywords on an asset opt out of the whole account.
    write asset_enforce(asset::AssetEnforce) -> roost_model::asset::Asset = asset::enforce;
    /// Simulates a message that an asset receives.
    write asset_inbound(asset::AssetInbound) -> asset::AssetInboundAnswer = asset::inbound;
}
