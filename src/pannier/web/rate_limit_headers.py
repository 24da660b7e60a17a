"""The headers `RateLimit-Policy` and `RateLimit`, as the IETF's httpapi group drafts them."""

import math

from pannier.web.exchange import Exchange
from pannier.web.idempotency import Headers


def make_headers(exchange: Exchange) -> Headers:
    """Describe the rate limits of the caller's credentials, and what is left of them."""
    limiter, rate = exchange.edge.limiter, exchange.edge.credential_rate
    policies, states = [], []
    for name, key in exchange.rate_limits.items():
        remaining = limiter.count_remaining_hits(key, rate, exchange.moment)
        reset = math.ceil(limiter.measure_reset(key, rate, exchange.moment))
        policies.append(f'"{name}";q={rate.count};w={rate.seconds:.0f}')
        states.append(f'"{name}";r={remaining};t={reset}')
    return [
        (b"ratelimit-policy", ", ".join(policies).encode()),
        (b"ratelimit", ", ".join(states).encode()),
    ]
