"""Handlers for the texts of news, and for previews of them."""

from collections.abc import Mapping
from typing import NamedTuple
from uuid import UUID

import msgspec

from pannier.accounts import api_routers, auth
from pannier.accounts import queries as accounts
from pannier.accounts.auth import Caller
from pannier.accounts.company_settings import news as settable
from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings import rules
from pannier.accounts.company_settings.models import CompanySettings, News
from pannier.accounts.company_settings.news import FIELDS, KINDS, Kind, NewsText, WordsOfNews
from pannier.accounts.company_settings.parts import get_configured_values
from pannier.db import Db
from pannier.errors import FieldError, Invalid, NotFound, parse_field
from pannier.kit import sms
from pannier.locales.catalogue import LANGUAGES
from pannier.news import composing, phrasing, sending, test_message
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
from pannier.news.test_message import TestMessageIn
from pannier.notifications.schemas import MessageOut
from pannier.verification import send_limits
from pannier.web.routes import get, post


class _NewsScope(NamedTuple):
    """A company's or store's settings, its own texts, and the id whose SMS budget applies."""

    settings: CompanySettings
    texts: Mapping[str, WordsOfNews]
    payer: UUID


@get("/settings/news", problems=[NotFound])
async def get_news(caller: Caller, filters: NewsFilters, db: Db) -> NewsOut:
    """Retrieve the notification texts in every language, and the daily SMS limit."""
    scope = await _load_scope(db, caller.company, filters.store)
    news = scope.settings.news
    languages = list(dict.fromkeys([*LANGUAGES, *news.texts]))
    return NewsOut(
        languages=languages,
        fields=[FieldOut(name, meaning) for name, meaning in FIELDS.items()],
        words=[
            _to_words_out(news, scope.texts, kind, language)
            for language in languages
            for kind in KINDS
        ],
        sms=SpentOut(await sending.count_sent_sms(db, scope.payer), news.sms_per_day),
    )


async def _load_scope(db: Db, company: UUID, storefront: str | None) -> _NewsScope:
    """Load the settings and texts of a store, or of the company if none is given."""
    if storefront is None:
        settings = await company_settings.load(db, company)
        return _NewsScope(settings, settings.news.texts, company)
    store = await accounts.get_store(db, company, storefront)
    store_texts = get_configured_values(get_configured_values(store.settings).get("news")).get(
        "texts", {}
    )
    return _NewsScope(await company_settings.load(db, company, store.uuid), store_texts, store.uuid)


def _to_words_out(
    news: News, texts: Mapping[str, WordsOfNews], kind: Kind, language: str
) -> WordsOut:
    own_text = texts.get(language, WordsOfNews()).get_text(kind)
    templates = phrasing.load_templates(news, kind, language)
    return WordsOut(
        language=language,
        kind=kind,
        **templates._asdict(),
        own=[name for name, text in msgspec.structs.asdict(own_text).items() if text is not None],
    )


@post(
    "/settings/news/preview",
    status_code=200,
    before_request=auth.require_operator("dispatcher"),
    problems=[NotFound],
)
async def preview_news(caller: Caller, data: NewsPreviewIn, db: Db) -> NewsPreviewOut:
    """Preview a text with example values and its SMS length. Nothing is saved or sent."""
    language = parse_field("language", rules.parse_locale, data.language)
    settings = (await _load_scope(db, caller.company, data.store)).settings
    draft = NewsText(subject=data.subject, text=data.text, email=data.email)
    errors = [FieldError(name, message) for name, message in settable.find_text_errors(draft)]
    if errors:
        raise Invalid(fields=errors)
    news = _apply_draft(settings.news, data.kind, language, draft)
    preview = phrasing.fill_templates(
        news, data.kind, language, composing.list_example_values(db, settings, language)
    )
    return NewsPreviewOut(
        subject=preview.subject,
        text=preview.text,
        email=preview.email,
        sms=SmsLength(*sms.measure(preview.text)),
    )


def _apply_draft(news: News, kind: Kind, language: str, draft: NewsText) -> News:
    """Replace the saved texts with those of a draft."""
    current_texts = news.texts.get(language, WordsOfNews())
    new_texts = {name: text for name, text in msgspec.structs.asdict(draft).items() if text}
    texts = msgspec.structs.replace(
        current_texts, **{kind: msgspec.structs.replace(current_texts.get_text(kind), **new_texts)}
    )
    return msgspec.structs.replace(news, texts={**news.texts, language: texts})


@post(
    "/test-messages",
    problems=[test_message.ChannelNotConfigured, *send_limits.SEND_PROBLEMS],
)
async def send_test_message(caller: Caller, data: TestMessageIn, db: Db) -> MessageOut:
    """Send a test message by SMS or email. Read the message later to see whether it was sent.

    Test companies store text messages and send none.
    """
    return MessageOut.from_row(await test_message.send_test_message(db, caller.company, data))


routers = (
    api_routers.operator_router("Settings", "viewer", [get_news, preview_news]),
    api_routers.operator_router("Messages", "admin", [send_test_message]),
)
