"""Proofs of delivery: a gallery, and each proof with its picture, place and checks."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast
from urllib.parse import urlsplit

from pannier.console import fields, maps, session
from pannier.console.api_client import ApiClient
from pannier.console.columns import Column
from pannier.console.forms import Field
from pannier.console.record_names import load_record_names
from pannier.console.records import Records
from pannier.console.statuses import method_label
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
METHOD_ICONS: Final[Mapping[str, str]] = {
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
    ("signature_valid", "Digital signature is valid"),
    ("chain_valid", "Linked to the previous proof"),
    ("head_valid", "No proofs are missing from this order"),
    ("file_valid", "Image is unchanged since capture"),
)


def picture_path(proof: Any, field: str = "thumbnail_url") -> str:  # noqa: ANN401 - JSON
    """Return the path of a proof's picture. It is valid for every host name of the console."""
    parts = urlsplit(proof[field] or proof["url"] or "")
    return f"{parts.path}?{parts.query}" if parts.path else ""


async def load_related(client: ApiClient, proof: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Load a proof's verification, order and place."""
    order = await _find_order(client, proof)
    place = _find_expected_place(proof, order)
    return {
        "verdict": await client.get("/v1/proofs/{proof_id}/verify", proof_id=proof["id"]),
        "checks": CHECKS,
        "picture": picture_path(proof, "url"),
        "order": order,
        "activity": await _find_activity_label(client, proof),
        "place": place,
        "features": _make_map_features(proof, place),
        "signs": METHOD_ICONS,
    }


async def _find_order(client: ApiClient, proof: Any) -> Any:  # noqa: ANN401 - JSON
    """Find the order of a proof, unless it was deleted."""
    try:
        return await client.get("/v1/orders/{order_id}", order_id=proof["order_id"])
    except NotFound:
        return None


async def _find_activity_label(client: ApiClient, proof: Any) -> str:  # noqa: ANN401 - JSON
    """Find the label of the proof's activity in the order's history."""
    query = {"order": proof["order_id"], "limit": "100"}
    statuses = (await client.list_rows("/v1/tracking-statuses", query)).rows
    labels = (status["status"] for status in statuses if status["code"] == proof["activity"])
    return next(labels, "")


def _find_expected_place(proof: Any, order: Any) -> Any:  # noqa: ANN401 - JSON
    """Return the place where a proof should have been captured."""
    if order is None:
        return None
    payload = order["payload"]
    stops = {stop["id"]: stop["place"] for stop in payload["waypoints"]}
    destinations = {item["id"]: item["destination"] for item in payload["entities"]}
    stop = destinations.get(proof["subject_id"]) or proof["subject_id"]
    return stops.get(stop) or payload["dropoff"]


def _make_map_features(proof: Any, place: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Convert the place of capture and the expected place to map features."""
    capture_location = proof["data"].get("location")
    stop_location = place and place["location"]
    return maps.collection(
        [
            stop_location and maps.point("stop", "Stop", stop_location, "green"),
            capture_location
            and maps.point(proof["id"], "Captured here", capture_location, "violet"),
        ]
    )


async def load_list_extras(client: ApiClient, rows: Sequence[Any]) -> Mapping[str, Any]:
    """Return the pictures of the listed proofs, and the names of their orders."""
    return {
        "pictures": {row["id"]: picture_path(row) for row in rows},
        "orders": await load_record_names(client, "orders", [row["order_id"] for row in rows]),
        "signs": METHOD_ICONS,
    }


class Proofs(Records):
    """The pages of proofs. The name of a proof is its method."""

    def record_name(self, record: Any) -> str:  # noqa: ANN401 - JSON
        return method_label(record["method"])


PROOFS: Final = Proofs(
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
    empty="No proofs yet. Drivers capture them when the order flow requires one.",
    list_template="proofs/gallery.html",
    record_template="proofs/proof.html",
    load_related=load_related,
    load_list_extras=load_list_extras,
    deletable=False,
    live_events="proof_of_delivery.",
)


@get("/proofs.zip")
async def download_archive(exchange: Exchange) -> Download:
    """Download the selected proofs with their pictures."""
    query = {"id": session.FormData(exchange.query).get_all("id")}
    return cast("Download", await ApiClient(exchange).get_response("/v1/proofs.zip", query))


handlers: Final = [*PROOFS.make_handlers(), download_archive]
