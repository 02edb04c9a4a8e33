# SPDX-License-Identifier: MIT
"""Files, displays, fk.tune, fk.doctor and fk.cache."""
import json
import os
import subprocess
import sys

import frisket as fk
import numpy as np
import pytest

layouts = ["strided", "bitmask", "coo", "csr", "csc", "bsr", "bsc", "rows", "two_four"]


def masked_in(layout):
    values = np.arange(48, dtype=np.float32).reshape(6, 8)
    mask = np.repeat(np.arange(6)[:, None] % 2 == 0, 8, axis=1) if layout == "rows" else np.tile([True, False, False, True], (6, 2))
    masked = fk.masked(values, mask)
    return masked.to(layout, (2, 2)) if layout in ("bsr", "bsc") else masked.to(layout)


@pytest.mark.parametrize("layout", layouts)
def test_masked_arrays_come_back_from_files(layout, tmp_path):
    m = masked_in(layout)
    fk.save(tmp_path / "a.safetensors", {"m": m, "w": np.arange(3), "empty": np.zeros((0, 2))})
    back = fk.load(tmp_path / "a.safetensors")
    assert set(back) == {"m", "w", "empty"} and back["w"].tolist() == [0, 1, 2] and back["empty"].shape == (0, 2)
    assert back["m"].layout == layout and back["m"].shape == m.shape and back["m"].blocksize == m.blocksize
    assert np.array_equal(back["m"].mask, m.mask) and np.array_equal(back["m"].filled(0), m.filled(0))


def test_dense_arrays_come_back_from_files_of_numpy(tmp_path):
    x = np.arange(6, dtype=np.float64).reshape(2, 3).T
    fk.save(tmp_path / "x.npy", x)
    assert np.array_equal(np.load(tmp_path / "x.npy"), x) and np.array_equal(fk.load(tmp_path / "x.npy"), x)


def test_files_that_are_refused(tmp_path):
    m = masked_in("coo")
    for path, arrays, wanted in (
        ("x.npy", m, "one dense array"),
        ("x.txt", m, "wanted one that ends with"),
        ("x.safetensors", m, "arrays by name"),
    ):
        with pytest.raises(fk.BindingError, match=wanted):
            fk.save(tmp_path / path, arrays)
    with pytest.raises(fk.BindingError, match="wanted one that ends with"):
        fk.load("x.txt")
    with pytest.raises(fk.IoError):
        fk.load(tmp_path / "absent.safetensors")
    fk.save(tmp_path / "m.safetensors", {"m": m})
    parts, texts = fk._core.load_tensors(str(tmp_path / "m.safetensors"))
    described = json.loads(texts["frisket.masked"])
    for change in ({"layout": "none"}, {"shape": "x"}, {"shape": None}):
        fk._core.save_tensors(str(tmp_path / "bad.safetensors"), parts, {"frisket.masked": json.dumps({"m": {**described["m"], **change}})})
        with pytest.raises(fk.Error):
            fk.load(tmp_path / "bad.safetensors")
    fk._core.save_tensors(str(tmp_path / "bad.safetensors"), {"other": np.ones(2)}, texts)
    with pytest.raises(fk.IoError, match="not as they were written"):
        fk.load(tmp_path / "bad.safetensors")
    fk._core.save_tensors(str(tmp_path / "bad.safetensors"), parts, {"frisket.masked": "[1"})
    with pytest.raises(fk.IoError):
        fk.load(tmp_path / "bad.safetensors")


def test_notebooks_show_what_is_specified():
    m = fk.masked(np.arange(6, dtype=np.float32).reshape(2, 3), [[True, False, True], [False, True, False]])
    shown = m._repr_html_()
    assert shown.count("--") == 3 and "<td>4</td>" in shown and "<svg" in shown
    assert "[2, 3] float32, strided, 3 of 6 specified (50 %)" in shown
    large = fk.coo((1000, 1000), [[0, 999], [0, 999]], np.float32([1, 2]))._repr_html_()
    assert large.count("<tr>") == 13 and large.count("…") == 12 + 13 and "2 of 1000000 specified" in large
    huge = fk.coo((10**6, 10**6), [[0], [0]], np.float32([1]))._repr_html_()
    assert "<svg" not in huge and "1 of 1000000000000 specified" in huge
    for shape in ((), (0, 3), (4,), (2, 2, 2)):
        assert "specified" in fk.masked(np.ones(shape, np.int64), np.ones(shape, bool))._repr_html_()


def test_doctor_and_cache_tell_what_there_is():
    report = str(fk.doctor())
    assert f"Halide {fk.libraries.halide_version}" in report and "target x86-64 " in report and "yes" in report
    text = "import frisket as fk; fk.jit(lambda x: x * 2 + 1)(__import__('numpy').ones(5000)); print(fk.cache.count, fk.cache.clear(), fk.cache.count)"
    run = subprocess.run([sys.executable, "-B", "-c", text], stdout=subprocess.PIPE, text=True, check=True, env=own_cache())
    kept, removed, left = map(int, run.stdout.split())
    assert kept == removed >= 1 and left == 0


def own_cache():
    import tempfile

    return {**os.environ, "FRISKET_CACHE_DIR": tempfile.mkdtemp(), "FRISKET_TUNING_DB": tempfile.mkdtemp() + "/t.db"}


def test_the_module_is_a_command():
    run = lambda *words: subprocess.run([sys.executable, "-B", "-m", "frisket", *words], capture_output=True, text=True, env=own_cache())  # noqa: E731
    assert "processor" in run("doctor").stdout
    assert run().stdout.startswith("python -m frisket doctor")
    cleared = run("cache", "clear")
    assert cleared.returncode == 0 and "0 compiled loops were removed" in cleared.stdout
    unknown = subprocess.run(
        [sys.executable, "-B", "-m", "frisket", "nonsense"], capture_output=True, text=True, env={**own_cache(), "PATH": ""}
    )
    assert unknown.returncode == 2 and "there is no verb nonsense" in unknown.stderr


tuning = """
import frisket as fk, numpy as np
x, m = np.ones((600, 64), np.float32), fk.masked(np.ones((600, 64), np.float32), np.arange(64) % 2 == 0 + np.zeros((600, 1)))

@fk.step
def shrink(p, g, *, lr):
    p -= lr * g

found = fk.tune(shrink, x, m, seconds=0.5, lr=0.1)
assert len(found) == 1 and found[0].tried >= 1 and found[0].name == "shrink", found
assert x.min() == 1  # what a step would write is written to copies
print(found)
shrink(x, m, lr=0.1)
assert np.allclose(x[:, 0], 0.9) and np.all(x[:, 1] == 1)
both = fk.tune(lambda x, m: fk.sum(x * m, axis=1), x, m, seconds=0.5)
assert "part" in repr(both) and "<table>" in both._repr_html_()
print(fk.show(shrink, x, m, lr=0.1))
"""


def test_schedules_are_found_and_kept():
    run = subprocess.run([sys.executable, "-B", "-c", tuning], stdout=subprocess.PIPE, text=True, check=True, env=own_cache())
    assert "shrink" in run.stdout and "step shrink" in run.stdout


def test_what_tune_refuses():
    for seconds in (0, -1, float("inf"), float("nan"), "1"):
        with pytest.raises(fk.BindingError, match="wanted a positive number of seconds"):
            fk.tune(lambda x: x + 1, np.ones(3), seconds=seconds)
    with pytest.raises(fk.TraceError, match="gives no array"):
        fk.tune(lambda x: None, np.ones(3))


def test_targets_and_schedules_are_named():
    x, y = np.arange(600, dtype=np.float32), np.arange(600, dtype=np.float32)
    wanted = x * 2 + 1
    assert np.array_equal(fk.jit(lambda x: x * 2 + 1, target="x86-64")(x), wanted)

    def double(p):
        p[...] = p * 2 + 1

    fk.step(double, target="x86-64")(x)
    fk.step(double, schedule="dense vector=8 unroll=2")(y)
    assert np.array_equal(x, wanted) and np.array_equal(y, wanted)
    with pytest.raises(fk.TargetError, match="nonsense"):
        fk.step(double, target="nonsense")(x)
    with pytest.raises(fk.TargetError, match="nonsense"):
        fk.jit(lambda x: x + 1, target="nonsense")(x)
    with pytest.raises(fk.ScheduleError):
        fk.step(double, schedule="dense vector=0.5")(x)

    @fk.step(schedule="dense vector=8")
    def whole(p):
        p -= fk.mean(p)

    with pytest.raises(fk.ScheduleError, match="elementwise"):
        whole(x)
    assert np.array_equal(x, wanted)


def test_compilations_are_told(tmp_path):
    script = (
        "import frisket as fk, numpy as np\n"
        "f = fk.jit(lambda x: fk.exp(x) * 2 + 1)\n"
        "fk.on_compile(print)\n"
        "f(np.ones(5000, 'f4'))\n"
        "f(np.ones(5000, 'f4'))\n"
        "fk.on_compile(None)\n"
        "f(np.ones(5000, 'f8'))\n"
        "fk.on_compile(lambda done: print(done.name, done.is_read, done.seconds > 0, done.target))\n"
        "f(np.ones((70, 80), 'i4'))\n"
    )
    environment = {**os.environ, "FRISKET_CACHE_DIR": str(tmp_path)}
    for how, is_read in (("compiled", "False"), ("read from the disk", "True")):
        out = subprocess.run([sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
        first, second = out.splitlines()
        assert f"for cpu: {how} in" in first and second.endswith(f"{is_read} True cpu"), out
    with pytest.raises(fk.BindingError, match=r"write fk.on_compile\(print\), or None"):
        fk.on_compile("print")


def test_records_of_tuning_are_listed_and_exported(tmp_path, monkeypatch):
    monkeypatch.setenv("FRISKET_TUNING_DB", "off")
    assert fk.tuning.path is None and repr(fk.tuning) == "no schedules are kept"
    with pytest.raises(fk.IoError, match="there is no database: write fk.tuning.path"):
        fk.tuning.records()
    fk.tuning.path = tmp_path / "tuning.db"
    assert fk.tuning.records() == []
    with pytest.raises(fk.IoError, match="nothing is written"):
        fk.tuning.export(tmp_path / "records.tsv")
    fk.tune(fk.jit(lambda x: fk.exp(x) - 3), np.ones((64, 64), np.float32), seconds=0.2)
    (record,) = fk.tuning.records()
    assert record.is_used and record.target == "cpu" and record.gain >= 1
    assert fk.tuning.export(tmp_path / "records.tsv") == 1 and fk.tuning.clear() == 1 and fk.tuning.records() == []
    assert fk.tuning.merge(tmp_path / "records.tsv") == 1 and fk.tuning.records() == [record]
    assert repr(fk.tuning).startswith("1 records, 1 for this machine")
