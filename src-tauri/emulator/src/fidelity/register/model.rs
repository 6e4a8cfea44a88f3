//! Rows about the model behind the interface, and about what the operator does in place of the service's own pages.

use super::rows;

rows! {
    141 "model.account" Assumed ["*"]:
        "There is one account. Every accepted key sees all of it.";
    142 "model.sender_names" Documented / Assumed ["operator"]:
        "A sender's name is unique. It has 3 to 11 characters with a letter, or is a number of a known form.";
    143 "model.sender_life" Inferred / Assumed ["operator"]:
        "A requested name is pending until it is approved or rejected. A number is verified immediately.";
    144 "model.custom_fields" Inferred / Assumed ["operator", "contacts"]:
        "Custom fields have numbers that are never reused. A new account has three.";
    145 "model.assets" Inferred / Assumed ["operator"]:
        "SMS assets are long numbers or short codes, WhatsApp assets are numbers. A long number creates its own \
         sender.";
    146 "model.asset_options" Documented / Assumed ["operator"]:
        "Assets have the keywords STOP and UNSUBSCRIBE. Opt-outs for the whole account are off.";
    147 "model.asset_removed" Assumed ["operator", "optouts"]:
        "Opt-outs of a removed asset stay. New ones for it are refused.";
    148 "model.keyword_opt_out" Documented / Assumed ["operator"]:
        "A message that is a keyword, in any case, creates an opt-out of its asset. Other messages create none.";
    149 "model.web_opt_out" Documented ["operator"]:
        "A web form creates an opt-out for the whole account.";
    150 "model.account_import" Documented / Assumed ["operator"]:
        "Imported rows are checked like opt-outs of the interface. Invalid rows are reported and skipped.";
    151 "short_link.opening" Assumed ["short_link"] set "short_link_base":
        "A short URL is answered 302 and must not be cached. An unknown one is answered 404 without a body.";
    152 "short_link.clicks" Documented / Assumed ["short_link"]:
        "Opening a link that tracks clicks records a click. The interface does not show it.";
    153 "model.contact" Documented / Assumed ["contacts"]:
        "A contact belongs to one list. Opt-outs and contacts never change each other.";
    154 "model.list_clock" Inferred ["lists", "operator"]:
        "Changes through the admin interface also change a list's updated_at.";
    155 "model.sending" Documented ["*"]:
        "Nothing is sent, so nothing is blocked.";
}
