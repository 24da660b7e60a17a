"""Test pings: what a receiver makes of a delivery, shown at once and kept in the log."""

import asyncio
from typing import Any, Final

import pytest

from pannier.webhooks import queue
from pannier.webhooks.membership import NO_MEMBER
from pannier.webhooks.verifying import verify
from probe import refused
from stage import Firm, House
from webhooks import receiver as receivers
from webhooks.office import Office
from webhooks.receiver import Received, Receiver, Reply

PREFIXES: Final = ("/int/v1", "/v1")


async def made(firm: Firm, receiver: Receiver, **wishes: Any) -> dict[str, Any]:
    body = {"url": receiver.url(), **wishes}
    answer = await firm.admin.post("/int/v1/webhooks", json=body)
    assert answer.status_code == 201, answer.text
    row: dict[str, Any] = answer.json()
    return row


async def ping(firm: Firm, webhook: dict[str, Any]) -> dict[str, Any]:
    answer = await firm.admin.post(f"/int/v1/webhooks/{webhook['id']}/ping")
    assert answer.status_code == 200, answer.text
    row: dict[str, Any] = answer.json()
    return row


async def logged(firm: Firm, told: dict[str, Any]) -> dict[str, Any]:
    answer = await firm.admin.get(f"/int/v1/webhook-deliveries/{told['delivery']}")
    assert answer.status_code == 200, answer.text
    row: dict[str, Any] = answer.json()
    return row


@pytest.mark.parametrize("prefix", PREFIXES)
async def test_a_ping_is_a_delivery_like_any_other(
    acme: Firm, receiver: Receiver, prefix: str
) -> None:
    webhook = await made(acme, receiver, headers={"Authorization": "Bearer 7Yw2kQ"})
    receiver.answer(200, headers={"Server": "till"}, body="thanks")
    caller = acme.admin if prefix.startswith("/int") else acme.api
    told = (await caller.post(f"{prefix}/webhooks/{webhook['id']}/ping")).json()
    assert (told["ok"], told["status"], told["error"]) == (True, 200, None)
    assert (told["response_body"], told["signature_format"]) == ("thanks", "prefixed")
    assert (told["expects"], told["advice"]) == (None, None)
    assert told["duration_ms"] > 0

    (request,) = receiver.requests
    now = acme.house.clock.now().timestamp()
    envelope = verify(request.body, request.headers, webhook["secret"], now=now)
    assert list(envelope) == ["event", "api_version", "created_at", "data", "id"]
    assert (envelope["event"], envelope["api_version"]) == ("webhook.ping", "1.0")
    assert envelope["data"]["webhook"] == webhook["id"]
    assert envelope["id"].startswith("event_")
    assert request.headers["authorization"] == "Bearer 7Yw2kQ"
    assert request.id == told["delivery"]

    row = await logged(acme, told)
    assert (row["event"], row["event_id"], row["state"]) == ("webhook.ping", None, "succeeded")
    assert (row["webhook"], row["subject"]) == (webhook["id"], webhook["id"])
    assert (row["attempts"], row["retries_used"], row["sequence"]) == (1, 0, 0)
    assert (row["next_attempt_at"], row["status"]) == (None, 200)
    assert row["finished_at"] is not None
    assert row["body"] == envelope
    assert row["attempt_log"] == told["attempts"]
    (attempt,) = row["attempt_log"]
    assert (attempt["trigger"], attempt["outcome"], attempt["number"]) == ("ping", "succeeded", 1)
    assert attempt["request_headers"]["Authorization"] == "***"
    assert ["Server", "till"] in attempt["response_headers"]
    assert list(attempt["phases"]) == ["connect", "tls", "wait", "read", "total"]
    assert attempt["remote_address"] == "127.0.0.1"
    assert "7Yw2kQ" not in str(row)


@pytest.mark.parametrize("state", ["paused", "disabled"])
async def test_a_webhook_is_pinged_whatever_its_state(
    acme: Firm, receiver: Receiver, state: str
) -> None:
    assert (await ping(acme, await made(acme, receiver, state=state)))["ok"]


async def test_a_ping_that_fails_is_not_tried_again(acme: Firm, receiver: Receiver) -> None:
    webhook = await made(acme, receiver)
    receiver.answer(503, headers={"Retry-After": "5"}, body="x" * 20_000)
    told = await ping(acme, webhook)
    assert (told["ok"], told["status"]) == (False, 503)
    assert told["error"] == "The receiver responded with 503."
    assert (told["expects"], told["advice"]) == (None, None)
    row = await logged(acme, told)
    assert (row["state"], row["attempts"], row["next_attempt_at"]) == ("failed", 1, None)
    assert (len(row["attempt_log"][0]["response_body"]), row["attempt_log"][0]["response_cut"]) == (
        16 * 1024,
        True,
    )
    acme.house.clock.advance(hours=12)
    await Office.of(acme).work()
    assert len(receiver.requests) == 1


def picky(wanted: str) -> receivers.Manner:
    """Take only signatures that are spelled so."""

    async def manner(one: Received, writer: asyncio.StreamWriter) -> None:
        prefixed = one.headers["x-service-signature"].startswith("sha256=")
        right = prefixed == (wanted == "prefixed")
        await receivers.Reply(200 if right else 401)(one, writer)

    return manner


@pytest.mark.parametrize(("has", "wants"), [("prefixed", "bare"), ("bare", "prefixed")])
async def test_a_ping_tells_when_the_receiver_expects_the_other_signature_form(
    acme: Firm, receiver: Receiver, has: str, wants: str
) -> None:
    webhook = await made(acme, receiver, signature_format=has)
    receiver.behave(picky(wants))
    told = await ping(acme, webhook)
    assert (told["ok"], told["status"]) == (False, 401)
    assert (told["signature_format"], told["expects"]) == (has, wants)
    assert told["advice"].endswith(f"change signature_format to {wants}.")
    assert [one["outcome"] for one in told["attempts"]] == ["refused", "succeeded"]
    assert [one["number"] for one in told["attempts"]] == [1, 2]
    first, second = receiver.requests
    assert (first.id, first.body) == (second.id, second.body)
    row = await logged(acme, told)
    assert (row["state"], row["attempts"]) == ("succeeded", 2)
    assert row["attempt_log"] == told["attempts"]
    # Nothing switches by itself.
    assert (await acme.admin.get(f"/int/v1/webhooks/{webhook['id']}")).json()[
        "signature_format"
    ] == has
    change = {"signature_format": wants}
    await acme.admin.patch(f"/int/v1/webhooks/{webhook['id']}", json=change)
    assert (await ping(acme, webhook))["ok"]


async def test_a_receiver_that_takes_neither_form_is_told_apart(
    acme: Firm, receiver: Receiver
) -> None:
    webhook = await made(acme, receiver)
    receiver.answer(401)
    told = await ping(acme, webhook)
    assert (told["ok"], told["expects"]) == (False, None)
    assert "secret" in told["advice"]
    assert (await logged(acme, told))["state"] == "failed"
    assert len(receiver.requests) == 2


@pytest.mark.parametrize(
    ("manner", "outcome"),
    [(receivers.hang_up, "disconnected"), (receivers.nonsense, "malformed")],
)
async def test_a_ping_shows_bad_manners_in_words(
    acme: Firm, receiver: Receiver, manner: receivers.Manner, outcome: str
) -> None:
    webhook = await made(acme, receiver)
    receiver.behave(manner)
    told = await ping(acme, webhook)
    assert (told["ok"], told["status"], told["attempts"][0]["outcome"]) == (False, None, outcome)
    assert told["error"].endswith(".")
    assert (await logged(acme, told))["state"] == "failed"


async def test_a_ping_is_in_the_log_before_its_first_byte_leaves(
    acme: Firm, receiver: Receiver, house: House
) -> None:
    webhook = await made(acme, receiver, timeout=30)
    seen: list[dict[str, Any]] = []

    async def looking(one: Received, writer: asyncio.StreamWriter) -> None:
        seen.append(await logged(acme, {"delivery": one.id}))
        lease = await house.value("select lease_until - started_at from webhook_queue")
        assert lease.total_seconds() == 30 + queue.LEASE_MARGIN.total_seconds()
        assert await house.value("select sender from webhook_queue") == NO_MEMBER
        await receivers.Reply(401)(one, writer)

    receiver.behave(looking)
    await ping(acme, webhook)
    assert [row["state"] for row in seen] == ["sending", "sending"]
    assert [one["outcome"] for one in seen[0]["attempt_log"]] == ["sending"]
    assert [one["outcome"] for one in seen[1]["attempt_log"]] == ["refused", "sending"]


async def test_a_ping_whose_process_died_is_taken_back_and_not_sent_again(
    acme: Firm, receiver: Receiver
) -> None:
    webhook = await made(acme, receiver, timeout=30)
    receiver.behave(receivers.silent)
    pinging = asyncio.create_task(ping(acme, webhook))
    await receiver.heard(1)
    pinging.cancel()
    with pytest.raises(asyncio.CancelledError):
        await pinging
    office = Office.of(acme)
    await office.work()
    assert [row["state"] for row in await office.deliveries()] == ["sending"]
    acme.house.clock.advance(seconds=30 + queue.LEASE_MARGIN.total_seconds())
    await office.work()
    (row,) = await office.deliveries()
    assert row["state"] == "failed"
    detail = await logged(acme, {"delivery": row["id"]})
    assert [one["outcome"] for one in detail["attempt_log"]] == ["interrupted"]
    acme.house.clock.advance(hours=12)
    await office.work()
    assert len(receiver.requests) == 1


async def test_a_ping_is_no_sign_that_deliveries_are_taken(acme: Firm, receiver: Receiver) -> None:
    office, webhook = Office.of(acme), await made(acme, receiver)
    await office.tell()
    await office.relay()
    acme.house.clock.advance(seconds=61)
    receiver.answer(401)
    await ping(acme, webhook)
    status = (await acme.admin.get("/status")).json()["checks"]
    assert status["webhooks"] == "Deliveries are due, and none has been sent for 61 s."
    assert await acme.house.value("select count(*) from webhook_claims") == 0


@pytest.mark.slow
async def test_while_a_ping_waits_no_connection_is_held(acme: Firm, receiver: Receiver) -> None:
    released = asyncio.Event()

    async def held(received: Received, writer: asyncio.StreamWriter) -> None:
        await released.wait()
        await Reply()(received, writer)

    webhook = await made(acme, receiver, timeout=30)
    receiver.behave(held)
    pings = [asyncio.create_task(ping(acme, webhook)) for _ in range(30)]
    await receiver.heard(30)
    assert (await acme.admin.get("/int/v1/webhooks")).status_code == 200
    released.set()
    assert all(told["ok"] for told in await asyncio.gather(*pings))


async def test_one_idempotency_key_is_one_ping(acme: Firm, receiver: Receiver) -> None:
    webhook = await made(acme, receiver)
    path, key = f"/int/v1/webhooks/{webhook['id']}/ping", {"Idempotency-Key": "ping"}
    first = await acme.admin.post(path, headers=key)
    assert (await acme.admin.post(path, headers=key)).content == first.content
    assert len(receiver.requests) == 1


async def test_a_deleted_or_foreign_webhook_is_not_pinged(
    acme: Firm, rival: Firm, receiver: Receiver
) -> None:
    webhook = await made(acme, receiver)
    path = f"webhooks/{webhook['id']}/ping"
    refused(await rival.admin.post(f"/int/v1/{path}"), 404, "not_found")
    refused(await rival.api.post(f"/v1/{path}"), 404, "not_found")
    await acme.admin.delete(f"/int/v1/webhooks/{webhook['id']}")
    refused(await acme.admin.post(f"/int/v1/{path}"), 404, "not_found")
    assert receiver.requests == []


async def test_dispatchers_ping_too(acme: Firm, receiver: Receiver) -> None:
    webhook = await made(acme, receiver)
    dispatcher = await acme.operator("dispatcher")
    assert (await dispatcher.post(f"/int/v1/webhooks/{webhook['id']}/ping")).json()["ok"]
