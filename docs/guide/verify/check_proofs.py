"""Checks proofs of delivery without the installation that signed them.

    python check_proofs.py proofs.zip https://pannier.example.com/.well-known/jwks.json

The first argument is an order's archive, or the manifest.json of one or of a proof sheet; the
second the public keys, as an address or as a file that was kept. Needs the package `cryptography`.
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

LENIENCE = timedelta(minutes=5)  # by how much the clocks of two machines may differ
REPEATED = {  # what the manifest repeats of the facts, and what it is called there
    "id": "public_id", "uuid": "uuid", "sequence": "sequence", "subject_type": "subject_type",
    "subject_id": "subject_id", "method": "method", "raw_data": "raw_data", "remarks": "remarks",
    "activity": "activity", "data": "data",
}  # fmt: skip
TIMES = {"captured_at": "created_at", "received_at": "received_at"}
Json = Mapping[str, Any]
Files = Mapping[str, bytes]


def faults(files: Files, keys: Json) -> Iterator[str]:
    """Say in a line each what is wrong with the files of an archive."""
    manifest = json.loads(files["manifest.json"])
    known, previous = {key["kid"]: key for key in keys["keys"]}, None
    for number, proof in enumerate(manifest["proofs"], start=1):
        for fault in faults_of_proof(proof, number, previous, files, known):
            yield f"proof {number}: {fault}"
        previous = proof["hash"]
    yield from faults_of_head(manifest, known)
    sheet = manifest["sheet"]
    if sheet and sha256(files.get(sheet["name"], b"")) != sheet["sha256"]:
        yield "the sheet is not the one of this archive"
    parts = [{"name": "manifest.json"}, sheet, *(proof["file"] for proof in manifest["proofs"])]
    for name in sorted(files.keys() - {part["name"] for part in parts if part}):
        yield f"{name} is not part of what was packed"


def faults_of_proof(
    proof: Json, number: int, previous: str | None, files: Files, keys: Json
) -> Iterator[str]:
    """Check a link of the chain, its signature, its picture and what is repeated for reading."""
    facts, erasure = json.loads(proof["facts"]), proof["erasure"]
    if not facts["sequence"] == proof["sequence"] == number:
        yield "its number is not the next one"
    if proof["previous"] != previous:
        yield "it does not follow the proof before it"
    before = bytes(32) if previous is None else bytes.fromhex(previous)
    signed, text = bytes.fromhex(proof["hash"]), proof["facts"].encode()
    if erasure:  # with the person whom it showed: what is left was signed then
        left = b"pannier erasure 1\n" + signed + text
        yield from (f"erasure: {why}" for why in unsigned(keys, erasure, left, facts["erased_at"]))
    elif sha256(b"pannier proof 1\n" + before + text) != proof["hash"]:
        yield "its hash does not follow from its facts"
    yield from unsigned(keys, proof, signed, facts["received_at"])
    same = [facts[name] == proof[shown] for shown, name in REPEATED.items()]
    same += [moment(facts[name]) == moment(proof[shown]) for shown, name in TIMES.items()]
    if not all(same) or bool(erasure) != bool(proof["erased_at"]):
        yield "what is shown is not what was signed"
    name = (proof["file"] or {}).get("name")
    picture = sha256(files[name]) if name in files else None
    if picture != facts["file_sha256"] and len(files) > 1:  # a manifest alone has no pictures
        yield "its image is missing, or not the one that was captured"


def faults_of_head(manifest: Json, keys: Json) -> Iterator[str]:
    """Check that the chain is as long as what was signed of its end."""
    head, proofs = manifest["head"], manifest["proofs"]
    if head is None:
        yield from ["head: there is none, so proofs may be missing"] if proofs else []
        return
    told = json.loads(head["statement"])
    message = b"pannier head 1\n" + head["statement"].encode()
    yield from (f"head: {fault}" for fault in unsigned(keys, head, message, told["at"]))
    if told["order"] != manifest["order"]["id"]:
        yield "head: it is another order's"
    if told["count"] != len(proofs):
        yield f"head: it says {told['count']} proofs, and there are {len(proofs)}"
    elif proofs and told["last"] != proofs[-1]["hash"]:
        yield "head: the last proof is another"


def unsigned(keys: Json, signed: Json, message: bytes, at: str) -> Iterator[str]:
    """Say why a signature does not hold, if it does not."""
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
        yield "the signature does not hold"
    ended = key["ended_at"] or at
    if not moment(key["began_at"]) - LENIENCE <= moment(at) <= moment(ended) + LENIENCE:
        yield "the key was not in use when it was signed"


def moment(text: str) -> datetime:
    """Read a time; the manifest repeats what was signed to the millisecond."""
    found = datetime.fromisoformat(text)
    return found.replace(microsecond=found.microsecond // 1000 * 1000)


def sha256(data: bytes) -> str:
    """Hash bytes."""
    return hashlib.sha256(data).hexdigest()


def opened(path: str) -> Files:
    """Read an archive, or a manifest alone."""
    if not zipfile.is_zipfile(path):
        return {"manifest.json": Path(path).read_bytes()}
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def main() -> None:
    """Check an archive by the public keys, and exit with 1 when something is wrong."""
    files, source = opened(sys.argv[1]), sys.argv[2]
    if source.startswith("https://"):
        with urllib.request.urlopen(source) as answer:  # noqa: S310 - over TLS only
            keys = json.load(answer)
    else:
        keys = json.loads(Path(source).read_bytes())
    found, told = list(faults(files, keys)), json.loads(files["manifest.json"])
    holds = f"Everything holds: {len(told['proofs'])} proofs of {told['order']['id']}."
    print("\n".join(found) or holds)
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
