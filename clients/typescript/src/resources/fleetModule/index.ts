// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Transport } from "../../transport.js";
import { FleetModuleDeviceEvents } from "./deviceEvents.js";
import { FleetModuleDevices } from "./devices.js";
import { FleetModuleVehicles } from "./vehicles.js";
import { FleetModuleWhereabouts } from "./whereabouts.js";

export class FleetModule {
  readonly deviceEvents: FleetModuleDeviceEvents;
  readonly devices: FleetModuleDevices;
  readonly vehicles: FleetModuleVehicles;
  readonly whereabouts: FleetModuleWhereabouts;

  constructor(transport: Transport) {
    this.deviceEvents = new FleetModuleDeviceEvents(transport);
    this.devices = new FleetModuleDevices(transport);
    this.vehicles = new FleetModuleVehicles(transport);
    this.whereabouts = new FleetModuleWhereabouts(transport);
  }
}
