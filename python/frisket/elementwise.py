# SPDX-License-Identifier: MIT
"""Elementwise operations: a function for each row of the table, by NumPy's name and by torch's where they differ."""
from .values import apply

# Operation of the table: names in Python, meaning.
unary = {
    "neg": ("negative neg", "-x"),
    "positive": ("positive", "x"),
    "abs": ("abs absolute", "magnitude"),
    "sign": ("sign", "1 of the sign, 0 of zeros and NaN"),
    "square": ("square", "x * x"),
    "relu": ("relu", "x, 0 for what is negative"),
    "reciprocal": ("reciprocal", "1 / x, a float"),
    "logical_not": ("logical_not", "bool: not x"),
    "isnan": ("isnan", "bool"),
    "isinf": ("isinf", "bool"),
    "isfinite": ("isfinite", "bool"),
    "signbit": ("signbit", "bool, of zeros and NaN too"),
    "bitwise_not": ("invert bitwise_not bitwise_invert", "all bits flipped; of bool: not"),
    "ceil": ("ceil", "rounded up"),
    "floor": ("floor", "rounded down"),
    "trunc": ("trunc fix", "rounded towards 0"),
    "round": ("round rint", "rounded, halves to even"),
    "frac": ("frac", "what trunc cuts off"),
    "sqrt": ("sqrt", "square root"),
    "rsqrt": ("rsqrt", "1 / sqrt(x)"),
    "exp": ("exp", "exponential"),
    "exp2": ("exp2", "2 to the power of x"),
    "expm1": ("expm1", "exp(x) - 1"),
    "log": ("log", "natural logarithm"),
    "log2": ("log2", "logarithm to base 2"),
    "log10": ("log10", "logarithm to base 10"),
    "log1p": ("log1p", "log(1 + x)"),
    "sigmoid": ("sigmoid", "1 / (1 + exp(-x))"),
    "logit": ("logit", "log(x / (1 - x))"),
    "sin": ("sin", "sine"),
    "cos": ("cos", "cosine"),
    "tan": ("tan", "tangent"),
    "asin": ("arcsin asin", "inverse sine"),
    "acos": ("arccos acos", "inverse cosine"),
    "atan": ("arctan atan", "inverse tangent"),
    "sinh": ("sinh", "hyperbolic sine"),
    "cosh": ("cosh", "hyperbolic cosine"),
    "tanh": ("tanh", "hyperbolic tangent"),
    "asinh": ("arcsinh asinh", "inverse hyperbolic sine"),
    "acosh": ("arccosh acosh", "inverse hyperbolic cosine"),
    "atanh": ("arctanh atanh", "inverse hyperbolic tangent"),
    "deg2rad": ("deg2rad radians", "degrees as radians"),
    "rad2deg": ("rad2deg degrees", "radians as degrees"),
    "sinc": ("sinc", "sin(pi x) / (pi x)"),
    "erf": ("erf", "error function"),
    "erfc": ("erfc", "1 - erf(x)"),
    "erfinv": ("erfinv", "the number whose erf is x"),
    "lgamma": ("lgamma gammaln", "logarithm of the gamma function's magnitude"),
    "digamma": ("digamma", "derivative of lgamma"),
    "trigamma": ("trigamma", "derivative of digamma"),
    "i0": ("i0", "modified Bessel function of order 0"),
    "i1": ("i1", "derivative of i0"),
}
binary = {
    "add": ("add", "a + b; of bool: or"),
    "sub": ("subtract sub", "a - b"),
    "mul": ("multiply mul", "a * b; of bool: and"),
    "div": ("divide div true_divide", "a / b, a float"),
    "floor_divide": ("floor_divide", "the quotient rounded down"),
    "trunc_divide": ("trunc_divide", "the quotient rounded towards 0"),
    "remainder": ("remainder mod", "what floor_divide leaves, of b's sign"),
    "fmod": ("fmod", "what trunc_divide leaves, of a's sign"),
    "pow": ("power pow float_power", "a to the power of b"),
    "maximum": ("maximum", "the larger; NaN if either is"),
    "minimum": ("minimum", "the smaller; NaN if either is"),
    "fmax": ("fmax", "the larger; if one is NaN, the other"),
    "fmin": ("fmin", "the smaller; if one is NaN, the other"),
    "atan2": ("arctan2 atan2", "the angle of (b, a)"),
    "hypot": ("hypot", "sqrt(a a + b b), does not overflow"),
    "logaddexp": ("logaddexp", "log(exp(a) + exp(b)), does not overflow"),
    "eq": ("equal eq", "bool: a == b"),
    "ne": ("not_equal ne", "bool: a != b"),
    "lt": ("less lt", "bool: a < b"),
    "le": ("less_equal le", "bool: a <= b"),
    "gt": ("greater gt", "bool: a > b"),
    "ge": ("greater_equal ge", "bool: a >= b"),
    "logical_and": ("logical_and", "bool"),
    "logical_or": ("logical_or", "bool"),
    "logical_xor": ("logical_xor", "bool"),
    "bitwise_and": ("bitwise_and", "of bool: and"),
    "bitwise_or": ("bitwise_or", "of bool: or"),
    "bitwise_xor": ("bitwise_xor", "of bool: whether they differ"),
    "bitwise_left_shift": ("left_shift bitwise_left_shift", "bits moved up"),
    "bitwise_right_shift": ("right_shift bitwise_right_shift", "bits moved down, keeping the sign"),
}


def _unary(operation, name, text):
    def function(x):
        return apply(operation, (x,))

    return _named(function, operation, name, text)


def _binary(operation, name, text):
    def function(a, b):
        return apply(operation, (a, b))

    return _named(function, operation, name, text)


def _named(function, operation, name, text):
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Elementwise: {text}."
    function.operation = operation
    return function


__all__ = []
for _table, _make in ((unary, _unary), (binary, _binary)):
    for _operation, (_names, _text) in _table.items():
        _function = _make(_operation, _names.split()[0], _text)
        for _name in _names.split():
            globals()[_name] = _function
            __all__.append(_name)
