"""Statistics on score matrices: arrays in, frozen results out; no ids, no files.

Scores are matrices (systems, queries); differences are (pairs, queries), or (queries) for one pair. Names follow SciPy.
Random numbers come from `rng` = numpy.random.default_rng(rng), the same whatever the number of workers.
"""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.stats.anova import AllPairs as AllPairs
    from rankscope.stats.anova import Anova as Anova
    from rankscope.stats.anova import all_pairs as all_pairs
    from rankscope.stats.anova import randomised_tukey_hsd as randomised_tukey_hsd
    from rankscope.stats.anova import tukey_hsd as tukey_hsd
    from rankscope.stats.anova import two_way_anova as two_way_anova
    from rankscope.stats.bayes import Posterior as Posterior
    from rankscope.stats.bayes import bayes_signed_rank_test as bayes_signed_rank_test
    from rankscope.stats.bayes import bayes_t_test as bayes_t_test
    from rankscope.stats.betting import BettingTest as BettingTest
    from rankscope.stats.betting import betting_test as betting_test
    from rankscope.stats.cluster_sums import design_effect as design_effect
    from rankscope.stats.cluster_sums import intraclass_correlation as intraclass_correlation
    from rankscope.stats.concordance import Concordance as Concordance
    from rankscope.stats.concordance import MeanTaus as MeanTaus
    from rankscope.stats.concordance import concordance_test as concordance_test
    from rankscope.stats.concordance import mean_taus as mean_taus
    from rankscope.stats.confusion import ConfusionMatrix as ConfusionMatrix
    from rankscope.stats.confusion import Rates as Rates
    from rankscope.stats.confusion import confusion_matrix as confusion_matrix
    from rankscope.stats.confusion import rates as rates
    from rankscope.stats.correlation import Correlation as Correlation
    from rankscope.stats.correlation import correlation_matrix as correlation_matrix
    from rankscope.stats.correlation import correlation_test as correlation_test
    from rankscope.stats.effects import Effects as Effects
    from rankscope.stats.effects import effect_sizes as effect_sizes
    from rankscope.stats.friedman import Friedman as Friedman
    from rankscope.stats.friedman import friedman_test as friedman_test
    from rankscope.stats.friedman import nemenyi_test as nemenyi_test
    from rankscope.stats.group_means import GroupMeansTest as GroupMeansTest
    from rankscope.stats.group_means import group_means_test as group_means_test
    from rankscope.stats.group_sequential import SPENDING as SPENDING
    from rankscope.stats.group_sequential import SequentialBounds as SequentialBounds
    from rankscope.stats.group_sequential import crossing_chance as crossing_chance
    from rankscope.stats.group_sequential import repeated_look_error as repeated_look_error
    from rankscope.stats.group_sequential import sample_size_factor as sample_size_factor
    from rankscope.stats.group_sequential import sequential_bounds as sequential_bounds
    from rankscope.stats.group_sequential import spent_level as spent_level
    from rankscope.stats.intervals import Interval as Interval
    from rankscope.stats.intervals import bootstrap_interval as bootstrap_interval
    from rankscope.stats.intervals import clopper_pearson_interval as clopper_pearson_interval
    from rankscope.stats.intervals import jeffreys_interval as jeffreys_interval
    from rankscope.stats.intervals import t_interval as t_interval
    from rankscope.stats.intervals import tango_interval as tango_interval
    from rankscope.stats.intervals import wilson_interval as wilson_interval
    from rankscope.stats.inverse_propensity import ImportanceWeighting as ImportanceWeighting
    from rankscope.stats.inverse_propensity import importance_weighting as importance_weighting
    from rankscope.stats.max_t import max_t_test as max_t_test
    from rankscope.stats.multiple_comparisons import CORRECTIONS as CORRECTIONS
    from rankscope.stats.multiple_comparisons import Adjusted as Adjusted
    from rankscope.stats.multiple_comparisons import Clusters as Clusters
    from rankscope.stats.multiple_comparisons import adjust_pvalues as adjust_pvalues
    from rankscope.stats.multiple_comparisons import find_clusters as find_clusters
    from rankscope.stats.paired_tests import PairedTest as PairedTest
    from rankscope.stats.paired_tests import bootstrap_test as bootstrap_test
    from rankscope.stats.paired_tests import randomisation_test as randomisation_test
    from rankscope.stats.paired_tests import sign_test as sign_test
    from rankscope.stats.paired_tests import t_test as t_test
    from rankscope.stats.paired_tests import wilcoxon_test as wilcoxon_test
    from rankscope.stats.power import anova_power as anova_power
    from rankscope.stats.power import difference_for_t as difference_for_t
    from rankscope.stats.power import queries_for_anova as queries_for_anova
    from rankscope.stats.power import queries_for_interval as queries_for_interval
    from rankscope.stats.power import queries_for_t as queries_for_t
    from rankscope.stats.power import t_power as t_power
    from rankscope.stats.prevalence import Prevalence as Prevalence
    from rankscope.stats.prevalence import rogan_gladen as rogan_gladen
    from rankscope.stats.rater_agreement import Alpha as Alpha
    from rankscope.stats.rater_agreement import Gwet as Gwet
    from rankscope.stats.rater_agreement import Kappa as Kappa
    from rankscope.stats.rater_agreement import cohens_kappa as cohens_kappa
    from rankscope.stats.rater_agreement import gwets_ac as gwets_ac
    from rankscope.stats.rater_agreement import krippendorffs_alpha as krippendorffs_alpha
    from rankscope.stats.reliability import Generalisability as Generalisability
    from rankscope.stats.reliability import generalisability as generalisability
    from rankscope.stats.standardisation import STANDARDISATIONS as STANDARDISATIONS
    from rankscope.stats.standardisation import Standardised as Standardised
    from rankscope.stats.standardisation import standardise_scores as standardise_scores
    from rankscope.stats.williams import williams_test as williams_test

#: Where each public name lives. Loaded when first asked for.
HOMES = {
    "CORRECTIONS": "multiple_comparisons",
    "SPENDING": "group_sequential",
    "STANDARDISATIONS": "standardisation",
    "Adjusted": "multiple_comparisons",
    "AllPairs": "anova",
    "Alpha": "rater_agreement",
    "Anova": "anova",
    "BettingTest": "betting",
    "Clusters": "multiple_comparisons",
    "Concordance": "concordance",
    "ConfusionMatrix": "confusion",
    "Correlation": "correlation",
    "Effects": "effects",
    "Friedman": "friedman",
    "Generalisability": "reliability",
    "GroupMeansTest": "group_means",
    "Gwet": "rater_agreement",
    "ImportanceWeighting": "inverse_propensity",
    "Interval": "intervals",
    "Kappa": "rater_agreement",
    "MeanTaus": "concordance",
    "PairedTest": "paired_tests",
    "Posterior": "bayes",
    "Prevalence": "prevalence",
    "Rates": "confusion",
    "SequentialBounds": "group_sequential",
    "Standardised": "standardisation",
    "adjust_pvalues": "multiple_comparisons",
    "all_pairs": "anova",
    "anova_power": "power",
    "bayes_signed_rank_test": "bayes",
    "bayes_t_test": "bayes",
    "betting_test": "betting",
    "bootstrap_interval": "intervals",
    "bootstrap_test": "paired_tests",
    "clopper_pearson_interval": "intervals",
    "cohens_kappa": "rater_agreement",
    "concordance_test": "concordance",
    "confusion_matrix": "confusion",
    "correlation_matrix": "correlation",
    "correlation_test": "correlation",
    "crossing_chance": "group_sequential",
    "design_effect": "cluster_sums",
    "difference_for_t": "power",
    "effect_sizes": "effects",
    "find_clusters": "multiple_comparisons",
    "friedman_test": "friedman",
    "generalisability": "reliability",
    "group_means_test": "group_means",
    "gwets_ac": "rater_agreement",
    "importance_weighting": "inverse_propensity",
    "intraclass_correlation": "cluster_sums",
    "jeffreys_interval": "intervals",
    "krippendorffs_alpha": "rater_agreement",
    "max_t_test": "max_t",
    "mean_taus": "concordance",
    "nemenyi_test": "friedman",
    "queries_for_anova": "power",
    "queries_for_interval": "power",
    "queries_for_t": "power",
    "randomisation_test": "paired_tests",
    "randomised_tukey_hsd": "anova",
    "rates": "confusion",
    "repeated_look_error": "group_sequential",
    "rogan_gladen": "prevalence",
    "sample_size_factor": "group_sequential",
    "sequential_bounds": "group_sequential",
    "sign_test": "paired_tests",
    "spent_level": "group_sequential",
    "standardise_scores": "standardisation",
    "t_interval": "intervals",
    "t_power": "power",
    "t_test": "paired_tests",
    "tango_interval": "intervals",
    "tukey_hsd": "anova",
    "two_way_anova": "anova",
    "wilcoxon_test": "paired_tests",
    "williams_test": "williams",
    "wilson_interval": "intervals",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
