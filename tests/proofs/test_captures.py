"""Captures: evidence in every encoding, once, of the right thing, in time."""

import asyncio
import base64
from typing import Any
from uuid import uuid4

import httpx
import pytest

from orders.shop import statements
from pannier.kit import labels
from pannier.kit.clock import ManualClock
from probe import paths, refused
from proofs import drawn
from proofs.conftest import Phone
from proofs.evidence import Courier
from stage import Firm, House


async def test_a_path_without_a_subject_means_the_order(courier: Courier) -> None:
    order = await courier.order()
    for proof in (await courier.signed(order), await courier.signed(order, order["id"])):
        assert (proof["subject_type"], proof["subject_id"]) == ("order", order["id"])


@pytest.mark.parametrize("spelling", ["data uri", "bare", "broken lines"])
async def test_a_picture_is_taken_in_every_spelling_of_base64(
    courier: Courier, spelling: str
) -> None:
    bare = base64.b64encode(drawn.signature()).decode()
    body = {
        "data uri": f"data:image/png;base64,{bare}",
        "bare": bare,
        "broken lines": "\n".join(bare[at : at + 76] for at in range(0, len(bare), 76)),
    }[spelling]
    proof = await courier.captured(await courier.order(), "capture-signature", signature=body)
    assert proof["data"]["image"]["width"] == 300


async def test_a_form_says_the_same_as_json(courier: Courier, acme: Firm) -> None:
    order = await courier.order()
    answer = await acme.api.post(
        f"/v1/orders/{order['id']}/capture-signature",
        files={"signature": ("s.png", drawn.signature(), "image/png")},
        data={
            "remarks": "At the gate.", "signer_name": "Ada", "location": "1.404,103.79",
            "data": '{"gate": 3}', "captured_at": "2026-01-15T11:59:30Z",
        },
    )  # fmt: skip
    assert answer.status_code == 201, answer.text
    proof = answer.json()
    assert (proof["remarks"], proof["data"]["signer"]) == ("At the gate.", {"name": "Ada"})
    assert (proof["data"]["gate"], proof["data"]["location_check"]) == (3, "inside")


@pytest.mark.parametrize("name", ["data", "location", "device"])
async def test_a_form_field_that_nests_too_deeply_is_refused(
    courier: Courier, acme: Firm, name: str
) -> None:
    order = await courier.order()
    answer = await acme.api.post(
        f"/v1/orders/{order['id']}/capture-signature",
        files={"signature": ("s.png", drawn.signature(), "image/png")},
        data={name: '{"a":' * 2000 + "1" + "}" * 2000},
    )
    assert paths(answer) == [name]


@pytest.mark.parametrize("brand", [b"heic", b"mif1"])
async def test_heic_is_refused_in_a_sentence_whatever_its_name_and_type_say(
    courier: Courier, acme: Firm, brand: bytes
) -> None:
    order = await courier.order()
    heic = b"\0\0\0\x18ftyp" + brand + b"\0\0\0\0mif1heic" + bytes(100)
    for action, field in (("capture-photo", "photo"), ("capture-signature", "signature")):
        answer = await acme.api.post(
            f"/v1/orders/{order['id']}/{action}", files={field: ("IMG_1.jpg", heic, "image/jpeg")}
        )
        detail = refused(answer, 415, "image_unsupported")["detail"]
        assert "HEIC is not supported" in detail
        assert "Most Compatible" in detail


@pytest.mark.parametrize("name", ["photos", "photos[]", "photos[0]", "photo"])
async def test_several_photos_come_at_once(courier: Courier, acme: Firm, name: str) -> None:
    order = await courier.order()
    files = [(name, (f"{turn}.jpg", drawn.photo(turn), "image/jpeg")) for turn in range(3)]
    answer = await acme.api.post(f"/v1/orders/{order['id']}/capture-photo", files=files)
    assert answer.status_code == 201, answer.text
    made = answer.json()
    assert [proof["integrity"]["sequence"] for proof in made["proofs"]] == [1, 2, 3]
    assert made["id"] == made["proofs"][0]["id"]
    listed = await courier.get(f"orders/{order['id']}/proofs")
    assert [proof["id"] for proof in listed] == [proof["id"] for proof in made["proofs"]]
    assert len(await courier.told("proof_of_delivery.created")) == 3


@pytest.mark.parametrize(
    ("action", "body", "path"),
    [
        ("capture-signature", {}, "signature"),
        ("capture-signature", {"signature": "not base64!"}, "signature"),
        ("capture-photo", {}, "photos"),
        ("capture-photo", {"photos": ["x"] * 11}, "photos"),
        ("capture-qr", {}, "code"),
        ("capture-sms", {}, "code"),
        ("capture-qr", {"code": "1", "remarks": "x" * 501}, "remarks"),
        ("capture-qr", {"code": "1", "data": {"x": "y" * 17_000}}, "data"),
        ("capture-qr", {"code": "1", "data": {"a": {"b": {"c": {"d": {"e": {}}}}}}}, "data"),
        ("capture-qr", {"code": "1", "location": {"latitude": 91, "longitude": 0}}, "location"),
        ("capture-qr", {"code": "1", "captured_at": "2026-01-15T12:03:00Z"}, "captured_at"),
        ("capture-qr", {"code": "1", "captured_at": "yesterday"}, "captured_at"),
        ("capture-qr", {"code": "1", "proof_uuid": "mine"}, "proof_uuid"),
        ("capture-qr", {"code": "1", "activity": "x" * 61}, "activity"),
    ],
)
async def test_what_is_wrong_is_named_and_nothing_is_kept(
    courier: Courier, house: House, action: str, body: dict[str, Any], path: str
) -> None:
    order = await courier.order()
    assert paths(await courier.send(order, action, **body)) == [path]
    assert await house.value("select count(*) from proofs") == 0


async def test_a_refused_picture_leaves_nothing_behind(courier: Courier, house: House) -> None:
    order = await courier.order()
    good, bad = drawn.text(drawn.photo()), drawn.text(b"GIF89a" + bytes(60))
    refused(
        await courier.send(order, "capture-photo", photos=[good, bad]), 415, "image_unsupported"
    )
    blank = drawn.text(drawn.photo(5)[:-200])
    refused(await courier.send(order, "capture-photo", photo=blank), 422, "image_unreadable")
    for table in ("proofs", "files"):
        assert await house.value(f"select count(*) from {table}") == 0
    assert await courier.told("proof_of_delivery.created") == []


async def test_what_is_not_of_the_order_is_not_there(courier: Courier, stranger: Courier) -> None:
    order = await courier.order(entities=[{"name": "Box"}])
    other = await courier.order(entities=[{"name": "Box"}])
    foreign = await stranger.order(entities=[{"name": "Box"}])
    item = other["payload"]["entities"][0]
    theirs = foreign["payload"]["entities"][0]
    for subject in (item["uuid"], item["id"], other["id"], theirs["uuid"], theirs["id"], "x"):
        refused(await courier.send(order, "capture-qr", subject, code="1"), 404, "not_found")
        answer = await courier.firm.api.get(f"/v1/orders/{order['id']}/proofs/{subject}")
        refused(answer, 404, "not_found")
    refused(await stranger.send(order, "capture-qr", code="1"), 404, "not_found")


async def test_a_driver_proves_their_own_orders_only(courier: Courier, phone: Phone) -> None:
    ada = await courier.driver()
    client = await phone(ada)
    own = await courier.order(driver=ada["id"])
    other = await courier.ready()
    body = {"code": "4006381333931"}
    made = await client.post(f"/v1/orders/{own['id']}/capture-qr", json=body)
    assert made.json()["data"]["captured_by"] == {"id": ada["id"], "name": "Ada"}
    assert (await client.get(f"/v1/orders/{own['id']}/proofs")).json() == [made.json()]
    for action, given in (("capture-qr", body), ("send-sms-code", {}), ("capture-sms", body)):
        answer = await client.post(f"/v1/orders/{other['id']}/{action}", json=given)
        refused(answer, 404, "not_found")
    refused(await client.get(f"/v1/orders/{other['id']}/proofs"), 404, "not_found")
    assert (await client.get("/v1/proofs")).status_code == 401


async def test_nobody_else_writes_our_part_of_a_proofs_data(courier: Courier) -> None:
    order = await courier.order()
    forged = {
        "captured_by": {"id": "driver_x"}, "late": False, "scan": {"match": True}, "mine": 1,
        "location_check": "inside", "image": {}, "code": {"verified": True},
    }  # fmt: skip
    proof = await courier.captured(order, "capture-qr", code="1", data=forged)
    assert proof["data"]["mine"] == 1
    assert proof["data"]["captured_by"]["id"].startswith("key_")
    assert proof["data"]["location_check"] == "unknown"
    assert proof["data"]["scan"]["match"] is False
    assert not {"late", "image", "code"} & proof["data"].keys()


@pytest.mark.parametrize(
    ("spot", "verdict"),
    [
        ({"latitude": 1.404, "longitude": 103.79}, "inside"),
        ({"latitude": 1.407, "longitude": 103.79}, "outside"),
        ({"latitude": 1.407, "longitude": 103.79, "accuracy": 300}, "inside"),
        ({"latitude": 1.407, "longitude": 103.79, "accuracy": 10**400}, "outside"),
        ({"latitude": 1.407, "longitude": 103.79, "accuracy": -1}, "outside"),
        (None, "unknown"),
    ],
)
async def test_a_proof_says_whether_it_was_captured_at_the_stop(
    courier: Courier, spot: dict[str, float] | None, verdict: str
) -> None:
    order = await courier.order()
    more = {} if spot is None else {"location": spot}
    proof = await courier.signed(order, **more)
    assert proof["data"]["location_check"] == verdict
    assert ("distance_to_stop_m" in proof["data"]) == (spot is not None)


@pytest.mark.slow
async def test_the_same_upload_ten_times_is_one_proof(courier: Courier, acme: Firm) -> None:
    order = await courier.order()
    body = {
        "photos": [drawn.text(drawn.photo(0)), drawn.text(drawn.photo(1))],
        "proof_uuid": str(uuid4()), "captured_at": "2026-01-15T11:00:00Z",
    }  # fmt: skip
    path = f"/v1/orders/{order['id']}/capture-photo"
    answers = [await acme.api.post(path, json=body) for _ in range(10)]
    assert [answer.status_code for answer in answers] == [201] + [200] * 9
    assert {answer.json()["id"] for answer in answers} == {answers[0].json()["id"]}
    assert answers[9].headers["idempotent-replayed"] == "true"
    assert len(await courier.get(f"orders/{order['id']}/proofs")) == 2
    assert len(await courier.told("proof_of_delivery.created")) == 2


async def test_what_was_kept_is_the_same_proof_whatever_became_of_its_order(
    courier: Courier, acme: Firm
) -> None:
    order = await courier.started(entities=[{"name": "Lamp", "expected_codes": ["L-1"]}])
    item = order["payload"]["entities"][0]["id"]
    body = {"code": "L-1", "proof_uuid": str(uuid4())}
    first = await courier.captured(order, "capture-qr", item, **body)
    changed = await acme.api.patch(f"/v1/entities/{item}", json={"expected_codes": ["L-2"]})
    assert changed.status_code == 200

    async def is_the_same() -> None:
        again = await courier.send(order, "capture-qr", item, **body)
        assert (again.status_code, again.json()["id"]) == (200, first["id"])
        assert again.headers["idempotent-replayed"] == "true"

    await is_the_same()
    await courier.act(order, "cancel")
    await is_the_same()
    other = {**body, "proof_uuid": str(uuid4())}
    refused(await courier.send(order, "capture-qr", item, **other), 409, "order_closed")


async def test_something_else_under_the_same_name_is_refused(courier: Courier) -> None:
    order = await courier.order()
    name = str(uuid4())
    await courier.signed(order, proof_uuid=name)
    other = drawn.text(drawn.signature(9))
    answer = await courier.send(order, "capture-signature", signature=other, proof_uuid=name)
    refused(answer, 409, "proof_conflict")
    refused(
        await courier.send(order, "capture-qr", code="1", proof_uuid=name), 409, "proof_conflict"
    )


@pytest.mark.slow
async def test_of_two_orders_that_get_one_name_at_once_one_has_it(courier: Courier) -> None:
    orders = [await courier.order() for _ in range(4)]
    body = {"code": "1", "proof_uuid": str(uuid4())}
    answers = await asyncio.gather(*(courier.send(order, "capture-qr", **body) for order in orders))
    kept, *others = sorted(answers, key=lambda answer: answer.status_code)
    assert kept.status_code == 201, kept.text
    for other in others:
        refused(other, 409, "proof_conflict")


async def test_two_companies_may_choose_the_same_name(courier: Courier, stranger: Courier) -> None:
    name = str(uuid4())
    await courier.signed(await courier.order(), proof_uuid=name)
    await stranger.signed(await stranger.order(), proof_uuid=name)


async def test_a_keyed_capture_is_remembered_for_a_month(
    courier: Courier, acme: Firm, clock: ManualClock
) -> None:
    order = await courier.order()
    body, headers = {"code": "1"}, {"Idempotency-Key": "one"}
    path = f"/v1/orders/{order['id']}/capture-qr"
    first = await acme.api.post(path, json=body, headers=headers)
    clock.advance(days=29)
    again = await acme.api.post(path, json=body, headers=headers)
    assert (again.status_code, again.json()) == (201, first.json())
    assert again.headers["idempotent-replayed"] == "true"


async def test_a_proof_that_comes_late_is_taken_if_it_was_captured_in_time(
    courier: Courier, clock: ManualClock
) -> None:
    order = await courier.started()
    await courier.fire(order, "enroute")
    clock.advance(hours=1)
    await courier.act(order, "complete")
    clock.advance(hours=5)
    before, after = "2026-01-15T12:55:00Z", "2026-01-15T13:05:00Z"
    late = await courier.captured(order, "capture-qr", code="1", captured_at=before)
    assert (late["data"]["late"], late["data"]["offline"]) == (True, True)
    assert (late["created_at"], late["received_at"]) == (
        "2026-01-15T12:55:00.000Z",
        "2026-01-15T18:00:00.000Z",
    )
    for more in ({}, {"captured_at": after}):
        refused(await courier.send(order, "capture-qr", code="1", **more), 409, "order_closed")


async def test_a_clock_that_is_wrong_is_put_right(courier: Courier) -> None:
    order = await courier.order()
    ahead = await courier.captured(
        order, "capture-qr", code="1", captured_at="2026-01-15T12:01:00Z"
    )
    assert (ahead["created_at"], ahead["data"]["clock_skew_s"]) == ("2026-01-15T12:00:00.000Z", 60)
    old = await courier.captured(order, "capture-qr", code="1", captured_at="2020-01-01T00:00:00Z")
    assert old["created_at"] == order["created_at"]


async def test_a_proof_serves_one_activity_only(courier: Courier) -> None:
    step = {"require_pod": True, "pod_method": "scan"}
    await courier.config(
        {"code": "loaded", "next": ["done"], **step}, {"code": "done", "complete": True, **step},
        key="twice",
    )  # fmt: skip
    order = await courier.started(type="twice")
    proof = await courier.scanned(order)
    await courier.fire(order, "loaded")
    assert (await courier.get(f"proofs/{proof['id']}"))["used"] is True
    refused(await courier.attempt(order, "update-activity", activity="done"), 422, "pod_required")
    await courier.scanned(order)
    await courier.fire(order, "done")


async def test_a_proof_from_before_the_last_activity_is_stale(
    courier: Courier, clock: ManualClock
) -> None:
    step = {"require_pod": True, "pod_method": "scan"}
    await courier.config(
        {"code": "arrived", "next": ["done"]}, {"code": "done", "complete": True, **step},
        key="fresh",
    )  # fmt: skip
    order = await courier.started(type="fresh")
    await courier.scanned(order)
    clock.advance(minutes=5)
    await courier.fire(order, "arrived")
    refused(await courier.attempt(order, "update-activity", activity="done"), 422, "pod_required")
    meant = await courier.captured(order, "capture-qr", code="1", activity="done")
    assert meant["activity"] == "done"
    await courier.fire(order, "done")


async def test_a_proof_sent_before_its_step_counts_when_it_says_which_step_it_is_for(
    courier: Courier, clock: ManualClock
) -> None:
    step = {"require_pod": True, "pod_method": "scan"}
    await courier.config(
        {"code": "arrived", "next": ["done"]}, {"code": "done", "complete": True, **step},
        key="fresh",
    )  # fmt: skip
    order = await courier.started(type="fresh")
    await courier.captured(order, "capture-qr", code="1", activity="done")
    clock.advance(minutes=5)
    await courier.fire(order, "arrived")
    await courier.fire(order, "done")


async def test_a_proof_meant_for_another_activity_does_not_serve(courier: Courier) -> None:
    order = await courier.careful("scan")
    await courier.captured(order, "capture-qr", code="1", activity="collected")
    refused(await courier.hand_over(order), 422, "pod_required")


async def test_a_proof_of_the_present_stop_serves_for_the_order(courier: Courier) -> None:
    order = await courier.careful("signature", waypoints=["1 Road", "2 Road"])
    first = order["payload"]["waypoints"][0]["id"]
    await courier.signed(order, first)
    assert (await courier.hand_over(order)).status_code == 200


async def test_items_are_proved_at_their_own_stop(courier: Courier) -> None:
    order = await courier.careful(
        "scan", "entity", waypoints=["1 Road", "2 Road"],
        entities=[{"name": "A", "destination": 0}, {"name": "B", "destination": 1}],
    )  # fmt: skip
    one, two = (item["id"] for item in order["payload"]["entities"])
    problem = refused(await courier.hand_over(order), 422, "pod_required")
    assert [each["subject_id"] for each in problem["missing"]] == [one]
    await courier.scanned(order, one)
    await courier.hand_over(order)
    problem = refused(await courier.hand_over(order), 422, "pod_required")
    assert [each["subject_id"] for each in problem["missing"]] == [two]


async def test_proofs_of_many_items_are_used_up_in_one_statement(
    courier: Courier, house: House
) -> None:
    async def fired(items: int) -> int:
        order = await courier.careful("scan", "entity", entities=[{"name": "Box"}] * items)
        for item in order["payload"]["entities"]:
            await courier.scanned(order, item["id"])
        async with statements(house) as heard:
            assert (await courier.hand_over(order)).status_code == 200
        return len(heard)

    assert await fired(5) == await fired(2)
    assert await house.value("select count(*) from proofs where used_by is null") == 0


async def test_a_scan_is_compared_with_the_codes_that_are_expected(courier: Courier) -> None:
    order = await courier.order(
        waypoints=["1 Road", "2 Road"],
        entities=[{"name": "A", "destination": 0, "expected_codes": ["A-1", "A-2"]}],
    )
    item, stop = order["payload"]["entities"][0], order["payload"]["waypoints"][0]
    refused(await courier.send(order, "capture-qr", item["id"], code="B-1"), 422, "code_mismatch")
    refused(await courier.send(order, "capture-qr", stop["id"], code="B-1"), 422, "code_mismatch")
    for code in ("A-1", "A-2", item["uuid"], item["id"]):
        proof = await courier.scanned(order, item["id"], code)
        assert proof["data"]["scan"]["match"] is True
    free = await courier.scanned(order, order["payload"]["waypoints"][1]["id"], "anything")
    assert (free["raw_data"], free["data"]["scan"]["match"]) == ("anything", False)


async def test_a_scan_matches_every_code_of_its_subject_and_says_whether_it_was_typed(
    courier: Courier,
) -> None:
    order = await courier.order(
        internal_id="PO-7", entities=[{"name": "A", "internal_id": "I-1"}, {"name": "B"}]
    )
    one, two = order["payload"]["entities"]
    number = order["tracking_number"]["tracking_number"]
    page = f"https://pannier.example/t/{number}?k=abc"
    for code in (number, page, order["id"], order["uuid"], "PO-7", "I-1", two["tracking_number"]):
        proof = await courier.captured(order, "capture-qr", code=code, entry="scanned")
        scan = proof["data"]["scan"]
        assert (scan["match"], scan["entry"]) == (True, "scanned"), code
    typed = await courier.captured(order, "capture-qr", one["id"], code="WRONG-1", entry="typed")
    assert (typed["data"]["scan"]["match"], typed["data"]["scan"]["entry"]) == (False, "typed")
    other = await courier.captured(order, "capture-qr", one["id"], code=two["tracking_number"])
    assert (other["data"]["scan"]["match"], other["data"]["scan"]["entry"]) == (False, None)
    answer = await courier.send(order, "capture-qr", code="X", entry="guessed")
    refused(answer, 422, "validation_failed")


@pytest.mark.slow
@pytest.mark.parametrize("draw", [labels.render_qr, labels.render_barcode])
async def test_a_picture_of_a_code_is_read_and_compared(courier: Courier, draw: Any) -> None:
    order = await courier.order()
    picture = drawn.text(draw("PARCEL-7", "png"))
    proof = await courier.captured(order, "capture-qr", photo=picture)
    assert proof["raw_data"] == "PARCEL-7"
    assert proof["file_uuid"] is not None
    same = await courier.captured(order, "capture-qr", photo=picture, code="PARCEL-7")
    assert same["data"]["scan"]["symbology"]
    answer = await courier.send(order, "capture-qr", photo=picture, code="PARCEL-8")
    refused(answer, 422, "code_mismatch")
    nothing = drawn.text(drawn.photo())
    refused(await courier.send(order, "capture-qr", photo=nothing), 422, "code_unreadable")


async def test_a_proofs_picture_cannot_be_deleted_as_a_file(courier: Courier, acme: Firm) -> None:
    proof = await courier.signed(await courier.order())
    refused(await acme.api.delete(f"/v1/files/{proof['file_uuid']}"), 409, "file_held")


async def test_a_link_to_a_picture_ends_after_a_quarter_of_an_hour(
    courier: Courier, house: House, clock: ManualClock
) -> None:
    proof = await courier.signed(await courier.order())

    async def fetched(url: str) -> httpx.Response:
        return await house.client().get(url.removeprefix(house.settings.base_url))

    assert (await fetched(proof["thumbnail_url"])).headers["content-type"] == "image/webp"
    assert (await fetched(proof["url"])).status_code == 200
    clock.advance(minutes=16)
    refused(await fetched(proof["url"]), 410, "link_expired")
    again = await courier.get(f"proofs/{proof['id']}")
    assert (await fetched(again["url"])).status_code == 200


@pytest.mark.slow
async def test_a_subject_takes_fifty_proofs_and_no_more(courier: Courier) -> None:
    order = await courier.order()
    photos = [drawn.text(drawn.photo())] * 10
    for _ in range(5):
        await courier.captured(order, "capture-photo", photos=photos)
    refused(await courier.send(order, "capture-qr", code="1"), 422, "too_many_proofs")


async def test_proofs_are_listed_newest_first(courier: Courier, clock: ManualClock) -> None:
    one = await courier.scanned(await courier.order())
    clock.advance(minutes=1)
    two = await courier.signed(await courier.order())
    assert [row["id"] for row in await courier.get("proofs")] == [two["id"], one["id"]]
    assert [row["id"] for row in await courier.get("proofs?method=scan")] == [one["id"]]
    found = await courier.get(f"proofs?order={one['order_id']}")
    assert [row["id"] for row in found] == [one["id"]]
    since = await courier.get("proofs?since=2026-01-15T12:00:30Z")
    assert [row["id"] for row in since] == [two["id"]]


async def test_a_key_for_files_alone_sees_no_pictures_of_proofs(
    courier: Courier, acme: Firm, house: House
) -> None:
    await courier.photographed(await courier.started())
    picture = await house.value("select public_id from files where content_type = 'image/jpeg'")
    for scopes, status, seen in ((["files:read"], 404, 0), (["files:read", "proofs:read"], 200, 2)):
        body = {"kind": "api", "name": "Files", "scopes": scopes}
        key = (await acme.admin.post("/int/v1/keys", json=body)).json()["key"]
        client = house.client(key)
        assert (await client.get(f"/v1/files/{picture}")).status_code == status
        assert len((await client.get("/v1/files")).json()) == seen


async def test_a_picture_that_served_another_order_is_marked_in_what_is_signed(
    courier: Courier, stranger: Courier
) -> None:
    first, second = await courier.order(), await courier.order()
    original = await courier.photographed(first)
    assert "reused_from" not in original["data"]["image"]
    again = await courier.photographed(first, remarks="The same door")
    assert "reused_from" not in again["data"]["image"], "one order may show it twice"
    reused = await courier.photographed(second)
    assert reused["data"]["image"]["reused_from"] == original["id"]
    other = await courier.captured(second, "capture-photo", photo=drawn.text(drawn.photo(turn=40)))
    assert "reused_from" not in other["data"]["image"]
    theirs = await stranger.photographed(await stranger.order())
    assert "reused_from" not in theirs["data"]["image"], "another company's is nobody's business"
    checked = (await courier.firm.api.get(f"/v1/proofs/{reused['id']}/verify")).json()
    assert checked["valid"] is True


BLOCKED = """select count(*) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'"""


async def test_of_two_orders_that_show_one_picture_at_once_the_second_is_marked(
    courier: Courier, house: House
) -> None:
    await courier.signed(await courier.order())
    first, second = await courier.order(), await courier.order()
    # Whoever holds the register keeps both captures from committing.
    async with asyncio.TaskGroup() as tasks, house.database.transaction() as db:
        await db.execute("select from proof_registers for update")
        sent = [tasks.create_task(courier.photographed(order)) for order in (first, second)]
        async with house.database.reading() as watching:
            while await watching.fetch_value(BLOCKED) < len(sent):  # noqa: ASYNC110 - only told when asked
                await asyncio.sleep(0)
    one, two = (task.result() for task in sent)
    marks = {each["id"]: each["data"]["image"].get("reused_from") for each in (one, two)}
    assert marks in (
        {one["id"]: None, two["id"]: one["id"]},
        {one["id"]: two["id"], two["id"]: None},
    )
