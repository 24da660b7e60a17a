"""Contacts and vendors at the console, with the orders they have to do with."""

from console.seat import Seat
from stage import Firm


async def test_a_vendor_is_made_and_shown_with_the_orders_it_carries(
    acme: Firm, seat: Seat
) -> None:
    form = (await seat.open("/console/vendors/new")).sheet()
    told = {"name": "Swift", "country": "sg", "website_url": "https://swift.example.com"}
    made = await seat.send("/console/vendors/new", {**form, **told, "status": "active"})
    home = made.headers["Location"]
    vendor = home.rpartition("/")[2]
    order = {"pickup": "1 Road", "dropoff": "2 Road", "facilitator": vendor}
    placed = (await acme.api.post("/v1/orders", json=order)).json()
    page = await seat.open(home)
    assert "https://swift.example.com" in page.main.text
    assert f"/console/orders/{placed['id']}" in page.links()
    (row,) = (await seat.open("/console/vendors?status=active&country=SG")).rows()
    assert row[:2] == ["Swift", "Active"]


async def test_what_is_kept_beside_a_contact_is_read_as_json(acme: Firm, seat: Seat) -> None:
    form = (await seat.open("/console/contacts/new")).sheet()
    sent = {**form, "name": "Ada", "type": "contact", "meta": '{"floor": 3}'}
    await seat.send("/console/contacts/new", sent)
    (contact,) = (await acme.api.get("/v1/contacts?type=contact")).json()
    assert contact["meta"] == {"floor": 3}
    answer = await seat.send("/console/contacts/new", {**sent, "meta": "{floor"})
    assert answer.status_code == 422
    assert "not valid JSON" in answer.text
    for deep in ("[" * 40 + "]" * 40, '{"a":' * 2000 + "1" + "}" * 2000):
        answer = await seat.send("/console/contacts/new", {**sent, "meta": deep})
        assert answer.status_code == 422
        assert "is nested too deeply." in answer.text


async def test_a_contacts_tariff_and_terms_are_kept_and_shown(acme: Firm, seat: Seat) -> None:
    rate = {"service_name": "Express", "service_type": "express", "currency": "SGD",
            "rate_calculation_method": "fixed_rate"}  # fmt: skip
    express = (await acme.api.post("/v1/service-rates", json=rate)).json()
    form = (await seat.open("/console/contacts/new")).sheet()
    terms = {"price_group": "gold", "default_service": "Express", "payment_terms_days": "14",
             "tax_number": "DE123"}  # fmt: skip
    made = await seat.send("/console/contacts/new", {**form, "name": "Ada", **terms})
    page = await seat.open(made.headers["Location"])
    (contact,) = (await acme.api.get("/v1/contacts")).json()
    assert contact["default_service"] == express["id"]
    assert (contact["payment_terms_days"], contact["tax_number"]) == (14, "DE123")
    assert f"/console/service-rates/{express['id']}" in page.links()
    assert "gold" in page.main.text
