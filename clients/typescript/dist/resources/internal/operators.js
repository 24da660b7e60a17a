import { segment } from "../../requests.js";
export class InternalOperators {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Create an operator. */
    create(body, options) {
        return this.#transport.call("POST", "/int/v1/operators", { body, options });
    }
    /** Remove an operator. */
    delete(operatorId, options) {
        return this.#transport.download(`/int/v1/operators/${segment(operatorId)}`, { options });
    }
    /** Revoke one token. */
    deleteToken(operatorId, tokenId, options) {
        return this.#transport.call("DELETE", `/int/v1/operators/${segment(operatorId)}/tokens/${segment(tokenId)}`, { options });
    }
    /** Revoke all tokens. */
    deleteTokens(operatorId, options) {
        return this.#transport.call("DELETE", `/int/v1/operators/${segment(operatorId)}/tokens`, { options });
    }
    /** Retrieve an operator. */
    get(operatorId, options) {
        return this.#transport.call("GET", `/int/v1/operators/${segment(operatorId)}`, { options });
    }
    /** List operators. */
    list(query = {}, options) {
        return this.#transport.list("/int/v1/operators", query, options);
    }
    /** List active or revoked tokens, newest first. */
    listTokens(operatorId, query = {}, options) {
        return this.#transport.list(`/int/v1/operators/${segment(operatorId)}/tokens`, query, options);
    }
    /** Update an operator's name, role or password, or disable the operator. */
    update(operatorId, body = {}, options) {
        return this.#transport.call("PATCH", `/int/v1/operators/${segment(operatorId)}`, { body, options });
    }
}
