import { segment } from "../../requests.js";
export class InternalDevices {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Attach a device to a vehicle. */
    attach(deviceId, body, options) {
        return this.#transport.call("POST", `/int/v1/devices/${segment(deviceId)}/attach`, { body, options });
    }
    /** Register a device. */
    create(body, options) {
        return this.#transport.call("POST", "/int/v1/devices", { body, options });
    }
    /** Delete a device. */
    delete(deviceId, options) {
        return this.#transport.call("DELETE", `/int/v1/devices/${segment(deviceId)}`, { options });
    }
    /** Revoke one token. */
    deleteToken(deviceId, tokenId, options) {
        return this.#transport.call("DELETE", `/int/v1/devices/${segment(deviceId)}/tokens/${segment(tokenId)}`, { options });
    }
    /** Revoke all tokens. */
    deleteTokens(deviceId, options) {
        return this.#transport.call("DELETE", `/int/v1/devices/${segment(deviceId)}/tokens`, { options });
    }
    /** Detach a device from its vehicle. */
    detach(deviceId, body = {}, options) {
        return this.#transport.call("POST", `/int/v1/devices/${segment(deviceId)}/detach`, { body, options });
    }
    /** Retrieve a device. */
    get(deviceId, options) {
        return this.#transport.call("GET", `/int/v1/devices/${segment(deviceId)}`, { options });
    }
    /** List devices. */
    list(query = {}, options) {
        return this.#transport.list("/int/v1/devices", query, options);
    }
    /** List the vehicles that a device was attached to, latest first. */
    listAttachments(deviceId, query = {}, options) {
        return this.#transport.list(`/int/v1/devices/${segment(deviceId)}/attachments`, query, options);
    }
    /** List active or revoked tokens, newest first. */
    listTokens(deviceId, query = {}, options) {
        return this.#transport.list(`/int/v1/devices/${segment(deviceId)}/tokens`, query, options);
    }
    /** Issue a new token. */
    rotateToken(deviceId, body = {}, options) {
        return this.#transport.call("POST", `/int/v1/devices/${segment(deviceId)}/rotate-token`, { body, options });
    }
    /** Update a device. */
    update(deviceId, body = {}, options) {
        return this.#transport.call("PATCH", `/int/v1/devices/${segment(deviceId)}`, { body, options });
    }
}
