import { FleetModuleDeviceEvents } from "./deviceEvents.js";
import { FleetModuleDevices } from "./devices.js";
import { FleetModuleVehicles } from "./vehicles.js";
import { FleetModuleWhereabouts } from "./whereabouts.js";
export class FleetModule {
    deviceEvents;
    devices;
    vehicles;
    whereabouts;
    constructor(transport) {
        this.deviceEvents = new FleetModuleDeviceEvents(transport);
        this.devices = new FleetModuleDevices(transport);
        this.vehicles = new FleetModuleVehicles(transport);
        this.whereabouts = new FleetModuleWhereabouts(transport);
    }
}
