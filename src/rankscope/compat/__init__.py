"""Drop-in faces of other tools: their calls, their output, our engine."""
