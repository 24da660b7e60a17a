"""The catalogue says what each event carries, by the very Struct that is told."""

import re
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator
from litestar import Router

from pannier.accounts import auth
from pannier.app import EVENT_DATA_TYPES
from pannier.events import api
from pannier.events.catalog import Name, list_entries
from probe import mounted
from stage import Firm, House

REFERENCE = re.compile(r'"\$ref":"([^"]+)"')


class Place(msgspec.Struct):
    street: str


class Moved(msgspec.Struct):
    """Somebody moved."""

    id: str
    to: Place


async def entries(firm: Firm) -> dict[str, Any]:
    answer = await firm.admin.get("/int/v1/event-catalog")
    assert answer.status_code == 200, answer.text
    return {entry["event"]: entry for entry in answer.json()}


async def test_the_catalogue_lists_every_event_with_its_group_and_meaning(acme: Firm) -> None:
    shown = await entries(acme)
    assert [(entry["event"], entry["group"], entry["meaning"]) for entry in shown.values()] == [
        (str(entry.name), entry.group, entry.meaning) for entry in list_entries(EVENT_DATA_TYPES)
    ]


async def test_what_a_domain_tells_is_described_by_its_struct(acme: Firm) -> None:
    shown = await entries(acme)
    for name, kind in EVENT_DATA_TYPES.items():
        assert list(shown[name]["schema"]["properties"]) == list(kind.__struct_fields__), name


async def test_every_event_that_something_tells_is_described(acme: Firm) -> None:
    shown = await entries(acme)
    assert {name for name, entry in shown.items() if entry["schema"] is None} == set()


@pytest.mark.slow
async def test_every_schema_is_sound_and_needs_no_other(acme: Firm) -> None:
    schemas = [entry["schema"] for entry in (await entries(acme)).values() if entry["schema"]]
    assert len(schemas) == len(EVENT_DATA_TYPES)
    for schema in schemas:
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        Draft202012Validator.check_schema(schema)
        for reference in REFERENCE.findall(msgspec.json.encode(schema).decode()):
            assert reference.removeprefix("#/$defs/") in schema["$defs"], reference


async def test_a_description_is_null_until_a_domain_tells_the_event(
    acme: Firm, house: House
) -> None:
    doors = Router(
        "/int/v1",
        route_handlers=api.make_handlers({Name.ORDER_CREATED: Moved}),
        before_request=auth.require_operator("viewer"),
    )
    client = mounted(house, doors).client(acme.token)
    shown = {
        row["event"]: row["schema"] for row in (await client.get("/int/v1/event-catalog")).json()
    }
    described = shown.pop("order.created")
    assert described["description"] == "Somebody moved."
    assert described["$defs"]["Place"]["properties"] == {"street": {"type": "string"}}
    assert set(shown.values()) == {None}
