export class InternalSms {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Report the SMS codes sent in the last 24 hours, and the paused countries. */
    get(options) {
        return this.#transport.call("GET", "/int/v1/sms", { options });
    }
}
