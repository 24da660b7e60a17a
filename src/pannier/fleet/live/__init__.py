"""The whole fleet at a glance: where everything is, and whether it moves."""
