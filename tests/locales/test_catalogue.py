"""The catalogue: every language is complete, nothing in it is unused, and times read alike."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

import pannier
from pannier.accounts.company_settings.news import KINDS
from pannier.console import assets
from pannier.kit import sms
from pannier.locales.catalogue import DEFAULT, LANGUAGES, load_part, translate_reason
from pannier.locales.times import TimeFormat
from pannier.orders import reasons

SOURCE = Path(pannier.__file__).parent
PARTS = ("common", "driver", "invoice", "label", "messages", "sheet", "tracking")
NOON = datetime(2026, 1, 15, 12, tzinfo=UTC)
SINGAPORE = ZoneInfo("Asia/Singapore")
# Messages that may be sent by SMS.
BY_SMS = re.compile(r"(?!webhook|sms_limit|codes_paused|weekly_report).+text|code\.(?!subject).+")
# Keys that the code puts together.
COMPOSED = {
    "common": r"(languages|calendar|reasons|activities)\..+",
    "invoice": r"invoice|credit_note",
    "messages": rf"({'|'.join(KINDS)})\..+|(sms_limit|codes_paused|webhook_\w+)\.(subject|text)|"
    r"(invoice|credit_note)_email\.(subject|body)|webhook_disabled\.(failing|gone)|account\.(phone|email)_(subject|text)|code\..+",
    "label": r"(?!)",
    "sheet": r"status_(created|dispatched|started|completed|canceled)|(pickup|dropoff|stop)|"
    r"(scan|signature|photo|sms|override)",
    "tracking": r"photo|signature|mismatch_(scanned|typed)|handover_(?!loc|miss).+|"
    r"instructions_until_.+",
}


def placeholders(text: str) -> list[str]:
    """List the fields of a text, and the parts that may be left out."""
    return sorted([*re.findall(r"\{(\w*)[:}]", text), *re.findall(r"[\[\]]", text)])


def files() -> set[str]:
    """Name the files of all catalogues."""
    return {path.name for path in (SOURCE / "locales").glob("*/*.toml")}


def test_every_part_of_the_catalogue_is_checked_here() -> None:
    assert files() == {f"{part}.toml" for part in PARTS}
    assert {path.name for path in (SOURCE / "locales").glob("*/") if path.name[0] != "_"} == set(
        LANGUAGES
    )


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_key_with_the_same_placeholders(language: str, part: str) -> None:
    own, english = load_part(language, part), load_part(DEFAULT, part)
    assert sorted(own) == sorted(english)
    assert [key for key, text in own.items() if not text.strip()] == []
    differing = [key for key in own if placeholders(own[key]) != placeholders(english[key])]
    assert differing == []


def test_every_text_of_the_drivers_app_is_used() -> None:
    scripts = "\n".join(file.read_text() for file in assets.OTHER_STATIC["driver"].rglob("*.js"))
    literal = set(re.findall(r'"([a-z][\w.-]*)"', scripts))
    composed = tuple(re.findall(r"\bt\(`([\w.-]+\.)\$\{", scripts))
    keys = load_part(DEFAULT, "driver")
    assert [key for key in keys if key not in literal and not key.startswith(composed)] == []


@pytest.mark.parametrize("part", [part for part in PARTS if part != "driver"])
def test_every_other_text_is_used(part: str) -> None:
    written = {literal for text in sources() for literal in re.findall(r"[\"']([\w.]+)[\"']", text)}
    composed = re.compile(COMPOSED[part])
    keys = load_part(DEFAULT, part)
    assert [key for key in keys if key not in written and not composed.fullmatch(key)] == []


def sources() -> Iterator[str]:
    """Read the code and templates that use the catalogue."""
    folders = (
        "tracking",
        "proofs",
        "invoices",
        "orders/captures",
        "orders/labels",
        "news",
        "fleet",
        "customers",
        "reports",
    )
    for folder in folders:
        for pattern in ("*.py", "*.html"):
            yield from (path.read_text() for path in (SOURCE / folder).rglob(pattern))


def test_the_app_offers_every_language() -> None:
    script = assets.load_store().files["driver/i18n.js"].decode()
    offered = re.search(r"LANGUAGES ?= ?\[([^]]+)\]", script)
    assert offered is not None
    assert re.findall(r"\w+", offered[1]) == list(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_text_messages_use_only_the_alphabet_of_an_sms(language: str) -> None:
    messages = load_part(language, "messages")
    texts = [text for key, text in messages.items() if BY_SMS.fullmatch(key)]
    shared = load_part(language, "common")
    texts += [
        text for key, text in shared.items() if not key.startswith(("languages.", "activities."))
    ]
    # Brackets take two characters, and are not sent.
    others = {text: sms.measure(re.sub(r"[\[\]{}]", "", text)).others for text in texts}
    assert {text: letters for text, letters in others.items() if letters} == {}


def test_the_default_failure_reasons_are_known_in_every_language() -> None:
    english = load_part(DEFAULT, "common")
    for reason in reasons.DEFAULT:
        assert english[f"reasons.{reason.code}"] == reason.label
    assert translate_reason("Location closed", "de") == "Geschlossen"
    assert translate_reason("Dog in the yard", "de") == "Dog in the yard"


@pytest.mark.parametrize(
    ("start", "end", "language", "shown"),
    [
        ("2026-01-15T13:00", "2026-01-15T15:00", "en", "today, 21:00\N{EN DASH}23:00"),
        ("2026-01-15T13:00", "2026-01-15T17:00", "en",
         "today, 21:00 \N{EN DASH} tomorrow, 01:00"),
        ("2026-03-02T01:00", "2026-03-02T03:00", "en", "Mon 2 Mar, 09:00\N{EN DASH}11:00"),
        ("2026-03-02T01:00", "2026-03-02T03:00", "de", "Mo, 02.03., 09:00\N{EN DASH}11:00"),
        ("2026-08-02T01:00", "2026-08-02T03:00", "fr", "dim. 02/08, 09:00\N{EN DASH}11:00"),
        ("2026-01-15T17:00", None, "fr", "demain à partir de 01:00"),
        (None, "2026-01-15T13:00", "de", "heute bis 21:00"),
        ("2026-01-15T13:00", "2026-01-15T13:00", "en", "today, 21:00"),
        (None, None, "en", ""),
    ],
)  # fmt: skip
def test_a_time_window_is_written_in_local_time(
    start: str | None, end: str | None, language: str, shown: str
) -> None:
    given = [text and datetime.fromisoformat(text).replace(tzinfo=UTC) for text in (start, end)]
    assert TimeFormat(language, SINGAPORE, NOON).format_window(*given) == shown
