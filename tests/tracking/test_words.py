"""The language of a tracking page."""

import re

import pytest

from pannier.locales.catalogue import LANGUAGES, load_part
from pannier.tracking.localization import choose_language


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
    assert choose_language(accepted, own) == chosen


def test_no_text_names_a_person() -> None:
    said = " ".join(
        text for language in LANGUAGES for text in load_part(language, "tracking").values()
    )
    assert set(re.findall(r"\{(\w+)\}", said)) == {"time", "name", "brand"}
