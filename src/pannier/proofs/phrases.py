"""The texts of a printed document, from the catalogue in the company's language."""

from typing import ClassVar, Final, Self

from pannier.locales.catalogue import DEFAULT, load_part

CATALOGUE_PART: Final = "sheet"


class Phrase(str):
    """A catalogue text by its key, in English until it is rendered.

    A key with `{}` is itself a pattern, the same in every language. Subclasses have the texts of
    another part of the catalogue.
    """

    __slots__ = ("key", "parts")
    catalogue_part: ClassVar[str] = CATALOGUE_PART
    key: str
    parts: tuple[object, ...]

    def __new__(cls, key: str, *parts: object) -> Self:
        phrase = super().__new__(cls, _format_phrase(cls.catalogue_part, key, parts, DEFAULT))
        phrase.key, phrase.parts = key, parts
        return phrase


def translate(text: str, language: str) -> str:
    """Return a phrase in a language; other texts are unchanged."""
    if not isinstance(text, Phrase):
        return text
    return _format_phrase(text.catalogue_part, text.key, text.parts, language)


def translate_status(status: str) -> str:
    """Return the name of an order's status. Derive the name of a custom status from its code."""
    key = f"status_{status}"
    return Phrase(key) if key in load_part(DEFAULT, CATALOGUE_PART) else status.replace("_", " ")


def _format_phrase(catalogue_part: str, key: str, parts: tuple[object, ...], language: str) -> str:
    pattern = key if "{" in key else load_part(language, catalogue_part)[key]
    values = [translate(part, language) if isinstance(part, str) else part for part in parts]
    return pattern.format(*values) if parts else pattern
