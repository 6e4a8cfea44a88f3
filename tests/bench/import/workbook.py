"""Writes a CSV file as a workbook, or reads a workbook with python-calamine and prints its rows.

Usage: workbook.py write CSV XLSX | read XLSX
"""

import csv
import sys


def write(source: str, target: str) -> None:
    import xlsxwriter

    book = xlsxwriter.Workbook(target, {"constant_memory": True})
    sheet = book.add_worksheet("Contacts")
    with open(source, newline="", encoding="utf-8") as rows:
        for at, row in enumerate(csv.reader(rows)):
            for column, value in enumerate(row):
                sheet.write_string(at, column, value)
    book.close()


def read(source: str) -> None:
    from python_calamine import CalamineWorkbook

    print(len(CalamineWorkbook.from_path(source).get_sheet_by_index(0).to_python()))


if __name__ == "__main__":
    {"write": write, "read": read}[sys.argv[1]](*sys.argv[2:])
