export class InternalSampleData {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Add sample data to a company without orders and webhooks. */
    create(options) {
        return this.#transport.call("POST", "/int/v1/sample-data", { options });
    }
    /** Remove the sample data, except records that were changed or are in use. */
    delete(options) {
        return this.#transport.call("DELETE", "/int/v1/sample-data", { options });
    }
    /** List the sample data that was not removed. */
    get(options) {
        return this.#transport.call("GET", "/int/v1/sample-data", { options });
    }
}
