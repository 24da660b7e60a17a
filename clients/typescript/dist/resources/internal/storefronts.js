import { segment } from "../../requests.js";
export class InternalStorefronts {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Retrieve a storefront, without the secrets of its sign-in providers. */
    get(storefrontId, options) {
        return this.#transport.call("GET", `/int/v1/storefronts/${segment(storefrontId)}`, { options });
    }
    /** List storefronts. */
    list(query = {}, options) {
        return this.#transport.list("/int/v1/storefronts", query, options);
    }
    /** Update a storefront's name, sign-in providers or settings. */
    update(storefrontId, body = {}, options) {
        return this.#transport.call("PATCH", `/int/v1/storefronts/${segment(storefrontId)}`, { body, options });
    }
}
