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
UNTRUSTED_FIELDS: Final = frozenset({"brand", "name", "driver"})


class NewsTemplates(NamedTuple):
    """The templates of a kind of news: its subject, its short text and its email."""

    subject: str
    text: str
    email: str


class ComposedNews(msgspec.Struct, frozen=True):
    """The texts of a message to a recipient."""

    subject: str
    text: str
    email: str


def choose_language(news: News, tags: Iterable[str | None]) -> str:
    """Choose the first language that has texts, or the default one."""
    for tag in tags:
        parts = (tag or "").split("-")
        # Try Swiss German before German.
        for length in range(len(parts), 0, -1):
            name = "-".join(parts[:length])
            if name in news.texts or name in LANGUAGES:
                return name
    return DEFAULT


def load_templates(news: News, kind: Kind, language: str) -> NewsTemplates:
    """Load the templates of a kind. The catalogue provides texts that the company has not set."""
    texts = load_part(find_language(language), "messages")
    defaults = NewsTemplates(*(texts[f"{kind}.{field}"] for field in NewsTemplates._fields))
    own_texts = news.texts.get(language)
    custom_texts = {} if own_texts is None else msgspec.structs.asdict(own_texts.get_text(kind))
    return defaults._replace(
        **{name: text for name, text in custom_texts.items() if text is not None}
    )


def fill_templates(
    news: News, kind: Kind, language: str, values: Mapping[str, str]
) -> ComposedNews:
    """Fill in the templates. Every email contains the opt-out link."""
    news_templates = load_templates(news, kind, language)
    safe_values = {
        name: texts.sanitise_brand(value) if name in UNTRUSTED_FIELDS and value else value
        for name, value in values.items()
    }
    email = news_templates.email
    if "way_out" not in templates.fields(email):
        footer = load_part(find_language(language), "messages")["footer"]
        email = f"{email}\n\n{footer}"
    return ComposedNews(
        " ".join(templates.fill(news_templates.subject, safe_values).split()),
        templates.fill(news_templates.text, safe_values),
        templates.fill(email, safe_values),
    )
