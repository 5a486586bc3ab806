"""The command line: each command reads, calls, shows."""
