"""The operator console: pages under `/console` that call the same doors as everybody else."""
