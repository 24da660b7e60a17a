// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

export class InternalMe {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Retrieve the signed-in operator. */
  get(options?: Options): Promise<types.MeOut> {
    return this.#transport.call("GET", "/int/v1/me", { options });
  }

  /** Retrieve how you hear of each kind of alert. */
  getAlertRules(options?: Options): Promise<types.AlertRulesOut> {
    return this.#transport.call("GET", "/int/v1/me/alert-rules", { options });
  }

  /** Retrieve whether you receive the weekly report by email. */
  getWeeklyReport(options?: Options): Promise<types.WeeklyReportOut> {
    return this.#transport.call("GET", "/int/v1/me/weekly-report", { options });
  }

  /** Change your own name or password. */
  update(body: types.MeChange = {}, options?: Options): Promise<types.OperatorOut> {
    return this.#transport.call("PATCH", "/int/v1/me", { body, options });
  }

  /** Choose which kinds of alerts are in your list, and which are announced. */
  updateAlertRules(
    body: types.AlertRulesChange = {},
    options?: Options,
  ): Promise<types.AlertRulesOut> {
    return this.#transport.call("PATCH", "/int/v1/me/alert-rules", { body, options });
  }

  /** Begin or end the weekly report by email. */
  updateWeeklyReport(
    body: types.WeeklyReportIn,
    options?: Options,
  ): Promise<types.WeeklyReportOut> {
    return this.#transport.call("PUT", "/int/v1/me/weekly-report", { body, options });
  }
}
