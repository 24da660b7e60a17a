import { segment } from "../../requests.js";
export class InternalParked {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Delete a parked job, so that it is not retried. */
    delete(parkedId, options) {
        return this.#transport.call("DELETE", `/int/v1/parked/${segment(parkedId)}`, { options });
    }
    /** Retrieve a parked job: background work that kept failing. */
    get(parkedId, options) {
        return this.#transport.call("GET", `/int/v1/parked/${segment(parkedId)}`, { options });
    }
    /** List parked jobs: background work that kept failing. */
    list(query = {}, options) {
        return this.#transport.list("/int/v1/parked", query, options);
    }
    /** Retry a parked job now. */
    retry(parkedId, options) {
        return this.#transport.call("POST", `/int/v1/parked/${segment(parkedId)}/retry`, { options });
    }
}
