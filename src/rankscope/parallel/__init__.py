"""Independent units of work, one after another, in processes or on a cluster; knows nothing of rankings."""

from rankscope.parallel.cluster import use
from rankscope.parallel.run import all_cores, check_workers, run_units, workers_for

__all__ = ["all_cores", "check_workers", "run_units", "use", "workers_for"]
