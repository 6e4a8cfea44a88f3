//! Words that say who opted out, with commas between them: English first, then German, French, Spanish, Italian, Dutch,
//! Polish, Portuguese, and others. They are compared without case, accents and signs.

/// Words of the name of a column, one after the other.
pub const NAMES: &str = "\
    opt out, opt outs, opted out, opt in, optin, opted in, unsub, unsubs, do not contact, do not call, do not \
    text, do not sms, do not message, do not mail, do not email, do not e mail, do not market, dont contact, don t \
    contact, no contact, no sms, no marketing, contactable, ok to contact, ok to text, ok to call, may contact, \
    contact preference, contact preferences, communication preference, communication preferences, receive sms, \
    receive texts, receive marketing, allow sms, allow texts, accept sms, accepts sms, accepts texts, accepts \
    calls, accepts email, accepts emails, wants sms, wants texts, agrees to sms, agreed to sms, newsletter, do not \
    disturb, dnc, dnd, subscribed, subscription status, email status, sms status, stop, stops, stopped, suppress, \
    suppressed, suppression, suppressions, blocked, bounce, bounces, bounced, clean time, clean campaign title, \
    clean campaign id, cleaned, complained, spam report, undeliverable, consent, consented, consents, permission, \
    permissions, gdpr, marketing, widerspruch, werbewiderspruch, einwilligung, abgemeldet, abmeldung, nicht \
    kontaktieren, keine werbung, werbung, dsgvo, desabonne, desinscrit, desinscription, ne pas contacter, \
    consentement, rgpd, no contactar, baja, consentimiento, cancelado, non contattare, disiscritto, consenso, \
    afgemeld, niet contacteren, toestemming, nie kontaktowac, wypisany, zgoda, nao contactar, descadastrado, \
    consentimento, opt status, ok to message, ok to mail, ok to email, text ok, texts ok, texting ok, sms ok, \
    calls ok, can text, can sms, can call, can contact, can message, can we contact, can we text, may we contact, \
    may we text, contact allowed, contact permitted, texts allowed, no texts, no text, no calls, not contactable, \
    do not use, gone away, deceased, inactive, removed, withdrawn, withdrew, objection, objected, complaint, \
    complaints, tps, ctps, uncontactable, stop date, stop time, werbesperre, kontaktsperre, gesperrt, sperrliste, \
    cancellato, cancellata, no llamar, rechazado, desinscrite, desabonnee, uitgeschreven, odhlasen, odhlasena, \
    odhlaseny, odhlaseno, nekontaktovat, avregistrerad, avanmald, kontakta inte, frameldt, afmeldt, kontakt ikke, \
    avmeldt, leiratkozott, dezabonat, odjavljen";

/// Parts of a word that mean it wherever they are: `hasoptedout`, `smsunsubscribedat`.
pub const STEMS: &str = "\
    optout, optedout, unsubscri, donotcall, donotcontact, donottext, donotmail, donotemail, blacklist, blocklist, \
    denylist, abbestell, abonelikten, отписан, отписал, відписа, 退订, 退訂, 拒收, 配信停止, 配信拒否, 購読解除, 受信拒否, 수신거부, オプトアウト";

/// Names that mean consent where the column answers yes or no, and no at least once.
pub const NAMES_OF_ANSWERS: &str = "\
    active, is active, enabled, sms, sms marketing, text, texts, texting, text message, text messages, email, \
    emails, e mail, mail, mailing, mailings, mailing list, phone, phone calls, call, calls, whatsapp, contact, \
    contact me, promotions, offers, updates, reachable, aktiv, actif, activo, attivo, actief, aktywny, ativo";

/// Names that mean consent where the column holds one of the values.
pub const NAMES_WITH_VALUES: [(&str, &str); 3] = [
    ("opt, opt in out, in out", "out, opt out, opted out"),
    (
        "preferred channel, preferred contact, preferred contact method, contact method, contact by, channel",
        "none, no, never, nothing, nobody",
    ),
    ("error code, error, last error, last error code, twilio error", "21610"),
];

/// Values that say so whatever their column is called.
pub const SURE: &str = "\
    opt out, optout, opted out, optedout, do not contact, do not call, do not text, do not disturb, unsubscribe, \
    unsubscribed, not subscribed, non subscribed, stopall, blacklisted, blocklisted, hard bounce, hard bounced, \
    abgemeldet, desabonne, desinscrit, no contactar, disiscritto, afgemeld, wypisany, descadastrado, nao \
    contactar, optouts, opt outs, opted out of sms, sms opt out, sms stop, stop sms, stop all, do not mail, do not \
    email, do not message, do not sms, do not market, never contact, no consent, consent withdrawn, consent \
    revoked, withdrew consent, no marketing, no sms, no texts, unsubscribed user, unsubscribe me, denylisted, \
    suppression list, spam complaint, abbestellt, nicht kontaktieren, werbesperre, desabonnee, desinscrite, ne pas \
    contacter, non contattare, niet contacteren, uitgeschreven, nie kontaktowac, odhlasen, odhlasena, \
    nekontaktovat, avregistrerad, avanmald, kontakta inte, frameldt, afmeldt, avmeldt, leiratkozott, dezabonat, \
    отписан, отписалась, отписался, 退订, 退訂, 配信停止, 配信拒否, 購読解除, 수신거부, オプトアウト";

/// Values that say so, and may be names or words for something else: a surname, a drain that is blocked.
pub const DOUBTFUL: &str = "\
    blocked, bounce, bounced, cleaned, complained, dnc, dnd, stop, stopped, suppressed, unsub, arret, baja, \
    complaint, no contact, cancelar suscripcion, stoplist, uncontactable";

/// Values that say so only in a column about consent.
pub const OF_CONSENT: &str = "\
    gone, gone away, left, removed, inactive, withdrawn, withdrew, refused, declined, denied, revoked, rejected, \
    objected, cancelled, canceled, deceased, opposed, no consent, denylist, 21610, gekundigt, widersprochen, \
    abbestellt, refuse, annule, cancelado, rechazado, cancellato, geweigerd, odmowa, recusado";

/// Phrases of the name of a file, a sheet or a list that holds those who opted out; the values that say so surely are others.
/// `*` is any ending of a word, and “not” is any word of `NOT`.
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

/// Words that mean “not” in such a phrase, and directly before one turn it around. The “t” is that of “don't”.
pub const NOT: &str = "not, never, t, dont, doesnt, didnt, cannot, cant";

/// Words that give a phrase another meaning directly before it: `non opted out`, `bus stop`.
pub const BEFORE: &str = "no, non, nicht, pas, bus, one, duplicates, dupes";

/// The same directly behind it: `opt-outs removed`, `DNC-scrubbed`.
pub const BEHIND: &str = "\
    removed, excluded, deleted, scrubbed, filtered, screened, cleaned, checked, free, entfernt, bereinigt, exclus, \
    duplicates, shop";

/// Words of such a name behind which stands what is not in the list, or is only a part of it: `all (incl unsubscribed)`.
pub const EXCEPT: &str = "\
    without, except, excluding, excl, exclude, excluded, minus, including, includes, include, incl, inkl, ohne, ausser, \
    sans, sauf, sin, excepto, senza, zonder, bez, sem";

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
/// What it says of the others.
pub const NO: [&str; 12] = ["no", "n", "false", "0", "-", "nein", "non", "nee", "nie", "não", "nao", "falsch"];
