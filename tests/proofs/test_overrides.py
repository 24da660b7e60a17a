"""An operator's word instead of a proof, and what comes at the same moment."""

import asyncio

import pytest

from orders.shop import statements
from pannier.proofs import service as proofs
from probe import paths, refused
from proofs import drawn
from proofs.evidence import Courier
from stage import Firm, House


async def test_an_operator_lets_an_activity_happen_for_a_reason_that_is_kept(
    courier: Courier, acme: Firm
) -> None:
    order = await courier.careful("scan", "entity", entities=[{"name": "A"}, {"name": "B"}])
    await courier.scanned(order, order["payload"]["entities"][0]["id"])
    path = f"/int/v1/orders/{order['id']}/override-proof"
    body = {"activity": "handed_over", "reason": "The scanner broke."}
    answer = await acme.admin.post(path, json=body)
    assert answer.status_code == 201, answer.text
    [proof] = answer.json()
    assert (proof["method"], proof["subject_id"]) == (
        "override",
        order["payload"]["entities"][1]["id"],
    )
    assert proof["data"]["override"]["reason"] == "The scanner broke."
    assert proof["actor"]["kind"] == "operator"
    assert proof["actor"]["id"] == proof["data"]["override"]["operator"]
    entries = (await acme.admin.get("/int/v1/audit")).json()["data"]
    [entry] = [entry for entry in entries if entry["action"] == "proof.overridden"]
    assert entry["details"]["reason"] == "The scanner broke."
    assert (await courier.hand_over(order)).json()["status"] == "completed"
    assert (await courier.get(f"proofs/{proof['id']}/verify"))["valid"]


async def test_an_override_needs_a_dispatcher_a_reason_and_an_activity_that_is_next(
    courier: Courier, acme: Firm
) -> None:
    order = await courier.careful("scan")
    path = f"/int/v1/orders/{order['id']}/override-proof"
    body = {"activity": "handed_over", "reason": "The scanner broke."}
    assert (await (await acme.operator("viewer")).post(path, json=body)).status_code == 403
    assert paths(await acme.admin.post(path, json={**body, "reason": ""})) == ["reason"]
    refused(await acme.admin.post(path, json={**body, "activity": "enroute"}), 409, "illegal_move")
    assert (await acme.api.post(f"/v1{path[7:]}", json=body)).status_code == 404
    assert (await acme.api.post(path, json=body)).status_code == 401
    refused(await courier.hand_over(order), 422, "pod_required")


async def test_a_word_for_many_items_holds_the_register_for_one_statement(
    courier: Courier, acme: Firm, house: House
) -> None:
    async def heard(items: int) -> list[str]:
        order = await courier.careful("scan", "entity", entities=[{"name": "Box"}] * items)
        path = f"/int/v1/orders/{order['id']}/override-proof"
        body = {"activity": "handed_over", "reason": "The scanner broke."}
        async with statements(house) as asked:
            assert len((await acme.admin.post(path, json=body)).json()) == items
        assert (await courier.get(f"orders/{order['id']}/verify-proofs"))["valid"]
        return asked

    few, many = await heard(2), await heard(5)
    # Each is written, and nothing else is asked once more.
    assert len(many) - len(few) == 3
    [first, *_, last] = [number for number, sql in enumerate(many) if "proof_registers" in sql]
    assert max(number for number, sql in enumerate(many) if "insert into proofs" in sql) < first
    assert last - first == 1


async def test_an_operator_has_a_word_where_no_more_proofs_are_taken(
    courier: Courier, acme: Firm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proofs, "MAX_PER_SUBJECT", 2)
    order = await courier.careful("signature")
    for _ in range(2):
        await courier.scanned(order)
    body = {"signature": drawn.text(drawn.signature())}
    refused(await courier.send(order, "capture-signature", **body), 422, "too_many_proofs")
    answer = await acme.admin.post(
        f"/int/v1/orders/{order['id']}/override-proof",
        json={"activity": "handed_over", "reason": "The phone sent the same scan for an hour."},
    )
    assert answer.status_code == 201, answer.text
    assert (await courier.hand_over(order)).json()["status"] == "completed"


@pytest.mark.slow
async def test_two_captures_and_one_advance_at_once_end_with_one_truth(courier: Courier) -> None:
    order = await courier.careful("signature")
    body = {"signature": drawn.text(drawn.signature())}
    first, second, moved = await asyncio.gather(
        courier.send(order, "capture-signature", **body),
        courier.send(order, "capture-signature", **body),
        courier.hand_over(order),
    )
    codes = {answer.status_code for answer in (first, second)}
    assert codes <= {201, 409}
    assert moved.status_code in {200, 422}
    proofs = await courier.get(f"orders/{order['id']}/proofs")
    assert [proof["integrity"]["sequence"] for proof in proofs] == list(range(1, len(proofs) + 1))
    for proof in proofs:
        assert (await courier.get(f"proofs/{proof['id']}/verify"))["valid"]
    if moved.status_code == 422:
        assert (await courier.hand_over(order)).status_code == 200
    used = [proof for proof in await courier.get(f"orders/{order['id']}/proofs") if proof["used"]]
    assert len(used) == 1


@pytest.mark.slow
@pytest.mark.parametrize("parallel", [8])
async def test_parallel_captures_make_one_unbroken_chain(courier: Courier, parallel: int) -> None:
    order = await courier.order()
    answers = await asyncio.gather(
        *(courier.send(order, "capture-qr", code=str(turn)) for turn in range(parallel))
    )
    assert {answer.status_code for answer in answers} == {201}
    proofs = await courier.get(f"orders/{order['id']}/proofs")
    assert [proof["integrity"]["sequence"] for proof in proofs] == list(range(1, parallel + 1))
    assert (await courier.get(f"proofs/{proofs[-1]['id']}/verify"))["chain_valid"]


async def test_the_same_upload_at_the_same_moment_is_one_proof(courier: Courier) -> None:
    order = await courier.order()
    body = {"code": "1", "proof_uuid": "0194b8f2-6c1e-7d3a-9f40-5b2c8e71d6a3"}
    answers = await asyncio.gather(*(courier.send(order, "capture-qr", **body) for _ in range(6)))
    assert sorted(answer.status_code for answer in answers) == [200] * 5 + [201]
    assert len(await courier.get(f"orders/{order['id']}/proofs")) == 1


async def test_a_storage_that_is_away_keeps_nothing_and_blocks_nothing(
    courier: Courier, house: House
) -> None:
    order = await courier.careful("signature")
    folder = house.settings.folder / "files"
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("something is in the way")
    body = {"signature": drawn.text(drawn.signature())}
    refused(await courier.send(order, "capture-signature", **body), 503, "storage_unavailable")
    assert await house.value("select count(*) from proofs") == 0
    folder.unlink()
    await courier.signed(order)
    assert (await courier.hand_over(order)).json()["status"] == "completed"
