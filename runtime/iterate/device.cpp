// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "../device/device_memory.hpp"
#include "../kernel/binding.hpp"
#include "../layouts/layout_traits.hpp"
#include "coalesce_domain.hpp"
#include "flat_view.hpp"
#include "row_parts.hpp"

/// Calls whose tensors live on a device: nothing of these is read here.
namespace frisket::kernel_calls {

namespace {

/// True if a tensor is contiguous over the space.
bool is_plain(const Call& call, int i) {
    return is_same(call.shape(i), call.space) && call.values(i).is_contiguous();
}

/// True if all tensors are plain, and the masked tensors have this layout.
bool are_plain(const Call& call, Layout layout) {
    for (int i = 0; i < call.parameter_count(); ++i) {
        const bool has_other_layout = call.is_masked(i) && call.layout(i) != layout;
        if (call.is_tensor(i) && (has_other_layout || !is_plain(call, i))) return false;
    }
    return true;
}

/// True if loops of any strides read the mask as it is stored.
bool has_bytes_or_none(Layout layout) { return runtime::traits_of(layout).mask <= runtime::MaskForm::bytes; }

/// The strategy by which loops find elements of masks by their positions; none if they do not.
std::optional<Strategy> found_by_position(const Call& call) {
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_masked(i)) continue;
        const Layout layout = call.layout(i);
        const bool is_walked =
            call.parameter(i).is_repeated ? has_bytes_or_none(layout) : is_same(call.shape(i), call.space);
        if (!is_walked) return {};
    }
    const std::optional<Strategy> found = strategy_by_position(call.signature, call.scratch.layouts);
    return found && call.source.has(*found) ? found : std::nullopt;
}

void run_tiles(const Call& call, std::int64_t begin, LoopDim element, LoopDim tile, std::int64_t count) {
    const LoopDim dims[] = {element, tile};
    const FlatView view{.scratch = call.scratch, .begin = begin, .dims = dims};
    const Strategy strategy = call.chosen.strategy;
    call.run(strategy, pack(call.source.abi(strategy), call.numbers(begin, count), call.scratch.loop, view));
}

/// Loops over tiles of 64 elements: whole tiles, and the last tile if it is cut.
Ready ready_tiles(Call& call, Layout layout) {
    call.chosen = call.source.choose(call.query(layout));
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_tensor(i)) continue;
        FlatOperand& operand = call.scratch.flat[i] = {.values = call.values(i).address()};
        if (layout == Layout::bitmask && call.is_masked(i))
            operand.words = static_cast<const std::uint64_t*>(call.arguments[i].masked().mask().address());
    }
    return {[&call] {
        const std::int64_t whole = call.count / 64 * 64, rest = call.count - whole;
        if (whole > 0) run_tiles(call, 0, {64, 1}, {whole / 64, 64}, whole);
        if (rest > 0) run_tiles(call, whole, {rest, 1}, {1, 64}, rest);
    }};
}

/// A loop over the positions of the domain's entries: positions, or rows.
void run_list(const Call& call, bool is_by_row) {
    const AnyTensor& places = call.arguments[call.signature.domain].masked().places();
    if (places.size() == 0) return;
    const std::int64_t rows = is_by_row ? call.space[0] : call.count, length = call.count / rows;
    LoopDim dims[2];
    const auto in_line = [&](const void* data, std::int64_t count) -> ArrayView {
        dims[0] = {count, 1};
        return {data, std::span(dims).first(1)};
    };
    const auto seen = [&](const void* data, std::int64_t count, std::int64_t stride) -> ArrayView {
        if (!is_by_row) return in_line(data, count);
        dims[0] = {length, 1};
        dims[1] = {count, stride};
        return {data, dims};
    };
    const auto view = [&](const LoopParameter& parameter) -> ArrayView {
        if (parameter.role == LoopRole::list) return in_line(places.address(), places.size());
        const int i = parameter.index;
        const void* const data = call.values(i).address();
        return call.is_listed(i)
                   ? seen(data, places.size(), length)
                   : seen(data, rows, is_by_row ? row_stride(call.values(i), call.space).value() : 1);
    };
    const Strategy strategy = call.chosen.strategy;
    call.run(strategy, pack(call.source.abi(strategy), call.numbers(0), call.scratch.loop, view));
}

/// True if such a loop walks the tensors.
bool can_walk_list(const Call& call, Layout layout) {
    if (!domain_stored_as(call, layout)) return false;
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_tensor(i)) continue;
        if (call.is_listed(i) ? call.values(i).is_contiguous() : !call.is_masked(i) && is_plain(call, i))
            continue;
        if (call.is_masked(i) || !runtime::lists_rows(layout) || !row_stride(call.values(i), call.space))
            return false;
    }
    return true;
}

}  // namespace

Ready ready_on_device(Call& call) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    if (call.count > most)
        throw ShapeError(call.signature.name + ": shape " + to_string(call.space) +
                         " has more than 2^31 elements, which loops of a device do not reach: split it");
    if (are_plain(call, Layout::dense)) return ready_tiles(call, Layout::dense);
    if (call.signature.domain >= 0 && are_plain(call, Layout::bitmask))
        return ready_tiles(call, Layout::bitmask);
    const Layout layout = call.domain_layout();
    const Strategy strategy = strategy_on_device(layout);
    if ((strategy == Strategy::gather || strategy == Strategy::rows) && can_walk_list(call, layout)) {
        call.chosen = call.source.choose(call.query(layout));
        return {[&call, is_by_row = runtime::lists_rows(layout)] { run_list(call, is_by_row); }};
    }
    if (const std::optional<Strategy> found = found_by_position(call)) return ready_by_position(call, *found);
    for (int i = 0; i < call.parameter_count(); ++i)
        if (call.is_masked(i) && !has_bytes_or_none(call.layout(i))) return {};
    return ready_any(call);
}

}  // namespace frisket::kernel_calls
