//! Tables of words that say who opted out, separated by commas: English first, then German, French, Spanish, Italian,
//! Dutch, Polish, Portuguese, and others. They are compared without regard to case, accents and punctuation.

/// Phrases in the name of a column that says who opted out.
pub const OPTS_OUT: &str = "\
    opt out, opt outs, opted out, unsub, unsubs, do not, dont, don t, does not want, doesn t want, not want, no \
    contact, no sms, no text, no texts, no calls, no marketing, no consent, not contactable, uncontactable, dnc, dnd, \
    tps, ctps, stop, stops, stopped, stop date, stop time, suppress, suppressed, suppression, suppressions, blocked, \
    bounce, bounces, bounced, clean time, clean campaign title, clean campaign id, cleaned, complained, complaint, \
    complaints, spam report, undeliverable, exclude, excluded, remove, removed, inactive, withdrawn, withdrew, \
    objection, objected, gone away, deceased, widerspruch, werbewiderspruch, abgemeldet, abmeldung, nicht \
    kontaktieren, keine werbung, werbesperre, kontaktsperre, gesperrt, sperrliste, desabonne, desabonnee, desinscrit, \
    desinscrite, desinscription, ne pas contacter, no contactar, no llamar, baja, cancelado, rechazado, non \
    contattare, disiscritto, cancellato, cancellata, afgemeld, uitgeschreven, niet contacteren, nie kontaktowac, \
    wypisany, nao contactar, descadastrado, odhlasen, odhlasena, odhlaseny, odhlaseno, nekontaktovat, avregistrerad, \
    avanmald, kontakta inte, frameldt, afmeldt, kontakt ikke, avmeldt, leiratkozott, dezabonat, odjavljen";

/// Phrases in the name of a column that says who may be written to.
pub const GRANTS: &str = "\
    opt in, optin, opted in, consent, consented, consents, permission, permissions, contactable, ok to, text ok, \
    texts ok, texting ok, sms ok, calls ok, mobile ok, phone ok, may contact, may text, may we contact, may we text, \
    can text, can sms, can call, can contact, can message, can we contact, can we text, contact allowed, contact \
    permitted, texts allowed, send me, receive sms, receive texts, receive marketing, allow sms, allow texts, accept \
    sms, accepts, wants sms, wants texts, agrees to sms, agreed to sms, einwilligung, consentement, consentimiento, \
    consenso, toestemming, zgoda, consentimento";

/// Phrases in the name of a column that may say either.
pub const PREFERENCES: &str = "\
    contact preference, contact preferences, communication preference, communication preferences, opt status, gdpr, \
    dsgvo, rgpd";

/// Phrases in the name of a column that says so only if a value refuses something. Other values are kinds and dates of
/// newsletters.
pub const STATUSES: &str = "subscription status, email status, sms status, marketing, werbung";
/// Phrases of the same kind, in names of columns in which “yes” permits messages.
pub const SUBSCRIPTIONS: &str = "subscribed, newsletter";

/// Phrases in names of columns about something else.
pub const NAMES_EXCEPT: &str = "bus stop, photo, photos, photography, medical, parental";

/// Words in the name of a column of labels.
pub const LABELS: &str = "\
    tag, tags, label, labels, group, groups, category, categories, list, lists, segment, segments, audience";

/// Parts of a word that mean an opt-out wherever they are in it: `hasoptedout`, `smsunsubscribedat`.
pub const STEMS: &str = "\
    optout, optedout, unsubscri, donot, blacklist, blocklist, denylist, abbestell, abonelikten, отписан, отписал, \
    відписа, 退订, 退訂, 拒收, 配信停止, 配信拒否, 購読解除, 受信拒否, 수신거부, オプトアウト";

/// Names that mean consent if the values of the column are yes and no, with at least one no.
pub const NAMES_OF_ANSWERS: &str = "\
    sms, sms marketing, text, texts, texting, text message, text messages, email, emails, e mail, mail, mailing, \
    mailings, mailing list, phone, phone calls, call, calls, whatsapp, whats app, contact, contact me, promotions, \
    offers, updates, reachable";

/// Names that mean consent if the column has one of the values.
pub const NAMES_WITH_VALUES: [(&str, &str); 3] = [
    ("opt, opt in out, in out", "out, opt out, opted out"),
    (
        "preferred channel, preferred contact, preferred contact method, contact method, contact by, channel",
        "none, no, never, nothing, nobody",
    ),
    ("error code, error, last error, last error code, twilio error", "21610"),
];

/// Values that mean an opt-out in any column.
pub const SURE: &str = "\
    opt out, optout, opted out, optedout, do not contact, do not call, do not text, do not disturb, unsubscribe, \
    unsubscribed, not subscribed, non subscribed, stopall, blacklisted, blocklisted, hard bounce, hard bounced, \
    abgemeldet, desabonne, desinscrit, no contactar, disiscritto, afgemeld, wypisany, descadastrado, nao contactar, \
    optouts, opt outs, opted out of sms, sms opt out, sms stop, stop sms, stop all, do not mail, do not email, do not \
    message, do not sms, do not market, never contact, no consent, consent withdrawn, consent revoked, withdrew \
    consent, no marketing, no sms, no texts, keine sms, pas de sms, geen sms, sms no, texts no, marketing no, \
    unsubscribed user, unsubscribe me, denylisted, suppression list, spam complaint, abbestellt, nicht kontaktieren, \
    werbesperre, desabonnee, desinscrite, ne pas contacter, non contattare, niet contacteren, uitgeschreven, nie \
    kontaktowac, odhlasen, odhlasena, nekontaktovat, avregistrerad, avanmald, kontakta inte, frameldt, afmeldt, \
    avmeldt, leiratkozott, dezabonat, отписан, отписалась, отписался, 退订, 退訂, 配信停止, 配信拒否, 購読解除, 수신거부, オプトアウト";

/// Values that mean an opt-out, but may also be a name or a word for something else: a surname, a drain that is
/// blocked.
pub const DOUBTFUL: &str = "\
    blocked, cleaned, complained, dnc, dnd, stop, suppressed, unsub, arret, baja, complaint, no contact, cancelar \
    suscripcion, stoplist, uncontactable";

/// Values that mean an opt-out only in a column about consent.
pub const OF_CONSENT: &str = "\
    bounce, bounced, stopped, gone, gone away, left, removed, inactive, withdrawn, withdrew, refused, declined, \
    denied, revoked, rejected, objected, cancelled, canceled, deceased, opposed, no consent, denylist, gekundigt, \
    widersprochen, abbestellt, refuse, annule, cancelado, rechazado, cancellato, geweigerd, odmowa, recusado";

/// Phrases in the name of a file, a sheet or a list of people who opted out, in addition to the values of [`SURE`]. `*`
/// is any ending of a word, and “not” is any word of [`NOT`].
pub const LISTS: &str = "\
    opt out*, opted out, opting out, unsub, unsubs, not contact, not call, not text, not sms, not message, not mail, \
    not email, not e mail, not market, not disturb, not send, not want, not wish, not to be, not be contacted, not be \
    texted, not be called, not be messaged, not be emailed, not subscribed, not opted in, not opt in, not consent*, \
    not interested, no contact, no text, no calls, no permission, no opt in, no longer want*, no longer wish*, said \
    no, non subscribed, nonsubscribed, non consent*, without consent, without marketing consent, without permission, \
    without opt in, stop, stops, stoplist, dnc, dnd, suppress*, block list, blocked, bounces, bounced, hard bounce*, \
    complaints, complained, cleaned members, cleaned segment, removal*, removed, please remove, to remove, remove \
    me, remove from, withdrew, withdrawn, tps, ctps, erasure*, deletion request*, right to be forgotten, forget me, \
    objection*, objected, lapsed, leavers, gone away*, deceased, uncontactable, exclusions, exclusion list, exclude \
    list, abgemeld*, abmeld*, keine werbung, keine sms, keine nachrichten, kein kontakt, kein interesse, ohne \
    einwilligung, ohne zustimmung, widerruf*, widerspr*, werbewiderspr*, werbesperre*, kontaktsperre*, sperrliste*, \
    gesperrt*, desabonn*, desinscri*, ne pas, ne plus, ne veu*, sans consentement, pas interesse*, liste noire, liste \
    rouge, de baja, bajas, desuscri*, no molestar, no llamar, no enviar, no quieren, no desean, lista negra, sin \
    consentimiento, disiscri*, cancellati, cancellate, lista nera, non disturbare, senza consenso, afgemeld*, \
    afmeld*, uitgeschreven, uitschrijving*, niet benaderen, niet bellen, geen reclame, geen sms, zwarte lijst, zonder \
    toestemming, wypisan*, bez zgody, czarna lista, descadastr*, nao perturb*, sem consentimento, avregistr*, \
    avanmal*, frameld*, avmeld*, svartlist*, odhlas*, leiratkoz*, dezabon*, odjav*, διαγραφ*, отписа*, отказ*, הוסר*, \
    הסר*, הסירו, לא לפנות, לא לשלוח, إلغاء الاشتراك, الغاء الاشتراك, عدم الاتصال, القائمة السوداء";

/// Words that mean “not” in such a phrase and that reverse a phrase behind them. The “t” is that of “don't”.
pub const NOT: &str = "not, never, t, dont, doesnt, didnt, cannot, cant";

/// Words that give the phrase directly behind them another meaning: `non opted out`, `bus stop`.
pub const BEFORE: &str = "no, non, nicht, pas, bus, one, duplicates, dupes";

/// Words that give the phrase directly before them another meaning: `opt-outs removed`, `DNC-scrubbed`.
pub const BEHIND: &str = "\
    removed, excluded, deleted, scrubbed, filtered, screened, cleaned, checked, free, entfernt, bereinigt, exclus, \
    duplicates, shop";

/// Words that introduce people who are not in the list or are only a part of it: `all (incl unsubscribed)`.
pub const EXCEPT: &str = "\
    without, except, excluding, excl, exclude, excluded, minus, including, includes, include, incl, inkl, ohne, ausser, \
    sans, sauf, sin, excepto, senza, zonder, bez, sem";

/// Words that reverse a value behind them.
pub const NEGATIONS: &str = "\
    not, no, non, never, without, nicht, nie, kein, keine, ohne, pas, jamais, sans, nunca, sin, niet, geen, senza, \
    bez, sem, nao";

/// Answers that mean “yes”, in small letters.
pub const YES: &[&str] = &[
    "yes", "y", "true", "t", "1", "x", "on", "✓", "✔", "☑", "✅", "ja", "j", "oui", "si", "sí", "tak", "sim", "wahr",
    "vrai", "ano", "да", "はい", "是", "예",
];
/// Answers that mean “no”, in small letters.
pub const NO: &[&str] = &[
    "no",
    "n",
    "false",
    "f",
    "0",
    "-",
    "off",
    "✗",
    "✘",
    "✕",
    "❌",
    "☐",
    "nein",
    "non",
    "nee",
    "nie",
    "nej",
    "nei",
    "não",
    "nao",
    "ne",
    "falsch",
    "нет",
    "いいえ",
    "否",
    "아니오",
];
/// Values for a person who may be written to.
pub const GRANTED: &[&str] = &[
    "granted",
    "given",
    "opted in",
    "opted-in",
    "opt in",
    "opt-in",
    "optin",
    "subscribed",
    "allowed",
    "accepted",
    "agreed",
    "consented",
    "confirmed",
    "permitted",
    "active",
];
/// Values that mean an opt-out if nobody names any.
pub const OPTED_OUT: &[&str] = &["opt out", "opted out", "unsubscribed", "stop"];
