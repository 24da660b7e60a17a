"""OPTIONS tells of every path exactly the methods that work there."""

import re
from typing import Final

import pytest

from pannier.app import litestar
from stage import Firm, House

METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
PATHS: Final = sorted({route.path_format for route in litestar().routes})


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
async def test_allow_lists_what_is_not_refused_as_a_method(house: House, path: str) -> None:
    address, client = re.sub(r"\{\w+\}", "anything", path), house.client()
    answer = await client.options(address)
    assert answer.status_code == 204, answer.text
    assert answer.content == b""
    listed = answer.headers["allow"].split(", ")
    working = {
        method for method in METHODS if (await client.request(method, address)).status_code != 405
    }
    assert set(listed) == working
    assert listed == sorted(working)


async def test_a_path_with_several_handlers_lists_the_methods_of_all_of_them(acme: Firm) -> None:
    for client in (acme.api, acme.house.client()):
        answer = await client.options("/v1/drivers/anything")
        assert answer.headers["allow"] == "DELETE, GET, HEAD, OPTIONS, PATCH, PUT"


async def test_a_path_that_is_not_there_has_no_methods(house: House) -> None:
    answer = await house.client().options("/v1/nothing")
    assert answer.status_code == 404
    assert "allow" not in answer.headers
