"""The time zone of a reader, chosen from their country."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from importlib import resources
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

TABLE: Final = "zone.tab"


class LocalZone(NamedTuple):
    """A time zone for display, and whether to name it because the reader may have another."""

    zone: ZoneInfo
    named: bool = False

    def label(self, time: str) -> str:
        """Append the zone's name to a time if the reader may have another zone."""
        return f"{time} ({self.zone.key})" if time and self.named else time


def choose_zone(country: str | None, home: ZoneInfo, now: datetime) -> LocalZone:
    """Choose the zone for a reader in a country; `home` is the sender's zone.

    If the whole country has the same time now, return that zone. If it has several, return `home`:
    unnamed if it is one of the country's zones, named otherwise.
    """
    zones = _load_zones().get(country or "", ())
    if not zones or home.key in zones:
        return LocalZone(home)
    country_zones = [ZoneInfo(key) for key in zones]
    if len({now.astimezone(zone).utcoffset() for zone in country_zones}) == 1:
        return LocalZone(country_zones[0])
    return LocalZone(home, named=True)


@lru_cache(maxsize=1)
def _load_zones() -> Mapping[str, tuple[str, ...]]:
    """Return the zones of each country, the most populous first."""
    table = resources.files("tzdata.zoneinfo").joinpath(TABLE).read_text(encoding="utf-8")
    keys_by_country: dict[str, list[str]] = defaultdict(list)
    for line in table.splitlines():
        if not line.startswith("#"):
            country, _, key, *_ = line.split("\t")
            keys_by_country[country].append(key)
    return {country: tuple(keys) for country, keys in keys_by_country.items()}
