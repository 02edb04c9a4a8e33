// SPDX-License-Identifier: MIT
#include "tune_arguments.hpp"

#include "../ir/expressions/expression_context.hpp"
#include "../runtime/io/tensor_files.hpp"
#include "../runtime/layouts/layout_traits.hpp"
#include "../runtime/tensor/error.hpp"
#include "search.hpp"

#include <algorithm>
#include <limits>
#include <random>

namespace frisket::cli {

namespace {

AnyTensor random_values(DType dtype, const Shape& shape) {
    Tensor<float> values(shape);
    std::mt19937 random(1);
    for (std::int64_t i = 0; i < values.size(); ++i)
        values.data()[i] = static_cast<float>(random()) / 4294967296.0F - 0.5F;
    return dtype == DType::float32 ? AnyTensor(values) : AnyTensor(values).to(dtype);
}

/// Extents of a piece that is specified as a whole: of rows and columns, all others being rows.
std::pair<std::int64_t, std::int64_t> piece_of(const std::string& kind, std::int64_t columns) {
    if (kind == "random") return {1, 1};
    if (kind == "rows") return {1, std::max<std::int64_t>(columns, 1)};
    if (kind == "blocks") return {16, 16};
    throw ValueError("tune: there is no pattern \"" + kind + "\": write random, rows or blocks");
}

}  // namespace

Tensor<bool> mask_of(const Pattern& pattern, const Shape& shape) {
    if (!pattern.mask.empty()) {
        Tensor<bool> mask = load_npy<bool>(pattern.mask);
        if (mask.shape() != shape)
            throw ShapeError("tune: the mask in " + pattern.mask + " has shape " + to_string(mask.shape()) +
                             ", --shape is " + to_string(shape) + ": they must be equal");
        return mask;
    }
    if (!(pattern.density >= 0 && pattern.density <= 1))
        throw ValueError("tune: --density is a share, from 0 to 1");
    Tensor<bool> mask(shape);
    const std::int64_t columns =
        shape.empty() ? 1 : std::max<std::int64_t>(mask.size() / std::max<std::int64_t>(shape[0], 1), 1);
    const std::int64_t rows = mask.size() / columns;
    const auto [height, width] = piece_of(pattern.kind, columns);
    std::mt19937_64 random(7);
    std::bernoulli_distribution pick(pattern.density);
    for (std::int64_t y = 0; y < rows; y += height)
        for (std::int64_t x = 0; x < columns; x += width) {
            if (!pick(random)) continue;
            for (std::int64_t v = y; v < std::min(y + height, rows); ++v)
                for (std::int64_t u = x; u < std::min(x + width, columns); ++u)
                    mask.data()[v * columns + u] = true;
        }
    return mask;
}

Pattern pattern_for(Pattern pattern, Layout layout) {
    if (pattern.kind.empty()) pattern.kind = runtime::lists_rows(layout) ? "rows" : "random";
    return pattern;
}

namespace {

/// The shapes of a graph's symbols, which are `shape` unless it gives them.
std::vector<Shape> shapes_of(const Graph& step, const Shape& shape) {
    std::vector<Shape> shapes;
    for (const Symbol& symbol : step.symbols) shapes.push_back(step.shaped ? symbol.shape : shape);
    return shapes;
}

/// Indices in any tensor of the step.
AnyTensor scattered_indices(const Shape& shape, std::span<const Shape> others) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const Shape& other : others)
        for (const std::int64_t extent : other) least = std::min(least, extent);
    AnyTensor indices(DType::int64, shape);
    auto* const to = static_cast<std::int64_t*>(indices.data());
    std::mt19937_64 random(3);
    for (std::int64_t i = 0; i < indices.size(); ++i)
        to[i] = static_cast<std::int64_t>(random() %
                                          static_cast<std::uint64_t>(std::max<std::int64_t>(least, 1)));
    return indices;
}

}  // namespace

StepArguments::StepArguments(const Graph& step, const NumbersOf& numbers_of, const Shape& shape,
                             const MaskOf& mask_of, Layout layout) {
    const std::vector<optim::Number> numbers = numbers_of(shape);
    const std::vector<Shape> shapes = shapes_of(step, shape);
    const std::vector<Parameter> parameters = signature_of(step).parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const Parameter& parameter = parameters[i];
        const auto number = std::ranges::find(numbers, parameter.name, &optim::Number::name);
        switch (parameter.kind) {
            case SymbolKind::masked: {
                const AnyMasked dense =
                    AnyMasked::strided(random_values(parameter.dtype, shapes[i]), mask_of(shapes[i]));
                arguments_.emplace_back(masked_.emplace_back(dense.to(layout)));
                break;
            }
            case SymbolKind::in:
            case SymbolKind::in_out:
                arguments_.emplace_back(
                    tensors_.emplace_back(info_of(parameter.dtype).is_float
                                              ? runtime::filled_with_number(parameter.dtype, shapes[i], 0.5)
                                              : scattered_indices(shapes[i], shapes).to(parameter.dtype)));
                break;
            case SymbolKind::scalar_state:
                arguments_.push_back(Argument::state(states_.emplace_back(1)));
                break;
            default: {
                const double value = number != numbers.end() ? number->value : 1.0;
                if (parameter.dtype == DType::int64)
                    arguments_.emplace_back(static_cast<std::int64_t>(value));
                else
                    arguments_.emplace_back(value);
            }
        }
    }
}

const Operands::Operand& Operands::operand(const std::string& name, SymbolKind kind, DType dtype) {
    if (const auto known = operands_.find(name); known != operands_.end()) return known->second;
    const std::string type(info_of(dtype).name);
    if (!is_tensor(kind)) {
        const auto number = std::ranges::find(expression_.numbers, name, &optim::Number::name);
        facts_.emplace_back(name, "a number of " + type);
        return operands_.emplace(name, number != expression_.numbers.end() ? number->value : 1.0)
            .first->second;
    }
    const auto own = expression_.shapes.find(name);
    const Shape& shape = own != expression_.shapes.end() ? own->second : expression_.shape;
    const AnyTensor values = random_values(dtype, shape);
    facts_.emplace_back(name, type + " " + to_string(shape));
    if (kind != SymbolKind::masked) return operands_.emplace(name, values).first->second;
    const AnyMasked masked = AnyMasked::strided(values, mask_of(pattern_, shape)).to(layout_);
    facts_.back().second +=
        ", " + std::string(name_of(layout_)) + ", " + std::to_string(masked.specified_count()) + " specified";
    return operands_.emplace(name, masked).first->second;
}

ir::Value Operands::bind(ir::ExpressionContext& session, std::string_view name, SymbolKind kind,
                         DType dtype) {
    const Operand& made = operand(std::string(name), kind, dtype);
    if (const auto* const tensor = std::get_if<AnyTensor>(&made)) return session.tensor(*tensor);
    if (const auto* const masked = std::get_if<AnyMasked>(&made)) return session.masked(*masked);
    const double value = std::get<double>(made);
    return dtype == DType::int64 ? session.number(static_cast<std::int64_t>(value)) : session.number(value);
}

}  // namespace frisket::cli
