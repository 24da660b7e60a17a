"""Checks proofs of delivery without the installation that signed them.

    python check_proofs.py proofs.zip https://pannier.example.com/.well-known/jwks.json

The first argument is an order's archive, or the manifest.json of an archive or of a proof sheet.
The second is the public keys: a URL or a saved file. Requires the package `cryptography`.
"""
# ruff: noqa: INP001, T201 - an example to copy, not a package; it prints

import base64
import hashlib
import json
import sys
import urllib.request
import zipfile
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

CLOCK_TOLERANCE = timedelta(minutes=5)  # how much the clocks of two machines may differ
COPIED_FIELDS = {  # fields of the manifest that repeat a signed fact, and the fact's name
    "id": "public_id", "uuid": "uuid", "sequence": "sequence", "subject_type": "subject_type",
    "subject_id": "subject_id", "method": "method", "raw_data": "raw_data", "remarks": "remarks",
    "activity": "activity", "data": "data",
}  # fmt: skip
COPIED_TIMES = {"captured_at": "created_at", "received_at": "received_at"}
Json = Mapping[str, Any]
Files = Mapping[str, bytes]


def list_faults(files: Files, keys: Json) -> Iterator[str]:
    """Yield a sentence for each fault in the files of an archive."""
    manifest = json.loads(files["manifest.json"])
    keys_by_id, previous = {key["kid"]: key for key in keys["keys"]}, None
    for number, proof in enumerate(manifest["proofs"], start=1):
        for fault in list_proof_faults(proof, number, previous, files, keys_by_id):
            yield f"proof {number}: {fault}"
        previous = proof["hash"]
    yield from list_head_faults(manifest, keys_by_id)
    sheet = manifest["sheet"]
    if sheet and sha256(files.get(sheet["name"], b"")) != sheet["sha256"]:
        yield "the sheet does not belong to this archive"
    parts = [{"name": "manifest.json"}, sheet, *(proof["file"] for proof in manifest["proofs"])]
    for name in sorted(files.keys() - {part["name"] for part in parts if part}):
        yield f"{name} is not listed in the manifest"


def list_proof_faults(
    proof: Json, number: int, previous: str | None, files: Files, keys: Json
) -> Iterator[str]:
    """Check a proof: its place in the chain, its signature, its picture and its copied fields."""
    facts, erasure = json.loads(proof["facts"]), proof["erasure"]
    if not facts["sequence"] == proof["sequence"] == number:
        yield "its number is out of sequence"
    if proof["previous"] != previous:
        yield "it does not follow the proof before it"
    previous_hash = bytes(32) if previous is None else bytes.fromhex(previous)
    proof_hash, text = bytes.fromhex(proof["hash"]), proof["facts"].encode()
    if erasure:  # personal data was erased, and the remaining facts were signed again
        message = b"pannier erasure 1\n" + proof_hash + text
        for fault in list_signature_faults(keys, erasure, message, facts["erased_at"]):
            yield f"erasure: {fault}"
    elif sha256(b"pannier proof 1\n" + previous_hash + text) != proof["hash"]:
        yield "its hash does not match its facts"
    yield from list_signature_faults(keys, proof, proof_hash, facts["received_at"])
    matches = [facts[fact] == proof[field] for field, fact in COPIED_FIELDS.items()]
    matches += [
        parse_time(facts[fact]) == parse_time(proof[field]) for field, fact in COPIED_TIMES.items()
    ]
    if not all(matches) or bool(erasure) != bool(proof["erased_at"]):
        yield "a field differs from the signed facts"
    name = (proof["file"] or {}).get("name")
    picture = sha256(files[name]) if name in files else None
    if picture != facts["file_sha256"] and len(files) > 1:  # a manifest alone has no pictures
        yield "its image is missing or was replaced"


def list_head_faults(manifest: Json, keys: Json) -> Iterator[str]:
    """Check that the chain ends as the signed head states."""
    head, proofs = manifest["head"], manifest["proofs"]
    if head is None:
        yield from ["head: it is missing, so proofs may be missing too"] if proofs else []
        return
    statement = json.loads(head["statement"])
    message = b"pannier head 1\n" + head["statement"].encode()
    yield from (
        f"head: {fault}" for fault in list_signature_faults(keys, head, message, statement["at"])
    )
    if statement["order"] != manifest["order"]["id"]:
        yield "head: it belongs to another order"
    if statement["count"] != len(proofs):
        yield f"head: it states {statement['count']} proofs, but there are {len(proofs)}"
    elif proofs and statement["last"] != proofs[-1]["hash"]:
        yield "head: it states another last proof"


def list_signature_faults(
    keys: Json, signed: Json, message: bytes, signed_at: str
) -> Iterator[str]:
    """Yield why a signature is invalid, if it is."""
    key = keys.get(signed["key_id"])
    if key is None:
        yield f"the installation has no key {signed['key_id']}"
        return
    public = base64.urlsafe_b64decode(key["x"] + "==")
    scheme, _, signature = signed["signature"].partition(":")
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(bytes.fromhex(signature), message)
    except (InvalidSignature, ValueError):
        scheme = "none"
    if scheme != "ed25519" or sha256(public)[:16] != signed["key_id"]:
        yield "the signature is invalid"
    earliest = parse_time(key["began_at"]) - CLOCK_TOLERANCE
    latest = parse_time(key["ended_at"] or signed_at) + CLOCK_TOLERANCE
    if not earliest <= parse_time(signed_at) <= latest:
        yield "the key was not in use at the time of the signature"


def parse_time(text: str) -> datetime:
    """Parse a time, to the millisecond: the manifest is no more exact."""
    time = datetime.fromisoformat(text)
    return time.replace(microsecond=time.microsecond // 1000 * 1000)


def sha256(data: bytes) -> str:
    """Hash bytes."""
    return hashlib.sha256(data).hexdigest()


def read_files(path: str) -> Files:
    """Read the files of an archive, or a manifest alone."""
    if not zipfile.is_zipfile(path):
        return {"manifest.json": Path(path).read_bytes()}
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def main() -> None:
    """Check an archive with the public keys. Exit with 1 if there is a fault."""
    files, source = read_files(sys.argv[1]), sys.argv[2]
    if source.startswith("https://"):
        with urllib.request.urlopen(source) as response:  # noqa: S310 - over TLS only
            keys = json.load(response)
    else:
        keys = json.loads(Path(source).read_bytes())
    faults, manifest = list(list_faults(files, keys)), json.loads(files["manifest.json"])
    success = f"No faults in {len(manifest['proofs'])} proofs of {manifest['order']['id']}."
    print("\n".join(faults) or success)
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
