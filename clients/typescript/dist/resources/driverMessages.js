import { segment } from "../requests.js";
export class DriverMessages {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Send a message to a driver. */
    create(body, options) {
        return this.#transport.call("POST", "/v1/driver-messages", { body, options });
    }
    /** List messages between dispatch and drivers, newest first. */
    list(query = {}, options) {
        return this.#transport.list("/v1/driver-messages", query, options);
    }
    /** Mark a thread as read, up to this message, by the side that sends the request. */
    read(driverMessageId, body = {}, options) {
        return this.#transport.call("POST", `/v1/driver-messages/${segment(driverMessageId)}/read`, { body, options });
    }
    /** Mark a thread as read, up to this message, by the side that sends the request. */
    updateRead(driverMessageId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/driver-messages/${segment(driverMessageId)}/read`, { body, options });
    }
}
