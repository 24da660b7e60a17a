"""Customers: the people who sign in to a storefront.

A customer belongs to one *store*. An *identity* is an email address or phone number; only a
verified one belongs to a customer. A *provider* vouches for a *subject* (provider A, B or C in the
contract: Apple, Google, Facebook). A *session* is one sign-in, carried by its token.
"""
