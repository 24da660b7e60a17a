"""Invoices and credit notes: numbered documents of what customers were charged."""
