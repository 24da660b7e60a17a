"""Providers of sign-ins: how what they say of somebody is proved, and what may be made of it.

Everything here happens before the request's transaction begins, because it may wait for a
provider; what comes of it is a *proven claim*, which `pannier.customers.links` then acts upon.
"""
