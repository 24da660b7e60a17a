"""Routers for API keys, for operators, and for both."""

from collections.abc import Sequence
from typing import Any

from litestar import Router

from pannier.accounts import auth
from pannier.accounts.auth import RequestGuard
from pannier.accounts.models import Role


def api_router(
    tag: str, resource: str | None, handlers: Sequence[Any], *, also_reads: Sequence[str] = ()
) -> Router:
    """Put handlers under `/v1`, for API keys whose scopes cover the resource; None: any key."""
    guard = auth.require_api_key(resource, also_reads=also_reads)
    return guarded_router("/v1", guard, tag, handlers, {"apiKey": []})


def operator_router(tag: str, min_role: Role, handlers: Sequence[Any]) -> Router:
    """Put handlers under `/int/v1`, for operators with at least this role."""
    return guarded_router(
        "/int/v1", auth.require_operator(min_role), tag, handlers, {"operator": []}
    )


def viewer_router(
    tag: str, resource: str, handlers: Sequence[Any], *, prefix: str = "/int/v1"
) -> Router:
    """Put handlers under `/int/v1`, for all operators and for keys with the resource's scope."""
    guard = auth.require_operator_or_key("viewer", resource)
    return guarded_router(prefix, guard, tag, handlers, {"operator": []}, {"apiKey": []})


def guarded_router(
    prefix: str,
    guard: RequestGuard,
    tag: str,
    handlers: Sequence[Any],
    *security: dict[str, list[str]],
) -> Router:
    """Put handlers behind an authentication function; `security` describes it in OpenAPI."""
    return Router(
        prefix,
        route_handlers=handlers,
        before_request=guard,
        tags=[tag],
        security=list(security),
    )
