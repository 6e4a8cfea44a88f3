"""Text files as Python's `csv` writes them: separators, quotes, encodings, and what stands around a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from typing import Any

from model import (
    CELL,
    COLUMN,
    HEADS,
    PEOPLE,
    ROW,
    ROWS,
    SPACE,
    TABLE,
    Case,
    Left,
    Options,
    mobile,
    national,
    only,
    person,
    row,
)

Rows = Sequence[Sequence[Any]]


def text(rows: Rows, encoding: str = "utf-8", before: str = "", after: str = "", **form: Any) -> Callable[[], bytes]:
    """A table by `csv.writer`, with lines of text around it."""

    def write() -> bytes:
        out = io.StringIO()
        csv.writer(out, **form).writerows(rows)
        return (before + out.getvalue() + after).encode(encoding)

    return write


# Twelve people each whose names need the encoding: as many as a person would need to be sure of it.
_LANGUAGES: dict[str, tuple[list[str], list[str], list[str]]] = {
    # encodings; first names; cities
    "western": (
        ["cp1252", "latin-1", "iso8859-15"],
        ["Zoë", "José", "Renée", "Jürgen", "Åse", "François", "Søren", "Íñigo", "Märta", "Noël", "Günther", "Chloé"],
        ["Köln", "Málaga", "Besançon", "Århus", "Genève", "Würzburg"],
    ),
    "central": (
        ["cp1250", "iso8859-2"],
        [
            "Łukasz",
            "Zdeněk",
            "Světlana",
            "Řehoř",
            "Wojciech",
            "Małgorzata",
            "Paweł",
            "Václav",
            "Žofie",
            "Jiří",
            "Stanisław",
            "Růžena",
        ],
        ["Łódź", "Plzeň", "Kraków", "Třebíč", "Poznań", "Příbram"],
    ),
    "russian": (
        ["cp1251", "koi8-r", "utf-8"],
        [
            "Анна",
            "Дмитрий",
            "Екатерина",
            "Сергей",
            "Ольга",
            "Николай",
            "Мария",
            "Алексей",
            "Татьяна",
            "Виктор",
            "Ирина",
            "Юрий",
        ],
        ["Москва", "Казань", "Самара", "Тверь", "Омск", "Пермь"],
    ),
    "greek": (
        ["cp1253", "iso8859-7"],
        [
            "Γιώργος",
            "Ελένη",
            "Νίκος",
            "Κατερίνα",
            "Δημήτρης",
            "Σοφία",
            "Άννα",
            "Παναγιώτης",
            "Βασιλική",
            "Θανάσης",
            "Ειρήνη",
            "Ηλίας",
        ],
        ["Αθήνα", "Πάτρα", "Λάρισα", "Βόλος", "Ρόδος", "Χανιά"],
    ),
    "turkish": (
        ["cp1254"],
        ["Ayşe", "Çağlar", "İbrahim", "Gülşen", "Oğuz", "Şükrü", "Işıl", "Uğur", "Barış", "Özgür", "Müge", "Yiğit"],
        ["İzmir", "Eskişehir", "Muğla", "Kırşehir", "Diyarbakır", "Çanakkale"],
    ),
    "hebrew": (
        ["cp1255"],
        ["משה", "שרה", "דוד", "רבקה", "יוסף", "רחל", "אברהם", "לאה", "יעקב", "מרים", "שלמה", "חנה"],
        ["ירושלים", "חיפה", "תל אביב", "באר שבע", "נתניה", "אשדוד"],
    ),
    "arabic": (
        ["cp1256"],
        ["محمد", "فاطمة", "أحمد", "عائشة", "خالد", "مريم", "يوسف", "ليلى", "حسن", "زينب", "إبراهيم", "نور"],
        ["القاهرة", "دمشق", "بغداد", "الرياض", "تونس", "بيروت"],
    ),
    "thai": (
        ["cp874"],
        ["สมชาย", "สมหญิง", "ประเสริฐ", "วิไล", "สุรชัย", "อรุณ", "มาลี", "ธนา", "กานดา", "ชัยวัฒน์", "นภา", "พิชัย"],
        ["กรุงเทพ", "เชียงใหม่", "ภูเก็ต", "ขอนแก่น", "อยุธยา", "สงขลา"],
    ),
    "japanese": (
        ["cp932", "euc_jp", "iso2022_jp", "utf-8"],
        ["花子", "太郎", "さくら", "健一", "由美子", "ヒロシ", "恵", "直樹", "真由美", "大輔", "美穂", "翔太"],
        ["東京都千代田区", "大阪市北区", "京都市左京区", "札幌市中央区", "福岡市博多区", "名古屋市中区"],
    ),
    "chinese": (
        ["gb18030", "big5"],
        [
            "王小明",
            "李麗華",
            "張國強",
            "陳美玲",
            "林志明",
            "黃淑芬",
            "吳建國",
            "劉曉文",
            "蔡文雄",
            "楊惠君",
            "許家豪",
            "鄭雅雯",
        ],
        ["台北市信義區", "高雄市左營區", "台中市西屯區", "新竹市東區", "台南市中西區", "桃園市中壢區"],
    ),
    "korean": (
        ["euc_kr", "utf-16"],
        [
            "김민수",
            "이영희",
            "박지훈",
            "최수진",
            "정대현",
            "강미영",
            "조성호",
            "윤서연",
            "장동건",
            "임하늘",
            "한지민",
            "오세훈",
        ],
        ["서울특별시", "부산광역시", "대구광역시", "인천광역시", "광주광역시", "대전광역시"],
    ),
}


def _encoded(language: str, encoding: str, **form: Any) -> Case:
    _, names, cities = _LANGUAGES[language]
    people = [(name, cities[at % len(cities)], mobile(201 + at)) for at, name in enumerate(names)]
    table = [["First name", "City", "Mobile"], *([name, city, national(number)] for name, city, number in people)]
    expected = [{"firstname": name, "city": city, "phone_number": number} for name, city, number in people]
    return Case(f"encoding-{language}-{encoding}.csv", text(table, encoding, **form), expected)


ENCODINGS = [_encoded(language, one) for language, (encodings, _, _) in _LANGUAGES.items() for one in encodings] + [
    # As a spreadsheet on a Macintosh writes it.
    _encoded("western", "mac-roman", lineterminator="\r"),
    Case("encoding-utf-8-sig.csv", text(TABLE, "utf-8-sig"), PEOPLE),
    Case("encoding-utf-16.csv", text(TABLE, "utf-16"), PEOPLE),
    Case("encoding-utf-16-le-no-mark.csv", text(TABLE, "utf-16-le"), PEOPLE),
    Case("encoding-utf-16-be-no-mark.csv", text(TABLE, "utf-16-be"), PEOPLE),
    Case("encoding-utf-16-excel-unicode-text.txt", text(TABLE, "utf-16", delimiter="\t"), PEOPLE),
]

FORMS = [
    Case("form-excel.csv", text(TABLE, dialect="excel"), PEOPLE),
    Case("form-unix.csv", text(TABLE, dialect="unix"), PEOPLE),
    Case("form-tab.tsv", text(TABLE, dialect="excel-tab"), PEOPLE),
    Case("form-semicolon.csv", text(TABLE, delimiter=";"), PEOPLE),
    Case("form-pipe.txt", text(TABLE, delimiter="|"), PEOPLE),
    Case("form-caret.txt", text(TABLE, delimiter="^"), PEOPLE),
    Case("form-line-feeds.csv", text(TABLE, lineterminator="\n"), PEOPLE),
    Case("form-carriage-returns.csv", text(TABLE, lineterminator="\r"), PEOPLE),
    Case("form-quote-all.csv", text(TABLE, quoting=csv.QUOTE_ALL), PEOPLE),
    Case("form-quote-strings.csv", text(TABLE, quoting=csv.QUOTE_NONNUMERIC, delimiter=";"), PEOPLE),
    Case("form-single-quotes.csv", text(TABLE, quotechar="'", quoting=csv.QUOTE_ALL, doublequote=True), PEOPLE),
    Case("form-backslash.csv", text([*TABLE, ["Bo", 'The "Boss"', national(mobile(120)), "", "Ely"]], escapechar="\\", doublequote=False, quoting=csv.QUOTE_ALL), [*PEOPLE, {"firstname": "Bo", "lastname": 'The "Boss"', "phone_number": mobile(120), "city": "Ely"}]),
    Case("form-sep-line.csv", text(TABLE, before="sep=;\r\n", delimiter=";"), PEOPLE),
    Case("form-no-last-line-end.csv", lambda: text(TABLE)().rstrip(b"\r\n"), PEOPLE),
    Case("form-lines-in-cells.csv", text([HEADS, row(0), ["Zoë", "O'Brien\nof Bath", national(mobile(102)), "", 'said "no", twice'], row(2)]), [person(0), {"firstname": "Zoë", "lastname": "O'Brien\nof Bath", "phone_number": mobile(102), "city": 'said "no", twice'}, person(2)]),
    Case("form-mixed-line-ends.csv", lambda: text(TABLE)().replace(b"\r\n", b"\n", 2), PEOPLE),
    Case("form-trailing-separators.csv", text([[*one, "", "", ""] for one in TABLE]), PEOPLE),
    Case("form-blank-lines.csv", text([HEADS, [], row(0), [], [], row(1), ["", "", "", "", ""], row(2)]), PEOPLE[:3]),
    Case("form-wide.csv", text([[*HEADS, *(f"c{at}" for at in range(300))], *([*one, *([""] * 300)] for one in ROWS)]), PEOPLE),
    Case("form-many-rows.csv", text([["Mobile", "Last name"], *([mobile(at % 1000), f"No. {at % 1000}"] for at in range(3000))]), [{"phone_number": mobile(at), "lastname": f"No. {at}"} for at in range(1000)], left=[Left(ROW)], console=False),
]  # fmt: skip

AROUND = [
    Case("preamble-title.csv", text(TABLE, before="Customers of the spring\r\n"), PEOPLE),
    Case("preamble-title-and-blank.csv", text(TABLE, before="Customers of the spring\r\n\r\n"), PEOPLE),
    Case("preamble-padded.csv", text([["Report", "", "", "", ""], ["Made on", "2026-01-05", "", "", ""], ["", "", "", "", ""], *TABLE]), PEOPLE),
    Case("preamble-pairs.csv", text(TABLE, before="Exported by,Ada\r\nExported on,2026-01-05\r\nRecords,5\r\n"), PEOPLE),
    Case("preamble-comments.csv", text(TABLE, before="# customers\r\n# made on 2026-01-05\r\n# do not edit\r\n"), PEOPLE),
    Case("preamble-six-lines.csv", text(TABLE, before="Acme Ltd\r\n12 High Street\r\nYork\r\n\r\nCustomers\r\n\r\n", delimiter=";"), PEOPLE),
    Case("total-line.csv", text([*TABLE, ["Total", "", "5", "", ""]]), PEOPLE, rejected=[(7, "Total")]),
    Case("total-sentence.csv", text(TABLE, after="5 rows were written\r\n"), PEOPLE, rejected=[(7, "5 rows were written")]),
    Case("only-heads.csv", text([HEADS]), may_refuse=True),
    Case("no-heads.csv", text(ROWS), [{"name": f"{one['firstname']} {one['lastname']}", "phone_number": one["phone_number"], "email_address": one.get("email_address", ""), "maybe": "city"} for one in PEOPLE], left=[Left(COLUMN, "?")]),
    Case("no-heads-number-first.csv", text([[one[2], one[3]] for one in ROWS]), only("phone_number", "email_address")),
    Case("one-column.csv", text([[one[2]] for one in ROWS]), only("phone_number")),
    Case("one-column-with-head.csv", text([["Mobile"], *([one[2]] for one in ROWS)]), only("phone_number")),
    Case("mostly-one-column.csv", text([["Mobile", "First name"], *([national(mobile(at))] for at in range(301, 321)), [national(mobile(321)), "Ada"]], delimiter=";"), [*({"phone_number": mobile(at)} for at in range(301, 321)), {"phone_number": mobile(321), "firstname": "Ada"}]),
    Case("duplicate-heads-unknown.csv", text([["Mobile", "Ref", "Ref"], [national(mobile(101)), "a1", "b1"], [national(mobile(102)), "a2", "b2"]]), only("phone_number")[:2], left=[Left(COLUMN, "Ref"), Left(COLUMN, "Ref")]),
    Case("duplicate-heads-email.csv", text([["Mobile", "Email", "Email"], [national(mobile(101)), "ada@example.com", "ada@work.example"], [national(mobile(102)), "zoe@example.com", ""]]), only("phone_number", "email_address")[:2], left=[Left(COLUMN, "Email")]),
    Case("duplicate-heads-phone.csv", text([["Name", "Phone", "Phone"], ["Ada", national(mobile(101)), national(mobile(151))], ["Zoë", national(mobile(102)), ""]]), [{"name": "Ada", "phone_number": mobile(101), "others": mobile(151)}, {"name": "Zoë", "phone_number": mobile(102)}]),
    Case("surplus-cell.csv", text([HEADS, row(0), [*row(1), "and one more"], row(2)]), PEOPLE[:3], left=[Left(CELL, "and one more")]),
    Case("surplus-in-half-of-the-rows.csv", text([HEADS, row(0), [*row(1), "and one more"], [*row(2), ""]]), PEOPLE[:3], left=[Left(CELL, "and one more")]),
    Case("surplus-cells-by-commas.csv", text(TABLE, after="Bo,Ek,07700 900120,bo@example.com,Ely, Cambridgeshire, England\r\n"), [*PEOPLE, {"firstname": "Bo", "lastname": "Ek", "phone_number": mobile(120), "email_address": "bo@example.com", "city": "Ely"}], left=[Left(CELL, "Cambridgeshire")]),
    Case("short-rows.csv", text([HEADS, row(0), ["Zoë", "O'Brien", national(mobile(102))]]), [person(0), person(1, email_address="", city="")]),
    Case("no-head-for-one.csv", text([[*HEADS, ""], *([*one, f"x{at}"] for at, one in enumerate(ROWS))]), PEOPLE, left=[Left(CELL, "x0")]),
    Case("unknown-columns.csv", text([[*HEADS, "Shoe size", "Favourite colour"], *([*one, 38 + at, "red"] for at, one in enumerate(ROWS))]), PEOPLE, left=[Left(COLUMN, "Shoe size"), Left(COLUMN, "Favourite colour")]),
    Case("unknown-column-empty.csv", text([[*HEADS, "Shoe size"], *([*one, ""] for one in ROWS)]), PEOPLE),
    Case("space-around-cells.csv", text([[" First name ", "Last name ", " Mobile"], [" Ada ", "Müller  ", " 07700 900101 "]]), [{"firstname": "Ada", "lastname": "Müller", "phone_number": mobile(101)}], left=[Left(SPACE)]),
    Case("same-person-twice.csv", text([HEADS, row(0), row(1), row(0)]), PEOPLE[:2], left=[Left(ROW)]),
    Case("row-too-long.csv", text([HEADS, row(0), ["Zoë" * 20, "", national(mobile(102)), "", ""], row(2)]), [person(0), person(2)], rejected=[(3, "ZoëZoë")]),
    Case("rows-without-number.csv", text([HEADS, row(0), row(1, ""), row(2, "12"), row(3, "call me"), row(4)]), [person(0), person(4)], rejected=[(3, "Zoë"), (4, "José"), (5, "Mei")]),
    Case("line-after-lines-in-cells.csv", text([HEADS, ["Ada", "of\nYork\nin\nYorkshire", national(mobile(101)), "", ""], row(1, "none")]), [{"firstname": "Ada", "lastname": "of\nYork\nin\nYorkshire", "phone_number": mobile(101)}], rejected=[(6, "Zoë")]),
    Case("nul-in-cell.csv", lambda: text(TABLE)().replace(b"York", b"Yo\0rk"), PEOPLE[1:], rejected=[(2, "Ada")]),
    Case("damaged-utf-8.csv", lambda: text(TABLE * 1)().replace(b"Bath", b"B\xffath"), [one for at, one in enumerate(PEOPLE) if at != 1], rejected=[(3, "O'Brien")]),
    Case("unclosed-quote.csv", text([HEADS, row(0), row(1)], after='Mei,"Ward,07700 900104,,Hull\r\nÅse,Dahl,07700 900105,ase@example.com,Derby\r\n'), PEOPLE[:2], left=[Left(ROW)], options=Options(take_part=True)),
]  # fmt: skip

CASES = [*ENCODINGS, *FORMS, *AROUND]
