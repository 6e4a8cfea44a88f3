//! Rows about what all operations share: ways in, bodies, limits, paging and identifiers.

use super::rows;

rows! {
    1 "transport.address" Documented ["*"]:
        "One address serves every part of the interface, over plain HTTP/1.1 on loopback.";
    2 "auth.header" Documented ["*"] set "auth":
        "The key is in X-AUTH-KEY (the name ignores case). Spaces around it are removed, and the first of several \
         counts.";
    3 "auth.admission" Assumed ["*"] set "auth":
        "Any key that is not blank is accepted, unless the setting auth admits everybody or only the keys it names.";
    4 "auth.unauthorized" Documented / Assumed ["*"] set "auth" + header:
        "A missing, blank, unknown or disabled key is answered 401 with the message Unauthorized.";
    5 "auth.forbidden" Documented / Assumed ["*"] set "auth" + header:
        "With auth=keys, a key used outside its permissions or addresses is answered 403 with Access denied.";
    6 "transport.order" Assumed ["*"]:
        "The first failing check answers: path, method, key, limit, size, syntax, identifiers, rules, existence, \
         effect.";
    7 "transport.trailing_slash" Documented ["*"]:
        "Every path works with and without a final slash. Nothing is redirected.";
    8 "transport.path" Assumed ["*"]:
        "Path segments are decoded once and are case-sensitive. Empty or dot segments match no operation.";
    9 "transport.query" Inferred / Assumed ["*"]:
        "Queries follow form rules. Invalid escapes stay as typed, and bytes that are not UTF-8 become U+FFFD.";
    10 "transport.parameters" Assumed ["*"] set "strict.parameters" + header:
        "The first of a repeated parameter counts; fields joins all. Unknown ones are ignored unless strict.parameters is set.";
    11 "transport.blanks" Assumed ["*"]:
        "Blank paging, sorting, name and search count as missing. Blank opt-out filters are refused or match nothing.";
    12 "transport.integers" Documented / Assumed ["lists", "contacts", "optouts"]:
        "Numbers in a query have 32 bits and can have a sign. Others are refused before all other rules.";
    13 "transport.head" Assumed ["*"] + header:
        "HEAD works wherever GET does, as the same operation, without a body.";
    14 "transport.options" Assumed ["*"] + header:
        "OPTIONS is answered 204 with Allow on every known path, without a key and without a limit.";
    15 "transport.wrong_method" Assumed ["*"] + header:
        "Another method on a known path is answered 405 with Allow.";
    16 "transport.unknown_path" Assumed ["*"] + header:
        "An unknown path is answered 404 in the shape of its family.";
    17 "transport.too_large" Assumed ["*"] + header:
        "A body over 64 MiB is answered 413, and nothing is changed.";
    18 "transport.content_type" Inferred / Assumed ["*"] set "strict.content_type" + header:
        "A body needs the type JSON, or no type unless strict.content_type is set. Every other type is answered 400, \
         not 415.";
    19 "transport.body" Assumed ["*"] set "strict.body_fields" + header:
        "A body is one JSON object. Unknown keys are ignored unless strict.body_fields is set. A wrong type is answered 400.";
    20 "transport.answers" Documented ["*"]:
        "Responses are JSON with every documented key, null if there is no value. 204 has no body.";
    21 "transport.bodies_of_get" Assumed ["*"]:
        "A body on GET, HEAD or DELETE is read and ignored, except when opt-outs are deleted.";
    22 "transport.times" Documented / Assumed ["*"]:
        "Times are in UTC to the second, those of contacts with a space. Filters need a Z and a real date.";
    23 "transport.version" Inferred ["*"]:
        "Version 1 is the only version.";
    24 "limits.lanes" Documented / Assumed ["*"] set "limits":
        "Each key has its own bucket for each operation, including short links.";
    25 "limits.bucket" Assumed ["*"] set "limits.per_second" + header:
        "A token bucket of ten per second starts full. 401 and 403 take no token, every later outcome does.";
    26 "limits.refusal" Assumed ["*"] set "limits" + header:
        "Over the limit: 429 with Retry-After in whole seconds, at least 1. Nothing is changed.";
    27 "paging.total_pages" Inferred ["senders", "lists", "contacts", "optouts", "shortlinks"]:
        "total_pages is the number of items divided by the page size, rounded up. It is 0 for no items.";
    28 "paging.behind_the_end" Assumed ["senders", "lists", "contacts", "optouts", "shortlinks"]:
        "A page after the last one is empty and answered 200, with the true totals.";
    29 "paging.page_number" Assumed ["lists", "contacts", "optouts", "shortlinks"] + header:
        "A page number below 1 is refused with the operation's own entry.";
    30 "paging.page_size" Inferred / Assumed ["lists", "contacts", "optouts", "shortlinks"]:
        "Pages hold at most 100 items, for opt-outs 1000. More is refused like 0.";
    31 "paging.several_faults" Assumed ["senders", "lists", "contacts", "optouts", "shortlinks"]:
        "Query errors are reported together: page number, page size, sort by, sort order, then fields.";
    32 "paging.no_snapshot" Assumed ["senders", "lists", "contacts", "optouts", "shortlinks"]:
        "A page shows the state at the moment of the request.";
    33 "ids.format" Inferred ["*"]:
        "An identifier is its prefix and 27 letters and digits. Nothing else is checked.";
    34 "ids.making" Inferred ["*"]:
        "New identifiers are KSUIDs: those of one kind sort by the second of creation.";
    35 "ids.other_kind" Assumed ["*"]:
        "An identifier with the prefix of another kind is malformed.";
    36 "ids.malformed" Documented / Assumed ["lists", "contacts", "optouts", "shortlinks"]:
        "A malformed identifier is refused with the field that the operation uses for it.";
    37 "numbers.characters" Assumed ["contacts", "optouts"]:
        "Spaces, brackets, hyphens, dots and slashes are removed from numbers. Letters and extensions are refused.";
    38 "numbers.contacts" Documented / Inferred ["contacts"] set "strict.deprecated_forms":
        "A contact's number is read with its + or by phone_region. The search compares texts and refuses nothing.";
    39 "numbers.opt_outs" Documented / Assumed ["optouts"]:
        "An opt-out's number includes its country code. The + can be left out, a leading 0 is refused.";
    40 "numbers.valid" Assumed ["contacts", "optouts"]:
        "Valid numbers are those of libphonenumber and the two British ranges reserved for fiction.";
    41 "numbers.result" Documented / Inferred ["contacts", "optouts"]:
        "Numbers are stored and returned in E.164, their region in two capital letters or 001.";
    42 "numbers.length" Assumed ["contacts.create"]:
        "A contact's number has at most 16 characters as sent, counted before separators are removed.";
    43 "numbers.region" Documented / Assumed ["contacts.create"]:
        "phone_region is a known code in capital letters, GB by default, and applies to both numbers.";
    133 "errors.trace" Documented ["*"]:
        "An error has a trace_id of 16 hex digits and a UTC time with nine decimals.";
    134 "errors.server" Documented / Assumed ["*"] + header:
        "An internal error is answered 500 without its cause, in the shape of the family.";
}
