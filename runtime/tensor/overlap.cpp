// SPDX-License-Identifier: MIT
#include "overlap.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <vector>

#include "reach.hpp"
#include "runs.hpp"

namespace frisket::runtime {

namespace {

/// One way to move in memory: `count` steps of `stride` bytes.
struct Axis {
    std::intptr_t stride;
    std::intptr_t count;
};

/// Searches for offsets of a and of b whose difference is below an element: a bounded linear Diophantine
/// problem, solved from the largest stride down, where few choices survive.
class Search {
public:
    Search(const AnyTensor& a, const AnyTensor& b)
        : size_a_(bytes_of(a.dtype())), size_b_(bytes_of(b.dtype())) {
        add(a, 1);
        add(b, -1);
        std::ranges::sort(axes_, std::greater(), &Axis::stride);
        merge();
        reach_.assign(axes_.size() + 1, 0);
        step_.assign(axes_.size() + 1, 0);
        for (std::size_t i = axes_.size(); i-- > 0;) {
            reach_[i] = reach_[i + 1] + axes_[i].stride * axes_[i].count;
            step_[i] = std::gcd(step_[i + 1], axes_[i].stride);
        }
    }

    /// Searches k with 0 <= k_i <= count_i such that distance + sum(k_i * stride_i) is in (-size_a,
    /// size_b), where elements share a byte; not_shown if that takes too long.
    Overlap hit(std::intptr_t distance) {
        const bool found = search(0, distance + shift_);
        return budget_ < 0 ? Overlap::not_shown : found ? Overlap::some : Overlap::none;
    }

private:
    // A step back along b is a step forth along -b: all axes get positive strides, the start moves along.
    void add(const AnyTensor& tensor, int sign) {
        for (int d = 0; d < tensor.rank(); ++d) {
            std::intptr_t stride = sign * tensor.strides()[d] * bytes_of(tensor.dtype());
            const std::intptr_t count = tensor.shape()[d] - 1;
            if (count == 0 || stride == 0) continue;
            if (stride < 0) {
                shift_ += stride * count;
                stride = -stride;
            }
            axes_.push_back({stride, count});
        }
    }

    // Axes of one stride are one axis: only the sum of the steps along them counts.
    void merge() {
        std::vector<Axis> merged;
        for (const Axis& axis : axes_) {
            if (!merged.empty() && merged.back().stride == axis.stride)
                merged.back().count += axis.count;
            else
                merged.push_back(axis);
        }
        axes_ = std::move(merged);
    }

    // `position` is a's element minus b's so far; they share a byte if it ends in (-size_a, size_b).
    bool search(std::size_t axis, std::intptr_t position) {
        if (--budget_ < 0) return true;
        if (position >= size_b_ || position + reach_[axis] <= -size_a_) return false;
        if (axis == axes_.size()) return true;
        // The remaining terms are multiples of a step: the first multiple past -size_a decides.
        const std::intptr_t past = (position + size_a_ - 1) % step_[axis];
        if ((past < 0 ? past + step_[axis] : past) - size_a_ + 1 >= size_b_) return false;
        const auto [stride, count] = axes_[axis];
        const std::intptr_t lowest = -size_a_ + 1 - position - reach_[axis + 1];
        const std::intptr_t first = lowest <= 0 ? 0 : (lowest + stride - 1) / stride;
        const std::intptr_t last = std::min(count, (size_b_ - 1 - position) / stride);
        for (std::intptr_t k = first; k <= last; ++k)
            if (search(axis + 1, position + k * stride)) return true;
        return false;
    }

    std::intptr_t size_a_, size_b_, shift_ = 0;
    std::vector<Axis> axes_;
    std::vector<std::intptr_t> reach_, step_;  // reach and step of this axis and those after it
    int budget_ = 100000;
};

/// Offsets of the elements, ascending, in bytes from the first one of `from`.
std::vector<std::intptr_t> places(const AnyTensor& tensor, const AnyTensor& from) {
    const auto bytes = static_cast<std::intptr_t>(bytes_of(tensor.dtype()));
    const auto first = static_cast<std::intptr_t>(reinterpret_cast<std::uintptr_t>(tensor.address()) -
                                                  reinterpret_cast<std::uintptr_t>(from.address()));
    std::vector<std::intptr_t> found;
    found.reserve(static_cast<std::size_t>(tensor.size()));
    for_each_run<1>(tensor.shape(), {tensor.strides()}, [&](const Run<1>& run) {
        for (std::int64_t i = 0; i < run.count; ++i)
            found.push_back(first + (run.offset[0] + i * run.step[0]) * bytes);
    });
    std::ranges::sort(found);
    return found;
}

/// The answer from all addresses.
bool places_meet(const AnyTensor& a, const AnyTensor& b) {
    const std::vector<std::intptr_t> in_a = places(a, a), in_b = places(b, a);
    auto at = in_b.begin();
    for (const std::intptr_t place : in_a) {
        while (at != in_b.end() && *at + bytes_of(b.dtype()) <= place) ++at;
        if (at != in_b.end() && *at < place + bytes_of(a.dtype())) return true;
    }
    return false;
}

/// Dimensions of more than one element by their strides without the sign, which elements are apart does not
/// depend on; smallest first.
std::vector<Axis> ascending_axes(const AnyTensor& tensor) {
    std::vector<Axis> axes;
    for (int d = 0; d < tensor.rank(); ++d)
        if (tensor.shape()[d] > 1) axes.push_back({std::abs(tensor.strides()[d]), tensor.shape()[d] - 1});
    std::ranges::sort(axes, {}, &Axis::stride);
    return axes;
}

}  // namespace

ByteRange byte_range_of_strides(const AnyTensor& tensor) {
    const auto first = reinterpret_cast<std::uintptr_t>(tensor.address());
    const Reach reach = reach_of(tensor.shape(), tensor.strides(), bytes_of(tensor.dtype())).value();
    return {first + static_cast<std::uintptr_t>(reach.low), first + static_cast<std::uintptr_t>(reach.high)};
}

Overlap overlap(const AnyTensor& a, const AnyTensor& b) {
    if (a.size() == 0 || b.size() == 0) return Overlap::none;
    if (byte_range(a).is_apart_from(byte_range(b))) return Overlap::none;
    if (a.is_contiguous() && b.is_contiguous()) return Overlap::some;
    // Ranges that meet are less than their lengths apart.
    const auto distance = static_cast<std::intptr_t>(reinterpret_cast<std::uintptr_t>(a.address()) -
                                                     reinterpret_cast<std::uintptr_t>(b.address()));
    const Overlap found = Search(a, b).hit(distance);
    if (found != Overlap::not_shown || std::max(a.size(), b.size()) > decided_elements) return found;
    return places_meet(a, b) ? Overlap::some : Overlap::none;
}

Overlap overlaps_itself(const AnyTensor& tensor) {
    if (tensor.is_contiguous() || tensor.size() <= 1) return Overlap::none;
    const std::vector<Axis> axes = ascending_axes(tensor);
    std::int64_t span = 1;  // elements from the first to past the last of the dimensions so far
    bool nests = true;
    for (const Axis& axis : axes) {
        nests = nests && axis.stride >= span;
        span += axis.stride * axis.count;
    }
    if (nests) return Overlap::none;
    if (axes.front().stride == 0 || span < tensor.size()) return Overlap::some;
    if (tensor.size() > decided_elements) return Overlap::not_shown;
    const std::vector<std::intptr_t> all = places(tensor, tensor);
    return std::ranges::adjacent_find(all) != all.end() ? Overlap::some : Overlap::none;
}

}  // namespace frisket::runtime
