export class Organizations {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Retrieve the company that the key belongs to. */
    getCurrent(options) {
        return this.#transport.call("GET", "/v1/organizations/current", { options });
    }
}
