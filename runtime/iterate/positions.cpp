// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <limits>

#include "../kernel/exception_collector.hpp"
#include "../limits.hpp"
#include "../tensor/bitmask_ops.hpp"
#include "coalesce_domain.hpp"
#include "flat_view.hpp"

/// Loops over a list of positions.
namespace frisket::kernel_calls {

namespace {

/// Offsets in elements from a tensor's first element, for row-major positions of its shape.
class Offsets {
public:
    explicit Offsets(const AnyTensor& tensor) {
        for (int d = tensor.rank(); d-- > 0;)
            if (tensor.shape()[d] > 1) dims_.push_back({tensor.shape()[d], tensor.strides()[d]});
    }
    bool operator==(const Offsets& other) const = default;
    std::int64_t operator()(std::int64_t position) const {
        std::int64_t offset = 0;
        for (const auto& [extent, stride] : dims_) {
            offset += position % extent * stride;
            position /= extent;
        }
        return offset;
    }
    /// Largest offset + 1, or 0 if an offset could be negative.
    std::int64_t extent() const {
        std::int64_t extent = 1;
        for (const auto& [count, stride] : dims_) {
            if (stride < 0) return 0;
            extent += (count - 1) * stride;
        }
        return extent;
    }

private:
    std::vector<std::pair<std::int64_t, std::int64_t>> dims_;  // extent, stride; innermost first
};

/// Moves the values of the listed parameters on to the entry `count` entries further.
void advance_listed(const Call& call, std::int64_t count) {
    for (int i = 0; i < call.parameter_count(); ++i)
        if (call.is_listed(i))
            call.scratch.listed[i] = static_cast<const std::byte*>(call.scratch.listed[i]) +
                                     count * bytes_of(call.parameter(i).dtype);
}

/// End of an entry's segment.
std::int64_t end_of_segment(const runtime::IndexView& list, std::int64_t entry) {
    const std::int64_t next = (list[entry] / segment_elements + 1) * segment_elements;
    const std::span<const std::int64_t> rest = list.wide().subspan(static_cast<std::size_t>(entry));
    return entry + (std::ranges::lower_bound(rest, next) - rest.begin());
}

/// Makes room for the entries of any segment.
void reserve_segments(const Call& call, const runtime::IndexView& list) {
    std::int64_t most = 0;
    for (std::int64_t begin = 0; begin < list.size();) {
        const std::int64_t end = end_of_segment(list, begin);
        most = std::max(most, end - begin);
        begin = end;
    }
    call.scratch.positions.reserve(static_cast<std::size_t>(most));
}

/// Tensors with gaps that all have the same strides: positions become offsets.
/// Returns their extent, or 0 if strides differ.
std::int64_t find_offsets(const Call& call, runtime::IndexView& list) {
    const Offsets offsets(call.values(call.signature.outputs.front()));
    const std::int64_t extent = offsets.extent();
    if (extent == 0 || extent > std::numeric_limits<std::int32_t>::max()) return 0;
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_tensor(i) || call.is_listed(i)) continue;
        if (call.is_masked(i) || !(Offsets(call.values(i)) == offsets)) return 0;
    }
    list = coalesce_domain(call);
    auto& positions = call.scratch.positions;
    positions.clear();
    for (std::int64_t i = 0; i < list.size(); ++i)
        positions.push_back(static_cast<std::int32_t>(offsets(list[i])));
    return extent;
}

}  // namespace

void run_gather(const Call& call, const PositionList& list, std::int64_t extent, LoopArguments& loop) {
    if (list.positions.empty()) return;
    const LoopDim elements[] = {{extent, 1}};
    const FlatView view{.scratch = call.scratch,
                        .begin = list.first,
                        .dims = elements,
                        .list = list.positions.data(),
                        .list_dim = {std::ssize(list.positions), 1},
                        .entry = list.entry};
    call.run(Strategy::gather, pack(call.source.abi(Strategy::gather), call.numbers(list.first), loop, view));
}

bool ListedRun::prepare() {
    Call& call = call_;
    const Layout layout = call.domain_layout();
    if (!domain_stored_as(call, layout)) return false;
    const MaskCounts counts{.specified = call.arguments[call.signature.domain].masked().index()->size()};
    const Variant variant = call.source.choose(call.query(layout, counts));
    if (variant.strategy != Strategy::gather) return false;
    bool plain = true;
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_tensor(i) || call.is_listed(i)) continue;
        if (call.shape(i) != call.space) return false;
        if (call.is_masked(i)) continue;
        call.scratch.flat[i] = {.values = call.values(i).data()};
        plain &= call.values(i).is_contiguous();
    }
    if (!plain) {
        if (call.signature.needs_positions) return false;
        extent_ = find_offsets(call, list_);
        if (extent_ == 0) return false;
    } else {
        list_ = coalesce_domain(call);
        if (!list_.is_narrow()) reserve_segments(call, list_);
        const std::int64_t parts = list_.is_narrow() ? (list_.size() - 1) / limits::task_elements + 1 : 1;
        if (parts > 1) loops_.resize(static_cast<std::size_t>(parts));
        for (LoopArguments& loop : loops_) call.reserve(loop);
    }
    call.chosen = variant;
    return true;
}

void ListedRun::run() {
    if (!loops_.empty()) return run_parts();
    if (extent_ > 0) return run_gather(call_, {.positions = call_.scratch.positions}, extent_);
    if (list_.is_narrow()) return run_gather(call_, {.positions = list_.narrow()}, call_.count);
    run_segments();
}

/// Parts of the list, side by side.
void ListedRun::run_parts() {
    constexpr auto each = static_cast<std::size_t>(limits::task_elements);
    ExceptionCollector failure;
    parallel_for(call_.source, static_cast<int>(loops_.size()), [&](int i) {
        const auto part = static_cast<std::size_t>(i);
        const auto rest = list_.narrow().subspan(part * each);
        const PositionList list{.positions = rest.first(std::min(each, rest.size())),
                                .entry = static_cast<std::int64_t>(part * each)};
        failure.guard([&] { run_gather(call_, list, call_.count, loops_[part]); }, i);
    });
    failure.rethrow();
}

/// Positions past 32 bits, in segments that start anew at 0.
void ListedRun::run_segments() const {
    std::vector<std::int32_t>& positions = call_.scratch.positions;
    for (std::int64_t begin = 0; begin < list_.size();) {
        const std::int64_t first = list_[begin] / segment_elements * segment_elements,
                           end = end_of_segment(list_, begin);
        positions.clear();
        for (std::int64_t i = begin; i < end; ++i)
            positions.push_back(static_cast<std::int32_t>(list_[i] - first));
        run_gather(call_, {.positions = positions, .first = first},
                   std::min(segment_elements, call_.count - first));
        advance_listed(call_, end - begin);
        begin = end;
    }
}

}  // namespace frisket::kernel_calls
