// SPDX-License-Identifier: MIT
#include "scattered_results.hpp"

#include "../../runtime/list_kernels/scattered_list.hpp"
#include "../at.hpp"
#include "../interpreter/tensor_kernels.hpp"
#include "device_scatters.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace frisket::planning {

using ir::at;

namespace {

AnyTensor contiguous(const AnyTensor& tensor) { return tensor.is_contiguous() ? tensor : tensor.clone(); }

/// over_entries(), by strides.
AnyTensor seen_over(const AnyTensor& tensor, std::size_t rank, const Shape& space) {
    Shape shape = tensor.shape();
    shape.insert(shape.begin(), rank - shape.size(), 1);
    AnyTensor made = contiguous(tensor).reshape(shape);
    for (std::size_t d = space.size(); d < rank; ++d)
        if (shape[d] != 0) made = made.slice(static_cast<int>(d), 0, 1);
    shape.resize(space.size());
    return contiguous(made).reshape(shape).broadcast_to(space);
}

}  // namespace

AnyTensor over_entries(const AnyTensor& tensor, std::size_t rank, const Shape& space) {
    return contiguous(seen_over(tensor, rank, space));
}

AnyTensor values_of(const ListedScatter& scattered, std::span<const Result> made, std::size_t trailing) {
    AnyTensor values = made[at(scattered.values)].values;
    for (const Node& view : scattered.views)
        values = tensor_kernels::view(values, view.attributes, view.offsets, view.shape);
    const auto last = [&](const auto& dims) { return std::span(dims).last(trailing); };
    return is_contiguous(last(values.shape()), last(values.strides())) ? values : values.clone();
}

namespace {

/// The indices along dimension `dim` of the target.  `rank`: the rank of the values.
list_kernels::ScatteredIndex index_along(std::size_t dim, const ListedScatter& scattered,
                                         std::span<const Result> made, const Shape& space, std::size_t rank) {
    const Node& node = scattered.node;
    list_kernels::ScatteredIndex index{.steps = Strides(space.size(), 0)};
    if (node.kind == NodeKind::scatter_view) {
        if (!node.offsets.empty()) index.first = node.offsets[dim];
        for (std::size_t j = 0; j < space.size(); ++j) index.steps[j] = node.attributes[dim * rank + j];
    } else if (const std::int64_t from = node.attributes[dim]; from >= 0) {
        index.steps[at(from)] = 1;
    } else {
        index.indices = seen_over(made[at(scattered.indices[at(-1 - from)])].values, rank, space);
    }
    return index;
}

AnyMasked listed(const ListedScatter& scattered, std::span<const Result> made) {
    const bool is_rows = scattered.layout == Layout::rows;
    const Shape& target = scattered.node.shape;
    const std::size_t trailing = is_rows ? target.size() - 1 : 0;
    const AnyTensor values = values_of(scattered, made, trailing);
    const std::size_t rank = values.shape().size();
    list_kernels::Scattered given{
        .layout = scattered.layout,
        .target = target,
        .values = values,
        .space = Shape(values.shape().begin(), values.shape().end() - static_cast<std::ptrdiff_t>(trailing)),
        .indices = {}};
    for (std::size_t d = 0; d < (is_rows ? 1 : target.size()); ++d)
        given.indices.push_back(index_along(d, scattered, made, given.space, rank));
    if (scattered.where != ListedScatter::none)
        given.where = seen_over(made[at(scattered.where)].values, rank, given.space);
    return list_kernels::scattered_list(given);
}

}  // namespace

Layout layout_of(const ScatteredResults::Scatters& scatters) {
    return std::ranges::all_of(
               scatters, [](Layout layout) { return layout == Layout::rows; }, &ListedScatter::layout)
               ? Layout::rows
               : Layout::coo;
}

Result listed_scatters(const ScatteredResults::Scatters& scatters, std::span<const Result> made) {
    if (!made[at(scatters.front().values)].values.device().is_cpu())
        return listed_scatters_on_device(scatters, made);
    const Layout layout = layout_of(scatters);
    AnyMasked all = listed(scatters.front(), made);
    for (const ListedScatter& scatter : std::span(scatters).subspan(1))
        all = list_kernels::united(all.to(layout), listed(scatter, made).to(layout));
    return {.listed = std::move(all)};
}

}  // namespace frisket::planning
