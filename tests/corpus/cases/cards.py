"""vCards: by vobject (3.0, and 4.0 by its second behaviour), and by hand where it writes no such form."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import vobject

from model import (
    COLUMN,
    PEOPLE,
    ROW,
    TELEPHONE,
    Case,
    Contact,
    Left,
    Options,
    landline,
    mobile,
    national,
    person,
)

# A telephone: its types, and its number.
Telephone = tuple[str, str]


def card(version: float, who: Mapping[str, str], *telephones: Telephone, **more: str) -> Callable[[], bytes]:
    """One card by vobject; `more` are properties by their names."""

    def write() -> bytes:
        made = vobject.newFromBehavior("vcard", "4.0" if version == 4.0 else None)
        if version == 4.0:
            made.add("version").value = "4.0"
        first, last = who.get("firstname", ""), who.get("lastname", "")
        made.add("n").value = vobject.vcard.Name(family=last, given=first)
        made.add("fn").value = f"{first} {last}".strip()
        for types, number in telephones or (("CELL", who["phone_number"]),):
            line = made.add("tel")
            line.value = number
            if types:
                line.type_param = types.split(",")
        if "email_address" in who:
            made.add("email").value = who["email_address"]
        if "city" in who:
            made.add("adr").value = vobject.vcard.Address(city=who["city"])
        for name, value in more.items():
            made.add(name.replace("_", "-")).value = [value] if name == "org" else value
        return bytes(made.serialize(), "utf-8")

    return write


def together(*cards: Callable[[], bytes]) -> Callable[[], bytes]:
    return lambda: b"".join(one() for one in cards)


def by_hand(*lines: str, version: str = "3.0", end: str = "\r\n", encoding: str = "utf-8") -> Callable[[], bytes]:
    return lambda: (end.join(["BEGIN:VCARD", f"VERSION:{version}", *lines, "END:VCARD"]) + end).encode(encoding)


M, N = mobile(101), mobile(102)
W, H = landline(101), landline(102)
ADA: Contact = {"firstname": "Ada", "lastname": "Müller", "phone_number": M}
ADA_WORK: Contact = {**ADA, "phone_number": W}
FN = ("N:Müller;Ada;;;", "FN:Ada Müller")


def telephones(file: str, telephones: list[Telephone], expected: Contact, *left: Left, version: float = 3.0) -> Case:
    return Case(file, card(version, {"firstname": "Ada", "lastname": "Müller"}, *telephones), [expected], left=left)


BY_VOBJECT = [
    Case("vobject-3.0.vcf", together(*(card(3.0, one) for one in PEOPLE)), PEOPLE),
    Case("vobject-4.0.vcf", together(*(card(4.0, one) for one in PEOPLE)), PEOPLE),
    telephones("vcard-cell-and-work.vcf", [("CELL", M), ("WORK", W)], {**ADA, "others": W}),
    telephones("vcard-work-and-cell.vcf", [("WORK,VOICE", W), ("CELL,VOICE", M)], {**ADA, "others": W}),
    telephones("vcard-only-work.vcf", [("WORK", W)], ADA_WORK),
    telephones("vcard-only-home.vcf", [("HOME", W)], ADA_WORK),
    telephones("vcard-only-voice.vcf", [("VOICE", M)], ADA),
    telephones("vcard-untyped.vcf", [("", M)], ADA),
    telephones("vcard-untyped-and-cell.vcf", [("", W), ("CELL", M)], {**ADA, "others": W}),
    telephones("vcard-pref-work.vcf", [("WORK,PREF", W), ("CELL", M)], {**ADA, "others": W}),
    telephones("vcard-two-cells.vcf", [("CELL", M), ("CELL", N)], {**ADA, "others": N}),
    telephones("vcard-two-cells-second-pref.vcf", [("CELL", M), ("CELL,PREF", N)], {**ADA, "phone_number": f"{M}|{N}", "others": f"{M}|{N}"}),
    Case("vcard-fax-only.vcf", card(3.0, {"firstname": "Ada", "lastname": "Müller"}, ("FAX", W)), refused="phone number"),
    telephones("vcard-cell-and-fax.vcf", [("CELL", M), ("FAX,WORK", W)], ADA, Left(TELEPHONE, "79460101")),
    telephones("vcard-pager.vcf", [("CELL", M), ("PAGER", W)], ADA, Left(TELEPHONE, "79460101")),
    telephones("vcard-five-telephones.vcf", [("WORK", W), ("HOME", H), ("CELL", M), ("CELL,WORK", N), ("", landline(103))], {**ADA, "phone_number": f"{M}|{N}", "others": f"{W} {H} {N}|{M} {landline(103)}"}, Left(TELEPHONE)),
    telephones("vcard-4.0-voice-cell.vcf", [("voice,cell", M)], ADA, version=4.0),
    telephones("vcard-4.0-tel-uri.vcf", [("cell", f"tel:{M}"), ("work", f"tel:{W}")], {**ADA, "others": W}, version=4.0),
    telephones("vcard-same-number-twice.vcf", [("CELL", M), ("WORK", M)], {**ADA, "maybe": "alternate_phone"}),
    telephones("vcard-bad-cell-good-work.vcf", [("CELL", "unknown"), ("WORK", W)], ADA_WORK, Left(TELEPHONE, "unknown")),
    Case("vcard-national.vcf", card(3.0, {"firstname": "Ada", "lastname": "Müller"}, ("CELL", national(M))), [ADA], options=Options(country="GB")),
    Case("vcard-no-telephone.vcf", together(card(3.0, person(0)), by_hand("N:Ward;Mei;;;", "FN:Mei Ward", "EMAIL:mei@example.com")), [person(0)], rejected=[(0, "Mei")]),
    Case("vcard-company-and-birthday.vcf", card(3.0, {**ADA}, org="Acme Ltd", bday="1990-03-14"), [{**ADA, "company_name": "Acme Ltd", "date_of_birth": "1990-03-14"}]),
    Case("vcard-note-and-web-page.vcf", card(3.0, {**ADA}, note="met in York", url="https://ada.example"), [ADA], left=[Left(COLUMN, "Note"), Left(COLUMN, "Website")]),
    Case("vcard-folded.vcf", card(3.0, {**ADA}, org="The Worshipful Company of Makers of Very Long Names that Do Not Fit upon One Line, York Branch"), [{**ADA, "company_name": "The Worshipful Company of Makers of Very Long Names that Do Not Fit upon One Line, York Branch"}]),
    Case("vcard-many.vcf", together(*(card(3.0, {"firstname": "P", "lastname": f"No. {at}", "phone_number": mobile(at)}) for at in range(300))), [{"firstname": "P", "lastname": f"No. {at}", "phone_number": mobile(at)} for at in range(300)], console=False),
]  # fmt: skip

BY_HAND = [
    Case("vcard-2.1.vcf", by_hand("N:Müller;Ada", "FN:Ada Müller", f"TEL;CELL:{M}", f"TEL;WORK;VOICE:{W}", "EMAIL;INTERNET:ada@example.com", version="2.1"), [{**ADA, "email_address": "ada@example.com", "others": W}]),
    Case("vcard-2.1-quoted-printable.vcf", by_hand("N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;Ada;;;", "FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Ada M=C3=BCller", f"TEL;CELL:{M}", version="2.1"), [ADA]),
    Case("vcard-2.1-quoted-printable-soft-break.vcf", by_hand("N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BC=", "ller;Ada;;;", f"TEL;CELL:{M}", version="2.1"), [ADA]),
    Case("vcard-2.1-latin-1.vcf", by_hand("N;CHARSET=ISO-8859-1:Müller;Ada", f"TEL;CELL:{M}", version="2.1", encoding="latin-1"), [ADA]),
    Case("vcard-2.1-windows-1252-unsaid.vcf", by_hand("N:Müller;Ada", f"TEL;CELL:{M}", version="2.1", encoding="cp1252"), [ADA]),
    Case("vcard-2.1-base64-photo.vcf", by_hand(*FN, "PHOTO;JPEG;ENCODING=BASE64:", " /9j/4AAQSkZJRgABAQAAAQABAAD", " ", f"TEL;CELL:{M}", version="2.1"), [ADA], left=[Left(COLUMN, "PHOTO")]),
    Case("vcard-3.0-photo.vcf", by_hand(*FN, "PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQAAAQABAAD", f"TEL;TYPE=CELL:{M}"), [ADA], left=[Left(COLUMN, "PHOTO")]),
    Case("vcard-line-feeds.vcf", by_hand(*FN, f"TEL;TYPE=CELL:{M}", end="\n"), [ADA]),
    Case("vcard-byte-order-mark.vcf", by_hand(*FN, f"TEL;TYPE=CELL:{M}", encoding="utf-8-sig"), [ADA]),
    Case("vcard-utf-16.vcf", by_hand(*FN, f"TEL;TYPE=CELL:{M}", encoding="utf-16"), [ADA]),
    Case("vcard-groups.vcf", by_hand(*FN, f"item1.TEL:{W}", "item1.X-ABLabel:_$!<Work>!$_", f"item2.TEL;type=CELL:{M}", "item2.X-ABLabel:iPhone"), [{**ADA, "others": W}]),
    Case("vcard-only-fn.vcf", by_hand("FN:Ada Müller", f"TEL;TYPE=CELL:{M}"), [{"name": "Ada Müller", "phone_number": M}]),
    Case("vcard-empty-n.vcf", by_hand("N:;;;;", "FN:Ada Müller", f"TEL;TYPE=CELL:{M}"), [{"name": "Ada Müller", "phone_number": M}]),
    Case("vcard-only-org.vcf", by_hand("N:;;;;", "FN:Acme Ltd", "ORG:Acme Ltd;Sales", f"TEL;TYPE=WORK:{W}"), [{"company_name": "Acme Ltd|Acme Ltd, Sales|Acme Ltd; Sales|Acme Ltd;Sales|Acme Ltd Sales", "phone_number": W, "maybe": "firstname lastname"}]),
    Case("vcard-nickname-only.vcf", by_hand("N:;;;;", "NICKNAME:Addie", f"TEL;TYPE=CELL:{M}"), [{"phone_number": M, "maybe": "firstname"}], left=[Left(COLUMN, "Nickname")]),
    Case("vcard-prefix-and-middle.vcf", by_hand("N:Müller;Ada;Maria;Dr.;PhD", "FN:Dr. Ada Maria Müller PhD", f"TEL;TYPE=CELL:{M}"), [{"title": "Dr.", "name": "Ada Maria Müller|Ada Müller", "phone_number": M}], left=[Left(COLUMN, "PhD")]),
    Case("vcard-escapes.vcf", by_hand("N:Smith\\, Jr;José;;;", "FN:José Smith\\, Jr", f"TEL;TYPE=CELL:{M}", "ADR;TYPE=HOME:;;12 High Street\\nFlat 3;York;;YO1 7AA;UK"), [{"firstname": "José", "lastname": "Smith, Jr", "phone_number": M, "address_1": "12 High Street\nFlat 3", "city": "York", "zip": "YO1 7AA", "country": "UK"}]),
    Case("vcard-two-addresses.vcf", by_hand(*FN, f"TEL;TYPE=CELL:{M}", "ADR;TYPE=HOME:;;1 Low Street;York;;YO1 7AA;UK", "ADR;TYPE=WORK:;;12 High Street;Leeds;;LS1 1AA;UK", "EMAIL;TYPE=HOME:ada@example.com", "EMAIL;TYPE=WORK:ada@work.example"), [{**ADA, "maybe": "email_address address_1 city zip country"}], left=[Left(COLUMN, "ada@work.example"), Left(COLUMN, "LS1 1AA")]),
    Case("vcard-lower-case.vcf", lambda: f"begin:vcard\r\nversion:3.0\r\nn:Müller;Ada;;;\r\nfn:Ada Müller\r\ntel;type=cell:{M}\r\nend:vcard\r\n".encode(), [ADA]),
    Case("vcard-4.0-pref-parameter.vcf", by_hand(*FN, f"TEL;VALUE=uri;TYPE=\"voice,work\";PREF=2:tel:{W}", f"TEL;VALUE=uri;TYPE=\"voice,cell\";PREF=1:tel:{M}", version="4.0"), [{**ADA, "others": W}]),
    Case("vcard-4.0-type-uppercase-list.vcf", by_hand(*FN, f"TEL;TYPE=VOICE,CELL:{M}", version="4.0"), [ADA]),
    Case("vcard-4.0-extension.vcf", by_hand(*FN, f"TEL;VALUE=uri;TYPE=cell:tel:{M};ext=102", version="4.0"), [ADA], left=[Left(COLUMN, "ext=102")]),
    Case("vcard-4.0-organisation-kind.vcf", by_hand("KIND:org", "FN:Acme Ltd", "ORG:Acme Ltd", f"TEL;TYPE=work:{W}", version="4.0"), [{"company_name": "Acme Ltd", "phone_number": W, "maybe": "firstname lastname"}]),
    Case("vcard-4.0-partial-birthday.vcf", by_hand(*FN, "BDAY:--0314", f"TEL;TYPE=cell:{M}", version="4.0"), [{**ADA, "date_of_birth": "--0314|--03-14"}]),
    Case("vcard-birthday-compact.vcf", by_hand(*FN, "BDAY:19900314", f"TEL;TYPE=cell:{M}"), [{**ADA, "date_of_birth": "1990-03-14|19900314"}]),
    Case("vcard-not-ended.vcf", together(card(3.0, person(0)), lambda: b"BEGIN:VCARD\r\nVERSION:3.0\r\nN:Ward;Mei;;;\r\nTEL;TYPE=CELL:+44770"), [person(0)], left=[Left(ROW)], options=Options(take_part=True)),
]  # fmt: skip

CASES = [*BY_VOBJECT, *BY_HAND]
