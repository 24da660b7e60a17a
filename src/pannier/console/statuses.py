"""Labels, colors and icons of statuses, other API values and actors, for all pages."""

from collections.abc import Mapping
from typing import Any, Final

# The color and icon of a status. The icon makes it readable without color.
STATUS_STYLES: Final[Mapping[str, tuple[str, str]]] = {
    "created": ("grey", "circle-dashed"),
    "dispatched": ("blue", "send"),
    "started": ("violet", "play"),
    "enroute": ("violet", "truck"),
    "driver_enroute": ("violet", "truck"),
    "completed": ("green", "circle-check"),
    "canceled": ("red", "circle-x"),
    "failed": ("red", "circle-alert"),
    "returned": ("grey", "undo-2"),
    "exhausted": ("red", "circle-alert"),
    "delivered": ("green", "circle-check"),
    "delivering": ("blue", "send"),
    "pending": ("amber", "clock"),
    "retrying": ("amber", "clock"),
    "held": ("grey", "pause"),
    "paused": ("grey", "pause"),
    "disabled": ("red", "circle-x"),
    "enabled": ("green", "circle-check"),
    "active": ("green", "circle-check"),
    "inactive": ("grey", "circle-dashed"),
    "available": ("green", "circle-check"),
    "online": ("green", "radio"),
    "offline": ("grey", "circle-dashed"),
    "stale": ("amber", "clock"),
    "never_seen": ("grey", "circle-dashed"),
    "moving": ("green", "navigation"),
    "standing": ("blue", "circle-stop"),
    "on_duty": ("green", "circle-check"),
    "off_duty": ("grey", "moon"),
    "on_break": ("amber", "circle-pause"),
    "on_route": ("violet", "truck"),
    "in_use": ("violet", "truck"),
    "delayed": ("amber", "clock"),
    "idle": ("amber", "circle-pause"),
    "maintenance": ("amber", "wrench"),
    "awaiting_parts": ("amber", "wrench"),
    "out_of_service": ("red", "ban"),
    "accident": ("red", "circle-alert"),
    "accident_hold": ("red", "circle-alert"),
    "stolen": ("red", "siren"),
    "suspended": ("red", "ban"),
    "terminated": ("grey", "circle-x"),
    "retired": ("grey", "circle-x"),
    "operational": ("green", "circle-check"),
    "open": ("amber", "circle-dot"),
    "re_opened": ("amber", "rotate-ccw"),
    "in_progress": ("violet", "play"),
    "escalated": ("red", "siren"),
    "wont_fix": ("grey", "circle-x"),
    "low": ("grey", "arrow-down"),
    "medium": ("amber", "minus"),
    "high": ("red", "arrow-up"),
    "found": ("green", "map-pin"),
    "not_found": ("red", "circle-help"),
    "waiting": ("amber", "clock"),
    "queued": ("grey", "clock"),
    "running": ("blue", "loader-circle"),
    "done": ("green", "circle-check"),
    "resolved": ("green", "circle-check"),
    "accepted": ("green", "circle-check"),
    "expired": ("grey", "clock"),
    "replaced": ("grey", "circle-dashed"),
    "unpaid": ("amber", "clock"),
    "partially_paid": ("amber", "clock"),
    "paid": ("green", "circle-check"),
    "partially_refunded": ("violet", "undo-2"),
    "overpaid": ("violet", "circle-alert"),
    "draft": ("grey", "pencil"),
    "issued": ("blue", "send"),
    "overdue": ("red", "alarm-clock"),
    "credited": ("violet", "undo-2"),
    "preparing": ("grey", "loader-circle"),
    "processing": ("blue", "loader-circle"),
    "declined": ("red", "circle-x"),
    "succeeded": ("green", "circle-check"),
    "inquiry": ("amber", "circle-help"),
    "needs_response": ("red", "circle-alert"),
    "under_review": ("blue", "clock"),
    "won": ("green", "circle-check"),
    "lost": ("red", "circle-x"),
    "voided": ("grey", "circle-x"),
    "refunded": ("violet", "undo-2"),
    "sent": ("green", "circle-check"),
    "drawer": ("grey", "inbox"),
    "revoked": ("red", "circle-x"),
    "closed": ("grey", "circle-x"),
    "erased": ("grey", "circle-x"),
    "live": ("green", "circle-check"),
    "test": ("amber", "flask-conical"),
    "critical": ("red", "circle-alert"),
    "warning": ("amber", "triangle-alert"),
    "info": ("blue", "info"),
    "sending": ("blue", "send"),
    "superseded": ("grey", "circle-dashed"),
    "cancelled": ("grey", "circle-x"),
    "due": ("amber", "clock"),
    "refused": ("red", "circle-alert"),
    "skipped": ("grey", "circle-x"),
    "missed": ("amber", "clock"),
    "ended": ("grey", "circle-stop"),
    "finished": ("grey", "circle-check"),
    "timeout": ("red", "clock"),
    "dns": ("red", "unlink"),
    "connect": ("red", "unlink"),
    "tls": ("red", "lock"),
    "blocked": ("red", "ban"),
    "disconnected": ("red", "unlink"),
    "malformed": ("red", "circle-alert"),
    "interrupted": ("grey", "rotate-ccw"),
    "internal": ("amber", "wrench"),
    "admin": ("violet", "shield-user"),
    "dispatcher": ("blue", "user-check"),
    "billing": ("green", "receipt-text"),
    "viewer": ("grey", "eye"),
    "api": ("blue", "terminal"),
    "storefront": ("violet", "store"),
    "app": ("cyan", "smartphone"),
}
# Labels of API values that differ from the capitalized value.
LABELS: Final[Mapping[str, str]] = {
    "api": "Server",
    "cancelled": "Canceled",
    "command": "Command line",
    "could_not_be_delivered": "Delivery failed",
    "dns": "DNS",
    "drawer": "Not sent",
    "driver_enroute": "Driver en route",
    "dropoff": "Drop-off",
    "due": "Queued",
    "email": "Email",
    "enroute": "En route",
    "enter": "Entered",
    "exit": "Exited",
    "facilitator": "Vendor",
    "first_attempt": "Best effort",
    "id": "ID",
    "ios": "iOS",
    "no_show": "No-show",
    "obd": "OBD",
    "obd_ii_reading": "OBD-II reading",
    "ok": "OK",
    "area_id": "Area ID",
    "duration_s": "Duration",
    "gps": "GPS",
    "on_route": "En route",
    "override": "Proof skipped",
    "pre_shift": "Pre-shift",
    "re_opened": "Reopened",
    "rpm": "RPM",
    "sms": "SMS",
    "standing": "Stopped",
    "tls": "TLS",
    "transfer": "Bank transfer",
    "vin": "VIN",
    "wont_fix": "Won't fix",
}
# Labels of proof methods that differ from the label of the same value elsewhere.
METHOD_LABELS: Final[Mapping[str, str]] = {"sms": "SMS code"}
# Actors that are not people.
SYSTEM_ACTORS: Final[Mapping[str, str]] = {
    "command": "Command line",
    "stranger": "Unauthenticated",
    "system": "System",
    "worker": "System",
}
UNKNOWN_STYLE: Final = ("grey", "circle-dashed")


def to_label(name: object) -> str:
    """Return the label of an API value: "Driver en route" for `driver_enroute`."""
    if label := LABELS.get(str(name)):
        return label
    text = str(name).replace("_", " ").replace("-", " ").strip()
    return text[:1].upper() + text[1:]


def method_label(method: str) -> str:
    """Return the label of a proof method."""
    return METHOD_LABELS.get(method) or to_label(method)


def format_actor(subject: Mapping[str, Any]) -> str:
    """Return an actor's label: "System", or "Sofia Kovalevskaya (driver)"."""
    if label := SYSTEM_ACTORS.get(subject["kind"]):
        return label
    kind = "API key" if subject["kind"] == "key" else str(subject["kind"])
    return f"{subject['name']} ({kind})" if subject["name"] else to_label(kind)


def status_style(status: str | None) -> tuple[str, str]:
    """Return the color and icon of a status. An unknown status is grey."""
    return STATUS_STYLES.get(str(status), UNKNOWN_STYLE)
