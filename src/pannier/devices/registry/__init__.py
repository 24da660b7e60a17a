"""The register of devices: what there is, which vehicle it is on, and what it shows at the door."""
