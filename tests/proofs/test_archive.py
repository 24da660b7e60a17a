"""The archive can be checked by a stranger, and the table harms no spreadsheet."""

import csv
import hashlib
import json
import zipfile
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import cache
from io import BytesIO, StringIO
from typing import Any
from uuid import UUID, uuid5

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pannier.proofs import archive, integrity
from pannier.proofs.archive import ProofAttachment
from pannier.proofs.models import ChainHead, Proof
from pannier.proofs.schemas import ProofKeyOut
from pannier.proofs.sheet import Sheet
from pannier.proofs.signing import PublicKey, Signer
from proofs import checker, drawn, printed

SIGNER = Signer(bytes(range(32)))
SPACE = UUID("0190f3c2-0000-7000-8000-000000000000")
Files = dict[str, bytes]


def named(word: str) -> UUID:
    return uuid5(SPACE, word)


def proof(number: int = 1, previous: Proof | None = None, **more: Any) -> Proof:
    """Make a link of a chain, with or without a picture."""
    picture: bytes | None = more.pop("picture", None)
    at = printed.MORNING + timedelta(minutes=number)
    told = {
        "uuid": named(f"proof {number}"),
        "public_id": f"proof_{number:016}",
        "company": named("company"),
        "order_uuid": named("order"),
        "subject_type": "waypoint",
        "subject_uuid": named("stop"),
        "subject_id": "waypoint_1mBf6XvR8dNs3TgH",
        "method": "photo" if picture else "scan",
        "file": named(f"file {number}") if picture else None,
        "thumbnail": None,
        "raw_data": None,
        "data": {},
        "remarks": None,
        "activity": None,
        "driver": None,
        "actor_kind": "key",
        "actor_id": "key_2sKd7WqZ9xLm4RtB",
        "actor_name": "Warehouse",
        "client_uuid": None,
        "created_at": at,
        "received_at": at,
        "sequence": number,
        **more,
    }
    hashes = {
        "file_sha256": hashlib.sha256(picture).hexdigest() if picture else None,
        "thumbnail_sha256": None,
    }
    facts = integrity.encode_facts(told, hashes)
    before = None if previous is None else previous.hash
    hashed = integrity.hash_proof(before, facts)
    return Proof(
        **told, content_hash=b"", facts=facts, previous=before, hash=hashed,
        signature=SIGNER.sign(hashed), key_id=SIGNER.key_id,
    )  # fmt: skip


def chain() -> list[Proof]:
    first = proof(1, picture=drawn.photo(), remarks="Left at the door. 已交付 \U0001f4e6")
    second = proof(2, first, raw_data="4006381333931", data={"scan": {"value": "4006381333931"}})
    third = proof(3, second, method="signature", picture=drawn.signature())
    return [first, second, third]


PICTURES = {
    "proof_0000000000000001": ProofAttachment("image/jpeg", drawn.photo()),
    "proof_0000000000000003": ProofAttachment("image/png", drawn.signature()),
}


def head_of(proofs: list[Proof], signer: Signer = SIGNER) -> ChainHead:
    last = proofs[-1]
    at = last.received_at
    statement = integrity.encode_head("order_5uJr2EwZ7bQx9KmT", 1, last.sequence, last.hash, at)
    return ChainHead(
        order_uuid=last.order_uuid, company=last.company, number=1, statement=statement,
        signature=signer.sign(integrity.build_head_message(statement)), key_id=signer.key_id,
    )  # fmt: skip


def public(signer: Signer) -> PublicKey:
    return PublicKey(key_id=signer.key_id, public_key=signer.public_key, began_at=printed.MORNING)


def order(**more: Any) -> Sheet:
    signed = {"head": head_of(chain()), "keys": (public(SIGNER),)}
    return printed.sheet(printed.stop(), **{**signed, **more})


def unpacked(packed: bytes) -> Files:
    with zipfile.ZipFile(BytesIO(packed)) as opened:
        assert opened.testzip() is None
        return {name: opened.read(name) for name in opened.namelist()}


@cache
def genuine() -> bytes:
    return archive.pack_order(order(), chain(), PICTURES)


def test_an_archive_holds_the_sheet_the_pictures_and_a_manifest() -> None:
    files = unpacked(genuine())
    assert list(files) == [
        "proof-sheet.pdf",
        "files/proof_0000000000000001.jpg",
        "files/proof_0000000000000003.png",
        "manifest.json",
    ]
    assert files["files/proof_0000000000000001.jpg"] == drawn.photo()
    assert files["proof-sheet.pdf"].startswith(b"%PDF-")
    manifest = json.loads(files["manifest.json"])
    assert manifest["order"]["id"] == "order_5uJr2EwZ7bQx9KmT"
    assert manifest["order"]["completed_at"] == "2026-05-07T09:15:00.000Z"
    first = manifest["proofs"][0]
    assert first["remarks"] == "Left at the door. 已交付 \U0001f4e6"
    assert first["file"] == {
        "name": "files/proof_0000000000000001.jpg",
        "content_type": "image/jpeg",
        "bytes": len(drawn.photo()),
        "sha256": hashlib.sha256(drawn.photo()).hexdigest(),
    }


def test_a_stranger_can_check_an_archive_by_its_own_recipe() -> None:
    packed = genuine()
    assert checker.faults(packed) == []
    recipe = json.loads(unpacked(packed)["manifest.json"])["how_to_verify"]
    for word in (
        "pannier proof 1",
        "0x0a",
        "32 zero bytes",
        "UTF-8",
        "file_sha256",
        "pannier head 1",
    ):
        assert word in recipe


def change(files: Files, edit: Callable[[dict[str, Any]], object]) -> None:
    manifest = json.loads(files["manifest.json"])
    edit(manifest)
    files["manifest.json"] = json.dumps(manifest).encode()


FORGER = Signer(bytes(32))
PROOF = "proof {}: {}".format
SIGNATURE, HASH = "the signature is invalid", "its hash does not match its facts"
NUMBER, LINK = "its number is out of sequence", "it does not follow the proof before it"
SHOWN = "a field differs from the signed facts"
PICTURE = "its image is missing or was replaced"
KINDS = {1: "jpg", 3: "png"}
SHORT = "head: it states 3 proofs, but there are {}".format


def MORE(number: int) -> str:  # noqa: N802 - a sentence like the others
    name = f"files/proof_000000000000000{number}.{KINDS[number]}"
    return f"{name} is not listed in the manifest"


def proofs_of(edit: Callable[[list[dict[str, Any]]], object]) -> Callable[[Files], None]:
    return lambda files: change(files, lambda told: edit(told["proofs"]))


def forge(told: dict[str, Any]) -> None:
    """Sign everything anew with a key of one's own, and put that key beside it."""
    told["keys"] = json.loads(msgspec.json.encode([ProofKeyOut.from_row(public(FORGER))]))
    for signed, message in [
        *((each, bytes.fromhex(each["hash"])) for each in told["proofs"]),
        (told["head"], b"pannier head 1\n" + told["head"]["statement"].encode()),
    ]:
        signed["signature"] = f"ed25519:{FORGER.sign(message).hex()}"
        signed["key_id"] = FORGER.key_id


def erased(told: dict[str, Any]) -> dict[str, Any]:
    """Take what was scanned out of a proof, and sign what is left with a key of one's own."""
    at = "2026-06-01T00:00:00.000Z"
    facts = {**json.loads(told["facts"]), "raw_data": None, "data": {}, "erased_at": at}
    left = json.dumps(facts)
    message = b"pannier erasure 1\n" + bytes.fromhex(told["hash"]) + left.encode()
    signature = f"ed25519:{FORGER.sign(message).hex()}"
    return {
        "facts": left, "raw_data": None, "data": {}, "erased_at": at,
        "erasure": {"signature": signature, "key_id": FORGER.key_id},
    }  # fmt: skip


NO_KEY = f"the installation has no key {FORGER.key_id}"
FORGERIES: dict[str, tuple[Callable[[Files], object], list[str]]] = {
    "a remark": (proofs_of(lambda told: told[0].update(remarks="No.")), [PROOF(1, SHOWN)]),
    "the facts": (
        proofs_of(lambda told: told[1].update(facts=told[1]["facts"].replace("3931", "3932"))),
        [PROOF(2, HASH), PROOF(2, SHOWN)],
    ),
    "a hash": (
        proofs_of(lambda told: told[1].update(hash="00" * 32)),
        [PROOF(2, HASH), PROOF(2, SIGNATURE), PROOF(3, LINK), PROOF(3, HASH)],
    ),
    "the first": (
        proofs_of(lambda told: told.pop(0)),
        [PROOF(1, NUMBER), PROOF(1, LINK), PROOF(1, HASH), PROOF(2, NUMBER), SHORT(2), MORE(1)],
    ),
    "one in between": (
        proofs_of(lambda told: told.pop(1)),
        [PROOF(2, NUMBER), PROOF(2, LINK), PROOF(2, HASH), SHORT(2)],
    ),
    "the last": (proofs_of(lambda told: told.pop()), [SHORT(2), MORE(3)]),
    "all of them": (proofs_of(lambda told: told.clear()), [SHORT(0), MORE(1), MORE(3)]),
    "the head": (
        lambda files: change(files, lambda told: told.update(head=None)),
        ["head: it is missing, so proofs may be missing too"],
    ),
    "the head's count": (
        lambda files: change(files, lambda told: told["head"].update(
            statement=told["head"]["statement"].replace('"count":3', '"count":2'))),
        [f"head: {SIGNATURE}", "head: it states 2 proofs, but there are 3"],
    ),
    "the key": (
        lambda files: change(files, forge),
        [*(PROOF(number, NO_KEY) for number in (1, 2, 3)), f"head: {NO_KEY}"],
    ),
    "a picture": (
        lambda files: files.update({"files/proof_0000000000000003.png": b"other"}),
        [PROOF(3, PICTURE)],
    ),
    "no picture": (
        lambda files: files.pop("files/proof_0000000000000001.jpg"), [PROOF(1, PICTURE)],
    ),
    "a time": (
        proofs_of(lambda told: told[1].update(captured_at="2026-01-01T00:00:00.000Z")),
        [PROOF(2, SHOWN)],
    ),
    "a proof that is called erased": (
        proofs_of(lambda told: told[1].update(
            erased_at="2026-06-01T00:00:00.000Z", raw_data=None, data={},
            facts=told[1]["facts"].replace("4006381333931", ""))),
        [PROOF(2, HASH), PROOF(2, SHOWN)],
    ),
    "a proof that somebody erased": (
        proofs_of(lambda told: told[1].update(erased(told[1]))),
        [PROOF(2, f"erasure: {NO_KEY}")],
    ),
    "something more": (
        lambda files: files.update({"files/other.jpg": b"other"}),
        ["files/other.jpg is not listed in the manifest"],
    ),
    "another sheet": (
        lambda files: change(files, lambda told: told.update(sheet=None)),
        ["proof-sheet.pdf is not listed in the manifest"],
    ),
    "the sheet": (
        lambda files: files.update({"proof-sheet.pdf": b"%PDF-other"}),
        ["the sheet does not belong to this archive"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGERIES)
def test_what_was_changed_or_taken_away_is_found(name: str) -> None:
    forging, found = FORGERIES[name]
    files = unpacked(genuine())
    keys = json.loads(files["manifest.json"])
    assert checker.faults_of(files, keys) == []
    forging(files)
    assert checker.faults_of(files, keys) == found


def test_a_signature_of_a_key_that_had_ended_is_doubted() -> None:
    files = unpacked(genuine())
    keys = json.loads(files["manifest.json"])
    keys["keys"][0]["ended_at"] = "2026-05-01T00:00:00.000Z"
    late = "the key was not in use at the time of the signature"
    assert checker.faults_of(files, keys) == [
        *(PROOF(number, late) for number in (1, 2, 3)), f"head: {late}",
    ]  # fmt: skip


@pytest.mark.slow
def test_the_same_proofs_are_packed_in_the_same_bytes() -> None:
    assert archive.pack_order(order(), chain(), PICTURES) == genuine()


@pytest.mark.slow
def test_a_picture_that_is_not_there_is_told_and_the_rest_is_packed() -> None:
    gone = {"proof_0000000000000001": ProofAttachment("image/jpeg", missing="It is gone.")}
    packed = archive.pack_order(order(), chain(), {**PICTURES, **gone})
    files = unpacked(packed)
    assert "files/proof_0000000000000001.jpg" not in files
    told = json.loads(files["manifest.json"])["proofs"][0]["file"]
    assert told == {"name": None, "content_type": "image/jpeg", "missing": "It is gone."}
    assert checker.faults(packed) == [PROOF(1, PICTURE)]


def test_an_order_from_before_files_had_dates_can_be_packed() -> None:
    ancient = datetime.fromisoformat("1970-01-01T00:00:00+00:00")
    assert unpacked(archive.pack_order(order(made_at=ancient), [], {}))


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(text, newline="")))


def test_the_table_has_a_row_for_each_proof() -> None:
    spot = {"type": "Point", "coordinates": [-0.12, -33.86], "accuracy_m": 8.0}
    data = {
        "captured_by": {"id": "driver_1", "name": "Sam Rider"},
        "signer": {"name": "Ada Lovelace", "relationship": "neighbour"},
        "location": spot,
        "distance_to_stop_m": 23,
        "location_check": "inside",
        "offline": True,
        "image": {"stored_sha256": "ab" * 32},
    }
    first = proof(1, data=data, remarks='Said "yes", then left.\nRang twice.')
    second = proof(2, first, raw_data="4006381333931", data={"scan": {"match": True}})
    text = archive.render_csv("order_1", [first, second])
    assert text.startswith("order,proof,sequence,")
    assert text.count("\r\n") == 3
    told = rows(text)
    assert [row["hash"] for row in told] == [first.hash.hex(), second.hash.hex()]
    wanted = {
        "order": "order_1", "proof": first.public_id, "sequence": "1", "method": "scan",
        "captured_at": "2026-05-07T09:16:00.000Z", "captured_by": "Sam Rider",
        "signer": "Ada Lovelace", "signer_relationship": "neighbour",
        "remarks": 'Said "yes", then left.\nRang twice.', "latitude": "-33.86",
        "longitude": "-0.12", "accuracy_m": "8.0", "distance_to_stop_m": "23",
        "location_check": "inside", "offline": "true", "late": "false", "previous": "",
        "file_sha256": "ab" * 32, "scanned": "", "scan_matches": "",
    }  # fmt: skip
    assert {name: told[0][name] for name in wanted} == wanted
    assert told[1]["scanned"] == "4006381333931"
    assert told[1]["scan_matches"] == "true"
    assert told[1]["previous"] == first.hash.hex()


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r", "\n", " =", "＝"])  # noqa: RUF001 - a sign that East Asian keyboards type
def test_no_cell_of_the_table_is_a_formula(begin: str) -> None:
    evil = f'{begin}HYPERLINK("http://evil.example.com")'
    data = {"captured_by": {"name": evil}, "signer": {"name": evil, "relationship": evil}}
    made = proof(1, data=data, remarks=evil, raw_data=evil, activity=evil)
    [row] = rows(archive.render_csv("order_1", [made]))
    for name in ("captured_by", "signer", "signer_relationship", "remarks", "scanned", "activity"):
        assert row[name] == f"'{evil}"


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_comes_back_out_of_the_table(words: str) -> None:
    [row] = rows(archive.render_csv("order_1", [proof(1, remarks=words)]))
    assert row["remarks"].removeprefix("'") == words.removeprefix("'")
    assert not row["remarks"].lstrip().startswith(archive.FORMULA_PREFIXES)


def test_odd_data_does_not_break_the_table() -> None:
    odd = {"signer": "Ada", "location": {"coordinates": "here"}, "scan": [], "image": 1}
    [row] = rows(archive.render_csv("order_1", [proof(1, data=odd)]))
    assert row["signer"] == row["latitude"] == ""
