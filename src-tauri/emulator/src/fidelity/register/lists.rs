//! Rows about senders and lists.

use super::rows;

rows! {
    44 "senders.query.paging" Documented / Assumed ["senders.query"] + header:
        "Invalid paging gets an entry each for page number and page size, without a code.";
    45 "senders.unknown" Inferred / Assumed ["senders.get", "senders.delete"] + header:
        "A missing sender is answered 404 with the code 3006, for GET and DELETE.";
    46 "senders.malformed" Assumed ["senders.get", "senders.delete"]:
        "A malformed sender identifier is treated like a missing sender.";
    47 "senders.query.order" Assumed ["senders.query"] + header:
        "Senders come newest first.";
    48 "senders.delete.any" Assumed ["senders.delete"]:
        "Any sender of the account can be deleted: pending or verified, name or number.";
    49 "lists.create.status" Assumed ["lists.create"] set "status.list_create" + header:
        "A new list is answered 200 with uid and name.";
    50 "lists.create.name" Documented / Assumed ["lists.create"]:
        "A list's name has 1 to 120 characters as sent, and is stored as sent.";
    51 "lists.create.same_name" Documented / Assumed ["lists.create"] set "lists.unique_names" + header:
        "Two lists can have the same name. With the setting on, the second one is refused.";
    52 "lists.query.sorting" Inferred / Assumed ["lists.query"]:
        "Names are sorted ignoring case, and equal ones by identifier.";
    53 "sorting.case" Assumed ["lists.query", "optouts.query", "shortlinks.search"]:
        "Sort fields and orders are case-sensitive.";
    54 "lists.query.name" Documented ["lists.query"]:
        "The filter name matches a part of the name, ignoring case. A blank filter matches all.";
    55 "lists.delete.unknown" Assumed ["lists.delete"] set "unknown_on_delete" + header:
        "Deleting a missing list is answered 400, List not found.";
    56 "lists.delete.contacts" Assumed ["lists.delete"]:
        "Deleting a list deletes its contacts. A job waiting for the list ends with all contacts failed.";
    57 "lists.updated_at" Inferred ["lists"]:
        "updated_at changes when a contact of the list is created, merged or deleted, not when a job only skips \
         contacts.";
}
