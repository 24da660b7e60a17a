export class FleetModuleWhereabouts {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** List positions of vehicles, and of drivers without one, with counts by state. */
    get(query = {}, options) {
        return this.#transport.call("GET", "/int/v1/fleet-module/whereabouts", { query, options });
    }
}
