"""Decisions §1, Lists: keyset pages, each row that was there exactly once."""

import asyncio
import base64
import re
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import stage
from pannier.accounts import service
from pannier.accounts.schemas import OperatorIn
from pannier.db import Db, connect
from pannier.kit.clock import ManualClock
from pannier.kit.crypto import Keyring
from probe import paths, refused
from stage import Firm, House

NEXT = re.compile(r'<([^>]+)>; rel="next"')
LISTS = {
    "/int/v1/keys": ("created_at", "name"),
    "/int/v1/operators": ("created_at", "name", "email"),
    "/int/v1/audit": ("created_at",),
    "/v1/files": ("created_at",),
}


async def make_keys(firm: Firm, count: int, name: str = "Key") -> None:
    async with firm.house.database.transaction() as db:
        for number in range(count):
            await service.create_key(
                db, firm.uuid, kind="api", name=f"{name} {number}", scopes=["*"]
            )  # fmt: skip


async def make_files(firm: Firm, count: int) -> None:
    for number in range(count):
        data = base64.b64encode(f"file {number}".encode()).decode()
        answer = await firm.api.post("/v1/files", json={"data": data, "name": f"{number}.txt"})
        assert answer.status_code == 201, answer.text


async def test_v1_answers_a_bare_array_with_the_next_page_in_link(acme: Firm) -> None:
    await make_files(acme, 5)
    seen: list[str] = []
    target: str | None = "/v1/files?limit=2"
    while target:
        page = await acme.api.get(target)
        assert page.status_code == 200, page.text
        assert isinstance(page.json(), list)
        seen += [row["name"] for row in page.json()]
        found = NEXT.fullmatch(page.headers.get("link", ""))
        target = found[1] if found else None
    assert sorted(seen) == [f"{number}.txt" for number in range(5)]


async def test_link_keeps_the_other_parameters_and_needs_no_rebuilding(acme: Firm) -> None:
    await make_files(acme, 3)
    page = await acme.api.get("/v1/files?limit=1&name=.TXT&with=%26%3D%3E&sort=created_at")
    found = NEXT.fullmatch(page.headers["link"])
    assert found
    assert found[1].startswith("/v1/files?")
    sent = httpx.URL(found[1]).params
    assert (sent["limit"], sent["name"], sent["with"]) == ("1", ".TXT", "&=>")
    assert len(sent.get_list("cursor")) == 1
    assert (await acme.api.get(found[1])).json() != page.json()


async def test_link_cannot_be_broken_out_of_by_the_path(acme: Firm) -> None:
    await make_files(acme, 2)
    for path in ("//v1//files", "/v1/files/", "/v1/fi%6Ces"):
        page = await acme.api.get(f"{path}?limit=1")
        if page.status_code == 200:
            assert NEXT.fullmatch(page.headers["link"])
            assert "\r" not in page.headers["link"]


async def test_int_v1_answers_data_and_meta(acme: Firm) -> None:
    await make_keys(acme, 3)
    page = (await acme.admin.get("/int/v1/keys?limit=2")).json()
    assert set(page) == {"data", "meta"}
    assert len(page["data"]) == 2
    assert page["meta"]["limit"] == 2
    assert page["meta"]["has_more"] is True
    rest = await acme.admin.get(f"/int/v1/keys?cursor={page['meta']['next_cursor']}")
    assert rest.json()["meta"] == {"limit": 30, "has_more": False, "next_cursor": None}


async def test_an_empty_list_is_an_empty_list(acme: Firm) -> None:
    files = await acme.api.get("/v1/files")
    assert (files.status_code, files.json()) == (200, [])
    assert "link" not in files.headers
    page = (await acme.admin.get("/int/v1/events")).json()
    assert page["data"] == []
    assert page["meta"]["has_more"] is False


@pytest.mark.slow
async def test_limit_is_30_unless_given_and_100_at_the_most(acme: Firm) -> None:
    await make_keys(acme, 105)
    assert len((await acme.admin.get("/int/v1/keys")).json()["data"]) == 30
    assert len((await acme.admin.get("/int/v1/keys?limit=100")).json()["data"]) == 100
    for limit in ("0", "101", "-1", "1.5", "x", "", "9" * 400, "%00", "[]"):
        assert paths(await acme.admin.get(f"/int/v1/keys?limit={limit}")) == ["limit"]


async def test_a_list_exactly_as_long_as_its_limit_has_no_next_page(acme: Firm) -> None:
    page = (await acme.admin.get("/int/v1/keys?limit=2")).json()
    assert len(page["data"]) == 2  # the two keys every company of the cast has
    assert page["meta"]["has_more"] is False


async def a_cursor(firm: Firm, query: str = "limit=1", path: str = "/int/v1/keys") -> str:
    page = await firm.admin.get(f"{path}?{query}")
    cursor: str = page.json()["meta"]["next_cursor"]
    assert cursor, page.text
    return cursor


async def test_a_cursor_of_another_list_is_refused(acme: Firm) -> None:
    cursor = await a_cursor(acme)
    for path in ("/int/v1/operators", "/int/v1/audit", "/int/v1/events"):
        refused(await acme.admin.get(f"{path}?cursor={cursor}"), 400, "cursor_invalid")
    refused(await acme.api.get(f"/v1/files?cursor={cursor}"), 400, "cursor_invalid")


async def test_a_cursor_of_another_company_is_refused(acme: Firm, rival: Firm) -> None:
    cursor = await a_cursor(acme)
    assert (await acme.admin.get(f"/int/v1/keys?cursor={cursor}")).status_code == 200
    refused(await rival.admin.get(f"/int/v1/keys?cursor={cursor}"), 400, "cursor_invalid")


async def test_a_cursor_of_another_order_is_refused(acme: Firm) -> None:
    cursor = await a_cursor(acme, "limit=1&sort=name")
    for sort in ("-name", "created_at", "-created_at"):
        answer = await acme.admin.get(f"/int/v1/keys?sort={sort}&cursor={cursor}")
        refused(answer, 400, "cursor_invalid")
    assert (await acme.admin.get(f"/int/v1/keys?sort=name&cursor={cursor}")).status_code == 200


async def test_a_tampered_cursor_is_refused(acme: Firm) -> None:
    cursor = await a_cursor(acme)
    raw = bytearray(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    for place in range(0, len(raw), 3):
        changed = bytearray(raw)
        changed[place] ^= 1
        text = base64.urlsafe_b64encode(changed).rstrip(b"=").decode()
        refused(await acme.admin.get(f"/int/v1/keys?cursor={text}"), 400, "cursor_invalid")


@pytest.mark.parametrize(
    "cursor", ["", "x", "AAAA", "1", "null", "é", "%00", "%ff", "a" * 3000, "=====", "..", "{}"]
)
async def test_what_is_no_cursor_is_refused(acme: Firm, cursor: str) -> None:
    answer = await acme.admin.get(f"/int/v1/keys?cursor={cursor}")
    assert answer.status_code in {400, 422}, answer.text
    assert answer.json()["code"] in {"cursor_invalid", "validation_failed"}


async def test_sort_takes_what_the_list_offers_and_names_it_otherwise(acme: Firm) -> None:
    await make_keys(acme, 3)
    names = [row["name"] for row in (await acme.admin.get("/int/v1/keys?sort=name")).json()["data"]]
    back = [row["name"] for row in (await acme.admin.get("/int/v1/keys?sort=-name")).json()["data"]]
    assert names == back[::-1]
    for wish in ("secret_hash", "name;drop table keys", "--name", "-", "name,created_at", "1"):
        assert paths(await acme.admin.get(f"/int/v1/keys?sort={quote(wish)}")) == ["sort"]


async def test_rows_that_go_away_between_pages_disturb_no_other(acme: Firm) -> None:
    await make_files(acme, 6)
    first = await acme.api.get("/v1/files?limit=3")
    last_seen = first.json()[-1]["id"]
    assert (await acme.api.delete(f"/v1/files/{last_seen}")).status_code == 200
    found = NEXT.fullmatch(first.headers["link"])
    assert found
    rest = await acme.api.get(found[1])
    both = {row["id"] for row in first.json()} | {row["id"] for row in rest.json()}
    assert len(both) == 6


@dataclass
class Story:
    """What may happen to a list while somebody pages through it."""

    names: list[str]
    steps: list[int]
    births: list[tuple[int, str, int]]
    limit: int
    path: str
    sort: str


TITLES = st.text("aAbBzZéß-_ 0'\"\\\u4e2d\U0001f69a", min_size=1, max_size=4)
STEPS = st.sampled_from([0, 0, 1, 1000])


@st.composite
def stories(draw: st.DrawFn) -> Story:
    path = draw(st.sampled_from(["/int/v1/keys", "/int/v1/operators", "/int/v1/audit"]))
    column = draw(st.sampled_from(LISTS[path]))
    names = draw(st.lists(TITLES, min_size=1, max_size=10))
    return Story(
        names=names,
        steps=draw(st.lists(STEPS, min_size=len(names), max_size=len(names))),
        births=draw(
            st.lists(
                st.tuples(
                    st.integers(0, 5), TITLES, st.sampled_from([-1_000_000, -1000, 0, 1, 1000])
                ),
                max_size=6,
            )
        ),
        limit=draw(st.integers(1, 4)),
        path=path,
        sort=draw(st.sampled_from(["", "-"])) + column,
    )


class Chronicle:
    """Lives stories through a house of its own, in a loop of its own."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.count = 0

    async def give_birth(self, db: Db, firm: Firm, path: str, name: str) -> None:
        self.count += 1
        if path == "/int/v1/operators":
            given = OperatorIn(f"o{self.count}@example.com", name, "viewer", stage.PASSWORD)
            await service.create_operator(db, self.house.hasher, firm.uuid, given)
        else:
            await service.create_key(db, firm.uuid, kind="api", name=name, scopes=["*"])

    async def born(self, firm: Firm, path: str, name: str) -> None:
        async with self.house.database.transaction() as db:
            await self.give_birth(db, firm, path, name)

    async def live(self, story: Story) -> None:
        self.count += 1
        firm = await self.house.found(f"Firm{self.count}")
        for name, step in zip(story.names, story.steps, strict=True):
            self.house.clock.advance(milliseconds=step)
            await self.born(firm, story.path, name)
        existing = [row["id"] for row in await self.rows(firm, f"{story.path}?limit=100")]
        seen: list[str] = []
        cursor, number = "", 0
        while cursor is not None:
            query = f"?limit={story.limit}&sort={story.sort}{cursor and '&cursor=' + cursor}"
            page = (await firm.admin.get(story.path + query)).json()
            assert len(page["data"]) <= story.limit
            seen += [row["id"] for row in page["data"]]
            cursor = page["meta"]["next_cursor"]
            await self.births(firm, story, number)
            number += 1
        counts = {name: seen.count(name) for name in existing}
        assert set(counts.values()) == {1}, counts
        assert len(seen) == len(set(seen))

    async def births(self, firm: Firm, story: Story, number: int) -> None:
        for when, name, shift in story.births:
            if when == number:
                self.house.clock.advance(milliseconds=shift)
                await self.born(firm, story.path, name)
                self.house.clock.advance(milliseconds=-shift)

    async def rows(self, firm: Firm, target: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = (await firm.admin.get(target)).json()["data"]
        return rows


@pytest.mark.slow
@pytest.mark.properties
def test_pages_show_every_row_that_was_there_exactly_once_while_rows_are_inserted(
    database_url: str, tmp_path: Path
) -> None:
    clock = ManualClock(stage.NOON)
    with asyncio.Runner() as runner:
        database = runner.run(
            connect(database_url, clock=clock, keys=Keyring(stage.SECRET), size=4)
        )
        house = runner.run(stage.build(database, clock, str(tmp_path)))
        chronicle = Chronicle(house)

        @settings(
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(stories())
        def told(story: Story) -> None:
            clock.advance(days=1)
            runner.run(chronicle.live(story))

        try:
            told()
        finally:
            runner.run(database.close())
            runner.run(stage.wipe(database_url))


async def test_a_microsecond_between_two_rows_is_enough_to_tell_them_apart(
    acme: Firm, house: House
) -> None:
    for _ in range(4):
        house.clock.advance(microseconds=1)
        await make_keys(acme, 1)
    seen: list[str] = []
    query = "limit=1&sort=created_at"
    while True:
        page = (await acme.admin.get(f"/int/v1/keys?{query}")).json()
        seen += [row["id"] for row in page["data"]]
        if not page["meta"]["has_more"]:
            break
        query = f"limit=1&sort=created_at&cursor={page['meta']['next_cursor']}"
    assert len(seen) == len(set(seen)) == 6
    assert timedelta(0) < house.clock.now() - stage.NOON < timedelta(milliseconds=1)
