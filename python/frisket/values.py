# SPDX-License-Identifier: MIT
"""Traced values, and how operations reach a trace or are evaluated at once."""
from . import _core
from .calls import shown
from .errors import BindingError, Error, TraceError

elementwise = frozenset(_core.elementwise_names())


class NeedsShapes(BaseException):
    """A step without shapes met an operation on whole tensors: it is traced again, with shapes."""


class _Ended:
    """Stands for a graph that is destroyed."""

    def __init__(self, name):
        self._sentence = f"a traced value of {name} is used after its trace has ended: return it from the function"

    def __getattr__(self, name):
        raise TraceError(self._sentence)


class Tracing:
    """A function that is being traced: its graph, and the arrays that it captured."""

    def __init__(self, name, core, kind):
        self.name = name
        self.core = core
        self.kind = kind  # "function", "step", or "arrays": an expression over actual arrays
        self.captured = []  # arrays that were encountered
        self.captured_names = []
        self.captured_nodes = {}
        self.is_open = True

    def node(self, value):
        """The instruction of a traced value, a number, or an array."""
        if isinstance(value, Traced):
            self.check(value)
            return value._node
        if isinstance(value, (bool, int, float)):
            return self.core.number(value)
        if value is None:
            raise BindingError(f"{self.name}: None came where an array or a number is wanted: return or pass a value")
        if self.kind == "arrays":
            return self.core.bind(value)
        return self.capture(value)

    def end(self):
        """Ends a trace whose graph is destroyed with it."""
        self.is_open, self.core = False, _Ended(self.name)

    def check(self, value):
        if value.tracing is self and self.is_open:
            return
        if not value.tracing.is_open:
            raise TraceError(
                f"a traced value of {value.tracing.name} is used after its trace has ended: return it from the "
                "function"
            )
        raise TraceError(f"a traced value of {value.tracing.name} is used in the trace of {self.name}")

    def capture(self, value):
        """An array of the surroundings, as an argument of the trace."""
        known = self.captured_nodes.get(id(value))
        if known is not None:
            return known
        kind, dtype, shape = _core.describe(value)
        if kind == "Scalar":
            return self.core.number(value.item())
        if self.kind == "step" and not self.core.is_shaped():
            shape = None
        name = f"captured{len(self.captured)}"
        node = self.core.symbol(name, kind, dtype, shape)
        self.captured.append(value)
        self.captured_names.append(name)
        self.captured_nodes[id(value)] = node
        return node

    def apply(self, operation, operands, attributes):
        if self.kind == "step" and operation not in elementwise:
            self.need_shapes()
        for attribute in attributes.values():
            if type(attribute) is Traced:
                self.check(attribute)
        try:
            return self.core.apply(operation, [self.node(x) for x in operands], attributes)
        except RuntimeError as error:
            raise _of_another_type(operation, attributes, error) from None

    def need_shapes(self):
        if self.kind == "step" and not self.core.is_shaped():
            raise NeedsShapes


class Traced:
    """A value of a function that is being traced: it has a dtype and a shape, and no elements yet."""

    __slots__ = ("tracing", "fixed_node", "parameter")

    def __init__(self, tracing, node, parameter=None):
        self.tracing = tracing
        self.fixed_node = node
        self.parameter = parameter  # name of an array that a step may update

    @property
    def _node(self):
        if self.parameter is None:
            return self.fixed_node
        return self.tracing.core.current(self.parameter)

    @property
    def shape(self):
        self.tracing.need_shapes()
        return self.tracing.core.shape_of(self._node)

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    @property
    def dtype(self):
        return self.tracing.core.dtype_of(self._node)

    @property
    def is_masked(self):
        """True if some elements may be unspecified."""
        return self.tracing.core.is_masked(self._node)

    def __len__(self):
        if self.ndim == 0:
            raise TraceError(f"{self.tracing.name}: a traced number has no length")
        return self.shape[0]

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __repr__(self):
        core = self.tracing.core
        if type(core) is _Ended:
            return f"<traced value of {self.tracing.name}, whose trace has ended>"
        shape = f", shape {core.shape_of(self._node)}" if core.is_shaped() else ""
        masked = ", masked" if self.is_masked else ""
        return f"<traced value of {self.tracing.name}: {self.dtype}{shape}{masked}>"

    def _refuse(self, what, instead):
        raise TraceError(f"{self.tracing.name}: {what} of a traced value, which has no elements yet: {instead}")

    def __bool__(self):
        self._refuse("the truth", "write fk.where(condition, a, b)")

    def __float__(self):
        self._refuse("float(x)", "return it from the function, and convert what the call gives")

    def __int__(self):
        self._refuse("int(x)", "return it from the function, and convert what the call gives")

    __index__ = __int__
    __complex__ = __float__

    def item(self):
        """Refused: a traced value has no elements."""
        self._refuse("item()", "return it from the function, and convert what the call gives")

    def numpy(self):
        """Refused: a traced value has no elements."""
        self._refuse("numpy()", "return it from the function")

    def __array__(self, dtype=None, copy=None):
        self._refuse("np.asarray(x)", "write an operation of frisket, which takes traced values as they are")


def is_number(value):
    return isinstance(value, (bool, int, float))


def tracing_of(values):
    """The trace that a traced value belongs to; None if there is none among these."""
    for value in values:
        if type(value) is Traced:
            return value.tracing
    return None


def _of_another_type(operation, attributes, error):
    """The error of an operation whose attributes the core could not read; others as they are."""
    if isinstance(error, Error) or str(error) != "std::bad_cast":
        return error
    given = ", ".join(f"{name} {shown(value)}" for name, value in attributes.items())
    return BindingError(f"{operation}: an attribute is of another type than the operation has: {given}: write a number")


def apply(operation, operands, **attributes):
    """An operation of the table: in a trace an instruction, else its value."""
    tracing = tracing_of((*operands, *attributes.values()))
    if tracing is None:
        try:
            return _core.eager(operation, list(operands), attributes)
        except RuntimeError as error:
            raise _of_another_type(operation, attributes, error) from None
    return Traced(tracing, tracing.apply(operation, operands, attributes)[0])


def apply_to_several(operation, operands, **attributes):
    """An operation with a list of results."""
    tracing = tracing_of((*operands, *attributes.values()))
    if tracing is None:
        try:
            return _core.eager(operation, list(operands), attributes)
        except RuntimeError as error:
            raise _of_another_type(operation, attributes, error) from None
    return [Traced(tracing, node) for node in tracing.apply(operation, operands, attributes)]


def one_of(name, first, second, other_name):
    """One of two spellings of an argument."""
    if first is not None and second is not None:
        raise BindingError(f"{name} and {other_name} are one argument: write one of them")
    return second if first is None else first
