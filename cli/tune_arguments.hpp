// SPDX-License-Identifier: MIT
// Makes arguments for calls that are tuned.
#pragma once
#include "../ir/tensor_ops/value.hpp"
#include "../optim/rule.hpp"
#include "../runtime/kernel/argument.hpp"

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace frisket::cli {

/// Description of a gradient's mask.
struct Pattern {
    std::string kind =
        {};  ///< random elements, whole rows, or blocks of 16 by 16; empty: as the layout needs
    double density = 0.01;  ///< share of what is specified
    std::string mask;       ///< a .npy file instead
};

/// The pattern, and where it names no kind that of the layout.
Pattern pattern_for(Pattern pattern, Layout layout);

/// Errors: ValueError, IoError, ShapeError if the file's mask has another shape.
Tensor<bool> mask_of(const Pattern& pattern, const Shape& shape);

/// The numbers that a step is called with, for tensors of a shape; those that it does not name are 1.
using NumbersOf = std::function<std::vector<optim::Number>(const Shape& shape)>;

/// The mask of a Masked symbol, for its shape.
using MaskOf = std::function<Tensor<bool>(const Shape& shape)>;

/// Arguments for a step or a function: tensors of numbers that stay what they are, and its numbers.  Whole
/// numbers are indices within the least extent.
class StepArguments {
public:
    /// `shape`: of all tensors, unless the graph gives them shapes.
    /// Errors: LayoutError if the layout cannot hold the mask.
    StepArguments(const Graph& step, const NumbersOf& numbers_of, const Shape& shape, const MaskOf& mask_of,
                  Layout layout);
    std::span<const Argument> arguments() const { return arguments_; }

private:
    std::vector<Argument> arguments_;
    std::deque<AnyTensor> tensors_;
    std::deque<AnyMasked> masked_;
    std::deque<double> states_;
};

struct ExpressionToTune;

/// Tensors for the symbols of an expression, each made when it is first asked for.
class Operands {
public:
    Operands(const ExpressionToTune& expression, const Pattern& pattern, Layout layout)
        : expression_(expression), pattern_(pattern), layout_(layout) {}

    /// The operand that stands for a symbol in a session.
    /// Errors: LayoutError if the layout cannot hold the mask.
    ir::Value bind(ir::ExpressionContext& session, std::string_view name, SymbolKind kind, DType dtype);
    /// Rows of the page's table of facts: a line for each symbol.
    const std::vector<std::pair<std::string, std::string>>& facts() const { return facts_; }

private:
    using Operand = std::variant<AnyTensor, AnyMasked, double>;
    const Operand& operand(const std::string& name, SymbolKind kind, DType dtype);

    const ExpressionToTune& expression_;
    const Pattern& pattern_;
    Layout layout_;
    std::map<std::string, Operand> operands_;
    std::vector<std::pair<std::string, std::string>> facts_;
};

}  // namespace frisket::cli
