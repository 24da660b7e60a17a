"""Settings of notifications to recipients: kinds, channels, texts."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Final, Literal, get_args

import msgspec
from msgspec import Meta

from pannier.kit import templates

Kind = Literal["on_its_way", "next_stop", "delivered", "could_not_be_delivered", "cancelled"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
NewsChannel = Literal["push", "sms", "email"]
# The placeholders of a text.
FIELDS: Final[Mapping[str, str]] = {
    "brand": "Your brand name.",
    "number": "The order's `internal_id`, or else the tracking number.",
    "link": "Link to the tracking page, which also lets recipients unsubscribe.",
    "way_out": "Link to unsubscribe.",
    "name": "Name of the recipient.",
    "driver": "The driver's first name.",
    "window": "Expected delivery window, in local time.",
    "time": "Time of the event, in local time.",
    "reason": "Reason for the failed delivery.",
}
UNSUBSCRIBE_FIELDS: Final = frozenset({"link", "way_out"})

Channels = Annotated[
    list[NewsChannel],
    Meta(
        max_length=3,
        description="Channels by preference; the first that reaches the recipient is used. An "
        "empty list disables the notification.",
        examples=[["push", "sms", "email"]],
    ),
]
Subject = Annotated[
    str,
    Meta(
        max_length=200,
        description="Subject of an email, title of a push message.",
        examples=["{brand}"],
    ),
]
Short = Annotated[
    str,
    Meta(
        max_length=700,
        description="Text of an SMS or push message.",
        examples=["{brand}: your delivery is on its way. {link}"],
    ),
]
Long = Annotated[
    str,
    Meta(
        max_length=5000,
        description="Text of an email.",
        examples=["Your delivery {number} is on its way.\n\nFollow it here: {link}"],
    ),
]
SmsPerDay = Annotated[
    int,
    Meta(
        ge=0,
        le=1_000_000,
        description="SMS notifications in 24 hours. Beyond them, only other channels are used.",
        examples=[5000],
    ),
]


class NewsText(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """The text of a notification; omitted parts use the standard text."""

    subject: Subject | None = None
    text: Short | None = None
    email: Long | None = None


class WordsOfNews(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """Texts in one language, by kind of notification."""

    on_its_way: NewsText | None = None
    next_stop: NewsText | None = None
    delivered: NewsText | None = None
    could_not_be_delivered: NewsText | None = None
    cancelled: NewsText | None = None

    def get_text(self, kind: Kind) -> NewsText:
        text: NewsText | None = getattr(self, kind)
        return text or NewsText()


Texts = Annotated[
    dict[str, WordsOfNews],
    Meta(
        max_length=30,
        description="Your own texts, by language. `{brand}`, `{number}`, `{link}`, `{way_out}`, "
        "`{name}`, `{driver}`, `{window}`, `{time}` and `{reason}` are filled in. A part in "
        "`[brackets]` is omitted if a field in it is unknown.",
        examples=[{"en": {"on_its_way": {"text": "{brand}: on its way. {link}"}}}],
    ),
]


def merge_texts(
    base: Mapping[str, WordsOfNews], overrides: Mapping[str, WordsOfNews]
) -> dict[str, WordsOfNews]:
    """Merge texts: each part of `overrides` replaces the same part of `base`."""
    return {
        language: WordsOfNews(
            **{
                kind: _merge_text(
                    base.get(language, WordsOfNews()).get_text(kind),
                    overrides.get(language, WordsOfNews()).get_text(kind),
                )
                for kind in KINDS
            }
        )
        for language in dict.fromkeys([*base, *overrides])
    }


def _merge_text(base: NewsText, overrides: NewsText) -> NewsText:
    new_texts = {
        name: text for name, text in msgspec.structs.asdict(overrides).items() if text is not None
    }
    return msgspec.structs.replace(base, **new_texts)


def remove_duplicates(channels: list[NewsChannel]) -> list[NewsChannel]:
    """Drop repeated channels; the order is the preference."""
    return list(dict.fromkeys(channels))


def check_texts(texts: Mapping[str, WordsOfNews]) -> None:
    """Raise ValueError for the first text that cannot be rendered."""
    for language, kinds in texts.items():
        for kind in KINDS:
            for name, sentence in find_text_errors(kinds.get_text(kind)):
                raise ValueError(f"{language}.{kind}.{name}: {sentence}")


def find_text_errors(text: NewsText) -> Iterator[tuple[str, str]]:
    """List the invalid parts of a text, with an error for each."""
    for name, template in msgspec.structs.asdict(text).items():
        if template is None:
            continue
        try:
            templates.check(template, FIELDS)
        except ValueError as error:
            yield name, str(error)
        else:
            if name == "text" and not UNSUBSCRIBE_FIELDS & templates.fields(template):
                yield name, "must contain {link} or {way_out}, so that recipients can unsubscribe."
