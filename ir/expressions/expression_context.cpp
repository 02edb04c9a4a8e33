// SPDX-License-Identifier: MIT
#include "expression_context.hpp"

#include "../../runtime/layouts/layout_traits.hpp"
#include "memory_views.hpp"
#include "operand_names.hpp"
#include "value_positions.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace frisket::ir {

bool is_same_memory(const AnyTensor& a, const AnyTensor& b) {
    return a.address() == b.address() && a.dtype() == b.dtype() && a.shape() == b.shape() &&
           a.strides() == b.strides() && (a.address() != nullptr || a.size() == 0);
}

bool is_same_storage(const AnyMasked& a, const AnyMasked& b) {
    return a.layout() == b.layout() && a.shape() == b.shape() && a.index() == b.index() &&
           is_same_memory(a.values(), b.values()) && is_same_memory(a.mask(), b.mask());
}

namespace {

bool is_same(const std::variant<AnyTensor, AnyMasked>& a, const std::variant<AnyTensor, AnyMasked>& b) {
    if (a.index() != b.index()) return false;
    if (a.index() == 0) return is_same_memory(std::get<0>(a), std::get<0>(b));
    return is_same_storage(std::get<1>(a), std::get<1>(b));
}

std::string stored_as(const std::variant<AnyTensor, AnyMasked>& bound) {
    if (const auto* tensor = std::get_if<AnyTensor>(&bound))
        return "shape " + to_string(tensor->shape()) + ", dense";
    const auto& masked = std::get<AnyMasked>(bound);
    return "shape " + to_string(masked.shape()) + ", layout " + std::string(name_of(masked.layout()));
}

/// Number of the bound tensor of a symbol.
std::size_t number_of(const Symbol& symbol) {
    return static_cast<std::size_t>(std::stoll(symbol.name.substr(1)));
}

}  // namespace

ExpressionContext::ExpressionContext(std::string name, Evaluate evaluate)
    : graph_(std::move(name)), evaluate_(std::move(evaluate)) {
    graph_.call_symbols([this](const Symbol& symbol) {
        return "a tensor (" + stored_as(bound_[number_of(symbol)].tensor) + ")";
    });
}

Value ExpressionContext::bind(const Bound& bound, SymbolKind kind, DType dtype, const Shape& shape) {
    auto known = std::ranges::find_if(bound_, [&](const Bound& other) {
        return !bound.is_input && !other.is_input && is_same(bound.tensor, other.tensor);
    });
    if (known == bound_.end()) known = bound_.insert(known, bound);
    const std::string name = "x" + std::to_string(known - bound_.begin());
    return {&graph_, graph_.symbol(name, kind, dtype, shape)};
}

Value ExpressionContext::tensor(const AnyTensor& tensor) {
    tensor.check_not_moved(graph_.graph().name);
    return bind({.tensor = tensor}, SymbolKind::in, tensor.dtype(), tensor.shape());
}

Value ExpressionContext::input(const AnyTensor& tensor) {
    tensor.check_not_moved(graph_.graph().name);
    return bind({.tensor = tensor, .is_input = true}, SymbolKind::in, tensor.dtype(), tensor.shape());
}

Value ExpressionContext::masked(const AnyMasked& masked) {
    masked.check_not_moved(graph_.graph().name);
    return bind({.tensor = masked}, SymbolKind::masked, masked.dtype(), masked.shape());
}

Value ExpressionContext::input(const AnyMasked& masked) {
    masked.check_not_moved(graph_.graph().name);
    return bind({.tensor = masked, .is_input = true}, SymbolKind::masked, masked.dtype(), masked.shape());
}

std::vector<MemoryView> ExpressionContext::views_of(Value x) {
    const Node node = x.node();
    if (node.kind != NodeKind::symbol || node.is_host_scalar || x.is_masked()) return {};
    const Bound& own = bound_[number_of(graph_.graph().symbols[node.symbol])];
    const auto* const whole = std::get_if<AnyTensor>(&own.tensor);
    if (whole == nullptr || own.is_input) return {};
    std::vector<MemoryView> views;
    for (std::size_t i = 0; i < graph_.graph().symbols.size(); ++i) {
        if (static_cast<int>(i) == node.symbol) continue;
        const Symbol symbol = graph_.graph().symbols[i];
        const Bound& bound = bound_[number_of(symbol)];
        const auto* const masked = std::get_if<AnyMasked>(&bound.tensor);
        const bool has_values = masked == nullptr || !runtime::is_list(masked->layout());
        if (!has_values || bound.is_input) continue;
        const Value read{&graph_, graph_.symbol(symbol.name, symbol.kind, symbol.dtype, symbol.shape)};
        const AnyTensor& part = masked == nullptr ? std::get<AnyTensor>(bound.tensor) : masked->values();
        if (const auto view = memory_view(part, *whole, x))
            views.push_back({read, with_mask(*view, mask_or_none(read))});
    }
    return views;
}

Value ExpressionContext::index_bool(Value x, Value condition) {
    if (condition.dtype() != DType::boolean)
        graph_.fail(ErrorCode::dtype, "indexing by a condition of " +
                                          std::string(name_of(condition.dtype())) +
                                          ", wanted bool: write a comparison");
    const Shape& covered = condition.shape();
    const bool fits =
        covered.size() <= x.shape().size() && std::equal(covered.begin(), covered.end(), x.shape().begin());
    if (!fits)
        graph_.fail(ErrorCode::shape, "indexing of shape " + to_string(x.shape()) +
                                          " by a condition of shape " + to_string(covered) +
                                          ": the condition has the leading extents");
    const Value positions = tensor(true_positions(run_any(std::span(&condition, 1)).at(0)));
    return at_positions(x, positions, condition.rank());
}

Value ExpressionContext::median(Value x, std::optional<int> dim, bool keepdim) {
    if (dim) dim = checked_dim(graph_, *dim, x.rank(), "median");
    const bool is_full = !dim || x.rank() == 0;
    const Value lined = is_full ? reshape(x, {1, -1}) : movedim(x, *dim, -1);
    require_elements(lined, std::vector<int>{-1}, "median");
    // Empty slices have no median: the result is amax's, specified nowhere.
    if (lined.shape().back() == 0) return amax(x, dim ? Dims(std::vector<int>{*dim}) : Dims(), keepdim);
    Shape lines = lined.shape();
    lines.pop_back();
    const Result values = run_any(std::span(&lined, 1)).at(0);
    // Explaining a plan evaluates nothing: any position replaces the median's.
    const bool is_evaluated = values.listed || values.values.shape() == lined.shape();
    const Value at = tensor(is_evaluated ? median_positions(values) : Tensor<std::int64_t>(lines));
    const Value picked = gather(lined, lined.rank() - 1, unsqueeze(at, -1));
    if (is_full) return reshape(picked, keepdim ? Shape(x.shape().size(), 1) : Shape{});
    return keepdim ? movedim(picked, -1, *dim) : squeeze(picked, -1);
}

ValueReader ExpressionContext::reader() {
    return {
        .index_bool = [this](Value x, Value condition) { return index_bool(x, condition); },
        .median = [this](Value x, std::optional<int> dim, bool keepdim) { return median(x, dim, keepdim); }};
}

std::vector<Result> ExpressionContext::run(std::span<const Value> results) {
    std::vector<Result> made;
    for (Result& result : run_any(results)) made.push_back(strided(std::move(result)));
    return made;
}

std::vector<Result> ExpressionContext::run_any(std::span<const Value> results) {
    std::vector<NodeId> ids;
    for (const Value& result : results) ids.push_back(result.id);
    const Graph graph = graph_.expression(ids);
    std::vector<Argument> arguments;
    for (const Symbol& symbol : graph.symbols) {
        const Bound& bound = bound_[number_of(symbol)];
        if (const auto* masked = std::get_if<AnyMasked>(&bound.tensor))
            arguments.push_back(Argument::borrow(*masked));
        else
            arguments.push_back(Argument::borrow(std::get<AnyTensor>(bound.tensor)));
    }
    try {
        return evaluate_(graph, arguments);
    } catch (const MaskMismatch& error) {
        std::vector<std::string> stored;
        stored.reserve(bound_.size());
        for (const Bound& bound : bound_) stored.push_back(stored_as(bound.tensor));
        throw MaskMismatch(with_operands_named(error.text(), graph_.graph(), stored));
    }
}

}  // namespace frisket::ir
