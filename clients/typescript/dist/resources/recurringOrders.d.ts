import type { Pages } from "../pages.js";
import { type Options } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";
/** Parameters of `list`. */
export interface RecurringOrdersListQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`, `name`. */
    sort?: string | undefined;
    /** A part of the name. */
    query?: string | undefined;
}
/** Parameters of `listDays`. */
export interface RecurringOrdersListDaysQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `day`. */
    sort?: string | undefined;
}
export declare class RecurringOrders {
    #private;
    constructor(transport: Transport);
    /** Begin a recurring order: the worker creates orders by a rule of days. */
    create(body: types.RecurringOrderIn, options?: Options): Promise<types.RecurringOrderOut>;
    /** Create the order of a day now, even if it was refused or skipped before. */
    createOrder(recurringOrderId: string, body: types.RecurringDayIn, options?: Options): Promise<types.RecurringOrderOut>;
    /** Delete a recurring order and the record of its days. */
    delete(recurringOrderId: string, options?: Options): Promise<types.RecordDeleted>;
    /** End a recurring order for good. */
    end(recurringOrderId: string, options?: Options): Promise<types.RecurringOrderOut>;
    /** Retrieve a recurring order. */
    get(recurringOrderId: string, options?: Options): Promise<types.RecurringOrderOut>;
    /** List the next days without an order. */
    getNextDays(recurringOrderId: string, options?: Options): Promise<types.RuleDatesOut>;
    /** List recurring orders. */
    list(query?: RecurringOrdersListQuery, options?: Options): Pages<types.RecurringOrderOut>;
    /** List the days that were decided: their orders, or why there is none. */
    listDays(recurringOrderId: string, query?: RecurringOrdersListDaysQuery, options?: Options): Pages<types.RecurringDayOut>;
    /** Pause a recurring order. */
    pause(recurringOrderId: string, options?: Options): Promise<types.RecurringOrderOut>;
    /** Describe a rule in words, and list its next days. */
    preview(body: types.RulePreviewIn, options?: Options): Promise<types.RuleDatesOut>;
    /** Resume a recurring order from today on. */
    resume(recurringOrderId: string, options?: Options): Promise<types.RecurringOrderOut>;
    /** Skip one day: a day to come, or one whose order was refused. */
    skip(recurringOrderId: string, body: types.RecurringDayIn, options?: Options): Promise<types.RecurringOrderOut>;
    /** Update a recurring order. */
    update(recurringOrderId: string, body?: types.RecurringOrderChange, options?: Options): Promise<types.RecurringOrderOut>;
}
