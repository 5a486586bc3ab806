"""Peers of the rankers on the same folds: with their defaults, and tuned modestly on validation lists.

Of the ten settings of each peer, the one with the highest mean nDCG@10 on the validation lists of all folds is used, as
the defaults of rankscope's own rankers were chosen. Every model stops by nDCG@10 on the validation lists, after 50
rounds without improvement, and runs on one thread. The blend of peers is the mean of the scores of the tuned ones, each
from several seeds, with mean 0 and standard deviation 1 in each list, as in rankscope's blend.
"""

from statistics import mean

PATIENCE = 50
#: Each peer's ten settings; the first are its defaults, with its usual objective of lists.
SETTINGS = {
    "LightGBM": (
        {"objective": "lambdarank"},
        {"objective": "lambdarank", "num_leaves": 7},
        {"objective": "lambdarank", "num_leaves": 15, "learning_rate": 0.05},
        {"objective": "lambdarank", "num_leaves": 7, "min_data_in_leaf": 200},
        {"objective": "lambdarank", "num_leaves": 7, "min_data_in_leaf": 200, "feature_fraction": 0.3,
         "bagging_fraction": 0.5, "bagging_freq": 1},
        {"objective": "lambdarank", "num_leaves": 15, "learning_rate": 0.05, "min_data_in_leaf": 200,
         "feature_fraction": 0.3, "bagging_fraction": 0.5, "bagging_freq": 1},
        {"objective": "lambdarank", "num_leaves": 31, "learning_rate": 0.05, "min_data_in_leaf": 100,
         "feature_fraction": 0.5, "lambda_l2": 10},
        {"objective": "rank_xendcg"},
        {"objective": "rank_xendcg", "num_leaves": 7, "learning_rate": 0.05, "min_data_in_leaf": 200},
        {"objective": "rank_xendcg", "num_leaves": 7, "min_data_in_leaf": 200, "feature_fraction": 0.3,
         "bagging_fraction": 0.5, "bagging_freq": 1},
    ),
    "XGBoost": (
        {"objective": "rank:ndcg"},
        {"objective": "rank:ndcg", "max_depth": 4, "eta": 0.1},
        {"objective": "rank:ndcg", "max_depth": 4, "eta": 0.1, "subsample": 0.5, "colsample_bytree": 0.3},
        {"objective": "rank:ndcg", "max_depth": 6, "eta": 0.05, "subsample": 0.5, "colsample_bytree": 0.3,
         "lambda": 10},
        {"objective": "rank:pairwise"},
        {"objective": "rank:pairwise", "max_depth": 4, "eta": 0.1},
        {"objective": "rank:pairwise", "max_depth": 3, "eta": 0.05},
        {"objective": "rank:pairwise", "max_depth": 3, "eta": 0.1, "subsample": 0.5, "colsample_bytree": 0.3},
        {"objective": "rank:pairwise", "max_depth": 4, "eta": 0.1, "lambdarank_pair_method": "mean",
         "lambdarank_num_pair_per_sample": 4},
        {"objective": "rank:pairwise", "max_depth": 4, "eta": 0.1, "lambdarank_pair_method": "mean",
         "lambdarank_num_pair_per_sample": 8, "subsample": 0.5, "colsample_bytree": 0.3},
    ),
    "CatBoost": (
        {"loss_function": "YetiRank"},
        {"loss_function": "YetiRank", "depth": 4, "learning_rate": 0.1},
        {"loss_function": "YetiRank", "depth": 6, "learning_rate": 0.05, "rsm": 0.3},
        {"loss_function": "QuerySoftMax"},
        {"loss_function": "QuerySoftMax", "depth": 4, "learning_rate": 0.1},
        {"loss_function": "QuerySoftMax", "depth": 6, "learning_rate": 0.05, "l2_leaf_reg": 10},
        {"loss_function": "QueryRMSE", "depth": 4, "learning_rate": 0.1},
        {"loss_function": "QueryRMSE", "depth": 6, "learning_rate": 0.05, "rsm": 0.3},
        {"loss_function": "QueryRMSE", "depth": 6, "learning_rate": 0.1, "rsm": 0.3, "l2_leaf_reg": 10},
        {"loss_function": "PairLogit", "depth": 4, "learning_rate": 0.1},
    ),
}  # fmt: skip
#: The module of each peer.
MODULES = {"LightGBM": "lightgbm", "XGBoost": "xgboost", "CatBoost": "catboost"}


def fit_peer(peer, setting, seed, training, valid):
    """A trained model of the peer: a function that scores features."""
    return {"LightGBM": fit_lightgbm, "XGBoost": fit_xgboost, "CatBoost": fit_catboost}[peer](
        setting, seed, training, valid
    )


def fit_lightgbm(setting, seed, training, valid):
    import lightgbm
    import numpy as np

    sets = [
        lightgbm.Dataset(data.values, data.relevance, group=np.diff(data.offsets), params={"verbose": -1})
        for data in (training, valid)
    ]
    shared = {"metric": "ndcg", "eval_at": [10], "num_threads": 1, "verbose": -1, "seed": seed}
    stop = lightgbm.early_stopping(PATIENCE, verbose=False)
    model = lightgbm.train({**shared, **setting}, sets[0], 1000, valid_sets=[sets[1]], callbacks=[stop])
    return lambda features: model.predict(features.values)


def fit_xgboost(setting, seed, training, valid):
    import numpy as np
    import xgboost

    sets = [
        xgboost.DMatrix(data.values, data.relevance, group=np.diff(data.offsets), nthread=1)
        for data in (training, valid)
    ]
    shared = {"eval_metric": "ndcg@10", "nthread": 1, "seed": seed}
    model = xgboost.train(
        {**shared, **setting},
        sets[0],
        1000,
        evals=[(sets[1], "valid")],
        early_stopping_rounds=PATIENCE,
        verbose_eval=False,
    )
    rounds = (0, model.best_iteration + 1)
    return lambda features: model.predict(xgboost.DMatrix(features.values, nthread=1), iteration_range=rounds)


def fit_catboost(setting, seed, training, valid):
    import catboost
    import numpy as np

    sets = [
        catboost.Pool(
            data.values,
            data.relevance,
            group_id=np.repeat(np.arange(data.offsets.size - 1), np.diff(data.offsets)),
            thread_count=1,
        )
        for data in (training, valid)
    ]
    shared = {"eval_metric": "NDCG:top=10;type=Exp", "thread_count": 1, "random_seed": seed, "iterations": 1000}
    model = catboost.CatBoost({**shared, **setting, "verbose": False, "allow_writing_files": False})
    model.fit(sets[0], eval_set=sets[1], early_stopping_rounds=PATIENCE, use_best_model=True)
    return lambda features: model.predict(features.values, thread_count=1)


def choose_setting(peer, cuts, judge):
    """The setting with the highest mean nDCG@10 on the validation lists of all folds. judge: gives it for features and
    scores.
    """

    def quality(setting):
        return mean(judge(valid, fit_peer(peer, setting, 0, training, valid)(valid)) for training, valid, _ in cuts)

    return max(SETTINGS[peer], key=quality)


def fit_blend(settings, n_seeds, seed, training, valid):
    """A blend of peers: each from `n_seeds` seeds of its own. settings: by peer."""
    models = [
        fit_peer(peer, setting, seed * n_seeds + k, training, valid)
        for peer, setting in settings.items()
        for k in range(n_seeds)
    ]

    def predict(features):
        from rankscope.stats.list_scales import scale_lists

        return sum(scale_lists(model(features).astype("float64"), features.offsets, "z-score")[0] for model in models)

    return predict


def setting_text(setting):
    """A setting as one text."""
    return ", ".join(f"{name} {value}" for name, value in setting.items())
