"""`GET /v1/invoices/{id}.pdf` and `.xml`, and emails with them."""

import re
from typing import Any

import facturx
import httpx
import pytest

from invoices.desk import Desk
from pannier.invoices.mailing import LINK_LIFETIME
from proofs import printed
from stage import Firm, House

LEGAL = {
    "legal_name": "Velo Oy",
    "billing_address": {"street": "Pier 1", "postal_code": "00160", "city": "Helsinki",
                        "country": "FI"},
    "tax_number": "FI12345671",
    "iban": "FI2112345600000785",
}  # fmt: skip
LINK = re.compile(r"https?://\S+?(/invoices/\S+)")


@pytest.fixture
async def desk(acme: Firm) -> Desk:
    desk = Desk(acme)
    await desk.configure(currency="EUR", time_zone="Europe/Helsinki", **LEGAL)
    return desk


async def fetch(client: httpx.AsyncClient, path: str) -> httpx.Response:
    answer = await client.get(path)
    assert answer.status_code == 200, answer.text
    return answer


async def messages(desk: Desk) -> list[dict[str, Any]]:
    answer = await desk.firm.admin.get("/int/v1/messages?channel=email")
    found: list[dict[str, Any]] = answer.json()["data"]
    return found


async def test_an_invoice_is_a_pdf_for_keys_and_operators(desk: Desk) -> None:
    customer = await desk.customer()
    await desk.charged(customer)
    invoice = await desk.issued(customer)
    path = f"invoices/{invoice['id']}.pdf"
    answer = await fetch(desk.firm.api, f"/v1/{path}")
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.headers["content-disposition"] == 'attachment; filename="INV-2026-00001.pdf"'
    assert (await fetch(desk.firm.admin, f"/int/v1/{path}")).content == answer.content
    text = printed.text(answer.content)
    for words in ("INV-2026-00001", "Velo Oy", "Ada Lovelace", "FI12345671", "Tax24%on10.00",
                  "12.40"):  # fmt: skip
        assert printed.bare(words) in text


async def test_a_draft_has_a_pdf_that_is_marked(desk: Desk) -> None:
    customer = await desk.customer()
    await desk.charged(customer)
    draft = await desk.draft(customer)
    answer = await fetch(desk.firm.api, f"/v1/invoices/{draft['id']}.pdf")
    assert printed.bare("Draft, not valid as an invoice") in printed.text(answer.content)


async def test_the_pdf_of_an_issued_invoice_never_changes(desk: Desk) -> None:
    customer = await desk.customer()
    await desk.charged(customer)
    path = f"/v1/invoices/{(await desk.issued(customer))['id']}.pdf"
    before = await fetch(desk.firm.api, path)
    await desk.configure(legal_name="Another Oy", locale="de")
    await desk.firm.api.patch(f"/v1/contacts/{customer}", json={"name": "Somebody Else"})
    assert (await fetch(desk.firm.api, path)).content == before.content


async def test_an_invoice_has_a_structured_form(desk: Desk) -> None:
    customer = await desk.customer()
    await desk.charged(customer)
    path = f"/v1/invoices/{(await desk.issued(customer))['id']}"
    answer = await fetch(desk.firm.api, f"{path}.xml")
    assert answer.headers["content-type"] == "application/xml"
    assert b"<ram:GrandTotalAmount>12.40</ram:GrandTotalAmount>" in answer.content
    pdf = await fetch(desk.firm.api, f"{path}.pdf")
    assert facturx.get_facturx_xml_from_pdf(pdf.content)[1] == answer.content


async def test_what_a_structured_form_lacks_is_named(desk: Desk) -> None:
    customer = await desk.customer(place=None)
    await desk.charged(customer)
    answer = await desk.firm.api.get(f"/v1/invoices/{(await desk.issued(customer))['id']}.xml")
    assert (answer.status_code, answer.json()["code"]) == (409, "structured_invoice_incomplete")
    assert "the buyer's country" in answer.json()["detail"]


async def test_an_issued_invoice_is_emailed_with_a_link(desk: Desk, house: House) -> None:
    customer = await desk.customer()
    await desk.charged(customer)
    invoice = await desk.issued(customer)
    (message,) = await messages(desk)
    assert message["to"] == "ada@example.com"
    assert message["subject"].startswith("Invoice INV-2026-00001 from ")
    assert "12.40 EUR" in message["text"]
    assert "29 Jan 2026" in message["text"]
    link = LINK.search(message["text"])
    assert link is not None
    anybody = house.client()
    pdf = await fetch(anybody, link[1])
    assert pdf.content == (await fetch(desk.firm.api, f"/v1/invoices/{invoice['id']}.pdf")).content
    other = link[1].replace(invoice["id"], "invoice_0000000000000000")
    assert (await anybody.get(other)).json()["code"] == "link_invalid"
    house.clock.advance(days=LINK_LIFETIME.days)
    assert (await anybody.get(link[1])).json()["code"] == "link_expired"


async def test_an_invoice_is_sent_again_on_request(desk: Desk) -> None:
    customer = await desk.customer(email=None)
    await desk.charged(customer)
    draft = await desk.draft(customer)
    path = f"/v1/invoices/{draft['id']}/send"
    refusal = await desk.firm.api.post(path, json={"to": "books@example.com"})
    assert (refusal.status_code, refusal.json()["code"]) == (409, "invoice_is_draft")
    await desk.issue(draft)
    assert await messages(desk) == []
    nobody = await desk.firm.api.post(path, json={})
    assert (nobody.status_code, nobody.json()["fields"][0]["path"]) == (422, "to")
    once = {"Idempotency-Key": "send-1"}
    for _ in range(2):
        sent = await desk.firm.api.post(path, json={"to": "books@example.com"}, headers=once)
        assert sent.status_code == 201, sent.text
    assert [message["to"] for message in await messages(desk)] == ["books@example.com"]


async def test_the_email_is_in_the_companys_language(desk: Desk) -> None:
    await desk.configure(locale="de")
    customer = await desk.customer()
    await desk.charged(customer)
    await desk.issued(customer)
    (message,) = await messages(desk)
    assert message["subject"].startswith("Rechnung INV-2026-00001 von ")
    assert "12,40 EUR" in message["text"]
    assert "29.01.2026" in message["text"]


async def test_a_company_can_turn_the_emails_off(desk: Desk) -> None:
    await desk.configure(email_invoices=False)
    customer = await desk.customer()
    await desk.charged(customer)
    invoice = await desk.issued(customer)
    assert await messages(desk) == []
    assert (await desk.post(f"invoices/{invoice['id']}/send", 201))["to"] == "ada@example.com"
