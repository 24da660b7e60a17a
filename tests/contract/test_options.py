"""OPTIONS tells of every path exactly the methods that work there."""

import re
from pathlib import Path
from typing import Final

import pytest

import stage
from pannier.app import build_litestar
from pannier.db import Database
from pannier.kit.clock import ManualClock
from stage import Firm, House

METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
PATHS: Final = sorted({route.path_format for route in build_litestar().routes})


@pytest.mark.slow
async def test_allow_lists_what_is_not_refused_as_a_method(
    database: Database, clock: ManualClock, tmp_path: Path
) -> None:
    house = await stage.build(database, clock, str(tmp_path), address_rate="1000000")
    client = house.client()
    for path in PATHS:
        address = re.sub(r"\{\w+\}", "anything", path)
        answer = await client.options(address)
        assert answer.status_code == 204, (path, answer.text)
        assert answer.content == b"", path
        listed = answer.headers["allow"].split(", ")
        answers = {method: await client.request(method, address) for method in METHODS}
        working = {method for method in METHODS if answers[method].status_code != 405}
        assert set(listed) == working, path
        assert listed == sorted(working), path


async def test_a_path_with_several_handlers_lists_the_methods_of_all_of_them(acme: Firm) -> None:
    for client in (acme.api, acme.house.client()):
        answer = await client.options("/v1/drivers/anything")
        assert answer.headers["allow"] == "DELETE, GET, HEAD, OPTIONS, PATCH, PUT"


async def test_a_path_that_is_not_there_has_no_methods(house: House) -> None:
    answer = await house.client().options("/v1/nothing")
    assert answer.status_code == 404
    assert "allow" not in answer.headers
