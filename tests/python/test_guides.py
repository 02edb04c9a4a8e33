# SPDX-License-Identifier: MIT
"""Both sides of each row of the tables in docs/guides have one value: `theirs` | `frisket`."""
import pathlib
import re

import frisket as fk
import numpy as np
import pytest

folder = pathlib.Path(__file__).resolve().parents[2] / "docs" / "guides"
needed = {"pytorch": "torch", "scipy": "scipy", "jax": "jax", "numpy": "numpy", "fbgemm": "fbgemm_gpu"}
row = re.compile(r"^\| `(.+)` \| `(.+)` \|$", re.MULTILINE)
line = re.compile(r"^\|.*$", re.MULTILINE)
block = re.compile(r"^<!-- run by tests/python/test_guides.py -->\n```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def plain(value):
    """(values, where they are specified); zeros where not."""
    if isinstance(value, fk.Masked):
        return value.filled(0), value.mask
    if hasattr(value, "get_mask"):  # MaskedTensor
        mask = value.get_mask().numpy()
        return np.where(mask, value.get_data().numpy(), 0), mask
    if isinstance(value, np.ma.MaskedArray):
        return value.filled(0), ~np.ma.getmaskarray(value)
    if hasattr(value, "detach"):
        value = value.detach()
    for name in ("toarray", "to_dense"):  # lists of SciPy and torch: zeros where nothing is stored
        if hasattr(value, name):
            return np.asarray(getattr(value, name)()), None
    return np.asarray(value), None


@pytest.mark.parametrize("guide", needed)
def test_rows_of(guide):
    pytest.importorskip(needed[guide], reason=f"{needed[guide]} is absent")
    text = (folder / f"{guide}.md").read_text(encoding="utf-8")
    names = {}
    for code in block.findall(text):
        exec(code, names)
    rows = row.findall(text)
    assert len(rows) == len(line.findall(text)) - 2 * text.count("|---|") and len(rows) >= 8
    for theirs, ours in rows:
        (wanted, wanted_mask), (found, mask) = plain(eval(theirs, names)), plain(eval(ours, names))
        assert wanted.shape == found.shape, f"{theirs} | {ours}"
        assert np.allclose(wanted, found, rtol=1e-5), f"{theirs} gives {wanted}, {ours} gives {found}"
        if wanted_mask is not None and mask is not None:
            assert np.array_equal(wanted_mask, mask), f"{theirs} | {ours}"
