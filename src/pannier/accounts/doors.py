"""Routers by who may enter: a company's program by key, or its people at the console."""

from collections.abc import Sequence
from typing import Any

from litestar import Router

from pannier.accounts import auth
from pannier.accounts.models import Role


def for_keys(tag: str, resource: str | None, handlers: Sequence[Any]) -> Router:
    """Put handlers under `/v1`: for API keys whose scopes cover the resource, or for any."""
    return Router(
        "/v1",
        route_handlers=handlers,
        before_request=auth.fleet(resource),
        tags=[tag],
        security=[{"apiKey": []}],
    )


def for_operators(tag: str, least: Role, handlers: Sequence[Any]) -> Router:
    """Put handlers under `/int/v1`: for operators whose role is at least this one."""
    return Router(
        "/int/v1",
        route_handlers=handlers,
        before_request=auth.operator(least),
        tags=[tag],
        security=[{"operator": []}],
    )
