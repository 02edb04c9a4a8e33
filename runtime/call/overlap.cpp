// SPDX-License-Identifier: MIT
#include "overlap.hpp"

#include <algorithm>
#include <cstdlib>

namespace frisket {

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
        std::sort(axes_.begin(), axes_.end(),
                  [](const Axis& x, const Axis& y) { return x.stride > y.stride; });
        reach_.assign(axes_.size() + 1, 0);
        for (std::size_t i = axes_.size(); i-- > 0;)
            reach_[i] = reach_[i + 1] + axes_[i].stride * axes_[i].count;
    }

    /// Whether sum(k_i * stride_i) = -distance + something below an element has a solution with 0 <= k_i
    /// <= count_i.
    bool hit(std::intptr_t distance) { return search(0, distance + shift_); }

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

    // `position` is a's element minus b's so far; they share a byte if it ends in (-size_a, size_b).
    bool search(std::size_t axis, std::intptr_t position) {
        if (--budget_ < 0) return true;
        if (position >= size_b_ || position + reach_[axis] <= -size_a_) return false;
        if (axis == axes_.size()) return true;
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
    std::vector<std::intptr_t> reach_;
    int budget_ = 100000;
};

}  // namespace

ByteRange byte_range(const AnyTensor& tensor) {
    auto begin = reinterpret_cast<std::intptr_t>(tensor.data());
    if (tensor.is_contiguous()) return {begin, begin + tensor.size() * bytes_of(tensor.dtype())};
    auto end = begin + bytes_of(tensor.dtype());
    for (int d = 0; d < tensor.rank(); ++d) {
        const std::intptr_t reach = (tensor.shape()[d] - 1) * tensor.strides()[d] * bytes_of(tensor.dtype());
        (reach < 0 ? begin : end) += reach;
    }
    return {begin, end};
}

bool overlap(const AnyTensor& a, const AnyTensor& b) {
    if (a.size() == 0 || b.size() == 0) return false;
    const ByteRange ra = byte_range(a), rb = byte_range(b);
    if (ra.end <= rb.begin || rb.end <= ra.begin) return false;
    if (a.is_contiguous() && b.is_contiguous()) return true;
    const auto distance =
        reinterpret_cast<std::intptr_t>(a.data()) - reinterpret_cast<std::intptr_t>(b.data());
    return Search(a, b).hit(distance);
}

bool overlaps_itself(const AnyTensor& tensor) {
    if (tensor.is_contiguous() || tensor.size() <= 1) return false;
    std::vector<Axis> axes;
    for (int d = 0; d < tensor.rank(); ++d)
        if (tensor.shape()[d] > 1) axes.push_back({std::abs(tensor.strides()[d]), tensor.shape()[d] - 1});
    std::sort(axes.begin(), axes.end(), [](const Axis& x, const Axis& y) { return x.stride < y.stride; });
    std::intptr_t span = 1;  // elements from the first to past the last of the dimensions so far
    for (const Axis& axis : axes) {
        if (axis.stride < span) return true;
        span = axis.stride * axis.count + span;
    }
    return false;
}

}  // namespace frisket
