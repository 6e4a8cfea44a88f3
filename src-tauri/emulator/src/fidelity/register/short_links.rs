//! Short links.

use super::rows;

rows! {
    116 "shortlinks.paths" Inferred ["shortlinks"]:
        "Links are created at /assets/v1/shortlink and searched below it at /filter; nothing changes one.";
    117 "shortlinks.record" Inferred ["shortlinks"]:
        "A link has the same seven keys wherever it is answered.";
    118 "shortlinks.create.title" Assumed ["shortlinks.create"] + told:
        "A title is trimmed and has 1 to 100 characters.";
    119 "shortlinks.create.target_url" Assumed ["shortlinks.create"] + told:
        "A target is an absolute http or https address of at most 2048 characters.";
    120 "shortlinks.create.tags" Documented / Assumed ["shortlinks.create"] + told:
        "At most 10 tags of 50 letters, digits, blanks, hyphens and underscores; equal ones are one.";
    121 "shortlinks.create.track_clicks" Assumed ["shortlinks.create"]:
        "Clicks are recorded unless the request says otherwise.";
    122 "shortlinks.create.faults" Assumed ["shortlinks.create"]:
        "Faults are told together: title, target, tags.";
    123 "shortlinks.create.again" Assumed ["shortlinks.create"]:
        "The same target gets a new link each time.";
    124 "shortlinks.url" Inferred ["shortlinks"] set "short_link_base":
        "A short URL is the base and six letters and digits that are never used again.";
    125 "shortlinks.unknown" Documented / Assumed ["shortlinks.get", "shortlinks.delete"] + told:
        "A link that is not there is answered 404 with its identifier; DELETE as GET.";
    126 "shortlinks.search.body" Assumed ["shortlinks.search"]:
        "Groups may be left out or null; an empty body is refused.";
    127 "shortlinks.search.query" Documented / Assumed ["shortlinks.search"]:
        "Every word has to be in the title or a tag; one of four characters or more with one slip of the pen.";
    128 "shortlinks.search.tags" Documented / Assumed ["shortlinks.search"]:
        "All tags that are given have to be there, letter for letter.";
    129 "shortlinks.search.times" Assumed ["shortlinks.search"] + told:
        "Both bounds belong to what is found; a malformed one is refused.";
    130 "shortlinks.search.sort" Documented / Assumed ["shortlinks.search"]:
        "Links are sorted by created_at alone; equal ones by their identifier.";
    131 "shortlinks.search.page" Inferred / Assumed ["shortlinks.search"] set "strict.deprecated_forms" + told:
        "Page numbers may be numbers or text of digits, unless strict.deprecated_forms is set.";
    132 "shortlinks.search.faults" Assumed ["shortlinks.search"]:
        "Faults are told together: times, sort field, sort order, page number, page size.";
}
