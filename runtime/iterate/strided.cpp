// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "../device/device_memory.hpp"
#include "../kernel/binding.hpp"
#include "../kernel/words.hpp"
#include "../layouts/layout_traits.hpp"

/// Arguments of any strides, transposed, sliced or broadcast: brought to as few dimensions as possible.
namespace frisket::kernel_calls {

namespace {

constexpr int loop_rank = rank_of(ArrayForm::strided);  // the other dimensions are walked here

/// One array that the loop reads or writes.
struct View {
    const std::byte* data = nullptr;
    int bytes = 0;  // element size; 0: not used, or one byte for every element
    std::array<std::int64_t, max_rank> strides{};
};

/// Extents, outermost first, and the arrays over them: values by parameter, then byte masks by parameter.
struct Walk {
    std::array<std::int64_t, max_rank> extents{};
    int rank = 0;
    std::vector<View> views;  // if positions are needed, their strides come last
    int lead = 0;             // the view whose strides order the dimensions: the first tensor that is written
};

View view_of(const AnyTensor& tensor, const Shape& space) {
    // A tensor that no update reads may have any shape: loops take it and do not look at it.
    if (!broadcasts_to(tensor.shape(), space))
        return {.data = static_cast<const std::byte*>(tensor.address())};
    View view{.data = static_cast<const std::byte*>(tensor.address()), .bytes = bytes_of(tensor.dtype())};
    const Strides strides = broadcast_strides(tensor.shape(), tensor.strides(), space);
    std::copy(strides.begin(), strides.end(), view.strides.begin());
    return view;
}

/// Values and byte mask of a Masked argument.  Layouts without a byte mask get one, row-major.
std::pair<View, View> masked_views(const Call& call, int i) {
    static const std::uint8_t specified = 1;
    const Argument& argument = call.arguments[i];
    if (!runtime::has_mask(call.layout(i))) {
        const Device device = call.source.device();
        const void* const all = device.is_cpu() ? &specified : runtime::bool_on(device, true);
        return {view_of(call.values(i), call.space), View{.data = static_cast<const std::byte*>(all)}};
    }
    const AnyMasked& masked = argument.masked();
    if (masked.layout() == Layout::strided)
        return {view_of(masked.values(), call.space), view_of(masked.mask(), call.space)};
    if (!call.source.device().is_cpu()) {
        const bool is_list = runtime::has_ranks(masked.layout());
        const auto start_of = [](const AnyTensor& tensor) {
            return View{.data = static_cast<const std::byte*>(tensor.address())};
        };
        if (!is_list) return {view_of(masked.values(), call.space), start_of(masked.mask())};
        const AnyTensor values = runtime::on_device::readable_values(masked);
        call.scratch.keep(values);
        return {start_of(values), start_of(masked.ranks())};
    }
    Scratch& scratch = call.scratch;
    const AnyTensor values = runtime::dense_values(masked);
    scratch.keep(values);
    scratch.bytes[i].resize(static_cast<std::size_t>(masked.size()));
    runtime::bytes_of(masked, scratch.bytes[i].data());
    const AnyTensor mask(DType::boolean, scratch.bytes[i].data(), masked.shape(),
                         contiguous_strides(masked.shape()), false, {});
    return {view_of(values, call.space), view_of(mask, call.space)};
}

Walk walk_of(const Call& call, bool has_positions) {
    Walk walk;
    walk.rank = static_cast<int>(call.space.size());
    std::copy(call.space.begin(), call.space.end(), walk.extents.begin());
    walk.views.resize(call.arguments.size() * 2);
    walk.lead = call.signature.updates.front().target;
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_tensor(i)) continue;
        if (call.is_masked(i))
            std::tie(walk.views[i], walk.views[call.arguments.size() + i]) = masked_views(call, i);
        else
            walk.views[i] = view_of(call.values(i), call.space);
    }
    if (has_positions) {
        View positions{.bytes = 1};
        std::ranges::copy(contiguous_strides(call.space), positions.strides.begin());
        walk.views.push_back(positions);
    }
    return walk;
}

void drop(Walk& walk, int dimension) {
    for (int d = dimension; d + 1 < walk.rank; ++d) {
        walk.extents[d] = walk.extents[d + 1];
        for (View& view : walk.views) view.strides[d] = view.strides[d + 1];
    }
    --walk.rank;
}

/// Drops dimensions of one element, sorts the other dimensions by the lead's strides, merges neighbours that
/// are one dimension in every view.
void canonicalise(Walk& walk) {
    for (int d = walk.rank; d-- > 0;)
        if (walk.extents[d] == 1) drop(walk, d);
    const auto lead_stride = [&](int d) { return std::abs(walk.views[walk.lead].strides[d]); };
    for (int i = 1; i < walk.rank; ++i)
        for (int d = i; d > 0 && lead_stride(d) > lead_stride(d - 1); --d) {
            std::swap(walk.extents[d], walk.extents[d - 1]);
            for (View& view : walk.views) std::swap(view.strides[d], view.strides[d - 1]);
        }
    for (int d = walk.rank - 1; d > 0; --d) {
        const bool one = std::all_of(walk.views.begin(), walk.views.end(), [&](const View& view) {
            return view.strides[d - 1] == view.strides[d] * walk.extents[d];
        });
        if (!one) continue;
        for (View& view : walk.views) view.strides[d - 1] = view.strides[d];
        walk.extents[d - 1] *= walk.extents[d];
        drop(walk, d);
    }
}

/// True if all views are contiguous in one common order.
bool is_flat(const Walk& walk) {
    if (walk.rank > 1) return false;
    return std::all_of(walk.views.begin(), walk.views.end(), [&](const View& view) {
        return view.bytes == 0 || walk.rank == 0 || view.strides[0] == 1;
    });
}

/// Flat operands out of a flat walk.
void make_flat(const Call& call, const Walk& walk) {
    auto& operands = call.scratch.flat;
    for (int i = 0; i < call.parameter_count(); ++i) {
        operands[i] = {.values = walk.views[i].data};
        if (!call.is_masked(i)) continue;
        const View& mask = walk.views[call.arguments.size() + i];
        if (mask.bytes == 0)
            operands[i].words = words_of_all(call, i);
        else
            operands[i].bytes = reinterpret_cast<const std::uint8_t*>(mask.data);
    }
}

bool takes_positions(const LoopAbi& abi) {
    return std::ranges::any_of(
        abi, [](const LoopParameter& parameter) { return parameter.role == LoopRole::first_position; });
}

/// Number of inner dimensions that one loop may walk: its offsets are 32 bits wide.
int inner_rank(const Call& call, const Walk& walk) {
    int inner = std::min(walk.rank, loop_rank);
    auto reach = [&](const View& view) {
        std::int64_t sum = 0;
        for (int d = walk.rank - inner; d < walk.rank; ++d)
            sum += (walk.extents[d] - 1) * std::abs(view.strides[d]);
        return sum;
    };
    while (inner > 0 && std::any_of(walk.views.begin(), walk.views.end(), [&](const View& view) {
               return reach(view) > std::numeric_limits<std::int32_t>::max();
           }))
        --inner;
    if (inner == 0 && walk.rank > 0)
        throw ShapeError(
            call.signature.name + ": a row of " + std::to_string(walk.extents[walk.rank - 1]) +
            " elements with gaps spans more than 2^31 elements: make the tensors contiguous with clone()");
    return inner;
}

void run_block(const Call& call, Strategy strategy, const Walk& walk, int inner,
               std::span<const std::int64_t> outer) {
    const auto offset = [&](const View& view) {
        std::int64_t elements = 0;
        for (int d = 0; d < walk.rank - inner; ++d) elements += outer[d] * view.strides[d];
        return elements;
    };
    const LoopAbi& abi = call.source.abi(strategy);
    LoopNumbers numbers = call.numbers(0);
    std::array<std::int32_t, loop_rank> steps{};
    if (takes_positions(abi)) {
        const View& positions = walk.views.back();
        numbers.first += offset(positions);
        for (int k = 0; k < inner; ++k)
            steps[k] = static_cast<std::int32_t>(positions.strides[walk.rank - 1 - k]);
        numbers.others = steps;
    }
    std::array<LoopDim, loop_rank> dims;
    const auto view = [&](const LoopParameter& parameter) -> ArrayView {
        const std::size_t place = parameter.role == LoopRole::mask ? call.arguments.size() : 0;
        const View& from = walk.views[place + static_cast<std::size_t>(parameter.index)];
        if (parameter.form == ArrayForm::list_entries) {
            dims[0] = {std::max<std::int64_t>(1, call.values(parameter.index).size()), 1};
            return {from.data, std::span(dims).first(1)};
        }
        if (parameter.form == ArrayForm::words) {
            const std::int64_t each = strategy == Strategy::strided_lists ? 32 : 64;
            const std::int64_t word = numbers.first / 64, before = word * (64 / each);
            dims[0] = {(call.count + each - 1) / each - before, 1};
            return {from.data + before * 8, std::span(dims).first(1)};
        }
        for (int k = 0; k < loop_rank; ++k) {
            const int d = walk.rank - 1 - k;
            dims[k] = k < inner ? LoopDim{walk.extents[d], from.strides[d]} : LoopDim{1, 0};
        }
        return {from.data + offset(from) * from.bytes, dims};
    };
    call.run(strategy, pack(abi, numbers, call.scratch.loop, view));
}

/// A call that walks its tensors block by block.
Ready ready_blocks(const Call& call, Strategy strategy, Walk walk) {
    const int inner = inner_rank(call, walk);
    call.source.compile_variants({&strategy, 1});
    call.reserve(call.scratch.loop);
    return {[&call, strategy, walk = std::move(walk), inner] {
        std::array<std::int64_t, max_rank> outer{};
        for (;;) {
            run_block(call, strategy, walk, inner, outer);
            int d = walk.rank - inner;
            while (d-- > 0) {
                if (++outer[d] < walk.extents[d]) break;
                outer[d] = 0;
            }
            if (d < 0) return;
        }
    }};
}

}  // namespace

bool has_flat_loops(const Call& call) {
    bool any_masked = false;
    for (int i = 0; i < call.parameter_count(); ++i) any_masked |= call.is_masked(i);
    if (!any_masked) return call.source.has(Strategy::dense);
    if (call.signature.domain < 0) return call.source.has(Strategy::blend);
    return std::ranges::all_of(flat_choices, [&](Strategy strategy) { return call.source.has(strategy); });
}

Ready ready_any(Call& call) {
    Walk walk = walk_of(call, call.signature.needs_positions);
    canonicalise(walk);
    if (!is_flat(walk) || !has_flat_loops(call) || !call.source.device().is_cpu())
        return ready_blocks(call, Strategy::strided, std::move(walk));
    make_flat(call, walk);
    auto flat = std::make_shared<FlatRun>(call);
    flat->reserve();
    return ready_of(std::move(flat));
}

Ready ready_by_position(Call& call, Strategy strategy) {
    Walk walk = walk_of(call, true);
    canonicalise(walk);
    return ready_blocks(call, strategy, std::move(walk));
}

}  // namespace frisket::kernel_calls
