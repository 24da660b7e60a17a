# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal.alerts`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class InternalAlertsListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `raised_at`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    kind: (
        Literal[
            "delivery_failed", "device_silent", "late", "sos", "temperature", "webhook_disabled"
        ]
        | Sequence[
            Literal[
                "delivery_failed", "device_silent", "late", "sos", "temperature", "webhook_disabled"
            ]
        ]
    )
    """Any of these."""
    open: bool
    """Whether the cause continues."""
    unread: bool
    """Whether it is open, in your list, and not read by you."""
    subject: str
    """Public id of the order, driver, device, vehicle or webhook."""


class InternalAlerts:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def acknowledge(self, alert_id: str, /, *, options: Options | None = None) -> types.AlertOut:
        """Take care of an alert, so that nobody's list shows it as unread."""
        return self._transport.call(
            "POST", fill_path("/int/v1/alerts/{alert_id}/acknowledge", alert_id), options=options
        )

    def count_unread(self, *, options: Options | None = None) -> types.UnreadOut:
        """Count the open alerts in your list that you have not read."""
        return self._transport.call("GET", "/int/v1/alerts/unread", options=options)

    def get(self, alert_id: str, /, *, options: Options | None = None) -> types.AlertOut:
        """Retrieve an alert."""
        return self._transport.call(
            "GET", fill_path("/int/v1/alerts/{alert_id}", alert_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalAlertsListQuery]
    ) -> Pages[types.AlertOut]:
        """List alerts, newest first."""
        return self._transport.list_pages("/int/v1/alerts", query=query, options=options)

    def read(self, alert_id: str, /, *, options: Options | None = None) -> types.AlertOut:
        """Mark an alert as read by you."""
        return self._transport.call(
            "POST", fill_path("/int/v1/alerts/{alert_id}/read", alert_id), options=options
        )

    def read_all(
        self, *, options: Options | None = None, **fields: Unpack[types.ReadIn]
    ) -> types.UnreadOut:
        """Mark the newest 10,000 alerts in your list as read."""
        return self._transport.call("POST", "/int/v1/alerts/read", body=fields, options=options)


class AsyncInternalAlerts:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def acknowledge(
        self, alert_id: str, /, *, options: Options | None = None
    ) -> types.AlertOut:
        """Take care of an alert, so that nobody's list shows it as unread."""
        return await self._transport.call(
            "POST", fill_path("/int/v1/alerts/{alert_id}/acknowledge", alert_id), options=options
        )

    async def count_unread(self, *, options: Options | None = None) -> types.UnreadOut:
        """Count the open alerts in your list that you have not read."""
        return await self._transport.call("GET", "/int/v1/alerts/unread", options=options)

    async def get(self, alert_id: str, /, *, options: Options | None = None) -> types.AlertOut:
        """Retrieve an alert."""
        return await self._transport.call(
            "GET", fill_path("/int/v1/alerts/{alert_id}", alert_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalAlertsListQuery]
    ) -> AsyncPages[types.AlertOut]:
        """List alerts, newest first."""
        return self._transport.list_pages("/int/v1/alerts", query=query, options=options)

    async def read(self, alert_id: str, /, *, options: Options | None = None) -> types.AlertOut:
        """Mark an alert as read by you."""
        return await self._transport.call(
            "POST", fill_path("/int/v1/alerts/{alert_id}/read", alert_id), options=options
        )

    async def read_all(
        self, *, options: Options | None = None, **fields: Unpack[types.ReadIn]
    ) -> types.UnreadOut:
        """Mark the newest 10,000 alerts in your list as read."""
        return await self._transport.call(
            "POST", "/int/v1/alerts/read", body=fields, options=options
        )
