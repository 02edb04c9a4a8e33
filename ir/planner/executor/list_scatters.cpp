// SPDX-License-Identifier: MIT
#include "list_scatters.hpp"

#include "../../../runtime/list_kernels/scattered_list.hpp"
#include "../../../runtime/tensor/elements.hpp"
#include "../../../runtime/tensor/result_memory.hpp"
#include "../../at.hpp"
#include "list_coordinates.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace frisket::planning {

using ir::at;

namespace {

using Indices = Tensor<std::int64_t>;

/// The elements of `indices` at `count` places of a space.  `indices` broadcasts to the space.
Indices read_at(const AnyTensor& indices, std::span<const Indices> places, std::int64_t count) {
    const std::size_t rank = places.size(), own_rank = indices.shape().size();
    Indices made({count});
    const auto* const from = static_cast<const std::int64_t*>(indices.data());
    for (std::int64_t i = 0; i < made.size(); ++i) {
        std::int64_t offset = 0;
        for (std::size_t d = 0; d < own_rank; ++d)
            if (indices.shape()[d] != 1)
                offset += places[rank - own_rank + d].data()[i] * indices.strides()[d];
        made.data()[i] = from[offset];
    }
    return made;
}

/// The index along dimension `dim` of the target of a scatter_view, for each of `count` elements.
Indices seen_index(const Node& view, std::size_t dim, std::span<const Indices> places, std::int64_t count) {
    Indices made({count});
    const std::int64_t first = view.offsets.empty() ? 0 : view.offsets[dim];
    for (std::int64_t i = 0; i < made.size(); ++i) {
        std::int64_t index = first;
        for (std::size_t j = 0; j < places.size(); ++j)
            index += view.attributes[dim * places.size() + j] * places[j].data()[i];
        made.data()[i] = index;
    }
    return made;
}

/// 0 and each number: -0 becomes 0, as the sum of one element is.
void add_zero(const AnyTensor& values) {
    runtime::dispatch_values(values.dtype(), [&]<class T>() {
        if constexpr (std::is_floating_point_v<T>) {
            const runtime::Reader<T> from(values.data());
            auto* const to = static_cast<typename runtime::Stored<T>::Type*>(values.data());
            for (std::int64_t i = 0; i < values.size(); ++i) to[i] = from[i] + T(0);
        }
    });
}

}  // namespace

list_kernels::SparseVector scattered_elements(const Node& node, const Shape& shape,
                                              const list_kernels::SparseVector& from,
                                              std::span<const AnyTensor> indices) {
    const std::vector<Indices> places = indices_of(runtime::IndexView(*from.list), shape);
    list_kernels::Scattered given{.target = node.shape, .values = from.values, .space = {}, .indices = {}};
    const std::int64_t count = from.list->size();
    given.space = {count};
    for (std::size_t d = 0; d < node.shape.size(); ++d) {
        Indices index;
        if (node.kind == NodeKind::scatter_view)
            index = seen_index(node, d, places, count);
        else if (const std::int64_t along = node.attributes[d]; along >= 0)
            index = places[at(along)];
        else
            index = read_at(indices[at(-1 - along)], places, count);
        given.indices.push_back({.indices = AnyTensor(std::move(index))});
    }
    const AnyMasked made = list_kernels::scattered_list(given);
    if (node.dtype == DType::boolean) {
        constexpr bool is_put = true;
        return {.list = made.index(),
                .values = runtime::filled_with(DType::boolean, {made.index()->size()}, &is_put)};
    }
    const AnyTensor values = made.values().clone();
    add_zero(values);
    return {.list = made.index(), .values = values};
}

}  // namespace frisket::planning
