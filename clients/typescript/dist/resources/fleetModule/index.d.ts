import type { Transport } from "../../transport.js";
import { FleetModuleDeviceEvents } from "./deviceEvents.js";
import { FleetModuleDevices } from "./devices.js";
import { FleetModuleVehicles } from "./vehicles.js";
import { FleetModuleWhereabouts } from "./whereabouts.js";
export declare class FleetModule {
    readonly deviceEvents: FleetModuleDeviceEvents;
    readonly devices: FleetModuleDevices;
    readonly vehicles: FleetModuleVehicles;
    readonly whereabouts: FleetModuleWhereabouts;
    constructor(transport: Transport);
}
