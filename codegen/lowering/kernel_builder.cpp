// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "kernel_builder.hpp"

#include <algorithm>
#include <sstream>

#include "../strategies/strategies.hpp"

namespace frisket {

using Halide::Expr;
using Halide::ImageParam;

namespace {

/// A name that no other of Halide's can be: user names may be anything.
std::string named(const Symbol& symbol, const char* suffix = "") { return symbol.name + "_" + suffix; }

}  // namespace

KernelBuilder::KernelBuilder(const KernelRequest& task, const Form& form,
                             const std::vector<Halide::Var>& pure)
    : func(task.graph.name + "_"),
      task_(task),
      form_(form),
      values_(task.graph.symbols.size()),
      masks_(task.graph.symbols.size()) {
    for (const HostSlot& slot : task.numbers.slots())
        numbers_.emplace_back(lowering::memory_type(slot.dtype), "number_" + std::to_string(numbers_.size()));
    if (form.position_strides && task.signature.needs_positions)
        for (int i = 0; i < form.rank; ++i)
            position_strides.emplace_back("position_stride_" + std::to_string(i));
    if (!form.list_name.empty()) list = ImageParam(form.list_type, 1, form.list_name);
    for (int i = 0; i < static_cast<int>(task.graph.symbols.size()); ++i) {
        const Symbol& symbol = task.graph.symbols[i];
        if (!is_tensor(symbol.kind) || task.signature.writes(i)) continue;
        const bool listed = is_listed(i);
        const int rank = is_single(i) ? 1 : listed ? form.listed_rank : form.rank;
        values_[i] = ImageParam(lowering::memory_type(symbol.dtype), rank, named(symbol));
        if (is_single(i)) values_[i].dim(0).set_stride(Expr());  // 0 if one is repeated
        if (symbol.kind != SymbolKind::masked || listed || !form.masks) continue;
        masks_[i] = form.byte_masks ? ImageParam(Halide::UInt(8), form.rank, named(symbol, "mask"))
                                    : ImageParam(Halide::UInt(64), 1, named(symbol, "words"));
    }
    // The value of an output before the loop is whatever the user's memory holds: in place, no input is
    // aliased.
    std::vector<Expr> nothing;
    nothing.reserve(task.signature.outputs.size());
    for (int symbol : task.signature.outputs)
        nothing.push_back(Halide::undef(lowering::memory_type(task.graph.symbols[symbol].dtype)));
    if (nothing.size() == 1)
        func(pure) = nothing[0];
    else
        func(pure) = Halide::Tuple(nothing);
}

bool KernelBuilder::is_listed(int symbol) const {
    return form_.listed_rank > 0 && task_.graph.symbols[symbol].kind == SymbolKind::masked &&
           shares_domain(task_.signature, symbol);
}

Expr KernelBuilder::in_memory(int symbol, const IndexTuple& place) const {
    const auto& written = task_.signature.outputs;
    const auto output = std::ranges::find(written, symbol);
    if (output == written.end()) {
        const std::vector<Expr>& index = is_listed(symbol) ? place.in_list : place.at;
        return is_single(symbol) ? values_[symbol](index.back()) : values_[symbol](index);
    }
    const auto here = const_cast<Halide::Func&>(func)(place.at);
    return written.size() == 1 ? Expr(here) : here[static_cast<int>(output - written.begin())];
}

lowering::Value KernelBuilder::specified(int symbol, const IndexTuple& place) const {
    if (!masks_[symbol].defined()) return {Halide::Internal::const_true()};
    if (form_.byte_masks) return {masks_[symbol](place.at) != Halide::cast<std::uint8_t>(0)};
    return {lowering::bit_of(masks_[symbol](place.word), place.bit)};
}

Expr KernelBuilder::domain_word(const Expr& index) const { return masks_[task_.signature.domain](index); }

std::vector<Expr> KernelBuilder::stores(const IndexTuple& place, const Expr& condition) const {
    const auto& written = task_.signature.outputs;
    std::vector<Expr> values(written.size());
    const bool has_lets = is_made_from_another();
    for (const Store& store : lower(task_.graph, access(place))) {
        const Expr before = in_memory(store.symbol, place);
        const auto at = std::ranges::find(written, store.symbol);
        Expr& value = values[static_cast<std::size_t>(at - written.begin())];
        value = lowering::to_memory(store.value, task_.graph.symbols[store.symbol].dtype);
        if (store.where) value = Halide::select(store.where->expr, value, before);
        if (condition.defined()) value = Halide::select(condition, value, before);
        if (!is_safe_in_order()) show_loads(value, store.symbol, place);
        if (has_lets) value = lowering::kept_in_let(value);
    }
    return values;
}

Access KernelBuilder::access(const IndexTuple& place) const {
    const auto load = [this, place](int symbol) {
        return lowering::from_memory(in_memory(symbol, place), task_.graph.symbols[symbol].dtype);
    };
    const auto is_specified = [this, place](int symbol) -> lowering::Value {
        if (place.inside_domain && shares_domain(task_.signature, symbol))
            return {Halide::Internal::const_true()};
        return specified(symbol, place);
    };
    const auto number = [this](NodeId node, DType dtype) {
        return lowering::from_memory(numbers_[task_.numbers.slot(node, dtype)], dtype);
    };
    const auto position = [this, place]() -> lowering::Position {
        return {.first = first / 64, .tile = place.word, .lane = place.bit};
    };
    return {.load = load,
            .specified = is_specified,
            .number = number,
            .position = position,
            .inside_domain = place.inside_domain};
}

bool KernelBuilder::reads(int target, int tensor) const {
    return std::ranges::any_of(task_.signature.updates, [&](const UpdateRule& update) {
        return update.target == target && std::ranges::find(update.operands, tensor) != update.operands.end();
    });
}

// Halide keeps in lets the values that it reads before it overwrites them.
bool KernelBuilder::is_made_from_another() const {
    const auto& written = task_.signature.outputs;
    return std::ranges::any_of(written, [&](int target) {
        return std::ranges::any_of(written,
                                   [&](int tensor) { return tensor != target && reads(target, tensor); });
    });
}

// Halide reads what it is about to overwrite first only if it sees that one component is made from
// another, and it does not look inside calls (strict arithmetic, sqrt).  What it sees it also stores
// together, before what stood between.  So of three tensors or more each shows what it reads; of two the
// order of outputs is enough, unless they are made from each other.
bool KernelBuilder::is_safe_in_order() const {
    const auto& written = task_.signature.outputs;
    return written.size() < 2 || (written.size() == 2 && !reads(written[1], written[0]));
}

/// A choice that is never taken, of all that the target is made from.
void KernelBuilder::show_loads(Expr& value, int target, const IndexTuple& place) const {
    const Expr never = const_cast<Halide::Func&>(func).output_buffers()[0].dim(0).extent() < 0;
    for (const int tensor : task_.signature.outputs)
        if (tensor != target && reads(target, tensor))
            value = Halide::select(never, Halide::cast(value.type(), in_memory(tensor, place)), value);
}

void KernelBuilder::define(const IndexTuple& place, const Expr& condition) {
    const std::vector<Expr> values = stores(place, condition);
    if (values.size() == 1)
        func(place.at) = values[0];
    else
        func(place.at) = Halide::Tuple(values);
}

std::vector<ImageParam> KernelBuilder::dense_inputs() const {
    std::vector<ImageParam> found;
    for (std::size_t i = 0; i < values_.size(); ++i)
        if (values_[i].defined() && task_.graph.symbols[i].kind != SymbolKind::masked)
            found.push_back(values_[i]);
    return found;
}

std::vector<ImageParam> KernelBuilder::masked_inputs() const {
    std::vector<ImageParam> found;
    for (std::size_t i = 0; i < values_.size(); ++i) {
        if (task_.graph.symbols[i].kind != SymbolKind::masked) continue;
        for (const ImageParam& param : {values_[i], masks_[i]})
            if (param.defined()) found.push_back(param);
    }
    return found;
}

Expr KernelBuilder::output_extent(int dimension) { return func.output_buffers()[0].dim(dimension).extent(); }

LoopNest KernelBuilder::finish() {
    std::vector<Halide::Argument> arguments{lowering::opaque_zero()};
    if (form_.flat) arguments.push_back(count);
    for (auto& number : numbers_) arguments.push_back(number);
    if (task_.signature.needs_positions) arguments.push_back(first);
    for (auto& stride : position_strides) arguments.push_back(stride);
    if (list.defined()) arguments.push_back(list);
    for (std::size_t i = 0; i < values_.size(); ++i) {
        if (values_[i].defined()) arguments.push_back(values_[i]);
        if (masks_[i].defined()) arguments.push_back(masks_[i]);
    }
    return {Halide::Pipeline(func), std::move(arguments)};
}

std::string statements_of(LoopNest& nest, const std::string& name, const Halide::Target& machine) {
    std::ostringstream text;
    const Halide::Module module = nest.pipeline.compile_to_module(nest.arguments, name, machine);
    for (const auto& function : module.functions()) text << function.body;
    return text.str();
}

LoopNest make_loop(const KernelRequest& task, Strategy strategy) {
    return makers[static_cast<std::size_t>(info(strategy).strategy)](task);
}

}  // namespace frisket
