// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "kernel_builder.hpp"

#include <algorithm>
#include <utility>

#include "../device/device_functions.hpp"
#include "../device/device_schedule.hpp"

namespace frisket::codegen {

using Halide::Expr;
using Halide::ImageParam;

namespace {

/// A name that no other of Halide's can be: user names may be anything.
std::string named(const Symbol& symbol, const char* suffix = "") { return symbol.name + "_" + suffix; }

}  // namespace

KernelBuilder::KernelBuilder(const LoopRequest& request, const Halide::Target& machine,
                             const std::vector<Halide::Var>& pure)
    : schedule(request.form.schedule),
      signature(signature_of(request.graph)),
      on_device(machine.has_gpu_feature()),
      func(request.graph.name + "_"),
      request_(request),
      machine_(machine),
      abi_(kernel_calls::abi_of(signature, request.numbers.dtypes(), schedule.strategy,
                                request.form.is_single)),
      forms_(request.graph.symbols.size(), ArrayForm::none),
      numbers_(request.numbers),
      values_(request.graph.symbols.size()),
      masks_(request.graph.symbols.size()) {
    for (const kernel_calls::LoopParameter& parameter : abi_)
        declare(parameter, info_of(schedule.strategy).loop.list);
    // The value of an output before the loop is the content of the user's memory: in-place loops have no
    // aliased input.
    std::vector<Expr> nothing;
    nothing.reserve(signature.outputs.size());
    for (int symbol : signature.outputs)
        nothing.push_back(Halide::undef(lowering::memory_type(request.graph.symbols[symbol].dtype)));
    std::vector<Halide::Var> all = pure;
    if (on_device) all.emplace_back("origin");
    if (nothing.size() == 1)
        func(all) = nothing[0];
    else
        func(all) = Halide::Tuple(nothing);
    // One number of a row is stored by each of its elements.
    for (std::size_t i = 0; i < nothing.size() && !request.form.is_single.empty(); ++i)
        if (request.form.is_single[static_cast<std::size_t>(signature.outputs[i])])
            func.output_buffers()[i].dim(0).set_stride(Expr());
}

std::vector<Expr> KernelBuilder::placed(std::vector<Expr> at) const {
    if (on_device) at.emplace_back(1);
    return at;
}

ImageParam KernelBuilder::array(halide_type_t type, int rank, const std::string& name) const {
    ImageParam made(type, on_device ? rank + 1 : rank, name);
    if (on_device && rank == 0) made.dim(0).set_stride(Expr());
    return made;
}

void KernelBuilder::declare(const kernel_calls::LoopParameter& parameter, std::string_view list_name) {
    const std::string number = std::to_string(parameter.index);
    const auto i = static_cast<std::size_t>(parameter.index);
    switch (parameter.role) {
        case kernel_calls::LoopRole::position_step:
            position_strides.emplace_back("position_stride_" + number);
            return;
        case kernel_calls::LoopRole::list:
            list_ = array(kernel_calls::type_of(parameter), 1, std::string(list_name));
            return;
        case kernel_calls::LoopRole::values:
            forms_[i] = parameter.form;
            values_[i] = array(kernel_calls::type_of(parameter), rank_of(parameter.form),
                               named(request_.graph.symbols[i]));
            if (!request_.form.is_single.empty() && request_.form.is_single[i])
                values_[i].dim(0).set_stride(Expr());
            return;
        case kernel_calls::LoopRole::mask:
            masks_[i] = array(kernel_calls::type_of(parameter), rank_of(parameter.form),
                              named(request_.graph.symbols[i], parameter.is_bits ? "words" : "mask"));
            return;
        default: return;
    }
}

Expr KernelBuilder::in_memory(int symbol, const IndexTuple& place) const {
    const auto& written = signature.outputs;
    const auto output = std::ranges::find(written, symbol);
    if (output == written.end()) {
        switch (forms_[symbol]) {
            case ArrayForm::row_numbers: return values_[symbol](placed({place.at.back()}));
            case ArrayForm::list_entries: return values_[symbol](placed({entry_of(symbol, place)}));
            case ArrayForm::list_rows: return values_[symbol](placed(place.in_list));
            default: return values_[symbol](placed(place.at));
        }
    }
    const auto here = const_cast<Halide::Func&>(func)(placed(place.at));
    return written.size() == 1 ? Expr(here) : here[static_cast<int>(output - written.begin())];
}

lowering::Value KernelBuilder::specified(int symbol, const IndexTuple& place) const {
    if (!masks_[symbol].defined()) return {Halide::Internal::const_true()};
    if (masks_[symbol].type().bits() == 8)
        return {masks_[symbol](placed(place.at)) != Halide::cast<std::uint8_t>(0)};
    if (is_ranked(symbol, place)) return {ranked(symbol, place).is_stored};
    return {lowering::bit_of(word_at(symbol, place.word), place.bit)};
}

bool KernelBuilder::is_ranked(int symbol, const IndexTuple& place) const {
    return forms_[symbol] == ArrayForm::list_entries && place.in_list.empty();
}

/// A word of a mask.  Its bounds are not found from the bounds of indices and strides.
Expr KernelBuilder::word_at(int symbol, const Expr& index) const {
    const ImageParam& words = masks_[symbol];
    if (position_strides.empty()) return words(placed({index}));
    return words(placed({Halide::unsafe_promise_clamped(index, 0, words.dim(0).extent() - 1)}));
}

RankedElement KernelBuilder::ranked(int symbol, const IndexTuple& place) const {
    return ranked_element(word_at(symbol, place.word * 2 + place.bit / 32), place.bit % 32,
                          values_[symbol].dim(0).extent());
}

Expr KernelBuilder::entry_of(int symbol, const IndexTuple& place) const {
    return is_ranked(symbol, place) ? ranked(symbol, place).entry : place.in_list.back();
}

Expr KernelBuilder::domain_word(const Expr& index) const { return masks_[signature.domain](placed({index})); }

std::vector<Expr> KernelBuilder::stores(const IndexTuple& place, const Expr& condition) const {
    const auto& written = signature.outputs;
    std::vector<Expr> values(written.size());
    const bool has_lets = is_made_from_another();
    for (const Store& store : stored_updates(request_.graph, access(place))) {
        const Expr before = in_memory(store.symbol, place);
        const auto at = std::ranges::find(written, store.symbol);
        Expr& value = values[static_cast<std::size_t>(at - written.begin())];
        value = lowering::to_memory(store.value, request_.graph.symbols[store.symbol].dtype);
        if (store.where) value = Halide::select(store.where->expr, value, before);
        if (condition.defined()) value = Halide::select(condition, value, before);
        if (!is_safe_in_order()) show_loads(value, store.symbol, place);
        if (has_lets) value = lowering::kept_in_let(value);
    }
    return values;
}

Access KernelBuilder::access(const IndexTuple& place) const {
    const auto load = [this, place](int symbol) {
        return lowering::from_memory(in_memory(symbol, place), request_.graph.symbols[symbol].dtype);
    };
    const auto is_specified = [this, place](int symbol) -> lowering::Value {
        if (place.inside_domain && kernel_calls::shares_domain(signature, symbol))
            return {Halide::Internal::const_true()};
        return specified(symbol, place);
    };
    const auto number = [this](NodeId node, DType dtype) { return numbers_.read(node, dtype); };
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
    return std::ranges::any_of(signature.updates, [&](const UpdateRule& update) {
        return update.target == target && std::ranges::find(update.operands, tensor) != update.operands.end();
    });
}

// Halide keeps in lets the values that it reads before it overwrites them.
bool KernelBuilder::is_made_from_another() const {
    const auto& written = signature.outputs;
    return std::ranges::any_of(written, [&](int target) {
        return std::ranges::any_of(written,
                                   [&](int tensor) { return tensor != target && reads(target, tensor); });
    });
}

// Halide reads an element before it overwrites it only if it sees that one component depends on another, and
// it does not look inside calls (strict arithmetic, sqrt).  Components with a dependence that it sees are
// also stored together, before the components between them.  So each of three tensors or more shows its
// reads; for two tensors the order of outputs is enough, unless they depend on each other.
bool KernelBuilder::is_safe_in_order() const {
    const auto& written = signature.outputs;
    return written.size() < 2 || (written.size() == 2 && !reads(written[1], written[0]));
}

/// A choice that is never taken, of all tensors that the target depends on.
void KernelBuilder::show_loads(Expr& value, int target, const IndexTuple& place) const {
    const Expr never = const_cast<Halide::Func&>(func).output_buffers()[0].dim(0).extent() < 0;
    for (const int tensor : signature.outputs)
        if (tensor != target && reads(target, tensor))
            value = Halide::select(never, Halide::cast(value.type(), in_memory(tensor, place)), value);
}

void KernelBuilder::define(const IndexTuple& place, const Expr& condition) {
    const std::vector<Expr> values = stores(place, condition);
    if (values.size() == 1)
        func(placed(place.at)) = values[0];
    else
        func(placed(place.at)) = Halide::Tuple(values);
}

std::vector<ImageParam> KernelBuilder::dense_inputs() const {
    std::vector<ImageParam> found;
    for (std::size_t i = 0; i < values_.size(); ++i)
        if (values_[i].defined() && request_.graph.symbols[i].kind != SymbolKind::masked)
            found.push_back(values_[i]);
    return found;
}

std::vector<ImageParam> KernelBuilder::masked_inputs() const {
    std::vector<ImageParam> found;
    for (std::size_t i = 0; i < values_.size(); ++i) {
        if (request_.graph.symbols[i].kind != SymbolKind::masked) continue;
        for (const ImageParam& param : {values_[i], masks_[i]})
            if (param.defined()) found.push_back(param);
    }
    return found;
}

Expr KernelBuilder::output_extent(int dimension) { return func.output_buffers()[0].dim(dimension).extent(); }

BuiltLoops KernelBuilder::finish() {
    std::vector<Halide::Argument> arguments{lowering::opaque_zero()};
    for (const kernel_calls::LoopParameter& parameter : abi_) {
        const auto i = static_cast<std::size_t>(parameter.index);
        switch (parameter.role) {
            case kernel_calls::LoopRole::element_count: arguments.push_back(count); break;
            case kernel_calls::LoopRole::number: arguments.push_back(numbers_[i]); break;
            case kernel_calls::LoopRole::first_position: arguments.push_back(first); break;
            case kernel_calls::LoopRole::position_step: arguments.push_back(position_strides[i]); break;
            case kernel_calls::LoopRole::list: arguments.push_back(list_); break;
            case kernel_calls::LoopRole::values: arguments.push_back(values_[i]); break;
            case kernel_calls::LoopRole::mask: arguments.push_back(masks_[i]); break;
            default: break;  // outputs are the pipeline's
        }
    }
    BuiltLoops loops{Halide::Pipeline(func), std::move(arguments)};
    if (!on_device) return loops;
    use_device_functions(loops.pipeline, machine_);
    loops.kernels = count_kernels(loops.pipeline);
    return loops;
}

}  // namespace frisket::codegen
