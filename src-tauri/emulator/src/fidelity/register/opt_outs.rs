//! Rows about opt-outs.

use super::rows;

rows! {
    93 "optouts.query.asset_name" Documented ["optouts.query"]:
        "The asset of a record is called inbound_asset_id.";
    94 "optouts.query.asset_fields" Documented ["optouts.query"] set "opt_outs.asset_fields":
        "Only records of type keyword name their asset. Others do not have the keys.";
    95 "optouts.identity" Documented / Assumed ["optouts"]:
        "Number, channel and scope identify a record. Creating it again replaces type, time and asset.";
    96 "optouts.query.ties" Assumed ["optouts.query"]:
        "Records of the same second come in the order of creation. A replaced record counts as new.";
    97 "optouts.query.number" Inferred / Assumed ["optouts.query"] set "strict.deprecated_forms" + header:
        "An unescaped plus arrives as a space and is removed, unless strict.deprecated_forms is set.";
    98 "optouts.query.assets" Documented / Assumed ["optouts.query"]:
        "Filters by asset or inbound number only match records that have them. They are never ignored.";
    99 "optouts.query.messages" Documented / Assumed ["optouts.query"]:
        "Three errors are reported by their message alone, in a fixed order, without a trace.";
    100 "optouts.query.times" Assumed ["optouts.query"] + header:
        "A malformed time is refused with INVALID_FORMAT. A start after the end matches nothing.";
    101 "optouts.query.sort_order" Assumed ["optouts.query"] + header:
        "An invalid sort order is refused with sorting.order.generic.";
    102 "optouts.create.entries" Documented ["optouts.create"] set "opt_outs.entries":
        "Only the first entry counts.";
    103 "optouts.create.empty" Assumed ["optouts.create"]:
        "An empty list of entries is refused as a missing field.";
    104 "optouts.create.number" Documented / Assumed ["optouts.create"]:
        "A missing number refuses the request.";
    105 "optouts.create.channel" Documented / Assumed ["optouts.create"]:
        "channel ignores case and defaults to SMS. An unknown channel fails its entry.";
    106 "optouts.create.success" Documented / Assumed ["optouts.create"]:
        "The success message is the same when a record was replaced.";
    107 "optouts.create.order" Assumed ["optouts.create"]:
        "An entry is checked for channel, number, form of the asset, its channel, its existence.";
    108 "optouts.create.failures" Documented / Assumed ["optouts.create"]:
        "A failed entry has only number, channel, status and message.";
    109 "optouts.delete.status" Inferred ["optouts.delete"] set "status.opt_out_delete":
        "Deleting is answered 200 even if every number failed.";
    110 "optouts.delete.faults" Documented / Assumed ["optouts.delete"]:
        "Checks run in this order: body, numbers, channel, asset, whether channel and asset match.";
    111 "optouts.delete.asset" Assumed ["optouts.delete"]:
        "An asset without a channel implies its own channel. An unknown asset fails each number.";
    112 "optouts.delete.what" Documented / Assumed ["optouts.delete"]:
        "With an asset, only its record is removed. Without one, all records of the number on the channels are \
         removed.";
    113 "optouts.delete.messages" Documented / Assumed ["optouts.delete"]:
        "A number that is not found is reported with the channel, the asset, or any channel.";
    114 "optouts.delete.repeats" Assumed ["optouts.delete"]:
        "Numbers are processed in order, so the second of two equal ones is not found.";
    115 "optouts.notices" Documented ["optouts"]:
        "Opt-outs notify nobody.";
}
