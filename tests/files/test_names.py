"""A kept name is a name and nothing else, and a kind is what the content says."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as some

from pannier.files import content_types, downloads, names
from pannier.files.models import File
from stage import NOON

FORBIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
ANYTHING = some.text(some.characters(), max_size=400)


@given(ANYTHING)
@example("../../etc/passwd")
@example("a\x00.png")
@example("\u202egnp.exe")
@example("x" * 300 + ".tar.gz")
@example(" . " * 200)
@example("a\u200d\u0301")
def test_every_name_becomes_a_safe_one(name: str) -> None:
    kept = names.clean(name)
    assert 1 <= len(kept) <= 200
    assert not set("/\\") & set(kept)
    assert not {unicodedata.category(mark) for mark in kept} & FORBIDDEN
    assert kept not in {".", ".."}
    assert not kept.startswith(".")
    assert kept == kept.strip()
    kept.encode()


@given(ANYTHING)
@example("x" * 199 + ". .pdf")
def test_a_safe_name_stays_as_it_is(name: str) -> None:
    assert names.clean(names.clean(name)) == names.clean(name)


@given(ANYTHING)
def test_every_name_makes_one_header_with_two_names(name: str) -> None:
    file = File(
        uuid=None, public_id="", company=None, sha256=b"", size=1, content_type="text/plain",
        name=names.clean(name), created_at=NOON,
    )  # type: ignore[arg-type]  # fmt: skip  # only the name is looked at
    header = downloads.make_content_disposition(file)
    assert header.isascii()
    assert header.isprintable()
    assert header.count('"') == 2


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("report.pdf", "report.pdf"),
        ("/home/ada/report.pdf", "report.pdf"),
        ("C:\\Users\\ada\\report.pdf", "report.pdf"),
        (".htaccess", "htaccess"),
        ("  two   words .txt ", "two words .txt"),
        ("e\u0301t\u00e9.txt", "\u00e9t\u00e9.txt"),
        ("y" * 250 + ".jpeg", "y" * 195 + ".jpeg"),
        ("folder/", "file"),
        (None, "file"),
    ],
)
def test_a_name_keeps_what_a_person_would_call_it(name: str | None, kept: str) -> None:
    assert names.clean(name) == kept


@given(some.binary(max_size=200), some.sampled_from([None, "text/html", "image/svg+xml", "x"]))
def test_nothing_is_ever_a_page(data: bytes, declared: str | None) -> None:
    known = {
        *content_types.INLINE_TYPES,
        *content_types.TEXT_TYPES,
        "application/json",
        content_types.UNKNOWN,
    }
    assert content_types.detect(data, declared) in known


@given(
    some.sampled_from([b"<html", b"<SCRIPT>", b"<svg ", b"<?xml ", b"<!DOCTYPE html"]),
    some.text(max_size=50),
)
def test_markup_anywhere_in_a_text_makes_it_unknown(tag: bytes, text: str) -> None:
    assert content_types.detect(b"a" + text.encode(errors="replace") + tag) == content_types.UNKNOWN


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"[" * 100_000, "text/plain"),
        (b'{"a": [1, 2]}', "application/json"),
        (b'{"a": ', "text/plain"),
        (b"RIFF....WAVE", "text/plain"),
        (b"\x00%PDF-1.7", "application/octet-stream"),
        (b"\x89PNG", "application/octet-stream"),
    ],
)
def test_a_kind_is_told_by_the_content(data: bytes, kind: str) -> None:
    assert content_types.detect(data) == kind
