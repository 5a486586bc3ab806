"""Independent units of work, one after another or in processes; knows nothing of rankings."""

from rankscope.parallel.run import all_cores, run_units

__all__ = ["all_cores", "run_units"]
