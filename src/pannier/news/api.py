"""Handlers for the texts of news, and for previews of them."""

from collections.abc import Mapping
from typing import NamedTuple
from uuid import UUID

import msgspec

from pannier.accounts import auth, doors
from pannier.accounts import queries as accounts
from pannier.accounts.auth import Caller
from pannier.accounts.company_settings import news as settable
from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings import rules
from pannier.accounts.company_settings.models import CompanySettings, News
from pannier.accounts.company_settings.news import FIELDS, KINDS, Kind, NewsText, WordsOfNews
from pannier.accounts.company_settings.parts import values
from pannier.db import Db
from pannier.errors import Field, Invalid, NotFound, checked
from pannier.kit import sms
from pannier.locales.catalogue import LANGUAGES
from pannier.news import composing, phrasing, telling
from pannier.news.schemas import (
    FieldOut,
    NewsFilters,
    NewsOut,
    NewsPreviewIn,
    NewsPreviewOut,
    SmsLength,
    SpentOut,
    WordsOut,
)
from pannier.web.routes import get, post


class _Whose(NamedTuple):
    """A company's or store's settings, its own texts, and the id whose SMS budget applies."""

    settings: CompanySettings
    texts: Mapping[str, WordsOfNews]
    pays: UUID


@get("/settings/news", problems=[NotFound])
async def get_news(caller: Caller, filters: NewsFilters, db: Db) -> NewsOut:
    """Retrieve the texts of news in all languages, and the SMS budget."""
    whose = await _whose(db, caller.company, filters.storefront)
    news = whose.settings.news
    languages = list(dict.fromkeys([*LANGUAGES, *news.texts]))
    return NewsOut(
        languages=languages,
        fields=[FieldOut(name, meaning) for name, meaning in FIELDS.items()],
        words=[_words(news, whose.texts, kind, tongue) for tongue in languages for kind in KINDS],
        sms=SpentOut(await telling.spent(db, whose.pays), news.sms_per_day),
    )


async def _whose(db: Db, company: UUID, storefront: str | None) -> _Whose:
    """Load the settings and texts of a store, or of the company if none is given."""
    if storefront is None:
        settings = await company_settings.of(db, company)
        return _Whose(settings, settings.news.texts, company)
    store = await accounts.store(db, company, storefront)
    own = values(values(store.settings).get("news")).get("texts", {})
    return _Whose(await company_settings.of(db, company, store.uuid), own, store.uuid)


def _words(news: News, texts: Mapping[str, WordsOfNews], kind: Kind, tongue: str) -> WordsOut:
    own = texts.get(tongue, WordsOfNews()).of(kind)
    said = phrasing.words(news, kind, tongue)
    return WordsOut(
        language=tongue,
        kind=kind,
        **said._asdict(),
        own=[name for name, text in msgspec.structs.asdict(own).items() if text is not None],
    )


@post(
    "/settings/news/preview",
    status_code=200,
    before_request=auth.operator("dispatcher"),
    problems=[NotFound],
)
async def preview_news(caller: Caller, data: NewsPreviewIn, db: Db) -> NewsPreviewOut:
    """Preview a text with example values and its SMS length. Nothing is saved or sent."""
    tongue = checked("language", rules.locale, data.language)
    settings = (await _whose(db, caller.company, data.storefront)).settings
    thought = NewsText(subject=data.subject, text=data.text, email=data.email)
    wrong = [Field(name, sentence) for name, sentence in settable.faults(thought)]
    if wrong:
        raise Invalid(fields=wrong)
    news = _thinking(settings.news, data.kind, tongue, thought)
    said = phrasing.phrased(news, data.kind, tongue, composing.example(db, settings, tongue))
    return NewsPreviewOut(
        subject=said.subject,
        text=said.text,
        email=said.email,
        sms=SmsLength(*sms.length(said.text)),
    )


def _thinking(news: News, kind: Kind, tongue: str, thought: NewsText) -> News:
    """Replace the saved texts with those of a draft."""
    kept = news.texts.get(tongue, WordsOfNews())
    given = {name: text for name, text in msgspec.structs.asdict(thought).items() if text}
    texts = msgspec.structs.replace(kept, **{kind: msgspec.structs.replace(kept.of(kind), **given)})
    return msgspec.structs.replace(news, texts={**news.texts, tongue: texts})


router = doors.for_operators("Settings", "viewer", [get_news, preview_news])
routers = (router,)
