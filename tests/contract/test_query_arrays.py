"""Decisions §1, Query arrays and objects."""

import msgspec
import pytest

from pannier.db import PageIn
from pannier.web.routes import get
from probe import mounted, paths, refused
from stage import Firm, House


class Corner(msgspec.Struct):
    x: int = 0
    y: int = 0


class Wishes(PageIn, frozen=True, kw_only=True):
    tag: list[str] | None = None
    number: list[int] | None = None
    corner: Corner | None = None


@get("/wishes")
async def wishes(filters: Wishes) -> Wishes:
    """Answer what was understood."""
    return filters


@pytest.mark.parametrize(
    "query",
    ["tag=a&tag=b", "tag[]=a&tag[]=b", "tag%5B%5D=a&tag%5B%5D=b", "tag[0]=a&tag[1]=b",
     "tag[1]=b&tag[0]=a", 'tag=["a","b"]', "tag=%5B%22a%22%2C%22b%22%5D"],
)  # fmt: skip
async def test_an_array_works_in_every_spelling(house: House, query: str) -> None:
    async with mounted(house, wishes).client() as client:
        answer = await client.get(f"/wishes?{query}")
    assert answer.status_code == 200, answer.text
    assert answer.json()["tag"] == ["a", "b"]


@pytest.mark.parametrize("query", ["tag=a", "tag[]=a", 'tag=["a"]', "tag[0]=a"])
async def test_an_array_of_one_is_still_an_array(house: House, query: str) -> None:
    async with mounted(house, wishes).client() as client:
        assert (await client.get(f"/wishes?{query}")).json()["tag"] == ["a"]


@pytest.mark.parametrize(
    "query", ["corner[x]=1&corner[y]=2", 'corner={"x":1,"y":2}', "corner%5Bx%5D=1&corner%5By%5D=2"]
)
async def test_an_object_works_in_every_spelling(house: House, query: str) -> None:
    async with mounted(house, wishes).client() as client:
        answer = await client.get(f"/wishes?{query}")
    assert answer.json()["corner"] == {"x": 1, "y": 2}


@pytest.mark.parametrize("query", ["number=1&number=2", "number[]=1&number[]=2", "number=[1,2]"])
async def test_numbers_are_read_as_numbers(house: House, query: str) -> None:
    async with mounted(house, wishes).client() as client:
        assert (await client.get(f"/wishes?{query}")).json()["number"] == [1, 2]


async def test_a_real_list_takes_its_array_in_every_spelling(acme: Firm) -> None:
    names = ["order.created", "order.dispatched"]
    for query in (
        "event=order.created&event=order.dispatched",
        "event[]=order.created&event[]=order.dispatched",
        f'event=["{names[0]}","{names[1]}"]',
    ):
        assert (await acme.admin.get(f"/int/v1/events?{query}")).status_code == 200


async def test_a_wrong_element_is_named_by_its_index(house: House) -> None:
    async with mounted(house, wishes).client() as client:
        assert paths(await client.get("/wishes?number=1&number=x")) == ["number[1]"]
        assert paths(await client.get("/wishes?corner[x]=left")) == ["corner.x"]


async def test_a_single_value_given_twice_is_refused(acme: Firm) -> None:
    assert paths(await acme.admin.get("/int/v1/keys?limit=1&limit=2")) == ["limit"]


@pytest.mark.parametrize(
    "query",
    ["tag=a&tag[x]=b", "tag[]=a&tag[x]=b", "&".join(["tag=a"] * 300), "tag%5B%5D" * 200 + "=1",
     "tag[a][b][c][d][e][f]=1", "tag=%ff", "tag=" + "[" * 300, "a[][b]=1",
     "corner=" + '{"x":' * 200],
)  # fmt: skip
async def test_a_query_that_makes_no_sense_is_refused_and_never_breaks(
    house: House, query: str
) -> None:
    async with mounted(house, wishes).client() as client:
        answer = await client.get(f"/wishes?{query}")
    if answer.status_code != 200:
        refused(answer, 422, "validation_failed")
