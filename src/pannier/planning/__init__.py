"""Planning: which driver does which orders, in which sequence, and when.

The pure core knows no orders: `problem` and `plan` describe the work and its result, `solver` finds
a plan, and `checks` verifies one by rules of its own.
"""
