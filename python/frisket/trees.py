# SPDX-License-Identifier: MIT
"""Tuples, lists, dicts and dataclasses of arrays, flattened and put together again."""
import dataclasses


class Leaf:
    """The place of an array or a number in a structure."""

    __slots__ = ("place",)

    def __init__(self, place):
        self.place = place


class Static:
    """A value that is part of the trace: bool, str, None, callables, and the arguments that static_argnames names."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


def flatten(value, is_leaf, leaves, names, name):
    """The structure of a value; its leaves, with their names, are added to both lists.  A hashable key besides."""
    if is_leaf(value):
        leaves.append(value)
        names.append(name)
        return Leaf(len(leaves) - 1), "leaf"
    if isinstance(value, (tuple, list)):
        parts = [flatten(v, is_leaf, leaves, names, f"{name}.{i}") for i, v in enumerate(value)]
        return _joined(value, parts), (type(value), tuple(key for _, key in parts))
    if isinstance(value, dict):
        parts = {k: flatten(v, is_leaf, leaves, names, f"{name}.{k}") for k, v in value.items()}
        return ({k: part for k, (part, _) in parts.items()}, (dict, tuple((k, key) for k, (_, key) in parts.items())))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = {f.name: flatten(getattr(value, f.name), is_leaf, leaves, names, f"{name}.{f.name}")
                 for f in dataclasses.fields(value)}  # fmt: skip
        made = _Record(type(value), {k: part for k, (part, _) in parts.items()})
        return made, (type(value), tuple((k, key) for k, (_, key) in parts.items()))
    return Static(value), (type(value), value)


class _Record:
    """A dataclass and the structures of its fields."""

    __slots__ = ("cls", "fields")

    def __init__(self, cls, fields):
        self.cls = cls
        self.fields = fields


def _joined(value, parts):
    parts = [part for part, _ in parts]
    if isinstance(value, list):
        return parts
    return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)


def unflatten(tree, leaves):
    """The structure with these leaves."""
    if isinstance(tree, Leaf):
        return leaves[tree.place]
    if isinstance(tree, Static):
        return tree.value
    if isinstance(tree, list):
        return [unflatten(part, leaves) for part in tree]
    if isinstance(tree, tuple):
        parts = [unflatten(part, leaves) for part in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else tuple(parts)
    if isinstance(tree, dict):
        return {k: unflatten(part, leaves) for k, part in tree.items()}
    return tree.cls(**{k: unflatten(part, leaves) for k, part in tree.fields.items()})
