"""Transactions with the fake gateway: owed, paid on its page, called off, given back."""

from dataclasses import replace
from uuid import UUID

import pytest

from pannier.payments.fake import FakeGateway
from pannier.payments.transactions import endings
from pannier.payments.transactions.models import ChargeLine
from payments.purse import AMOUNT, BACK, LINES, Purse, opened
from payments.till import Till, equipped
from probe import paths, refused
from stage import Firm, House


@pytest.fixture
async def purse(till: Till) -> Purse:
    return Purse(till.firm)


async def test_a_transaction_has_lines_that_add_up_and_a_page_to_pay_on(purse: Purse) -> None:
    order = await purse.order()
    told = await purse.offered(order=order)
    assert told["id"].startswith("transaction_")
    assert (told["order"], told["amount"], told["currency"]) == (order.public_id, AMOUNT, "SGD")
    assert [(item["code"], item["amount"]) for item in told["items"]] == [
        (line.code, line.amount) for line in LINES
    ]
    assert sum(item["amount"] for item in told["items"]) == told["amount"]
    assert (told["status"], told["amount_paid"], told["gateway"]) == ("unpaid", 0, "fake")
    assert told["checkout_status"] == "open"
    assert told["checkout_url"].startswith("http://127.0.0.1:8000/payments/fake/cs_fake")


async def test_the_fake_gateways_page_pays_and_comes_back(purse: Purse, faking: House) -> None:
    told = await purse.offered()
    page = await faking.client().get(told["checkout_url"].removeprefix("http://127.0.0.1:8000"))
    assert page.status_code == 200
    assert "12.00 SGD" in page.text
    assert f"{BACK}&amp;transaction={told['id']}&amp;checkout=canceled" in page.text
    assert "form-action 'self' https://shop.example.com" in page.headers["content-security-policy"]
    back = await purse.pay(told)
    assert back.status_code == 303
    assert back.headers["location"] == f"{BACK}&transaction={told['id']}&checkout=done"
    paid = await purse.read(told["id"])
    assert (paid["status"], paid["amount_paid"]) == ("paid", AMOUNT)
    assert (paid["checkout_status"], paid["checkout_url"]) == ("paid", None)
    assert paid["paid_at"] == "2026-01-15T12:00:00.000Z"
    again = await faking.client().get(told["checkout_url"].removeprefix("http://127.0.0.1:8000"))
    assert "Payment received" in again.text
    assert (await purse.pay(told)).status_code == 303
    assert (await purse.read(told["id"]))["amount_paid"] == AMOUNT


async def test_without_a_gateway_a_transaction_is_owed_and_has_no_page(acme: Firm) -> None:
    told = await Purse(acme).offered()
    assert (told["status"], told["gateway"], told["checkout_url"]) == ("unpaid", None, None)
    answer = await acme.api.post(f"/v1/transactions/{told['id']}/checkout", json={})
    refused(answer, 409, "payment_gateway_not_configured")


async def test_a_test_company_is_never_asked_for_real_money(house: House) -> None:
    class Live(FakeGateway):
        name, live = "live", True

    ready = equipped(house, Live(house.clock))
    told = await Purse(await ready.found("Trial", "test")).offered()
    assert (told["gateway"], told["checkout_url"]) == (None, None)
    real = await Purse(await ready.found("Acme")).offered()
    assert real["gateway"] == "live"


async def test_what_another_gateway_took_is_not_promised_back(purse: Purse, house: House) -> None:
    told = await purse.offered()
    await purse.pay(told)
    firm = replace(purse.firm, house=house)
    answer = await Purse(firm).refund(told["id"])
    refused(answer, 409, "payment_gateway_not_configured")


async def test_what_costs_nothing_is_paid(purse: Purse) -> None:
    told = await purse.offered(lines=(ChargeLine(code="BASE_FEE", details="Free", amount=0),))
    assert (told["status"], told["checkout_url"], told["refunds"]) == ("paid", None, [])


async def test_transactions_are_listed_by_what_they_are_about(purse: Purse) -> None:
    one, two = await purse.order(), await purse.order()
    first, second = await purse.offered(order=one), await purse.offered(order=two)
    await purse.pay(second)

    async def listed(query: str) -> list[str]:
        rows = await opened(await purse.firm.api.get(f"/v1/transactions?{query}"))
        return [row["id"] for row in rows]  # type: ignore[index]  # a list

    assert await listed("") == [second["id"], first["id"]]
    assert await listed(f"order={one.public_id}") == [first["id"]]
    assert await listed(f"order={two.uuid}") == [second["id"]]
    assert await listed("status=paid") == [second["id"]]
    assert await listed("status=paid&status=unpaid") == [second["id"], first["id"]]
    refused(await purse.firm.api.get("/v1/transactions?order=order_none"), 404, "not_found")
    refused(await purse.firm.api.get("/v1/transactions?customer=nobody"), 404, "not_found")
    rows = await opened(await purse.firm.admin.get("/int/v1/transactions?limit=1"))
    assert rows["meta"]["has_more"]


async def test_what_nobody_paid_is_called_off_and_its_page_closed(
    purse: Purse, faking: House
) -> None:
    told = await purse.offered()
    void = await opened(await purse.void(told["id"], reason="They changed their mind."))
    assert (void["status"], void["void_reason"]) == ("voided", "They changed their mind.")
    assert (void["checkout_status"], void["checkout_url"]) == ("expired", None)
    page = told["checkout_url"].removeprefix("http://127.0.0.1:8000")
    assert "Payment link expired" in (await faking.client().get(page)).text
    await purse.pay(told)
    await purse.work()
    after = await purse.read(told["id"])
    assert (after["status"], after["amount_paid"]) == ("voided", 0)
    assert await faking.value("select state from checkouts") == "expired"
    answer = await purse.firm.api.post(f"/v1/transactions/{told['id']}/checkout", json={})
    refused(answer, 409, "transaction_voided")


async def test_what_was_paid_is_not_called_off(purse: Purse) -> None:
    told = await purse.offered()
    await purse.pay(told)
    refused(await purse.void(told["id"]), 409, "transaction_paid")
    async with purse.database.transaction() as db:
        await endings.charge_canceled_order(db, purse.firm.uuid, UUID(told["uuid"]), "created")
    assert (await purse.read(told["id"]))["status"] == "paid"


async def test_money_is_given_back_in_parts_and_never_more_than_was_paid(purse: Purse) -> None:
    told = await purse.offered()
    refused(await purse.refund(told["id"]), 409, "nothing_to_refund")
    await purse.pay(told)
    part = await opened(await purse.refund(told["id"], amount=200, reason="Late."))
    assert [(each["amount"], each["status"]) for each in part["refunds"]] == [(200, "pending")]
    assert part["status"] == "paid"
    await purse.work()
    part = await purse.read(told["id"])
    assert (part["status"], part["amount_refunded"]) == ("partially_refunded", 200)
    assert part["refunds"][0]["status"] == "succeeded"
    assert paths(await purse.refund(told["id"], amount=1001)) == ["amount"]
    await opened(await purse.refund(told["id"]))
    refused(await purse.refund(told["id"], amount=1), 409, "nothing_to_refund")
    await purse.work()
    whole = await purse.read(told["id"])
    assert (whole["status"], whole["amount_refunded"]) == ("refunded", AMOUNT)


async def test_the_audit_log_has_who_gave_money_back(purse: Purse) -> None:
    told = await purse.offered()
    await purse.pay(told)
    await purse.refund(told["id"], amount=200, reason="Late.")
    other = await purse.offered()
    await purse.void(other["id"])
    rows = (await opened(await purse.firm.admin.get("/int/v1/audit")))["data"]
    found = {(row["action"], row["actor_name"]) for row in rows}
    assert {("refund.created", "Admin"), ("transaction.voided", "Admin")} <= found


@pytest.mark.parametrize(
    ("role", "void", "refund"),
    [("viewer", 403, 403), ("dispatcher", 200, 403), ("billing", 200, 409)],
)
async def test_who_may_call_off_and_who_may_give_back(
    purse: Purse, role: str, void: int, refund: int
) -> None:
    told = await purse.offered()
    client = await purse.firm.operator(role)  # type: ignore[arg-type]  # a role
    path = f"/int/v1/transactions/{told['id']}"
    assert (await client.post(f"{path}/void", json={})).status_code == void
    assert (await client.post(f"{path}/refund", json={})).status_code == refund


async def test_a_page_that_is_over_is_followed_by_another(purse: Purse, faking: House) -> None:
    told = await purse.offered()
    path = f"/v1/transactions/{told['id']}/checkout"
    same = await opened(await purse.firm.api.post(path, json={}))
    assert same["checkout_url"] == told["checkout_url"]
    faking.clock.advance(hours=25)
    assert (await purse.read(told["id"]))["checkout_status"] == "expired"
    another = await opened(
        await purse.firm.api.post(path, json={"return_url": "https://shop.example.com/"})
    )
    assert another["checkout_url"] not in {None, told["checkout_url"]}
    await purse.pay(another)
    assert (await purse.read(told["id"]))["status"] == "paid"
    refused(await purse.firm.api.post(path, json={}), 409, "transaction_paid")


async def test_a_payer_returns_to_the_address_of_the_last_request(
    purse: Purse, faking: House
) -> None:
    told = await purse.offered()
    path = f"/v1/transactions/{told['id']}/checkout"
    elsewhere = {"return_url": "https://shop.example.com/other"}
    another = await opened(await purse.firm.api.post(path, json=elsewhere))
    assert another["checkout_url"] != told["checkout_url"]
    # The same address, or none, keeps the page.
    for body in (elsewhere, {}):
        same = await opened(await purse.firm.api.post(path, json=body))
        assert same["checkout_url"] == another["checkout_url"]
    answer = await faking.client().post(f"{another['checkout_url']}/pay")
    assert answer.headers["location"].startswith("https://shop.example.com/other?")
    assert (await purse.read(told["id"]))["status"] == "paid"


@pytest.mark.parametrize(
    "url",
    [
        "http://shop.example.com/", "javascript:alert(1)", "//shop.example.com", "https://",
        "https://user@shop.example.com/", "https://shop.example.com\\@evil.example.com/",
        "https://shop.example.com/ a", "http://127.0.0.1/", "shop.example.com",
        "https://shop.example.com:99999/",
    ],
)  # fmt: skip
async def test_nobody_comes_back_to_an_address_that_is_not_safe(purse: Purse, url: str) -> None:
    told = await purse.owe()
    answer = await purse.firm.api.post(
        f"/v1/transactions/{told.public_id}/checkout", json={"return_url": url}
    )
    assert paths(answer) == ["return_url"]
