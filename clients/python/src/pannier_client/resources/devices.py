# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.devices`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class DevicesListQuery(TypedDict, total=False):
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
    kind: types.DeviceKind | Sequence[types.DeviceKind]
    """Any of these."""
    vehicle: str
    """Filter by vehicle, including the phone of its driver."""
    driver: str
    """This driver's phone."""
    status: types.ConnectionStatus | Sequence[types.ConnectionStatus]
    """Any of these."""
    identifier: str
    """The device's own id: an IMEI, a serial number or the id in an app."""


class DevicesListAttachmentsQuery(TypedDict, total=False):
    """Parameters of `list_attachments`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""


class Devices:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def attach(
        self, device_id: str, /, *, options: Options | None = None, **fields: Unpack[types.AttachIn]
    ) -> types.DeviceOut:
        """Attach a device to a vehicle."""
        return self._transport.call(
            "POST",
            fill_path("/v1/devices/{device_id}/attach", device_id),
            body=fields,
            options=options,
        )

    def create(
        self, *, options: Options | None = None, **fields: Unpack[types.NewDeviceIn]
    ) -> types.NewDeviceOut:
        """Register a device."""
        return self._transport.call("POST", "/v1/devices", body=fields, options=options)

    def delete(self, device_id: str, /, *, options: Options | None = None) -> types.RecordDeleted:
        """Delete a device."""
        return self._transport.call(
            "DELETE", fill_path("/v1/devices/{device_id}", device_id), options=options
        )

    def detach(
        self, device_id: str, /, *, options: Options | None = None, **fields: Unpack[types.DetachIn]
    ) -> types.DeviceOut:
        """Detach a device from its vehicle."""
        return self._transport.call(
            "POST",
            fill_path("/v1/devices/{device_id}/detach", device_id),
            body=fields,
            options=options,
        )

    def get(self, device_id: str, /, *, options: Options | None = None) -> types.DeviceOut:
        """Retrieve a device."""
        return self._transport.call(
            "GET", fill_path("/v1/devices/{device_id}", device_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[DevicesListQuery]
    ) -> Pages[types.DeviceOut]:
        """List devices."""
        return self._transport.list_pages("/v1/devices", query=query, options=options)

    def list_attachments(
        self,
        device_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[DevicesListAttachmentsQuery],
    ) -> Pages[types.AttachmentOut]:
        """List the vehicles that a device was attached to, latest first."""
        return self._transport.list_pages(
            fill_path("/v1/devices/{device_id}/attachments", device_id),
            query=query,
            options=options,
        )

    def rotate_token(
        self,
        device_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.RotateTokenIn],
    ) -> types.NewDeviceOut:
        """Issue a new token."""
        return self._transport.call(
            "POST",
            fill_path("/v1/devices/{device_id}/rotate-token", device_id),
            body=fields,
            options=options,
        )

    def update(
        self,
        device_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.DeviceChange],
    ) -> types.DeviceOut:
        """Update a device."""
        return self._transport.call(
            "PATCH", fill_path("/v1/devices/{device_id}", device_id), body=fields, options=options
        )


class AsyncDevices:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def attach(
        self, device_id: str, /, *, options: Options | None = None, **fields: Unpack[types.AttachIn]
    ) -> types.DeviceOut:
        """Attach a device to a vehicle."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/devices/{device_id}/attach", device_id),
            body=fields,
            options=options,
        )

    async def create(
        self, *, options: Options | None = None, **fields: Unpack[types.NewDeviceIn]
    ) -> types.NewDeviceOut:
        """Register a device."""
        return await self._transport.call("POST", "/v1/devices", body=fields, options=options)

    async def delete(
        self, device_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete a device."""
        return await self._transport.call(
            "DELETE", fill_path("/v1/devices/{device_id}", device_id), options=options
        )

    async def detach(
        self, device_id: str, /, *, options: Options | None = None, **fields: Unpack[types.DetachIn]
    ) -> types.DeviceOut:
        """Detach a device from its vehicle."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/devices/{device_id}/detach", device_id),
            body=fields,
            options=options,
        )

    async def get(self, device_id: str, /, *, options: Options | None = None) -> types.DeviceOut:
        """Retrieve a device."""
        return await self._transport.call(
            "GET", fill_path("/v1/devices/{device_id}", device_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[DevicesListQuery]
    ) -> AsyncPages[types.DeviceOut]:
        """List devices."""
        return self._transport.list_pages("/v1/devices", query=query, options=options)

    def list_attachments(
        self,
        device_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[DevicesListAttachmentsQuery],
    ) -> AsyncPages[types.AttachmentOut]:
        """List the vehicles that a device was attached to, latest first."""
        return self._transport.list_pages(
            fill_path("/v1/devices/{device_id}/attachments", device_id),
            query=query,
            options=options,
        )

    async def rotate_token(
        self,
        device_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.RotateTokenIn],
    ) -> types.NewDeviceOut:
        """Issue a new token."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/devices/{device_id}/rotate-token", device_id),
            body=fields,
            options=options,
        )

    async def update(
        self,
        device_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.DeviceChange],
    ) -> types.DeviceOut:
        """Update a device."""
        return await self._transport.call(
            "PATCH", fill_path("/v1/devices/{device_id}", device_id), body=fields, options=options
        )
