"""Decisions §1, Timestamps."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from probe import paths
from stage import Firm, House

SPELLING = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def moments(value: Any) -> Iterator[str]:
    """Find every timestamp in an answer, by its name."""
    if isinstance(value, list):
        for item in value:
            yield from moments(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            if name.endswith("_at") and item is not None:
                yield item
            yield from moments(item)


async def test_every_timestamp_is_rfc_3339_in_utc_with_z_and_milliseconds(
    acme: Firm, house: House
) -> None:
    house.clock.advance(microseconds=123_999)
    await acme.api.post("/v1/files", json={"data": "SGVsbG8="})
    await acme.admin.post("/int/v1/keys", json={"kind": "api", "name": "Shop"})
    answers = [
        await acme.api.get("/v1/organizations/current"),
        await acme.api.get("/v1/files"),
        await acme.admin.get("/int/v1/keys"),
        await acme.admin.get("/int/v1/operators"),
        await acme.admin.get("/int/v1/audit"),
        await acme.admin.get("/int/v1/me"),
    ]
    for answer in answers:
        found = list(moments(answer.json()))
        assert found
        assert all(SPELLING.fullmatch(moment) for moment in found), found


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("2026-06-01T12:00:00Z", "2026-06-01T12:00:00.000Z"),
        ("2026-06-01T12:00:00.5Z", "2026-06-01T12:00:00.500Z"),
        ("2026-06-01T12:00:00+05:30", "2026-06-01T06:30:00.000Z"),
        ("2026-06-01T12:00:00.123456-11:00", "2026-06-01T23:00:00.123Z"),
        ("2026-06-01T23:30:00-01:00", "2026-06-02T00:30:00.000Z"),
    ],
)
async def test_input_takes_any_offset(acme: Firm, given: str, meant: str) -> None:
    body = {"kind": "api", "name": "Shop", "expires_at": given}
    answer = await acme.admin.post("/int/v1/keys", json=body)
    assert answer.status_code == 201, answer.text
    assert answer.json()["expires_at"] == meant
    read = await acme.admin.get(f"/int/v1/keys/{answer.json()['id']}")
    assert read.json()["expires_at"] == meant


@pytest.mark.parametrize(
    "given",
    [
        "2026-06-01T12:00:00", "2026-06-01", "tomorrow", "", 1780000000, 1.5, True, [], {},
        "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-06-01T12:00:00+25:00",
        "2026-06-01T12:00:00Z\u0000",
    ],
)  # fmt: skip
async def test_a_moment_that_is_not_rfc_3339_is_refused_by_its_path(acme: Firm, given: Any) -> None:
    body = {"kind": "api", "name": "Shop", "expires_at": given}
    assert paths(await acme.admin.post("/int/v1/keys", json=body)) == ["expires_at"]


@pytest.mark.parametrize("given", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+12:00"])
async def test_a_moment_beyond_the_calendar_is_refused(acme: Firm, given: str) -> None:
    body = {"kind": "api", "name": "Shop", "expires_at": given}
    assert (await acme.admin.post("/int/v1/keys", json=body)).status_code == 422
    assert (await acme.admin.get("/int/v1/events", params={"since": given})).status_code == 422
