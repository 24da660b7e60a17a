import { segment } from "../../requests.js";
export class InternalSavedViews {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Save the filters, sorting and layout of a list under a name. */
    create(body, options) {
        return this.#transport.call("POST", "/int/v1/saved-views", { body, options });
    }
    /** Delete one of your views. */
    delete(savedViewId, options) {
        return this.#transport.call("DELETE", `/int/v1/saved-views/${segment(savedViewId)}`, { options });
    }
    /** Retrieve a view. */
    get(savedViewId, options) {
        return this.#transport.call("GET", `/int/v1/saved-views/${segment(savedViewId)}`, { options });
    }
    /** List your own views and those that others share. */
    list(query = {}, options) {
        return this.#transport.list("/int/v1/saved-views", query, options);
    }
    /** Change one of your views. */
    update(savedViewId, body = {}, options) {
        return this.#transport.call("PATCH", `/int/v1/saved-views/${segment(savedViewId)}`, { body, options });
    }
}
