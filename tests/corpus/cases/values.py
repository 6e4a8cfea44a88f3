"""What cells say: numbers, consent, several telephones, heads in other words, dates."""

from __future__ import annotations

from dataclasses import replace

from cases.text import text
from model import (
    CELL,
    COLUMN,
    HEADS,
    PEOPLE,
    ROW,
    TABLE,
    TELEPHONE,
    Case,
    Consent,
    Contact,
    Left,
    Options,
    american,
    landline,
    mobile,
    national,
    person,
    row,
)

GB = Options(country="GB")


def numbers(file: str, cells: list[str], expected: list[str], options: Options = Options()) -> Case:
    """One number a row, as it is written, and as it must be taken; an empty one is rejected."""
    table = [["First name", "Mobile"], *([f"P{at}", cell] for at, cell in enumerate(cells))]
    taken = [{"firstname": f"P{at}", "phone_number": one} for at, one in enumerate(expected) if one]
    rejected = [(at + 2, cells[at]) for at, one in enumerate(expected) if not one]
    return Case(file, text(table), taken, rejected=rejected, options=options)


def some(count: int) -> list[str]:
    return [mobile(101 + at) for at in range(count)]


NUMBERS = [
    numbers("number-national.csv", ["07700900101", "07700900102", "07700900103"], some(3), GB),
    numbers("number-lost-zero.csv", ["7700900101", "7700900102"], some(2), GB),
    numbers("number-double-zero.csv", ["00447700900101", "0044 7700 900102"], some(2)),
    numbers("number-no-plus.csv", ["447700900101", "44 7700 900102"], some(2)),
    numbers("number-formats.csv", ["(07700) 900-101", "07700.900.102", "07700/900103", "07700-900-104", "+44 (0)7700 900105"], some(5), GB),
    numbers("number-float.csv", ["447700900101.0", "447700900102.0"], some(2)),
    numbers("number-float-national.csv", ["7700900101.0", "7700900102.00"], some(2), GB),
    numbers("number-exact-exponent.csv", ["4.47700900101E+11", "4.47700900102e+11", "447700900103"], some(3)),
    numbers("number-shortened.csv", ["4.48E+11", "4.4770E+11", "447700900103"], ["", "", mobile(103)]),
    numbers("number-decimal-comma.csv", ["4,48E+11", "447700900102,0", "447700900103"], ["", mobile(102), mobile(103)]),
    numbers("number-thousands.csv", ["447,700,900,101", "447 700 900 102"], some(2)),
    numbers("number-as-formula.csv", ['="07700900101"', '="+447700900102"'], some(2), GB),
    numbers("number-apostrophe.csv", ["'07700900101", "'+447700900102"], some(2), GB),
    numbers("number-tel.csv", ["tel:+447700900101", "tel:+44-7700-900102", "TEL: 07700 900103"], some(3), GB),
    numbers("number-word-behind.csv", ["07700 900101 (mobile)", "+44 7700 900102 (Mobile)", "07700900103 (home)", "Mobile: 07700 900104"], some(4), GB),
    numbers("number-extension.csv", ["07700 900101 ext 5", "07700 900102 x12", "07700900103 Ext. 7"], some(3), GB),
    numbers("number-name-in-front.csv", ["Ada 07700 900101", "Ada Müller <+447700900102>", "\"07700 900103\"", "<+447700900104>"], some(4), GB),
    numbers("number-prefixes.csv", ["++447700900101", "011 44 7700 900102", "447700900103@c.us"], some(3), GB),
    numbers("number-direction-marks.csv", ["\u202a+447700900101\u202c", "\u200e07700 900102", "\u2066+44 7700 900103\u2069"], some(3), GB),
    numbers("number-odd-spaces.csv", ["07700\u00a0900101", "07700\u2009900102", "07700\u200b900103", "\ufeff07700900104"], some(4), GB),
    numbers("number-odd-digits.csv", ["０７７００９００１０１", "٠٧٧٠٠٩٠٠١٠٢"], some(2), GB),
    numbers("number-odd-dashes.csv", ["07700‑900‑101", "07700–900–102", "07700−900−103"], some(3), GB),
    numbers("number-landline.csv", ["020 7946 0101", "(020) 79460102"], [landline(101), landline(102)], GB),
    numbers("number-american.csv", ["(202) 555-0101", "202-555-0102", "2025550103", "+1 202 555 0104"], [american(at) for at in range(101, 105)], Options(country="US")),
    numbers("number-mixed-countries.csv", ["+447700900101", "+12025550102", "+447700900103"], [mobile(101), american(102), mobile(103)]),
    Case("number-country-of-row.csv", text([["First name", "Mobile", "Country"], ["P0", "07700900101", "United Kingdom"], ["P1", "(202) 555-0102", "USA"], ["P2", "202-555-0103", "us"], ["P3", "07700900104", ""]]), [{"firstname": "P0", "phone_number": mobile(101), "country": "United Kingdom"}, {"firstname": "P1", "phone_number": american(102), "country": "USA"}, {"firstname": "P2", "phone_number": american(103), "country": "us"}, {"firstname": "P3", "phone_number": mobile(104)}], options=GB),
    numbers("number-errors.csv", ["#REF!", "#N/A", "#VALUE!", "07700900104"], ["", "", "", mobile(104)], GB),
    numbers("number-words.csv", ["n/a", "none", "-", "unknown", "07700900105"], ["", "", "", "", mobile(105)], GB),
    numbers("number-null-words.csv", ["NULL", "nan", "None", "NaN", "07700900105"], ["", "", "", "", mobile(105)], GB),
    numbers("number-too-long-too-short.csv", ["077009001011", "0770090010", "07700900103"], ["", "", mobile(103)], GB),
    numbers("number-with-letters.csv", ["07700 9OO101", "O7700900102", "07700900103"], ["", "", mobile(103)], GB),
]  # fmt: skip


def consent(
    file: str, column: str, cells: list[str], meaning: tuple[str, ...], out: set[int], console: bool = True
) -> Case:
    """Five people with a column of consent; the places of those who opted out."""
    table = [[*HEADS, column], *([*row(at), cell] for at, cell in enumerate(cells))]
    out_numbers = frozenset(mobile(101 + at) for at in out)
    options = Options(country="GB", consent=Consent(column, meaning))
    return Case(file, text(table), PEOPLE, out_numbers, left=[Left(COLUMN, column)], options=options, console=console)


CONSENT = [
    consent("consent-yes-and-no.csv", "Opt out", ["no", "yes", "no", "yes", ""], ("yes",), {1, 3}),
    consent("consent-true-and-false.csv", "Opted out", ["TRUE", "FALSE", "FALSE", "FALSE", "TRUE"], ("TRUE",), {0, 4}),
    consent("consent-crosses.csv", "Do not contact", ["", "x", "", "", "x"], ("x",), {1, 4}),
    consent("consent-ones-and-zeros.csv", "DNC", ["0", "1", "0", "0", "0"], ("1",), {1}),
    consent("consent-numbers.csv", "unsubscribed", ["1", "0", "0", "1", "0"], ("1",), {0, 3}),
    consent("consent-status.csv", "Status", ["Subscribed", "Unsubscribed", "Subscribed", "Unsubscribed", "Subscribed"], ("Unsubscribed",), {1, 3}),
    consent("consent-given.csv", "SMS consent", ["yes", "no", "yes", "no", "yes"], ("no",), {1, 3}),
    consent("consent-opt-in.csv", "Opt-in", ["Y", "N", "Y", "Y", "N"], ("N",), {1, 4}),
    consent("consent-marketing.csv", "Marketing permission", ["granted", "refused", "granted", "granted", "refused"], ("refused",), {1, 4}),
    consent("consent-gdpr.csv", "GDPR consent", ["given", "withdrawn", "given", "given", ""], ("withdrawn",), {1}),
    consent("consent-stop.csv", "Last reply", ["Thanks!", "STOP", "stop", "Yes please", ""], ("STOP",), {1, 2}),
    consent("consent-time.csv", "Unsubscribed at", ["", "2026-01-05 09:00", "", "", ""], ("2026-01-05 09:00",), {1}),
    consent("consent-german.csv", "Abgemeldet", ["nein", "ja", "nein", "nein", "ja"], ("ja",), {1, 4}),
    consent("consent-tags.csv", "Tags", ["vip", "vip, unsubscribed", "", "new; vip", "Unsubscribed"], ("unsubscribed",), {1, 4}),
    consent("consent-labels.csv", "Labels", ["* myContacts", "* myContacts ::: * Do not contact", "", "* Family", "* myContacts"], ("do not contact",), {1}),
    consent("consent-categories.csv", "Categories", ["Family;Opted-out", "Work", "", "Red category", "Family;Opted-out"], ("opted-out",), {0, 4}),
    consent("consent-answers.csv", "SMS", ["Yes", "No", "Yes", "No", "Yes"], ("no",), {1, 3}),
    consent("consent-blank-opts-out.csv", "Accepts SMS", ["yes", "no", "", "yes", ""], ("no", '""'), {1, 2, 4}),
    consent("consent-czech.csv", "Odhlášen", ["ne", "ano", "ne", "ne", "ano"], ("ano",), {1, 4}),
    Case("unsubscribed_members_export.csv", text(TABLE), refused="says that everyone in it opted out"),
    Case("STOP list.csv", text(TABLE), PEOPLE, frozenset(mobile(101 + at) for at in range(5)), options=Options(opted_out_list="STOP list.csv")),
    Case("subscribed_members_export.csv", text(TABLE), PEOPLE),
    Case("titled.csv", text([["Unsubscribed members", *[""] * 4], *TABLE]), refused="says that everyone in it opted out"),
    Case("consent-ignored-by-name.csv", text([[*HEADS, "Opt out"], *([*row(at), "yes" if at == 2 else "no"] for at in range(5))]), PEOPLE, left=[Left(COLUMN, "Opt out")], options=Options(ignore=("Opt out",))),
    Case("consent-outlives-name.csv", text([[*HEADS, "Opt out"], [*row(0), "no"], ["Zoë" * 20, "", national(mobile(102)), "", "", "yes"], [*row(2), "yes"]]), [person(0), person(2)], frozenset([mobile(102), mobile(103)]), [(3, "ZoëZoë")], [Left(COLUMN, "Opt out")], Options(consent=Consent("Opt out", ("yes",)))),
    Case("consent-outlives-broken-cell.csv", lambda: text([[*HEADS, "Opt out"], [*row(0), "no"], [*row(1), "yes"], [*row(2), "no"]])().replace(b"Bath", b"Ba\0th"), [person(0), person(2)], frozenset([mobile(102)]), [(3, "O'Brien")], [Left(COLUMN, "Opt out")], Options(consent=Consent("Opt out", ("yes",)))),
    Case("consent-of-invalid-number.csv", text([[*HEADS, "Opt out"], [*row(0), "no"], [*row(1, "12"), "yes"]]), [person(0)], frozenset(), [(3, "Zoë")], [Left(COLUMN, "Opt out")], Options(consent=Consent("Opt out", ("yes",)))),
    Case("consent-of-duplicates.csv", text([[*HEADS, "Opt out"], [*row(0), "no"], [*row(0), "yes"]]), [person(0)], frozenset([mobile(101)]), (), [Left(COLUMN, "Opt out"), Left(ROW)], Options(consent=Consent("Opt out", ("yes",)))),
]  # fmt: skip


def phones(file: str, heads: list[str], cells: list[list[str]], expected: list[Contact], *left: Left) -> Case:
    table = [["First name", *heads], *([f"P{at}", *one] for at, one in enumerate(cells))]
    people = [{"firstname": f"P{at}", **one} for at, one in enumerate(expected)]
    return Case(file, text(table), people, options=GB, left=left)


M1, M2, M3 = (mobile(at) for at in (101, 102, 103))
W1, W2, W3 = (landline(at) for at in (101, 102, 103))
PHONES = [
    phones("phones-mobile-and-work.csv", ["Mobile", "Work phone"], [[M1, W1], [M2, ""]], [{"phone_number": M1, "others": W1}, {"phone_number": M2}]),
    phones("phones-work-first.csv", ["Work phone", "Mobile"], [[W1, M1], [W2, ""], ["", M3]], [{"phone_number": M1, "others": W1}, {"phone_number": W2}, {"phone_number": M3}]),
    phones("phones-outlook-words.csv", ["Business Phone", "Home Phone", "Mobile Phone"], [[W1, "", M1], [W2, "", ""], ["", W3, ""]], [{"phone_number": M1, "others": W1}, {"phone_number": W2}, {"phone_number": W3}]),
    phones("phones-numbered.csv", ["Phone 1", "Phone 2", "Phone 3"], [[W1, M1, ""], [M2, "", W2], ["", "", M3]], [{"phone_number": f"{M1}|{W1}", "others": f"{W1}|{M1}"}, {"phone_number": M2, "others": W2}, {"phone_number": M3}]),
    phones("phones-numbered-short.csv", ["Phone", "Phone 2"], [[M1, W1], ["", M2]], [{"phone_number": M1, "others": W1}, {"phone_number": M2}]),
    phones("phones-three-of-one.csv", ["Mobile", "Home phone", "Work phone"], [[M1, W1, W2]], [{"phone_number": M1, "others": f"{W1} {W2}"}], Left(TELEPHONE)),
    phones("phones-in-one-cell-slash.csv", ["Phone"], [[f"{M1} / {W1}"], [M2]], [{"phone_number": M1, "others": W1}, {"phone_number": M2}]),
    phones("phones-in-one-cell-semicolon.csv", ["Phone"], [[f"{M1}; {W1}"], [M2]], [{"phone_number": M1, "others": W1}, {"phone_number": M2}]),
    phones("phones-in-one-cell-lines.csv", ["Phone"], [[f"{M1}\n{W1}"], [M2]], [{"phone_number": M1, "others": W1}, {"phone_number": M2}]),
    phones("phones-whatsapp.csv", ["Mobile", "WhatsApp"], [[M1, M1], [M2, M3]], [{"phone_number": M1, "whatsapp_id": M1}, {"phone_number": M2, "whatsapp_id": M3}]),
    phones("phones-only-whatsapp.csv", ["WhatsApp number"], [[M1], [M2]], [{"whatsapp_id": M1}, {"whatsapp_id": M2}]),
    phones("phones-alternate.csv", ["Phone number", "Alternate phone"], [[M1, W1]], [{"phone_number": M1, "others": W1}]),
    phones("phones-fax-is-no-phone.csv", ["Mobile", "Fax"], [[M1, W1], [M2, ""]], [{"phone_number": M1}, {"phone_number": M2}], Left(TELEPHONE, "Fax")),
    phones("phones-bad-mobile-good-work.csv", ["Mobile", "Work phone"], [["n/a", W1], [M2, "ext 5"]], [{"phone_number": W1}, {"phone_number": M2, "maybe": "alternate_phone"}], Left(TELEPHONE, "n/a")),
]  # fmt: skip

_FOREIGN = {
    "german": ["Vorname", "Nachname", "Handynummer", "E-Mail-Adresse", "Ort"],
    "french": ["Prénom", "Nom", "Téléphone portable", "Adresse e-mail", "Ville"],
    "spanish": ["Nombre", "Apellidos", "Móvil", "Correo electrónico", "Ciudad"],
    "italian": ["Nome", "Cognome", "Cellulare", "Indirizzo e-mail", "Città"],
    "polish": ["Imię", "Nazwisko", "Telefon komórkowy", "Adres e-mail", "Miasto"],
    "dutch": ["Voornaam", "Achternaam", "Mobiel", "E-mailadres", "Plaats"],
    "portuguese": ["Nome próprio", "Apelido", "Telemóvel", "E-mail", "Cidade"],
    "snake": ["first_name", "last_name", "phone_number", "email", "city"],
    "camel": ["firstName", "lastName", "mobileNumber", "emailAddress", "city"],
    "capitals": ["FIRST NAME", "LAST NAME", "MOBILE NO.", "EMAIL", "TOWN"],
    "plain": ["forename", "surname", "cell", "e mail", "town/city"],
    "tags": ["FNAME", "LNAME", "PHONE", "EMAIL", "CITY"],
}
ADDRESS = ["Title", "Company", "Address line 1", "Address line 2", "County", "Postcode", "Country", "Date of birth"]
HEAD_WORDS = [
    *(Case(f"heads-{name}.csv", text([heads, *(row(at) for at in range(5))], delimiter=";"), PEOPLE) for name, heads in _FOREIGN.items()),
    Case("heads-own.csv", text([["phone_number", "firstname", "lastname", "email_address", "field_1"], [mobile(101), "Ada", "Müller", "ada@example.com", "gold"]]), [person(0, city="", field_1="gold")]),
    Case("heads-address.csv", text([[*HEADS, *ADDRESS], [*row(0), "Dr", "Acme Ltd", "12 High Street", "Flat 3", "North Yorkshire", "YO1 7AA", "United Kingdom", "1990-03-14"]]), [person(0, title="Dr", company_name="Acme Ltd", address_1="12 High Street", address_2="Flat 3", state="North Yorkshire", zip="YO1 7AA", country="United Kingdom", date_of_birth="1990-03-14")]),
    Case("heads-name.csv", text([["Name", "Mobile"], ["Ada Müller", national(mobile(101))], ["Zoë O'Brien", national(mobile(102))], ["Cher", national(mobile(103))]]), [{"name": "Ada Müller", "phone_number": mobile(101)}, {"name": "Zoë O'Brien", "phone_number": mobile(102)}, {"name": "Cher", "phone_number": mobile(103)}]),
    Case("heads-full-name.csv", text([["Full name", "Phone"], ["Ada Maria Müller", national(mobile(101))], ["Smith, José", national(mobile(102))]]), [{"name": "Ada Maria Müller", "phone_number": mobile(101)}, {"name": "Smith, José|José Smith", "phone_number": mobile(102)}]),
    Case("heads-name-beside-first-and-last.csv", text([["Name", *HEADS], *([f"No. {at}", *row(at)] for at in range(5))]), PEOPLE, left=[Left(COLUMN, "Name")]),
    Case("heads-middle-name.csv", text([["First name", "Middle name", "Last name", "Mobile"], ["Ada", "Maria", "Müller", mobile(101)]]), [{"name": "Ada Maria Müller|Ada Müller", "phone_number": mobile(101)}], left=[Left(COLUMN, "Middle name")]),
]  # fmt: skip


def dates(file: str, cells: list[str], allowed: list[str], *left: Left) -> Case:
    table = [["First name", "Mobile", "Birthday"], *([f"P{at}", mobile(101 + at), one] for at, one in enumerate(cells))]
    people = [
        {"firstname": f"P{at}", "phone_number": mobile(101 + at), "date_of_birth": one}
        for at, one in enumerate(allowed)
    ]
    return Case(file, text(table), people, left=left)


DATES = [
    dates("date-iso.csv", ["1990-03-14", "1985-12-01"], ["1990-03-14", "1985-12-01"]),
    dates("date-with-midnight.csv", ["1990-03-14 00:00:00", "1985-12-01T00:00:00"], ["1990-03-14", "1985-12-01"]),
    dates("date-with-time.csv", ["1990-03-14 08:30:00", "1985-12-01 17:00:00"], ["1990-03-14|1990-03-14 08:30:00", "1985-12-01|1985-12-01 17:00:00"]),
    dates("date-day-first.csv", ["14/03/1990", "01/12/1985"], ["14/03/1990|1990-03-14", "01/12/1985|1985-12-01"]),
    dates("date-month-first.csv", ["03/14/1990", "12/01/1985"], ["03/14/1990|1990-03-14", "12/01/1985|1985-12-01"]),
    dates("date-dots.csv", ["14.03.1990", "01.12.1985"], ["14.03.1990|1990-03-14", "01.12.1985|1985-12-01"]),
    dates("date-of-no-calendar.csv", ["1990-02-30", "0/0/00", "18295", "NaT", "1990-03-14"], ["", "", "", "", "1990-03-14"], Left(CELL, "Birthday")),
    replace(dates("date-ambiguous.csv", ["03/04/1990", "05/06/1985"], []), refused="two ways"),
    replace(dates("date-ambiguous-day-first.csv", ["03/04/1990", "05/06/1985"], ["1990-04-03", "1985-06-05"]), options=Options(date_order="day-first")),
]  # fmt: skip

ERRORS = [
    Case("error-in-city.csv", text([HEADS, row(0), ["Zoë", "O'Brien", national(mobile(102)), "", "#REF!"], ["José", "#N/A", national(mobile(103)), "", "Leeds"]]), [person(0), person(1, email_address="", city="#REF!"), person(2, lastname="#N/A", email_address="")]),
    Case("formulas.csv", text([HEADS, ["=1+1", "+SUM(A1)", national(mobile(101)), "-2", "@cmd"]]), [{"firstname": "=1+1", "lastname": "+SUM(A1)", "phone_number": mobile(101), "city": "@cmd"}]),
]  # fmt: skip

CASES = [*NUMBERS, *CONSENT, *PHONES, *HEAD_WORDS, *DATES, *ERRORS]
