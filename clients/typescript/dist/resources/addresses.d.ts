import type { Options } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";
/** Parameters of `findByLocation`. */
export interface AddressesFindByLocationQuery {
    /** `latitude,longitude` or GeoJSON. */
    location: string | {
        [name: string]: unknown;
    };
}
/** Parameters of `list`. */
export interface AddressesListQuery {
    /** An address or its beginning: street, house number, postcode and city in any order. */
    query: string;
    /** `latitude,longitude` or GeoJSON. Addresses near it come first. */
    near?: string | {
        [name: string]: unknown;
    } | undefined;
    /** Only addresses in this country. */
    country?: string | undefined;
    /** Filter by limit. */
    limit?: number | undefined;
}
export declare class Addresses {
    #private;
    constructor(transport: Transport);
    /** Find the address of a point: the nearest house, street or place. */
    findByLocation(query: AddressesFindByLocationQuery, options?: Options): Promise<types.AddressOut>;
    /** Suggest addresses for the text typed so far, best match first. */
    list(query: AddressesListQuery, options?: Options): Promise<Array<types.AddressOut>>;
}
