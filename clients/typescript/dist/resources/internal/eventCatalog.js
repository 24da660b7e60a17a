export class InternalEventCatalog {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** List all event types with the JSON Schema of their data. */
    list(options) {
        return this.#transport.call("GET", "/int/v1/event-catalog", { options });
    }
}
