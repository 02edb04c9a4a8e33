# SPDX-License-Identifier: MIT
"""Many traces, threads, forks, workers of a DataLoader, and exits while loops run."""
import gc
import os
import subprocess
import sys
import threading

import frisket as fk
import numpy as np
import pytest


def resident():
    """Bytes of memory that this process has."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_ten_thousand_traces_keep_no_memory():
    x = np.ones((2, 3), "float32")
    m = fk.masked(x, x > 0)

    def trace(count):
        for i in range(count):
            fk.jit(lambda x, m, i=i: fk.sum(x * 2.0 + 1.0) + fk.sum(m))(x, m)
        gc.collect()
        return resident()

    trace(500)
    before = trace(1500)
    assert trace(10_000) - before < 8 << 20


def test_ten_thousand_objects_keep_no_memory():
    x = np.ones((64, 64), "float32")

    def work(count):
        for _ in range(count):
            m = fk.masked(x, x > 0)
            fk.sum(m * 2.0 - m.mean(axis=0), axis=1).numpy()
            m.to("coo").indices
            with pytest.raises(fk.MaskMismatch):
                m + fk.masked(x, x > 2)
            fk.optim.Adam([x[:2]]).step([x[2:4]])
        gc.collect()
        return resident()

    before = work(500)
    assert work(2500) - before < 8 << 20


def in_threads(count, work):
    """Runs work(number) in threads that begin together; the errors of all."""
    begin, faults = threading.Barrier(count), []

    def run(number):
        begin.wait()
        try:
            work(number)
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults, faults


def test_threads_call_one_function_that_none_has_called():
    compiled = fk.jit(lambda x, n: (fk.sum(x * n), x + n))
    step_ = fk.step(increase)
    for _ in range(5):
        compiled.traces.clear()

        def work(number):
            p = np.zeros((200, 100), "float32")
            for i in range(20):
                shape = (50 + i % 5, 400)
                total, more = compiled(np.ones(shape, "float32"), float(number))
                assert float(total) == number * shape[0] * 400 and np.all(more == 1 + number)
                step_(p, np.full((200, 100), number, "float32"))
            assert np.all(p == 20 * number)

        in_threads(8, work)


def increase(p, g):
    p += g


def test_threads_step_optimizers_of_their_own():
    wanted = None
    for rule in (fk.optim.Adam, fk.optim.SGD, fk.optim.Adagrad):
        results = [None] * 8

        def work(number):
            w = np.ones((300, 64), "float32")
            optimizer = rule([w], lr=0.1)
            for i in range(10):
                optimizer.step([fk.rows((300, 64), [i, 299 - i], np.full((2, 64), 0.5, "float32"))])
                optimizer.step([np.full((300, 64), 0.25, "float32")])
            results[number] = w

        in_threads(8, work)
        wanted = results[0]
        assert all(np.array_equal(wanted, result) for result in results)


def test_threads_read_one_array_and_write_theirs():
    x = np.random.default_rng(0).normal(size=(256, 256)).astype("float32")
    m = fk.masked(x, x > 0).to("csr")
    wanted = fk.sum(m * 2.0, axis=1).filled(0)

    def work(number):
        for layout in ("csr", "coo", "bitmask", "strided") * 3:
            made = fk.sum(m.to(layout) * 2.0, axis=1).filled(0)
            np.testing.assert_allclose(made, wanted, rtol=1e-5)

    in_threads(6, work)


forked = """
import os, sys, numpy as np, frisket as fk
x = np.ones((512, 512), "float32")
f = fk.jit(lambda x: fk.sum(x * 2.0, axis=0))
f(x)  # loops of several threads ran before
w = np.ones((512, 512), "float32")
optimizer = fk.optim.Adam([w])
optimizer.step([x])
children = []
for n in range(3):
    child = os.fork()
    if child == 0:
        try:
            assert float(f(x)[0]) == 1024
            assert float(fk.jit(lambda x: fk.sum(x + n))(x)) == 512 * 512 * (1 + n)
            optimizer.step([x])
            os._exit(0)
        except BaseException as error:
            print(error, file=sys.stderr)
            os._exit(1)
    children.append(child)
assert all(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0 for child in children)
assert float(f(x)[0]) == 1024
print("done")
"""

exits = """
import threading, sys, time, os, numpy as np, frisket as fk
x = np.ones((3000, 3000), "float32")
f = fk.jit(lambda x: fk.sum(fk.exp(fk.sin(x) * 2.0), axis=0))
f(x)
def work():
    while True:
        f(x)
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.05)
print("done", flush=True)
{}
"""

released = """
import gc, numpy as np, frisket as fk
m = fk.masked(np.ones((2, 2), "float32"), np.ones((2, 2), bool))
kept = [m, fk.jit(lambda x: x), fk.step(lambda p, g: None), fk.optim.Adam([m.stored_values]), m.mask]
m.itself = kept
fk.jit(lambda x: x + 1)(m)
class Last:
    def __del__(self):
        fk.sum(m)
last = Last()
import sys
sys.modules["frisket.last"] = last
print("done", flush=True)
"""


def run(program):
    return subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)


@pytest.mark.parametrize("program", [
    forked, *(exits.format(end) for end in ("", "sys.exit(0)", "raise SystemExit")), released,
], ids=["fork", "end", "sys.exit", "SystemExit", "objects that outlive the module"])  # fmt: skip
def test_a_process_ends_well(program):
    made = run(program)
    assert (made.returncode, made.stdout, made.stderr) == (0, "done\n", "")


def test_an_interrupt_ends_a_call():
    program = """
import os, signal, threading, numpy as np, frisket as fk
x = np.ones((2000, 2000), "float32")
f = fk.jit(lambda x: fk.sum(fk.exp(fk.sin(x) * 2.0), axis=0))
f(x)
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    while True:
        f(x)
except KeyboardInterrupt:
    assert f(x).shape == (2000,)
    print("done")
"""
    made = run(program)
    assert (made.returncode, made.stdout) == (0, "done\n"), made.stderr


class Rows:
    """A data set whose items are computed by frisket."""

    def __len__(self):
        return 12

    def __getitem__(self, i):
        import torch

        table = torch.arange(12.0 * 64 * 300).reshape(12, 64, 300)
        return fk.sum(table[i] * 1.0, axis=0) + compiled_row(table[i]), fk.mean(fk.masked(table[i], table[i] >= 0), axis=0).filled(0)


@fk.jit
def compiled_row(x):
    return fk.sum(x * 2.0, axis=0)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_of_a_data_loader(method):
    torch = pytest.importorskip("torch", reason="torch is absent")
    wanted = [item[0] for item in (Rows()[i] for i in range(12))]
    loader = torch.utils.data.DataLoader(Rows(), num_workers=2, multiprocessing_context=method)
    made = [sums[0] for sums, _ in loader]
    assert len(made) == 12 and all(torch.equal(a, b) for a, b in zip(made, wanted))
