import type { Pages } from "../../pages.js";
import { type Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";
/** Parameters of `list`. */
export interface InternalStorefrontsListQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`, `name`. */
    sort?: string | undefined;
}
export declare class InternalStorefronts {
    #private;
    constructor(transport: Transport);
    /** Retrieve a storefront, without the secrets of its sign-in providers. */
    get(storefrontId: string, options?: Options): Promise<types.StorefrontOut>;
    /** List storefronts. */
    list(query?: InternalStorefrontsListQuery, options?: Options): Pages<types.StorefrontOut>;
    /** Update a storefront's name, sign-in providers or settings. */
    update(storefrontId: string, body?: types.StorefrontChange, options?: Options): Promise<types.StorefrontOut>;
}
