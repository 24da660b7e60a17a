import { segment } from "../requests.js";
export class Drivers {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Call for help. */
    callForHelp(driverId, body = {}, options) {
        return this.#transport.call("POST", `/v1/drivers/${segment(driverId)}/sos`, { body, options });
    }
    /** Create a driver. */
    create(body, options) {
        return this.#transport.call("POST", "/v1/drivers", { body, options });
    }
    /** Report up to 1,000 positions of a driver. */
    createPositions(driverId, body, options) {
        return this.#transport.call("POST", `/v1/drivers/${segment(driverId)}/positions`, { body, options });
    }
    /** Delete a driver. */
    delete(driverId, options) {
        return this.#transport.call("DELETE", `/v1/drivers/${segment(driverId)}`, { options });
    }
    /** End one of your sessions. */
    deleteSession(sessionId, options) {
        return this.#transport.call("DELETE", `/v1/drivers/sessions/${segment(sessionId)}`, { options });
    }
    /** Retrieve a driver. */
    get(driverId, options) {
        return this.#transport.call("GET", `/v1/drivers/${segment(driverId)}`, { options });
    }
    /** Retrieve the cash that a driver has collected and not handed in. */
    getCash(driverId, options) {
        return this.#transport.call("GET", `/v1/drivers/${segment(driverId)}/cash`, { options });
    }
    /** List the remaining stops of a driver's open orders, in sequence, with ETAs. */
    getStops(driverId, options) {
        return this.#transport.call("GET", `/v1/drivers/${segment(driverId)}/stops`, { options });
    }
    /** Hand in the cash that a driver has collected in one currency, and record the count. */
    handInCash(driverId, body, options) {
        return this.#transport.call("POST", `/v1/drivers/${segment(driverId)}/cash/hand-in`, { body, options });
    }
    /** List the company's drivers, or those near a point. */
    list(query = {}, options) {
        return this.#transport.list("/v1/drivers", query, options);
    }
    /** List a driver's positions, latest first. */
    listPositions(driverId, query = {}, options) {
        return this.#transport.list(`/v1/drivers/${segment(driverId)}/positions`, query, options);
    }
    /** List your sessions, newest first. */
    listSessions(options) {
        return this.#transport.call("GET", "/v1/drivers/sessions", { options });
    }
    /** Send a sign-in code to a driver. */
    loginWithSms(body, options) {
        return this.#transport.call("POST", "/v1/drivers/login-with-sms", { body, options });
    }
    /** End the session that the request uses. */
    logout(options) {
        return this.#transport.call("POST", "/v1/drivers/logout", { options });
    }
    /** End all your sessions, including this one. */
    logoutAll(options) {
        return this.#transport.call("POST", "/v1/drivers/logout-all", { options });
    }
    /** Set a driver online or offline. */
    toggleOnline(driverId, body = {}, options) {
        return this.#transport.call("POST", `/v1/drivers/${segment(driverId)}/toggle-online`, { body, options });
    }
    /** Report a driver's position, also for the vehicle. */
    track(driverId, body = {}, options) {
        return this.#transport.call("POST", `/v1/drivers/${segment(driverId)}/track`, { body, options });
    }
    /** Update a driver. */
    update(driverId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/drivers/${segment(driverId)}`, { body, options });
    }
    /** Set a driver online or offline. */
    updateToggleOnline(driverId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/drivers/${segment(driverId)}/toggle-online`, { body, options });
    }
    /** Report a driver's position, also for the vehicle. */
    updateTrack(driverId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/drivers/${segment(driverId)}/track`, { body, options });
    }
    /** Exchange a code for a driver token. */
    verifyCode(body, options) {
        return this.#transport.call("POST", "/v1/drivers/verify-code", { body, options });
    }
}
