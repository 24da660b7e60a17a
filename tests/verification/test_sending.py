"""What codes may cost: which numbers, how many, when sending stops by itself."""

from typing import Any

import httpx
import pytest

from pannier.kit.clock import ManualClock
from probe import refused
from stage import Firm, House

SHOP = "/storefront/v1/customers"
ADA = "+6591234567"


async def settle(firm: Firm, **codes: Any) -> None:
    answer = await firm.admin.patch("/int/v1/settings", json={"codes": codes})
    assert answer.status_code == 200, answer.text


async def ask(firm: Firm, phone: str, path: str = "request-creation-code") -> httpx.Response:
    return await firm.storefront.post(f"{SHOP}/{path}", json={"phone": phone})


async def texted(house: House) -> str:
    newest = "select body from messages order by created_at desc, uuid desc limit 1"
    text: str = await house.value(newest)
    return text[:6]


async def registered(firm: Firm, phone: str) -> None:
    assert (await ask(firm, phone)).status_code == 200
    body = {"name": "Ada", "phone": phone, "code": await texted(firm.house)}
    answer = await firm.storefront.post(SHOP, json=body)
    assert answer.status_code == 201, answer.text


@pytest.mark.parametrize(
    "phone", ["+97912345678", "+882161234567", "+881612345678", "+19005551234", "+449098790000"]
)
async def test_no_code_goes_to_a_number_that_costs_a_fortune(
    acme: Firm, house: House, phone: str
) -> None:
    for path in ("request-creation-code", "login-with-sms"):
        refused(await ask(acme, phone, path), 422, "number_not_allowed")
    driver = await acme.api.post("/v1/drivers/login-with-sms", json={"phone": phone})
    refused(driver, 422, "number_not_allowed")
    assert await house.value("select count(*) from messages") == 0
    await settle(acme, refused_types=[])
    assert (await ask(acme, phone)).status_code == 200


@pytest.mark.slow
async def test_a_days_codes_end_for_new_numbers_and_not_for_who_has_an_account(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    await registered(acme, ADA)
    await settle(acme, sms_per_day=5, sends_per_address=1000)
    asked = [await ask(acme, f"+65910000{turn:02}") for turn in range(4)]
    assert [answer.status_code for answer in asked] == [200] * 3 + [429]
    problem = refused(asked[-1], 429, "sms_cap_reached")
    assert "another sign-in method" in problem["detail"]
    sent = await house.value("select count(*) from messages")
    # Nobody who is unknown uses anything up, and nobody can tell who is.
    for turn in range(20):
        assert (await ask(acme, f"+65920000{turn:02}", "login-with-sms")).status_code == 200
    assert await house.value("select count(*) from messages") == sent
    assert (await ask(acme, ADA, "login-with-sms")).status_code == 200
    clock.advance(minutes=5)
    for phone in (ADA, "+6592000099"):
        refused(await ask(acme, phone, "login-with-sms"), 429, "sms_cap_reached")
    [store, *_] = (await acme.admin.get("/int/v1/sms")).json()["audiences"]
    assert (store["audience"], store["sent"], store["sms_per_day"]) == ("store", 5, 5)
    clock.advance(days=1)
    assert (await ask(acme, "+6591000099")).status_code == 200


async def test_sending_to_a_country_stops_when_no_code_comes_back_and_goes_on_by_itself(
    acme: Firm, rival: Firm, house: House, clock: ManualClock
) -> None:
    await settle(acme, breaker_sends=10, sends_per_address=1000)
    german = "+4915112345678"
    await registered(acme, german)
    for turn in range(10):
        assert (await ask(acme, f"+49151876543{turn:02}")).status_code == 200
    # Whoever was just sent one may still be typing.
    assert (await ask(acme, "+4915187654399")).status_code == 200
    clock.advance(minutes=3)
    for last in (96, 97, 98):
        refused(await ask(acme, f"+49151876543{last}"), 429, "sms_paused")
    told = "select array_agg(recipient || ': ' || subject) from messages where channel = 'email'"
    assert await house.value(told) == [f"{acme.email('admin')}: Codes to DE paused"]
    assert (await ask(acme, ADA)).status_code == 200
    assert (await ask(acme, german, "login-with-sms")).status_code == 200
    assert (await ask(rival, "+4915187654398")).status_code == 200
    viewer = await acme.operator("viewer")
    [store, *others] = (await viewer.get("/int/v1/sms")).json()["audiences"]
    [paused] = store["paused"]
    assert (paused["country"], paused["sent"], paused["verified"]) == ("DE", 12, 1)
    assert [other["audience"] for other in others] == ["drivers", "deliveries"]
    assert [other["paused"] for other in others] == [[], []]
    clock.advance(hours=1)
    assert (await ask(acme, "+4915187654398")).status_code == 200
    [store, *_] = (await viewer.get("/int/v1/sms")).json()["audiences"]
    assert store["paused"] == []


async def test_sending_goes_on_where_enough_codes_come_back(acme: Firm, clock: ManualClock) -> None:
    await settle(acme, breaker_sends=10, breaker_percent=20, sends_per_address=1000)
    for turn in range(3):
        await registered(acme, f"+65980000{turn:02}")
    for turn in range(9):
        assert (await ask(acme, f"+65970000{turn:02}")).status_code == 200
    clock.advance(minutes=3)
    assert (await ask(acme, ADA)).status_code == 200


async def test_a_shops_codes_and_a_couriers_are_counted_apart(
    acme: Firm, clock: ManualClock
) -> None:
    await acme.api.post("/v1/drivers", json={"name": "Ada", "phone": ADA})
    for _ in range(5):
        assert (await ask(acme, ADA)).status_code == 200
        driver = await acme.api.post("/v1/drivers/login-with-sms", json={"phone": ADA})
        assert driver.status_code == 200, driver.text
        clock.advance(minutes=6)
    refused(await ask(acme, ADA), 429, "too_many_requests")


@pytest.mark.slow
async def test_a_secret_key_signs_in_as_many_drivers_as_it_likes_from_one_address(
    acme: Firm,
) -> None:
    for turn in range(24):
        asked = {"phone": f"+65910000{turn:02}"}
        answer = await acme.api.post("/v1/drivers/login-with-sms", json=asked)
        assert answer.status_code == 200, answer.text


TRIAL, TRIAL_EMAIL = "+15555550100", "ada@example.test"


@pytest.mark.slow
@pytest.mark.parametrize("identity", [{"phone": TRIAL}, {"email": TRIAL_EMAIL}])
async def test_a_developer_is_never_locked_out_of_a_test_company(
    house: House, identity: dict[str, str]
) -> None:
    firm = await house.found("Trial", mode="test")
    for _ in range(12):
        asked = await firm.storefront.post(f"{SHOP}/request-creation-code", json=identity)
        assert asked.status_code == 200, asked.text
        body = {"name": "Ada", **identity, "code": "123456"}
        refused(await firm.storefront.post(SHOP, json=body), 422, "invalid_code")
    assert await house.value("select count(*) from codes") == 1
    made = await firm.storefront.post(SHOP, json={**body, "code": "000000"})
    assert made.status_code == 201, made.text
    assert await house.value("select count(*) from messages") == 0
    assert await house.value("select count(*) from budget_parts") == 0


async def test_the_code_of_trials_opens_nothing_in_a_live_company(acme: Firm, house: House) -> None:
    for identity in ({"phone": TRIAL}, {"email": TRIAL_EMAIL}):
        await acme.storefront.post(f"{SHOP}/request-creation-code", json=identity)
        assert (await texted(house)) != "000000"
        body = {"name": "Ada", **identity, "code": "000000"}
        refused(await acme.storefront.post(SHOP, json=body), 422, "invalid_code")


async def test_other_numbers_of_a_test_company_are_sent_real_codes(house: House) -> None:
    firm = await house.found("Trial", mode="test")
    assert (await ask(firm, ADA)).status_code == 200
    assert await house.value("select recipient from messages") == ADA


async def test_a_driver_of_a_test_company_signs_in_with_the_code_of_trials(house: House) -> None:
    firm = await house.found("Trial", mode="test")
    await firm.api.post("/v1/drivers", json={"name": "Ada", "phone": TRIAL})
    for _ in range(7):
        asked = await firm.api.post("/v1/drivers/login-with-sms", json={"phone": TRIAL})
        assert asked.status_code == 200, asked.text
    body = {"identity": TRIAL, "code": "000000"}
    done = await firm.api.post("/v1/drivers/verify-code", json=body)
    assert done.status_code == 200, done.text
