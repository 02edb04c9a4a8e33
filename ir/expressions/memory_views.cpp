// SPDX-License-Identifier: MIT
#include "memory_views.hpp"

#include "../../runtime/tensor/overlap.hpp"
#include "../at.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace frisket::ir {

using ir::at;

namespace {

/// Distances in the memory of a tensor as steps along its dimensions, the outermost as large as they can be.
class StepsOfMemory {
public:
    explicit StepsOfMemory(const Shape& shape) : shape_(shape), strides_(contiguous_strides(shape)) {}

    std::vector<std::int64_t> steps(std::int64_t distance) const {
        std::vector<std::int64_t> found(shape_.size(), 0);
        for (std::size_t d = 0; d < shape_.size(); ++d) {
            if (shape_[d] == 1) continue;
            found[d] = distance / strides_[d];
            distance %= strides_[d];
        }
        return found;
    }

private:
    const Shape& shape_;
    const Strides strides_;
};

/// A view that stays within the extents of its operand.
bool stays_inside(const std::vector<std::int64_t>& coefficients, const std::vector<std::int64_t>& offsets,
                  const Shape& part, const Shape& whole) {
    for (std::size_t d = 0; d < whole.size(); ++d) {
        std::int64_t least = offsets[d], most = offsets[d];
        for (std::size_t j = 0; j < part.size(); ++j) {
            const std::int64_t far = coefficients[d * part.size() + j] * (part[j] - 1);
            (far < 0 ? least : most) += far;
        }
        if (least < 0 || most >= whole[d]) return false;
    }
    return true;
}

}  // namespace

std::optional<Value> memory_view(const AnyTensor& part, const AnyTensor& whole, Value x) {
    if (part.dtype() != whole.dtype() || part.size() == 0 || !whole.is_contiguous()) return {};
    const auto inner = runtime::byte_range(part), outer = runtime::byte_range(whole);
    if (inner.begin < outer.begin || inner.end > outer.end) return {};
    const auto bytes = reinterpret_cast<std::uintptr_t>(part.data()) - outer.begin;
    const auto element = at(bytes_of(whole.dtype()));
    if (bytes % element != 0) return {};
    const auto first = static_cast<std::int64_t>(bytes / element);
    const StepsOfMemory memory(whole.shape());
    const std::size_t rank = part.shape().size(), dims = whole.shape().size();
    std::vector<std::int64_t> coefficients(dims * rank);
    for (std::size_t j = 0; j < rank; ++j) {
        const auto steps = memory.steps(part.strides()[j]);
        for (std::size_t d = 0; d < dims; ++d) coefficients[d * rank + j] = steps[d];
    }
    std::vector<std::int64_t> offsets = memory.steps(first);
    if (stays_inside(coefficients, offsets, part.shape(), whole.shape()))
        return view(x, std::move(coefficients), std::move(offsets), part.shape());
    const Value line = reshape(x, {whole.size()});
    return view(line, {part.strides().begin(), part.strides().end()}, {first}, part.shape());
}

}  // namespace frisket::ir
