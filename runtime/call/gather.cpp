// SPDX-License-Identifier: MIT
#include <algorithm>

#include "../bits.hpp"
#include "listed.hpp"

/// Loops over a list of positions.
namespace frisket {

namespace {

constexpr std::int64_t int32_limit = (std::int64_t{1} << 31) - 1;

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

/// The part of a list from `done` on whose positions lie in one segment, made by `place`; gives where the
/// part ends.
template <class Place>
std::int64_t take_segment(const IndexView& list, std::int64_t done, std::vector<std::int32_t>& part,
                          Place place) {
    const std::int64_t first = list[done] / segment_elements * segment_elements;
    part.clear();
    for (; done < list.size() && list[done] < first + segment_elements; ++done)
        part.push_back(static_cast<std::int32_t>(place(list[done], first)));
    return done;
}

/// Moves the values of the listed parameters on to the entry `count` places further.
void advance_listed(const Call& call, std::int64_t count) {
    for (int i = 0; i < call.parameter_count(); ++i)
        if (call.is_listed(i))
            call.frame.listed[i] = static_cast<const std::byte*>(call.frame.listed[i]) +
                                   count * bytes_of(call.parameter(i).dtype);
}

/// Positions past 32 bits, in segments that start anew at 0.
void run_segments(const Call& call, const IndexView& list) {
    for (std::int64_t done = 0; done < list.size();) {
        const std::int64_t first = list[done] / segment_elements * segment_elements;
        const std::int64_t next =
            take_segment(list, done, call.frame.positions,
                         [](std::int64_t position, std::int64_t origin) { return position - origin; });
        run_gather(call, {.positions = call.frame.positions, .first = first},
                   std::min(segment_elements, call.count - first));
        advance_listed(call, next - done);
        done = next;
    }
}

/// Tensors with gaps that all have the same strides: positions become offsets.
bool run_offsets(const Call& call) {
    const Offsets offsets(call.values(call.signature.outputs.front()));
    const std::int64_t extent = offsets.extent();
    if (extent == 0 || extent > int32_limit) return false;
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_tensor(i) || call.is_listed(i)) continue;
        if (call.is_masked(i) || !(Offsets(call.values(i)) == offsets)) return false;
    }
    const IndexView list = collect(call);
    auto& positions = call.frame.positions;
    positions.clear();
    for (std::int64_t i = 0; i < list.size(); ++i)
        positions.push_back(static_cast<std::int32_t>(offsets(list[i])));
    run_gather(call, {.positions = positions}, extent);
    return true;
}

}  // namespace

void run_gather(const Call& call, const PositionList& list, std::int64_t extent) {
    if (list.positions.empty()) return;
    const auto length = static_cast<std::int64_t>(list.positions.size());
    call.begin_loop(list.first);
    LoopArguments& loop = call.frame.loop;
    const LoopDim index_dims[] = {{length, 1}};
    loop.add(list.positions.data(), index_type, index_dims);
    const auto add_flat = [&](int i) {
        const DType dtype = call.parameter(i).dtype;
        loop.add(static_cast<const std::byte*>(call.frame.flat[i].values) + list.first * bytes_of(dtype),
                 dtype, {{extent, 1}});
    };
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_tensor(i) || call.is_written(i)) continue;
        if (call.is_listed(i)) {
            loop.add(call.frame.listed[i], call.parameter(i).dtype, {{length, 1}});
            continue;
        }
        add_flat(i);
        const LoopDim word_dims[] = {{words_for(extent), 1}};
        if (call.is_masked(i)) loop.add(call.frame.flat[i].words + list.first / 64, words_type, word_dims);
    }
    for (int i : call.signature.outputs) add_flat(i);
    call.source.run(Strategy::gather, loop.argv());
}

bool run_listed(const Call& asked) {
    if (!domain_stored_as(asked, Layout::coo)) return false;
    const MaskCounts counts{.specified = asked.arguments[asked.signature.domain].masked().index()->size()};
    const Call call = asked.with(asked.source.choose(asked.situation(Layout::coo, counts)));
    bool plain = true;
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_tensor(i) || call.is_listed(i)) continue;
        if (call.shape(i) != call.space) return false;
        if (call.is_masked(i)) continue;
        call.frame.flat[i] = {.values = call.values(i).data()};
        plain &= call.values(i).is_contiguous();
    }
    if (!plain) return !call.signature.needs_positions && run_offsets(call);
    const IndexView list = collect(call);
    list.is_narrow() ? run_gather(call, {.positions = list.narrow()}, call.count) : run_segments(call, list);
    return true;
}

}  // namespace frisket
