# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.fleet_module`."""

from __future__ import annotations

from functools import cached_property

from pannier_client.resources.fleet_module.device_events import (
    AsyncFleetModuleDeviceEvents,
    FleetModuleDeviceEvents,
)
from pannier_client.resources.fleet_module.devices import (
    AsyncFleetModuleDevices,
    FleetModuleDevices,
)
from pannier_client.resources.fleet_module.vehicles import (
    AsyncFleetModuleVehicles,
    FleetModuleVehicles,
)
from pannier_client.resources.fleet_module.whereabouts import (
    AsyncFleetModuleWhereabouts,
    FleetModuleWhereabouts,
)
from pannier_client.transport import AsyncTransport, Transport


class FleetModule:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    @cached_property
    def device_events(self) -> FleetModuleDeviceEvents:
        return FleetModuleDeviceEvents(self._transport)

    @cached_property
    def devices(self) -> FleetModuleDevices:
        return FleetModuleDevices(self._transport)

    @cached_property
    def vehicles(self) -> FleetModuleVehicles:
        return FleetModuleVehicles(self._transport)

    @cached_property
    def whereabouts(self) -> FleetModuleWhereabouts:
        return FleetModuleWhereabouts(self._transport)


class AsyncFleetModule:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    @cached_property
    def device_events(self) -> AsyncFleetModuleDeviceEvents:
        return AsyncFleetModuleDeviceEvents(self._transport)

    @cached_property
    def devices(self) -> AsyncFleetModuleDevices:
        return AsyncFleetModuleDevices(self._transport)

    @cached_property
    def vehicles(self) -> AsyncFleetModuleVehicles:
        return AsyncFleetModuleVehicles(self._transport)

    @cached_property
    def whereabouts(self) -> AsyncFleetModuleWhereabouts:
        return AsyncFleetModuleWhereabouts(self._transport)
