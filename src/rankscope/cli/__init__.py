"""The command line: each command reads its input, calls a function and shows the result."""
