"""Downloads of an order's proofs: a ZIP for independent verification, and a CSV table."""

import csv
import hashlib
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from io import BytesIO, StringIO
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from pannier.proofs.models import Proof
from pannier.proofs.printing import render_pdf
from pannier.proofs.schemas import HeadOut, ProofKeyOut
from pannier.proofs.sheet import Exhibit, Sheet
from pannier.web.times import to_rfc3339

FORMAT: Final = "pannier proofs 1"
SHEET_NAME: Final = "proof-sheet.pdf"
MANIFEST_NAME: Final = "manifest.json"
EXTENSIONS: Final = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp"}
HOW_TO_VERIFY: Final = """\
The program check_proofs.py in the documentation does all of this. Fetch the public keys from \
/.well-known/jwks.json of the installation, so that you need not trust this file for them; "keys" \
repeats the required ones. The "x" of a key is its 32 bytes in base64url, and its "kid" is the \
first 16 hex digits of their SHA-256. In a signature, the text after "ed25519:" is hexadecimal.
Check the proofs in the order of "sequence", which begins with 1 and has no gap.
1. Chain: "previous" is the hash of the previous proof, or null for the first one.
2. Hash: "hash" is the SHA-256 of these bytes: the ASCII text "pannier proof 1" and a line feed \
(0x0a); the 32 bytes of "previous", or 32 zero bytes if it is null; the text of "facts" in UTF-8, \
exactly as in this file.
3. Signature: "signature" is the Ed25519 signature of the 32 bytes of "hash" by the key "key_id", \
and "received_at" lies between the dates of that key.
4. Picture: "file_sha256" in "facts" is the SHA-256 of the file "file.name".
5. Facts: the other fields repeat the facts for readers. The signed text is "facts".
6. Head: "head.signature" is the Ed25519 signature of the ASCII text "pannier head 1", a line feed \
and the text of "head.statement". The statement contains the order, the number of proofs ("count") \
and the hash of the last one ("last"). An order that never had a proof has no head. If there are \
proofs but no head, something was removed.
If a proof has "erased_at", its personal data was erased, and "facts" contains the rest. \
Step 2 is then different: "erasure.signature" is the Ed25519 signature of the ASCII text \
"pannier erasure 1", a line feed, the 32 bytes of "hash" and the text of "facts", by the key \
"erasure.key_id". All other steps are the same.
"sheet" contains the SHA-256 of the proof sheet. The sheet is made from the proofs and proves \
nothing beyond them."""
# First characters of spreadsheet formulas, also in their full-width forms.
FORMULA_PREFIXES: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001
MIN_ZIP_TIME: Final = datetime(1980, 1, 1, tzinfo=UTC)


class ProofAttachment(msgspec.Struct, frozen=True):
    """A proof's picture. `missing` is the reason if its bytes are not included."""

    content_type: str
    data: bytes | None = None
    missing: str | None = None


OMITTED_PICTURE: Final = ProofAttachment("", missing="See the archive of the order's proofs.")


def render_sheet(sheet: Sheet, proofs: Sequence[Proof], _: Mapping[str, ProofAttachment]) -> bytes:
    """Render the sheet with the manifest for the verification of its proofs."""
    return render_pdf(attach_manifest(sheet, proofs))


def pack_order(
    sheet: Sheet, proofs: Sequence[Proof], attachments: Mapping[str, ProofAttachment]
) -> bytes:
    """Pack the sheet, the pictures and the manifest for their verification."""
    return _write_zip(build_parts(sheet, proofs, attachments), max(sheet.made_at, MIN_ZIP_TIME))


def pack_orders(folders: Mapping[str, Mapping[str, bytes]], modified_at: datetime) -> bytes:
    """Pack several orders, one folder for each."""
    parts = {
        f"{name}/{part}": data for name, files in folders.items() for part, data in files.items()
    }
    return _write_zip(parts, max(modified_at, MIN_ZIP_TIME))


def build_parts(
    sheet: Sheet, proofs: Sequence[Proof], attachments: Mapping[str, ProofAttachment]
) -> dict[str, bytes]:
    """Build the files of an order's archive."""
    sheet_pdf = render_sheet(sheet, proofs, attachments)
    picture_names = {
        name: _make_picture_name(name, attachment) for name, attachment in attachments.items()
    }
    parts: dict[str, bytes] = {SHEET_NAME: sheet_pdf}
    for name, attachment in attachments.items():
        if attachment.data is not None:
            parts[picture_names[name]] = attachment.data
    entries = [_to_entry(row, attachments, picture_names) for row in proofs]
    sheet_file = {"name": SHEET_NAME, "sha256": hashlib.sha256(sheet_pdf).hexdigest()}
    parts[MANIFEST_NAME] = _encode_manifest(sheet, entries, sheet_file)
    return parts


def attach_manifest(sheet: Sheet, proofs: Sequence[Proof]) -> Sheet:
    """Attach the manifest to a sheet, without any picture's bytes."""
    attachments = {row.public_id: OMITTED_PICTURE for row in proofs if row.file is not None}
    entries = [_to_entry(row, attachments, dict.fromkeys(attachments, "")) for row in proofs]
    return replace(sheet, manifest=_encode_manifest(sheet, entries, None))


def _encode_manifest(
    sheet: Sheet, entries: Sequence[Mapping[str, Any]], sheet_file: Mapping[str, str] | None
) -> bytes:
    manifest = {
        "format": FORMAT,
        "how_to_verify": HOW_TO_VERIFY,
        "made_at": to_rfc3339(sheet.made_at),
        "company": sheet.company,
        "order": _to_order_fields(sheet),
        "head": None if sheet.head is None else HeadOut.from_row(sheet.head),
        "keys": [ProofKeyOut.from_row(key) for key in sheet.keys],
        "sheet": sheet_file,
        "proofs": entries,
    }
    return msgspec.json.format(msgspec.json.encode(manifest), indent=2)


def _make_picture_name(name: str, attachment: ProofAttachment) -> str:
    return f"files/{name}.{EXTENSIONS.get(attachment.content_type, 'bin')}"


def _to_order_fields(sheet: Sheet) -> dict[str, Any]:
    names = ("internal_id", "tracking_number", "status", "type", "customer", "driver", "vehicle")
    moments = ("placed_at", "scheduled_at", "started_at", "completed_at", "canceled_at")
    return {
        "id": sheet.order_id,
        **{name: getattr(sheet, name) for name in names},
        **{name: to_rfc3339(getattr(sheet, name)) for name in moments},
    }


def _to_entry(
    row: Proof, attachments: Mapping[str, ProofAttachment], picture_names: Mapping[str, str]
) -> dict[str, Any]:
    attachment = attachments.get(row.public_id)
    return {
        "id": row.public_id,
        "uuid": row.uuid,
        "sequence": row.sequence,
        "subject_type": row.subject_type,
        "subject_id": row.subject_id,
        "method": row.method,
        "status": row.status,
        "captured_at": to_rfc3339(row.created_at),
        "received_at": to_rfc3339(row.received_at),
        "raw_data": row.raw_data,
        "remarks": row.remarks,
        "activity": row.activity,
        "erased_at": to_rfc3339(row.erased_at),
        "erasure": None
        if row.erasure is None
        else _to_signature_fields(row.erasure, row.erasure_key),
        "data": row.data,
        "file": None
        if attachment is None
        else _to_file_fields(attachment, picture_names[row.public_id]),
        "facts": row.facts.decode(errors="replace"),
        "previous": None if row.previous is None else row.previous.hex(),
        "hash": row.hash.hex(),
        **_to_signature_fields(row.signature, row.key_id),
    }


def _to_signature_fields(signature: bytes, key_id: str | None) -> dict[str, Any]:
    return {"signature": f"ed25519:{signature.hex()}", "key_id": key_id}


def _to_file_fields(attachment: ProofAttachment, name: str) -> dict[str, Any]:
    if attachment.data is None:
        return {
            "name": None,
            "content_type": attachment.content_type,
            "missing": attachment.missing,
        }
    return {
        "name": name,
        "content_type": attachment.content_type,
        "bytes": len(attachment.data),
        "sha256": hashlib.sha256(attachment.data).hexdigest(),
    }


def _write_zip(parts: Mapping[str, bytes], modified_at: datetime) -> bytes:
    """Write a reproducible ZIP: the same parts give the same bytes."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in parts.items():
            entry = zipfile.ZipInfo(name, modified_at.astimezone(UTC).timetuple()[:6])
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            # Pictures and PDFs are compressed already.
            if name.endswith(MANIFEST_NAME):
                entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return buffer.getvalue()


def render_csv(order_id: str, proofs: Sequence[Proof]) -> str:
    """Render proofs as CSV (RFC 4180), one row each."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    rows = [dict(_list_cells(order_id, row)) for row in proofs]
    writer.writerow(CSV_COLUMNS)
    writer.writerows([_escape_formula(row[name]) for name in CSV_COLUMNS] for row in rows)
    return text.getvalue()


CSV_COLUMNS: Final = (
    "order", "proof", "sequence", "subject_type", "subject", "method", "status", "captured_at",
    "received_at", "captured_by", "signer", "signer_relationship", "remarks", "override_reason",
    "scanned", "symbology", "scan_matches", "scan_entry", "scan_reason", "code_verified",
    "latitude", "longitude", "accuracy_m", "distance_to_stop_m", "location_check", "offline",
    "late", "activity", "file_sha256", "hash", "previous", "signature", "key_id",
)  # fmt: skip


def _list_cells(order_id: str, row: Proof) -> Iterator[tuple[str, object]]:
    exhibit = Exhibit.from_row(row, row.subject_id)
    location, scan = exhibit.location, exhibit.scan
    image = row.data.get("image")
    yield from zip(
        CSV_COLUMNS,
        (
            order_id,
            row.public_id,
            row.sequence,
            row.subject_type,
            row.subject_id,
            row.method,
            row.status,
            to_rfc3339(row.created_at),
            to_rfc3339(row.received_at),
            exhibit.captured_by,
            exhibit.signer,
            exhibit.relationship,
            row.remarks,
            exhibit.reason,
            scan and scan.value,
            scan and scan.symbology,
            scan and scan.match,
            scan and scan.entry,
            scan and scan.reason,
            exhibit.code_verified,
            location and location.latitude,
            location and location.longitude,
            location and location.accuracy,
            location and location.distance,
            row.data.get("location_check"),
            exhibit.offline,
            exhibit.late,
            row.activity,
            image.get("stored_sha256") if isinstance(image, dict) else None,
            row.hash.hex(),
            row.previous and row.previous.hex(),
            row.signature.hex(),
            row.key_id,
        ),
        strict=True,
    )


def _escape_formula(value: object) -> str:
    """Escape a cell that a spreadsheet would evaluate as a formula. Numbers come from Pannier."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case str():
            is_formula = value.startswith(FORMULA_PREFIXES) or value.lstrip().startswith(
                FORMULA_PREFIXES
            )
            return f"'{value}" if is_formula else value
    return str(value)
