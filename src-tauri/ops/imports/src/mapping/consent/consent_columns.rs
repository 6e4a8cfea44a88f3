//! Recognizes columns about consent by their names and by their values.

use std::sync::LazyLock;

use roost_spelling::{
    consent::{ConsentName, classify_name, is_name_of_answers, word_tables},
    contains_word, has_phrase, normalize_name, parse_words,
};

use super::is_consent_refusal;
use crate::mapping::columns::ColumnFacts;

/// Digits that a date, a time or an IP address has at least.
const STAMP_DIGITS: usize = 4;

pub fn is_consent_name(head: &str) -> bool {
    classify_name(head).is_some()
}

/// Returns whether “yes” in a column permits messages to the person; `None` if that is unknown.
pub(super) fn is_yes_permission(head: &str, facts: &ColumnFacts) -> Option<bool> {
    match classify_name(head) {
        Some(kind) => kind.grants,
        None => (is_name_of_answers(head) && is_consent_by_answers(head, facts)).then_some(true),
    }
}

/// Brings a value to the form in which answers are compared.
pub(super) fn normalize_answer(value: &str) -> String {
    value.trim().trim_end_matches('\u{fe0f}').to_lowercase()
}

fn is_any_of(table: &[&str], value: &str) -> bool {
    table.contains(&normalize_answer(value).as_str())
}

pub(super) fn is_yes(value: &str) -> bool {
    is_any_of(word_tables::YES, value)
}

pub(super) fn is_granted(value: &str) -> bool {
    is_any_of(word_tables::GRANTED, value)
}

pub(super) fn is_no(value: &str) -> bool {
    is_any_of(word_tables::NO, value)
}

/// Returns whether a value is a date, a time or an IP address.
pub(super) fn is_date_or_address(value: &str) -> bool {
    let is_part = |c: char| c.is_ascii_digit() || "-/.:+ TZAPMapm".contains(c);
    value.bytes().filter(u8::is_ascii_digit).count() >= STAMP_DIGITS && value.chars().all(is_part)
}

/// Returns whether a value permits messages to the person.
pub(super) fn permits_messages(grants: Option<bool>, value: &str) -> bool {
    match grants {
        Some(true) => is_yes(value) || is_granted(value) || is_date_or_address(value),
        Some(false) => is_no(value) || is_granted(value),
        None => false,
    }
}

/// Returns whether at least half of the values of a column are “yes” or “no”.
pub fn has_yes_no_answers(facts: &ColumnFacts) -> bool {
    let values = facts.known_values().0;
    let answers = values.iter().filter(|value| is_no(value) || is_yes(value) || is_granted(value)).count();
    answers > 0 && answers * 2 >= values.len()
}

/// Returns whether a column with an ambiguous name is about consent because of its values: `SMS` with yes and no.
pub fn is_consent_by_answers(head: &str, facts: &ColumnFacts) -> bool {
    static VALUED: LazyLock<Vec<[Vec<String>; 2]>> = LazyLock::new(|| {
        word_tables::NAMES_WITH_VALUES.map(|(names, values)| [parse_words(names), parse_words(values)]).to_vec()
    });
    let values = facts.known_values().0;
    if is_name_of_answers(head) {
        return has_yes_no_answers(facts) && values.iter().any(|value| is_no(value));
    }
    let head = normalize_name(head);
    let valued = VALUED.iter().find(|[names, _]| contains_word(names, &head));
    valued.is_some_and(|[_, known]| values.iter().any(|value| contains_word(known, &normalize_name(value))))
}

/// Returns whether a column seems to say who opted out, by its name and values or by its cells alone.
pub fn looks_like_consent(head: &str, facts: &ColumnFacts) -> bool {
    facts.opt_outs.has_any() || has_opt_out_labels(head, facts) || is_consent_by_name(head, facts)
}

/// Returns whether a column of labels has one that says that somebody opted out.
pub(super) fn has_opt_out_labels(head: &str, facts: &ColumnFacts) -> bool {
    facts.opt_outs.labels > 0 && is_label_name(head)
}

pub(super) fn is_label_name(head: &str) -> bool {
    static LABELS: LazyLock<Vec<String>> = LazyLock::new(|| parse_words(word_tables::LABELS));
    has_phrase(&normalize_name(head), &LABELS)
}

fn is_consent_by_name(head: &str, facts: &ColumnFacts) -> bool {
    let Some(ConsentName { grants, depends_on_values: by_values }) = classify_name(head) else {
        return is_consent_by_answers(head, facts);
    };
    let (values, are_all) = facts.known_values();
    if by_values {
        return values.iter().any(|value| is_no(value) || is_consent_refusal(value));
    }
    // Among people who say “yes”, an empty answer is not consent.
    let has_blanks = grants == Some(true) && facts.blank > 0 && values.iter().any(|value| is_yes(value));
    !are_all || has_blanks || values.iter().any(|value| !permits_messages(grants, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::columns::ValueCount;

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
            "Send Me Texts",
            "Mobile ok",
            "Doesn't want SMS",
            "Do Not",
            "Exclude",
            "donotbulkemail",
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
            "Bus stop",
            "Photo consent",
            "Medical consent",
            "Parental consent",
            "SMS",
            "Mobile",
            "Preferred channel",
            "Steps",
        ] {
            assert!(!is_consent_name(name), "{name}");
        }
    }

    /// Returns the facts of a column that has one row for each value.
    fn column_facts(values: &[&str]) -> ColumnFacts {
        let mut facts = ColumnFacts::default();
        for value in values {
            if value.is_empty() {
                facts.blank += 1;
                continue;
            }
            facts.filled += 1;
            facts.opt_outs.add_cell(value);
            match facts.values.iter_mut().find(|known| known.text == *value) {
                Some(known) => known.count += 1,
                None => facts.values.push(ValueCount { text: (*value).to_owned(), count: 1 }),
            }
        }
        facts
    }

    #[test]
    fn names_and_values_say_together_whether_a_column_is_asked_about() {
        for (name, values) in [
            ("Status", &["vip", "unsubscribed"][..]),
            ("Status", &["STOP", "ok"]),
            ("SMS", &["No", "Yes"]),
            ("SMS", &["✓", "✗"]),
            ("SMS", &["on", "off"]),
            ("Texts", &["N", "Y"]),
            ("Preferred channel", &["SMS", "None"]),
            ("Opt", &["In", "Out"]),
            ("ErrorCode", &["0", "21610"]),
            ("Opt out", &["yes", "no"]),
            ("Opt out", &["2024-03-03"]),
            ("Unsubscribed", &["maybe"]),
            ("Accepts SMS", &["yes", "no"]),
            ("Accepts SMS", &["yes", ""]),
            ("SMS consent", &["given", "perhaps"]),
            ("Send Me Texts", &["yes", "no"]),
            ("Newsletter", &["Weekly", "no"]),
            ("Subscription status", &["active", "unsubscribed"]),
            ("Email status", &["active", "bounced"]),
            ("GDPR", &["yes"]),
            ("Tags", &["sms_optout"]),
            ("Tags", &["unsubscribed-2024"]),
            ("Tags", &["vip stop"]),
            ("Tags", &["SMS: no"]),
            ("Lists", &["Customers", "STOP list"]),
            ("Segment", &["Unsubscribed contacts"]),
        ] {
            assert!(looks_like_consent(name, &column_facts(values)), "{name}: {values:?}");
        }
        for (name, values) in [
            ("SMS", &["yes", "true"][..]),
            ("SMS", &["07700900001"]),
            ("Texts", &["0", "3", "12"]),
            ("Preferred channel", &["SMS", "Email"]),
            ("Member", &["yes", "no"]),
            ("Order", &["21610"]),
            ("SMS", &[]),
            ("Active", &["yes", "no"]),
            ("is_active", &["true", "false"]),
            ("Enabled", &["yes", "no"]),
            ("Photo consent", &["yes", "no"]),
            ("OPTIN_TIME", &["2025-12-01 10:00:00", ""]),
            ("OPTIN_IP", &["192.0.2.17"]),
            ("Opt out", &["no", "No", ""]),
            ("Unsubscribed", &["0"]),
            ("Do not contact", &["FALSE"]),
            ("Accepts SMS", &["yes", "TRUE"]),
            ("Newsletter", &["Weekly", "Monthly", ""]),
            ("Subscribed on", &["2024-03-03", "3 March 2024"]),
            ("Subscription status", &["active"]),
            ("Marketing source", &["Flyer"]),
            ("Bus stop", &["High Street"]),
            ("Order status", &["Stopped", "Paid"]),
            ("Status", &["delivered", "bounced"]),
            ("Place", &["Bus stop", "Town hall"]),
        ] {
            assert!(!looks_like_consent(name, &column_facts(values)), "{name}: {values:?}");
        }
    }
}
