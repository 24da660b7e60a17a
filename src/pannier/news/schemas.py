"""News in JSON."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta

from pannier.accounts.company_settings.models import Locale
from pannier.accounts.company_settings.news import Kind, Long, NewsText, Short, Subject
from pannier.kit.sms import Alphabet
from pannier.web.fields import Clearable
from pannier.web.former_names import former_name

KindField = Annotated[Kind, Meta(description="Kind of news.", examples=["on_its_way"])]


class FieldOut(msgspec.Struct):
    """A field that can be used in a text."""

    name: Annotated[str, Meta(examples=["brand"])]
    meaning: Annotated[str, Meta(examples=["Your brand name."])]


class WordsOut(msgspec.Struct, kw_only=True):
    """The texts of a kind of news in one language."""

    language: Locale
    kind: KindField
    subject: Subject
    text: Short
    email: Long
    own: Annotated[
        list[str],
        Meta(description="Names of the texts that you have set; the others are defaults.",
             examples=[["text"]]),
    ]  # fmt: skip


StoreField = Annotated[
    str | None,
    Meta(
        description="The store. Without one, the company's texts are used.",
        examples=["store_2hVt6MnQ9sLc4ZxW"],
    ),
]


class NewsFilters(msgspec.Struct, frozen=True, kw_only=True):
    """Filters of the texts of news."""

    store: StoreField = None
    storefront: Annotated[Clearable[str], former_name("store")] = UNSET


class NewsPreviewIn(NewsText, kw_only=True, frozen=True):
    """A draft to preview. Texts that are left out are taken from the settings."""

    kind: KindField
    language: Locale = "en"
    store: StoreField = None
    storefront: Annotated[Clearable[str], former_name("store")] = UNSET


class SmsLength(msgspec.Struct):
    """The length of a text as an SMS."""

    alphabet: Annotated[
        Alphabet,
        Meta(description="One character outside the GSM alphabet makes it `unicode`, with less "
             "than half the length per segment.", examples=["gsm"]),
    ]  # fmt: skip
    characters: Annotated[int, Meta(examples=[128])]
    segments: Annotated[int, Meta(description="Number of SMS billed.", examples=[1])]
    others: Annotated[str, Meta(description="Characters outside the GSM alphabet.", examples=[""])]


class SpentOut(msgspec.Struct):
    """News sent by SMS within 24 hours. The company's count excludes its stores' customers."""

    sent: Annotated[int, Meta(examples=[17])]
    sms_per_day: Annotated[int, Meta(examples=[5000])]


class NewsPreviewOut(msgspec.Struct, kw_only=True):
    """A text with example values filled in."""

    subject: Annotated[str, Meta(examples=["Your delivery is on its way"])]
    text: Annotated[
        str,
        Meta(examples=["Acme: your delivery is on its way. https://example.com/t/ACM-7K4M-2XQ9"]),
    ]
    email: Annotated[str, Meta(examples=["Hello Ada,\n\nyour delivery is on its way."])]
    sms: SmsLength


class NewsOut(msgspec.Struct, kw_only=True):
    """The texts of all kinds of news, and the fields that they can use."""

    languages: Annotated[list[Locale], Meta(examples=[["en", "de", "fr", "es"]])]
    fields: list[FieldOut]
    words: list[WordsOut]
    sms: SpentOut
