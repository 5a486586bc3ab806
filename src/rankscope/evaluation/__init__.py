"""The main job: judgments and runs in, scores out."""
