"""The interface's lines on proof of delivery."""

from uuid import UUID

import pytest

from probe import refused
from proofs import drawn
from proofs.evidence import HANDOVER, Courier
from stage import Firm, House

BODIES = {
    "capture-signature": {"signature": drawn.text(drawn.signature())},
    "capture-photo": {"photo": drawn.text(drawn.photo())},
    "capture-qr": {"code": "4006381333931"},
}
METHODS = {"capture-signature": "signature", "capture-photo": "photo", "capture-qr": "scan"}
FIELDS = {
    "subject_uuid", "subject_type", "file_uuid", "raw_data", "data", "remarks", "created_at",
}  # fmt: skip


@pytest.fixture
def courier(acme: Firm) -> Courier:
    return Courier(acme)


@pytest.mark.slow
@pytest.mark.parametrize("action", BODIES)
@pytest.mark.parametrize("subject", ["order", "waypoint", "entity"])
async def test_post_v1_orders_id_capture_subject_id(
    courier: Courier, acme: Firm, action: str, subject: str
) -> None:
    """`POST /v1/orders/{id}/capture-…/{subjectId}`: subjectId is the UUID of one of the three."""
    order = await courier.order(
        waypoints=["1 Road", "2 Road"], entities=[{"name": "Box", "destination": 1}]
    )
    target = {
        "order": order,
        "waypoint": order["payload"]["waypoints"][0],
        "entity": order["payload"]["entities"][0],
    }[subject]
    path = f"/v1/orders/{order['uuid']}/{action}/{target['uuid']}"
    answer = await acme.api.post(path, json={**BODIES[action], "remarks": "Left at the door."})
    assert answer.status_code == 201, answer.text
    proof = answer.json()
    assert proof.keys() >= FIELDS
    assert (proof["subject_uuid"], proof["subject_type"]) == (target["uuid"], subject)
    assert proof["method"] == METHODS[action]
    assert proof["remarks"] == "Left at the door."
    assert proof["raw_data"] == ("4006381333931" if action == "capture-qr" else None)
    assert (proof["file_uuid"] is None) == (action == "capture-qr")
    assert proof["created_at"] == "2026-01-15T12:00:00.000Z"


@pytest.mark.parametrize("method", ["scan", "signature", "photo", "sms"])
async def test_an_activity_with_require_pod_does_not_advance_until_pod_is_captured(
    courier: Courier, method: str
) -> None:
    """`Activity with require_pod = true fired without POD`: it does not advance."""
    order = await courier.careful(method, customer={"name": "Ada", "phone": "+6598765432"})
    answer = refused(await courier.hand_over(order), 422, "pod_required")
    assert answer["method"] == method
    assert (await courier.get(f"orders/{order['id']}"))["status"] == "started"
    match method:
        case "scan":
            await courier.scanned(order)
        case "signature":
            await courier.signed(order)
        case "photo":
            await courier.photographed(order)
        case "sms":
            assert (await courier.send(order, "send-sms-code")).status_code == 200
            await courier.captured(order, "capture-sms", code=await courier.texted())
    done = await courier.hand_over(order)
    assert done.status_code == 200, done.text
    assert done.json()["status"] == "completed"


async def test_a_single_flow_can_mix_methods(courier: Courier) -> None:
    """`POD is set per activity, not per order configuration`."""
    await courier.config(
        {
            "code": "collected", "require_pod": True, "pod_method": "scan", "next": ["enroute"],
        },
        {"code": "enroute", "next": ["delivered"]},
        {
            "code": "delivered", "complete": True, "require_pod": True, "pod_method": "signature",
        },
        key="mixed",
    )  # fmt: skip
    order = await courier.started(type="mixed")
    refused(
        await courier.attempt(order, "update-activity", activity="collected"), 422, "pod_required"
    )
    await courier.scanned(order)
    await courier.fire(order, "collected")
    await courier.fire(order, "enroute")
    await courier.scanned(order)
    refused(
        await courier.attempt(order, "update-activity", activity="delivered"), 422, "pod_required"
    )
    await courier.signed(order)
    assert (await courier.fire(order, "delivered"))["status"] == "completed"


async def test_each_stop_needs_pod_before_the_driver_may_move_to_the_next(
    courier: Courier,
) -> None:
    """`Proof can be required per waypoint`."""
    order = await courier.careful("photo", "waypoint", waypoints=["1 Road", "2 Road"])
    first, second = (stop["id"] for stop in order["payload"]["waypoints"])
    problem = refused(await courier.hand_over(order), 422, "pod_required")
    assert problem["missing"] == [
        {"subject_type": "waypoint", "subject_id": first, "method": "photo"}
    ]
    await courier.photographed(order, second)
    refused(await courier.hand_over(order), 422, "pod_required")
    await courier.photographed(order, first)
    assert (await courier.hand_over(order)).json()["current_waypoint"] == second
    assert (await courier.hand_over(order)).json()["status"] == "completed"


async def test_each_item_has_its_own_proof(courier: Courier) -> None:
    """`Proof can be required per entity (each item has its own proof)`."""
    order = await courier.careful("scan", "entity", entities=[{"name": "A"}, {"name": "B"}])
    one, two = (item["id"] for item in order["payload"]["entities"])
    await courier.scanned(order, one)
    problem = refused(await courier.hand_over(order), 422, "pod_required")
    assert [each["subject_id"] for each in problem["missing"]] == [two]
    await courier.scanned(order, two)
    assert (await courier.hand_over(order)).json()["status"] == "completed"


@pytest.mark.parametrize("action", BODIES)
async def test_proof_of_delivery_created(courier: Courier, action: str) -> None:
    """`proof_of_delivery.created`: POD captured."""
    order = await courier.order()
    proof = await courier.captured(order, action, **BODIES[action])
    [event] = await courier.told("proof_of_delivery.created")
    data = event["data"]
    assert (data["id"], data["order"], data["method"]) == (
        proof["id"],
        order["id"],
        METHODS[action],
    )
    assert data["hash"] == proof["integrity"]["hash"]
    assert data["file_uuid"] == proof["file_uuid"]


async def test_the_uploaded_image_is_the_proofs_file(
    courier: Courier, acme: Firm, house: House
) -> None:
    """`file_uuid`: uploaded image (signature or photo)."""
    proof = await courier.photographed(await courier.order())
    file = await acme.api.get(f"/v1/files/{UUID(proof['file_uuid'])}")
    assert file.json()["content_type"] == "image/jpeg"
    path = proof["url"].removeprefix(house.settings.base_url)
    fetched = await house.client().get(path)
    assert fetched.status_code == 200
    assert fetched.content[:3] == b"\xff\xd8\xff"


async def test_a_scan_where_no_codes_are_declared_is_kept_and_marked_as_unmatched(
    courier: Courier,
) -> None:
    order = await courier.order(entities=[{"name": "A", "expected_codes": ["A-1"]}, {"name": "B"}])
    strict, free = (item["id"] for item in order["payload"]["entities"])
    refused(await courier.send(order, "capture-qr", strict, code="WRONG-1"), 422, "code_mismatch")
    kept = await courier.captured(order, "capture-qr", free, code="WRONG-1", entry="typed")
    assert (kept["data"]["scan"]["match"], kept["data"]["scan"]["entry"]) == (False, "typed")


async def test_an_activity_can_refuse_codes_that_do_not_match(courier: Courier) -> None:
    scan = {"require_pod": True, "pod_method": "scan", "scan_mismatch": "refuse"}
    await courier.config({**HANDOVER, **scan}, key="strict")
    order = await courier.started(type="strict")
    number = order["tracking_number"]["tracking_number"]
    for more in ({}, {"activity": "handed_over"}):
        refused(await courier.send(order, "capture-qr", code="X", **more), 422, "code_mismatch")
    flow = await courier.get(f"orders/{order['id']}/flow")
    assert [one["scan_mismatch"] for one in flow["activities"]] == [None, None, None, "refuse"]
    proof = await courier.captured(order, "capture-qr", code=number)
    assert (proof["scan_match"], proof["scan_entry"]) == (True, None)


async def test_an_activity_can_accept_other_codes_with_a_reason_and_a_photo(
    courier: Courier,
) -> None:
    scan = {"require_pod": True, "pod_method": "scan", "scan_mismatch": "explain"}
    await courier.config({**HANDOVER, **scan}, key="explained")
    order = await courier.started(type="explained", entities=[{"name": "A"}])
    strict = await courier.started(
        type="explained", entities=[{"name": "A", "expected_codes": ["A-1"]}]
    )
    reason = {"mismatch_reason": "The label is torn."}
    photo = {"photo": drawn.text(drawn.photo())}
    for more in ({}, reason):
        problem = refused(
            await courier.send(order, "capture-qr", code="X", **more), 422, "mismatch_unexplained"
        )
        assert "reason and a photo" in problem["title"]
        refused(await courier.send(strict, "capture-qr", code="X", **more), 422, "code_mismatch")
    for one in (order, strict):
        proof = await courier.captured(
            one, "capture-qr", code="X", entry="typed", **reason, **photo
        )
        assert (proof["scan_match"], proof["scan_entry"]) == (False, "typed")
        assert proof["data"]["scan"]["reason"] == "The label is torn."
        assert proof["file_uuid"]
        assert (await courier.hand_over(one)).is_success


async def test_without_the_setting_an_explanation_does_not_excuse_a_code(courier: Courier) -> None:
    order = await courier.order(entities=[{"name": "A", "expected_codes": ["A-1"]}])
    body = {"code": "X", "mismatch_reason": "Torn.", "photo": drawn.text(drawn.photo())}
    item = order["payload"]["entities"][0]["id"]
    refused(await courier.send(order, "capture-qr", item, **body), 422, "code_mismatch")
