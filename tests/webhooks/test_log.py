"""The log of deliveries: found by endpoint, event, state, time and subject, and shown whole."""

from typing import Any, Final
from uuid import uuid4

import httpx
import msgspec
import pytest

from pannier.events import outbox
from pannier.events.catalog import Name
from pannier.webhooks.models import AttemptResult
from probe import refused
from stage import Firm, House
from webhooks.office import Office, Request, answering

LOG: Final = "/int/v1/webhook-deliveries"
PREFIXES: Final = ("/int/v1", "/v1")


@pytest.fixture
def office(acme: Firm) -> Office:
    return Office.of(acme)


def client(firm: Firm, prefix: str) -> httpx.AsyncClient:
    return firm.admin if prefix.startswith("/int") else firm.api


async def rows(firm: Firm, path: str, **query: Any) -> list[dict[str, Any]]:
    answer = await client(firm, path).get(path, params=query)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]]
    found = answer.json() if path.startswith("/v1") else answer.json()["data"]
    return found


async def test_a_delivery_says_where_it_stands(acme: Firm, office: Office) -> None:
    webhook = await office.register()
    await office.tell()
    await office.relay()
    (row,) = await office.deliveries()
    event = (await acme.admin.get("/int/v1/events")).json()["data"][0]
    assert row.keys() == {
        "id", "uuid", "public_id", "webhook", "event", "event_id", "subject", "sequence", "state",
        "attempts", "retries_used", "replays", "next_attempt_at", "status", "error", "created_at",
        "finished_at",
    }  # fmt: skip
    assert (row["webhook"], row["event"], row["event_id"]) == (
        webhook["id"], "order.created", event["id"],
    )  # fmt: skip
    assert (row["subject"], row["sequence"], row["state"]) == ("order_1", 1, "pending")
    assert (row["attempts"], row["retries_used"], row["replays"]) == (0, 0, 0)
    assert row["next_attempt_at"] == "2026-01-15T12:00:00.000Z"
    assert (row["status"], row["error"], row["finished_at"]) == (None, None, None)

    office.receivers.answer = lambda _: answering(500)
    await office.work()
    (row,) = await office.deliveries()
    assert (row["state"], row["attempts"], row["retries_used"]) == ("pending", 1, 1)
    assert row["next_attempt_at"] == "2026-01-15T12:05:00.000Z"
    assert (row["status"], row["error"]) == (500, "The receiver responded with 500.")

    office.receivers.answer = lambda _: answering(204)
    acme.house.clock.advance(minutes=5)
    await office.work()
    (row,) = await office.deliveries()
    assert (row["state"], row["attempts"], row["status"]) == ("succeeded", 2, 204)
    assert (row["error"], row["next_attempt_at"]) == (None, None)
    assert row["finished_at"] == "2026-01-15T12:05:00.000Z"


@pytest.mark.parametrize("prefix", PREFIXES)
async def test_a_delivery_is_shown_with_its_body_and_every_attempt(
    acme: Firm, office: Office, prefix: str
) -> None:
    await office.register(headers={"X-Shop": "7Yw2kQ"})
    office.receivers.answer = lambda _: answering(
        500, response_body=b"Sorry \xff", response_cut=True, phases={"total": 12.5}
    )
    await office.tell()
    await office.work()
    acme.house.clock.advance(minutes=5)
    office.receivers.answer = lambda _: answering(200, remote_address="93.184.216.34")
    await office.work()
    (listed,) = await office.deliveries()
    answer = await client(acme, prefix).get(f"{prefix}/webhook-deliveries/{listed['id']}")
    row = answer.json()
    assert {name: row[name] for name in listed} == listed
    (event,) = (await acme.admin.get("/int/v1/events")).json()["data"]
    assert row["body"] == event["body"]
    assert row["body"] == msgspec.json.decode(office.receivers.requests[0].body)
    first, second = row["attempt_log"]
    assert (first["number"], first["trigger"], first["outcome"]) == (1, "event", "refused")
    assert (first["status"], first["error"]) == (500, "The receiver responded with 500.")
    assert (first["response_body"], first["response_cut"]) == ("Sorry \ufffd", True)
    assert (first["duration_ms"], first["phases"]) == (12.5, {"total": 12.5})
    assert first["started_at"] == "2026-01-15T12:00:00.000Z"
    assert first["id"].startswith("attempt_")
    assert (second["number"], second["trigger"], second["outcome"]) == (2, "retry", "succeeded")
    assert (second["status"], second["remote_address"]) == (200, "93.184.216.34")
    for attempt, request in zip(row["attempt_log"], office.receivers.requests, strict=True):
        assert attempt["request_headers"] == {**request.headers, "X-Shop": "***"}
    assert "7Yw2kQ" not in answer.text


async def test_where_a_blocked_attempt_would_have_gone_is_not_shown(
    acme: Firm, office: Office
) -> None:
    await office.register()
    office.receivers.answer = lambda _: AttemptResult(
        outcome="blocked", error="Not there.", remote_address="10.7.8.9"
    )
    await office.tell()
    await office.work()
    (row,) = await office.deliveries()
    answer = await acme.admin.get(f"{LOG}/{row['id']}")
    (attempt,) = answer.json()["attempt_log"]
    assert (attempt["outcome"], attempt["remote_address"]) == ("blocked", None)
    assert "10.7.8.9" not in answer.text


def refusing_updates(request: Request) -> AttemptResult:
    return answering(500 if request.headers["X-Service-Event"] == "order.updated" else 200)


async def story(office: Office) -> tuple[dict[str, Any], dict[str, Any]]:
    """Two endpoints that fail an update, and three events an hour apart."""
    shop = await office.register(events=["order.*"])
    till = await office.register(url="https://till.example.com/")
    office.receivers.answer = refusing_updates
    for name, subject in (
        (Name.ORDER_CREATED, "order_1"),
        (Name.ORDER_UPDATED, "order_1"),
        (Name.DRIVER_ONLINE, "driver_1"),
    ):
        await office.tell(name, subject)
        await office.work()
        office.firm.house.clock.advance(hours=1)
    return shop, till


@pytest.mark.parametrize("prefix", PREFIXES)
async def test_the_log_is_found_by_endpoint_event_state_and_time(
    acme: Firm, office: Office, prefix: str
) -> None:
    shop, till = await story(office)
    log = f"{prefix}/webhook-deliveries"

    async def found(path: str = log, **query: Any) -> list[tuple[str, str]]:
        short = {shop["id"]: "shop", till["id"]: "till"}
        return sorted(
            (short[row["webhook"]], row["event"]) for row in await rows(acme, path, **query)
        )

    everything = [
        ("shop", "order.created"),
        ("shop", "order.updated"),
        ("till", "driver.online"),
        ("till", "order.created"),
        ("till", "order.updated"),
    ]
    assert await found() == everything
    assert await found(webhook=shop["id"]) == everything[:2]
    assert await found(webhook=shop["uuid"]) == everything[:2]
    assert await found(f"{prefix}/webhooks/{till['id']}/deliveries") == everything[2:]
    assert await found(f"{prefix}/webhooks/{till['id']}/deliveries", state="pending") == [
        ("till", "order.updated")
    ]
    assert await found(event="driver.online") == [("till", "driver.online")]
    assert len(await found(event=["driver.online", "order.created"])) == 3
    assert await found(state="pending") == [("shop", "order.updated"), ("till", "order.updated")]
    assert len(await found(state=["pending", "succeeded"])) == 5
    assert await found(state="held") == []
    assert len(await found(since="2026-01-15T13:00:00Z")) == 3
    assert len(await found(since="2026-01-15T13:00:00.001Z")) == 1
    assert len(await found(until="2026-01-15T13:00:00Z")) == 2
    assert await found(since="2026-01-15T14:00:00+01:00", until="2026-01-15T13:30:00Z") == [
        ("shop", "order.updated"),
        ("till", "order.updated"),
    ]
    assert await found(subject="driver_1") == [("till", "driver.online")]
    assert await found(subject="driver_1", event="order.created") == []
    assert await found(subject="order_9") == []
    events = (await acme.admin.get("/int/v1/events")).json()["data"]
    assert await found(event_id=events[-1]["id"]) == [
        ("shop", "order.created"),
        ("till", "order.created"),
    ]
    assert await found(event_id=events[0]["uuid"]) == [("till", "driver.online")]


class Place(msgspec.Struct):
    public_id: str
    uuid: Any


async def test_a_subject_is_found_by_its_uuid_too(acme: Firm, office: Office) -> None:
    await office.register()
    order = Place("order_7", uuid4())
    async with acme.house.database.transaction() as db:
        await outbox.emit(db, acme.uuid, Name.ORDER_CREATED, order, subject=order.public_id)
    await office.tell()
    await office.work()
    (row,) = await office.deliveries(subject=str(order.uuid))
    assert row["subject"] == "order_7"


@pytest.mark.parametrize("prefix", PREFIXES)
async def test_what_a_filter_cannot_mean_is_refused(
    acme: Firm, office: Office, prefix: str
) -> None:
    webhook = await office.register()
    for path in (f"{prefix}/webhook-deliveries", f"{prefix}/webhooks/{webhook['id']}/deliveries"):
        for field, wrong in (
            ("event", "order.made"), ("event", "order.*"), ("state", "lost"), ("since", "monday"),
            ("until", "2026-01-15"), ("limit", "101"), ("sort", "url"),
        ):  # fmt: skip
            answer = await client(acme, prefix).get(path, params={field: wrong})
            code = "unknown_value" if field in {"event", "state"} else "validation_failed"
            offender = refused(answer, 422, code)["fields"][0]["path"]
            assert offender.startswith(field), answer.text
        nothing = await client(acme, prefix).get(path, params={"event_id": "event_1"})
        assert refused(nothing, 404, "not_found")["fields"][0]["path"] == "event_id"
    nobody = await client(acme, prefix).get(f"{prefix}/webhook-deliveries?webhook=webhook_1")
    assert refused(nobody, 404, "not_found")["fields"][0]["path"] == "webhook"


async def test_the_log_is_read_page_by_page(acme: Firm, office: Office) -> None:
    await office.register()
    for number in range(5):
        await office.tell(subject=f"order_{number}")
    await office.work()
    seen: list[str] = []
    query: dict[str, Any] = {"limit": 2, "state": "succeeded"}
    while True:
        page = (await acme.admin.get(LOG, params=query)).json()
        seen += [row["subject"] for row in page["data"]]
        if not page["meta"]["has_more"]:
            break
        query["cursor"] = page["meta"]["next_cursor"]
    assert sorted(seen) == [f"order_{number}" for number in range(5)]
    linked = await acme.api.get("/v1/webhook-deliveries", params={"limit": 2})
    assert len(linked.json()) == 2
    assert 'rel="next"' in linked.headers["link"]


async def test_the_log_outlives_its_endpoint(acme: Firm, office: Office) -> None:
    shop, _ = await story(office)
    await acme.admin.delete(f"/int/v1/webhooks/{shop['id']}")
    found = await office.deliveries(webhook=shop["id"])
    assert [row["state"] for row in found] == ["succeeded", "cancelled"]
    assert (await acme.admin.get(f"{LOG}/{found[0]['id']}")).status_code == 200
    gone = await acme.admin.get(f"/int/v1/webhooks/{shop['id']}/deliveries")
    refused(gone, 404, "not_found")


async def test_another_company_sees_nothing_of_it(
    rival: Firm, office: Office, house: House
) -> None:
    shop, _ = await story(office)
    (row, *_) = await office.deliveries()
    assert await house.value("select count(*) from webhook_deliveries") == 5
    for prefix in PREFIXES:
        assert await rows(rival, f"{prefix}/webhook-deliveries") == []
        assert await rows(rival, f"{prefix}/webhook-deliveries", subject="order_1") == []
        for path in (
            f"webhook-deliveries/{row['id']}",
            f"webhooks/{shop['id']}/deliveries",
            f"webhook-deliveries?webhook={shop['id']}",
            f"webhook-deliveries?event_id={row['event_id']}",
        ):
            refused(await client(rival, prefix).get(f"{prefix}/{path}"), 404, "not_found")
