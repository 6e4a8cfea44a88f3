//! What all operations have in common: ways in, bodies, limits, paging, identifiers.

use super::rows;

rows! {
    1 "transport.address" Documented ["*"]:
        "One address serves every part of the interface, over plain HTTP/1.1 on loopback.";
    2 "auth.header" Documented ["*"] set "auth":
        "The key stands in X-AUTH-KEY, without regard to case; blanks around it are cut and the first of several counts.";
    3 "auth.admission" Assumed ["*"] set "auth":
        "Any key that is not blank gets in, unless auth says everybody or only the keys it names.";
    4 "auth.unauthorized" Documented / Assumed ["*"] set "auth" + told:
        "A missing, blank, unknown or switched-off key is answered 401 with the message Unauthorized.";
    5 "auth.forbidden" Documented / Assumed ["*"] set "auth" + told:
        "With auth=keys, a key used outside its permissions or addresses is answered 403 with Access denied.";
    6 "transport.order" Assumed ["*"]:
        "Path, method, key, limit, size, syntax, identifiers, rules, existence, effect: the first check that fails answers.";
    7 "transport.trailing_slash" Documented ["*"]:
        "Every path is served with and without one slash at its end, and nothing is redirected.";
    8 "transport.path" Assumed ["*"]:
        "Segments are decoded once and keep their case; empty or dot segments lead nowhere.";
    9 "transport.query" Inferred / Assumed ["*"]:
        "Queries follow form rules; a broken escape stays as typed, and bytes that are no UTF-8 become U+FFFD.";
    10 "transport.parameters" Assumed ["*"] set "strict.parameters" + told:
        "Of a repeated parameter the first counts, but fields joins all; unknown ones are ignored unless strict.parameters is set.";
    11 "transport.blanks" Assumed ["*"]:
        "Blank paging, sorting, name and search are absent; blank filters of opt-outs are refused or match nothing.";
    12 "transport.integers" Documented / Assumed ["lists", "contacts", "optouts"]:
        "Numbers in a query have 32 bits and may carry a sign; others are refused before every other rule.";
    13 "transport.head" Assumed ["*"] + told:
        "HEAD is answered wherever GET is, as the same operation, without a body.";
    14 "transport.options" Assumed ["*"] + told:
        "OPTIONS is answered 204 with Allow on every known path, without key and limit.";
    15 "transport.wrong_method" Assumed ["*"] + told:
        "Another method on a known path is answered 405 with Allow.";
    16 "transport.unknown_path" Assumed ["*"] + told:
        "An unknown path is answered 404 in the shape of its family.";
    17 "transport.too_large" Assumed ["*"] + told:
        "A body over 64 MiB is answered 413, and nothing is changed.";
    18 "transport.content_type" Inferred / Assumed ["*"] set "strict.content_type" + told:
        "Bodies are read as JSON, and without a type unless strict.content_type is set; any other type is answered 400.";
    19 "transport.body" Assumed ["*"] set "strict.body_fields" + told:
        "A body is one JSON object; unknown keys are ignored unless strict.body_fields is set, and a wrong type is answered 400.";
    20 "transport.answers" Documented ["*"]:
        "Answers are JSON with every documented key, null where there is nothing; 204 has no body.";
    21 "transport.bodies_of_get" Assumed ["*"]:
        "A body on GET, HEAD or DELETE is read and left aside, except where opt-outs are deleted.";
    22 "transport.times" Documented / Assumed ["*"]:
        "Times are written in UTC to the second, those of contacts with a blank; filters want a Z and a real date.";
    23 "transport.version" Inferred ["*"]:
        "There is version 1 and no other.";
    24 "limits.lanes" Documented / Assumed ["*"] set "limits":
        "Each key has a bucket of its own for each operation, short links included.";
    25 "limits.bucket" Assumed ["*"] set "limits.per_second" + told:
        "A token bucket of ten a second starts full; 401 and 403 take no token, every later outcome does.";
    26 "limits.refusal" Assumed ["*"] set "limits" + told:
        "Over the limit: 429 with Retry-After in whole seconds, at least 1, and nothing is changed.";
    27 "paging.total_pages" Inferred ["senders", "lists", "contacts", "optouts", "shortlinks"]:
        "total_pages is the number of items by the page size, rounded up; 0 for none.";
    28 "paging.behind_the_end" Assumed ["senders", "lists", "contacts", "optouts", "shortlinks"]:
        "A page behind the last one is empty and answered 200, with the true totals.";
    29 "paging.page_number" Assumed ["lists", "contacts", "optouts", "shortlinks"] + told:
        "A page number below 1 is refused with the entry of its operation.";
    30 "paging.page_size" Inferred / Assumed ["lists", "contacts", "optouts", "shortlinks"]:
        "Pages hold at most 100 items, of opt-outs 1000; more is refused like 0.";
    31 "paging.several_faults" Assumed ["senders", "lists", "contacts", "optouts", "shortlinks"]:
        "Faults of a query are told together: page number, page size, sort by, sort order, then fields.";
    32 "paging.no_snapshot" Assumed ["senders", "lists", "contacts", "optouts", "shortlinks"]:
        "A page shows what there is at the moment it is asked for.";
    33 "ids.format" Inferred ["*"]:
        "An identifier is its prefix and 27 letters and digits, and nothing else of it is looked at.";
    34 "ids.making" Inferred ["*"]:
        "New identifiers are KSUIDs: those of one kind sort by the second they were made in.";
    35 "ids.other_kind" Assumed ["*"]:
        "An identifier with the prefix of another kind is malformed.";
    36 "ids.malformed" Documented / Assumed ["lists", "contacts", "optouts", "shortlinks"]:
        "A malformed identifier is refused with the field its operation has for it.";
    37 "numbers.characters" Assumed ["contacts", "optouts"]:
        "Blanks, brackets, hyphens, dots and slashes are taken out of numbers; letters and extensions are refused.";
    38 "numbers.contacts" Documented / Inferred ["contacts"] set "strict.deprecated_forms":
        "A contact's number is read with its + or by phone_region; the search compares texts and refuses nothing.";
    39 "numbers.opt_outs" Documented / Assumed ["optouts"]:
        "An opt-out's number carries its country code; the + may be left out, a leading 0 may not stand there.";
    40 "numbers.valid" Assumed ["contacts", "optouts"]:
        "Numbers are valid by libphonenumber, and so are the two British ranges reserved for fiction.";
    41 "numbers.result" Documented / Inferred ["contacts", "optouts"]:
        "Numbers are kept and answered in E.164, their region in two capitals or 001.";
    42 "numbers.length" Assumed ["contacts.create"]:
        "A contact's number has at most 16 characters as sent, counted before separators go.";
    43 "numbers.region" Documented / Assumed ["contacts.create"]:
        "phone_region is a known code in capitals, GB when left out, and goes for both numbers.";
    133 "errors.trace" Documented ["*"]:
        "An error has a trace_id of 16 hex digits and a UTC time with nine decimals.";
    134 "errors.server" Documented / Assumed ["*"] + told:
        "A fault of the server is answered 500 without its cause, in the shape of the family.";
}
