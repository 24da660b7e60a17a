import type { Pages } from "../../pages.js";
import { type Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";
/** Parameters of `list`. */
export interface InternalKeysListQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`, `name`. */
    sort?: string | undefined;
    /** Filter by kind. */
    kind?: "api" | "app" | "storefront" | undefined;
    /** Return only revoked keys; `false` returns active ones. */
    revoked?: boolean | undefined;
}
export declare class InternalKeys {
    #private;
    constructor(transport: Transport);
    /** Create a key. */
    create(body: types.KeyIn, options?: Options): Promise<types.NewKeyOut>;
    /** Revoke a key. */
    delete(keyId: string, options?: Options): Promise<types.KeyOut>;
    /** Retrieve a key. */
    get(keyId: string, options?: Options): Promise<types.KeyOut>;
    /** List keys. */
    list(query?: InternalKeysListQuery, options?: Options): Pages<types.KeyOut>;
    /** Replace a key. */
    rotate(keyId: string, body?: types.KeyRotation, options?: Options): Promise<types.NewKeyOut>;
    /** Update a key. */
    update(keyId: string, body?: types.KeyChange, options?: Options): Promise<types.KeyOut>;
}
