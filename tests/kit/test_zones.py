"""Which time people have in a country, as far as the country alone tells."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from pannier.kit import time_zones

NOON = datetime(2026, 1, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("country", "home", "told"),
    [
        (None, "UTC", "12:00"),
        ("SG", "UTC", "20:00"),
        ("DE", "Asia/Singapore", "13:00"),
        ("DE", "Europe/Berlin", "13:00"),
        ("US", "America/Chicago", "06:00"),
        ("US", "Europe/Berlin", "13:00 (Europe/Berlin)"),
        ("ZZ", "Europe/Berlin", "13:00"),
    ],
)
def test_a_time_is_told_by_the_clock_on_the_wall_there_or_with_its_zone(
    country: str | None, home: str, told: str
) -> None:
    local = time_zones.choose_zone(country, ZoneInfo(home), NOON)
    assert local.label(NOON.astimezone(local.zone).strftime("%H:%M")) == told
    assert local.label("") == ""
