"""Routers for API keys, for operators, and for both."""

from collections.abc import Sequence
from typing import Any

from litestar import Router

from pannier.accounts import auth
from pannier.accounts.auth import Door
from pannier.accounts.models import Role


def for_keys(tag: str, resource: str | None, handlers: Sequence[Any]) -> Router:
    """Put handlers under `/v1`, for API keys whose scopes cover the resource; None is any key."""
    return router("/v1", auth.fleet(resource), tag, handlers, {"apiKey": []})


def for_operators(tag: str, least: Role, handlers: Sequence[Any]) -> Router:
    """Put handlers under `/int/v1`, for operators with at least this role."""
    return router("/int/v1", auth.operator(least), tag, handlers, {"operator": []})


def for_viewers(
    tag: str, resource: str, handlers: Sequence[Any], *, prefix: str = "/int/v1"
) -> Router:
    """Put handlers under `/int/v1`, for all operators and for keys with the resource's scope."""
    door = auth.operator_or_key("viewer", resource)
    return router(prefix, door, tag, handlers, {"operator": []}, {"apiKey": []})


def router(
    prefix: str, door: Door, tag: str, handlers: Sequence[Any], *security: dict[str, list[str]]
) -> Router:
    """Put handlers behind an authentication function; `security` describes it in OpenAPI."""
    return Router(
        prefix,
        route_handlers=handlers,
        before_request=door,
        tags=[tag],
        security=list(security),
    )
