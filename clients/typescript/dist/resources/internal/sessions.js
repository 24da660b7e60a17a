import { segment } from "../../requests.js";
export class InternalSessions {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Revoke one token. */
    delete(tokenId, options) {
        return this.#transport.call("DELETE", `/int/v1/sessions/${segment(tokenId)}`, { options });
    }
    /** Revoke all tokens. */
    deleteAll(options) {
        return this.#transport.call("DELETE", "/int/v1/sessions", { options });
    }
    /** List active or revoked tokens, newest first. */
    list(query = {}, options) {
        return this.#transport.list("/int/v1/sessions", query, options);
    }
}
