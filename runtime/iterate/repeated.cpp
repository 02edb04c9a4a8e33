// SPDX-License-Identifier: MIT
#include "repeated.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "../dispatch/mask_statistics.hpp"
#include "../kernel/binding.hpp"
#include "../kernel/workload_class.hpp"
#include "../tensor/elements.hpp"

namespace frisket::kernel_calls {

namespace {

/// Dimensions of a broadcast tensor, outermost first, as few as there can be: at least one.
struct Dims {
    std::array<std::int64_t, max_rank> extents{1}, strides{};
    int rank = 1;

    /// Takes no memory: calls before this one may have written.
    Dims(const AnyTensor& tensor, const Shape& space) {
        const std::size_t added = space.size() - tensor.shape().size();
        for (std::size_t d = 0; d < space.size(); ++d) {
            if (space[d] == 1) continue;
            const bool is_own = d >= added && tensor.shape()[d - added] != 1;
            const std::int64_t stride = is_own ? tensor.strides()[d - added] : 0;
            const bool continues = strides[rank - 1] == stride * space[d] || extents[rank - 1] == 1;
            if (!continues) ++rank;
            extents[rank - 1] = (continues ? extents[rank - 1] : 1) * space[d];
            strides[rank - 1] = stride;
        }
    }
    std::int64_t inner_extent() const { return extents[rank - 1]; }
    std::int64_t inner_stride() const { return strides[rank - 1]; }
    /// True if a run of the innermost dimension is repeated, and nothing else.
    bool is_periodic() const { return rank == 2 && strides[0] == 0; }

    /// The element at which a run of the innermost dimension begins.
    std::int64_t begin_of(std::int64_t run) const {
        std::int64_t begin = 0;
        for (int d = rank - 1; d-- > 0; run /= extents[d]) begin += run % extents[d] * strides[d];
        return begin;
    }
};

/// Repeats the first bytes until there are `all`.
void fill_with_first(std::byte* bytes, std::size_t made, std::size_t all) {
    while (made < all) {
        const std::size_t more = std::min(made, all - made);
        std::memcpy(bytes + made, bytes, more);
        made += more;
    }
}

/// Copies elements `stride` apart.
template <class U>
void copy_run(const std::byte* from, std::int64_t stride, std::int64_t count, std::byte* to) {
    const runtime::Reader<U> reader(from);
    if (stride == 1) {
        std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(U));
        return;
    }
    U* const made = reinterpret_cast<U*>(to);
    const std::int64_t own = stride == 0 ? 1 : count;
    for (std::int64_t i = 0; i < own; ++i) made[i] = reader[i * stride];
    fill_with_first(to, static_cast<std::size_t>(own) * sizeof(U),
                    static_cast<std::size_t>(count) * sizeof(U));
}

/// Writes `count` elements of a tensor that is broadcast to a space, from a row-major position on, side by
/// side.
void repeat(const AnyTensor& tensor, const Shape& space, std::int64_t first, std::int64_t count,
            std::byte* to) {
    const Dims dims(tensor, space);
    const auto* const from = static_cast<const std::byte*>(tensor.data());
    const std::int64_t period = dims.inner_extent(), stride = dims.inner_stride();
    runtime::dispatch_width(tensor.dtype(), [&]<class U>() {
        constexpr auto bytes = static_cast<std::int64_t>(sizeof(U));
        const std::int64_t own = dims.is_periodic() ? std::min(count, period) : count;
        for (std::int64_t done = 0; done < own;) {
            const std::int64_t run = (first + done) / period, at = (first + done) % period;
            const std::int64_t part = std::min(period - at, own - done);
            copy_run<U>(from + (dims.begin_of(run) + at * stride) * bytes, stride, part, to + done * bytes);
            done += part;
        }
        fill_with_first(to, static_cast<std::size_t>(own * bytes), static_cast<std::size_t>(count * bytes));
    });
}

}  // namespace

bool can_be_repeated(const Call& call, int i) {
    return call.parameter(i).kind == SymbolKind::in && broadcasts_to(call.shape(i), call.space) &&
           has_flat_loops(call);
}

bool is_read_as_it_lies(const Call& call) {
    const int domain = call.signature.domain;
    if (domain < 0 || call.count <= small_call || call.layout(domain) != Layout::strided) return false;
    bool repeats = false;
    for (int i = 0; i < call.parameter_count(); ++i)
        repeats |= call.is_tensor(i) && !is_same(call.shape(i), call.space);
    if (!repeats) return false;
    const std::int64_t sample = std::min(call.count, std::int64_t{1} << 16U);
    const auto* const bytes = static_cast<const std::uint8_t*>(call.arguments[domain].masked().mask().data());
    const MaskCounts counts = counts_of_bytes(bytes + (call.count - sample) / 2, sample);
    return 2 * counts.lines_with_any * line_elements > sample;
}

bool repeats(const Call& call) {
    for (int i = 0; i < call.parameter_count(); ++i)
        if (is_repeated(call, i)) return true;
    return false;
}

void repeat_values(const Call& call, Scratch& scratch, std::int64_t begin, std::int64_t count) {
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!is_repeated(call, i)) continue;
        auto& room = scratch.values[i];
        room.resize(static_cast<std::size_t>(count * bytes_of(call.parameter(i).dtype)));
        repeat(*call.scratch.flat[i].repeated, call.space, begin, count, room.data());
        scratch.flat[i].values = room.data();
    }
}

}  // namespace frisket::kernel_calls
