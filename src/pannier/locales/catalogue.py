"""The catalogue: texts of the driver app, tracking pages, messages and proof sheets.

`en/driver.toml` has the English texts of the part `driver`. Tables become dotted keys.
"""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any, Final

DEFAULT: Final = "en"
LANGUAGES: Final = (DEFAULT, "de", "fr", "es")


@cache
def load_part(language: str, part: str) -> Mapping[str, str]:
    """Load the texts of one part by their dotted keys, such as `sign-in.phone`."""
    file = resources.files(__package__) / language / f"{part}.toml"
    return dict(_flatten_table(tomllib.loads(file.read_text(encoding="utf-8"))))


def find_language(locale: str) -> str:
    """Return the language of a locale such as `de-CH`, or English without a translation."""
    language = locale.replace("_", "-").partition("-")[0].lower()
    return language if language in LANGUAGES else DEFAULT


def translate_reason(label: str, language: str) -> str:
    """Translate the label of a default failure reason. A company's custom label is unchanged."""
    return _translate_label(label, language, "reasons.")


def translate_activity(label: str, language: str) -> str:
    """Translate the label of a default activity. A company's custom label is unchanged."""
    return _translate_label(label, language, "activities.")


def _translate_label(label: str, language: str, prefix: str) -> str:
    texts = load_part(DEFAULT, "common")
    key = next((key for key in texts if key.startswith(prefix) and texts[key] == label), "")
    return load_part(language, "common").get(key, label)


def _flatten_table(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flatten_table(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value
