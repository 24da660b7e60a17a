export class InternalMe {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Retrieve the signed-in operator. */
    get(options) {
        return this.#transport.call("GET", "/int/v1/me", { options });
    }
    /** Retrieve how you hear of each kind of alert. */
    getAlertRules(options) {
        return this.#transport.call("GET", "/int/v1/me/alert-rules", { options });
    }
    /** Retrieve whether you receive the weekly report by email. */
    getWeeklyReport(options) {
        return this.#transport.call("GET", "/int/v1/me/weekly-report", { options });
    }
    /** Change your own name or password. */
    update(body = {}, options) {
        return this.#transport.call("PATCH", "/int/v1/me", { body, options });
    }
    /** Choose which kinds of alerts are in your list. */
    updateAlertRules(body = {}, options) {
        return this.#transport.call("PATCH", "/int/v1/me/alert-rules", { body, options });
    }
    /** Begin or end the weekly report by email. */
    updateWeeklyReport(body, options) {
        return this.#transport.call("PUT", "/int/v1/me/weekly-report", { body, options });
    }
}
