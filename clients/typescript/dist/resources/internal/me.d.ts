import type { Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";
export declare class InternalMe {
    #private;
    constructor(transport: Transport);
    /** Retrieve the signed-in operator. */
    get(options?: Options): Promise<types.MeOut>;
    /** Retrieve how you hear of each kind of alert. */
    getAlertRules(options?: Options): Promise<types.AlertRulesOut>;
    /** Retrieve whether you receive the weekly report by email. */
    getWeeklyReport(options?: Options): Promise<types.WeeklyReportOut>;
    /** Change your own name or password. */
    update(body?: types.MeChange, options?: Options): Promise<types.OperatorOut>;
    /** Choose which kinds of alerts are in your list. */
    updateAlertRules(body?: types.AlertRulesChange, options?: Options): Promise<types.AlertRulesOut>;
    /** Begin or end the weekly report by email. */
    updateWeeklyReport(body: types.WeeklyReportIn, options?: Options): Promise<types.WeeklyReportOut>;
}
