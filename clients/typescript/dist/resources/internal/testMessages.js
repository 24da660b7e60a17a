export class InternalTestMessages {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Send a test message by SMS or email. */
    create(body, options) {
        return this.#transport.call("POST", "/int/v1/test-messages", { body, options });
    }
}
