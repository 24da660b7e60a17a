// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../../pages.js";
import { type Options, segment } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

/** Parameters of `list`. */
export interface InternalAlertsListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `raised_at`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** Any of these. */
  kind?: "delivery_failed" | "device_silent" | "late" | "sos" | "temperature" | "webhook_disabled" | ReadonlyArray<"delivery_failed" | "device_silent" | "late" | "sos" | "temperature" | "webhook_disabled"> | undefined;
  /** Whether the cause continues. */
  open?: boolean | undefined;
  /** Whether it is open, in your list, and not read by you. */
  unread?: boolean | undefined;
  /** Public id of the order, driver, device, vehicle or webhook. */
  subject?: string | undefined;
}

export class InternalAlerts {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Take care of an alert, so that nobody's list shows it as unread. */
  acknowledge(alertId: string, options?: Options): Promise<types.AlertOut> {
    return this.#transport.call(
      "POST",
      `/int/v1/alerts/${segment(alertId)}/acknowledge`,
      { options },
    );
  }

  /** Count the open alerts in your list that you have not read. */
  countUnread(options?: Options): Promise<types.UnreadOut> {
    return this.#transport.call("GET", "/int/v1/alerts/unread", { options });
  }

  /** Retrieve an alert. */
  get(alertId: string, options?: Options): Promise<types.AlertOut> {
    return this.#transport.call("GET", `/int/v1/alerts/${segment(alertId)}`, { options });
  }

  /** List alerts, newest first. */
  list(query: InternalAlertsListQuery = {}, options?: Options): Pages<types.AlertOut> {
    return this.#transport.list("/int/v1/alerts", query, options);
  }

  /** Mark an alert as read by you. */
  read(alertId: string, options?: Options): Promise<types.AlertOut> {
    return this.#transport.call("POST", `/int/v1/alerts/${segment(alertId)}/read`, { options });
  }

  /** Mark the newest 10,000 alerts in your list as read. */
  readAll(body: types.ReadIn = {}, options?: Options): Promise<types.UnreadOut> {
    return this.#transport.call("POST", "/int/v1/alerts/read", { body, options });
  }
}
