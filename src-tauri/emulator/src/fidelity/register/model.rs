//! Rows about the model behind the interface, and about what the operator does in place of the service's own pages.

use super::rows;

rows! {
    141 "model.account" Assumed ["*"]:
        "There is one account, and every key that gets in sees all of it.";
    142 "model.sender_names" Documented / Assumed ["operator"]:
        "A sender's name has 3 to 11 characters with a letter, or is a number of a known form, and is unique.";
    143 "model.sender_life" Inferred / Assumed ["operator"]:
        "A requested name is pending until it is approved or refused; a number is verified at once.";
    144 "model.custom_fields" Inferred / Assumed ["operator", "contacts"]:
        "Custom fields are numbered and never numbered again; a fresh account has three.";
    145 "model.assets" Inferred / Assumed ["operator"]:
        "SMS assets are long numbers or short codes, WhatsApp assets numbers; a long number makes its own sender.";
    146 "model.asset_options" Documented / Assumed ["operator"]:
        "Assets have the keywords STOP and UNSUBSCRIBE; opt-outs for the whole account are off.";
    147 "model.asset_removed" Assumed ["operator", "optouts"]:
        "Opt-outs of an asset that is gone stay; new ones for it are refused.";
    148 "model.keyword_opt_out" Documented / Assumed ["operator"]:
        "A message that is a keyword, in any case, makes an opt-out of its asset; any other message makes none.";
    149 "model.web_opt_out" Documented ["operator"]:
        "An opt-out on a web form is one for the whole account.";
    150 "model.account_import" Documented / Assumed ["operator"]:
        "Rows of an import are checked like opt-outs by the interface; bad ones are told and left out.";
    151 "short_link.opening" Assumed ["short_link"] set "short_link_base":
        "A short URL is answered 302 and is not to be cached; an unknown one 404 without a body.";
    152 "short_link.clicks" Documented / Assumed ["short_link"]:
        "Opening a link that tracks clicks records one; the interface does not show it.";
    153 "model.contact" Documented / Assumed ["contacts"]:
        "A contact belongs to one list, and opt-outs and contacts never change each other.";
    154 "model.list_clock" Inferred ["lists", "operator"]:
        "Changes by the operator move a list's updated_at, too.";
    155 "model.sending" Documented ["*"]:
        "Nothing is sent, so nothing is held back.";
}
