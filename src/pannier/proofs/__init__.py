"""Proofs: evidence that an order, a stop or an item was handed over.

A *method* is how it was captured: scan, signature, photo or sms; an *override* is an operator's
word instead. Each proof is a link of its order's *chain*, hashed and signed, so that nobody can
change, remove or insert one unseen.
"""
