"""Partners: the people and firms a company works with.

A *contact* is a person or a customer. A *vendor* is a firm that fulfils orders (a facilitator).
"""
