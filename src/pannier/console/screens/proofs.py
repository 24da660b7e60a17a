"""Proofs of delivery: a gallery, and each proof with its picture, place and checks."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast
from urllib.parse import urlsplit

from pannier.console import door, fields, maps
from pannier.console.columns import Column
from pannier.console.desk import Desk
from pannier.console.forms import Field
from pannier.console.records import Records
from pannier.errors import NotFound
from pannier.files.downloads import Download
from pannier.web.exchange import Exchange
from pannier.web.routes import get

METHODS: Final = (
    ("signature", "Signature"),
    ("photo", "Photo"),
    ("scan", "Scan"),
    ("sms", "SMS code"),
    ("override", "Proof skipped"),
)
# Icons of proofs without a picture.
SIGNS: Final[Mapping[str, str]] = {
    "signature": "signature",
    "photo": "camera",
    "scan": "scan-line",
    "sms": "message-square",
    "override": "shield-user",
}
# The labels of a proof's checks.
CHECKS: Final = (
    ("facts_valid", "Contents match the signed record"),
    ("hash_valid", "Hash matches the contents"),
    ("signature_valid", "Signature is valid"),
    ("chain_valid", "Linked to the previous proof"),
    ("head_valid", "No proofs are missing from this order"),
    ("file_valid", "Image is unchanged since capture"),
)


def picture(proof: Any, which: str = "thumbnail_url") -> str:  # noqa: ANN401 - JSON
    """Return the path of a proof's picture, which works at any host name of the console."""
    parts = urlsplit(proof[which] or proof["url"] or "")
    return f"{parts.path}?{parts.query}" if parts.path else ""


async def beside(desk: Desk, proof: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Load a proof's verification, order and place."""
    order = await _order(desk, proof)
    place = _place(proof, order)
    return {
        "verdict": await desk.get("/v1/proofs/{proof_id}/verify", proof_id=proof["id"]),
        "checks": CHECKS,
        "picture": picture(proof, "url"),
        "order": order,
        "place": place,
        "features": _features(proof, place),
        "signs": SIGNS,
    }


async def _order(desk: Desk, proof: Any) -> Any:  # noqa: ANN401 - JSON
    """Find the order of a proof, unless it was deleted."""
    try:
        return await desk.get("/v1/orders/{order_id}", order_id=proof["order_id"])
    except NotFound:
        return None


def _place(proof: Any, order: Any) -> Any:  # noqa: ANN401 - JSON
    """Return the place where a proof should have been captured."""
    if order is None:
        return None
    payload = order["payload"]
    stops = {stop["id"]: stop["place"] for stop in payload["waypoints"]}
    destined = {item["id"]: item["destination"] for item in payload["entities"]}
    stop = destined.get(proof["subject_id"]) or proof["subject_id"]
    return stops.get(stop) or payload["dropoff"]


def _features(proof: Any, place: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Return the place of capture and the expected place as map features."""
    where = proof["data"].get("location")
    stop = place and place["location"]
    return maps.collection(
        [
            stop and maps.point("stop", "Stop", stop, "green"),
            where and maps.point(proof["id"], "Captured here", where, "violet"),
        ]
    )


async def among(_: Desk, rows: Sequence[Any]) -> Mapping[str, Any]:
    """Return the pictures of the listed proofs."""
    return {"pictures": {row["id"]: picture(row) for row in rows}, "signs": SIGNS}


PROOFS: Final = Records(
    "/v1/proofs",
    columns=(
        Column("Method", "method"),
        Column("Order", "order_id", "link", "orders"),
        Column("Captured by", "actor", "actor"),
        Column("Captured", "created_at", "time"),
        Column("Received", "received_at", "time", wide=True),
    ),
    filters=(
        fields.ORDER,
        Field(name="method", label="Method", kind="choice", options=METHODS),
        fields.DRIVER,
        *fields.TIMES,
    ),
    titled="id",
    empty="No proofs yet. Drivers capture them when the order flow requires one.",
    listing="proofs/gallery.html",
    reading="proofs/proof.html",
    beside=beside,
    among=among,
    deletes=False,
    live="proof_of_delivery.",
)


@get("/proofs.zip")
async def proofs_archive(exchange: Exchange) -> Download:
    """Download the selected proofs with their pictures."""
    chosen = {"id": door.Sent(exchange.query).all("id")}
    return cast("Download", await Desk(exchange).answer("/v1/proofs.zip", chosen))


handlers: Final = [*PROOFS.handlers(), proofs_archive]
