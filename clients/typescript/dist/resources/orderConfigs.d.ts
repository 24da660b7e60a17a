import type { Pages } from "../pages.js";
import { type Options } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";
/** Parameters of `list`. */
export interface OrderConfigsListQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /**
     * Field to sort by; prefix it with `-` for descending order. One of `created_at`, `name`, `key`.
     */
    sort?: string | undefined;
    /** Search text for name and key. */
    query?: string | undefined;
    /** Filter by key. */
    key?: string | undefined;
    /** Filter by status. */
    status?: "active" | "inactive" | undefined;
}
export declare class OrderConfigs {
    #private;
    constructor(transport: Transport);
    /** Create an order configuration. */
    create(body: types.OrderConfigIn, options?: Options): Promise<types.OrderConfigOut>;
    /** Delete an order configuration; orders keep the flow they started with. */
    delete(orderConfigId: string, options?: Options): Promise<types.RecordDeleted>;
    /** Retrieve an order configuration. */
    get(orderConfigId: string, options?: Options): Promise<types.OrderConfigOut>;
    /** Retrieve one version of an order configuration's flow. */
    getVersion(orderConfigId: string, number: string, options?: Options): Promise<types.OrderConfigVersionOut>;
    /** List order configurations. */
    list(query?: OrderConfigsListQuery, options?: Options): Pages<types.OrderConfigOut>;
    /** Update an order configuration. */
    update(orderConfigId: string, body?: types.OrderConfigChange, options?: Options): Promise<types.OrderConfigOut>;
}
