"""Which time people have in a country, as far as the country alone tells."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from importlib import resources
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

TABLE: Final = "zone.tab"


class Local(NamedTuple):
    """A zone by which times are told, and whether it has to be named because it may be another."""

    zone: ZoneInfo
    named: bool = False

    def said(self, time: str) -> str:
        """Name the zone after a time, where people there may have another one."""
        return f"{time} ({self.zone.key})" if time and self.named else time


def local(country: str | None, home: ZoneInfo, now: datetime) -> Local:
    """Choose the zone for somebody in a country, told by somebody whose own zone is `home`.

    Where all of a country has one time now, it is that. Where it has several, `home` may be one of
    them; or else it is told with its name.
    """
    zones = _zones().get(country or "", ())
    if not zones or home.key in zones:
        return Local(home)
    there = [ZoneInfo(key) for key in zones]
    if len({now.astimezone(zone).utcoffset() for zone in there}) == 1:
        return Local(there[0])
    return Local(home, named=True)


@lru_cache(maxsize=1)
def _zones() -> Mapping[str, tuple[str, ...]]:
    """Read which zones each country has, the most populous first."""
    table = resources.files("tzdata.zoneinfo").joinpath(TABLE).read_text(encoding="utf-8")
    found: dict[str, list[str]] = defaultdict(list)
    for line in table.splitlines():
        if not line.startswith("#"):
            country, _, key, *_ = line.split("\t")
            found[country].append(key)
    return {country: tuple(keys) for country, keys in found.items()}
