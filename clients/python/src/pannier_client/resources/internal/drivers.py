# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal.drivers`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class InternalDriversListTokensQuery(TypedDict, total=False):
    """Parameters of `list_tokens`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    ended: bool
    """List sessions that ended within the last 30 days, instead of active ones."""


class InternalDrivers:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def delete_token(
        self, driver_id: str, token_id: str, /, *, options: Options | None = None
    ) -> types.SessionEnded:
        """Revoke one token."""
        return self._transport.call(
            "DELETE",
            fill_path("/int/v1/drivers/{driver_id}/tokens/{token_id}", driver_id, token_id),
            options=options,
        )

    def delete_tokens(
        self, driver_id: str, /, *, options: Options | None = None
    ) -> types.SessionEnded:
        """Revoke all tokens."""
        return self._transport.call(
            "DELETE", fill_path("/int/v1/drivers/{driver_id}/tokens", driver_id), options=options
        )

    def get_app_link(
        self, driver_id: str, /, *, options: Options | None = None
    ) -> types.AppLinkOut:
        """Retrieve a driver's link to the driver app."""
        return self._transport.call(
            "GET", fill_path("/int/v1/drivers/{driver_id}/app-link", driver_id), options=options
        )

    def get_cash(self, driver_id: str, /, *, options: Options | None = None) -> types.DriverCashOut:
        """Retrieve the cash that a driver has collected and not handed in."""
        return self._transport.call(
            "GET", fill_path("/int/v1/drivers/{driver_id}/cash", driver_id), options=options
        )

    def hand_in_cash(
        self, driver_id: str, /, *, options: Options | None = None, **fields: Unpack[types.HandInIn]
    ) -> types.HandInOut:
        """Hand in the cash that a driver has collected in one currency, and record the count."""
        return self._transport.call(
            "POST",
            fill_path("/int/v1/drivers/{driver_id}/cash/hand-in", driver_id),
            body=fields,
            options=options,
        )

    def list_tokens(
        self,
        driver_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[InternalDriversListTokensQuery],
    ) -> Pages[types.SessionOut]:
        """List active or revoked tokens, newest first."""
        return self._transport.list_pages(
            fill_path("/int/v1/drivers/{driver_id}/tokens", driver_id), query=query, options=options
        )

    def send_app_link(
        self,
        driver_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.SendAppLinkIn],
    ) -> types.AppLinkSent:
        """Send a driver the link to the driver app by SMS or email."""
        return self._transport.call(
            "POST",
            fill_path("/int/v1/drivers/{driver_id}/send-app-link", driver_id),
            body=fields,
            options=options,
        )


class AsyncInternalDrivers:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def delete_token(
        self, driver_id: str, token_id: str, /, *, options: Options | None = None
    ) -> types.SessionEnded:
        """Revoke one token."""
        return await self._transport.call(
            "DELETE",
            fill_path("/int/v1/drivers/{driver_id}/tokens/{token_id}", driver_id, token_id),
            options=options,
        )

    async def delete_tokens(
        self, driver_id: str, /, *, options: Options | None = None
    ) -> types.SessionEnded:
        """Revoke all tokens."""
        return await self._transport.call(
            "DELETE", fill_path("/int/v1/drivers/{driver_id}/tokens", driver_id), options=options
        )

    async def get_app_link(
        self, driver_id: str, /, *, options: Options | None = None
    ) -> types.AppLinkOut:
        """Retrieve a driver's link to the driver app."""
        return await self._transport.call(
            "GET", fill_path("/int/v1/drivers/{driver_id}/app-link", driver_id), options=options
        )

    async def get_cash(
        self, driver_id: str, /, *, options: Options | None = None
    ) -> types.DriverCashOut:
        """Retrieve the cash that a driver has collected and not handed in."""
        return await self._transport.call(
            "GET", fill_path("/int/v1/drivers/{driver_id}/cash", driver_id), options=options
        )

    async def hand_in_cash(
        self, driver_id: str, /, *, options: Options | None = None, **fields: Unpack[types.HandInIn]
    ) -> types.HandInOut:
        """Hand in the cash that a driver has collected in one currency, and record the count."""
        return await self._transport.call(
            "POST",
            fill_path("/int/v1/drivers/{driver_id}/cash/hand-in", driver_id),
            body=fields,
            options=options,
        )

    def list_tokens(
        self,
        driver_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[InternalDriversListTokensQuery],
    ) -> AsyncPages[types.SessionOut]:
        """List active or revoked tokens, newest first."""
        return self._transport.list_pages(
            fill_path("/int/v1/drivers/{driver_id}/tokens", driver_id), query=query, options=options
        )

    async def send_app_link(
        self,
        driver_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.SendAppLinkIn],
    ) -> types.AppLinkSent:
        """Send a driver the link to the driver app by SMS or email."""
        return await self._transport.call(
            "POST",
            fill_path("/int/v1/drivers/{driver_id}/send-app-link", driver_id),
            body=fields,
            options=options,
        )
