"""The operator console: pages under `/console` that use the same API as integrators."""
