"""Tariffs of customers and groups: terms of contacts and vendors, and the rates that are theirs."""

import httpx
import pytest

from probe import paths, refused
from rates.counter import make, rate
from stage import Firm

KINDS = ("contacts", "vendors")


@pytest.mark.parametrize("kind", KINDS)
async def test_a_partner_has_a_price_group_a_default_service_terms_and_a_tax_number(
    acme: Firm, kind: str
) -> None:
    express = await rate(acme)
    terms = {"price_group": "wholesale", "payment_terms_days": 14, "tax_number": "DE123456789"}
    made = await make(acme, kind, {"name": "Ada", "default_service": express["uuid"], **terms})
    expected = {**terms, "default_service": express["id"]}
    assert made.items() >= expected.items()
    read = (await acme.api.get(f"/v1/{kind}/{made['id']}")).json()
    assert read.items() >= expected.items()
    cleared = await change(acme, f"{kind}/{made['id']}", **dict.fromkeys(expected))
    assert cleared.json().items() >= dict.fromkeys(expected).items()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "value"),
    [("price_group", "x" * 65), ("payment_terms_days", 366), ("payment_terms_days", -1),
     ("tax_number", "1" * 65)],
)  # fmt: skip
async def test_terms_out_of_bounds_are_refused(
    acme: Firm, kind: str, name: str, value: object
) -> None:
    answer = await acme.api.post(f"/v1/{kind}", json={"name": "Ada", name: value})
    refused(answer, 422, "validation_failed")
    assert paths(answer) == [name]


async def test_a_default_service_is_a_rate_of_the_same_company(acme: Firm, rival: Firm) -> None:
    foreign = await rate(rival)
    for name in (foreign["id"], foreign["uuid"], "service_0"):
        answer = await acme.api.post("/v1/contacts", json={"name": "A", "default_service": name})
        problem = refused(answer, 404, "not_found")
        assert [field["path"] for field in problem["fields"]] == ["default_service"]


async def test_a_contact_keeps_the_name_of_a_deleted_default_service(acme: Firm) -> None:
    express = await rate(acme)
    ada = await make(acme, "contacts", {"name": "Ada", "default_service": express["id"]})
    assert (await acme.api.delete(f"/v1/service-rates/{express['id']}")).is_success
    path = f"contacts/{ada['id']}"
    kept = await change(acme, path, name="Ada L.", default_service=express["id"])
    assert kept.json()["default_service"] == express["id"]


async def change(firm: Firm, path: str, **fields: object) -> httpx.Response:
    answer = await firm.api.patch(f"/v1/{path}", json=fields)
    assert answer.is_success, answer.text
    return answer
