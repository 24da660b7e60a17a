"""News in JSON."""

from typing import Annotated

import msgspec
from msgspec import Meta

from pannier.accounts.company_settings.models import Locale
from pannier.accounts.company_settings.news import Kind, Long, NewsText, Short, Subject
from pannier.kit.sms import Alphabet

KindOf = Annotated[Kind, Meta(description="What is told.", examples=["on_its_way"])]


class FieldOut(msgspec.Struct):
    """Something that is filled into a text."""

    name: Annotated[str, Meta(examples=["brand"])]
    meaning: Annotated[str, Meta(examples=["Your brand name."])]


class WordsOut(msgspec.Struct, kw_only=True):
    """What is said of a kind of news in a language."""

    language: Locale
    kind: KindOf
    subject: Subject
    text: Short
    email: Long
    own: Annotated[
        list[str],
        Meta(description="Which of it are your words; the rest are the usual ones.",
             examples=[["text"]]),
    ]  # fmt: skip


StoreOf = Annotated[
    str | None,
    Meta(
        description="The store whose words they are; the company's, if left out.",
        examples=["store_2hVt6MnQ9sLc4ZxW"],
    ),
]


class NewsFilters(msgspec.Struct, frozen=True, kw_only=True):
    """Whose words to read."""

    storefront: StoreOf = None


class NewsPreviewIn(NewsText, kw_only=True, frozen=True):
    """A text that somebody thinks of; what is left out is as it is set."""

    kind: KindOf
    language: Locale = "en"
    storefront: StoreOf = None


class SmsLength(msgspec.Struct):
    """What the text takes as an SMS."""

    alphabet: Annotated[
        Alphabet,
        Meta(description="One letter that GSM does not have makes it `unicode`, which has room "
             "for less than half.", examples=["gsm"]),
    ]  # fmt: skip
    characters: Annotated[int, Meta(examples=[128])]
    segments: Annotated[int, Meta(description="As many as are paid for.", examples=[1])]
    others: Annotated[str, Meta(description="Letters that GSM does not have.", examples=[""])]


class SpentOut(msgspec.Struct):
    """How many news went by SMS within 24 hours; those of stores with a customer are not in it."""

    sent: Annotated[int, Meta(examples=[17])]
    sms_per_day: Annotated[int, Meta(examples=[5000])]


class NewsPreviewOut(msgspec.Struct, kw_only=True):
    """A text as somebody would read it."""

    subject: Annotated[str, Meta(examples=["Your delivery is on its way"])]
    text: Annotated[
        str,
        Meta(examples=["Acme: your delivery is on its way. https://example.com/t/ACM-7K4M-2XQ9"]),
    ]
    email: Annotated[str, Meta(examples=["Hello Ada,\n\nyour delivery is on its way."])]
    sms: SmsLength


class NewsOut(msgspec.Struct, kw_only=True):
    """All that recipients may be told, and what can be filled in."""

    languages: Annotated[list[Locale], Meta(examples=[["en", "de", "fr"]])]
    fields: list[FieldOut]
    words: list[WordsOut]
    sms: SpentOut
