"""Threads, signals, processes, progress."""

import io
import multiprocessing
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import mercer
from mercer import _core
from mercer._progress import ProgressBar

THREADS = 2

# Long work of each kind, far longer than the test waits, on that many threads.
LONG_WORK = {
    "svc": "_core.fit('svc', 'rbf(gamma=20)', {'C': '1e6'}, X, y, threads=2)",
    "ridge": "_core.fit('ridge', 'rbf(gamma=1)', {'form': 'dual'}, X, t, threads=2)",
    "gp": "_core.fit('gp', 'rbf(lengthscale=1)', {'search_rows': '6000'}, X, t, threads=2)",
    "gram": "[_core.Kernel('matern(nu=0.8, lengthscale=1)').gram(X, threads=2) for _ in range(100)]",
}


def cpu_seconds(process):
    """What a running process has used of the processors: how far it is, whatever else the machine has to do."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def interrupt_seconds(work):
    """Processor time from SIGINT to the end of the work, in a process of its own; None where it was done before."""
    program = f"""
        import signal, time
        import numpy as np
        from mercer import _core
        rng = np.random.default_rng(0)
        X = _core.Samples.dense(rng.normal(size=(9000, 20)))
        y = ["ab"[code] for code in rng.integers(0, 2, size=9000)]
        t = rng.normal(size=9000)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        print("ready", flush=True)
        try:
            {work}
            print("finished")
        except KeyboardInterrupt:
            print(time.process_time())
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    begun = cpu_seconds(process)
    while process.poll() is None and cpu_seconds(process) < begun + 0.7:
        time.sleep(0.001)
    sent = cpu_seconds(process) if process.poll() is None else 0
    process.send_signal(signal.SIGINT)
    answer, _ = process.communicate()
    return None if answer.strip() == "finished" else float(answer) - sent


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
@pytest.mark.parametrize("work", LONG_WORK.values(), ids=LONG_WORK.keys())
def test_interrupt_within_a_fifth_of_a_second(work):
    # On the clock that is; where other programs hold the cores, only the processor time tells.
    seconds = interrupt_seconds(work)
    assert seconds is not None
    assert seconds < 0.2 * THREADS


def small_fit(threads=2):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 4))
    model = _core.fit("ridge", "rbf(gamma=0.3)", {}, _core.Samples.dense(X), np.sin(X[:, 0]), threads=threads)
    return model.predict(_core.Samples.dense(X), threads=threads)


class EnoughError(Exception):
    """What a signal handler raises."""


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="needs SIGUSR1")
def test_python_runs_while_the_core_works():
    rng = np.random.default_rng(0)
    samples = _core.Samples.dense(rng.normal(size=(9000, 10)))
    labels = ["ab"[code] for code in rng.integers(0, 2, size=9000)]
    begun = time.process_time()

    def other():
        # Once the core is at work, which takes minutes; a thread that does not get the interpreter never ends it.
        while time.process_time() < begun + 0.5:
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGUSR1)

    def handler(number, frame):
        raise EnoughError

    before = signal.signal(signal.SIGUSR1, handler)
    thread = threading.Thread(target=other)
    try:
        with pytest.raises(EnoughError):
            thread.start()
            _core.fit("svc", "rbf(gamma=20)", {"C": "1e6"}, samples, labels, threads=1)
    finally:
        thread.join()
        signal.signal(signal.SIGUSR1, before)


def test_calls_from_several_threads_agree():
    expected = small_fit()
    results = []
    threads = [threading.Thread(target=lambda: results.append(small_fit())) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 6
    assert all(np.array_equal(result, expected) for result in results)


def report_fit(queue):
    queue.put(small_fit())


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_after_work(method):
    expected = small_fit()
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    children = [context.Process(target=report_fit, args=(queue,)) for _ in range(2)]
    for child in children:
        child.start()
    for _ in children:
        assert np.array_equal(queue.get(timeout=600), expected)
    for child in children:
        child.join(timeout=600)
        assert child.exitcode == 0


def test_fork_while_another_thread_works():
    rng = np.random.default_rng(0)
    samples = _core.Samples.dense(rng.normal(size=(4000, 10)))
    worker = threading.Thread(target=lambda: _core.Kernel("matern(nu=0.8, lengthscale=1)").gram(samples))
    worker.start()
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=report_fit, args=(queue,))
    child.start()
    assert queue.get(timeout=600).shape == (300, 1)
    child.join(timeout=600)
    worker.join()
    assert child.exitcode == 0


def test_progress_and_log_reach_python_on_the_calling_thread():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 10))
    y = np.where(rng.random(1500) > 0.5, "a", "b").tolist()
    events, messages, threads = [], [], set()

    def progress(task, done, total):
        threads.add(threading.get_ident())
        events.append((task, done, total))

    _core.fit(
        "svc",
        "sigmoid(gamma=1)",
        {"C": "100"},
        _core.Samples.dense(X),
        y,
        progress=progress,
        log=lambda level, message: messages.append((level, message)),
    )
    assert events
    assert threads == {threading.get_ident()}
    assert all(isinstance(task, str) and done >= 0 for task, done, _ in events)
    assert any(level == "warning" and "definite" in message for level, message in messages)


def test_an_exception_of_the_progress_function_stops_the_fit():
    def progress(task, done, total):
        raise LookupError("enough")

    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 10))
    y = np.where(rng.random(6000) > 0.5, "a", "b").tolist()
    start = time.process_time()
    with pytest.raises(LookupError, match="enough"):
        _core.fit("svc", "rbf(gamma=5)", {"C": "1e6"}, _core.Samples.dense(X), y, progress=progress, threads=2)
    # The whole fit takes minutes.
    assert time.process_time() - start < 10


def test_wrong_numbers_of_threads():
    with pytest.raises(ValueError, match="threads"):
        small_fit(threads=-1)


def test_progress_bar_writes_one_line():
    stream = io.StringIO()
    times = iter([5.0, 5.01, 5.02])
    with ProgressBar(stream, clock=lambda: next(times)) as bar:
        bar("hyper-parameters", 30, 100)
        bar("solve", 1, 1)
        bar("left out: too soon after the last", 1, 2)
    _, first, second = stream.getvalue().split("\r")
    assert "30%" in first
    assert "100%" in second
    assert stream.getvalue().count("\n") == 1
    # What a shorter line leaves of a longer one is wiped out.
    assert len(second.rstrip("\n")) >= len(first)


def test_progress_bar_without_events_writes_nothing():
    stream = io.StringIO()
    with ProgressBar(stream):
        pass
    assert stream.getvalue() == ""


def test_show_versions(capsys):
    mercer.show_versions()
    printed = capsys.readouterr().out
    assert f"mercer: {mercer.__version__}" in printed
    assert "scikit-learn: " in printed
    assert np.__version__ in printed


@pytest.mark.skipif(shutil.which("nm") is None, reason="needs nm")
def test_module_shows_one_name():
    # Its own OpenBLAS and zlib must not meet those of NumPy.
    printed = subprocess.run(["nm", "-D", "--defined-only", _core.__file__], capture_output=True, text=True, check=True)
    assert [line.split()[-1] for line in printed.stdout.splitlines()] == ["PyInit__core"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs ldd")
def test_package_brings_what_it_needs():
    package = pathlib.Path(_core.__file__).parent
    printed = subprocess.run(["ldd", _core.__file__], capture_output=True, text=True, check=True).stdout
    everywhere = ("linux-vdso", "ld-linux", "libc.", "libm.", "libpthread.", "libdl.", "librt.")
    for line in printed.splitlines():
        name, _, place = line.strip().partition(" => ")
        assert pathlib.Path(name).name.startswith(everywhere) or pathlib.Path(place.split()[0]).parent == package, line
