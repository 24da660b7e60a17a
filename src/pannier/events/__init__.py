"""What happened: the catalogue of events, the outbox they are written to, and the relay.

An *event* is a snapshot of what happened, told once, in the transaction in which it happened.
The *relay* hands new events to *subscribers* (deliveries, notifications, live updates).
"""
