import { segment } from "../requests.js";
export class Issues {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Report an issue. */
    create(body, options) {
        return this.#transport.call("POST", "/v1/issues", { body, options });
    }
    /** Add photos to an issue. */
    createPhoto(issueId, body = {}, options) {
        return this.#transport.call("POST", `/v1/issues/${segment(issueId)}/photos`, { body, options });
    }
    /** Report an issue together with its photos. */
    createWithPhotos(body, options) {
        return this.#transport.call("POST", "/v1/issues/with-photos", { body, options });
    }
    /** Delete an issue. */
    delete(issueId, options) {
        return this.#transport.call("DELETE", `/v1/issues/${segment(issueId)}`, { options });
    }
    /** Retrieve an issue. */
    get(issueId, options) {
        return this.#transport.call("GET", `/v1/issues/${segment(issueId)}`, { options });
    }
    /** List the company's issues. */
    list(query = {}, options) {
        return this.#transport.list("/v1/issues", query, options);
    }
    /** List the photos of an issue with fresh links. */
    listPhotos(issueId, options) {
        return this.#transport.call("GET", `/v1/issues/${segment(issueId)}/photos`, { options });
    }
    /** Reopen a resolved issue. */
    reopen(issueId, options) {
        return this.#transport.call("POST", `/v1/issues/${segment(issueId)}/reopen`, { options });
    }
    /** Resolve an issue. */
    resolve(issueId, body = {}, options) {
        return this.#transport.call("POST", `/v1/issues/${segment(issueId)}/resolve`, { body, options });
    }
    /** Update an issue. */
    update(issueId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/issues/${segment(issueId)}`, { body, options });
    }
    /** Reopen a resolved issue. */
    updateReopen(issueId, options) {
        return this.#transport.call("PATCH", `/v1/issues/${segment(issueId)}/reopen`, { options });
    }
    /** Resolve an issue. */
    updateResolve(issueId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/issues/${segment(issueId)}/resolve`, { body, options });
    }
}
