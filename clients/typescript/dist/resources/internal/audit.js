import { segment } from "../../requests.js";
export class InternalAudit {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Retrieve an audit log entry, with the values before and after the change. */
    get(auditId, options) {
        return this.#transport.call("GET", `/int/v1/audit/${segment(auditId)}`, { options });
    }
    /** List changes and who made them. */
    list(query = {}, options) {
        return this.#transport.list("/int/v1/audit", query, options);
    }
}
