"""Claims: on a GPU, a TorchRanker trains one epoch over generated lists of MSLR-WEB30K's size (30,000 queries, 3.7
million documents, 136 features) within 2 s. Where there is no GPU, or no PyTorch, that is said and not measured.

On a CPU nothing is to be reached: one epoch over a smaller set is timed beside that of the same network in a loop
written in plain PyTorch and that in NumPy, all on one thread, and beside a network with a layer of attention.
Networks begin with the same weights; their scores of the data must agree before anything is trained.

Epochs are timed by the wall clock on a GPU, with all that happens in one but for validation, the first epoch left out;
on a CPU in CPU seconds.
"""

import json
import os
import sys
import time
from dataclasses import dataclass

from measuring import DATA, OURS, RUNS, Line, Medians, absolute, agree, available, main, median, ratio, report, start

GPU_SECONDS = 2.0
#: Queries, documents and features of MSLR-WEB30K.
WEB30K = (30_000, 3_700_000, 136)
#: By loss: one that is one line of PyTorch, two that look at pairs, one that goes to the host and back.
LOSSES = ("listnet", "ranknet", "lambdaloss", "lambdarank")
HIDDEN = (256, 128)
NUMPY = f"{OURS}, NumPy"
LOOP = "a loop in PyTorch"


@dataclass(frozen=True)
class NotMeasured(Line):
    """What could not be timed here, and why."""

    def cells(self) -> list[str]:
        return [self.work, f"not measured: {self.ours}", "", "", "", ""]


def not_measured(work, why) -> Line:
    return NotMeasured(work, why, "", float("nan"), "s", None)


def made(queries, documents, features):
    """Lists of lengths that vary as those of real sets do, with grades 0 to 4."""
    import numpy as np

    from rankscope.data.features import Features

    rng = np.random.default_rng(17)
    shares = rng.gamma(3.0, size=queries)  # from a few to some times the mean
    sizes = np.maximum(np.floor(shares / shares.sum() * documents), 2).astype(np.int64)
    sizes[0] += max(documents - int(sizes.sum()), 0)
    values = rng.standard_normal((int(sizes.sum()), features), dtype=np.float32)
    worth = values[:, :5].sum(axis=1) / 2 + rng.standard_normal(len(values), dtype=np.float32)
    return Features.of(values, np.clip(worth.round(), 0, 4), sizes=sizes)


def epochs_of(kind, device, loss, attention, batch, runs, queries, documents, features) -> None:
    """Seconds of each epoch but the first, and the mean score of the first weights."""
    import numpy as np

    from rankscope.learning import Ranker
    from rankscope.learning.network import initial_weights, score_documents

    data = made(int(queries), int(documents), int(features))
    parameters = {"hidden": HIDDEN, "epochs": int(runs) + 1, "transform": "none", "batch_lists": int(batch)}
    clock = time.perf_counter if device == "cuda" else time.process_time
    first = data.values[:1000]
    if kind == "torch":
        from rankscope.learning.torch import TorchRanker
        from rankscope.learning.torch.network import NetworkShape, first_weights
        from rankscope.learning.torch.scoring import score_all
        from rankscope.learning.torch.trainer import to_device

        ranker = TorchRanker(loss, **parameters, attention=int(attention), device=device)
        shape = NetworkShape(inputs=int(features), hidden=HIDDEN)
        weights = [to_device("cpu", one) for one in first_weights(shape, np.random.default_rng(0))]
        scores = score_all(weights, to_device("cpu", first), None, shape, "cpu")
    elif kind == "loop":
        ranker, scores = loop(data, first, parameters["epochs"], parameters["batch_lists"])
    else:
        ranker = Ranker(loss, **parameters)
        scores = score_documents(initial_weights((int(features), *HIDDEN, 1), np.random.default_rng(0)), first)
    times = []
    tell = lambda _: times.append(clock())  # noqa: E731 - a line's work
    ranker(tell) if kind == "loop" else ranker.fit(data, progress=tell)
    print(json.dumps({"seconds": np.diff(times).tolist(), "score": float(np.abs(scores).mean())}))


def loop(data, first, epochs, batch):
    """Training by ListNet as one writes it in PyTorch, to be called with what is told of epochs; first scores."""
    import numpy as np
    import torch

    from rankscope.learning.network import initial_weights

    torch.set_num_threads(1)
    torch.manual_seed(0)
    sizes, layers = (data.values.shape[1], *HIDDEN, 1), []
    weights = initial_weights(sizes, np.random.default_rng(0))
    for weight, bias in zip(weights[::2], weights[1::2], strict=True):
        layers += [torch.nn.Linear(*weight.shape), torch.nn.ReLU(), torch.nn.Dropout(0.3)]
        layers[-3].load_state_dict({"weight": torch.from_numpy(weight.T), "bias": torch.from_numpy(bias)})
    model = torch.nn.Sequential(*layers[:-2])
    with torch.no_grad():
        scores = model.eval()(torch.from_numpy(first))[:, 0].numpy()
    lengths = np.diff(data.offsets).tolist()
    lists = torch.from_numpy(data.values).split(lengths)
    grades = torch.from_numpy(data.relevance.astype(np.float32)).split(lengths)

    def table(parts):
        return torch.nn.utils.rnn.pad_sequence(parts, batch_first=True, padding_value=-1e9)

    def train(tell):
        adam = torch.optim.Adam(model.train().parameters(), lr=0.002)
        for epoch in range(epochs):
            for chosen in torch.randperm(len(lists)).split(batch):
                found = model(torch.cat([lists[i] for i in chosen]))[:, 0].split([lengths[i] for i in chosen])
                wanted = torch.softmax(table([grades[i] for i in chosen]), 1)
                adam.zero_grad()
                (-(wanted * torch.log_softmax(table(found), 1)).sum() / len(chosen)).backward()
                adam.step()
            tell(epoch)

    return train, scores


def run(*arguments) -> dict:
    return json.loads(start([sys.executable, __file__, "--epochs", *map(str, arguments)]).output.splitlines()[-1])


def gpu() -> bool:
    """Asked in a process of its own, so that none of this one's memory lies on it."""
    code = "import torch; print(torch.cuda.is_available())"
    return start([sys.executable, "-c", code]).output.strip().endswith("True")


def measure(runs=RUNS, folder=DATA, peers=("torch",), large=WEB30K, small=(400, 48_000, 136), batch=256) -> dict:
    """Nothing is kept in the folder. large, small: queries, documents and features on a GPU and on a CPU."""
    del folder
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"  # of the processes that are started
    on_gpu = f"an epoch on a GPU, {shape_of(large)}"
    if "torch" not in available(peers):
        return report("torch_ranker", [not_measured(on_gpu, "PyTorch is not installed")], {}, runs)
    lines, found = [], {}
    label = f"an epoch of listnet on a CPU, {shape_of(small)}"
    ways = {LOOP: ("loop", 0), NUMPY: ("network", 0), OURS: ("torch", 0), "with attention": ("torch", 1)}
    timed = {name: run(kind, "cpu", "listnet", layers, 16, runs, *small) for name, (kind, layers) in ways.items()}
    agree({name: {"score": one["score"]} for name, one in timed.items()}, 1e-4)
    for name, one in timed.items():
        found[name] = Medians(name, median(one["seconds"]), None, one["seconds"])
    lines += [absolute(f"{label}, {name}", one, one.cpu, "s", None) for name, one in found.items()]
    lines += [ratio(label, found[OURS], found[LOOP]), ratio(label, found[OURS], found[NUMPY])]
    if not gpu():
        lines.append(not_measured(on_gpu, "there is no GPU"))
        return report("torch_ranker", lines, found, runs)
    for loss in LOSSES:
        one = run("torch", "cuda", loss, 0, batch, runs, *large)
        found[loss] = Medians(f"{OURS}, GPU", median(one["seconds"]), None, one["seconds"])
        goal = GPU_SECONDS if large == WEB30K and loss == "listnet" else None
        lines.append(Line(f"{on_gpu}, {loss}", f"{OURS}, GPU", "", found[loss].cpu, "s", goal))
    return report("torch_ranker", lines, found, runs)


def shape_of(size):
    return f"{size[0]:,} queries, {size[1]:,} x {size[2]}"


if __name__ == "__main__":
    main(measure, __doc__, epochs=epochs_of)
