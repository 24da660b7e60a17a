"""Tamper evidence: whatever is changed afterwards is found."""

import asyncio
import hashlib
import json
from typing import Any
from uuid import UUID, uuid4

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from pannier.files.storage import object_path
from pannier.proofs import erasure, integrity, register
from pannier.proofs.signing import Signer
from probe import refused
from proofs import checker
from proofs.evidence import Courier
from stage import NOON, Firm, House

pytestmark = pytest.mark.slow


async def verdict(courier: Courier, proof: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = await courier.get(f"proofs/{proof['id']}/verify")
    return found


async def chain(courier: Courier) -> list[dict[str, Any]]:
    order = await courier.order(entities=[{"name": "Box"}])
    return [
        await courier.signed(order, remarks="First."),
        await courier.photographed(order, location="1.404,103.79"),
        await courier.scanned(order, order["payload"]["entities"][0]["id"]),
    ]


async def test_what_was_captured_verifies(courier: Courier) -> None:
    proofs = await chain(courier)
    for proof in proofs:
        found = await verdict(courier, proof)
        assert found["valid"], found
        assert found["faults"] == []
    links = [proof["integrity"] for proof in proofs]
    assert [link["sequence"] for link in links] == [1, 2, 3]
    assert [link["previous"] for link in links] == [None, links[0]["hash"], links[1]["hash"]]


async def test_numbers_of_any_size_verify(courier: Courier, acme: Firm) -> None:
    order = await courier.order()
    numbers = "[1e308, -1.2345678901234568e20, 9007199254740993.0, 0.1, 5e-324, 1e22, -0.0, 7]"
    proof = await acme.api.post(
        f"/v1/orders/{order['id']}/capture-qr",
        content=f'{{"code": "1", "data": {{"read": {numbers}}}, "device": {{"id": 1e23}}}}',
        headers={"Content-Type": "application/json"},
    )
    assert proof.status_code == 201, proof.text
    found = await verdict(courier, proof.json())
    assert found["valid"], found
    packed = await acme.api.get(f"/v1/orders/{order['id']}/proofs.zip")
    assert checker.faults(packed.content) == []


async def test_anybody_can_check_a_proof_without_us(courier: Courier) -> None:
    _, proof, _ = await chain(courier)
    found = await verdict(courier, proof)
    link = proof["integrity"]
    previous = bytes.fromhex(link["previous"])
    told = b"pannier proof 1\n" + previous + found["facts"].encode()
    hashed = hashlib.sha256(told).digest()
    assert hashed.hex() == link["hash"]
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(found["public_key"]))
    key.verify(bytes.fromhex(link["signature"].removeprefix("ed25519:")), hashed)
    facts = json.loads(found["facts"])
    assert facts["public_id"] == proof["id"]
    assert facts["file_sha256"] == proof["data"]["image"]["stored_sha256"]


FLIPS = {
    "remarks": "remarks = coalesce(remarks, '') || '!'",
    "raw_data": "raw_data = coalesce(raw_data, '') || '1'",
    "data": "data = data || '{\"late\": true}'",
    "data inside": "data = jsonb_set(data, '{location_check}', '\"inside!\"')",
    "method": "method = case method when 'sms' then 'scan' else 'sms' end",
    "subject type": "subject_type = case subject_type when 'order' then 'entity' else 'order' end",
    "subject": "subject_uuid = gen_random_uuid()",
    "subject id": "subject_id = subject_id || 'x'",
    "driver": "driver = (select uuid from drivers limit 1)",
    "activity": "activity = 'other'",
    "captured": "created_at = created_at - interval '1 millisecond'",
    "received": "received_at = received_at + interval '1 millisecond'",
    "file": "file = (select uuid from files f where f.uuid is distinct from proofs.file limit 1)",
    "no file": "file = null, thumbnail = null",
    "client uuid": "client_uuid = gen_random_uuid()",
    "public id": "public_id = public_id || 'x'",
    "first bit of the facts": "facts = set_bit(facts, 0, 1 - get_bit(facts, 0))",
    "a bit of the facts": "facts = set_bit(facts, 777, 1 - get_bit(facts, 777))",
    "a bit of the hash": "hash = set_bit(hash, 100, 1 - get_bit(hash, 100))",
    "a bit of the signature": "signature = set_bit(signature, 300, 1 - get_bit(signature, 300))",
    "key": "key_id = 'somebody else'",
    "sequence": "sequence = sequence + 100",
    "previous": "previous = decode(repeat('00', 32), 'hex')",
}


@pytest.mark.parametrize("number", [0, 1, 2])
async def test_a_changed_row_is_found(courier: Courier, house: House, number: int) -> None:
    await courier.driver()
    proof = (await chain(courier))[number]
    uuid, path = UUID(proof["uuid"]), f"proofs/{proof['uuid']}/verify"
    kept = await house.value("select to_jsonb(p)::text from proofs p where uuid = :u", u=uuid)
    for flip, change in FLIPS.items():
        if flip == "no file" and proof["file_uuid"] is None:
            continue
        assert (await courier.get(path))["valid"], flip
        async with house.database.transaction() as db:
            sql = f"update proofs set {change} where proofs.uuid = :uuid"
            assert await db.execute(sql, uuid=uuid) == 1, flip
        found: dict[str, Any] = await courier.get(path)
        assert not found["valid"], (flip, found)
        assert found["faults"], flip
        await put_back(house, uuid, kept)


async def put_back(house: House, proof: UUID, kept: str) -> None:
    """Restore the row of a proof as it was read before."""
    row = "jsonb_populate_record(null::proofs, cast(:kept as text)::jsonb)"
    async with house.database.transaction() as db:
        await db.execute("delete from proofs where uuid = :uuid", uuid=proof)
        await db.execute(f"insert into proofs select * from {row}", kept=kept)


@pytest.mark.parametrize("flip", ["a bit of the hash", "a bit of the facts", "sequence"])
async def test_a_change_of_one_link_is_seen_from_every_other(
    courier: Courier, house: House, flip: str
) -> None:
    first, second, third = await chain(courier)
    async with house.database.transaction() as db:
        await db.execute(
            f"update proofs set {FLIPS[flip]} where uuid = :uuid", uuid=UUID(first["uuid"])
        )
    for proof in (second, third):
        found = await verdict(courier, proof)
        assert (found["chain_valid"], found["valid"]) == (False, False)
        assert (found["facts_valid"], found["signature_valid"]) == (True, True)


async def remove(house: House, *proofs: dict[str, Any]) -> None:
    uuids = [UUID(proof["uuid"]) for proof in proofs]
    async with house.database.transaction() as db:
        await db.execute("delete from proofs where uuid = any(:uuids)", uuids=uuids)


async def whole(courier: Courier, order: str) -> dict[str, Any]:
    found: dict[str, Any] = await courier.get(f"orders/{order}/verify-proofs")
    return found


@pytest.mark.parametrize("gone", [0, 1, 2])
async def test_a_removed_link_is_missed(courier: Courier, house: House, gone: int) -> None:
    proofs = await chain(courier)
    await remove(house, proofs.pop(gone))
    for proof in proofs:
        found = await verdict(courier, proof)
        assert (found["head_valid"], found["valid"]) == (False, False)
        # Without the last one, those that are left still follow each other.
        assert found["chain_valid"] is (gone == 2)
    found = await whole(courier, proofs[0]["order_id"])
    assert (found["valid"], found["count"]) == (False, 2)
    assert "The order's last proof does not match the signed head." in found["faults"]


async def test_proofs_that_were_all_removed_are_missed(courier: Courier, house: House) -> None:
    proofs = await chain(courier)
    order = proofs[0]["order_id"]
    assert (await whole(courier, order))["valid"]
    head = (await whole(courier, order))["head"]
    assert json.loads(head["statement"]) == {
        "order": order, "number": 1, "count": 3, "last": proofs[2]["integrity"]["hash"],
        "at": proofs[2]["received_at"],
    }  # fmt: skip
    await remove(house, *proofs)
    found = await whole(courier, order)
    assert (found["valid"], found["count"]) == (False, 0)


@pytest.mark.parametrize(
    "change",
    [
        "delete from proof_heads",
        """update proof_heads set statement = convert_to(replace(
           convert_from(statement, 'UTF8'), '"count":3', '"count":2'), 'UTF8')""",
        "update proof_heads set signature = set_bit(signature, 9, 1 - get_bit(signature, 9))",
        "update proof_heads set key_id = 'somebody else'",
    ],
)
async def test_a_head_that_was_tampered_with_is_found(
    courier: Courier, house: House, change: str
) -> None:
    proof, *_ = await chain(courier)
    async with house.database.transaction() as db:
        await db.execute(change)
    assert not (await verdict(courier, proof))["head_valid"]
    assert not (await whole(courier, proof["order_id"]))["valid"]


async def test_the_head_of_another_order_does_not_serve(courier: Courier, house: House) -> None:
    first, second = (await chain(courier))[0], (await chain(courier))[0]
    async with house.database.transaction() as db:
        await db.execute(
            """update proof_heads set (statement, signature) = (select statement, signature
               from proof_heads other where other.order_uuid <> proof_heads.order_uuid)"""
        )
    for proof in (first, second):
        assert not (await verdict(courier, proof))["head_valid"]


async def test_what_was_erased_is_said_to_be_and_the_others_hold(
    courier: Courier, house: House, acme: Firm
) -> None:
    first, second, third = await chain(courier)
    item = UUID(third["subject_uuid"])
    async with house.database.transaction() as db:
        order = await db.fetch_value(
            "select uuid from orders where public_id = :id", id=first["order_id"]
        )
        await erasure.erase(db, acme.uuid, order, [item])
    for proof in (first, second):
        assert (await verdict(courier, proof))["valid"]
    found = await verdict(courier, third)
    assert (found["valid"], found["erased"]) == (True, True)
    held = await whole(courier, first["order_id"])
    assert (held["valid"], held["erased"]) == (True, 1)
    archive = await courier.firm.api.get(f"/v1/orders/{first['order_id']}/proofs.zip")
    assert checker.faults(archive.content) == []
    for change, back in (  # nobody changes what is left of one, or makes one up
        ("method = 'override'", "method = 'scan'"),
        ("remarks = 'Somebody else took it.'", "remarks = null"),
        ("sequence = sequence + 1", "sequence = sequence - 1"),
        ("erased_at = erased_at + interval '1 hour'", "erased_at = erased_at - interval '1 hour'"),
        ("hash = sha256('x')", "hash = hash"),
    ):
        assert (await whole(courier, first["order_id"]))["valid"]
        for edit, valid in ((change, False), (back, None)):
            async with house.database.transaction() as db:
                sql = f"update proofs set {edit} where subject_uuid = :item"
                await db.execute(sql, item=item)
            held = await whole(courier, first["order_id"])
            assert valid is None or held["valid"] is valid, change


async def test_what_was_erased_is_not_kept_anew_when_a_phone_sends_it_again(
    courier: Courier, house: House, acme: Firm
) -> None:
    order, other = await courier.started(), await courier.order()
    body = {"code": "1", "remarks": "For Ada.", "proof_uuid": str(uuid4())}
    first = await courier.captured(order, "capture-qr", **body)
    async with house.database.transaction() as db:
        uuid = UUID(order["uuid"])
        await erasure.erase(db, acme.uuid, uuid, [uuid])
    await courier.act(order, "cancel")
    again = await courier.send(order, "capture-qr", **body)
    assert (again.status_code, again.json()["id"]) == (200, first["id"])
    assert (again.json()["remarks"], again.json()["raw_data"]) == (None, None)
    refused(await courier.send(other, "capture-qr", **body), 409, "proof_conflict")


async def test_nobody_but_us_erases_a_proof(courier: Courier, house: House) -> None:
    first, _, _ = await chain(courier)
    async with house.database.transaction() as db:
        await db.execute(
            """update proofs set erased_at = created_at, erasure = signature, erasure_key = key_id,
               remarks = 'Left with the neighbour.' where uuid = :uuid""",
            uuid=UUID(first["uuid"]),
        )
    found = await verdict(courier, first)
    assert (found["valid"], found["hash_valid"], found["facts_valid"]) == (False, False, False)
    assert not (await whole(courier, first["order_id"]))["valid"]


async def missed(house: House, firm: Firm) -> list[str]:
    async with house.database.reading() as db:
        return [fault async for fault in register.find_faults(db, firm.uuid)]


async def test_an_order_that_left_its_company_is_missed_and_its_proofs_are_told(
    courier: Courier, house: House, acme: Firm, rival: Firm
) -> None:
    first, second = [(await chain(courier))[0]["order_id"] for _ in range(2)]
    async with house.database.transaction() as db:
        await db.execute(
            "update orders set company = :company where public_id = :order",
            company=rival.uuid,
            order=first,
        )
    assert await missed(house, acme) == ["Order with proofs no. 1 is missing."]
    uuid = await house.value("select uuid from orders where public_id = :order", order=first)
    async with house.database.transaction() as db:
        await db.execute("delete from proof_heads where order_uuid = :uuid", uuid=uuid)
    told = await missed(house, acme)
    assert told == ["Order with proofs no. 1 is missing.", f"{uuid}: {integrity.CUT_SHORT}"]
    assert second not in str(told)


async def test_an_order_that_was_removed_with_head_and_all_is_missed(
    courier: Courier, house: House, acme: Firm, rival: Firm
) -> None:
    chains = [await chain(courier) for _ in range(3)]
    assert await missed(house, acme) == await missed(house, rival) == []
    orders = [links[0]["order_id"] for links in chains]

    async def remove_all(order: str) -> None:
        uuid = await house.value("select uuid from orders where public_id = :id", id=order)
        async with house.database.transaction() as db:
            for table in ("proofs", "proof_heads"):
                await db.execute(f"delete from {table} where order_uuid = :uuid", uuid=uuid)

    await remove_all(orders[1])
    assert await missed(house, acme) == ["Order with proofs no. 2 is missing."]
    await remove_all(orders[2])
    assert await missed(house, acme) == [
        "The last order with proofs is no. 1, but the register counts 3."
    ]
    async with house.database.transaction() as db:
        await db.execute("update proof_heads set number = 2::bigint ^ 62")
    [gap, misnumbered] = await missed(house, acme)
    assert gap == "Orders with proofs no. 1 to 4611686018427387903 are missing."
    assert misnumbered.startswith(orders[0])
    async with house.database.transaction() as db:
        await db.execute("delete from proof_registers")
        await db.execute("update proof_heads set number = 1")
    assert await missed(house, acme) == [
        "The register of orders with proofs is missing, or not signed by a trusted key."
    ]
    async with house.database.transaction() as db:
        await db.execute("delete from proof_heads")
    assert await missed(house, acme) == [
        f"{orders[0]}: The order's last proof does not match the signed head."
    ]


async def test_orders_with_proofs_are_numbered_without_a_gap_in_a_rush(
    courier: Courier, house: House, acme: Firm
) -> None:
    orders = [await courier.order() for _ in range(8)]
    await asyncio.gather(*(courier.scanned(order) for order in orders))
    await asyncio.gather(*(courier.scanned(order, code="4006381333948") for order in orders))
    assert await missed(house, acme) == []
    numbers = await house.value("select array_agg(number order by number) from proof_heads")
    assert numbers == list(range(1, 9))


async def test_an_order_without_proofs_has_nothing_to_miss(courier: Courier) -> None:
    order = await courier.order()
    found = await whole(courier, order["id"])
    assert (found["valid"], found["count"], found["head"]) == (True, 0, None)


async def test_the_keys_of_proofs_are_public(courier: Courier, house: House) -> None:
    proof, *_ = await chain(courier)
    answer = await house.client().get("/.well-known/jwks.json")
    assert answer.headers["cache-control"] == "public, max-age=300"
    [key] = answer.json()["keys"]
    assert (key["kty"], key["crv"], key["kid"]) == ("OKP", "Ed25519", proof["integrity"]["key_id"])
    assert (key["began_at"], key["ended_at"]) == (proof["received_at"], None)


async def test_a_key_that_was_slipped_in_is_nobodys(courier: Courier, house: House) -> None:
    proof, *_ = await chain(courier)
    forger = Signer(bytes(32))
    hashed = bytes.fromhex(proof["integrity"]["hash"])
    async with house.database.transaction() as db:
        await db.execute(
            """insert into proof_keys (key_id, public_key, began_at)
               values (:key_id, :public_key, :began_at)""",
            key_id=forger.key_id,
            public_key=forger.public_key,
            began_at=NOON,
        )
        await db.execute(
            "update proofs set signature = :signature, key_id = :key_id where uuid = :uuid",
            signature=forger.sign(hashed),
            key_id=forger.key_id,
            uuid=UUID(proof["uuid"]),
        )
    assert not (await verdict(courier, proof))["signature_valid"]
    keys = (await house.client().get("/.well-known/jwks.json")).json()["keys"]
    assert forger.key_id not in [key["kid"] for key in keys]


async def test_whoever_holds_a_sheet_can_check_it(courier: Courier, house: House) -> None:
    proofs = await chain(courier)
    order, hashes = proofs[0]["order_id"], [proof["integrity"]["hash"][:16] for proof in proofs]
    anybody = house.client()
    page = await anybody.get(f"/verify/{order}/2-{hashes[1]}")
    assert page.headers["content-type"].startswith("text/html")
    assert "These proofs are genuine" in page.text
    assert ": 3.</p>" in page.text
    lost = await anybody.get(f"/verify/order_0000000000000000/1-{hashes[0]}")
    for wrong in (f"2-{hashes[2]}", f"9-{hashes[2]}"):
        guessed = await anybody.get(f"/verify/{order}/{wrong}")
        assert "could not be verified" in guessed.text
        # Who guesses is not told of the order, nor whether there is one.
        assert (guessed.status_code, guessed.content) == (404, lost.content)
    assert (await anybody.get(f"/verify/{order}/nonsense")).status_code == 404
    await remove(house, proofs[2])
    assert "could not be verified" in (await anybody.get(f"/verify/{order}/2-{hashes[1]}")).text
    gone = await anybody.get(f"/verify/{order}/3-{hashes[2]}")
    assert "or no longer has it" in gone.text


@pytest.mark.parametrize("damage", ["flip", "cut", "gone"])
@pytest.mark.parametrize("which", ["file", "thumbnail"])
async def test_a_changed_picture_is_found(
    courier: Courier, house: House, damage: str, which: str
) -> None:
    proof, other, _ = await chain(courier)
    sha256 = await house.value(
        f"select f.sha256 from proofs p join files f on f.uuid = p.{which} where p.uuid = :uuid",
        uuid=UUID(proof["uuid"]),
    )
    path = house.settings.folder / "files" / object_path(sha256)
    data = bytearray(path.read_bytes())
    match damage:
        case "flip":
            data[len(data) // 2] ^= 1
            path.write_bytes(data)
        case "cut":
            path.write_bytes(data[:-1])
        case "gone":
            path.unlink()
    found = await verdict(courier, proof)
    assert (found["file_valid"], found["valid"]) == (False, False)
    assert (await verdict(courier, other))["valid"]


@pytest.mark.slow
async def test_every_single_bit_of_a_small_row_counts(courier: Courier, house: House) -> None:
    """Flip each of some hundred bits of what is signed, one after the other."""
    _, _, proof = await chain(courier)
    uuid = UUID(proof["uuid"])
    parts = {"facts": range(0, 4000, 97), "hash": range(0, 256, 11), "signature": range(0, 512, 23)}
    for column, bits in parts.items():
        for bit in bits:
            flip = f"""update proofs set {column} =
                set_bit({column}, :bit, 1 - get_bit({column}, :bit)) where uuid = :uuid"""
            async with house.database.transaction() as db:
                await db.execute(flip, uuid=uuid, bit=bit)
            assert not (await verdict(courier, proof))["valid"], (column, bit)
            async with house.database.transaction() as db:
                await db.execute(flip, uuid=uuid, bit=bit)
    assert (await verdict(courier, proof))["valid"]
