//! Opt-outs.

use super::rows;

rows! {
    93 "optouts.query.asset_name" Documented ["optouts.query"]:
        "The asset of a record is called inbound_asset_id.";
    94 "optouts.query.asset_fields" Documented ["optouts.query"] set "opt_outs.asset_fields":
        "Only records of type keyword name their asset; of all others the keys are absent.";
    95 "optouts.identity" Documented / Assumed ["optouts"]:
        "Number, channel and scope name a record; creating it again replaces type, time and asset.";
    96 "optouts.query.ties" Assumed ["optouts.query"]:
        "Records of the same second come in the order they were made; a replaced one is new.";
    97 "optouts.query.number" Inferred / Assumed ["optouts.query"] set "strict.deprecated_forms" + told:
        "A plus that was not encoded arrives as a space and is cut, unless strict.deprecated_forms is set.";
    98 "optouts.query.assets" Documented / Assumed ["optouts.query"]:
        "Filters by asset or inbound number find only records that carry them; they are never dropped.";
    99 "optouts.query.messages" Documented / Assumed ["optouts.query"]:
        "Three faults are told by their message alone, in a fixed order, without a trace.";
    100 "optouts.query.times" Assumed ["optouts.query"] + told:
        "A malformed time is refused with INVALID_FORMAT; a start after the end finds nothing.";
    101 "optouts.query.sort_order" Assumed ["optouts.query"] + told:
        "A sort order that is none is refused with sorting.order.generic.";
    102 "optouts.create.entries" Documented ["optouts.create"] set "opt_outs.entries":
        "Only the first entry counts.";
    103 "optouts.create.empty" Assumed ["optouts.create"]:
        "No entries are refused as a missing field.";
    104 "optouts.create.number" Documented / Assumed ["optouts.create"]:
        "A missing number refuses the request.";
    105 "optouts.create.channel" Documented / Assumed ["optouts.create"]:
        "channel has no case and is SMS when left out; an unknown one fails its entry.";
    106 "optouts.create.success" Documented / Assumed ["optouts.create"]:
        "Success is told in the same words when a record was replaced.";
    107 "optouts.create.order" Assumed ["optouts.create"]:
        "An entry is checked for channel, number, the asset's form, its channel, its existence.";
    108 "optouts.create.failures" Documented / Assumed ["optouts.create"]:
        "A failed entry has number, channel, status and message, and nothing else.";
    109 "optouts.delete.status" Inferred ["optouts.delete"] set "status.opt_out_delete":
        "Deleting is answered 200, also when every number failed.";
    110 "optouts.delete.faults" Documented / Assumed ["optouts.delete"]:
        "Body, numbers, channel, asset and their fit are checked in this order.";
    111 "optouts.delete.asset" Assumed ["optouts.delete"]:
        "An asset without a channel brings its own; an unknown one fails each number.";
    112 "optouts.delete.what" Documented / Assumed ["optouts.delete"]:
        "With an asset its own record goes, without one every record of the number on the channels.";
    113 "optouts.delete.messages" Documented / Assumed ["optouts.delete"]:
        "A number that is not found is told with the channel, the asset, or any channel.";
    114 "optouts.delete.repeats" Assumed ["optouts.delete"]:
        "Numbers are taken one after another, so the second of two equal ones is not found.";
    115 "optouts.notices" Documented ["optouts"]:
        "Nobody is told of an opt-out.";
}
