//! Columns that look as if they said who opted out. What their values mean is never guessed; that they are there is never
//! passed over.

mod lists;
mod values;
mod words;

use std::sync::LazyLock;

use super::{OpenMapping, heads::plain};
use crate::files::import::columns::ColumnFacts;

pub use self::{
    lists::{is_list_of_opt_outs, is_title_of_opt_outs},
    values::{Certainty, OptOutFacts, each_opt_out, items},
    words::{NO, YES},
};

/// The word of a column in which every value means that somebody opted out, such as the time when.
pub const ANY_VALUE: &str = "*";
/// The word for cells that are blank.
pub const BLANK: &str = "\"\"";
/// Of so many cells in a field at least one must be a doubtful word before it looks like consent: a surname is none.
const DOUBTFUL_IN: u64 = 100;

/// The words of a table, as names are compared.
fn table(words: &str) -> Vec<String> {
    words.split(", ").map(plain).collect()
}

fn is_in(table: &[String], text: &str) -> bool {
    table.iter().any(|word| word == text)
}

fn has_phrase(text: &str, phrases: &[String]) -> bool {
    let text = format!(" {text} ");
    phrases.iter().any(|phrase| {
        text.match_indices(phrase.as_str())
            .any(|(at, _)| text[..at].ends_with(' ') && text[at + phrase.len()..].starts_with(' '))
    })
}

fn has_stem(text: &str) -> bool {
    static STEMS: LazyLock<Vec<String>> = LazyLock::new(|| table(words::STEMS));
    STEMS.iter().any(|stem| text.contains(stem.as_str()))
}

pub fn is_consent_name(head: &str) -> bool {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| table(words::NAMES));
    let head = plain(head);
    has_stem(&head) || has_phrase(&head, &NAMES)
}

/// Whether a name that means little by itself means consent with what the column holds: `SMS` with yes and no.
pub fn is_consent_by_answers(head: &str, facts: &ColumnFacts) -> bool {
    static ANSWERED: LazyLock<Vec<String>> = LazyLock::new(|| table(words::NAMES_OF_ANSWERS));
    static VALUED: LazyLock<Vec<[Vec<String>; 2]>> =
        LazyLock::new(|| words::NAMES_WITH_VALUES.map(|(names, values)| [table(names), table(values)]).to_vec());
    let head = plain(head);
    let mut values = facts.known_values().0.into_iter();
    if is_in(&ANSWERED, &head) {
        let is_no = |value: &str| NO.contains(&value.trim().to_lowercase().as_str());
        let is_answer = |value: &str| is_no(value) || YES.contains(&value.trim().to_lowercase().as_str());
        return values.clone().all(is_answer) && values.any(is_no);
    }
    let valued = VALUED.iter().find(|[names, _]| is_in(names, &head));
    valued.is_some_and(|[_, known]| values.any(|value| is_in(known, &plain(value))))
}

/// Whether a value says so, whatever its column is called.
pub fn is_opt_out(value: &str) -> bool {
    let mut is_opt_out = false;
    each_opt_out(value, |_, _| is_opt_out = true);
    is_opt_out
}

/// Whether a value says so in a column about consent.
pub fn is_opt_out_of_consent(value: &str) -> bool {
    static VALUES: LazyLock<Vec<String>> = LazyLock::new(|| table(words::OF_CONSENT));
    is_opt_out(value) || items(value).any(|item| is_in(&VALUES, &plain(item)))
}

/// By the name of the column, or by what stands in it.
pub fn looks_like_consent(head: &str, facts: &ColumnFacts) -> bool {
    is_consent_name(head) || is_consent_by_answers(head, facts) || facts.opt_outs.is_any()
}

/// Whether values of a column that fills a field say that somebody opted out.
pub fn has_opt_outs_in_field(facts: &ColumnFacts) -> bool {
    let OptOutFacts { sure, doubtful, .. } = facts.opt_outs;
    sure > 0 || (doubtful > 0 && doubtful * DOUBTFUL_IN >= facts.filled)
}

/// Whether one of the words, which are in small letters, is the value or an item of it.
pub fn says(words: &[String], value: &str) -> bool {
    let value = value.trim().to_lowercase();
    words.iter().any(|word| *word == value || word == ANY_VALUE)
        || items(&value).any(|item| words.iter().any(|word| word == item))
}

impl OpenMapping {
    /// Whether a column fills a field or says who opted out.
    pub fn uses(&self, column: u32) -> bool {
        let targets = self.targets.iter().map(|target| &target.pieces);
        let pieces = targets.chain(self.consents.iter().map(|consent| &consent.pieces)).flatten();
        pieces.into_iter().any(|piece| piece.column() == Some(&column))
    }

    /// Columns that look like consent, of which nobody said what they mean: they mean nothing, or fill a field by a guess.
    pub fn open_consents<'a>(
        &'a self,
        heads: &'a [String],
        facts: &'a [ColumnFacts],
    ) -> impl Iterator<Item = u32> + 'a {
        let is_open = |column: &u32| {
            let (head, facts) = (heads.get(*column as usize), facts.get(*column as usize));
            head.zip(facts).is_some_and(|(head, facts)| match self.uses(*column) {
                _ if facts.filled == 0 => false,
                false => !self.left_out.contains(column) && looks_like_consent(head, facts),
                true => !self.named.contains(column) && !self.is_consent(*column) && has_opt_outs_in_field(facts),
            })
        };
        (0..heads.len() as u32).filter(is_open)
    }

    fn is_consent(&self, column: u32) -> bool {
        let pieces = self.consents.iter().flat_map(|consent| &consent.pieces);
        pieces.into_iter().any(|piece| piece.column() == Some(&column))
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
            "Removed",
            "Inactive",
            "No texts",
            "Text OK",
            "Can text?",
            "Can contact",
            "May we contact you?",
            "Contact allowed",
            "TPS",
            "CTPS",
            "Objection",
            "Withdrawn",
            "Complaint",
            "Deceased",
            "Gone away",
            "Opt-Status",
            "Werbesperre",
            "Cancellato",
            "Odhlášen",
            "Avregistrerad",
            "Frameldt",
            "Отписан",
            "退订",
            "配信停止",
            "수신거부",
            "オプトアウト",
            "Op\u{200b}t out",
            "Unsub\u{200d}scribed",
            "\u{feff}Do\u{200e} not contact",
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
            "Active",
            "SMS",
            "Mobile",
            "Preferred channel",
            "Steps",
        ] {
            assert!(!is_consent_name(name), "{name}");
        }
    }

    #[test]
    fn a_column_whose_values_say_so_looks_like_consent() {
        assert!(["Unsubscribed", "opt-out", "STOP", "Hard bounce"].iter().all(|value| is_opt_out(value)));
        assert!(!["subscribed", "Bus stop", "open"].iter().any(|value| is_opt_out(value)));
        let mut facts = ColumnFacts::default();
        facts.opt_outs.look_at("vip; unsubscribed");
        assert!(looks_like_consent("Status", &facts));
        assert!(!looks_like_consent("Status", &ColumnFacts::default()));
    }

    #[test]
    fn a_name_that_means_little_means_consent_with_its_answers() {
        let facts = |samples: &[&str]| ColumnFacts {
            samples: samples.iter().map(|sample| (*sample).to_owned()).collect(),
            ..ColumnFacts::default()
        };
        for (name, samples) in [
            ("Active", &["yes", "no"][..]),
            ("SMS", &["No", "Yes"]),
            ("Texts", &["N", "Y"]),
            ("Preferred channel", &["SMS", "None"]),
            ("Opt", &["In", "Out"]),
            ("ErrorCode", &["0", "21610"]),
        ] {
            assert!(is_consent_by_answers(name, &facts(samples)), "{name}");
        }
        for (name, samples) in [
            ("Active", &["yes", "true"][..]),
            ("SMS", &["07700900001"]),
            ("Texts", &["0", "3", "12"]),
            ("Preferred channel", &["SMS", "Email"]),
            ("Member", &["yes", "no"]),
            ("Order", &["21610"]),
            ("Active", &[]),
        ] {
            assert!(!is_consent_by_answers(name, &facts(samples)), "{name}");
        }
    }
}
