"""Alerts as operators read them."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from pannier.alerts.models import AlertKind
from pannier.console.formatting import record_url, shorten_id


class AlertKindText(NamedTuple):
    """The label, icon and color of a kind, and what to say about the cause."""

    label: str
    icon: str
    color: str
    describe: Callable[[Mapping[str, Any]], str]


NEXT_STEPS: Final = {
    "retry": "there will be another attempt",
    "hold": "waiting for your decision",
    "return": "it goes back to the sender",
}
REASONS: Final = {
    "gone": "The receiver responded with 410.",
    "failing": "Deliveries failed for five days.",
}


def _describe_failure(details: Mapping[str, Any]) -> str:
    next_step = NEXT_STEPS.get(details.get("then", ""), "")
    return ", ".join(text for text in (details.get("reason"), next_step) if text)


def _describe_silence(details: Mapping[str, Any]) -> str:
    last_seen = details.get("last_seen_at", "")
    return f"Last seen {last_seen[:16].replace('T', ' ')} UTC" if last_seen else ""


def _describe_webhook(details: Mapping[str, Any]) -> str:
    texts = (details.get("host"), REASONS.get(details.get("reason", "")))
    return ": ".join(text for text in texts if text)


KIND_TEXTS: Final[Mapping[AlertKind, AlertKindText]] = {
    "sos": AlertKindText("SOS", "siren", "red", lambda _: ""),
    "delivery_failed": AlertKindText("Delivery failed", "circle-x", "red", _describe_failure),
    "device_silent": AlertKindText("Device silent", "wifi-off", "amber", _describe_silence),
    "webhook_disabled": AlertKindText("Webhook disabled", "webhook", "amber", _describe_webhook),
}


class AlertView(NamedTuple):
    """An alert on a page."""

    alert: Any
    kind: AlertKindText
    # The name and the page of the record that it is about.
    name: str
    url: str

    @property
    def detail(self) -> str:
        """What is known about the cause."""
        return self.kind.describe(self.alert["details"])


def make_view(alert: Any, names: Mapping[str, str]) -> AlertView:  # noqa: ANN401 - JSON
    """Make the view of an alert, given the names of records."""
    subject = alert["subject"]
    return AlertView(
        alert,
        KIND_TEXTS[alert["kind"]],
        names.get(subject) or shorten_id(subject),
        record_url(subject) or "/console/alerts",
    )
