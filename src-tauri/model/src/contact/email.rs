//! Checks e-mail addresses as people type them. The service accepts any text, so only what a person enters is checked.

/// Providers whose names are often misspelt, with so many users that the misspelt domain is hardly anybody's own.
const MISSPELT: [(&str, &str); 24] = [
    ("gmial.com", "gmail.com"),
    ("gmal.com", "gmail.com"),
    ("gmai.com", "gmail.com"),
    ("gmil.com", "gmail.com"),
    ("gamil.com", "gmail.com"),
    ("gnail.com", "gmail.com"),
    ("gmaill.com", "gmail.com"),
    ("gmail.co", "gmail.com"),
    ("gmail.cm", "gmail.com"),
    ("gmail.om", "gmail.com"),
    ("googlemial.com", "googlemail.com"),
    ("hotmial.com", "hotmail.com"),
    ("hotmal.com", "hotmail.com"),
    ("hotmai.com", "hotmail.com"),
    ("hotmil.com", "hotmail.com"),
    ("hotnail.com", "hotmail.com"),
    ("outlok.com", "outlook.com"),
    ("outllok.com", "outlook.com"),
    ("outloook.com", "outlook.com"),
    ("yaho.com", "yahoo.com"),
    ("yahooo.com", "yahoo.com"),
    ("yhaoo.com", "yahoo.com"),
    ("iclod.com", "icloud.com"),
    ("icoud.com", "icloud.com"),
];
/// Endings that no domain has, with the intended ones.
const MISTYPED_ENDINGS: [(&str, &str); 3] = [(".con", ".com"), (".cmo", ".com"), (".vom", ".com")];

/// Returns whether mail could be sent to this text: one mailbox at a domain with an ending.
pub fn is_email_address(text: &str) -> bool {
    let Some((mailbox, domain)) = text.trim().rsplit_once('@') else { return false };
    is_mailbox(mailbox) && is_domain(domain)
}

fn is_mailbox(mailbox: &str) -> bool {
    let is_taken = |c: char| !c.is_whitespace() && !c.is_control() && !"@,;:<>()[]\\\"".contains(c);
    let is_quoted = mailbox.len() > 2 && mailbox.starts_with('"') && mailbox.ends_with('"');
    is_quoted || (mailbox.split('.').all(|part| !part.is_empty()) && mailbox.chars().all(is_taken))
}

fn is_domain(domain: &str) -> bool {
    let is_label = |label: &str| {
        let is_taken = |c: char| c.is_alphanumeric() || c == '-';
        !label.is_empty() && label.chars().all(is_taken) && !label.starts_with('-') && !label.ends_with('-')
    };
    let ending = domain.rsplit('.').next().unwrap_or_default();
    let has_ending = domain.contains('.') && ending.chars().count() > 1 && !ending.chars().all(|c| c.is_ascii_digit());
    has_ending && domain.split('.').all(is_label)
}

/// Returns the address without an obvious typing error, if it has one.
pub fn fix_typing_error(text: &str) -> Option<String> {
    let (mailbox, domain) = text.trim().rsplit_once('@')?;
    // The key was hit twice.
    let mailbox = mailbox.trim_end_matches('@');
    let lower = domain.to_lowercase();
    let ended =
        MISTYPED_ENDINGS.iter().find_map(|(slip, intended)| Some(format!("{}{intended}", lower.strip_suffix(slip)?)));
    let named = ended.unwrap_or(lower);
    let intended = MISSPELT.iter().find(|(slip, _)| *slip == named).map_or(named.as_str(), |(_, intended)| intended);
    let is_same = intended.eq_ignore_ascii_case(domain) || intended == domain.to_lowercase();
    let fixed = format!("{mailbox}@{}", if is_same { domain } else { intended });
    (fixed != text.trim() && is_email_address(&fixed)).then_some(fixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_distinguished_from_texts_that_mail_cannot_reach() {
        for valid in [
            "ada@example.com",
            " ada@example.com ",
            "ada.byrne+news@mail.example.co.uk",
            "o'brien@example.org",
            "\"ada byrne\"@example.com",
            "jürgen@münchen.example",
            "a@b.museum",
        ] {
            assert!(is_email_address(valid), "{valid}");
        }
        for invalid in [
            "",
            "ada",
            "bad@@example.com",
            "@example.com",
            "ada@",
            "ada@example",
            "ada@example..com",
            "ada@.example.com",
            "ada@-example.com",
            "ada@192.0.2.1",
            "ada byrne@example.com",
            "ada@example.com, bo@example.com",
            ".ada@example.com",
            "ada..b@example.com",
            "Ada <ada@example.com>",
        ] {
            assert!(!is_email_address(invalid), "{invalid}");
        }
    }

    #[test]
    fn slips_are_seen_and_nothing_else_is() {
        for (typed, intended) in [
            ("ada@gmial.com", "ada@gmail.com"),
            ("ada@GMIAL.com", "ada@gmail.com"),
            ("ada@gmail.con", "ada@gmail.com"),
            ("ada@gmial.con", "ada@gmail.com"),
            ("ada@example.con", "ada@example.com"),
            ("bad@@example.com", "bad@example.com"),
        ] {
            assert_eq!(fix_typing_error(typed).as_deref(), Some(intended), "{typed}");
        }
        for right in ["ada@gmail.com", "Ada@Example.COM", "ada@example.co", "ada@icon.example", "ada", "@gmial.com"] {
            assert_eq!(fix_typing_error(right), None, "{right}");
        }
        assert!(MISSPELT.iter().all(|(slip, intended)| slip != intended && is_email_address(&format!("a@{intended}"))));
    }
}
