"""A number written nationally is one of the company's country, whichever door it comes in by."""

from typing import Any

import pytest

from probe import paths, refused
from stage import Firm, House

NATIONAL, WRITTEN = "9876 5432", "+6598765432"
CONTACT = {"name": "Ada", "phone": NATIONAL}
PLACE = {"street1": "1 Main Street", "phone": NATIONAL}
WAYPOINTS = [{"place": {"street1": "1 Main Street"}, "contact": CONTACT}]
DOORS: list[tuple[str, dict[str, Any], str]] = [
    ("/v1/contacts", CONTACT, "phone"),
    ("/v1/vendors", CONTACT, "phone"),
    ("/v1/drivers", CONTACT, "phone"),
    ("/v1/places", PLACE, "phone"),
    ("/v1/orders", {"pickup": "1 Main Street", "dropoff": PLACE, "customer": CONTACT}, ""),
    ("/v1/payloads", {"waypoints": WAYPOINTS}, "waypoints[0].contact.phone"),
    ("/v1/payloads", {"pickup": "1 Main Street", "dropoff": PLACE}, "dropoff.phone"),
]


async def set_country(firm: Firm, country: str | None) -> None:
    answer = await firm.admin.patch("/int/v1/settings", json={"country": country})
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize(("path", "body"), [door[:2] for door in DOORS])
async def test_a_national_number_is_read_in_the_companys_country(
    acme: Firm, house: House, path: str, body: dict[str, Any]
) -> None:
    await set_country(acme, "SG")
    answer = await acme.api.post(path, json=body)
    assert answer.status_code == 201, answer.text
    kept = await house.value(
        """select array_agg(distinct phone) from (
               select phone from contacts union all select phone from vendors
               union all select phone from drivers union all select phone from places) everybody
           where phone is not null"""
    )
    assert kept == [WRITTEN]


@pytest.mark.parametrize(("path", "body", "field"), DOORS)
async def test_without_a_country_it_is_refused_with_a_sentence(
    acme: Firm, house: House, path: str, body: dict[str, Any], field: str
) -> None:
    answer = await acme.api.post(path, json=body)
    fields = refused(answer, 422, "validation_failed")["fields"]
    assert "set the company's country" in fields[0]["message"]
    assert not field or fields[0]["path"] == field
    assert await house.value("select count(*) from contacts") == 0


async def test_a_change_reads_numbers_as_the_beginning_did(acme: Firm) -> None:
    made = (
        await acme.api.post("/v1/contacts", json={"name": "Ada", "phone": "+4930901820"})
    ).json()
    path = f"/v1/contacts/{made['id']}"
    assert paths(await acme.api.patch(path, json={"phone": NATIONAL})) == ["phone"]
    await set_country(acme, "SG")
    assert (await acme.api.patch(path, json={"phone": NATIONAL})).json()["phone"] == WRITTEN
    await set_country(acme, None)
    assert paths(await acme.api.patch(path, json={"phone": "12345678"})) == ["phone"]


@pytest.mark.parametrize("kind", ["contacts", "vendors", "drivers"])
async def test_lists_are_filtered_by_national_numbers_too(
    acme: Firm, rival: Firm, kind: str
) -> None:
    await set_country(acme, "SG")
    await set_country(rival, "DE")
    await acme.api.post(f"/v1/{kind}", json=CONTACT)
    for spelled in (NATIONAL, "%2B6598765432", "+6598765432", "006598765432"):
        found = (await acme.api.get(f"/v1/{kind}?phone={spelled}")).json()
        assert [row["phone"] for row in found] == [WRITTEN], spelled
    assert (await rival.api.get(f"/v1/{kind}?phone={NATIONAL}")).json() == []


async def test_a_driver_signs_in_with_the_number_as_they_write_it(acme: Firm, house: House) -> None:
    await set_country(acme, "SG")
    await acme.api.post("/v1/drivers", json=CONTACT)
    asked = await acme.api.post("/v1/drivers/login-with-sms", json={"phone": NATIONAL})
    assert asked.status_code == 200, asked.text
    sent = await house.value("select body from messages where recipient = :to", to=WRITTEN)
    body = {"identity": NATIONAL, "code": sent.split()[0]}
    assert (await acme.api.post("/v1/drivers/verify-code", json=body)).status_code == 200


async def test_a_shop_goes_on_prepending_a_missing_plus(acme: Firm, house: House) -> None:
    await set_country(acme, "SG")
    answer = await acme.storefront.post(
        "/storefront/v1/customers/request-creation-code", json={"phone": "65 9876 5432"}
    )
    assert answer.status_code == 200, answer.text
    assert await house.value("select recipient from messages") == WRITTEN
