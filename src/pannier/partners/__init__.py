"""Partners: whom a company deals with.

A *contact* is a person or customer, a *vendor* a firm that carries out orders (a facilitator).
"""
