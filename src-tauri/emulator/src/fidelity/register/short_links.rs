//! Rows about short links.

use super::rows;

rows! {
    116 "shortlinks.paths" Inferred ["shortlinks"]:
        "Links are created at /assets/v1/shortlink and searched at /assets/v1/shortlink/filter. They cannot be \
         changed.";
    117 "shortlinks.record" Inferred ["shortlinks"]:
        "A link has the same seven keys in every response.";
    118 "shortlinks.create.title" Assumed ["shortlinks.create"] + header:
        "A title is trimmed and then has 1 to 100 characters.";
    119 "shortlinks.create.target_url" Assumed ["shortlinks.create"] + header:
        "A target is an absolute http or https address of at most 2048 characters.";
    120 "shortlinks.create.tags" Documented / Assumed ["shortlinks.create"] + header:
        "At most 10 tags of 50 letters, digits, spaces, hyphens and underscores. Equal tags count once.";
    121 "shortlinks.create.track_clicks" Assumed ["shortlinks.create"]:
        "Clicks are recorded unless the request says otherwise.";
    122 "shortlinks.create.faults" Assumed ["shortlinks.create"]:
        "Errors are reported together: title, target, tags.";
    123 "shortlinks.create.again" Assumed ["shortlinks.create"]:
        "The same target gets a new link each time.";
    124 "shortlinks.url" Inferred ["shortlinks"] set "short_link_base":
        "A short URL is the base and six letters and digits that are never reused.";
    125 "shortlinks.unknown" Documented / Assumed ["shortlinks.get", "shortlinks.delete"] + header:
        "A missing link is answered 404 with its identifier, for GET and DELETE.";
    126 "shortlinks.search.body" Assumed ["shortlinks.search"]:
        "Groups can be left out or null. An empty body is refused.";
    127 "shortlinks.search.query" Documented / Assumed ["shortlinks.search"]:
        "Every word must be in the title or a tag. Words of four characters or more may have one typing error.";
    128 "shortlinks.search.tags" Documented / Assumed ["shortlinks.search"]:
        "All given tags must be present, and match exactly.";
    129 "shortlinks.search.times" Assumed ["shortlinks.search"] + header:
        "Both bounds are inclusive. A malformed one is refused.";
    130 "shortlinks.search.sort" Documented / Assumed ["shortlinks.search"]:
        "Links are sorted by created_at only, and equal ones by identifier.";
    131 "shortlinks.search.page" Inferred / Assumed ["shortlinks.search"] set "strict.deprecated_forms" + header:
        "Page numbers can be numbers or texts of digits, unless strict.deprecated_forms is set.";
    132 "shortlinks.search.faults" Assumed ["shortlinks.search"]:
        "Errors are reported together: times, sort field, sort order, page number, page size.";
}
