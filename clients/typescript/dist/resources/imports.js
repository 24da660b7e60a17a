import { segment } from "../requests.js";
export class Imports {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Check every row without creating anything. */
    check(importId, options) {
        return this.#transport.call("POST", `/v1/imports/${segment(importId)}/dry-run`, { options });
    }
    /** Create an import of a file. */
    create(body, options) {
        return this.#transport.call("POST", "/v1/imports", { body, options });
    }
    /** Retrieve an import with its progress. */
    get(importId, options) {
        return this.#transport.call("GET", `/v1/imports/${segment(importId)}`, { options });
    }
    /** Download the faulty rows as CSV, with a column for the errors. */
    getFaultyRows(importId, options) {
        return this.#transport.download(`/v1/imports/${segment(importId)}/faulty-rows`, { options });
    }
    /** List imports, sorted by `created_at`. */
    list(query = {}, options) {
        return this.#transport.list("/v1/imports", query, options);
    }
    /** List the results of an import's rows, sorted by `number`. */
    listRows(importId, query = {}, options) {
        return this.#transport.list(`/v1/imports/${segment(importId)}/rows`, query, options);
    }
    /** Create the records of all rows without errors. */
    start(importId, options) {
        return this.#transport.call("POST", `/v1/imports/${segment(importId)}/start`, { options });
    }
    /** Delete the records that an import created, except those in use or changed since. */
    undo(importId, options) {
        return this.#transport.call("POST", `/v1/imports/${segment(importId)}/undo`, { options });
    }
    /** Change the mapping of an import that has not started. */
    update(importId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/imports/${segment(importId)}`, { body, options });
    }
}
