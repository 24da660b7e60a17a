"""The fake gateway: nothing leaves the machine, and everything looks like Stripe's test mode."""

import asyncio
import re

import pytest

from pannier.kit.clock import ManualClock
from pannier.payments.fake import FakeGateway
from payments.till import INTENT, KEY, NEWEST, Till, equipped, granted
from probe import paths, refused
from stage import Firm, House


async def accounts(house: House) -> list[str]:
    found: list[str] = await house.value("select array_agg(account) from payment_customers")
    return found or []


async def test_both_doors_name_the_same_account_every_time(till: Till, faking: House) -> None:
    _, client = await till.visitor()
    answers = [await granted(await client.post(path)) for path in (KEY, INTENT, KEY, INTENT)]
    assert len({answer["customerId"] for answer in answers}) == 1
    assert await accounts(faking) == [answers[0]["customerId"]]


async def test_what_it_makes_up_looks_like_test_mode(till: Till) -> None:
    _, client = await till.visitor()
    key, intent = await granted(await client.post(KEY)), await granted(await client.post(INTENT))
    assert re.fullmatch(r"ek_test_\w+", key["ephemeralKey"])
    assert re.fullmatch(r"cus_\w+", key["customerId"])
    assert key["expires"] == "2026-01-15T13:00:00.000Z"
    assert intent["setupIntent"].startswith(f"{intent['setupIntentId']}_secret_")
    assert key["publishableKey"] == intent["publishableKey"] == "pk_test_fake"


async def test_it_remembers_nothing_outside_the_database(till: Till, house: House) -> None:
    _, client = await till.visitor()
    before = await granted(await client.post(INTENT))
    till.firm.house = equipped(
        house, FakeGateway(ManualClock(house.clock.now()), test_serves_live=True)
    )
    after = till.signed(client.headers["customer-token"])
    assert (await granted(await after.post(INTENT)))["customerId"] == before["customerId"]


async def test_each_setup_intent_is_a_new_one_unless_a_key_says_otherwise(till: Till) -> None:
    _, client = await till.visitor()
    one, two = await client.post(INTENT), await client.post(INTENT)
    assert one.json()["setupIntentId"] != two.json()["setupIntentId"]
    keyed = [await client.post(INTENT, headers={"Idempotency-Key": "k"}) for _ in range(2)]
    assert keyed[0].content == keyed[1].content
    assert "idempotent-replayed" not in keyed[0].headers
    assert keyed[1].headers["idempotent-replayed"] == "true"


async def test_ten_first_requests_at_once_make_one_row(till: Till, faking: House) -> None:
    _, client = await till.visitor()
    answers = await asyncio.gather(*(client.post((KEY, INTENT)[n % 2]) for n in range(10)))
    found = {(await granted(answer))["customerId"] for answer in answers}
    assert found == set(await accounts(faking))
    assert len(found) == 1


async def test_nobody_sees_anothers_account(till: Till, faking: House) -> None:
    rival = Till(await faking.found("Rival"))
    people = [await till.visitor(), await till.visitor(), await rival.visitor()]
    found = [(await granted(await client.post(KEY)))["customerId"] for _, client in people]
    assert len(set(found)) == 3
    customer, client = people[0]
    body = {"customer": people[1][0]["id"], "customerId": found[1], "account": found[1]}
    for path in (KEY, INTENT):
        query = f"{path}?customer={people[1][0]['uuid']}"
        refused(await client.post(query, json={}), 422, "unknown_parameter")
        refused(await client.post(path, json=body), 422, "unknown_field")
        lenient = await client.post(path, json=body, headers={"Prefer": "handling=lenient"})
        assert (await granted(lenient))["customerId"] == found[0]
    mine = await faking.value(
        "select account from payment_customers where customer = :customer",
        customer=customer["uuid"],
    )
    assert mine == found[0]


async def test_a_token_opens_its_own_store_only(till: Till, faking: House) -> None:
    rival = Till(await faking.found("Rival"))
    _, client = await till.visitor()
    elsewhere = rival.signed(client.headers["customer-token"])
    refused(await elsewhere.post(KEY), 401, "customer_token_invalid")
    refused(await elsewhere.post(INTENT), 401, "customer_token_invalid")


@pytest.mark.parametrize("path", [KEY, INTENT])
async def test_a_closed_account_is_401(till: Till, faking: House, path: str) -> None:
    _, client = await till.visitor()
    await granted(await client.post(path))
    here = path.rpartition("/")[0]
    assert (await client.post(f"{here}/account-closure")).status_code == 200
    text = await faking.value(NEWEST)
    closed = await client.post(f"{here}/confirm-account-closure", json={"code": text[:6]})
    assert closed.status_code == 200, closed.text
    refused(await client.post(path), 401, "customer_token_invalid")


@pytest.mark.parametrize(
    "version", ["latest", "2025-03-31\r\nX-Evil: 1", "", "2025-03-31.basil; a=b", 20250331, "é"]
)
async def test_a_version_that_is_none_is_named(till: Till, version: object) -> None:
    _, client = await till.visitor()
    assert paths(await client.post(KEY, json={"api_version": version})) == ["api_version"]


async def test_without_a_gateway_it_is_409_and_nothing_is_kept(acme: Firm, house: House) -> None:
    _, client = await Till(acme).visitor()
    for path in (KEY, INTENT):
        refused(await client.post(path), 409, "payment_gateway_not_configured")
    assert await accounts(house) == []


async def test_a_test_company_never_touches_a_live_gateway(house: House) -> None:
    class Live(FakeGateway):
        name, live = "live", True

    ready = equipped(house, Live(house.clock))
    _, tester = await Till(await ready.found("Trial", "test")).visitor()
    refused(await tester.post(INTENT), 409, "payment_gateway_not_configured")
    _, buyer = await Till(await ready.found("Acme")).visitor()
    await granted(await buyer.post(INTENT))


async def test_an_account_that_another_customer_has_is_given_to_nobody_else(house: House) -> None:
    class Confused(FakeGateway):
        async def create_customer(self, customer: str, idempotency_key: str) -> str:  # noqa: ARG002 - the Protocol's
            return "cus_same"

    till = Till(await equipped(house, Confused(house.clock, test_serves_live=True)).found("Acme"))
    (_, ada), (_, eve) = await till.visitor(), await till.visitor()
    await granted(await ada.post(KEY))
    refused(await eve.post(KEY), 500, "internal")
    assert await accounts(house) == ["cus_same"]
