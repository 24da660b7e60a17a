"""The credentials of requests, by their names in `security` of the routers."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from litestar.handlers import HTTPRouteHandler

from pannier.web.exchange import SAFE_METHODS

Requirement = dict[str, list[str]]


class Scheme(msgspec.Struct, frozen=True):
    """A credential: how OpenAPI describes it, and how curl sends it."""

    spec: dict[str, Any]
    header: str


def _bearer(prefix: str, variable: str, description: str) -> Scheme:
    spec = {
        "type": "http", "scheme": "bearer", "bearerFormat": f"{prefix}_…",
        "description": description,
    }  # fmt: skip
    return Scheme(spec, f"Authorization: Bearer ${variable}")


SCHEMES: Final[Mapping[str, Scheme]] = {
    "storefrontKey": _bearer(
        "store_live", "STOREFRONT_KEY",
        "A store's public key, on every request under `/storefront/v1`.",
    ),
    "customerToken": Scheme(
        {
            "type": "apiKey", "in": "header", "name": "Customer-Token",
            "description": "A signed-in customer's token, beside the storefront key.",
        },
        "Customer-Token: $CUSTOMER_TOKEN",
    ),
    "apiKey": _bearer("api_live", "API_KEY", "A company's key, on every request under `/v1`."),
    "appKey": _bearer(
        "app_live", "APP_KEY", "A company's public key in drivers' apps: a driver's sign-in alone."
    ),
    "driverToken": _bearer("drv_live", "DRIVER_TOKEN", "A driver's token: the driver's own work."),
    "deviceToken": _bearer("dvc_live", "DEVICE_TOKEN", "A device's token: sending events only."),
    "operator": _bearer(
        "opr_live", "OPERATOR_TOKEN", "An operator's token from `POST /int/v1/login`."
    ),
    "metricsToken": Scheme(
        {
            "type": "http", "scheme": "bearer", "bearerFormat": "mtr_…",
            "description": "The installation's metrics token, from `pannier metrics token`.",
        },
        "Authorization: Bearer $METRICS_TOKEN",
    ),
    "operatorSession": Scheme(
        {
            "type": "apiKey", "in": "cookie", "name": "pannier_session",
            "description": "The console's session cookie; a change by cookie needs the "
            "`X-CSRF-Token` header too.",
        },
        "Cookie: pannier_session=$SESSION",
    ),
}  # fmt: skip


def alternatives(security: Sequence[Requirement]) -> list[Requirement]:
    """List a router's alternative credentials; an operator may use a token or a session cookie."""
    spelled = [requirement for requirement in security if requirement]
    for requirement in [one for one in spelled if "operator" in one]:
        rest = {name: scopes for name, scopes in requirement.items() if name != "operator"}
        spelled.append({"operatorSession": [], **rest})
    return spelled


class Asked(NamedTuple):
    """The scope that an API key needs, and the role that an operator needs."""

    resource: str | None
    least: str | None


def asked(handler: HTTPRouteHandler) -> Asked:
    """Read the arguments of a handler's guard, such as the role of `require_operator("admin")`."""
    made = _made_with(handler.resolve_before_request())
    return Asked(made.get("resource"), made.get("least"))


def demanded(handler: HTTPRouteHandler, method: str) -> list[Requirement]:
    """List the alternative credentials of a route, with the scope or role that each needs."""
    made = asked(handler)
    reads = method in SAFE_METHODS and not handler.opt.get("writes")
    verb = "read" if reads else "write"
    scopes = [f"{made.resource}:{verb}"] if made.resource else []
    roles = [made.least] if made.least else []
    named = {"apiKey": scopes, "operator": roles, "operatorSession": roles}
    return [
        {name: named.get(name, []) for name in requirement}
        for requirement in alternatives(handler.resolve_security())
    ]


def _made_with(door: object) -> Mapping[str, Any]:
    """Read the closure variables of a guard, and of the guards inside it."""
    if not inspect.isfunction(door):
        return {}
    held = inspect.getclosurevars(door).nonlocals
    inside = (_made_with(held.get(name)) for name in ("by_key", "by_operator"))
    return {**{key: value for made in inside for key, value in made.items()}, **held}
