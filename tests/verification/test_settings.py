"""Codes as a company wants them, and its stores: how many, to where, and in whose name."""

from typing import Any

import httpx
import pytest

from pannier.kit.clock import ManualClock
from probe import refused
from stage import Firm, House

SHOP = "/storefront/v1/customers"
ADA, BOB = "+6591234567", "+6598765432"


async def company(firm: Firm, **settings: Any) -> None:
    answer = await firm.admin.patch("/int/v1/settings", json=settings)
    assert answer.status_code == 200, answer.text


async def store(firm: Firm, **settings: Any) -> dict[str, Any]:
    [row] = (await firm.admin.get("/int/v1/storefronts")).json()["data"]
    path = f"/int/v1/storefronts/{row['id']}"
    answer = await firm.admin.patch(path, json={"settings": settings})
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()["settings"]
    return shown


async def ask(firm: Firm, phone: str = ADA, path: str = "request-creation-code") -> httpx.Response:
    name = "identity" if path == "forgot-password" else "phone"
    return await firm.storefront.post(f"{SHOP}/{path}", json={name: phone})


async def sends(firm: Firm, clock: ManualClock, phone: str = ADA) -> int:
    """Ask until it is refused, and tell how often it was granted."""
    for count in range(21):
        if (await ask(firm, phone)).status_code != 200:
            return count
        clock.advance(seconds=300)
    raise AssertionError


async def test_codes_are_sent_as_often_as_the_company_wants(
    acme: Firm, rival: Firm, clock: ManualClock
) -> None:
    await company(acme, codes={"sends_per_hour": 2})
    assert await sends(acme, clock) == 2
    assert await sends(rival, clock) == 5


async def test_a_store_goes_before_its_company_and_both_before_the_default(
    acme: Firm, clock: ManualClock
) -> None:
    await company(acme, codes={"sends_per_hour": 2})
    assert await store(acme, codes={"sends_per_hour": 3}) == {"codes": {"sends_per_hour": 3}}
    assert await sends(acme, clock, ADA) == 3
    assert await store(acme, codes={"sends_per_hour": None}) == {"codes": {}}
    assert await sends(acme, clock, BOB) == 2
    await company(acme, codes=None)
    assert await sends(acme, clock, "+6590000000") == 5


async def test_a_code_dies_after_as_many_wrong_tries_as_the_company_wants(
    acme: Firm, house: House
) -> None:
    await company(acme, codes={"wrong_per_code": 3})
    await ask(acme)
    code = (await house.value("select body from messages"))[:6]
    wrong = "000000" if code != "000000" else "111111"
    body = {"name": "Ada", "phone": ADA, "code": wrong}
    for _ in range(3):
        refused(await acme.storefront.post(SHOP, json=body), 422, "invalid_code")
    refused(await acme.storefront.post(SHOP, json={**body, "code": code}), 422, "invalid_code")


async def test_codes_go_only_to_countries_that_are_allowed_whoever_has_the_number(
    acme: Firm, rival: Firm, house: House
) -> None:
    for firm in (acme, rival):
        await ask(firm, "+4915112345678")
    code = (await house.value("select body from messages order by created_at limit 1"))[:6]
    body = {"name": "Ada", "phone": "+4915112345678", "code": code}
    await acme.storefront.post(SHOP, json=body)
    await company(acme, codes={"countries": ["SG", "MY"]})
    for phone in ("+4915112345678", "+4915187654321", "+88213012345"):
        for path in ("request-creation-code", "login-with-sms", "forgot-password"):
            refused(await ask(acme, phone, path), 422, "country_not_allowed")
    assert (await ask(acme, BOB)).status_code == 200
    assert (await ask(rival, "+4915187654321")).status_code == 200


async def test_a_store_sends_codes_where_its_company_does_not(acme: Firm) -> None:
    await company(acme, codes={"countries": ["SG"]})
    await store(acme, codes={"countries": ["DE"]})
    assert (await ask(acme, "+4915112345678")).status_code == 200
    refused(await ask(acme, ADA), 422, "country_not_allowed")
    driver = {"name": "Sam", "phone": ADA}
    assert (await acme.api.post("/v1/drivers", json=driver)).status_code == 201
    asked = await acme.api.post("/v1/drivers/login-with-sms", json={"phone": ADA})
    assert asked.status_code == 200, asked.text
    away = await acme.api.post("/v1/drivers/login-with-sms", json={"phone": "+4915112345678"})
    refused(away, 422, "country_not_allowed")


@pytest.mark.parametrize(
    ("of_company", "of_store", "brand", "sender"),
    [
        ({}, {}, "Acme store", "Acmestore"),
        ({"branding": {"name": "Acme & Sons"}}, {}, "Acme & Sons", "AcmeSons"),
        (
            {"branding": {"name": "Acme & Sons"}, "senders": {"sms": "ACME"}},
            {"branding": {"name": "Corner shop"}},
            "Corner shop",
            "ACME",
        ),
        (
            {"senders": {"sms": "ACME"}},
            {"senders": {"sms": "+6560000000"}},
            "Acme store",
            "+6560000000",
        ),
    ],
)
async def test_messages_come_from_whom_the_store_says_or_its_company(
    acme: Firm,
    house: House,
    of_company: dict[str, Any],
    of_store: dict[str, Any],
    brand: str,
    sender: str,
) -> None:
    await company(acme, **of_company)
    await store(acme, **of_store)
    await ask(acme)
    body = await house.value("select body from messages")
    assert body[6:].startswith(f" is your {brand} code.")
    assert await house.value("select sender from messages") == sender


async def test_what_a_store_cannot_want_is_refused_by_its_name(acme: Firm, rival: Firm) -> None:
    [row] = (await acme.admin.get("/int/v1/storefronts")).json()["data"]
    path = f"/int/v1/storefronts/{row['id']}"
    wrong = {"locale": "nonsense!", "codes": {"countries": ["QQ"]}}
    answer = await acme.admin.patch(path, json={"settings": wrong})
    fields = refused(answer, 422, "validation_failed")["fields"]
    assert [each["path"] for each in fields] == ["settings.locale", "settings.codes.countries"]
    theirs = (await rival.api.post("/v1/files", json={"data": "iVBORw0KGgo="})).json()["id"]
    answer = await acme.admin.patch(path, json={"settings": {"branding": {"logo": theirs}}})
    fields = refused(answer, 404, "not_found")["fields"]
    assert [each["path"] for each in fields] == ["settings.branding.logo"]
