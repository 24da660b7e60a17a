import type { Pages } from "../pages.js";
import { type Options } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";
/** Parameters of `list`. */
export interface EntitiesListQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`, `name`. */
    sort?: string | undefined;
    /** Beginnings of words. */
    query?: string | undefined;
    /** Payload, by UUID or public id. */
    payload?: string | undefined;
    /** Filter by the stop where the item is delivered. */
    destination?: string | undefined;
    /** Filter by type. */
    type?: string | undefined;
    /** The company's own number. */
    internal_id?: string | undefined;
    /** Filter by SKU. */
    sku?: string | undefined;
    /** Customer, by UUID or public id. */
    customer?: string | undefined;
}
export declare class Entities {
    #private;
    constructor(transport: Transport);
    /** Create an entity, with or without a payload. */
    create(body: types.NewEntity, options?: Options): Promise<types.EntityOut>;
    /** Delete an entity. */
    delete(entityId: string, options?: Options): Promise<types.RecordDeleted>;
    /** Retrieve an entity. */
    get(entityId: string, options?: Options): Promise<types.EntityOut>;
    /** List entities. */
    list(query?: EntitiesListQuery, options?: Options): Pages<types.EntityOut>;
    /** Update an entity, or move it to another payload. */
    update(entityId: string, body?: types.EntityChange, options?: Options): Promise<types.EntityOut>;
}
