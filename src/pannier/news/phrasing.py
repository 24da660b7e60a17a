"""News in words: in somebody's language, the company's words before the usual ones."""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from pannier.accounts.company_settings.models import News
from pannier.accounts.company_settings.news import Kind
from pannier.kit import templates
from pannier.news.words import FAREWELLS, WORDS, Words
from pannier.verification import texts

# What strangers may have written: it must not become a link, nor a second line.
WRITTEN: Final = frozenset({"brand", "name", "driver"})
FALLBACK: Final = "en"


class Phrased(msgspec.Struct, frozen=True):
    """News as somebody reads them."""

    subject: str
    text: str
    email: str


def language(news: News, wanted: Iterable[str | None]) -> str:
    """Choose the first language that somebody wants and for which there are words."""
    for tag in wanted:
        parts = (tag or "").split("-")
        # Swiss German before German.
        for end in range(len(parts), 0, -1):
            name = "-".join(parts[:end])
            if name in news.texts or name in WORDS:
                return name
    return FALLBACK


def words(news: News, kind: Kind, tongue: str) -> Words:
    """Read what is said of a kind; a language that has no word of it borrows them."""
    usual = WORDS.get(tongue.split("-", 1)[0], WORDS[FALLBACK])[kind]
    own = news.texts.get(tongue)
    given = {} if own is None else msgspec.structs.asdict(own.of(kind))
    return usual._replace(**{name: text for name, text in given.items() if text is not None})


def phrased(news: News, kind: Kind, tongue: str, values: Mapping[str, str]) -> Phrased:
    """Put news into words; a letter always says how to have no more."""
    chosen = words(news, kind, tongue)
    safe = {
        name: texts.named(value) if name in WRITTEN and value else value
        for name, value in values.items()
    }
    letter = chosen.email
    if "way_out" not in templates.fields(letter):
        farewell = FAREWELLS.get(tongue.split("-", 1)[0], FAREWELLS[FALLBACK])
        letter = f"{letter}\n\n{farewell}"
    return Phrased(
        " ".join(templates.filled(chosen.subject, safe).split()),
        templates.filled(chosen.text, safe),
        templates.filled(letter, safe),
    )
