export class InternalHome {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Retrieve today's figures, and the counts of what needs a decision. */
    get(options) {
        return this.#transport.call("GET", "/int/v1/home", { options });
    }
}
