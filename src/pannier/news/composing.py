"""The values filled into news: names, links, and times in the recipient's time zone."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

import msgspec

from pannier.accounts.company_settings import rules
from pannier.accounts.company_settings.models import CompanySettings
from pannier.accounts.company_settings.news import Kind
from pannier.db import Db
from pannier.kit import time_zones
from pannier.kit.time_zones import LocalZone
from pannier.locales.catalogue import find_language, translate_reason
from pannier.locales.times import DASH, TimeFormat
from pannier.news import kinds, phrasing, queries
from pannier.news.kinds import EventDetails
from pannier.news.phrasing import ComposedNews
from pannier.news.recipients import AwaitedDelivery, Recipient
from pannier.orders import numbering
from pannier.orders.tracking import links
from pannier.orders.views import OrderAggregate


class NewsItem(msgspec.Struct, frozen=True):
    """News of a kind about one delivery."""

    kind: Kind
    occurred_at: datetime
    details: EventDetails
    aggregate: OrderAggregate
    delivery: AwaitedDelivery

    @property
    def tracking_number(self) -> str:
        """The delivery's tracking number."""
        return self.aggregate.related.numbers[self.delivery.subject].number


# Validity of the link to the proof of delivery.
PROOF_LINK_LIFETIME: Final = timedelta(days=30)
# Values for previews.
EXAMPLE_VALUES: Final[Mapping[str, str]] = {
    "number": "ACM-7K4M-2XQ9-3TBC",
    "name": "Ada Lovelace",
    "driver": "Grace",
    "reason": "Recipient not available",
}


async def compose_news(
    db: Db, settings: CompanySettings, item: NewsItem, recipient: Recipient
) -> ComposedNews:
    """Compose news in the recipient's language."""
    language = phrasing.choose_language(
        settings.news, await _list_languages(db, settings, recipient)
    )
    return phrasing.fill_templates(
        settings.news,
        item.kind,
        language,
        _build_template_values(db, settings, item, recipient, language),
    )


async def _list_languages(
    db: Db, settings: CompanySettings, recipient: Recipient
) -> tuple[str | None, ...]:
    """List the languages to try, the recipient's first."""
    device_locale = None
    if recipient.person.locale is None and recipient.customer is not None:
        device_locale = await queries.find_device_locale(
            db, recipient.person.company, recipient.customer.uuid
        )
    return (recipient.person.locale, _parse_language_tag(device_locale), settings.locale)


def _parse_language_tag(tag: str | None) -> str | None:
    try:
        return None if tag is None else rules.parse_locale(tag)
    except ValueError:
        return None


def _build_template_values(
    db: Db, settings: CompanySettings, item: NewsItem, recipient: Recipient, language: str
) -> dict[str, str]:
    aggregate, delivery = item.aggregate, item.delivery
    driver = (
        None if aggregate.row.driver is None else aggregate.related.drivers[aggregate.row.driver]
    )
    target = delivery.stop or aggregate.row
    local_zone = _choose_time_zone(db, settings, item)
    times = TimeFormat(find_language(language), local_zone.zone, db.now)
    window = _format_window(times, target.time_window_start, target.time_window_end, db.now)
    return {
        "brand": settings.branding.name,
        "number": numbering.choose_number(aggregate.row, item.tracking_number),
        "link": _personalize_link(_build_link(db, item), item, recipient),
        "way_out": build_opt_out_link(db, item, recipient),
        "name": recipient.person.name,
        "driver": "" if driver is None else driver.name.split(" ", 1)[0],
        "window": local_zone.label(window),
        "time": local_zone.label(times.format_clock_in_sentence(item.occurred_at)),
        "reason": _find_failure_reason(item.details, language),
    }


def _format_window(
    times: TimeFormat, start: datetime | None, end: datetime | None, now: datetime
) -> str:
    """Format a time window, or return an empty text if it is over."""
    window_end = end or start
    # The GSM alphabet has no dash.
    return (
        ""
        if window_end is None or window_end < now
        else times.format_window(start, end).replace(DASH, "-")
    )


def _choose_time_zone(db: Db, settings: CompanySettings, item: NewsItem) -> LocalZone:
    """Choose the time zone of the drop-off's country, or else the company's."""
    aggregate, stop = item.aggregate, item.delivery.stop
    uuid = aggregate.payload_aggregate.payload.dropoff if stop is None else stop.place
    place = None if uuid is None else aggregate.related.places[uuid]
    return time_zones.choose_zone(None if place is None else place.country, settings.zone, db.now)


def build_opt_out_link(db: Db, item: NewsItem, recipient: Recipient) -> str:
    """Build the link to opt out of news."""
    return _personalize_link(links.unsubscribe_url(db, item.tracking_number), item, recipient)


def _personalize_link(url: str, item: NewsItem, recipient: Recipient) -> str:
    """Add the recipient to a link if several recipients wait at the same stop."""
    has_several = len(item.delivery.people) > 1
    return links.add_recipient(url, recipient.person.public_id) if has_several else url


def _build_link(db: Db, item: NewsItem) -> str:
    """Build the tracking link. For delivered orders it also gives access to the proof."""
    if item.kind != "delivered":
        return links.page_url(db, item.tracking_number)
    database = db.database
    return links.proof_link(
        database.keys,
        database.base_url,
        item.tracking_number,
        item.occurred_at + PROOF_LINK_LIFETIME,
    )


def _find_failure_reason(details: EventDetails, language: str) -> str:
    """Return the reason of a failed attempt. Predefined reasons are translated."""
    if details.code != kinds.FAILED:
        return ""
    return translate_reason(details.status, find_language(language))


def list_example_values(db: Db, settings: CompanySettings, language: str) -> dict[str, str]:
    """Return an example value for each field."""
    number, now = EXAMPLE_VALUES["number"], db.now
    times = TimeFormat(find_language(language), settings.zone, now)
    hour = now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    return {
        **EXAMPLE_VALUES,
        "brand": settings.branding.name,
        "link": links.page_url(db, number),
        "way_out": links.unsubscribe_url(db, number),
        "window": _format_window(times, hour, hour + timedelta(hours=2), now),
        "reason": translate_reason(EXAMPLE_VALUES["reason"], find_language(language)),
        "time": times.format_clock_in_sentence(now),
    }
