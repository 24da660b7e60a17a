"""Codes by SMS: sent to the recipient, typed by the driver, never told to anybody else."""

import asyncio
from typing import Any

import pytest

from pannier.kit.clock import ManualClock
from pannier.orders.captures import service as captures
from probe import refused
from proofs.conftest import Phone
from proofs.evidence import Courier
from stage import Firm, House

ADA = {"name": "Ada", "phone": "+6598765432"}


async def recipient(house: House) -> str:
    to: str = await house.value(
        "select recipient from messages order by created_at desc, uuid desc limit 1"
    )
    return to


async def wrong(courier: Courier) -> str:
    """A code that is certainly wrong."""
    return f"{(int(await courier.texted()) + 1) % 10**6:06}"


async def test_a_code_goes_to_the_customer_and_is_told_to_nobody_else(
    courier: Courier, house: House
) -> None:
    order = await courier.careful("sms", customer=ADA)
    answer = await courier.send(order, "send-sms-code")
    assert answer.status_code == 200, answer.text
    code = await courier.texted()
    assert await recipient(house) == ADA["phone"]
    assert answer.json()["sent_to"] == "+65•••5432"
    assert (answer.json()["expires_in"], answer.json()["resend_after"]) == (7200, 30)
    proof = await courier.captured(order, "capture-sms", code=f"{code[:3]} {code[3:]}")
    assert proof["data"]["code"] == {"verified": True}
    events = [event["data"] for event in await courier.told()]
    for told in (answer.text, str(proof), str(events)):
        assert code not in told
    hashes = await house.value("select string_agg(encode(facts, 'escape'), '') from proofs")
    assert code not in hashes


async def test_a_code_goes_to_the_stops_contact_first(courier: Courier, house: House) -> None:
    stops: list[dict[str, Any]] = [
        {"place": "1 Road", "contact": {"name": "Grace", "phone": "+6591111111"}},
        {"place": "2 Road"},
    ]
    order = await courier.careful("sms", "waypoint", waypoints=stops, customer=ADA)
    first, second = (stop["id"] for stop in order["payload"]["waypoints"])
    await courier.send(order, "send-sms-code", first)
    assert await recipient(house) == "+6591111111"
    await courier.send(order, "send-sms-code", second)
    assert await recipient(house) == ADA["phone"]


async def test_without_a_phone_nothing_is_sent(courier: Courier, house: House) -> None:
    order = await courier.careful("sms", customer={"name": "Ada"})
    refused(await courier.send(order, "send-sms-code"), 409, "pod_recipient_phone_missing")
    assert await house.value("select count(*) from messages") == 0


async def test_a_code_is_good_for_its_own_stop_once(courier: Courier) -> None:
    order = await courier.careful("sms", "waypoint", waypoints=["1 Road", "2 Road"], customer=ADA)
    first, second = (stop["id"] for stop in order["payload"]["waypoints"])
    await courier.send(order, "send-sms-code", first)
    code = await courier.texted()
    refused(await courier.send(order, "capture-sms", second, code=code), 422, "pod_code_incorrect")
    await courier.captured(order, "capture-sms", first, code=code)
    refused(await courier.send(order, "capture-sms", first, code=code), 422, "pod_code_incorrect")


async def test_a_code_lives_for_two_hours(courier: Courier, clock: ManualClock) -> None:
    order = await courier.careful("sms", customer=ADA)
    await courier.send(order, "send-sms-code")
    code = await courier.texted()
    clock.advance(hours=2)
    refused(await courier.send(order, "capture-sms", code=code), 422, "pod_code_incorrect")


@pytest.mark.slow
async def test_five_wrong_ones_kill_a_code_and_ten_lock_the_stop(
    courier: Courier, clock: ManualClock, acme: Firm
) -> None:
    order = await courier.careful("sms", customer=ADA)
    await courier.send(order, "send-sms-code")
    left = []
    for _ in range(5):
        answer = await courier.send(order, "capture-sms", code=await wrong(courier))
        left.append(refused(answer, 422, "pod_code_incorrect")["attempts_left"])
    assert left == [4, 3, 2, 1, 0]
    right = await courier.send(order, "capture-sms", code=await courier.texted())
    refused(right, 422, "pod_code_incorrect")
    clock.advance(minutes=5)
    assert (await courier.send(order, "send-sms-code")).status_code == 200
    # The right one that came too late was refused, and was no wrong one.
    for left_over in (4, 3, 2, 1):
        answer = await courier.send(order, "capture-sms", code=await wrong(courier))
        assert refused(answer, 422, "pod_code_incorrect")["attempts_left"] == left_over
    last = await courier.send(order, "capture-sms", code=await wrong(courier))
    refused(last, 423, "pod_code_locked")
    refused(
        await courier.send(order, "capture-sms", code=await courier.texted()),
        423,
        "pod_code_locked",
    )
    clock.advance(minutes=1)
    refused(await courier.send(order, "send-sms-code"), 423, "pod_code_locked")
    path = f"/int/v1/orders/{order['id']}/unlock-sms-code"
    viewer = await acme.operator("viewer")
    assert (await viewer.post(path)).status_code == 403
    assert (await acme.admin.post(path)).json() == {"status": "ok"}
    entries = (await acme.admin.get("/int/v1/audit")).json()["data"]
    assert "proof.code_unlocked" in {entry["action"] for entry in entries}
    answer = await courier.send(order, "capture-sms", code=await wrong(courier))
    assert refused(answer, 422, "pod_code_incorrect")["attempts_left"] == 4
    await courier.captured(order, "capture-sms", code=await courier.texted())
    assert (await courier.hand_over(order)).json()["status"] == "completed"


async def test_an_unlocked_stop_is_sent_codes_at_once_however_many_it_had(
    courier: Courier, clock: ManualClock, acme: Firm
) -> None:
    order = await courier.careful("sms", customer=ADA)
    for _ in range(5):
        assert (await courier.send(order, "send-sms-code")).status_code == 200
        clock.advance(minutes=5)
    refused(await courier.send(order, "send-sms-code"), 429, "too_many_requests")
    assert (await acme.admin.post(f"/int/v1/orders/{order['id']}/unlock-sms-code")).is_success
    assert (await courier.send(order, "send-sms-code")).status_code == 200
    await courier.captured(order, "capture-sms", code=await courier.texted())


@pytest.mark.slow
async def test_a_companys_own_program_asks_for_as_many_codes_as_it_has_orders(
    courier: Courier,
) -> None:
    for _ in range(24):
        order = await courier.careful("sms", customer=ADA)
        assert (await courier.send(order, "send-sms-code")).status_code == 200


async def test_a_drivers_phone_has_so_many_codes_sent_however_many_items_an_order_has(
    courier: Courier, phone: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    most, span = captures.DRIVER_CODE_BUDGET
    monkeypatch.setattr(captures, "DRIVER_CODE_BUDGET", (3, span))
    ada = await courier.driver()
    client = await phone(ada)
    items = [{"name": f"Box {number}"} for number in range(5)]
    order = await courier.order(driver=ada["id"], customer=ADA, entities=items)
    paths = [f"send-sms-code/{item['id']}" for item in order["payload"]["entities"]]
    asked = [await client.post(f"/v1/orders/{order['id']}/{path}") for path in paths]
    assert [answer.status_code for answer in asked] == [200, 200, 200, 429, 429]
    assert most > len(asked)
    # The company's own program is not held to that.
    assert (await courier.send(order, paths[3])).status_code == 200


async def test_a_driver_spends_only_what_is_sent(
    courier: Courier, phone: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(captures, "DRIVER_CODE_BUDGET", (2, captures.DRIVER_CODE_BUDGET[1]))
    ada = await courier.driver()
    client = await phone(ada)
    items = [{"name": f"Box {number}"} for number in range(3)]
    order = await courier.order(driver=ada["id"], customer=ADA, entities=items)
    one, two, three = (
        f"/v1/orders/{order['id']}/send-sms-code/{item['id']}"
        for item in order["payload"]["entities"]
    )
    # Asked again too soon, nothing goes out.
    asked = [(await client.post(path)).status_code for path in (one, one, one, two, three)]
    assert asked == [200, 429, 429, 200, 429]


async def test_a_driver_of_a_test_company_has_as_many_codes_of_trials_as_they_like(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(captures, "DRIVER_CODE_BUDGET", (1, captures.DRIVER_CODE_BUDGET[1]))
    trial = Courier(await house.found("Trials", mode="test"))
    ada = await trial.driver(phone="+15555550101")
    body = {"phone": ada["phone"]}
    await trial.firm.api.post("/v1/drivers/login-with-sms", json=body)
    answer = await trial.firm.api.post("/v1/drivers/verify-code", json={**body, "code": "000000"})
    client = house.client(answer.json()["token"])
    customer = {"name": "Grace", "phone": "+15555550100"}
    order = await trial.order(driver=ada["id"], customer=customer)
    path = f"/v1/orders/{order['id']}/send-sms-code"
    assert [(await client.post(path)).status_code for _ in range(3)] == [200] * 3


@pytest.mark.slow
async def test_parallel_guesses_cannot_outrun_the_counter(courier: Courier, house: House) -> None:
    order = await courier.careful("sms", customer=ADA)
    await courier.send(order, "send-sms-code")
    right = int(await courier.texted())
    guesses = [f"{(right + turn) % 10**6:06}" for turn in range(1, 21)]
    answers = await asyncio.gather(
        *(courier.send(order, "capture-sms", code=guess) for guess in guesses)
    )
    kinds = sorted(answer.json()["code"] for answer in answers)
    assert set(kinds) == {"pod_code_incorrect"}
    assert await house.value("select wrong_in_all from proof_codes") == 5
    last = await courier.send(order, "capture-sms", code=f"{right:06}")
    refused(last, 422, "pod_code_incorrect")


@pytest.mark.slow
async def test_a_right_code_sent_ten_times_at_once_is_one_proof(courier: Courier) -> None:
    order = await courier.careful("sms", customer=ADA)
    await courier.send(order, "send-sms-code")
    code = await courier.texted()
    answers = await asyncio.gather(
        *(courier.send(order, "capture-sms", code=code) for _ in range(10))
    )
    assert [answer.status_code for answer in answers].count(201) == 1
    assert len(await courier.get(f"orders/{order['id']}/proofs")) == 1


@pytest.mark.parametrize("resent", [False, True])
async def test_a_code_typed_without_reception_is_judged_as_of_then(
    courier: Courier, clock: ManualClock, *, resent: bool
) -> None:
    order = await courier.careful("sms", customer=ADA)
    clock.advance(minutes=1)
    await courier.send(order, "send-sms-code")
    code = await courier.texted()
    clock.advance(hours=10)
    if resent:
        await courier.send(order, "send-sms-code")
    body = {"code": code, "captured_at": "2026-01-15T12:30:00Z"}
    before = {**body, "captured_at": "2026-01-15T12:00:30Z"}
    refused(await courier.send(order, "capture-sms", **before), 422, "pod_code_incorrect")
    after = {**body, "captured_at": "2026-01-15T14:30:00Z"}
    refused(await courier.send(order, "capture-sms", **after), 422, "pod_code_incorrect")
    proof = await courier.captured(order, "capture-sms", **body)
    assert (proof["created_at"], proof["data"]["offline"]) == ("2026-01-15T12:30:00.000Z", True)
    refused(await courier.send(order, "capture-sms", **body), 422, "pod_code_incorrect")


async def test_a_code_capture_sent_again_is_the_same_proof(courier: Courier) -> None:
    order = await courier.careful("sms", customer=ADA)
    await courier.send(order, "send-sms-code")
    body = {"code": await courier.texted(), "proof_uuid": "0194b8f2-6c1e-7d3a-9f40-5b2c8e71d6a3"}
    first = await courier.captured(order, "capture-sms", **body)
    again = await courier.send(order, "capture-sms", **body)
    assert (again.status_code, again.json()["id"]) == (200, first["id"])
    await courier.hand_over(order)
    again = await courier.send(order, "capture-sms", **body)
    assert (again.status_code, again.json()["id"]) == (200, first["id"])


async def test_asking_again_too_soon_must_wait(courier: Courier) -> None:
    order = await courier.careful("sms", customer=ADA)
    await courier.send(order, "send-sms-code")
    answer = await courier.send(order, "send-sms-code")
    refused(answer, 429, "too_many_requests")
    assert int(answer.headers["retry-after"]) <= 30
