"""Every list of rows takes `created_since`, and `updated_since` where its rows record changes."""

import re
from typing import Any, Final

import httpx
import pytest

from contract.test_every_route import MAKERS, addressed, caller_for, flow_version
from stage import Firm, House

# Lists of pages whose rows have other times, and those whose rows do not record when they change.
OTHER_TIMES: Final = re.compile(r"/(positions|export|fleet-module/.*events)$")
UNRECORDED: Final = re.compile(
    r"/(messages|driver-messages|deliveries|webhook-deliveries|proofs|rows|days)$|^/v1/events$"
)
LONG_AGO: Final = "2020-01-01T00:00:00Z"


def list_paged(document: dict[str, Any]) -> dict[str, set[str]]:
    """Return the paths of lists with their parameters."""
    found = {
        path: {parameter.get("name") for parameter in methods["get"].get("parameters", [])}
        for path, methods in document["paths"].items()
        if "get" in methods
    }
    return {path: names for path, names in found.items() if {"limit", "cursor"} <= names}


async def read_rows(client: httpx.AsyncClient, path: str, **query: str) -> list[Any]:
    answer = await client.get(path, params=query)
    assert answer.status_code == 200, (path, answer.text)
    body = answer.json()
    rows: list[Any] = body["data"] if isinstance(body, dict) else body
    return rows


async def test_every_list_documents_the_times_of_its_rows(house: House) -> None:
    paged = list_paged((await house.client().get("/openapi.json")).json())
    assert len(paged) > 70
    for path, names in paged.items():
        assert ("created_since" in names) is not bool(OTHER_TIMES.search(path)), path
        if "created_since" in names:
            assert ("updated_since" in names) is not bool(UNRECORDED.search(path)), path


@pytest.mark.slow
async def test_every_list_is_narrowed_by_its_times(acme: Firm, house: House) -> None:
    for make in MAKERS.values():
        if make is not flow_version:
            await make(acme)
    paged = list_paged((await house.client().get("/openapi.json")).json())
    filled = 0
    for path, names in paged.items():
        address, client = await addressed(path, acme), await caller_for(acme, path)
        if "created_since" not in names:
            continue
        everything = await read_rows(client, address, limit="100")
        filled += bool(everything)
        for name in {"created_since", "updated_since"} & names:
            same = await read_rows(client, address, limit="100", **{name: LONG_AGO})
            assert len(same) == len(everything), (path, name)
            house.clock.advance(seconds=1)
            now = house.clock.now().isoformat()
            assert await read_rows(client, address, **{name: now}) == [], (path, name)
    assert filled > 50


@pytest.mark.parametrize("name", ["created_since", "updated_since"])
async def test_a_time_that_is_none_is_refused(acme: Firm, name: str) -> None:
    for wrong in ("yesterday", "2026-01-15", "2026-01-15T12:00:00", "1768478400"):
        answer = await acme.api.get("/v1/orders", params={name: wrong})
        assert answer.status_code == 422, wrong
        assert [field["path"] for field in answer.json()["fields"]] == [name]
