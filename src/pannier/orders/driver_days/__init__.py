"""A driver's day: the remaining stops of all their orders, in sequence, with an ETA each."""
