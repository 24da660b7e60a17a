# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal.me`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from pannier_client.requests import Options
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class InternalMe:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, *, options: Options | None = None) -> types.MeOut:
        """Retrieve the signed-in operator."""
        return self._transport.call("GET", "/int/v1/me", options=options)

    def get_alert_rules(self, *, options: Options | None = None) -> types.AlertRulesOut:
        """Retrieve how you hear of each kind of alert."""
        return self._transport.call("GET", "/int/v1/me/alert-rules", options=options)

    def get_weekly_report(self, *, options: Options | None = None) -> types.WeeklyReportOut:
        """Retrieve whether you receive the weekly report by email."""
        return self._transport.call("GET", "/int/v1/me/weekly-report", options=options)

    def update(
        self, *, options: Options | None = None, **fields: Unpack[types.MeChange]
    ) -> types.OperatorOut:
        """Change your own name or password."""
        return self._transport.call("PATCH", "/int/v1/me", body=fields, options=options)

    def update_alert_rules(
        self, *, options: Options | None = None, **fields: Unpack[types.AlertRulesChange]
    ) -> types.AlertRulesOut:
        """Choose which kinds of alerts are in your list, and which are announced."""
        return self._transport.call("PATCH", "/int/v1/me/alert-rules", body=fields, options=options)

    def update_weekly_report(
        self, *, options: Options | None = None, **fields: Unpack[types.WeeklyReportIn]
    ) -> types.WeeklyReportOut:
        """Begin or end the weekly report by email."""
        return self._transport.call("PUT", "/int/v1/me/weekly-report", body=fields, options=options)


class AsyncInternalMe:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(self, *, options: Options | None = None) -> types.MeOut:
        """Retrieve the signed-in operator."""
        return await self._transport.call("GET", "/int/v1/me", options=options)

    async def get_alert_rules(self, *, options: Options | None = None) -> types.AlertRulesOut:
        """Retrieve how you hear of each kind of alert."""
        return await self._transport.call("GET", "/int/v1/me/alert-rules", options=options)

    async def get_weekly_report(self, *, options: Options | None = None) -> types.WeeklyReportOut:
        """Retrieve whether you receive the weekly report by email."""
        return await self._transport.call("GET", "/int/v1/me/weekly-report", options=options)

    async def update(
        self, *, options: Options | None = None, **fields: Unpack[types.MeChange]
    ) -> types.OperatorOut:
        """Change your own name or password."""
        return await self._transport.call("PATCH", "/int/v1/me", body=fields, options=options)

    async def update_alert_rules(
        self, *, options: Options | None = None, **fields: Unpack[types.AlertRulesChange]
    ) -> types.AlertRulesOut:
        """Choose which kinds of alerts are in your list, and which are announced."""
        return await self._transport.call(
            "PATCH", "/int/v1/me/alert-rules", body=fields, options=options
        )

    async def update_weekly_report(
        self, *, options: Options | None = None, **fields: Unpack[types.WeeklyReportIn]
    ) -> types.WeeklyReportOut:
        """Begin or end the weekly report by email."""
        return await self._transport.call(
            "PUT", "/int/v1/me/weekly-report", body=fields, options=options
        )
