"""What the page says: every language says all of it, and times as people there write them."""

import re
from datetime import UTC, datetime
from string import Formatter
from zoneinfo import ZoneInfo

import pytest

from pannier.orders import reasons
from pannier.tracking.words import WORDS, Speech, preferred

NOON = datetime(2026, 1, 15, 12, 0, tzinfo=UTC)
SINGAPORE = ZoneInfo("Asia/Singapore")


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("language", WORDS)
def test_every_language_says_the_same_with_the_same_fields(language: str) -> None:
    mine, plain = WORDS[language], WORDS["en"]
    assert mine.keys() == plain.keys()
    assert {key: fields(mine[key]) for key in mine} == {key: fields(plain[key]) for key in plain}
    assert len(mine["months"].split()) == 12


def test_the_reasons_that_everybody_has_are_said_as_they_are_called() -> None:
    for reason in reasons.DEFAULT:
        assert WORDS["en"][f"reason.{reason.code}"] == reason.label


@pytest.mark.parametrize(
    ("start", "end", "language", "said"),
    [
        ("2026-01-15T13:00", "2026-01-15T15:00", "en", "today, 21:00 to 23:00"),
        ("2026-01-15T13:00", "2026-01-15T17:00", "en", "today, 21:00 to tomorrow, 01:00"),
        ("2026-03-02T01:00", "2026-03-02T03:00", "de", "2. März, 09:00 bis 11:00"),
        ("2026-08-02T01:00", "2026-08-02T03:00", "fr", "2 août, 09:00 à 11:00"),
        ("2026-01-15T17:00", None, "fr", "à partir de demain, 01:00"),
        (None, "2026-01-15T13:00", "de", "bis heute, 21:00"),
        (None, None, "en", ""),
    ],
)
def test_a_window_is_told_by_the_clocks_of_the_company(
    start: str | None, end: str | None, language: str, said: str
) -> None:
    speech = Speech(language, SINGAPORE, NOON)
    given = [text and datetime.fromisoformat(text).replace(tzinfo=UTC) for text in (start, end)]
    assert speech.window(*given) == said


@pytest.mark.parametrize(
    ("accepted", "own", "chosen"),
    [
        ("de-CH, fr;q=0.9", "en", "de"),
        ("fr;q=0.4, de;q=0.8", "en", "de"),
        ("ja", "fr-FR", "fr"),
        ("ja", "ja", "en"),
        ("*;q=0.5", "de", "de"),
        ("de;q=nan;;;,,", "fr", "fr"),
    ],
)
def test_the_language_is_the_readers_or_else_the_companys(
    accepted: str, own: str, chosen: str
) -> None:
    assert preferred(accepted, own) == chosen


def test_no_sentence_names_a_person() -> None:
    said = " ".join(text for words in WORDS.values() for text in words.values())
    assert not re.search(r"\{(?!start|end|time|name|brand|day|month)", said)
