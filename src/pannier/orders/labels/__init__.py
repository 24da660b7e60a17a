"""Shipping labels of orders: PDF for office printers, ZPL for label printers, PNG for screens."""
