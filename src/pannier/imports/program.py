"""The program that reads a spreadsheet: bytes on standard input, a line of JSON for each row.

A file may be made to exhaust memory or to attack its decoder. So the program has neither secrets
nor connections, cannot open files, and the kernel limits its time and memory. It writes a row only
when the server reads: neither of them holds the whole sheet.

The first line of input is a `ReadRequest`. The first line of output is a `FileHead` or a
`ReadFailure`, each further line a `SheetRow`, and the last line a `SheetEnd` or a `ReadFailure`.
"""

import codecs
import csv
import io
import os
import resource
import sys
import zipfile
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time
from itertools import islice
from typing import Any, Final

import msgspec

from pannier.imports import layout
from pannier.proofs.sandboxed import seccomp

MEBIBYTE: Final = 1024 * 1024
MAX_MEMORY_BYTES: Final = 768 * MEBIBYTE
MAX_CPU_SECONDS: Final = 600
MAX_ROWS: Final = 200_000
MAX_COLUMNS: Final = 200
MAX_CELL_CHARACTERS: Final = 10_000
# The unpacked size of an XLSX file, and of its texts, which are all held in memory.
MAX_UNPACKED_BYTES: Final = 512 * MEBIBYTE
MAX_TEXTS_BYTES: Final = 128 * MEBIBYTE
MAX_ROWS_ABOVE_HEADER: Final = 20
ENCODINGS: Final = ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252")
TEXTS_NAME: Final = "xl/sharedStrings.xml"
# Characters that no field takes, and that PostgreSQL refuses.
_REMOVED: Final = dict.fromkeys(
    [*range(0x20), 0x7F, 0xFEFF, 0xFFFE, 0xFFFF, *range(0xD800, 0xE000)]
) | {ord(character): " " for character in "\t\r\n"}


class ReadRequest(msgspec.Struct):
    """What to read: rows above the number `after`, at most `limit`."""

    after: int = 0
    limit: int | None = None


class FileHead(msgspec.Struct, tag="head"):
    """How the file is to be read, and its header."""

    format: str
    headers: list[str]
    encoding: str | None = None
    separator: str | None = None
    sheet: str | None = None


class SheetRow(msgspec.Struct, tag="row", array_like=True):
    """A row: its number as spreadsheets show it, and its cells as text."""

    number: int
    cells: list[str]


class SheetEnd(msgspec.Struct, tag="end"):
    """The end of the file, or of the requested rows."""

    last_number: int


class ReadFailure(msgspec.Struct, tag="failure"):
    """Why the file cannot be read further, in a sentence for its sender."""

    message: str


class FileRefused(Exception):  # noqa: N818 - an outcome, with a sentence for the sender
    """The file cannot be read."""


def main() -> None:
    """Read the file on standard input."""
    source = sys.stdin.buffer
    request = msgspec.json.decode(source.readline(), type=ReadRequest)
    data = source.read()
    if layout.is_xlsx(data):
        _preload_modules()
    _drop_privileges()
    output = sys.stdout.buffer
    encoder = msgspec.json.Encoder()
    try:
        for line in read_file(data, request):
            output.write(encoder.encode(line) + b"\n")
    except FileRefused as refusal:
        output.write(encoder.encode(ReadFailure(str(refusal))) + b"\n")
    except MemoryError:
        output.write(encoder.encode(ReadFailure("The file takes too much memory.")) + b"\n")
    output.flush()


def _preload_modules() -> None:
    """Load what is imported lazily while files can still be opened."""
    from openpyxl import (  # type: ignore[import-untyped]  # noqa: PLC0415 - it takes long
        Workbook,
        load_workbook,
    )

    workbook, book = Workbook(), io.BytesIO()
    workbook.active.append(
        [1, "a", datetime(2026, 1, 31, 12, tzinfo=UTC).replace(tzinfo=None), True, 1.5]
    )
    workbook.save(book)
    for values_only in (False, True):
        sheet = load_workbook(book, read_only=True, data_only=True)
        list(sheet.active.iter_rows(values_only=values_only))


def _drop_privileges() -> None:
    """Give up all that reading does not need, irrevocably."""
    for encoding in ENCODINGS:  # they are loaded when first used
        codecs.lookup(encoding)
    os.nice(5)  # requests take precedence
    limits = (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, MAX_CPU_SECONDS),
        (resource.RLIMIT_AS, MAX_MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, 3),
        (resource.RLIMIT_NPROC, 0),
    )
    for limit, value in limits:
        resource.setrlimit(limit, (value, value))
    seccomp.install_filter()


Line = FileHead | SheetRow | SheetEnd


def read_file(data: bytes, request: ReadRequest) -> Iterator[Line]:
    """Read the header and the requested rows."""
    head = data[: layout.MAX_EXAMINED_BYTES]
    rows: Iterator[list[str]]
    if layout.is_xlsx(head):
        sheet, rows = _open_xlsx(data)
        facts: dict[str, Any] = {"format": "xlsx", "sheet": sheet}
    else:
        encoding = layout.detect_encoding(head)
        text = head.decode(encoding, errors="replace")
        separator = layout.detect_separator(text)
        rows = _read_csv(data, encoding, separator)
        facts = {"format": "csv", "encoding": encoding, "separator": separator}
    numbered_rows = enumerate(rows, 1)
    header_number, headers = next(
        (
            (number, row)
            for number, row in islice(numbered_rows, MAX_ROWS_ABOVE_HEADER)
            # Excel declares the separator of a CSV file in a row of its own.
            if any(row) and not row[0].lower().startswith("sep=")
        ),
        (0, []),
    )
    if not headers:
        raise FileRefused("The file has no header row. Name the columns in the first row.")
    yield FileHead(headers=name_columns(headers), **facts)
    yield from _select_rows(numbered_rows, request, len(headers), header_number)


def _select_rows(
    rows: Iterable[tuple[int, list[str]]], request: ReadRequest, width: int, last_number: int
) -> Iterator[Line]:
    count = 0
    for number, row in rows:
        if number > MAX_ROWS + 1:
            raise FileRefused(
                f"The file has more than {MAX_ROWS:,} rows. Divide it into several files."
            )
        if number <= request.after or not any(row):
            continue
        last_number = number
        yield SheetRow(number, (row + [""] * width)[:width])
        count += 1
        if count == request.limit:
            break
    yield SheetEnd(last_number)


def name_columns(headers: list[str]) -> list[str]:
    """Return unique names of columns: columns without one are numbered, as are repeated ones."""
    while headers and not headers[-1]:
        headers = headers[:-1]
    if len(headers) > MAX_COLUMNS:
        raise FileRefused(f"The file has more than {MAX_COLUMNS} columns.")
    names: list[str] = []
    for position, header in enumerate(headers, 1):
        name = unique = header[:200] or f"Column {position}"
        copies = 1
        while unique in names:
            copies += 1
            unique = f"{name} ({copies})"
        names.append(unique)
    return names


def _read_csv(data: bytes, encoding: str, separator: str) -> Iterator[list[str]]:
    """Read the rows of a CSV file. Only the current one is in memory."""
    csv.field_size_limit(MAX_CELL_CHARACTERS)
    text = io.TextIOWrapper(io.BytesIO(data), encoding=encoding, newline="", errors="strict")
    reader = csv.reader(text, delimiter=separator)
    try:
        for row in reader:
            yield [clean_text(cell) for cell in row[: MAX_COLUMNS + 1]]
    except UnicodeDecodeError:
        raise FileRefused(
            "The encoding of the file is not clear. Save it as CSV in UTF-8."
        ) from None
    except csv.Error:
        raise FileRefused(
            f"The file is not valid CSV near line {reader.line_num}. Check its quotation marks."
        ) from None


def _open_xlsx(data: bytes) -> tuple[str, Iterator[list[str]]]:
    """Open the first sheet of an XLSX file."""
    from openpyxl import load_workbook  # noqa: PLC0415 - loaded before the filter

    try:
        _check_archive(data)
        workbook = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
        sheet = workbook.worksheets[0]
        # Some programs declare a wrong size.
        sheet.reset_dimensions()
    except (FileRefused, MemoryError):
        raise
    except Exception:  # noqa: BLE001 - whatever a malformed file causes
        raise FileRefused("The file is not a valid XLSX file. Save it again, or as CSV.") from None
    return sheet.title, _read_sheet(sheet)


def _check_archive(data: bytes) -> None:
    """Refuse an archive that unpacks to more than memory and time allow."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        sizes = {member.filename: member.file_size for member in archive.infolist()}
    if sum(sizes.values()) > MAX_UNPACKED_BYTES or sizes.get(TEXTS_NAME, 0) > MAX_TEXTS_BYTES:
        raise FileRefused("The file is too large when unpacked. Save it as CSV.")


def _read_sheet(sheet: Any) -> Iterator[list[str]]:  # noqa: ANN401 - openpyxl has no types
    try:
        for row in sheet.iter_rows(values_only=True, max_col=MAX_COLUMNS + 1):
            yield [to_text(value) for value in row]
    except (FileRefused, MemoryError):
        raise
    except Exception:  # noqa: BLE001 - whatever a malformed file causes
        raise FileRefused("The file is damaged. Save it again, or as CSV.") from None


def to_text(value: object) -> str:
    """Return the value of a cell as the text that would be in a CSV file."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float() if value.is_integer() and abs(value) < 1e15:  # noqa: PLR2004 - exact in a float
            return str(int(value))
        case float():
            return f"{value!r}"
        case datetime() if value.time() == time():
            return value.date().isoformat()
        case datetime():
            return value.replace(microsecond=0).isoformat(sep=" ")
        case date() | time():
            return value.isoformat()
    return clean_text(str(value)[:MAX_CELL_CHARACTERS])


def clean_text(text: str) -> str:
    """Remove control characters and surrounding space."""
    return text.translate(_REMOVED).strip()
