"""Alerts as operators read them."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from pannier.alerts.models import AlertKind
from pannier.console.record_urls import record_url, shorten_id


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
# Labels of times in the details.
MOMENTS: Final = {
    "due_at": "Due",
    "eta": "Expected",
    "last_seen_at": "Last seen",
    "occurred_at": "Sent",
}
REASONS: Final = {
    "gone": "The receiver responded with 410.",
    "failing": "Deliveries failed for five days.",
}


def _describe_failure(details: Mapping[str, Any]) -> str:
    next_step = NEXT_STEPS.get(details.get("then", ""), "")
    return ", ".join(text for text in (details.get("reason"), next_step) if text)


def _describe_temperature(details: Mapping[str, Any]) -> str:
    sensors = [
        f"{_name_sensor(name)}{sensor['temperature']:g} °C"
        for name, sensor in details.get("sensors", {}).items()
    ]
    low, high = details.get("min_temperature"), details.get("max_temperature")
    limits = (
        low is not None and f"at least {low:g} °C",
        high is not None and f"at most {high:g} °C",
    )
    ended = details.get("ended") == "no_reading" and "no reading for a day"
    return "; ".join(text for text in (", ".join(sensors), *limits, ended) if text)


def _name_sensor(name: str) -> str:
    return f"{name}: " if name else ""


def _describe_webhook(details: Mapping[str, Any]) -> str:
    texts = (details.get("host"), REASONS.get(details.get("reason", "")))
    return ": ".join(text for text in texts if text)


KIND_TEXTS: Final[Mapping[AlertKind, AlertKindText]] = {
    "sos": AlertKindText("SOS", "siren", "red", lambda _: ""),
    "delivery_failed": AlertKindText("Delivery failed", "circle-x", "red", _describe_failure),
    "late": AlertKindText("Late", "alarm-clock", "amber", lambda _: ""),
    "temperature": AlertKindText(
        "Temperature outside limits", "thermometer", "red", _describe_temperature
    ),
    "device_silent": AlertKindText("Device silent", "wifi-off", "amber", lambda _: ""),
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

    @property
    def moments(self) -> list[tuple[str, str]]:
        """Times of the cause, with their labels."""
        details = self.alert["details"]
        readings = [sensor["occurred_at"] for sensor in details.get("sensors", {}).values()]
        moments = [(label, details[name]) for name, label in MOMENTS.items() if details.get(name)]
        return [*moments, *([("Last reading", min(readings))] if readings else ())]


def make_view(alert: Any, names: Mapping[str, str]) -> AlertView:  # noqa: ANN401 - JSON
    """Make the view of an alert, given the names of records."""
    subject = alert["subject"]
    return AlertView(
        alert,
        KIND_TEXTS[alert["kind"]],
        names.get(subject) or shorten_id(subject),
        record_url(subject) or "/console/alerts",
    )
