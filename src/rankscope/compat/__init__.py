"""Drop-in replacements of other tools: their calls and output, computed by rankscope."""
