"""Decisions §1, Unknown names: what a path does not know is refused with a suggestion."""

from time import process_time
from typing import Any

import msgspec
import pytest

from contract.test_silent_drops import METAS, RATE, ROUTE, WEBHOOK, made, with_parent
from pannier.web.routes import get, post
from probe import mounted, refused
from stage import Firm, House

LENIENT = {"Prefer": "handling=lenient"}


class Item(msgspec.Struct):
    name: str
    weight: int = 0


class Box(msgspec.Struct, rename="camel"):
    label: str
    main_lid: Item | None = None
    items: list[Item | str] = []
    by_name: dict[str, Item] = {}
    meta: dict[str, Any] = {}


@post("/v1/boxes")
async def make_box(data: Box) -> Box:
    """Answer what was understood."""
    return data


@post("/v1/boxes/close")
async def close_box() -> Box:
    """Take no body."""
    return Box("closed")


@post("/boxes")
async def make_open_box(data: Box) -> Box:
    """Take a box outside of the strict prefixes."""
    return data


@get("/v1/boxes")
async def read_box() -> Box:
    """Take no parameters."""
    return Box("read")


BOXES = (make_box, close_box, make_open_box, read_box)


def paths(answer: Any) -> list[str]:
    return [field["path"] for field in answer.json()["fields"]]


def sentences(answer: Any) -> dict[str, str]:
    return {field["path"]: field["message"] for field in answer.json()["fields"]}


async def test_unknown_fields_are_refused_at_any_depth_by_the_callers_path(house: House) -> None:
    box = {
        "label": "A",
        "lable": "B",
        "items": ["loose", {"name": "x", "wieght": 1}],
        "byName": {"a": {"name": "x", "waight": 2}},
        "mainLid": {"nmae": "lid", "name": "lid"},
        "meta": {"anything": {"goes": 1}},
    }
    async with mounted(house, *BOXES).client() as client:
        answer = await client.post("/v1/boxes", json=box)
        refused(answer, 422, "unknown_field")
        assert sorted(paths(answer)) == [
            "byName.a.waight", "items[1].wieght", "lable", "mainLid.nmae",
        ]  # fmt: skip
        assert "`weight`" in sentences(answer)["items[1].wieght"]
        camel = await client.post("/v1/boxes", json={"label": "A", "main_lid": {"name": "x"}})
        assert "`mainLid`" in sentences(camel)["main_lid"]


async def test_paths_outside_of_the_three_prefixes_take_what_they_do_not_know(house: House) -> None:
    async with mounted(house, *BOXES).client() as client:
        assert (await client.post("/boxes", json={"label": "A", "lable": 1})).status_code == 201


async def test_a_lenient_caller_hears_what_was_ignored(house: House) -> None:
    box = {"label": "A", "lable": "B", "items": [{"name": "x", "wieght": 1}], "größe": 1}
    async with mounted(house, *BOXES).client() as client:
        answer = await client.post("/v1/boxes", json=box, headers=LENIENT)
        assert answer.status_code == 201, answer.text
        assert answer.json()["items"] == [{"name": "x", "weight": 0}]
        ignored = answer.headers["pannier-ignored"].split(", ")
        assert sorted(ignored) == ["gr%C3%B6%C3%9Fe", "items[0].wieght", "lable"]
        assert answer.headers["preference-applied"] == "handling=lenient"
        plain = await client.post("/v1/boxes", json={"label": "A"}, headers=LENIENT)
        assert "pannier-ignored" not in plain.headers
        wrong = await client.post("/v1/boxes", json={"label": 1, "x": 2}, headers=LENIENT)
        refused(wrong, 422, "validation_failed")


async def test_a_replay_repeats_what_was_ignored(acme: Firm) -> None:
    headers = LENIENT | {"Idempotency-Key": "SO-1"}
    body = {"pickup": "1,103", "dropoff": {"street1": "1 Main", "stret2": "#1"}}
    answers = [await acme.api.post("/v1/orders", json=body, headers=headers) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201], answers[0].text
    assert {answer.headers["pannier-ignored"] for answer in answers} == {"dropoff.stret2"}
    assert answers[1].headers["idempotent-replayed"] == "true"


async def test_the_document_tells_of_the_preference(house: House) -> None:
    told = (await house.client().get("/openapi.json")).json()
    operation = told["paths"]["/v1/orders"]["post"]
    assert {"$ref": "#/components/parameters/Prefer"} in operation["parameters"]
    assert "Pannier-Ignored" in operation["responses"]["201"]["headers"]
    assert "Prefer" not in str(told["paths"]["/v1/orders"]["get"]["parameters"])


async def test_a_path_without_a_body_takes_no_fields(house: House) -> None:
    async with mounted(house, *BOXES).client() as client:
        for empty in ({}, None):
            assert (await client.post("/v1/boxes/close", json=empty)).status_code == 201
        answer = await client.post("/v1/boxes/close", json={"force": True})
        refused(answer, 422, "unknown_field")
        refused(await client.get("/v1/boxes?expand=lid"), 422, "unknown_parameter")


@pytest.mark.parametrize("body", ['{"a":1,}', '{"a":NaN}', '{"lable":1'])
async def test_a_broken_body_is_unreadable_before_its_names_matter(house: House, body: str) -> None:
    async with mounted(house, *BOXES).client() as client:
        headers = {"Content-Type": "application/json"}
        answer = await client.post("/v1/boxes", content=body, headers=headers)
    refused(answer, 400, "body_unreadable")


@pytest.mark.parametrize(
    ("query", "path", "meant"),
    [("statuss=created", "statuss", "status"), ("page=2", "page", "cursor"),
     ("offset=30", "offset", "cursor"),
     ("updated_sinse=2026-01-01", "updated_sinse", "updated_since"),
     ("embed=driver", "embed", None), ("embed[]=driver", "embed", None),
     ("o[x]=1", "o", None)],
)  # fmt: skip
async def test_unknown_parameters_are_refused_with_a_suggestion(
    acme: Firm, query: str, path: str, meant: str | None
) -> None:
    answer = await acme.api.get(f"/v1/orders?{query}")
    refused(answer, 422, "unknown_parameter")
    assert paths(answer) == [path]
    assert meant is None or f"`{meant}`" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("query", "meant"),
    [("status=cancelled", "canceled"), ("status=Completed", "completed"), ("status=a,b", None),
     ("status[]=Completed", "completed")],
)  # fmt: skip
async def test_unknown_statuses_are_refused_and_the_known_ones_named(
    acme: Firm, query: str, meant: str | None
) -> None:
    answer = await acme.api.get(f"/v1/orders?{query}")
    refused(answer, 422, "unknown_value")
    assert paths(answer) == ["status"]
    assert "created, dispatched, started, completed, canceled" in answer.json()["detail"]
    assert meant is None or f"`{meant}`" in answer.json()["detail"]


async def test_statuses_of_the_companys_own_flows_are_known(acme: Firm) -> None:
    assert (await acme.api.get("/v1/orders?status=enroute")).status_code == 200


@pytest.mark.parametrize(
    ("path", "query"),
    [("/v1/drivers", "status=busy"), ("/v1/issues", "priority=urgent"),
     ("/v1/vehicles", "status=Available"), ("/int/v1/keys", "kind=car"),
     ("/v1/proofs", "method=fax"), ("/v1/transactions", "status=done"),
     ("/v1/orders", "type=transprt"), ("/v1/webhook-deliveries", "event=order.canceled"),
     ("/int/v1/webhook-deliveries", "event=order.created&event=order")],
)  # fmt: skip
async def test_filters_with_listed_values_refuse_others(acme: Firm, path: str, query: str) -> None:
    caller = acme.admin if path.startswith("/int") else acme.api
    answer = await caller.get(f"{path}?{query}")
    refused(answer, 422, "unknown_value")
    assert paths(answer) == [query.partition("=")[0]]
    assert "must be one of: " in answer.json()["detail"]


async def test_orders_are_found_by_a_type_whose_configuration_was_deleted(acme: Firm) -> None:
    flow = [{"code": "done", "complete": True}]
    config = await acme.api.post("/v1/order-configs", json={"name": "Cold", "flow": flow})
    order = {"pickup": "1,103", "dropoff": "2,103", "type": config.json()["key"]}
    made = await acme.api.post("/v1/orders", json=order)
    assert made.status_code == 201, made.text
    gone = await acme.api.delete(f"/v1/order-configs/{config.json()['id']}")
    assert gone.status_code == 200, gone.text
    assert len((await acme.api.get(f"/v1/orders?type={order['type']}")).json()) == 1


async def prove(firm: Firm) -> None:
    """Capture a proof of an order."""
    order = await made(firm, "/v1/orders", ROUTE)
    await made(firm, f"/v1/orders/{order['id']}/capture-qr", {"code": "4006381333931"})


async def charge(firm: Firm) -> None:
    """Accept a quote, which makes a transaction."""
    await made(firm, "/v1/service-rates", RATE | {"base_fee": 500})
    quote = (await firm.api.get("/v1/service-quotes", params=ROUTE)).json()[0]
    await made(firm, f"/v1/service-quotes/{quote['id']}/accept", {})


async def add_record(firm: Firm, path: str) -> None:
    """Make a list hold a record with few fields, so that an empty filter could lose it."""
    if path == "/v1/proofs":
        await prove(firm)
    elif path == "/v1/transactions":
        await charge(firm)
    elif path == "/v1/tracking-numbers":
        await made(firm, "/v1/orders", ROUTE)
    else:
        await made(firm, path, await with_parent(firm, path, RECORDS[path]))


RECORDS = dict(METAS) | {"/v1/webhooks": WEBHOOK, "/v1/files": {"data": "aGVsbG8="}}
LISTS = (*RECORDS, "/v1/proofs", "/v1/transactions", "/v1/tracking-numbers")


@pytest.mark.parametrize("path", LISTS)
async def test_an_empty_query_filters_nothing(acme: Firm, path: str) -> None:
    await add_record(acme, path)
    everything = (await acme.api.get(path)).json()
    assert everything
    for blank in ("", "%20", "+%09+"):
        answer = await acme.api.get(f"{path}?query={blank}")
        assert answer.json() == everything


async def test_an_empty_query_finds_orders_without_a_customer(acme: Firm) -> None:
    for _ in range(2):
        made = await acme.api.post("/v1/orders", json={"pickup": "1,103", "dropoff": "2,103"})
        assert made.status_code == 201, made.text
    assert len((await acme.api.get("/v1/orders?query=")).json()) == 2
    assert len((await acme.api.get("/v1/orders?query=%20")).json()) == 2


@pytest.mark.parametrize(
    "body",
    [
        b'{"name": "Ada", "nonsense": [' + b"0.1," * 200_000 + b"0.1]}",
        b"{" + b",".join(b'"n%06d":1' % number for number in range(80_000)) + b"}",
    ],
    ids=["values", "names"],
)
async def test_refusing_a_large_body_takes_little_longer_than_reading_it(
    acme: Firm, body: bytes
) -> None:
    async def cost() -> float:
        started = process_time()
        msgspec.json.decode(body)
        reading = process_time() - started
        refused(await acme.api.post("/v1/contacts", content=body), 422, "unknown_field")
        return (process_time() - started - reading) / reading

    assert min([await cost() for _ in range(3)]) < 3


async def test_suggestions_are_made_for_a_few_different_names_only(house: House) -> None:
    box = {"label": "A", **{f"lable{number}": 1 for number in range(200)}, "l" * 3000: 1}
    many = {"label": "A", "items": [{"name": "x", "wieght": 1}] * 200}
    async with mounted(house, *BOXES).client() as client:
        told = sentences(await client.post("/v1/boxes", json=box))
        assert len(told) == 50
        assert sum("`label`" in sentence for sentence in told.values()) == 10
        told = sentences(await client.post("/v1/boxes", json=many))
        assert len(told) == 50
        assert all("`weight`" in sentence for sentence in told.values())
