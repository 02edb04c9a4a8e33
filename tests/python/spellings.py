# SPDX-License-Identifier: MIT
"""The tables of spellings of docs/python.md, and the comparisons of both sides of a row."""
import pathlib
import re

import frisket as fk
import numpy as np

document = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"


def rows(library):
    """(their spelling, ours) of each row of the table "From LIBRARY"."""
    section = document.read_text(encoding="utf-8").partition(f"### From {library}\n")[2].partition("\n#")[0]
    return re.findall(r"^\| `(.+?)` \| `(.+?)` \|$", section, re.MULTILINE)


def plain(x):
    """Values and the mask of a result of any library."""
    if isinstance(x, fk.Masked):
        return x.filled(0), x.mask
    if isinstance(x, np.ma.MaskedArray):
        return x.filled(0), ~np.ma.getmaskarray(x)
    if hasattr(x, "toarray"):
        return x.toarray(), fk.asmasked(x).mask
    if type(x).__name__ == "MaskedTensor":
        return np.asarray(x.get_data()), np.asarray(x.get_mask())
    return np.asarray(x), np.ones(np.shape(x), bool)


def compare(theirs, ours, names):
    """Runs both sides of a row, and compares values where they are specified, and masks."""
    wanted, made = eval(theirs, names), eval(ours, names)
    if isinstance(wanted, dict):
        assert made == wanted
        return
    (values, mask), (other, other_mask) = plain(wanted), plain(made)
    assert values.shape == other.shape and np.array_equal(mask, other_mask)
    np.testing.assert_allclose(np.where(mask, values, 0), np.where(mask, other, 0), rtol=1e-6)
