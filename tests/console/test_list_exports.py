"""Every list can be downloaded: all rows that its filters show, and none that a sheet evaluates."""

import csv
import io

import pytest

from console.seat import Seat
from imports.clerk import PLACES, Clerk
from orders.shop import Shop
from pannier.console import list_exports
from pannier.events import relay
from pannier.webhooks import fanout
from stage import Firm


async def rows(seat: Seat, path: str) -> list[dict[str, str]]:
    answer = await seat.client.get(path)
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"].startswith("text/csv")
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))


async def test_a_list_is_exported_over_all_its_pages_with_its_filters(acme: Firm) -> None:
    shop, seat = Shop(acme), await Seat.of(acme, "viewer")
    for number in range(65):
        await shop.post("places", name=f"=Place {number}", city="Oslo", country="NO")
    await shop.post("places", name="Depot", country="SG", latitude=1.5, longitude=103.5)
    assert len(await rows(seat, "/console/places/export")) == 66
    [depot] = await rows(seat, "/console/places/export?country=SG")
    assert (depot["name"], depot["location"]) == ("Depot", "1.5,103.5")
    exported = await rows(seat, "/console/places/export?country=NO")
    assert {row["name"][:3] for row in exported} == {"'=P"}
    page = await seat.client.get("/console/places?country=NO")
    assert 'href="/console/places/export?country=NO"' in page.text


async def test_orders_are_exported_as_their_table_shows_them(acme: Firm) -> None:
    shop, seat = Shop(acme), await Seat.of(acme)
    await shop.order(internal_id="SO-1", cod_amount=1250, cod_currency="SGD")
    canceled = await shop.order(internal_id="SO-2")
    await shop.act(canceled, "cancel")
    [row] = await rows(seat, "/console/orders/export?layout=table&status=created")
    assert (row["internal_id"], row["cod_amount"]) == ("SO-1", "12.50")
    assert await rows(seat, "/console/orders/export?status=completed") == []


async def test_events_imports_deliveries_and_plans_are_exported_with_their_filters(
    acme: Firm,
) -> None:
    shop, seat = Shop(acme), await Seat.of(acme)
    hook = {"url": "https://example.com/hook", "events": ["*"]}
    assert (await acme.admin.post("/int/v1/webhooks", json=hook)).status_code == 201
    order = await shop.order(internal_id="SO-1")
    await shop.act(order, "cancel")
    while await relay.Relay(acme.house.database, (fanout.create_deliveries,)).step():
        pass
    [event] = await rows(seat, "/console/events/export?event=order.cancelled")
    assert (event["event"], event["subject"]) == ("order.cancelled", order["id"])
    assert len(await rows(seat, "/console/events/export")) > 1
    [delivery] = await rows(seat, "/console/webhook-deliveries/export?event=order.cancelled")
    assert delivery["event"] == "order.cancelled"
    made = await Clerk(acme).create("places", PLACES, "orte.csv")
    [row] = await rows(seat, "/console/import/export")
    assert (row["id"], row["file_name"], row["state"]) == (made["id"], "orte.csv", "new")
    assert "Hauptstr" not in str(row)
    assert await rows(seat, "/console/plan/export") == []
    assert await rows(seat, "/console/cash/export?content=customers") == []


async def test_an_export_refuses_what_its_list_refuses(acme: Firm) -> None:
    viewer = await Seat.of(acme, "viewer")
    assert (await viewer.client.get("/console/keys/export")).status_code == 403
    answer = await viewer.client.get("/console/places/export?country=Atlantis")
    assert answer.status_code == 422


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1+1", "'=1+1"), ("+65 1", "'+65 1"), ("-x", "'-x"), ("@x", "'@x"), ("a", "a"),
        (-5, -5), (True, "true"), (None, ""), (["a", "b"], "a; b"), ({"name": "=A"}, "'=A"),
        ({"a": 1}, '{"a":1}'), ([], ""),
    ],
)  # fmt: skip
def test_a_cell_is_text_that_no_spreadsheet_evaluates(value: object, cell: object) -> None:
    assert list_exports.to_cell("field", value) == cell
