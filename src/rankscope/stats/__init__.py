"""Statistics on score matrices: arrays in, frozen results out; no ids, no files.

Scores are matrices (systems, queries); differences are (pairs, queries), or (queries) for one pair. Names follow SciPy.
Random numbers come from `rng` = numpy.random.default_rng(rng), the same whatever the number of workers.
"""

from rankscope.stats.anova import AllPairs, Anova, all_pairs, randomised_tukey_hsd, tukey_hsd, two_way_anova
from rankscope.stats.bayes import Posterior, bayes_signed_rank_test, bayes_t_test
from rankscope.stats.betting import BettingTest, betting_test
from rankscope.stats.cluster_sums import design_effect, intraclass_correlation
from rankscope.stats.concordance import Concordance, MeanTaus, concordance_test, mean_taus
from rankscope.stats.confusion import ConfusionMatrix, Rates, confusion_matrix, rates
from rankscope.stats.correlation import Correlation, correlation_matrix, correlation_test
from rankscope.stats.effects import Effects, effect_sizes
from rankscope.stats.friedman import Friedman, friedman_test, nemenyi_test
from rankscope.stats.group_means import GroupMeansTest, group_means_test
from rankscope.stats.group_sequential import (
    SPENDING,
    SequentialBounds,
    crossing_chance,
    repeated_look_error,
    sample_size_factor,
    sequential_bounds,
    spent_level,
)
from rankscope.stats.inverse_propensity import ImportanceWeighting, importance_weighting
from rankscope.stats.intervals import (
    Interval,
    bootstrap_interval,
    clopper_pearson_interval,
    jeffreys_interval,
    t_interval,
    tango_interval,
    wilson_interval,
)
from rankscope.stats.max_t import max_t_test
from rankscope.stats.multiple_comparisons import CORRECTIONS, Adjusted, Clusters, adjust_pvalues, find_clusters
from rankscope.stats.paired_tests import (
    PairedTest,
    bootstrap_test,
    randomisation_test,
    sign_test,
    t_test,
    wilcoxon_test,
)
from rankscope.stats.power import (
    anova_power,
    difference_for_t,
    queries_for_anova,
    queries_for_interval,
    queries_for_t,
    t_power,
)
from rankscope.stats.prevalence import Prevalence, rogan_gladen
from rankscope.stats.rater_agreement import Alpha, Gwet, Kappa, cohens_kappa, gwets_ac, krippendorffs_alpha
from rankscope.stats.reliability import Generalisability, generalisability
from rankscope.stats.standardisation import STANDARDISATIONS, Standardised, standardise_scores
from rankscope.stats.williams import williams_test

__all__ = [
    "CORRECTIONS",
    "SPENDING",
    "STANDARDISATIONS",
    "Adjusted",
    "AllPairs",
    "Alpha",
    "Anova",
    "BettingTest",
    "Clusters",
    "Concordance",
    "ConfusionMatrix",
    "Correlation",
    "Effects",
    "Friedman",
    "Generalisability",
    "GroupMeansTest",
    "Gwet",
    "ImportanceWeighting",
    "Interval",
    "Kappa",
    "MeanTaus",
    "PairedTest",
    "Posterior",
    "Prevalence",
    "Rates",
    "SequentialBounds",
    "Standardised",
    "adjust_pvalues",
    "all_pairs",
    "anova_power",
    "bayes_signed_rank_test",
    "bayes_t_test",
    "betting_test",
    "bootstrap_interval",
    "bootstrap_test",
    "clopper_pearson_interval",
    "cohens_kappa",
    "concordance_test",
    "confusion_matrix",
    "correlation_matrix",
    "correlation_test",
    "crossing_chance",
    "design_effect",
    "difference_for_t",
    "effect_sizes",
    "find_clusters",
    "friedman_test",
    "generalisability",
    "group_means_test",
    "gwets_ac",
    "importance_weighting",
    "intraclass_correlation",
    "jeffreys_interval",
    "krippendorffs_alpha",
    "max_t_test",
    "mean_taus",
    "nemenyi_test",
    "queries_for_anova",
    "queries_for_interval",
    "queries_for_t",
    "randomisation_test",
    "randomised_tukey_hsd",
    "rates",
    "repeated_look_error",
    "rogan_gladen",
    "sample_size_factor",
    "sequential_bounds",
    "sign_test",
    "spent_level",
    "standardise_scores",
    "t_interval",
    "t_power",
    "t_test",
    "tango_interval",
    "tukey_hsd",
    "two_way_anova",
    "wilcoxon_test",
    "williams_test",
    "wilson_interval",
]
