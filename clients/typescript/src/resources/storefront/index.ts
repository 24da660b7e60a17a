// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Transport } from "../../transport.js";
import { StorefrontAddresses } from "./addresses.js";
import { StorefrontCustomers } from "./customers.js";
import { StorefrontServiceQuotes } from "./serviceQuotes.js";

export class Storefront {
  readonly addresses: StorefrontAddresses;
  readonly customers: StorefrontCustomers;
  readonly serviceQuotes: StorefrontServiceQuotes;

  constructor(transport: Transport) {
    this.addresses = new StorefrontAddresses(transport);
    this.customers = new StorefrontCustomers(transport);
    this.serviceQuotes = new StorefrontServiceQuotes(transport);
  }
}
