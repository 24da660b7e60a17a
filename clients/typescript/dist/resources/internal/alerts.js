import { segment } from "../../requests.js";
export class InternalAlerts {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Take care of an alert, so that nobody's list shows it as unread. */
    acknowledge(alertId, options) {
        return this.#transport.call("POST", `/int/v1/alerts/${segment(alertId)}/acknowledge`, { options });
    }
    /** Count the open alerts in your list that you have not read. */
    countUnread(options) {
        return this.#transport.call("GET", "/int/v1/alerts/unread", { options });
    }
    /** Retrieve an alert. */
    get(alertId, options) {
        return this.#transport.call("GET", `/int/v1/alerts/${segment(alertId)}`, { options });
    }
    /** List alerts, newest first. */
    list(query = {}, options) {
        return this.#transport.list("/int/v1/alerts", query, options);
    }
    /** Mark an alert as read by you. */
    read(alertId, options) {
        return this.#transport.call("POST", `/int/v1/alerts/${segment(alertId)}/read`, { options });
    }
    /** Mark the alerts in your list as read, at most the newest 1,000. */
    readAll(body = {}, options) {
        return this.#transport.call("POST", "/int/v1/alerts/read", { body, options });
    }
}
