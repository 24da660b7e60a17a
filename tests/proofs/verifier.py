"""Checks an archive of proofs as a stranger would, by nothing but its own recipe."""

import hashlib
import json
import zipfile
from io import BytesIO
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def faults(archive: bytes) -> list[str]:
    """Say what is wrong with an archive."""
    with zipfile.ZipFile(BytesIO(archive)) as opened:
        files = {name: opened.read(name) for name in opened.namelist()}
    return faults_of(files)


def faults_of(files: dict[str, bytes]) -> list[str]:
    """Say what is wrong with the files of an archive."""
    manifest = json.loads(files["manifest.json"])
    found, previous = [], None
    for number, proof in enumerate(manifest["proofs"], start=1):
        found += [f"{number}: {fault}" for fault in faults_in(proof, number, previous, files)]
        previous = proof["hash"]
    sheet = manifest["sheet"]
    if hashlib.sha256(files[sheet["name"]]).hexdigest() != sheet["sha256"]:
        found.append("sheet")
    return found


def faults_in(
    proof: dict[str, Any], number: int, previous: str | None, files: dict[str, bytes]
) -> list[str]:
    """Take one proof through the five steps."""
    facts = json.loads(proof["facts"])
    before = bytes(32) if proof["previous"] is None else bytes.fromhex(proof["previous"])
    hashed = hashlib.sha256(b"pannier proof 1\n" + before + proof["facts"].encode()).hexdigest()
    checks = {
        "sequence": facts["sequence"] == proof["sequence"] == number,
        "chain": proof["previous"] == previous,
        "hash": hashed == proof["hash"],
        "signature": signed(proof),
        "picture": pictured(proof, facts, files),
        "facts": all(facts[name] == proof[name] for name in ("method", "remarks", "data", "uuid")),
    }
    return [name for name, holds in checks.items() if not holds]


def signed(proof: dict[str, Any]) -> bool:
    public = bytes.fromhex(proof["public_key"])
    if hashlib.sha256(public).hexdigest()[:16] != proof["key_id"]:
        return False
    scheme, _, signature = proof["signature"].partition(":")
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(
            bytes.fromhex(signature), bytes.fromhex(proof["hash"])
        )
    except InvalidSignature:
        return False
    return scheme == "ed25519"


def pictured(proof: dict[str, Any], facts: dict[str, Any], files: dict[str, bytes]) -> bool:
    if proof["file"] is None:
        return facts["file_sha256"] is None
    name = proof["file"]["name"]
    if name is None:
        return bool(proof["file"]["missing"])
    return name in files and hashlib.sha256(files[name]).hexdigest() == facts["file_sha256"]
