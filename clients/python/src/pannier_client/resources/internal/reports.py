# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal.reports`."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.requests import Options
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class InternalReportsDownloadDevicesCsvQuery(TypedDict, total=False):
    """Parameters of `download_devices_csv`."""

    to: str
    """The last day, at most 366 days in total. Defaults to today."""
    by: types.ReportPeriod
    """The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all
    days."""


class InternalReportsDownloadDriversCsvQuery(TypedDict, total=False):
    """Parameters of `download_drivers_csv`."""

    to: str
    """The last day, at most 366 days in total. Defaults to today."""
    by: types.ReportPeriod
    """The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all
    days."""


class InternalReportsDownloadFirstAttemptCsvQuery(TypedDict, total=False):
    """Parameters of `download_first_attempt_csv`."""

    to: str
    """The last day, at most 366 days in total. Defaults to today."""
    by: types.ReportPeriod
    """The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all
    days."""


class InternalReportsDownloadIdleCsvQuery(TypedDict, total=False):
    """Parameters of `download_idle_csv`."""

    to: str
    """The last day, at most 366 days in total. Defaults to today."""
    by: types.ReportPeriod
    """The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all
    days."""


class InternalReportsDownloadKilometresCsvQuery(TypedDict, total=False):
    """Parameters of `download_kilometres_csv`."""

    to: str
    """The last day, at most 366 days in total. Defaults to today."""
    by: types.ReportPeriod
    """The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all
    days."""


class InternalReportsDownloadMarginCsvQuery(TypedDict, total=False):
    """Parameters of `download_margin_csv`."""

    to: str
    """The last day, at most 366 days in total. Defaults to today."""
    by: types.ReportPeriod
    """The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all
    days."""


class InternalReportsDownloadOnTimeCsvQuery(TypedDict, total=False):
    """Parameters of `download_on_time_csv`."""

    to: str
    """The last day, at most 366 days in total. Defaults to today."""
    by: types.ReportPeriod
    """The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all
    days."""


class InternalReportsDownloadProofsCsvQuery(TypedDict, total=False):
    """Parameters of `download_proofs_csv`."""

    to: str
    """The last day, at most 366 days in total. Defaults to today."""
    by: types.ReportPeriod
    """The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all
    days."""


class InternalReportsDownloadRevenueCsvQuery(TypedDict, total=False):
    """Parameters of `download_revenue_csv`."""

    to: str
    """The last day, at most 366 days in total. Defaults to today."""
    by: types.ReportPeriod
    """The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all
    days."""


class InternalReportsDownloadVolumeCsvQuery(TypedDict, total=False):
    """Parameters of `download_volume_csv`."""

    to: str
    """The last day, at most 366 days in total. Defaults to today."""
    by: types.ReportPeriod
    """The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all
    days."""


class InternalReportsDownloadWebhooksCsvQuery(TypedDict, total=False):
    """Parameters of `download_webhooks_csv`."""

    to: str
    """The last day, at most 366 days in total. Defaults to today."""
    by: types.ReportPeriod
    """The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all
    days."""


class InternalReportsGetDevicesQuery(TypedDict, total=False):
    """Parameters of `get_devices`."""

    to: str
    """The last day, at most 366 days in total. Defaults to today."""
    by: types.ReportPeriod
    """The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all
    days."""


class InternalReportsGetDriversQuery(TypedDict, total=False):
    """Parameters of `get_drivers`."""

    to: str
    """The last day, at most 366 days in total. Defaults to today."""
    by: types.ReportPeriod
    """The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all
    days."""


class InternalReportsGetFirstAttemptQuery(TypedDict, total=False):
    """Parameters of `get_first_attempt`."""

    to: str
    """The last day, at most 366 days in total. Defaults to today."""
    by: types.ReportPeriod
    """The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all
    days."""


class InternalReportsGetIdleQuery(TypedDict, total=False):
    """Parameters of `get_idle`."""

    to: str
    """The last day, at most 366 days in total. Defaults to today."""
    by: types.ReportPeriod
    """The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all
    days."""


class InternalReportsGetKilometresQuery(TypedDict, total=False):
    """Parameters of `get_kilometres`."""

    to: str
    """The last day, at most 366 days in total. Defaults to today."""
    by: types.ReportPeriod
    """The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all
    days."""


class InternalReportsGetMarginQuery(TypedDict, total=False):
    """Parameters of `get_margin`."""

    to: str
    """The last day, at most 366 days in total. Defaults to today."""
    by: types.ReportPeriod
    """The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all
    days."""


class InternalReportsGetOnTimeQuery(TypedDict, total=False):
    """Parameters of `get_on_time`."""

    to: str
    """The last day, at most 366 days in total. Defaults to today."""
    by: types.ReportPeriod
    """The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all
    days."""


class InternalReportsGetProofsQuery(TypedDict, total=False):
    """Parameters of `get_proofs`."""

    to: str
    """The last day, at most 366 days in total. Defaults to today."""
    by: types.ReportPeriod
    """The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all
    days."""


class InternalReportsGetRevenueQuery(TypedDict, total=False):
    """Parameters of `get_revenue`."""

    to: str
    """The last day, at most 366 days in total. Defaults to today."""
    by: types.ReportPeriod
    """The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all
    days."""


class InternalReportsGetVolumeQuery(TypedDict, total=False):
    """Parameters of `get_volume`."""

    to: str
    """The last day, at most 366 days in total. Defaults to today."""
    by: types.ReportPeriod
    """The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all
    days."""


class InternalReportsGetWebhooksQuery(TypedDict, total=False):
    """Parameters of `get_webhooks`."""

    to: str
    """The last day, at most 366 days in total. Defaults to today."""
    by: types.ReportPeriod
    """The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all
    days."""


class InternalReports:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def download_devices_csv(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsDownloadDevicesCsvQuery],
    ) -> bytes:
        """Download the report `devices` as CSV."""
        return self._transport.download(
            "/int/v1/reports/devices/csv", query={**query, "from": from_}, options=options
        )

    def download_drivers_csv(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsDownloadDriversCsvQuery],
    ) -> bytes:
        """Download the report `drivers` as CSV."""
        return self._transport.download(
            "/int/v1/reports/drivers/csv", query={**query, "from": from_}, options=options
        )

    def download_first_attempt_csv(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsDownloadFirstAttemptCsvQuery],
    ) -> bytes:
        """Download the report `first-attempt` as CSV."""
        return self._transport.download(
            "/int/v1/reports/first-attempt/csv", query={**query, "from": from_}, options=options
        )

    def download_idle_csv(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsDownloadIdleCsvQuery],
    ) -> bytes:
        """Download the report `idle` as CSV."""
        return self._transport.download(
            "/int/v1/reports/idle/csv", query={**query, "from": from_}, options=options
        )

    def download_kilometres_csv(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsDownloadKilometresCsvQuery],
    ) -> bytes:
        """Download the report `kilometres` as CSV."""
        return self._transport.download(
            "/int/v1/reports/kilometres/csv", query={**query, "from": from_}, options=options
        )

    def download_margin_csv(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsDownloadMarginCsvQuery],
    ) -> bytes:
        """Download the report `margin` as CSV."""
        return self._transport.download(
            "/int/v1/reports/margin/csv", query={**query, "from": from_}, options=options
        )

    def download_on_time_csv(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsDownloadOnTimeCsvQuery],
    ) -> bytes:
        """Download the report `on-time` as CSV."""
        return self._transport.download(
            "/int/v1/reports/on-time/csv", query={**query, "from": from_}, options=options
        )

    def download_proofs_csv(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsDownloadProofsCsvQuery],
    ) -> bytes:
        """Download the report `proofs` as CSV."""
        return self._transport.download(
            "/int/v1/reports/proofs/csv", query={**query, "from": from_}, options=options
        )

    def download_revenue_csv(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsDownloadRevenueCsvQuery],
    ) -> bytes:
        """Download the report `revenue` as CSV."""
        return self._transport.download(
            "/int/v1/reports/revenue/csv", query={**query, "from": from_}, options=options
        )

    def download_volume_csv(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsDownloadVolumeCsvQuery],
    ) -> bytes:
        """Download the report `volume` as CSV."""
        return self._transport.download(
            "/int/v1/reports/volume/csv", query={**query, "from": from_}, options=options
        )

    def download_webhooks_csv(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsDownloadWebhooksCsvQuery],
    ) -> bytes:
        """Download the report `webhooks` as CSV."""
        return self._transport.download(
            "/int/v1/reports/webhooks/csv", query={**query, "from": from_}, options=options
        )

    def get_devices(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsGetDevicesQuery],
    ) -> types.ReportOut:
        """Retrieve the report `devices`."""
        return self._transport.call(
            "GET", "/int/v1/reports/devices", query={**query, "from": from_}, options=options
        )

    def get_drivers(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsGetDriversQuery],
    ) -> types.ReportOut:
        """Retrieve the report `drivers`."""
        return self._transport.call(
            "GET", "/int/v1/reports/drivers", query={**query, "from": from_}, options=options
        )

    def get_first_attempt(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsGetFirstAttemptQuery],
    ) -> types.ReportOut:
        """Retrieve the report `first-attempt`."""
        return self._transport.call(
            "GET", "/int/v1/reports/first-attempt", query={**query, "from": from_}, options=options
        )

    def get_idle(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsGetIdleQuery],
    ) -> types.ReportOut:
        """Retrieve the report `idle`."""
        return self._transport.call(
            "GET", "/int/v1/reports/idle", query={**query, "from": from_}, options=options
        )

    def get_kilometres(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsGetKilometresQuery],
    ) -> types.ReportOut:
        """Retrieve the report `kilometres`."""
        return self._transport.call(
            "GET", "/int/v1/reports/kilometres", query={**query, "from": from_}, options=options
        )

    def get_margin(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsGetMarginQuery],
    ) -> types.ReportOut:
        """Retrieve the report `margin`."""
        return self._transport.call(
            "GET", "/int/v1/reports/margin", query={**query, "from": from_}, options=options
        )

    def get_on_time(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsGetOnTimeQuery],
    ) -> types.ReportOut:
        """Retrieve the report `on-time`."""
        return self._transport.call(
            "GET", "/int/v1/reports/on-time", query={**query, "from": from_}, options=options
        )

    def get_proofs(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsGetProofsQuery],
    ) -> types.ReportOut:
        """Retrieve the report `proofs`."""
        return self._transport.call(
            "GET", "/int/v1/reports/proofs", query={**query, "from": from_}, options=options
        )

    def get_revenue(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsGetRevenueQuery],
    ) -> types.ReportOut:
        """Retrieve the report `revenue`."""
        return self._transport.call(
            "GET", "/int/v1/reports/revenue", query={**query, "from": from_}, options=options
        )

    def get_volume(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsGetVolumeQuery],
    ) -> types.ReportOut:
        """Retrieve the report `volume`."""
        return self._transport.call(
            "GET", "/int/v1/reports/volume", query={**query, "from": from_}, options=options
        )

    def get_webhooks(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsGetWebhooksQuery],
    ) -> types.ReportOut:
        """Retrieve the report `webhooks`."""
        return self._transport.call(
            "GET", "/int/v1/reports/webhooks", query={**query, "from": from_}, options=options
        )

    def list(self, *, options: Options | None = None) -> builtins.list[types.ReportInfo]:
        """List the reports."""
        return self._transport.call("GET", "/int/v1/reports", options=options)


class AsyncInternalReports:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def download_devices_csv(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsDownloadDevicesCsvQuery],
    ) -> bytes:
        """Download the report `devices` as CSV."""
        return await self._transport.download(
            "/int/v1/reports/devices/csv", query={**query, "from": from_}, options=options
        )

    async def download_drivers_csv(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsDownloadDriversCsvQuery],
    ) -> bytes:
        """Download the report `drivers` as CSV."""
        return await self._transport.download(
            "/int/v1/reports/drivers/csv", query={**query, "from": from_}, options=options
        )

    async def download_first_attempt_csv(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsDownloadFirstAttemptCsvQuery],
    ) -> bytes:
        """Download the report `first-attempt` as CSV."""
        return await self._transport.download(
            "/int/v1/reports/first-attempt/csv", query={**query, "from": from_}, options=options
        )

    async def download_idle_csv(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsDownloadIdleCsvQuery],
    ) -> bytes:
        """Download the report `idle` as CSV."""
        return await self._transport.download(
            "/int/v1/reports/idle/csv", query={**query, "from": from_}, options=options
        )

    async def download_kilometres_csv(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsDownloadKilometresCsvQuery],
    ) -> bytes:
        """Download the report `kilometres` as CSV."""
        return await self._transport.download(
            "/int/v1/reports/kilometres/csv", query={**query, "from": from_}, options=options
        )

    async def download_margin_csv(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsDownloadMarginCsvQuery],
    ) -> bytes:
        """Download the report `margin` as CSV."""
        return await self._transport.download(
            "/int/v1/reports/margin/csv", query={**query, "from": from_}, options=options
        )

    async def download_on_time_csv(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsDownloadOnTimeCsvQuery],
    ) -> bytes:
        """Download the report `on-time` as CSV."""
        return await self._transport.download(
            "/int/v1/reports/on-time/csv", query={**query, "from": from_}, options=options
        )

    async def download_proofs_csv(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsDownloadProofsCsvQuery],
    ) -> bytes:
        """Download the report `proofs` as CSV."""
        return await self._transport.download(
            "/int/v1/reports/proofs/csv", query={**query, "from": from_}, options=options
        )

    async def download_revenue_csv(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsDownloadRevenueCsvQuery],
    ) -> bytes:
        """Download the report `revenue` as CSV."""
        return await self._transport.download(
            "/int/v1/reports/revenue/csv", query={**query, "from": from_}, options=options
        )

    async def download_volume_csv(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsDownloadVolumeCsvQuery],
    ) -> bytes:
        """Download the report `volume` as CSV."""
        return await self._transport.download(
            "/int/v1/reports/volume/csv", query={**query, "from": from_}, options=options
        )

    async def download_webhooks_csv(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsDownloadWebhooksCsvQuery],
    ) -> bytes:
        """Download the report `webhooks` as CSV."""
        return await self._transport.download(
            "/int/v1/reports/webhooks/csv", query={**query, "from": from_}, options=options
        )

    async def get_devices(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsGetDevicesQuery],
    ) -> types.ReportOut:
        """Retrieve the report `devices`."""
        return await self._transport.call(
            "GET", "/int/v1/reports/devices", query={**query, "from": from_}, options=options
        )

    async def get_drivers(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsGetDriversQuery],
    ) -> types.ReportOut:
        """Retrieve the report `drivers`."""
        return await self._transport.call(
            "GET", "/int/v1/reports/drivers", query={**query, "from": from_}, options=options
        )

    async def get_first_attempt(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsGetFirstAttemptQuery],
    ) -> types.ReportOut:
        """Retrieve the report `first-attempt`."""
        return await self._transport.call(
            "GET", "/int/v1/reports/first-attempt", query={**query, "from": from_}, options=options
        )

    async def get_idle(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsGetIdleQuery],
    ) -> types.ReportOut:
        """Retrieve the report `idle`."""
        return await self._transport.call(
            "GET", "/int/v1/reports/idle", query={**query, "from": from_}, options=options
        )

    async def get_kilometres(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsGetKilometresQuery],
    ) -> types.ReportOut:
        """Retrieve the report `kilometres`."""
        return await self._transport.call(
            "GET", "/int/v1/reports/kilometres", query={**query, "from": from_}, options=options
        )

    async def get_margin(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsGetMarginQuery],
    ) -> types.ReportOut:
        """Retrieve the report `margin`."""
        return await self._transport.call(
            "GET", "/int/v1/reports/margin", query={**query, "from": from_}, options=options
        )

    async def get_on_time(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsGetOnTimeQuery],
    ) -> types.ReportOut:
        """Retrieve the report `on-time`."""
        return await self._transport.call(
            "GET", "/int/v1/reports/on-time", query={**query, "from": from_}, options=options
        )

    async def get_proofs(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsGetProofsQuery],
    ) -> types.ReportOut:
        """Retrieve the report `proofs`."""
        return await self._transport.call(
            "GET", "/int/v1/reports/proofs", query={**query, "from": from_}, options=options
        )

    async def get_revenue(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsGetRevenueQuery],
    ) -> types.ReportOut:
        """Retrieve the report `revenue`."""
        return await self._transport.call(
            "GET", "/int/v1/reports/revenue", query={**query, "from": from_}, options=options
        )

    async def get_volume(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsGetVolumeQuery],
    ) -> types.ReportOut:
        """Retrieve the report `volume`."""
        return await self._transport.call(
            "GET", "/int/v1/reports/volume", query={**query, "from": from_}, options=options
        )

    async def get_webhooks(
        self,
        *,
        from_: str | None = None,
        options: Options | None = None,
        **query: Unpack[InternalReportsGetWebhooksQuery],
    ) -> types.ReportOut:
        """Retrieve the report `webhooks`."""
        return await self._transport.call(
            "GET", "/int/v1/reports/webhooks", query={**query, "from": from_}, options=options
        )

    async def list(self, *, options: Options | None = None) -> builtins.list[types.ReportInfo]:
        """List the reports."""
        return await self._transport.call("GET", "/int/v1/reports", options=options)
