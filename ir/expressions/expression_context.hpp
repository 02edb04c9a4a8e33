// SPDX-License-Identifier: MIT
// Collects the tensors and numbers of an expression while its graph is built.
#pragma once
#include "../interpreter/interpret.hpp"
#include "../tensor_ops/value.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace frisket::ir {

/// True if tensors are one symbol of an expression: the same memory with the same shape and strides.
bool is_same_memory(const AnyTensor& a, const AnyTensor& b);
/// True if masked tensors are one symbol of an expression: the same storage.
bool is_same_storage(const AnyMasked& a, const AnyMasked& b);

/// A tensor of an expression, or the values of a masked one, in the memory of another tensor.
struct MemoryView {
    Value read;  ///< the tensor
    Value view;  ///< the same elements, as an expression of the other tensor
};

/// An expression over actual tensors: its graph, and the tensors bound to its symbols.  Operations whose
/// positions depend on values (boolean indexing, median) have their operands evaluated when they are added.
class ExpressionContext {
public:
    /// Function that runs graphs: frisket::evaluate, or one that compiles them.
    using Evaluate = std::function<std::vector<Result>(const Graph&, std::span<const Argument>)>;

    explicit ExpressionContext(std::string name, Evaluate evaluate = &frisket::evaluate);
    ExpressionContext(const ExpressionContext&) = delete;
    ExpressionContext& operator=(const ExpressionContext&) = delete;

    /// A dense tensor; the same memory with the same shape and strides is the same symbol.
    Value tensor(const AnyTensor& tensor);
    /// A masked tensor; the same one, with the same storage, is the same symbol.
    Value masked(const AnyMasked& masked);
    /// An input of a function: a symbol of its own, of which no other tensor is a view, whatever its memory.
    Value input(const AnyTensor& tensor);
    Value input(const AnyMasked& masked);
    /// The tensors so far whose elements are in the memory of a dense tensor, `x`, except itself.
    std::vector<MemoryView> views_of(Value x);
    /// A number of the source: double, std::int64_t or bool.
    template <class Number>
    Value number(Number value) {
        return {&graph_, graph_.constant(value)};
    }

    /// x where `condition` is true, and specified if it is masked, in row-major order.  The condition covers
    /// the leading dimensions of x, which become one.
    /// Errors: DTypeError unless it is bool, ShapeError unless its shape is a prefix of x's shape.
    Value index_bool(Value x, Value condition);
    /// The lower median of the specified elements of each slice; NaN if one of them is.
    Value median(Value x, std::optional<int> dim = {}, bool keepdim = false);
    /// Both, for operations by their names.  Refers to the context.
    ValueReader reader();

    /// Values of several expressions, values of products in any layout.
    /// Errors: MaskMismatch and errors that depend on values; nothing is returned then.
    std::vector<Result> run_any(std::span<const Value> results);
    /// Values and masks of several expressions.
    std::vector<Result> run(std::span<const Value> results);
    Result run(Value result) { return run(std::span(&result, 1)).at(0); }

    GraphBuilder& graph() noexcept { return graph_; }

private:
    struct Bound {
        std::variant<AnyTensor, AnyMasked> tensor;
        bool is_input = false;
    };
    Value bind(const Bound& bound, SymbolKind kind, DType dtype, const Shape& shape);

    GraphBuilder graph_;
    Evaluate evaluate_;
    std::deque<Bound> bound_;  // tensor of each symbol
};

}  // namespace frisket::ir
