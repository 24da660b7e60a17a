"""The values filled into news: names, links, and times in the recipient's time zone."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

import msgspec

from pannier.accounts.company_settings import rules
from pannier.accounts.company_settings.models import CompanySettings
from pannier.accounts.company_settings.news import Kind
from pannier.db import Db
from pannier.kit import zones
from pannier.kit.zones import Local
from pannier.locales.catalogue import find_language, find_reason
from pannier.locales.times import DASH, TimeFormat
from pannier.news import kinds, phrasing, queries
from pannier.news.kinds import EventDetails
from pannier.news.phrasing import Phrased
from pannier.news.recipients import Awaited, Recipient
from pannier.orders.tracking import links
from pannier.orders.views import Aggregate


class Occasion(msgspec.Struct, frozen=True):
    """News of a kind about one delivery."""

    kind: Kind
    at: datetime
    details: EventDetails
    read: Aggregate
    delivery: Awaited

    @property
    def number(self) -> str:
        """The delivery's tracking number."""
        return self.read.shown.numbers[self.delivery.subject].number


# Validity of the link to the proof of delivery.
PROOF_SHOWN: Final = timedelta(days=30)
# Values for previews.
EXAMPLE: Final[Mapping[str, str]] = {
    "number": "ACM-7K4M-2XQ9-3TBC",
    "name": "Ada Lovelace",
    "driver": "Grace",
    "reason": "Recipient not available",
}


async def phrased(db: Db, settings: CompanySettings, occasion: Occasion, who: Recipient) -> Phrased:
    """Compose news in the recipient's language."""
    tongue = phrasing.language(settings.news, await _languages(db, settings, who))
    return phrasing.phrased(
        settings.news, occasion.kind, tongue, _values(db, settings, occasion, who, tongue)
    )


async def _languages(db: Db, settings: CompanySettings, who: Recipient) -> tuple[str | None, ...]:
    """List the languages to try, the recipient's own first."""
    spoken = None
    if who.person.locale is None and who.customer is not None:
        spoken = await queries.device_locale(db, who.person.company, who.customer.uuid)
    return (who.person.locale, _tag(spoken), settings.locale)


def _tag(spoken: str | None) -> str | None:
    try:
        return None if spoken is None else rules.locale(spoken)
    except ValueError:
        return None


def _values(
    db: Db, settings: CompanySettings, occasion: Occasion, who: Recipient, tongue: str
) -> dict[str, str]:
    read, delivery = occasion.read, occasion.delivery
    driver = None if read.order.driver is None else read.shown.drivers[read.order.driver]
    awaited = delivery.stop or read.order
    local = _local(db, settings, occasion)
    times = TimeFormat(find_language(tongue), local.zone, db.now)
    window = _window(times, awaited.time_window_start, awaited.time_window_end, db.now)
    return {
        "brand": settings.branding.name,
        "number": occasion.number,
        "link": _own(_link(db, occasion), occasion, who),
        "way_out": way_out(db, occasion, who),
        "name": who.person.name,
        "driver": "" if driver is None else driver.name.split(" ", 1)[0],
        "window": local.said(window),
        "time": local.said(times.clock(occasion.at)),
        "reason": _reason(occasion.details, tongue),
    }


def _window(times: TimeFormat, start: datetime | None, end: datetime | None, now: datetime) -> str:
    """Format a time window, or return an empty text if it is over."""
    last = end or start
    # The GSM alphabet has no dash.
    return "" if last is None or last < now else times.window(start, end).replace(DASH, "-")


def _local(db: Db, settings: CompanySettings, occasion: Occasion) -> Local:
    """Choose the time zone of the drop-off's country, or else the company's."""
    read, stop = occasion.read, occasion.delivery.stop
    uuid = read.whole.payload.dropoff if stop is None else stop.place
    place = None if uuid is None else read.shown.places[uuid]
    return zones.local(None if place is None else place.country, settings.zone, db.now)


def way_out(db: Db, occasion: Occasion, who: Recipient) -> str:
    """Return the link to opt out of news."""
    return _own(links.way_out(db, occasion.number), occasion, who)


def _own(address: str, occasion: Occasion, who: Recipient) -> str:
    """Add the recipient to a link if several recipients wait at the same stop."""
    several = len(occasion.delivery.people) > 1
    return links.naming(address, who.person.public_id) if several else address


def _link(db: Db, occasion: Occasion) -> str:
    """Return the tracking link. For delivered orders it gives access to the proof, too."""
    if occasion.kind != "delivered":
        return links.url(db, occasion.number)
    database = db.database
    return links.proof_link(
        database.keys, database.base_url, occasion.number, occasion.at + PROOF_SHOWN
    )


def _reason(details: EventDetails, tongue: str) -> str:
    """Return why the attempt failed; predefined reasons are translated."""
    if details.code != kinds.FAILED:
        return ""
    return find_reason(details.status, find_language(tongue))


def example(db: Db, settings: CompanySettings, tongue: str) -> dict[str, str]:
    """Return a value for each field, for previews."""
    number, now = EXAMPLE["number"], db.now
    times = TimeFormat(find_language(tongue), settings.zone, now)
    hour = now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    return {
        **EXAMPLE,
        "brand": settings.branding.name,
        "link": links.url(db, number),
        "way_out": links.way_out(db, number),
        "window": _window(times, hour, hour + timedelta(hours=2), now),
        "reason": find_reason(EXAMPLE["reason"], find_language(tongue)),
        "time": times.clock(now),
    }
