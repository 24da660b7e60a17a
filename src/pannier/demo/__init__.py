"""The demo: a small courier firm in Singapore, furnished, with a past, and alive while it runs."""
