# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.drivers`."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class DriversListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`,
    `updated_at`, `name`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    query: str
    """Search words."""
    id: str | Sequence[str]
    """Any of these."""
    status: types.DriverStatus
    """Filter by status."""
    online: bool
    """Return only those online; `false` returns the others."""
    phone: str
    """With country code."""
    internal_id: str
    """The company's own reference."""
    country: str
    """ISO 3166, two letters."""
    city: str
    """Filter by city."""
    vehicle: str
    """Filter by vehicle."""
    fleet: str
    """Only members of this fleet."""
    nearby: str
    """`latitude,longitude` or GeoJSON. Lists the nearest first. Only online drivers, unless
    `online` is sent."""
    radius: float
    """Metres around `nearby`."""


class DriversListPositionsQuery(TypedDict, total=False):
    """Parameters of `list_positions`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `recorded_at`."""
    since: str | datetime
    """Recorded at or after this time."""
    until: str | datetime
    """Recorded before this time."""


class Drivers:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def call_for_help(
        self, driver_id: str, /, *, options: Options | None = None, **fields: Unpack[types.SosIn]
    ) -> types.SosOut:
        """Call for help."""
        return self._transport.call(
            "POST",
            fill_path("/v1/drivers/{driver_id}/sos", driver_id),
            body=fields,
            options=options,
        )

    def create(
        self, *, options: Options | None = None, **fields: Unpack[types.DriverIn]
    ) -> types.DriverOut:
        """Create a driver."""
        return self._transport.call("POST", "/v1/drivers", body=fields, options=options)

    def create_positions(
        self,
        driver_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.PositionBatchIn],
    ) -> types.PositionsOut:
        """Report up to 1,000 positions of a driver."""
        return self._transport.call(
            "POST",
            fill_path("/v1/drivers/{driver_id}/positions", driver_id),
            body=fields,
            options=options,
        )

    def delete(self, driver_id: str, /, *, options: Options | None = None) -> types.RecordDeleted:
        """Delete a driver."""
        return self._transport.call(
            "DELETE", fill_path("/v1/drivers/{driver_id}", driver_id), options=options
        )

    def delete_session(
        self, session_id: str, /, *, options: Options | None = None
    ) -> types.SessionEnded:
        """End one of your sessions."""
        return self._transport.call(
            "DELETE", fill_path("/v1/drivers/sessions/{session_id}", session_id), options=options
        )

    def get(self, driver_id: str, /, *, options: Options | None = None) -> types.DriverOut:
        """Retrieve a driver."""
        return self._transport.call(
            "GET", fill_path("/v1/drivers/{driver_id}", driver_id), options=options
        )

    def get_cash(self, driver_id: str, /, *, options: Options | None = None) -> types.DriverCashOut:
        """Retrieve the cash that a driver has collected and not handed in."""
        return self._transport.call(
            "GET", fill_path("/v1/drivers/{driver_id}/cash", driver_id), options=options
        )

    def get_stops(
        self, driver_id: str, /, *, options: Options | None = None
    ) -> types.DriverStopsOut:
        """List the remaining stops of a driver's open orders, in sequence, with ETAs."""
        return self._transport.call(
            "GET", fill_path("/v1/drivers/{driver_id}/stops", driver_id), options=options
        )

    def hand_in_cash(
        self, driver_id: str, /, *, options: Options | None = None, **fields: Unpack[types.HandInIn]
    ) -> types.HandInOut:
        """Hand in the cash that a driver has collected in one currency, and record the count."""
        return self._transport.call(
            "POST",
            fill_path("/v1/drivers/{driver_id}/cash/hand-in", driver_id),
            body=fields,
            options=options,
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[DriversListQuery]
    ) -> Pages[types.DriverOut]:
        """List the company's drivers, or those near a point."""
        return self._transport.list_pages("/v1/drivers", query=query, options=options)

    def list_history(
        self, driver_id: str, /, *, options: Options | None = None
    ) -> builtins.list[types.DriverActivityOut]:
        """List what a driver has recorded today, in the company's time zone, latest first."""
        return self._transport.call(
            "GET", fill_path("/v1/drivers/{driver_id}/history", driver_id), options=options
        )

    def list_positions(
        self,
        driver_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[DriversListPositionsQuery],
    ) -> Pages[types.PositionOut]:
        """List a driver's positions, latest first."""
        return self._transport.list_pages(
            fill_path("/v1/drivers/{driver_id}/positions", driver_id), query=query, options=options
        )

    def list_sessions(self, *, options: Options | None = None) -> builtins.list[types.SessionOut]:
        """List your sessions, newest first."""
        return self._transport.call("GET", "/v1/drivers/sessions", options=options)

    def login_with_sms(
        self, *, options: Options | None = None, **fields: Unpack[types.DriverLoginIn]
    ) -> types.DriverCodeSent:
        """Send a sign-in code to a driver."""
        return self._transport.call(
            "POST", "/v1/drivers/login-with-sms", body=fields, options=options
        )

    def logout(self, *, options: Options | None = None) -> types.SessionEnded:
        """End the session that the request uses."""
        return self._transport.call("POST", "/v1/drivers/logout", options=options)

    def logout_all(self, *, options: Options | None = None) -> types.SessionEnded:
        """End all your sessions, including this one."""
        return self._transport.call("POST", "/v1/drivers/logout-all", options=options)

    def toggle_online(
        self, driver_id: str, /, *, options: Options | None = None, **fields: Unpack[types.ToggleIn]
    ) -> types.DriverOut:
        """Set a driver online or offline."""
        return self._transport.call(
            "POST",
            fill_path("/v1/drivers/{driver_id}/toggle-online", driver_id),
            body=fields,
            options=options,
        )

    def track(
        self, driver_id: str, /, *, options: Options | None = None, **fields: Unpack[types.TrackIn]
    ) -> types.DriverOut:
        """Report a driver's position, also for the vehicle."""
        return self._transport.call(
            "POST",
            fill_path("/v1/drivers/{driver_id}/track", driver_id),
            body=fields,
            options=options,
        )

    def update(
        self,
        driver_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.DriverChange],
    ) -> types.DriverOut:
        """Update a driver."""
        return self._transport.call(
            "PATCH", fill_path("/v1/drivers/{driver_id}", driver_id), body=fields, options=options
        )

    def verify_code(
        self, *, options: Options | None = None, **fields: Unpack[types.DriverCodeIn]
    ) -> types.DriverSignedIn:
        """Exchange a code for a driver token."""
        return self._transport.call("POST", "/v1/drivers/verify-code", body=fields, options=options)


class AsyncDrivers:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def call_for_help(
        self, driver_id: str, /, *, options: Options | None = None, **fields: Unpack[types.SosIn]
    ) -> types.SosOut:
        """Call for help."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/drivers/{driver_id}/sos", driver_id),
            body=fields,
            options=options,
        )

    async def create(
        self, *, options: Options | None = None, **fields: Unpack[types.DriverIn]
    ) -> types.DriverOut:
        """Create a driver."""
        return await self._transport.call("POST", "/v1/drivers", body=fields, options=options)

    async def create_positions(
        self,
        driver_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.PositionBatchIn],
    ) -> types.PositionsOut:
        """Report up to 1,000 positions of a driver."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/drivers/{driver_id}/positions", driver_id),
            body=fields,
            options=options,
        )

    async def delete(
        self, driver_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete a driver."""
        return await self._transport.call(
            "DELETE", fill_path("/v1/drivers/{driver_id}", driver_id), options=options
        )

    async def delete_session(
        self, session_id: str, /, *, options: Options | None = None
    ) -> types.SessionEnded:
        """End one of your sessions."""
        return await self._transport.call(
            "DELETE", fill_path("/v1/drivers/sessions/{session_id}", session_id), options=options
        )

    async def get(self, driver_id: str, /, *, options: Options | None = None) -> types.DriverOut:
        """Retrieve a driver."""
        return await self._transport.call(
            "GET", fill_path("/v1/drivers/{driver_id}", driver_id), options=options
        )

    async def get_cash(
        self, driver_id: str, /, *, options: Options | None = None
    ) -> types.DriverCashOut:
        """Retrieve the cash that a driver has collected and not handed in."""
        return await self._transport.call(
            "GET", fill_path("/v1/drivers/{driver_id}/cash", driver_id), options=options
        )

    async def get_stops(
        self, driver_id: str, /, *, options: Options | None = None
    ) -> types.DriverStopsOut:
        """List the remaining stops of a driver's open orders, in sequence, with ETAs."""
        return await self._transport.call(
            "GET", fill_path("/v1/drivers/{driver_id}/stops", driver_id), options=options
        )

    async def hand_in_cash(
        self, driver_id: str, /, *, options: Options | None = None, **fields: Unpack[types.HandInIn]
    ) -> types.HandInOut:
        """Hand in the cash that a driver has collected in one currency, and record the count."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/drivers/{driver_id}/cash/hand-in", driver_id),
            body=fields,
            options=options,
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[DriversListQuery]
    ) -> AsyncPages[types.DriverOut]:
        """List the company's drivers, or those near a point."""
        return self._transport.list_pages("/v1/drivers", query=query, options=options)

    async def list_history(
        self, driver_id: str, /, *, options: Options | None = None
    ) -> builtins.list[types.DriverActivityOut]:
        """List what a driver has recorded today, in the company's time zone, latest first."""
        return await self._transport.call(
            "GET", fill_path("/v1/drivers/{driver_id}/history", driver_id), options=options
        )

    def list_positions(
        self,
        driver_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[DriversListPositionsQuery],
    ) -> AsyncPages[types.PositionOut]:
        """List a driver's positions, latest first."""
        return self._transport.list_pages(
            fill_path("/v1/drivers/{driver_id}/positions", driver_id), query=query, options=options
        )

    async def list_sessions(
        self, *, options: Options | None = None
    ) -> builtins.list[types.SessionOut]:
        """List your sessions, newest first."""
        return await self._transport.call("GET", "/v1/drivers/sessions", options=options)

    async def login_with_sms(
        self, *, options: Options | None = None, **fields: Unpack[types.DriverLoginIn]
    ) -> types.DriverCodeSent:
        """Send a sign-in code to a driver."""
        return await self._transport.call(
            "POST", "/v1/drivers/login-with-sms", body=fields, options=options
        )

    async def logout(self, *, options: Options | None = None) -> types.SessionEnded:
        """End the session that the request uses."""
        return await self._transport.call("POST", "/v1/drivers/logout", options=options)

    async def logout_all(self, *, options: Options | None = None) -> types.SessionEnded:
        """End all your sessions, including this one."""
        return await self._transport.call("POST", "/v1/drivers/logout-all", options=options)

    async def toggle_online(
        self, driver_id: str, /, *, options: Options | None = None, **fields: Unpack[types.ToggleIn]
    ) -> types.DriverOut:
        """Set a driver online or offline."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/drivers/{driver_id}/toggle-online", driver_id),
            body=fields,
            options=options,
        )

    async def track(
        self, driver_id: str, /, *, options: Options | None = None, **fields: Unpack[types.TrackIn]
    ) -> types.DriverOut:
        """Report a driver's position, also for the vehicle."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/drivers/{driver_id}/track", driver_id),
            body=fields,
            options=options,
        )

    async def update(
        self,
        driver_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.DriverChange],
    ) -> types.DriverOut:
        """Update a driver."""
        return await self._transport.call(
            "PATCH", fill_path("/v1/drivers/{driver_id}", driver_id), body=fields, options=options
        )

    async def verify_code(
        self, *, options: Options | None = None, **fields: Unpack[types.DriverCodeIn]
    ) -> types.DriverSignedIn:
        """Exchange a code for a driver token."""
        return await self._transport.call(
            "POST", "/v1/drivers/verify-code", body=fields, options=options
        )
