# SPDX-License-Identifier: MIT
"""Options of the tests of the Python package."""


def pytest_addoption(parser):
    parser.addoption("--jit-every", type=int, default=20, help="each so many-th reference case runs compiled too (1: all)")
    parser.addoption("--sample", type=int, default=1, help="each so many-th reference case runs at all")
