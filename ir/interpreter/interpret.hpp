// SPDX-License-Identifier: MIT
// Interprets graphs on dense tensors, element by element.
#pragma once
#include "../../runtime/kernel/argument.hpp"
#include "../graph.hpp"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace frisket {

namespace kernel_calls {
struct Ready;
}

/// A result of an expression: values, and a bool mask of the same shape if it is masked; or, if a plan
/// computed it only from lists, a masked tensor in the layout that eval specifies.  The interpreter returns
/// values.
struct Result {
    AnyTensor values = {};
    std::optional<AnyTensor> mask = {};
    std::optional<AnyMasked> listed = {};
};

/// The result as values and mask.
Result strided(Result result);
/// The result in memory of its own.
Result clone(const Result& result);

/// The most elements of a dense tensor that the interpreter makes of a list.
inline constexpr std::int64_t most_interpreted = std::int64_t{1} << 28;

/// Runs a step instruction by instruction on whole tensors, each in its own dtype, as the graph is written:
/// the reference for every compiled kernel.  Arguments are in the order of the graph's symbols; masked
/// arguments may have any layout, and are made dense: no code of loops over lists is used.
/// Shape: the targets of the step have one shape, and the values of their updates broadcast to it.
/// Unspecified: values that are read where nothing is specified change no result.
/// Cost: some hundred nanoseconds an element, specified or not.
/// Errors: as of a kernel's call, and ShapeError for a value that would have more than `most_interpreted`
/// elements, before anything is written.
void interpret(const Graph& graph, std::span<const Argument> arguments);
/// Computes a step as interpret() does; running the result stores the values.
kernel_calls::Ready ready_interpreted(const Graph& graph, std::span<const Argument> arguments);

/// Runs a step on arguments by name, in any order.
void interpret(const Graph& graph, std::span<const NamedArgument> arguments);
/// Runs a step on arguments by name.  Errors: also BindingError if a name is missing, unknown or given twice.
void interpret(const Graph& graph, std::initializer_list<NamedArgument> arguments);

/// The results of an expression, in the same way: values, and masks of masked results.  Results may share
/// memory with arguments.
/// Errors: MaskMismatch, ShapeError as above, and errors of the graph's checks; nothing is returned then.
std::vector<Result> evaluate(const Graph& graph, std::span<const Argument> arguments);

/// Reports the first of the graph's checks that fails, if one does.
/// Errors: the check's.
void report_checks(const Graph& graph, std::span<const Argument> arguments);
/// The error of a check whose first bad element has the index `place` and this value, if the check has
/// values.
[[noreturn]] void raise_check(const Graph& graph, const Check& check, const Shape& place, std::int64_t value);

}  // namespace frisket
