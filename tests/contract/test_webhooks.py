"""The interface's lines on registering webhooks, their secrets, and the log that is kept."""

from typing import Any, Final

import httpx
import pytest

from pannier.events.catalog import Name
from pannier.webhooks.schedule import DELAYS
from pannier.webhooks.verifying import InvalidSignature, verify
from probe import refused
from stage import Firm
from webhooks.office import URL, Office, Request, answering

PREFIXES: Final = ("/int/v1", "/v1")


@pytest.fixture
def office(acme: Firm) -> Office:
    return Office.of(acme)


def client(firm: Firm, prefix: str) -> httpx.AsyncClient:
    return firm.admin if prefix.startswith("/int") else firm.api


def listed(answer: httpx.Response) -> list[dict[str, Any]]:
    """Open a list, however its prefix spells it."""
    body = answer.json()
    rows: list[dict[str, Any]] = body if isinstance(body, list) else body["data"]
    return rows


def accepts(request: Request, secret: str) -> bool:
    try:
        verify(request.body, request.headers, secret, now=request.at.timestamp())
    except InvalidSignature:
        return False
    return True


async def failed(office: Office) -> dict[str, Any]:
    """Let an event fail after its four retries."""
    office.receivers.answer = lambda _: answering(503)
    await office.tell()
    await office.work()
    for delay in DELAYS:
        office.firm.house.clock.advance(seconds=delay.total_seconds())
        await office.work()
    office.receivers.answer = lambda _: answering(200)
    (row,) = await office.deliveries(state="failed")
    return row


@pytest.mark.parametrize("prefix", PREFIXES)
async def test_the_integrator_registers_an_https_url(acme: Firm, prefix: str) -> None:
    """`The integrator registers an HTTPS URL`."""
    made = await client(acme, prefix).post(f"{prefix}/webhooks", json={"url": URL})
    assert made.status_code == 201, made.text
    (row,) = listed(await client(acme, prefix).get(f"{prefix}/webhooks"))
    assert (row["id"], row["url"], row["state"]) == (made.json()["id"], URL, "enabled")


@pytest.mark.parametrize("prefix", PREFIXES)
async def test_plain_http_endpoints_are_not_accepted(acme: Firm, prefix: str) -> None:
    """`Delivery is must begin with https://; plain HTTP endpoints are not accepted`."""
    caller = client(acme, prefix)
    for url in ("http://receiver.example.com/hooks", "HTTP://receiver.example.com"):
        told = refused(
            await caller.post(f"{prefix}/webhooks", json={"url": url}), 422, "validation_failed"
        )
        assert told["fields"][0]["path"] == "url"
        assert "must begin with https://" in told["fields"][0]["message"]
    assert listed(await caller.get(f"{prefix}/webhooks")) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", Name)
async def test_events_are_chosen_individually(office: Office, name: Name) -> None:
    """`chooses individual events`."""
    await office.register(events=[name])
    for told in Name:
        await office.tell(told, subject=f"thing_{told}")
    await office.work()
    assert [one.headers["X-Service-Event"] for one in office.receivers.requests] == [name]


async def test_or_all_events_are_chosen(office: Office) -> None:
    """`or all events`."""
    await office.register(events=["*"])
    for told in Name:
        await office.tell(told, subject=f"thing_{told}")
    await office.work()
    assert {one.headers["X-Service-Event"] for one in office.receivers.requests} == set(Name)


async def test_each_webhook_has_a_secret_of_its_own(office: Office) -> None:
    """`keyed with the per-webhook secret`."""
    first, second = await office.register(), await office.register(url="https://till.example.com/")
    assert first["secret"] != second["secret"]
    await office.tell()
    await office.work()
    for webhook, other in ((first, second), (second, first)):
        (request,) = (one for one in office.receivers.requests if one.url == webhook["url"])
        assert accepts(request, webhook["secret"])
        assert not accepts(request, other["secret"])


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("state", ["enabled", "paused", "disabled"])
async def test_secrets_are_rotatable_at_any_time(
    acme: Firm, office: Office, prefix: str, state: str
) -> None:
    """`Secrets are rotatable at any time`; `POST …/{id}/rotate-secret {grace_seconds}`."""
    webhook = await office.register(state=state)
    await office.tell()
    await office.relay()
    acme.house.clock.advance(seconds=1)
    path = f"{prefix}/webhooks/{webhook['id']}/rotate-secret"
    rotated = await client(acme, prefix).post(path, json={"grace_seconds": 0})
    assert rotated.status_code == 200, rotated.text
    await acme.admin.patch(f"/int/v1/webhooks/{webhook['id']}", json={"state": "enabled"})
    await office.work()
    (request,) = office.receivers.requests
    assert accepts(request, rotated.json()["secret"])
    assert not accepts(request, webhook["secret"])


@pytest.mark.parametrize("prefix", PREFIXES)
async def test_a_failed_event_is_kept_in_the_delivery_log(
    acme: Firm, office: Office, prefix: str
) -> None:
    """`After four failed retries the event is marked failed and kept in the delivery log`."""
    webhook = await office.register()
    row = await failed(office)
    acme.house.clock.advance(days=29)
    caller = client(acme, prefix)
    for path in ("webhook-deliveries?state=failed", f"webhooks/{webhook['id']}/deliveries"):
        assert [one["id"] for one in listed(await caller.get(f"{prefix}/{path}"))] == [row["id"]]
    assert (row["state"], row["retries_used"], row["attempts"]) == ("failed", 4, 5)
    assert row["next_attempt_at"] is None


@pytest.mark.parametrize("prefix", PREFIXES)
async def test_every_attempt_is_logged_and_failed_events_can_be_inspected(
    acme: Firm, office: Office, prefix: str
) -> None:
    """`every attempt is logged and failed events can be inspected`."""
    await office.register()
    row = await failed(office)
    path = f"{prefix}/webhook-deliveries/{row['id']}"
    shown = (await client(acme, prefix).get(path)).json()
    assert [one["number"] for one in shown["attempt_log"]] == [1, 2, 3, 4, 5]
    assert {one["status"] for one in shown["attempt_log"]} == {503}
    assert [one["started_at"] for one in shown["attempt_log"]] == [
        "2026-01-15T12:00:00.000Z",
        "2026-01-15T12:05:00.000Z",
        "2026-01-15T12:35:00.000Z",
        "2026-01-15T14:35:00.000Z",
        "2026-01-15T22:35:00.000Z",
    ]
    assert shown["body"]["event"] == "order.created"


@pytest.mark.parametrize("prefix", PREFIXES)
async def test_failed_events_can_be_replayed(acme: Firm, office: Office, prefix: str) -> None:
    """`failed events can be inspected and replayed`; one by one, or by a filter."""
    await office.register()
    row = await failed(office)
    sent = len(office.receivers.requests)
    path = f"{prefix}/webhook-deliveries/{row['id']}/replay"
    assert (await client(acme, prefix).post(path)).status_code == 202
    await office.work()
    assert [one["state"] for one in await office.deliveries()] == ["succeeded"]

    body = {"filter": {"state": ["succeeded"], "since": "2026-01-15T12:00:00Z"}, "dry_run": True}
    many = f"{prefix}/webhook-deliveries/replay"
    counted = (await client(acme, prefix).post(many, json=body)).json()
    assert (counted["matched"], counted["replayed"]) == (1, 0)
    done = (await client(acme, prefix).post(many, json={**body, "dry_run": False})).json()
    assert (done["matched"], done["replayed"]) == (1, 1)
    await office.work()
    again = office.receivers.requests
    assert len(again) == sent + 2
    assert len({(one.body, one.headers["webhook-id"]) for one in again}) == 1


async def test_the_log_row_has_what_is_decided(office: Office) -> None:
    """`each row: id, event, state, attempts, next_attempt_at`."""
    await office.register()
    await office.tell()
    await office.relay()
    (row,) = await office.deliveries()
    assert {"id", "event", "state", "attempts", "next_attempt_at"} <= row.keys()
    assert (row["event"], row["state"], row["attempts"]) == ("order.created", "pending", 0)


@pytest.mark.parametrize("prefix", PREFIXES)
async def test_the_creation_answer_alone_carries_the_secret(acme: Firm, prefix: str) -> None:
    """`the creation answer alone carries secret`."""
    caller = client(acme, prefix)
    made = (await caller.post(f"{prefix}/webhooks", json={"url": URL})).json()
    one = f"{prefix}/webhooks/{made['id']}"
    answers = [
        await caller.get(f"{prefix}/webhooks"),
        await caller.get(one),
        await caller.put(one, json={"description": "Shop"}),
        await caller.delete(one),
    ]
    assert [answer.status_code for answer in answers] == [200] * 4
    assert not [answer for answer in answers if made["secret"] in answer.text]
