"""Figures of a company's work: today's at a glance, and reports by day."""
