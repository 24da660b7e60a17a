"""Decisions §1, Errors: each field that is missing or wrong is named by its whole path."""

from typing import Any

import msgspec
import pytest

from pannier.web.routes import post
from probe import mounted, paths, refused
from stage import Firm, House


class Item(msgspec.Struct):
    name: str
    weight: int


class Box(msgspec.Struct, rename="camel"):
    label: str
    items: list[Item] = []
    by_name: dict[str, Item] = {}
    lid: Item | None = None


@post("/boxes")
async def make_box(data: Box) -> Box:
    """Take a box apart and put it together again."""
    return data


async def test_every_missing_field_is_named(acme: Firm) -> None:
    answer = await acme.admin.post("/int/v1/operators", json={})
    assert sorted(paths(answer)) == ["email", "name", "password", "role"]
    assert paths(await acme.admin.post("/int/v1/keys", json={"name": "Shop"})) == ["kind"]


async def test_every_field_of_a_wrong_type_is_named(acme: Firm) -> None:
    body = {"kind": "car", "name": 5, "scopes": ["*", 7, None], "expires_at": True}
    answer = await acme.admin.post("/int/v1/keys", json=body)
    assert sorted(paths(answer)) == ["expires_at", "kind", "name", "scopes[1]", "scopes[2]"]


async def test_offenders_inside_lists_and_objects_are_named_by_their_whole_path(
    house: House,
) -> None:
    box = {
        "label": "A",
        "items": [{"name": "x", "weight": 1}, {"name": 1}, "third"],
        "byName": {"a": {"name": "x", "weight": "heavy"}},
        "lid": {"name": "lid"},
    }
    async with mounted(house, make_box).client() as client:
        answer = await client.post("/boxes", json=box)
    assert sorted(paths(answer)) == [
        "byName.a.weight", "items[1].name", "items[1].weight", "items[2]", "lid.weight",
    ]  # fmt: skip
    assert all(path in answer.json()["detail"] for path in paths(answer))


async def test_a_body_with_a_thousand_offenders_gets_a_short_answer(house: House) -> None:
    async with mounted(house, make_box).client() as client:
        answer = await client.post("/boxes", json={"label": "A", "items": [0] * 1000})
    assert 1 <= len(paths(answer)) <= 100


@pytest.mark.parametrize("overlap", ["60", 60.5, True, None, [], "1e3", -1, 10**30])
async def test_a_number_is_a_number_and_nothing_that_looks_like_one(
    acme: Firm, overlap: Any
) -> None:
    made = await acme.admin.post("/int/v1/keys", json={"kind": "api", "name": "Shop"})
    path = f"/int/v1/keys/{made.json()['id']}/rotate"
    answer = await acme.admin.post(path, json={"overlap_seconds": overlap})
    assert paths(answer) == ["overlap_seconds"]


@pytest.mark.parametrize("body", ["[]", '"text"', "5", "null", "true"])
async def test_a_body_that_is_no_object_is_refused(acme: Firm, body: str) -> None:
    headers = {"Content-Type": "application/json"}
    answer = await acme.admin.post("/int/v1/keys", content=body, headers=headers)
    refused(answer, 422, "validation_failed")


async def test_no_body_is_an_empty_object(acme: Firm) -> None:
    made = await acme.admin.post("/int/v1/keys", json={"kind": "api", "name": "Shop"})
    assert (await acme.admin.post(f"/int/v1/keys/{made.json()['id']}/rotate")).status_code == 201
    assert sorted(paths(await acme.admin.post("/int/v1/keys"))) == ["kind", "name"]


async def test_wrong_query_parameters_are_named_too(acme: Firm) -> None:
    answer = await acme.admin.get("/int/v1/keys?limit=many&kind=car&revoked=perhaps")
    assert sorted(paths(answer)) == ["kind", "limit", "revoked"]
