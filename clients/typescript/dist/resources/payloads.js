import { segment } from "../requests.js";
export class Payloads {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Create a payload with its stops and items. */
    create(body = {}, options) {
        return this.#transport.call("POST", "/v1/payloads", { body, options });
    }
    /** Delete a payload without an order, together with its stops and items. */
    delete(payloadId, options) {
        return this.#transport.call("DELETE", `/v1/payloads/${segment(payloadId)}`, { options });
    }
    /** Retrieve a payload with its stops and items. */
    get(payloadId, options) {
        return this.#transport.call("GET", `/v1/payloads/${segment(payloadId)}`, { options });
    }
    /** List payloads. */
    list(query = {}, options) {
        return this.#transport.list("/v1/payloads", query, options);
    }
    /** Update a payload. */
    update(payloadId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/payloads/${segment(payloadId)}`, { body, options });
    }
}
