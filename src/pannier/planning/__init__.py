"""Planning: assigning orders to drivers, with the sequence and the times of their stops.

The core is pure and independent of orders: `problem` and `plan` describe the work and its result,
`solver` finds a plan, and `checks` verifies one independently.
"""
