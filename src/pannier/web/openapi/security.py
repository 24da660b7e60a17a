"""The credentials of requests, by their names in `security` of the routers."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from litestar.handlers import HTTPRouteHandler

from pannier.web.exchange import SAFE_METHODS

Requirement = dict[str, list[str]]


class CredentialScheme(msgspec.Struct, frozen=True):
    """A credential: how OpenAPI describes it, and how curl sends it."""

    spec: dict[str, Any]
    header: str


def _make_bearer_scheme(prefix: str, variable: str, description: str) -> CredentialScheme:
    spec = {
        "type": "http", "scheme": "bearer", "bearerFormat": f"{prefix}_…",
        "description": description,
    }  # fmt: skip
    return CredentialScheme(spec, f"Authorization: Bearer ${variable}")


SCHEMES: Final[Mapping[str, CredentialScheme]] = {
    "storefrontKey": _make_bearer_scheme(
        "store_live",
        "STOREFRONT_KEY",
        "A storefront's publishable key. Required on every request to `/storefront/v1`.",
    ),
    "customerToken": CredentialScheme(
        {
            "type": "apiKey",
            "in": "header",
            "name": "Customer-Token",
            "description": "A signed-in customer's token, sent with the storefront key.",
        },
        "Customer-Token: $CUSTOMER_TOKEN",
    ),
    "apiKey": _make_bearer_scheme(
        "api_live", "API_KEY", "A company's secret key for requests to `/v1`."
    ),
    "appKey": _make_bearer_scheme(
        "app_live",
        "APP_KEY",
        "A company's publishable key for the driver app. It can be used only for driver sign-in.",
    ),
    "driverToken": _make_bearer_scheme(
        "drv_live",
        "DRIVER_TOKEN",
        "A driver's token. It gives access only to the driver's own work.",
    ),
    "deviceToken": _make_bearer_scheme(
        "dvc_live", "DEVICE_TOKEN", "A device's token. It can only send events."
    ),
    "operator": _make_bearer_scheme(
        "opr_live", "OPERATOR_TOKEN", "An operator's token from `POST /int/v1/login`."
    ),
    "metricsToken": CredentialScheme(
        {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "mtr_…",
            "description": "The installation's metrics token, from `pannier metrics token`.",
        },
        "Authorization: Bearer $METRICS_TOKEN",
    ),
    "operatorSession": CredentialScheme(
        {
            "type": "apiKey",
            "in": "cookie",
            "name": "pannier_session",
            "description": "The console's session cookie. Requests that change data also "
            "need the `X-CSRF-Token` header.",
        },
        "Cookie: pannier_session=$SESSION",
    ),
}


def list_alternatives(security: Sequence[Requirement]) -> list[Requirement]:
    """List a router's alternative credentials; an operator may use a token or a session cookie."""
    requirements = [requirement for requirement in security if requirement]
    for requirement in [
        operator_requirement
        for operator_requirement in requirements
        if "operator" in operator_requirement
    ]:
        other_schemes = {name: scopes for name, scopes in requirement.items() if name != "operator"}
        requirements.append({"operatorSession": [], **other_schemes})
    return requirements


class AccessRequirement(NamedTuple):
    """The scopes that an API key needs, and the roles of which an operator needs one."""

    resource: str | None
    min_roles: tuple[str, ...]
    also_reads: tuple[str, ...] = ()


def read_requirement(handler: HTTPRouteHandler) -> AccessRequirement:
    """Read the arguments of a handler's guard, such as the role of `require_operator("admin")`."""
    closure = _read_closure(handler.resolve_before_request())
    return AccessRequirement(
        closure.get("resource"), closure.get("min_roles", ()), tuple(closure.get("also_reads", ()))
    )


def list_requirements(handler: HTTPRouteHandler, method: str) -> list[Requirement]:
    """List the alternative credentials of a route, with the scope or role that each needs."""
    access = read_requirement(handler)
    is_read = method in SAFE_METHODS and not handler.opt.get("writes")
    verb = "read" if is_read else "write"
    scopes = [f"{access.resource}:{verb}"] if access.resource else []
    scopes += [f"{resource}:read" for resource in access.also_reads]
    # OpenAPI combines the items of one requirement, so each sufficient role is an alternative.
    roles = [[role] for role in access.min_roles] or [[]]
    alternatives: Mapping[str, list[list[str]]] = {
        "apiKey": [scopes], "operator": roles, "operatorSession": roles
    }  # fmt: skip
    return [
        {name: (needs if name in alternatives else []) for name in requirement}
        for requirement in list_alternatives(handler.resolve_security())
        for needs in _list_needs(requirement, alternatives)
    ]


def _list_needs(
    requirement: Requirement, alternatives: Mapping[str, list[list[str]]]
) -> list[list[str]]:
    return next((alternatives[name] for name in requirement if name in alternatives), [[]])


def _read_closure(guard: object) -> Mapping[str, Any]:
    """Read the closure variables of a guard, and of the guards inside it."""
    if not inspect.isfunction(guard):
        return {}
    variables = inspect.getclosurevars(guard).nonlocals
    inner_closures = map(_read_closure, variables.values())
    return {
        **{key: value for closure in inner_closures for key, value in closure.items()},
        **variables,
    }
