"""Texts of news by language. A company's own texts replace those of the catalogue."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

import msgspec

from pannier.accounts.company_settings.models import News
from pannier.accounts.company_settings.news import Kind
from pannier.kit import templates
from pannier.locales.catalogue import DEFAULT, LANGUAGES, find_language, load_part
from pannier.verification import texts

# Values that strangers may have entered: they must not become a link or a second line.
WRITTEN: Final = frozenset({"brand", "name", "driver"})


class Words(NamedTuple):
    """The templates of a kind of news: its subject, its short text and its e-mail."""

    subject: str
    text: str
    email: str


class Phrased(msgspec.Struct, frozen=True):
    """News as the recipient reads it."""

    subject: str
    text: str
    email: str


def language(news: News, wanted: Iterable[str | None]) -> str:
    """Choose the first wanted language that has texts."""
    for tag in wanted:
        parts = (tag or "").split("-")
        # Swiss German before German.
        for end in range(len(parts), 0, -1):
            name = "-".join(parts[:end])
            if name in news.texts or name in LANGUAGES:
                return name
    return DEFAULT


def words(news: News, kind: Kind, tongue: str) -> Words:
    """Return the templates of a kind. The catalogue provides texts that the company did not set."""
    texts = load_part(find_language(tongue), "messages")
    usual = Words(*(texts[f"{kind}.{field}"] for field in Words._fields))
    own = news.texts.get(tongue)
    given = {} if own is None else msgspec.structs.asdict(own.of(kind))
    return usual._replace(**{name: text for name, text in given.items() if text is not None})


def phrased(news: News, kind: Kind, tongue: str, values: Mapping[str, str]) -> Phrased:
    """Fill in the templates. Every e-mail contains the opt-out link."""
    chosen = words(news, kind, tongue)
    safe = {
        name: texts.named(value) if name in WRITTEN and value else value
        for name, value in values.items()
    }
    letter = chosen.email
    if "way_out" not in templates.fields(letter):
        footer = load_part(find_language(tongue), "messages")["footer"]
        letter = f"{letter}\n\n{footer}"
    return Phrased(
        " ".join(templates.filled(chosen.subject, safe).split()),
        templates.filled(chosen.text, safe),
        templates.filled(letter, safe),
    )
