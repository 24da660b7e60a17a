"""Events: the catalogue, the outbox that events are written to, and the relay.

An *event* is a snapshot of a change, written once, in the transaction of the change. The *relay*
hands new events to *subscribers* (deliveries, notifications, live updates).
"""
