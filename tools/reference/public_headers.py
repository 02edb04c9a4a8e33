# SPDX-License-Identifier: MIT
"""The headers that users include, and that such headers include."""
import os
import re


def public_headers(root):
    """Their paths from the project's root."""
    forwarders = (root / "cmake/frisket_forwarders.cmake").read_text(encoding="utf-8")
    found, left = set(), re.findall(r"^frisket_forward\(\S+ (\S+)\)", forwarders, re.MULTILINE)
    while left:
        header = left.pop()
        if header in found:
            continue
        found.add(header)
        text = (root / header).read_text(encoding="utf-8")
        left += [os.path.normpath(os.path.join(os.path.dirname(header), other))
                 for other in re.findall(r'^#include "([^"]+)"', text, re.MULTILINE)]
    return found
