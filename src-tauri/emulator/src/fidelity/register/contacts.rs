//! Rows about contacts: the query, creation, jobs and their callback.

use super::rows;

rows! {
    58 "contacts.query.fields" Documented / Inferred ["contacts.query"]:
        "fields is split at commas; an unknown or blank name is refused with an entry each.";
    59 "contacts.query.chosen_fields" Assumed ["contacts.query"] + told:
        "With fields, only the keys it names are answered, uid only when it is named.";
    60 "contacts.query.unpaged" Documented / Assumed ["contacts.query"] + told:
        "Without page_number all contacts come in one answer, as page 1 of 1.";
    61 "contacts.query.default_size" Assumed ["contacts.query"] + told:
        "With page_number and without page_size a page holds 10.";
    62 "contacts.query.order" Inferred ["contacts.query"]:
        "Contacts come newest first, of one second by uid downwards.";
    63 "contacts.query.unknown_list" Assumed ["contacts.query"] + told:
        "A list that is not there is answered 400, List not found, after all other checks.";
    64 "contacts.query.record" Documented ["contacts.query"]:
        "A contact has every documented key and one for each custom field, null where there is nothing.";
    65 "contacts.delete.unknown" Assumed ["contacts.delete"] set "unknown_on_delete" + told:
        "Deleting a contact that is not there is answered 400, Contact not found.";
    66 "contacts.create.types" Assumed ["contacts.create"]:
        "A wrong JSON type anywhere in the request makes the whole body unreadable.";
    67 "contacts.create.path" Inferred ["contacts.create"]:
        "Contacts are created by POST /contacts/v1/contacts.";
    68 "contacts.create.status" Assumed ["contacts.create"] set "status.contact_create" + told:
        "Queued contacts are answered 200 with SUCCESS_CNT_GEN_001 and a sentence that says so.";
    69 "contacts.create.order" Assumed ["contacts.create"]:
        "Body, identifier, all rules together, then whether the list is there; one bad contact refuses all.";
    70 "contacts.create.entries" Assumed ["contacts.create"]:
        "Entries come in the order list, region, merge type, callback, contacts; by contact, then by attribute.";
    71 "contacts.create.no_list" Assumed ["contacts.create"] + told:
        "A missing list_id is refused with must not be blank.";
    72 "contacts.create.region" Documented / Assumed ["contacts.create"]:
        "With an invalid phone_region, numbers without + are checked for their size alone.";
    73 "contacts.create.merge_type" Documented / Assumed ["contacts.create"]:
        "A missing or unknown merge_type is refused with the four there are.";
    74 "contacts.create.callback_url" Assumed ["contacts.create"] + told:
        "callback_url is an absolute http or https address of at most 2048 characters.";
    75 "contacts.create.correlation_id" Assumed ["contacts.create"]:
        "correlation_id is any text, and comes back as it was.";
    76 "contacts.create.empty" Documented ["contacts.create"]:
        "No contacts are refused with must not be empty.";
    77 "contacts.create.too_many" Assumed ["contacts.create"] + told:
        "More than 10,000 contacts are refused by their number, and none of them is looked at.";
    78 "contacts.create.no_number" Documented / Assumed ["contacts.create"]:
        "A contact without either number is refused as a whole.";
    79 "contacts.create.bad_number" Documented / Assumed ["contacts.create"]:
        "An invalid number is refused with one entry for its contact.";
    80 "contacts.create.sizes" Documented / Assumed ["contacts.create"]:
        "Attributes are counted in characters as sent; nothing else of them is checked.";
    81 "contacts.create.unknown_attributes" Assumed ["contacts.create"]:
        "Unknown attributes and undefined custom fields are left aside.";
    82 "contacts.create.null" Assumed ["contacts.create"]:
        "A null attribute is an absent one; nothing empties an attribute.";
    83 "contacts.create.job" Documented / Assumed ["contacts.create"]:
        "Jobs run in their order and contacts in theirs, each seeing what came before it.";
    84 "contacts.create.skip" Documented / Assumed ["contacts.create"]:
        "skipDuplicates skips a phone number the list has; a contact with a WhatsApp number alone is never one.";
    85 "contacts.create.merge" Documented / Assumed ["contacts.create"]:
        "A merge changes every contact of the list with the number; without a match a new one is made.";
    86 "contacts.create.lists" Assumed ["contacts.create"]:
        "A person is one record in each list, and merges stay within a list.";
    87 "callback.when" Documented ["callback"]:
        "One callback tells of each job that asked for it, after the last contact can be read.";
    88 "callback.payload" Documented / Assumed ["callback"]:
        "The payload has the counts as texts, and a null correlation_id where none was given.";
    89 "callback.counts" Documented / Assumed ["callback"]:
        "Imported are records made, merged those changed, failed those not kept; skipped ones are in no count.";
    90 "callback.request" Assumed ["callback"]:
        "A callback is a POST of JSON without key and signature, within 10 s, and follows no redirect.";
    91 "callback.retries" Assumed ["callback"] set "callback.retries":
        "Any 2xx is success; no line, a time-out, 408, 429 and 5xx are tried again three times, 60 s apart.";
    92 "contacts.create.job_status" Inferred ["contacts.create"]:
        "No operation of the interface shows a job.";
}
