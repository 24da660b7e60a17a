"""Sign-in providers: how their claims about a person are verified.

Verification may wait for a provider, so it happens before the request's transaction begins. Its
result is a *proven claim*, which `pannier.customers.provider_links` acts on.
"""
