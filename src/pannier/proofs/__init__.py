"""Proofs: evidence that an order, a stop or an item was handed over.

A *method* is how it was captured: scan, signature, photo or sms. An *override* is an operator's
statement instead. Each proof is a link in its order's *chain*, hashed and signed, so that a
changed, removed or inserted proof is detected.
"""
