"""The commands that are attacked: what they read, what they write, and the files that they need."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from hunt.program import Place, libsvm_text, table_text


@dataclass(frozen=True)
class Command:
    """One run of a subcommand.

    Attributes
    ----------
    words : tuple of str
        The arguments; OUT and MORE stand for outputs, and are left out (with their flag) where there is no file.
    inputs : tuple of str
        The files that it reads.
    out, more : str
        Names of the outputs; empty: none. Results of a command without outputs are on standard output.
    model : bool
        Whether the output is a model, which replaces models alone.
    steady : bool
        Whether the output is the same every time (no seconds, no dates).
    alone : bool
        Whether the output may be left out, so that the result is on standard output.
    failure : int
        The exit code of a refused output.
    """

    words: tuple[str, ...]
    inputs: tuple[str, ...]
    out: str = ""
    more: str = ""
    model: bool = False
    steady: bool = True
    alone: bool = False
    failure: int = 2

    def arguments(self, out: str, more: str) -> list[str]:
        """The words with the names of the outputs; an empty name takes its flag with it."""
        found: list[str] = []
        for word in self.words:
            if word in ("OUT", "MORE"):
                name = out if word == "OUT" else more
                if name:
                    found.append(name)
                elif found[-1].startswith("-"):
                    found.pop()
            else:
                found.append(word)
        return found


TRAIN = ("train.csv", "-t", "y")
COMMANDS = {
    "fit": Command(("fit", "svc", *TRAIN, "-o", "OUT", "--report", "MORE"), ("train.csv",), "a.mercer", "a.html", True),
    "predict": Command(
        ("predict", "m.mercer", "train.csv", "-o", "OUT"), ("m.mercer", "train.csv"), "a.csv", alone=True
    ),
    "score": Command(("score", "m.mercer", "train.csv"), ("m.mercer", "train.csv")),
    "tune": Command(
        ("tune", "svc", *TRAIN, "-k", "rbf(gamma=0.5)", "-s", "C=1|10", "--folds", "3", "-o", "OUT", "--log", "MORE"),
        ("train.csv",),
        "a.mercer",
        "a.jsonl",
        True,
    ),
    "inspect": Command(("inspect", "m.mercer", "train.csv"), ("m.mercer", "train.csv")),
    "path": Command(
        ("path", "svc", *TRAIN, "-o", "OUT", "--events", "MORE"), ("train.csv",), "a.csv", "b.csv", alone=True
    ),
    "gram": Command(("gram", "rbf(gamma=0.5)[x0,x1]", "train.csv", "-o", "OUT"), ("train.csv",), "a.npy"),
    "sample": Command(("sample", "k.mercer", "-n", "5", "-o", "OUT"), ("k.mercer",), "a.csv", alone=True),
    "weights": Command(("weights", "l.mercer", "-o", "OUT"), ("l.mercer",), "a.csv"),
    "compress": Command(("compress", "m.mercer", "--to", "3", "-o", "OUT"), ("m.mercer",), "a.mercer", model=True),
    "report": Command(
        ("report", "m.mercer", "train.csv", "--no-learning", "-o", "OUT"),
        ("m.mercer", "train.csv"),
        "a.html",
        steady=False,
    ),
    "test": Command(("test", "two-sample", *TRAIN, "--permutations", "50"), ("train.csv",)),
    "svm-train": Command(("svm-train", "-q", "train.svm", "OUT"), ("train.svm",), "a.model", failure=1),
    "svm-predict": Command(
        ("svm-predict", "train.svm", "lib.model", "OUT"), ("train.svm", "lib.model"), "a.out", failure=1
    ),
    "svm-scale": Command(("svm-scale", "-s", "OUT", "train.svm"), ("train.svm",), "a.range", failure=1),
    "kernels": Command(("kernels", "rbf"), ()),
    "models": Command(("models", "svc"), ()),
}
MODELS = {"m.mercer": ("svc", *TRAIN), "k.mercer": ("kde", "new.csv"), "l.mercer": ("linearsvc", *TRAIN)}


@functools.cache
def kit() -> dict[str, bytes]:
    """The files that commands read, made once a process."""
    random = np.random.default_rng(0)
    x = random.standard_normal((12, 2))
    labels = ["up" if value > 0 else "down" for value in x.sum(axis=1)]
    with Place() as place:
        place.write("train.csv", table_text(x, {"y": labels}))
        place.write("new.csv", table_text(x, {}))
        place.write("train.svm", libsvm_text([1 if label == "up" else -1 for label in labels], x))
        for name, words in MODELS.items():
            place.ask("fit", *words, "-o", name, "-q")
        place.ask("fit", "ridge", "train.csv", "-t", "x1", "-k", "linear()[x0]", "-o", "old.mercer", "-q")
        place.ask("svm-train", "-q", "train.svm", "lib.model")
        names = ("train.csv", "new.csv", "train.svm", "lib.model", "old.mercer", *MODELS)
        return {name: place.read(name) for name in names}


@functools.cache
def reference(subject: str) -> tuple[bytes, bytes, bytes]:
    """What a run without hostility writes: standard output of the run without file, and both outputs."""
    command = COMMANDS[subject]
    with Place() as place:
        for name in command.inputs:
            place.write(name, kit()[name])
        place.ask(*command.arguments(command.out, command.more), "--threads", "1") if not subject.startswith(
            "svm-"
        ) and subject not in ("kernels", "models") else place.ask(*command.arguments(command.out, command.more))
        out = place.read(command.out) if command.out else b""
        more = place.read(command.more) if command.more else b""
        alone = place.ask(*command.arguments("", "")).out if command.alone else b""
        return alone, out, more
