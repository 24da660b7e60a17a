import { segment } from "../../requests.js";
export class InternalDrivers {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Revoke one token. */
    deleteToken(driverId, tokenId, options) {
        return this.#transport.call("DELETE", `/int/v1/drivers/${segment(driverId)}/tokens/${segment(tokenId)}`, { options });
    }
    /** Revoke all tokens. */
    deleteTokens(driverId, options) {
        return this.#transport.call("DELETE", `/int/v1/drivers/${segment(driverId)}/tokens`, { options });
    }
    /** Retrieve a driver's link to the driver app. */
    getAppLink(driverId, options) {
        return this.#transport.call("GET", `/int/v1/drivers/${segment(driverId)}/app-link`, { options });
    }
    /** Retrieve the cash that a driver has collected and not handed in. */
    getCash(driverId, options) {
        return this.#transport.call("GET", `/int/v1/drivers/${segment(driverId)}/cash`, { options });
    }
    /** Hand in the cash that a driver has collected in one currency, and record the count. */
    handInCash(driverId, body, options) {
        return this.#transport.call("POST", `/int/v1/drivers/${segment(driverId)}/cash/hand-in`, { body, options });
    }
    /** List active or revoked tokens, newest first. */
    listTokens(driverId, query = {}, options) {
        return this.#transport.list(`/int/v1/drivers/${segment(driverId)}/tokens`, query, options);
    }
    /** Send a driver the link to the driver app by SMS or email. */
    sendAppLink(driverId, body, options) {
        return this.#transport.call("POST", `/int/v1/drivers/${segment(driverId)}/send-app-link`, { body, options });
    }
}
