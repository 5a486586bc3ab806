"""Commands in the place of other tools: their command lines, output and exit codes."""
