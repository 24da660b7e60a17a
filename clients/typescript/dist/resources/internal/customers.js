import { segment } from "../../requests.js";
export class InternalCustomers {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Close a customer's account on the customer's behalf. */
    close(customerId, body, options) {
        return this.#transport.call("POST", `/int/v1/customers/${segment(customerId)}/close`, { body, options });
    }
    /** Revoke one token. */
    deleteToken(customerId, tokenId, options) {
        return this.#transport.call("DELETE", `/int/v1/customers/${segment(customerId)}/tokens/${segment(tokenId)}`, { options });
    }
    /** Revoke all tokens. */
    deleteTokens(customerId, options) {
        return this.#transport.call("DELETE", `/int/v1/customers/${segment(customerId)}/tokens`, { options });
    }
    /** Close a customer's account if it is open, and erase it without the grace period. */
    erase(customerId, body, options) {
        return this.#transport.call("POST", `/int/v1/customers/${segment(customerId)}/erase`, { body, options });
    }
    /** Export all data of a customer. */
    export(customerId, query = {}, options) {
        return this.#transport.call("GET", `/int/v1/customers/${segment(customerId)}/export`, { query, options });
    }
    /** Retrieve a customer. */
    get(customerId, options) {
        return this.#transport.call("GET", `/int/v1/customers/${segment(customerId)}`, { options });
    }
    /** List customers, newest first. */
    list(query = {}, options) {
        return this.#transport.list("/int/v1/customers", query, options);
    }
    /** List active or revoked tokens, newest first. */
    listTokens(customerId, query = {}, options) {
        return this.#transport.list(`/int/v1/customers/${segment(customerId)}/tokens`, query, options);
    }
    /** Send a push message to every device of a customer. */
    push(customerId, body, options) {
        return this.#transport.call("POST", `/int/v1/customers/${segment(customerId)}/push`, { body, options });
    }
    /** Restore a closed account before it is erased. */
    restore(customerId, options) {
        return this.#transport.call("POST", `/int/v1/customers/${segment(customerId)}/restore`, { options });
    }
}
