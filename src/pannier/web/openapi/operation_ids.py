"""Operation ids, such as `orders.create` and `orders.captureSignature`.

An id is derived from the method and the path, so it does not change when the code does. Generated
clients take their names from it. `docs/operation-ids.txt` lists all ids: none may change.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

# Where an API's ids begin. The first matching prefix counts.
NAMESPACES: Final = (
    ("/int/v1/fleet-module/", "fleetModule"),
    ("/int/v1/cash/", "internal.cash"),
    ("/int/v1/", "internal"),
    ("/storefront/v1/", "storefront"),
    ("/v1/cash/", "cash"),
    ("/v1/", ""),
    ("/", ""),
)
# Names that the rules below would make unclear, by the method and the path inside its namespace.
WRITTEN_NAMES: Final[Mapping[str, str]] = {
    "GET .well-known/jwks.json": "installation.listProofKeys",
    "GET addresses/reverse": "addresses.findByLocation",
    "POST alerts/read": "alerts.readAll",
    "GET alerts/unread": "alerts.countUnread",
    "POST customers/account-closure": "customers.requestAccountClosure",
    "POST customers/payment-ephemeral-key": "customers.createPaymentEphemeralKey",
    "POST customers/payment-setup-intent": "customers.createPaymentSetupIntent",
    "POST customers/stripe-ephemeral-key": "customers.createStripeEphemeralKey",
    "POST customers/stripe-setup-intent": "customers.createStripeSetupIntent",
    "POST devices/{}/events": "devices.createEvents",
    "POST driver-messages/with-photos": "driverMessages.createWithPhotos",
    "POST drivers/{}/cash/hand-in": "drivers.handInCash",
    "POST drivers/{}/positions": "drivers.createPositions",
    "POST drivers/{}/sos": "drivers.callForHelp",
    "GET events": "events.list",
    "GET files/{}": "files.get",
    "POST fleets/{}/drivers": "fleets.addDriver",
    "DELETE fleets/{}/drivers/{}": "fleets.removeDriver",
    "POST fleets/{}/vehicles": "fleets.addVehicle",
    "DELETE fleets/{}/vehicles/{}": "fleets.removeVehicle",
    "GET healthz": "installation.checkHealth",
    "POST imports/{}/dry-run": "imports.check",
    "GET ingest/osmand": "ingest.osmandByGet",
    "GET ingest/osmand/{}": "ingest.osmandByGetForToken",
    "GET invoices/{}.pdf": "invoices.downloadPdf",
    "POST issues/with-photos": "issues.createWithPhotos",
    "POST labels": "labels.print",
    "POST login": "login",
    "POST logout": "logout",
    "GET metrics": "installation.getMetrics",
    "POST order-templates/{}/orders": "orderTemplates.createOrder",
    "DELETE orders/{}/assign-driver": "orders.unassignDriver",
    "POST orders/{}/best-drivers": "orders.findBestDrivers",
    "DELETE orders/{}/cancel": "orders.cancelByDelete",
    "GET orders/{}/label": "orders.downloadLabel",
    "GET orders/{}/next-activity": "orders.listNextActivities",
    "POST orders/{}/service-quotes": "orders.renewServiceQuotes",
    "POST orders/{}/set-destination/{}": "orders.setDestination",
    "POST payments/stripe/notices": "payments.receiveStripeNotice",
    "POST places/lookup": "places.lookUp",
    "GET readyz": "installation.checkReadiness",
    "GET service-quotes": "serviceQuotes.list",
    "DELETE sessions": "sessions.deleteAll",
    "GET status": "installation.getStatus",
    "POST tracking-numbers/from-qr": "trackingNumbers.findByQr",
    "POST webhook-deliveries/replay": "webhookDeliveries.replayMany",
}
# Outside the APIs, a signed link opens some of their resources.
LINK_NAMES: Final[Mapping[str, str]] = {
    "GET files/{}": "files.downloadByLink",
    "GET invoices/{}.pdf": "invoices.downloadPdfByLink",
}
# A path that ends in one of these reads a resource in its own way: `orders.verifyProofs`.
READING_VERBS: Final = frozenset({"count", "export", "preview", "stream", "verify"})
RESOURCE_VERBS: Final[Mapping[str, str]] = {
    "GET": "get", "POST": "create", "PUT": "update", "PATCH": "update", "DELETE": "delete",
}  # fmt: skip
# Paths that end in a noun although they name an action.
ACTION_NAMES: Final[Mapping[str, str]] = {"batch": "createBatch", "credit-note": "createCreditNote"}
_WORD: Final = re.compile(r"[A-Za-z0-9]+")


class _Part(NamedTuple):
    """A part of a path, such as `proofs` or `{order_id}`."""

    text: str

    @property
    def is_parameter(self) -> bool:
        return self.text.startswith("{")


def make_operation_id(method: str, path: str, *, is_list: bool) -> str:
    """Make the id of an operation. `is_list` tells whether it returns a list."""
    prefix, namespace = next(pair for pair in NAMESPACES if path.startswith(pair[0]))
    inner_path = path.removeprefix(prefix)
    key = f"{method} {re.sub(r'{[^}]*}', '{}', inner_path)}"
    written_name = (LINK_NAMES.get(key) if prefix == "/" else None) or WRITTEN_NAMES.get(key)
    name = written_name or _make_name(method, inner_path, is_list=is_list)
    return f"{namespace}.{name}" if namespace else name


def _make_name(method: str, path: str, *, is_list: bool) -> str:
    parts = [_Part(text) for text in path.split("/")]
    resource, rest = parts[0], parts[1:]
    if rest and rest[0].is_parameter:
        suffix = rest[0].text.partition("}")[2]
        if suffix:
            return f"{_to_camel(resource.text)}.download{_capitalise(suffix)}"
        if len(rest) == 1:
            return f"{_to_camel(resource.text)}.{RESOURCE_VERBS[method]}"
        rest = rest[1:]
    stem, _, suffix = resource.text.partition(".")
    if suffix:
        return f"{_to_camel(stem)}.download{_capitalise(suffix)}"
    if not rest:
        verb = "list" if method == "GET" and is_list else RESOURCE_VERBS[method]
        return f"{_to_camel(resource.text)}.{verb}"
    return f"{_to_camel(resource.text)}.{_name_inner_operation(method, rest, is_list=is_list)}"


def _name_inner_operation(method: str, parts: Sequence[_Part], *, is_list: bool) -> str:
    """Name an operation on a part of a resource, or an action."""
    *before, last = parts
    if last.is_parameter and (method == "POST" or is_list):
        subject = last.text.strip("{}").removesuffix("_id")
        return f"{_name_inner_operation(method, before, is_list=is_list)}For{_capitalise(subject)}"
    if last.is_parameter:
        return RESOURCE_VERBS[method] + "".join(_list_nouns(parts))
    nouns = "".join(_list_nouns(before))
    name_parts = _WORD.findall(last.text)
    if "." in last.text or name_parts[-1] == "csv":
        return f"download{nouns}{_capitalise(last.text)}"
    if method == "GET" and name_parts[0] in READING_VERBS:
        return f"{name_parts[0]}{nouns}{_capitalise(' '.join(name_parts[1:]))}"
    if method == "POST" and not _is_plural(last.text):
        return f"{ACTION_NAMES.get(last.text) or _to_camel(last.text)}{nouns}"
    if method == "POST":
        return f"create{nouns}{_capitalise(_to_singular(last.text))}"
    verb = "list" if method == "GET" and is_list else RESOURCE_VERBS[method]
    return f"{verb}{nouns}{_capitalise(last.text)}"


def _list_nouns(parts: Sequence[_Part]) -> Iterator[str]:
    """List the nouns of a path; one record of a list is in the singular."""
    for part, following in pairwise([*parts, _Part("")]):
        if not part.is_parameter:
            yield _capitalise(_to_singular(part.text) if following.is_parameter else part.text)


def _is_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith(("ss", "sms"))


def _to_singular(word: str) -> str:
    if word.endswith("ies"):
        return f"{word.removesuffix('ies')}y"
    return word.removesuffix("es" if word.endswith(("sses", "uses")) else "s")


def _capitalise(text: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in _WORD.findall(text))


def _to_camel(text: str) -> str:
    name = _capitalise(text)
    return name[:1].lower() + name[1:]
