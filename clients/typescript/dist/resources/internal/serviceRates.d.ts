import type { Pages } from "../../pages.js";
import { type Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";
/** Parameters of `list`. */
export interface InternalServiceRatesListQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /**
     * Field to sort by; prefix it with `-` for descending order. One of `created_at`, `service_name`.
     */
    sort?: string | undefined;
    /** Search text, matched against the beginnings of words in names and numbers. */
    query?: string | undefined;
    /** Filter by service type. */
    service_type?: string | undefined;
    /** Filter by status. */
    status?: "active" | "inactive" | undefined;
    /** Return only rates that storefronts can see; `false` returns the others. */
    public?: boolean | undefined;
    /** ISO 4217 code. */
    currency?: string | undefined;
    /** A service area, by its identifier. */
    service_area?: string | undefined;
    /** A zone. */
    zone?: string | undefined;
}
export declare class InternalServiceRates {
    #private;
    constructor(transport: Transport);
    /** Create a service rate. */
    create(body: types.ServiceRateIn, options?: Options): Promise<types.ServiceRateOut>;
    /** Delete a service rate. */
    delete(serviceRateId: string, options?: Options): Promise<types.RecordDeleted>;
    /** Retrieve a service rate. */
    get(serviceRateId: string, options?: Options): Promise<types.ServiceRateOut>;
    /** List service rates. */
    list(query?: InternalServiceRatesListQuery, options?: Options): Pages<types.ServiceRateOut>;
    /** Price a shipment with one rate or all rates, or explain why no price applies. */
    preview(body?: types.PreviewIn, options?: Options): Promise<types.PreviewOut>;
    /** Update a service rate. */
    update(serviceRateId: string, body?: types.ServiceRateChange, options?: Options): Promise<types.ServiceRateOut>;
}
