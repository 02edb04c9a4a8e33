# SPDX-License-Identifier: MIT
"""Type stubs: the script writes the same, mypy accepts them and a user's program, and stubtest finds their names."""
import os
import pathlib
import re
import subprocess
import sys

import frisket as fk
import pytest

here = pathlib.Path(__file__).resolve().parent
script = here.parents[1] / "tools" / "python_stubs.py"
package = pathlib.Path(fk.__file__).parent
# nanobind has types of functions and classes of its own; fields of ctypes, decorated and installed members, and methods that
# torch's class, Any here, has are seen at run time.  Annotations are classes, and aliases of types for a checker.  A library of
# loops is no module.
allowed = r"""
frisket\._core\.\w+
frisket\._core\.\w+\.__init__
frisket\._core\.Trace\.of_arrays
frisket\._core\.Masked\.__class_getitem__
frisket(\.annotations)?\.(In|InOut|Scalar)
frisket\.(arrow|kernels)\.(Chunk|Schema|Stream|MaskedTensor|Result|Tensor)\.\w+
frisket\.tracing\.(Compiled|Jit|Step)
frisket\.libfrisket_rules
frisket\.torch\.optim\.\w+\.__signature__
frisket\.torch\.optim\.FrisketOptimizer\.\w+
frisket\.torch\.functions\._Function(\.backward)?
frisket\.tools\.Cache\.(count|path|size)
frisket\.values\.(Traced|Tracing)\.\w+
"""
# torch's own types take a minute to read: here its classes are Any.
without_torch = """
follow_imports = silent
[mypy-torch.*]
follow_imports = skip
"""
stubs = sorted(str(path.relative_to(package)) for path in package.rglob("*.pyi"))


def run(*words, folder=None):
    paths = os.pathsep.join([str(package.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": paths, "MYPY_CACHE_DIR": str(folder / "cache") if folder else os.devnull}
    return subprocess.run(
        [sys.executable, "-B", *words], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def test_stubs_are_current(tmp_path):
    pytest.importorskip("nanobind", reason="nanobind is absent")
    made = run(str(script), str(tmp_path))
    assert made.returncode == 0, made.stdout
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.pyi")) == stubs
    for name in stubs:
        assert (tmp_path / name).read_text() == (package / name).read_text(), f"{name} is not current: run tools/python_stubs.py"


def test_mypy_accepts_the_stubs_and_a_program(tmp_path):
    pytest.importorskip("mypy", reason="mypy is absent")
    program = here / "typed_program.py"
    settings = tmp_path / "mypy.ini"
    settings.write_text(f"[mypy]\nstrict = True{without_torch}[mypy-frisket.torch.optim]\ndisallow_subclassing_any = False\n")
    words = ["--config-file", str(settings), *(str(package / name) for name in stubs), str(program)]
    made = run("-m", "mypy", *words, folder=tmp_path)
    found = {(int(line), kind) for line, kind in re.findall(r"typed_program\.py:(\d+): error: .*\[([\w-]+)\]", made.stdout)}
    wanted = {
        (number, line.partition("# wrong: ")[2]) for number, line in enumerate(program.read_text().splitlines(), 1) if "# wrong: " in line
    }
    assert found == wanted, made.stdout
    assert ".pyi:" not in made.stdout, made.stdout


def test_stubtest(tmp_path):
    pytest.importorskip("mypy", reason="mypy is absent")
    pytest.importorskip("torch", reason="torch is absent")
    settings = tmp_path / "mypy.ini"
    settings.write_text(f"[mypy]\nignore_missing_imports = True{without_torch}[mypy-frisket.*]\nignore_errors = True\n")
    (tmp_path / "allowed").write_text(allowed)
    made = run("-m", "mypy.stubtest", "frisket", "--mypy-config-file", str(settings), "--allowlist", "allowed", "--ignore-unused-allowlist", folder=tmp_path)
    assert made.returncode == 0, made.stdout
