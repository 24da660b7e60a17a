import { StorefrontAddresses } from "./addresses.js";
import { StorefrontCustomers } from "./customers.js";
import { StorefrontServiceQuotes } from "./serviceQuotes.js";
export class Storefront {
    addresses;
    customers;
    serviceQuotes;
    constructor(transport) {
        this.addresses = new StorefrontAddresses(transport);
        this.customers = new StorefrontCustomers(transport);
        this.serviceQuotes = new StorefrontServiceQuotes(transport);
    }
}
