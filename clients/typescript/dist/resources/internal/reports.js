export class InternalReports {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Download the report `devices` as CSV. */
    downloadDevicesCsv(query = {}, options) {
        return this.#transport.download("/int/v1/reports/devices/csv", { query, options });
    }
    /** Download the report `drivers` as CSV. */
    downloadDriversCsv(query = {}, options) {
        return this.#transport.download("/int/v1/reports/drivers/csv", { query, options });
    }
    /** Download the report `first-attempt` as CSV. */
    downloadFirstAttemptCsv(query = {}, options) {
        return this.#transport.download("/int/v1/reports/first-attempt/csv", { query, options });
    }
    /** Download the report `idle` as CSV. */
    downloadIdleCsv(query = {}, options) {
        return this.#transport.download("/int/v1/reports/idle/csv", { query, options });
    }
    /** Download the report `kilometres` as CSV. */
    downloadKilometresCsv(query = {}, options) {
        return this.#transport.download("/int/v1/reports/kilometres/csv", { query, options });
    }
    /** Download the report `margin` as CSV. */
    downloadMarginCsv(query = {}, options) {
        return this.#transport.download("/int/v1/reports/margin/csv", { query, options });
    }
    /** Download the report `on-time` as CSV. */
    downloadOnTimeCsv(query = {}, options) {
        return this.#transport.download("/int/v1/reports/on-time/csv", { query, options });
    }
    /** Download the report `proofs` as CSV. */
    downloadProofsCsv(query = {}, options) {
        return this.#transport.download("/int/v1/reports/proofs/csv", { query, options });
    }
    /** Download the report `revenue` as CSV. */
    downloadRevenueCsv(query = {}, options) {
        return this.#transport.download("/int/v1/reports/revenue/csv", { query, options });
    }
    /** Download the report `volume` as CSV. */
    downloadVolumeCsv(query = {}, options) {
        return this.#transport.download("/int/v1/reports/volume/csv", { query, options });
    }
    /** Download the report `webhooks` as CSV. */
    downloadWebhooksCsv(query = {}, options) {
        return this.#transport.download("/int/v1/reports/webhooks/csv", { query, options });
    }
    /** Retrieve the report `devices`. */
    getDevices(query = {}, options) {
        return this.#transport.call("GET", "/int/v1/reports/devices", { query, options });
    }
    /** Retrieve the report `drivers`. */
    getDrivers(query = {}, options) {
        return this.#transport.call("GET", "/int/v1/reports/drivers", { query, options });
    }
    /** Retrieve the report `first-attempt`. */
    getFirstAttempt(query = {}, options) {
        return this.#transport.call("GET", "/int/v1/reports/first-attempt", { query, options });
    }
    /** Retrieve the report `idle`. */
    getIdle(query = {}, options) {
        return this.#transport.call("GET", "/int/v1/reports/idle", { query, options });
    }
    /** Retrieve the report `kilometres`. */
    getKilometres(query = {}, options) {
        return this.#transport.call("GET", "/int/v1/reports/kilometres", { query, options });
    }
    /** Retrieve the report `margin`. */
    getMargin(query = {}, options) {
        return this.#transport.call("GET", "/int/v1/reports/margin", { query, options });
    }
    /** Retrieve the report `on-time`. */
    getOnTime(query = {}, options) {
        return this.#transport.call("GET", "/int/v1/reports/on-time", { query, options });
    }
    /** Retrieve the report `proofs`. */
    getProofs(query = {}, options) {
        return this.#transport.call("GET", "/int/v1/reports/proofs", { query, options });
    }
    /** Retrieve the report `revenue`. */
    getRevenue(query = {}, options) {
        return this.#transport.call("GET", "/int/v1/reports/revenue", { query, options });
    }
    /** Retrieve the report `volume`. */
    getVolume(query = {}, options) {
        return this.#transport.call("GET", "/int/v1/reports/volume", { query, options });
    }
    /** Retrieve the report `webhooks`. */
    getWebhooks(query = {}, options) {
        return this.#transport.call("GET", "/int/v1/reports/webhooks", { query, options });
    }
    /** List the reports. */
    list(options) {
        return this.#transport.call("GET", "/int/v1/reports", { options });
    }
}
