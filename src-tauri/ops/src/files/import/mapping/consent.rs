//! Columns that look as if they said who opted out. What their values mean is never guessed; that they are there is never
//! passed over.

use super::{OpenMapping, heads::plain};
use crate::files::import::columns::ColumnFacts;

/// Words of such a name, one after the other, as names are compared: English first, then German, French, Spanish, Italian,
/// Dutch, Polish and Portuguese.
const WORDS: [&str; 100] = [
    "opt out",
    "opt outs",
    "opted out",
    "opt in",
    "optin",
    "opted in",
    "unsub",
    "unsubs",
    "do not contact",
    "do not call",
    "do not text",
    "do not sms",
    "do not message",
    "do not mail",
    "do not email",
    "do not e mail",
    "do not market",
    "dont contact",
    "don t contact",
    "no contact",
    "no sms",
    "no marketing",
    "contactable",
    "ok to contact",
    "ok to text",
    "ok to call",
    "may contact",
    "contact preference",
    "contact preferences",
    "communication preference",
    "communication preferences",
    "receive sms",
    "receive texts",
    "receive marketing",
    "allow sms",
    "allow texts",
    "newsletter",
    "do not disturb",
    "dnc",
    "dnd",
    "subscribed",
    "subscription status",
    "email status",
    "sms status",
    "stop",
    "stops",
    "stopped",
    "suppress",
    "suppressed",
    "suppression",
    "suppressions",
    "blocked",
    "bounce",
    "bounces",
    "bounced",
    "clean time",
    "clean campaign title",
    "clean campaign id",
    "cleaned",
    "complained",
    "spam report",
    "undeliverable",
    "consent",
    "consented",
    "consents",
    "permission",
    "permissions",
    "gdpr",
    "marketing",
    "widerspruch",
    "werbewiderspruch",
    "einwilligung",
    "abgemeldet",
    "abmeldung",
    "nicht kontaktieren",
    "keine werbung",
    "werbung",
    "dsgvo",
    "desabonne",
    "desinscrit",
    "desinscription",
    "ne pas contacter",
    "consentement",
    "rgpd",
    "no contactar",
    "baja",
    "consentimiento",
    "cancelado",
    "non contattare",
    "disiscritto",
    "consenso",
    "afgemeld",
    "niet contacteren",
    "toestemming",
    "nie kontaktowac",
    "wypisany",
    "zgoda",
    "nao contactar",
    "descadastrado",
    "consentimento",
];

/// Parts of a word that mean it wherever they are: `hasoptedout`, `smsunsubscribedat`.
const STEMS: [&str; 12] = [
    "optout",
    "optedout",
    "unsubscri",
    "donotcall",
    "donotcontact",
    "donottext",
    "donotmail",
    "donotemail",
    "blacklist",
    "blocklist",
    "denylist",
    "abbestell",
];

/// Values that say so whatever their column is called.
const VALUES: [&str; 37] = [
    "opt out",
    "optout",
    "opted out",
    "optedout",
    "do not contact",
    "do not call",
    "do not text",
    "do not disturb",
    "dnc",
    "dnd",
    "unsub",
    "unsubscribe",
    "unsubscribed",
    "not subscribed",
    "non subscribed",
    "stop",
    "stopall",
    "stopped",
    "suppressed",
    "blacklisted",
    "blocklisted",
    "blocked",
    "bounce",
    "bounced",
    "hard bounce",
    "hard bounced",
    "cleaned",
    "complained",
    "abgemeldet",
    "desabonne",
    "desinscrit",
    "no contactar",
    "disiscritto",
    "afgemeld",
    "wypisany",
    "descadastrado",
    "nao contactar",
];

/// What a column of consent says of somebody who opted out, where nothing else is said.
pub const YES: [&str; 17] = [
    "yes",
    "y",
    "true",
    "1",
    "x",
    "opt out",
    "opted out",
    "unsubscribed",
    "stop",
    "ja",
    "oui",
    "si",
    "sí",
    "tak",
    "sim",
    "wahr",
    "vrai",
];
/// The word of a column in which every value means that somebody opted out, such as the time when.
pub const ANY_VALUE: &str = "*";
/// What it says of the others.
pub const NO: [&str; 12] = ["no", "n", "false", "0", "-", "nein", "non", "nee", "nie", "não", "nao", "falsch"];

pub fn is_consent_name(head: &str) -> bool {
    let head = plain(head);
    let has_stem = |word: &str| STEMS.iter().any(|stem| word.contains(stem));
    let phrase = format!(" {head} ");
    head.split(' ').any(has_stem) || WORDS.iter().any(|words| phrase.contains(&format!(" {words} ")))
}

/// Whether a value says so, whatever its column is called.
pub fn is_opt_out(value: &str) -> bool {
    VALUES.contains(&plain(value).as_str())
}

/// By the name of the column, or by what stands in it.
pub fn looks_like_consent(head: &str, facts: &ColumnFacts) -> bool {
    is_consent_name(head) || facts.says_opt_out
}

impl OpenMapping {
    /// Whether a column fills a field or says who opted out.
    pub fn uses(&self, column: u32) -> bool {
        let targets = self.targets.iter().map(|target| &target.pieces);
        let pieces = targets.chain(self.consents.iter().map(|consent| &consent.pieces)).flatten();
        pieces.into_iter().any(|piece| piece.column() == Some(&column))
    }

    /// Columns that look like consent, mean nothing, and were not left out by name.
    pub fn open_consents<'a>(
        &'a self,
        heads: &'a [String],
        facts: &'a [ColumnFacts],
    ) -> impl Iterator<Item = u32> + 'a {
        let looks = |column: &u32| {
            let (head, facts) = (heads.get(*column as usize), facts.get(*column as usize));
            head.zip(facts).is_some_and(|(head, facts)| facts.filled > 0 && looks_like_consent(head, facts))
        };
        (0..heads.len() as u32).filter(|column| !self.uses(*column) && !self.left_out.contains(column)).filter(looks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_consent_are_known_in_several_languages() {
        for name in [
            "Opt out",
            "OptOut",
            "SMS opt-out?",
            "HasOptedOutOfEmail",
            "hasoptedoutofemail",
            "sms_optout_date",
            "UNSUB_TIME",
            "UNSUB_REASON",
            "last-unsub",
            "UnsubscribedAt",
            "unsubscribedat",
            "CLEAN_TIME",
            "Cleaned",
            "Bounced?",
            "SMS STOP",
            "DND status",
            "suppression.reason",
            "preferences.unsubscribed",
            "Blacklisted on",
            "Newsletter",
            "May contact by SMS",
            "Receive SMS?",
            "Do not contact",
            "DO_NOT_CALL",
            "Unsubscribed",
            "Email Unsubscribed",
            "Marketing consent",
            "GDPR",
            "Accepts Marketing",
            "Werbewiderspruch",
            "Nicht kontaktieren",
            "Désabonné",
            "Ne pas contacter",
            "No contactar",
            "Consenso",
            "Niet contacteren",
            "Zgoda",
            "Não contactar",
        ] {
            assert!(is_consent_name(name), "{name}");
        }
        for name in [
            "Phone",
            "City",
            "Shop",
            "Stopover",
            "Notes",
            "Contact",
            "Optical",
            "Option",
            "Sub total",
            "Subject",
            "Cleaning",
            "Laptop out",
            "Dining",
            "Unit",
        ] {
            assert!(!is_consent_name(name), "{name}");
        }
    }

    #[test]
    fn a_column_whose_values_say_so_looks_like_consent() {
        assert!(["Unsubscribed", "opt-out", "STOP", "Hard bounce"].iter().all(|value| is_opt_out(value)));
        assert!(!["subscribed", "Bus stop", "open"].iter().any(|value| is_opt_out(value)));
        let facts = ColumnFacts { says_opt_out: true, ..ColumnFacts::default() };
        assert!(looks_like_consent("Status", &facts));
        assert!(!looks_like_consent("Status", &ColumnFacts::default()));
    }

    #[test]
    fn words_are_written_as_names_are_compared() {
        assert!(WORDS.iter().chain(&VALUES).all(|word| plain(word) == *word));
    }
}
