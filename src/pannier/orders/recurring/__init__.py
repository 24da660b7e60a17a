"""Recurring orders: orders that the worker creates from a template, by a rule of dates."""
