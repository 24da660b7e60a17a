import { segment } from "../requests.js";
export class Files {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Upload a file, as a form or as JSON. */
    create(body, options) {
        return this.#transport.call("POST", "/v1/files", { body, options });
    }
    /** Delete a file; its links stop working immediately. */
    delete(fileId, options) {
        return this.#transport.call("DELETE", `/v1/files/${segment(fileId)}`, { options });
    }
    /** Retrieve a file's metadata, with a new link to its content. */
    get(fileId, options) {
        return this.#transport.call("GET", `/v1/files/${segment(fileId)}`, { options });
    }
    /** List the company's files. */
    list(query = {}, options) {
        return this.#transport.list("/v1/files", query, options);
    }
}
