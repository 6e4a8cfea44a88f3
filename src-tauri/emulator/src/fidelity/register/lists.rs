//! Rows about senders and lists.

use super::rows;

rows! {
    44 "senders.query.paging" Documented / Assumed ["senders.query"] + told:
        "Bad paging is answered with an entry each for page number and page size, without a code.";
    45 "senders.unknown" Inferred / Assumed ["senders.get", "senders.delete"] + told:
        "A sender that is not there is answered 404 with the code 3006; GET as DELETE.";
    46 "senders.malformed" Assumed ["senders.get", "senders.delete"]:
        "A malformed sender identifier is one that is not there.";
    47 "senders.query.order" Assumed ["senders.query"] + told:
        "Senders come newest first.";
    48 "senders.delete.any" Assumed ["senders.delete"]:
        "Any sender of the account may be deleted, pending or verified, name or number.";
    49 "lists.create.status" Assumed ["lists.create"] set "status.list_create" + told:
        "A new list is answered 200 with uid and name.";
    50 "lists.create.name" Documented / Assumed ["lists.create"]:
        "A list's name has 1 to 120 characters, counted as sent, and is kept as sent.";
    51 "lists.create.same_name" Documented / Assumed ["lists.create"] set "lists.unique_names" + told:
        "Two lists may have the same name; with the setting on, the second is refused.";
    52 "lists.query.sorting" Inferred / Assumed ["lists.query"]:
        "Names are sorted without regard to case; equal ones by their identifier.";
    53 "sorting.case" Assumed ["lists.query", "optouts.query", "shortlinks.search"]:
        "Sort fields and orders are taken as the interface writes them, and in no other case.";
    54 "lists.query.name" Documented ["lists.query"]:
        "The filter name finds a part of the name without regard to case; a blank one filters nothing.";
    55 "lists.delete.unknown" Assumed ["lists.delete"] set "unknown_on_delete" + told:
        "Deleting a list that is not there is answered 400, List not found.";
    56 "lists.delete.contacts" Assumed ["lists.delete"]:
        "A deleted list takes its contacts along; a job that waited for it ends with all of them failed.";
    57 "lists.updated_at" Inferred ["lists"]:
        "updated_at moves when a contact of the list is created, merged or deleted, and not when a job only skips.";
}
