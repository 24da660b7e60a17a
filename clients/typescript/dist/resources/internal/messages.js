import { segment } from "../../requests.js";
export class InternalMessages {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Retrieve a message and its delivery state. */
    get(messageId, options) {
        return this.#transport.call("GET", `/int/v1/messages/${segment(messageId)}`, { options });
    }
    /** List messages, newest first, including those of channels without a provider. */
    list(query = {}, options) {
        return this.#transport.list("/int/v1/messages", query, options);
    }
}
