import type { Pages } from "../pages.js";
import { type Options } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";
/** Parameters of `list`. */
export interface OrderTemplatesListQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`, `name`. */
    sort?: string | undefined;
    /** A part of the name. */
    query?: string | undefined;
}
export declare class OrderTemplates {
    #private;
    constructor(transport: Transport);
    /** Save an order as a template. */
    create(body: types.OrderTemplateIn, options?: Options): Promise<types.OrderTemplateOut>;
    /** Create an order from a template. */
    createOrder(orderTemplateId: string, body?: types.DuplicateIn, options?: Options): Promise<types.OrderOut>;
    /** Delete a template. */
    delete(orderTemplateId: string, options?: Options): Promise<types.RecordDeleted>;
    /** Retrieve an order template. */
    get(orderTemplateId: string, options?: Options): Promise<types.OrderTemplateOut>;
    /** List order templates. */
    list(query?: OrderTemplatesListQuery, options?: Options): Pages<types.OrderTemplateOut>;
    /** Rename a template, or copy another order to it. */
    update(orderTemplateId: string, body?: types.OrderTemplateChange, options?: Options): Promise<types.OrderTemplateOut>;
}
