# SPDX-License-Identifier: MIT
"""Masks as files of NumPy's, without NumPy."""


def npy_mask(shape, elements):
    """The bytes of an .npy file of bools: version 1.0, in C's order, its header of 128 bytes."""
    header = f"{{'descr': '|b1', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    return b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + header.ljust(117).encode() + b"\n" + elements
