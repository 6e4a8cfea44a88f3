//! Rows about contacts: the query, creation, jobs and their callback.

use super::rows;

rows! {
    58 "contacts.query.fields" Documented / Inferred ["contacts.query"]:
        "fields is split at commas. Each unknown or blank name gets an error entry.";
    59 "contacts.query.chosen_fields" Assumed ["contacts.query"] + header:
        "With fields, only the named keys are returned. uid is returned only when it is named.";
    60 "contacts.query.unpaged" Documented / Assumed ["contacts.query"] + header:
        "Without page_number, all contacts come in one response, as page 1 of 1.";
    61 "contacts.query.default_size" Assumed ["contacts.query"] + header:
        "With page_number and without page_size, a page holds 10.";
    62 "contacts.query.order" Inferred ["contacts.query"]:
        "Contacts come newest first. Within the same second, they are sorted by uid, descending.";
    63 "contacts.query.unknown_list" Assumed ["contacts.query"] + header:
        "A missing list is answered 400, List not found, after all other checks.";
    64 "contacts.query.record" Documented ["contacts.query"]:
        "A contact has every documented key and one per custom field. Missing values are null.";
    65 "contacts.delete.unknown" Assumed ["contacts.delete"] set "unknown_on_delete" + header:
        "Deleting a missing contact is answered 400, Contact not found.";
    66 "contacts.create.types" Assumed ["contacts.create"]:
        "A wrong JSON type anywhere makes the whole body unreadable.";
    67 "contacts.create.path" Inferred ["contacts.create"]:
        "Contacts are created by POST /contacts/v1/contacts.";
    68 "contacts.create.status" Assumed ["contacts.create"] set "status.contact_create" + header:
        "Queued contacts are answered 200 with SUCCESS_CNT_GEN_001 and a fixed sentence.";
    69 "contacts.create.order" Assumed ["contacts.create"]:
        "Checks run in this order: body, identifier, all rules together, the list's existence. One invalid contact \
         refuses all.";
    70 "contacts.create.entries" Assumed ["contacts.create"]:
        "Error entries come in the order list, region, merge type, callback, contacts; then by contact and attribute.";
    71 "contacts.create.no_list" Assumed ["contacts.create"] + header:
        "A missing list_id is refused with must not be blank.";
    72 "contacts.create.region" Documented / Assumed ["contacts.create"]:
        "With an invalid phone_region, numbers without + are only checked for their length.";
    73 "contacts.create.merge_type" Documented / Assumed ["contacts.create"]:
        "A missing or unknown merge_type is refused, naming the four that exist.";
    74 "contacts.create.callback_url" Assumed ["contacts.create"] + header:
        "callback_url is an absolute http or https address of at most 2048 characters.";
    75 "contacts.create.correlation_id" Assumed ["contacts.create"]:
        "correlation_id is any text and is returned unchanged.";
    76 "contacts.create.empty" Documented ["contacts.create"]:
        "An empty list of contacts is refused with must not be empty.";
    77 "contacts.create.too_many" Assumed ["contacts.create"] + header:
        "More than 10,000 contacts are refused because of their number. None of them is checked.";
    78 "contacts.create.no_number" Documented / Assumed ["contacts.create"]:
        "A contact without either number is refused with one entry for the contact.";
    79 "contacts.create.bad_number" Documented / Assumed ["contacts.create"]:
        "An invalid number is refused with one entry for its contact.";
    80 "contacts.create.sizes" Documented / Assumed ["contacts.create"]:
        "Attributes are only checked for their length, in characters as sent.";
    81 "contacts.create.unknown_attributes" Assumed ["contacts.create"]:
        "Unknown attributes and undefined custom fields are ignored.";
    82 "contacts.create.null" Assumed ["contacts.create"]:
        "A null attribute is the same as a missing one. Nothing clears an attribute.";
    83 "contacts.create.job" Documented / Assumed ["contacts.create"]:
        "Jobs run in order, and so do their contacts. Each contact sees the effects of those before it.";
    84 "contacts.create.skip" Documented / Assumed ["contacts.create"]:
        "skipDuplicates skips phone numbers that are in the list. A contact with only a WhatsApp number is never \
         skipped.";
    85 "contacts.create.merge" Documented / Assumed ["contacts.create"]:
        "A merge changes every contact of the list with the number. Without a match, a new one is created.";
    86 "contacts.create.lists" Assumed ["contacts.create"]:
        "A person has a separate contact in each list. Merges stay within a list.";
    87 "callback.when" Documented ["callback"]:
        "Each job that asked for a callback sends one, after all its contacts can be read.";
    88 "callback.payload" Documented / Assumed ["callback"]:
        "The payload has the counts as texts, and a null correlation_id if none was given.";
    89 "callback.counts" Documented / Assumed ["callback"]:
        "Imported are created records, merged are changed ones, failed are those not stored. Skipped ones are in no \
         count.";
    90 "callback.request" Assumed ["callback"]:
        "A callback is a JSON POST without key or signature. It has 10 s and follows no redirect.";
    91 "callback.retries" Assumed ["callback"] set "callback.retries":
        "Any 2xx is success. No connection, a timeout, 408, 429 and 5xx are retried three times, 60 s apart.";
    92 "contacts.create.job_status" Inferred ["contacts.create"]:
        "No operation of the interface shows a job.";
}
