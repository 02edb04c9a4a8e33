// SPDX-License-Identifier: MIT
#include "../../ir/passes/gradient/gradient.hpp"
#include "program.hpp"

namespace fuzz {

namespace {

using Wants = Form::Wants;
using namespace ir;

// The code of a call and its text are one thing.
#define FORM(name, weight, wants, ...)                                                                       \
    Form {                                                                                                   \
        name, weight, wants,                                                                                 \
            []([[maybe_unused]] ExpressionContext* session, [[maybe_unused]] const std::vector<Value>& x,    \
               [[maybe_unused]] const Instruction& with) -> Value { return __VA_ARGS__; },                   \
            #__VA_ARGS__                                                                                     \
    }

const Form table[] = {
    FORM("unary", 70, Wants::unary, apply(with.op, {x[0]})),
    FORM("binary", 90, Wants::binary, apply(with.op, {x[0], x[1]}, with.mode)),
    FORM("with number", 15, Wants::number, apply(with.op, {x[0], number(*x[0].graph, with.number)})),
    FORM("number with", 10, Wants::number, apply(with.op, {number(*x[0].graph, with.number), x[0]})),
    FORM("with whole", 15, Wants::number, apply(with.op, {x[0], number(*x[0].graph, with.a)})),
    FORM("whole with", 5, Wants::number, apply(with.op, {number(*x[0].graph, with.a), x[0]})),
    FORM("where", 15, Wants::where, where(x[0], x[1], x[2])),
    FORM("cast", 15, Wants::cast, cast(x[0], with.dtype)),
    FORM("clamp", 6, Wants::clamp, clamp(x[0], number(*x[0].graph, with.a), number(*x[0].graph, with.b))),
    FORM("clamp to", 3, Wants::clamp, clamp(x[0], {}, number(*x[0].graph, with.b))),
    FORM("nan_to_num", 5, Wants::fill,
         nan_to_num(x[0], number(*x[0].graph, with.number), number(*x[0].graph, 9.0),
                    number(*x[0].graph, -9.0))),

    FORM("mask_of", 4, Wants::other, mask_of(x[0])),
    FORM("to_dense", 12, Wants::fill, to_dense(x[0], number(*x[0].graph, with.number))),
    FORM("on", 6, Wants::binary, on(x[0], x[1])),
    FORM("restrict", 10, Wants::mask, restrict(x[0], x[1])),

    FORM("sum", 9, Wants::dims, sum(x[0], with.dims, with.flag)),
    FORM("prod", 5, Wants::dims, prod(x[0], with.dims, with.flag)),
    FORM("mean", 7, Wants::dims, mean(x[0], with.dims, with.flag)),
    FORM("amin", 6, Wants::dims, amin(x[0], with.dims, with.flag)),
    FORM("amax", 6, Wants::dims, amax(x[0], with.dims, with.flag)),
    FORM("any", 3, Wants::dims, any(x[0], with.dims, with.flag)),
    FORM("all", 3, Wants::dims, ir::all(x[0], with.dims, with.flag)),
    FORM("count", 3, Wants::dims, count(x[0], with.dims, with.flag)),
    FORM("var", 5, Wants::dims, var(x[0], with.dims, 1, with.flag)),
    FORM("std", 3, Wants::dims, ir::std(x[0], with.dims, 0, with.flag)),
    FORM("logsumexp", 3, Wants::dims, logsumexp(x[0], with.dims, with.flag)),
    FORM("norm", 5, Wants::norm, norm(x[0], with.number, with.dims, with.flag)),
    FORM("argmin", 8, Wants::dim_or_none, argmin(x[0], with.dim, with.flag)),
    FORM("argmax", 8, Wants::dim_or_none, argmax(x[0], with.dim, with.flag)),
    FORM("median", 4, Wants::dim_or_none, session->median(x[0], with.dim, with.flag)),

    FORM("softmax", 4, Wants::dim, softmax(x[0], *with.dim)),
    FORM("softmin", 2, Wants::dim, softmin(x[0], *with.dim)),
    FORM("log_softmax", 3, Wants::dim, log_softmax(x[0], *with.dim)),
    FORM("cumsum", 6, Wants::dim, cumsum(x[0], *with.dim)),
    FORM("cumprod", 4, Wants::dim, cumprod(x[0], *with.dim)),
    FORM("normalize", 4, Wants::normalize, normalize(x[0], with.number, *with.dim, 1e-12)),

    FORM("select", 5, Wants::select, select(x[0], *with.dim, with.a)),
    FORM("slice", 8, Wants::slice, slice(x[0], *with.dim, with.a, with.b, with.flag ? 2 : 1)),
    FORM("slice from", 4, Wants::slice, slice(x[0], *with.dim, with.a, {})),
    FORM("narrow", 3, Wants::slice, narrow(x[0], *with.dim, 0, 2)),
    FORM("transpose", 8, Wants::two_dims,
         transpose(x[0], static_cast<int>(with.a), static_cast<int>(with.b))),
    FORM("movedim", 4, Wants::two_dims, movedim(x[0], static_cast<int>(with.a), static_cast<int>(with.b))),
    FORM("flatten", 5, Wants::flatten, flatten(x[0], static_cast<int>(with.a), static_cast<int>(with.b))),
    FORM("reshape", 8, Wants::reshape, reshape(x[0], with.shape)),
    FORM("squeeze", 3, Wants::other, squeeze(x[0], with.dim)),
    FORM("unsqueeze", 5, Wants::unsqueeze, unsqueeze(x[0], *with.dim)),
    FORM("expand", 5, Wants::expand, expand(x[0], with.shape)),
    FORM("flip", 6, Wants::dim, flip(x[0], {*with.dim})),
    FORM("roll", 5, Wants::roll, roll(x[0], with.a, *with.dim)),
    FORM("repeat", 4, Wants::repeat, repeat(x[0], with.shape)),
    FORM("diagonal", 5, Wants::diagonal,
         diagonal(x[0], with.number < 0 ? -1 : 0, static_cast<int>(with.a), static_cast<int>(with.b))),

    FORM("index_select", 6, Wants::index, index_select(x[0], *with.dim, x[1])),
    FORM("gather", 6, Wants::gather, gather(x[0], *with.dim, x[1])),
    FORM("index", 4, Wants::indices, index(x[0], {x[1]})),
    FORM("index by two", 4, Wants::indices, index(x[0], {x[1], x[2]})),
    FORM("index_bool", 4, Wants::condition, session->index_bool(x[0], x[1])),
    FORM("cat", 7, Wants::join, cat({x[0], x[1]}, *with.dim)),
    FORM("stack", 5, Wants::join, stack({x[0], x[1]}, *with.dim)),

    FORM("matmul", 8, Wants::matmul, matmul(x[0], x[1])),
    FORM("linear", 3, Wants::linear, linear(x[0], x[1], {})),
    FORM("gradient", 4, Wants::gradient, ir::gradient(x[0], {&x[1], 1}, {}, Unused::allowed)[0]),

    // Forms that only lists programs take.
    FORM("gradient from", 0, Wants::gradient, ir::gradient(x[0], {&x[1], 1}, x[2], Unused::allowed)[0]),
};

}  // namespace

std::span<const Form> forms() { return table; }

}  // namespace fuzz
